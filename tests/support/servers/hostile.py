"""A server that accepts a client and then sends whatever messages a test chooses, and a session that must survive them.

The login is the real one with encryption; all packets go over the loopback in virtual time.

    python -m tests.support.servers.hostile [SECONDS]

runs a server process (``FarServer``) that announces columns at x = 0, at x = 10^9 and at the limits of the network
format. Every SECONDS (by default never) it moves the player between x = 0 and x = 10^9. It prints its port as JSON and
ends when its standard input closes.
"""

import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from client.session.config import SessionConfig
from client.session.session import Session
from client.session.spawn import SpawnPhase
from net.bedrock import (
    ChunkRadiusUpdated,
    LevelChunk,
    Message,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayStatus,
    StartGame,
    SubChunk,
    SubChunkEntry,
    SubChunkRequest,
)
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.blobs import BlobSource
from net.palette import Palette
from net.peer import ClientPeer, Joined, PeerListener, Received, ServerPeer
from net.raknet import Address
from net.releases import ProtocolRange
from net.server.virtual_host import even_entropy
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.encode import SubChunkEncoder
from net.transport.loopback import Loopback
from net.transport.udp_server import UdpHost
from net.wire.fields import Profile
from tests.support.session.driven import start_game
from tests.support.session.virtual import ADDRESS, SWIFT, UNIX_TIME, VirtualSession, palette

# ---------------------------------------------------------------- hostile server

Offset = tuple[int, int, int]


class HostileServer:
    """Answers the login, then sends ``first``; keeps received messages; answers requests only if ``answer`` is set."""

    def __init__(self, codec: Codec, first: Sequence[Message | bytes]) -> None:
        self._listener = PeerListener(
            ProtocolRange.only(codec.protocol, codec.dialect.profile),
            "MCPE;hostile;486;1.18.11;0;9;",
            0.0,
            UNIX_TIME,
            even_entropy(1),
        )
        self._first = first
        self._peers: list[ServerPeer] = []
        self.heard: list[Message] = []  # received messages
        # the answer for each requested offset; None: requests are not answered
        self.answer: Callable[[Offset], SubChunkEntry] | None = None
        self.silent = False  # sends nothing more, not even acknowledgements, like a process that died

    @property
    def peer(self) -> ServerPeer:
        return self._peers[0]

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        if not self.silent:
            self._listener.receive(address, datagram, now)
            self._listen()

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        if self.silent:
            return []
        out = self._listener.datagrams(now)
        self._listen()
        return out

    def next_timer(self) -> float | None:
        return self._listener.next_timer()

    def say(self, *messages: Message | bytes) -> None:
        """Sends messages, or encoded packets, each in a batch of its own."""
        for message in messages:
            packet = message if isinstance(message, bytes) else self.peer.codec.encode(message)
            self.peer.send_packet(packet)
            self.peer.flush()

    def say_raw(self, payload: bytes) -> None:
        """Sends bytes instead of a batch, without compression and encryption."""
        self.peer.flush()
        self.peer._link.send(payload)

    def say_body(self, body: bytes) -> None:
        """Sends a correctly encrypted batch with this body."""
        self.peer.flush()
        seal = self.peer._writer._seal
        assert seal is not None
        self.peer._link.send(b"\xfe" + seal.run(body + seal.next_tag(body)))

    def asked(self) -> set[SubChunkPos]:
        """All places that the client requested so far."""
        return {
            SubChunkPos(*(int(c) + int(d) for c, d in zip(request.centre, offset, strict=True)))
            for request in self.heard
            if isinstance(request, SubChunkRequest)
            for offset in request.offsets
        }

    def _listen(self) -> None:
        while (peer := self._listener.accept()) is not None:
            self._peers.append(peer)
        for peer in self._peers:
            while (event := peer.next_event()) is not None:
                if isinstance(event, Joined):
                    self.say(*self._first)
                elif isinstance(event, Received):
                    self.heard.append(event.message)
                    if self.answer and isinstance(event.message, SubChunkRequest):
                        self._answer(event.message, self.answer)

    def _answer(self, request: SubChunkRequest, answer: Callable[[Offset], SubChunkEntry]) -> None:
        entries = tuple(answer((dx, dy, dz)) for dx, dy, dz in request.offsets.tolist())
        self.say(SubChunk(False, request.dimension, request.centre, entries))


class Besieged(VirtualSession):
    """A session that joined a hostile server."""

    def __init__(
        self,
        *first: Message | bytes,
        start: StartGame | None = None,
        join: bool = True,
        profile: Profile = Profile.BEDROCK,
        config: SessionConfig | None = None,
        blobs: BlobSource | None = None,
    ) -> None:
        codec = Codec(486, profile)
        opening = (start or start_game(), PlayStatus(3)) if join else ()
        self.server = HostileServer(codec, (*opening, *first))
        identity = Identity("tester", "00000000-0000-0000-0000-000000000001")
        self.link = Loopback(
            ClientPeer(ADDRESS, codec, identity, 0.0, UNIX_TIME, even_entropy(2), blobs=blobs), self.server
        )
        self.session = Session(config or SessionConfig(radius=2, player=SWIFT), palette(486), 0.0)
        self.sent = []
        if join:
            assert self.run(lambda: self.session.spawn.phase is SpawnPhase.PLAYING)

    def bear(self, *messages: Message | bytes) -> None:
        """The server sends messages; the session receives all of them and goes on."""
        self.server.say(*messages)
        self.rest()

    def rest(self, seconds: float = 0.2) -> None:
        """Lets virtual time pass."""
        end = self.now + seconds
        self.run(lambda: self.now >= end, seconds + 1.0)

    def until(self, condition: Callable[[], bool], limit_s: float = 30.0) -> None:
        """Takes turns until the condition holds; fails if it never does."""
        assert self.run(condition, limit_s)


# ---------------------------------------------------------------- far server

PROTOCOL = 486
FAR_X = 62_500_000
"""The column at x = 10^9 blocks."""
EDGE = (1 << 27) - 1
BEYOND = 1 << 27, (1 << 31) - 1
"""Columns so far away that their blocks have no coordinates in packets."""
SIDE = 4
SPAWN = ColumnPos(0, 0)
FAR = ColumnPos(FAR_X, 0)
PLACES = SPAWN, FAR, ColumnPos(EDGE - SIDE, EDGE - SIDE), ColumnPos(-EDGE + SIDE, EDGE - SIDE), ColumnPos(1 << 20, 7)
EVERYWHERE = 1 << 30
"""The publisher's radius in blocks, so that no column is evicted for its distance."""


class FarServer(HostileServer):
    """Announces all columns to each client that joins."""

    def __init__(self, every_s: float) -> None:
        codec = Codec(PROTOCOL)
        super().__init__(codec, self._first_messages())
        now = time.monotonic()
        self._listener = PeerListener(
            ProtocolRange.only(PROTOCOL, codec.dialect.profile),
            "MCPE;far;486;1.18.11;0;9;",
            now,
            time.time(),
            os.urandom,
        )
        self._every_s = every_s
        self._next = now + every_s
        self._there = False

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        if now >= self._next and self._peers:
            self._next = now + self._every_s
            self._there = not self._there
            self.say(*self._move(FAR if self._there else SPAWN))
        return super().datagrams(now)

    def next_timer(self) -> float | None:
        timer = super().next_timer()
        return self._next if timer is None else min(timer, self._next)

    def _move(self, column: ColumnPos) -> list[Message]:
        position = column.x * 16 + 8.0, 24.0, column.z * 16 + 8.0
        block = BlockPos(column.x * 16, 0, column.z * 16)
        return [MovePlayer(1, position, 20.0, -45.0, -45.0, mode=2), NetworkChunkPublisherUpdate(block, EVERYWHERE)]

    def _first_messages(self) -> list[Message]:
        start: StartGame = start_game(position=(8.0, 24.0, 8.0), world_name="far")
        around = range(-SIDE, SIDE + 1)
        columns = [ColumnPos(at.x + x, at.z + z) for at in PLACES for x in around for z in around]
        columns += [ColumnPos(x, 0) for x in BEYOND] + [ColumnPos(0, -x) for x in BEYOND]
        payload = _payload()
        told = [LevelChunk(column, None, 5, None, None, payload) for column in columns]
        publisher = NetworkChunkPublisherUpdate(BlockPos(0, 0, 0), EVERYWHERE)
        return [start, ChunkRadiusUpdated(SIDE), publisher, *told, PlayStatus(3)]


def _payload() -> bytes:
    """A column of four sub-chunks of stone, one with pillars, and air above."""
    palette = Palette.for_protocol(PROTOCOL)
    ids = {state.name: int(number) for state, number in zip(palette.states, palette.runtime_ids, strict=True)}
    encoder = SubChunkEncoder(np.array([ids["minecraft:air"], ids["minecraft:stone"]], np.int64))
    x, z, y = np.meshgrid(*[np.arange(16)] * 3, indexing="ij")
    ground = (y < 3 + 5 * ((x % 5 == 1) & (z % 4 == 2))).astype(np.uint16).reshape(1, 4096)
    stone = np.ones((1, 4096), np.uint16)
    parts = [encoder.encode(stone, None, section)[0] or b"" for section in range(-4, 0)]
    parts.append(encoder.encode(ground, None, 0)[0] or b"")
    return b"".join(parts) + b"\x01\x04" + b"\xff" * 23 + b"\x00"


def main() -> None:
    every_s = float(sys.argv[1]) if len(sys.argv) > 1 else math.inf
    server = UdpHost(FarServer(every_s))
    sys.stdout.write(json.dumps({"port": server.address[1]}) + "\n")
    sys.stdout.flush()

    def obey() -> None:
        sys.stdin.read()
        server.stop()

    threading.Thread(target=obey, daemon=True).start()
    server.run()


if __name__ == "__main__":
    main()
