"""aiortc, a second WebRTC stack that nobody here wrote, joins our server over HTTP signalling.

It carries the packets of our client's session: what is tested is SDP, ICE, DTLS, SCTP and the data channels.
"""

import asyncio
import os
import time
from collections import deque
from typing import Any

import pytest

from net.bedrock import RequestChunkRadius
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.nethernet.channels import RELIABLE, UNRELIABLE
from net.peer import ClientPeer, Transports
from net.raknet import LinkStats
from net.raknet.handshake import Address
from net.server.host_options import ColumnMode, HostOptions
from net.server.worlds import open_worlds
from net.transport.http_signalling import post_offer
from tests.support.servers.process import threaded_server

aiortc = pytest.importorskip("aiortc")
pytestmark = pytest.mark.interop

PROTOCOL = 2193
PIECE_BYTES = 1000
WITHIN_S = 60.0
EACH_S = 0.01


class AiortcLink:
    """Both data channels as a link of a client's session."""

    batch_header = b""
    encrypts = False
    hold = False
    payload_at = 0.0

    def __init__(self, connection: Any) -> None:  # Any: aiortc says no types
        """Asks for the channels; ``connection`` is aiortc's."""
        self.closed: str | None = None
        self.largest_bytes = 0  # of the messages that came
        self.sends_unreliably = False
        self._reliable = connection.createDataChannel(RELIABLE)
        self._unreliable = connection.createDataChannel(UNRELIABLE, ordered=False)
        self._pieces = b""
        self._payloads: deque[bytes] = deque()
        self._reliable.on("message", self._take)

    @property
    def connected(self) -> bool:
        """Whether both are open."""
        return bool(self._reliable.readyState == self._unreliable.readyState == "open")

    def _take(self, message: bytes) -> None:
        self.largest_bytes = max(self.largest_bytes, len(message))
        self._pieces += message[1:]
        if not message[0]:
            self._payloads.append(self._pieces)
            self._pieces = b""

    def next_payload(self) -> bytes | None:
        """The next one."""
        return self._payloads.popleft() if self._payloads else None

    def send(self, payload: bytes) -> None:
        """Sends it: over the reliable channel in small pieces."""
        if self.sends_unreliably:
            self._unreliable.send(b"\0" + payload)
            return
        pieces = [payload[at : at + PIECE_BYTES] for at in range(0, len(payload), PIECE_BYTES)]
        for left, piece in zip(reversed(range(len(pieces))), pieces, strict=True):
            self._reliable.send(bytes((left,)) + piece)

    def close(self, reason: str, now: float) -> None:
        """Says so."""
        self.closed = self.closed or reason

    def stats(self) -> LinkStats:
        """Nothing is counted."""
        return LinkStats()

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None:
        """Nothing: aiortc has sockets of its own."""

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """Likewise."""
        return []

    def next_timer(self) -> float | None:
        """Never."""
        return None


async def join(port: int) -> tuple[list[str], int]:
    """Names of what the server said until the first column, and the size of its largest message."""
    connection = aiortc.RTCPeerConnection()
    link = AiortcLink(connection)
    try:
        await connection.setLocalDescription(await connection.createOffer())
        offer = connection.localDescription.sdp
        answer = await asyncio.to_thread(post_offer, f"http://127.0.0.1:{port}", 5, offer)
        await connection.setRemoteDescription(aiortc.RTCSessionDescription(answer, "answer"))
        now = time.monotonic()
        identity = Identity("aiortc", "00000000-0000-4000-8000-000000000001", f"127.0.0.1:{port}")
        peer = ClientPeer(("127.0.0.1", port), Codec(PROTOCOL), identity, now, time.time(), os.urandom, link=link)
        told: list[str] = []
        while "LevelChunk" not in told and time.monotonic() < now + WITHIN_S:
            await asyncio.sleep(EACH_S)
            peer.receive(b"", time.monotonic())
            while (event := peer.next_event()) is not None:
                if (message := getattr(event, "message", None)) is not None:
                    told.append(type(message).__name__)
            if "StartGame" in told and not link.sends_unreliably:
                link.sends_unreliably = True
                peer.send(RequestChunkRadius(2))
            peer.outgoing(time.monotonic())
            assert peer.closed is None, peer.closed
        return told, link.largest_bytes
    finally:
        await connection.close()


def test_aiortc_carries_a_join_over_both_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    from aioice import ice  # noqa: PLC0415 - comes with aiortc

    monkeypatch.setattr(ice, "get_host_addresses", lambda use_ipv4, use_ipv6: ["127.0.0.1"])
    options = HostOptions(ColumnMode.FULL, radius_max=2, transports=Transports.NETHERNET)
    with threaded_server(open_worlds("hills:1")[0], PROTOCOL, options) as port:
        told, largest_bytes = asyncio.run(join(port))
    assert told[:2] == ["NetworkSettings", "PlayStatus"]
    assert "LevelChunk" in told, "the radius is asked for over the unreliable channel"
    assert largest_bytes > PIECE_BYTES
