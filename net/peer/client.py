"""The client's end of a Bedrock session over RakNet or NetherNet, including its login (wire.md 5.5).

Rules:
1. Login is sent first, as soon as RakNet is connected; messages that the owner sends before wait for it. From protocol
   554 on RequestNetworkSettings is sent before it.
2. Compression and a key take effect before the messages of the step that set them: Login is the first that is
   compressed by the server's settings, ClientToServerHandshake the first that is encrypted.
3. The server's Disconnect ends the session with the server's message.
4. With a store of blobs the client announces its blob cache, and a packet with a missing blob is emitted once the blob
   has come (``net.blobs``). Hits and misses are reported with the next datagrams.
5. The RakNet id has its sign bit set, like the game's: go-raknet does not answer other clients.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from net.bedrock import Disconnect, LevelChunk, Message, SubChunk
from net.bedrock.codec import Codec
from net.bedrock.login import ClientLogin, Identity
from net.bedrock.login.tokens import PrivateKey
from net.blobs import BlobSource, BlobWaiting
from net.errors import DecodeError
from net.peer.packet_stream import (
    AHEAD_BYTES,
    Event,
    EventQueue,
    Faulty,
    Joined,
    Link,
    PacketStream,
    PeerStats,
    Received,
    Sent,
    level_towards,
)
from net.raknet import Address, ClientConnection, Limits
from net.wire.cursor import ELEMENT_BYTES

_SIGN_BIT: Final = 1 << 63


class _Arrival(NamedTuple):
    """The fields of a packet's event, except the message."""

    at: float
    number: int


class ClientLink(Link, Protocol):
    """A link to a server, with its datagrams."""

    def set_hold(self, hold: bool) -> None:
        """Sets whether received packets are neither stored nor acknowledged for now; keep-alive goes on."""

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None: ...

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """All datagrams to send now, with their destinations; also runs the timers."""

    def next_timer(self) -> float | None:
        """When ``outgoing`` must be called again at the latest; None once all is over."""


class ClientPeer(PacketStream):
    """One session with one server, without I/O.

    ``unix_time``: seconds since 1970, for the tokens' validity. ``entropy``: returns a number of unpredictable bytes.
    ``level``: deflate level of sent data; None for 1 to this machine and 6 elsewhere. ``blobs``: blobs of earlier
    sessions; None = the server sends everything in full. ``link``: the connection; None for a RakNet one. ``key``:
    signs the login; None for a new one.
    """

    needed = frozenset({"StartGame"})
    _link: ClientLink

    def __init__(
        self,
        server_address: Address,
        codec: Codec,
        identity: Identity,
        now: float,
        unix_time: float,
        entropy: Callable[[int], bytes],
        limits: Limits | None = None,
        level: int | None = None,
        blobs: BlobSource | None = None,
        link: ClientLink | None = None,
        key: PrivateKey | None = None,
    ) -> None:
        if link is None:
            guid = int.from_bytes(entropy(8), "big") | _SIGN_BIT
            link = ClientConnection(server_address, guid, now, codec.release.raknet_version, limits=limits)
        super().__init__(link, codec, level_towards(server_address, level))
        self._login = ClientLogin(codec, identity, unix_time, entropy, blobs is not None, key)
        self._blobs: BlobWaiting[_Arrival] | None = None
        if blobs is not None:
            self._blobs = BlobWaiting(blobs, codec.dialect.profile)
        self._ready = EventQueue()  # events that passed the blob cache
        self._asked = False
        self._early: list[bytes] = []  # messages sent before Login

    def set_hold(self, hold: bool) -> None:
        """Sets whether received packets are neither stored nor acknowledged for now; keep-alive goes on."""
        self._link.set_hold(hold)

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None:
        """Handles one datagram of the server; its packets come out of ``next_event``.

        ``sender``: its source; may be omitted if the server has one address.
        """
        self._link.receive(datagram, now, sender)
        if self._link.connected and not self._asked:
            self._asked = True
            self._send_login(self._login.first(), now)
        self.advance(now)
        self._collect()

    def _send_login(self, messages: Iterable[Message], now: float) -> None:
        """Sends messages of the login, then those that wait for it."""
        for message in messages:
            packet = self.codec.encode(message)
            super().send_packet(packet)
            self.push(Sent(packet, now))
        if self._login.opened:
            early, self._early = self._early, []
            for packet in early:
                super().send_packet(packet)

    def _collect(self) -> None:
        """Takes new events from the stream; packets pass through the blob cache if there is one."""
        while self._ready.held_bytes < AHEAD_BYTES and (event := super().next_event()) is not None:
            if self._blobs is None or not isinstance(event, Received):
                self._ready.push(event)
                continue
            arrival = _Arrival(event.at, event.number)
            for message, its in self._blobs.receive(event.message, arrival, event.at, event.held_bytes):
                self._ready.push(event if message is event.message else _made_whole(message, its))

    def _handle(self, message: Message, now: float) -> None:
        if isinstance(message, Disconnect):
            self.end(message.sentence())
            return
        if self.joined:
            return
        step = self._login.handle(message)
        if step.compress is not None:
            self.compress_with(step.compress)
        if step.key is not None:
            self.encrypt_with(step.key)
        self._send_login(step.send, now)
        if step.refused is not None:
            self.end(step.refused)
        elif step.joined:
            self.joined = True
            self.push(Joined(now))

    def send_packet(self, packet: bytes) -> None:
        if self._login.opened:
            super().send_packet(packet)
        else:
            self._early.append(packet)

    def datagrams(self, now: float) -> list[bytes]:
        """All datagrams to send now, in order; also runs the timers."""
        return [datagram for _, datagram in self.outgoing(now)]

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """As ``datagrams``, with destinations. Also drops packets that waited too long for blobs, and reports hits."""
        if self._blobs is not None and self.closed is None:
            for message, arrival in self._blobs.expire(now):
                self._ready.push(_made_whole(message, arrival))
            for status in self._blobs.statuses():
                super().send_packet(self.codec.encode(status))
        self.flush()
        out = self._link.outgoing(now)
        if self.finished:
            self.advance(now)
        return out

    def next_event(self) -> Event | None:
        self._collect()
        return self._ready.pop()

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest; None once all is over."""
        link = self._link.next_timer()
        blobs = None if self._blobs is None or link is None else self._blobs.next_timer()
        return link if blobs is None or link is None else min(link, blobs)

    def close(self, reason: str, now: float) -> None:
        """Ends the session; the last packets leave with the next datagrams."""
        self.flush()
        self.end(reason)
        self._link.close(reason, now)

    def stats(self) -> PeerStats:
        stats = super().stats()
        held_bytes = stats.held_bytes + self._ready.held_bytes
        if self._blobs is None:
            return replace(stats, held_bytes=held_bytes)
        blobs = self._blobs.stats()
        return replace(stats, held_bytes=held_bytes + blobs.waiting_bytes, blobs=blobs)


def _made_whole(message: Message | DecodeError, arrival: _Arrival) -> Received | Faulty:
    """The event, without packet bytes, of a packet that the blob cache changed or delayed."""
    if isinstance(message, DecodeError):
        return Faulty(message, arrival.number)
    size, objects = 0, 1
    if isinstance(message, LevelChunk):
        size = len(message.payload)
    elif isinstance(message, SubChunk):
        size, objects = sum(len(entry.payload) for entry in message.entries), len(message.entries)
    return Received(message, arrival.at, arrival.number, size, objects_bytes=ELEMENT_BYTES * objects)
