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

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from net.bedrock import Disconnect, LevelChunk, Message, SubChunk
from net.bedrock.codec import Codec
from net.bedrock.login import ClientLogin, Identity, disconnect_reason
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


class _Heard(NamedTuple):
    """The fields of a packet's event, except the message."""

    at: float
    number: int


class ClientLink(Link, Protocol):
    """A link to a server, with its datagrams."""

    hold: bool

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None:
        """Takes one datagram."""

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """All datagrams to send now, with their destinations; also runs the timers."""

    def next_timer(self) -> float | None:
        """When ``outgoing`` must be called again at the latest; None once all is over."""


class ClientPeer:
    """One session with one server, without I/O.

    ``server_address``: destination of the datagrams. ``codec``: of the session's protocol. ``identity``: of the player.
    ``unix_time``: seconds since 1970, for the tokens' validity. ``entropy``: returns a number of unpredictable bytes.
    ``limits``: RakNet's timings and limits. ``level``: deflate level of sent data; None for 1 to this machine and 6
    elsewhere. ``blobs``: blobs of earlier sessions; None = the server sends everything in full. ``link``: the
    connection; None for a RakNet one. ``key``: signs the login; None for a new one.
    """

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
        self.codec = codec
        if link is None:
            guid = int.from_bytes(entropy(8), "big") | _SIGN_BIT
            link = ClientConnection(server_address, guid, now, codec.release.raknet_version, limits=limits)
        self._link: ClientLink = link
        self._stream = PacketStream(
            self._link, codec, level_towards(server_address, level), self._handle, needed=frozenset({"StartGame"})
        )
        self._login = ClientLogin(codec, identity, unix_time, entropy, blobs is not None, key)
        self._blobs: BlobWaiting[_Heard] | None = None
        if blobs is not None:
            self._blobs = BlobWaiting(blobs, codec.dialect.profile)
        self._events = EventQueue()
        self._asked = False
        self._early: list[bytes] = []  # messages sent before Login
        self._joined = False

    @property
    def joined(self) -> bool:
        return self._joined

    @property
    def closed(self) -> str | None:
        """None, or why the session is over; the last datagrams may still be waiting, see ``finished``."""
        return self._stream.ended

    @property
    def finished(self) -> bool:
        """Whether nothing more will be sent."""
        return self._link.closed is not None

    @property
    def hold(self) -> bool:
        """Whether received packets are neither stored nor acknowledged for now; keep-alive goes on."""
        return self._link.hold

    @hold.setter
    def hold(self, value: bool) -> None:
        self._link.hold = value

    def receive(self, datagram: bytes, now: float, sender: Address | None = None) -> None:
        """Handles one datagram of the server; its packets come out of ``next_event``.

        Args:
            sender: its source; may be omitted if the server has one address.
        """
        self._link.receive(datagram, now, sender)
        self._after_link(now)

    def _after_link(self, now: float) -> None:
        if self._link.connected and not self._asked:
            self._asked = True
            for opening in self._login.first():
                packet = self.codec.encode(opening)
                self._stream.send(packet)
                self._stream.push(Sent(packet, now))
            self._send_early()
        self._stream.advance(now)
        self._collect()

    def _collect(self) -> None:
        """Takes new events from the stream; packets pass through the blob cache if there is one."""
        while self._events.held_bytes < AHEAD_BYTES and (event := self._stream.next_event()) is not None:
            if self._blobs is None or not isinstance(event, Received):
                self._events.push(event)
                continue
            heard = _Heard(event.at, event.number)
            for message, its in self._blobs.receive(event.message, heard, event.at, event.held_bytes):
                self._events.push(event if message is event.message else _made_whole(message, its))

    def _mind_blobs(self, blobs: BlobWaiting[_Heard], now: float) -> None:
        """Drops packets that waited too long for blobs, and reports hits and misses to the server."""
        if self._stream.ended is None:
            for message, heard in blobs.expire(now):
                self._events.push(_made_whole(message, heard))
            for status in blobs.statuses():
                self._stream.send(self.codec.encode(status))

    def _handle(self, message: Message, now: float) -> None:
        if isinstance(message, Disconnect):
            self._stream.end(disconnect_reason(message))
            return
        if self._joined:
            return
        step = self._login.handle(message)
        if step.compress is not None:
            self._stream.compress_with(step.compress)
        if step.key is not None:
            self._stream.encrypt_with(step.key)
        for answer in step.send:
            packet = self.codec.encode(answer)
            self._stream.send(packet)
            self._stream.push(Sent(packet, now))
        self._send_early()
        if step.refused is not None:
            self._stream.end(step.refused)
        elif step.joined:
            self._joined = True
            self._stream.push(Joined(now))

    def send(self, message: Message) -> None:
        """Queues one message; after the end it is dropped.

        Raises LocalProtocolError: it has no wire form in this protocol.
        """
        self.send_packet(self.codec.encode(message))

    def send_packet(self, packet: bytes) -> None:
        """Queues one packet that is already encoded."""
        if self._login.opened:
            self._stream.send(packet)
        else:
            self._early.append(packet)

    def _send_early(self) -> None:
        if self._early and self._login.opened:
            early, self._early = self._early, []
            for packet in early:
                self._stream.send(packet)

    def datagrams(self, now: float) -> list[bytes]:
        """All datagrams to send now, in order; also runs the timers."""
        return [datagram for _, datagram in self.outgoing(now)]

    def outgoing(self, now: float) -> list[tuple[Address, bytes]]:
        """As ``datagrams``, with destinations."""
        if self._blobs is not None:
            self._mind_blobs(self._blobs, now)
        self._stream.flush()
        out = self._link.outgoing(now)
        if self._link.closed is not None:
            self._stream.advance(now)
        return out

    def next_event(self) -> Event | None:
        """Removes and returns the oldest event."""
        self._collect()
        return self._events.pop()

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest; None once all is over."""
        link = self._link.next_timer()
        blobs = None if self._blobs is None or link is None else self._blobs.next_timer()
        return link if blobs is None or link is None else min(link, blobs)

    def close(self, reason: str, now: float) -> None:
        """Ends the session; the last packets leave with the next datagrams."""
        self._stream.flush()
        self._stream.end(reason)
        self._link.close(reason, now)

    def stats(self) -> PeerStats:
        """A snapshot of the counters."""
        stats = self._stream.stats()
        held_bytes = stats.held_bytes + self._events.held_bytes
        if self._blobs is None:
            return replace(stats, held_bytes=held_bytes)
        blobs = self._blobs.stats()
        return replace(stats, held_bytes=held_bytes + blobs.waiting_bytes, blobs=blobs)


def _made_whole(message: Message | DecodeError, heard: _Heard) -> Received | Faulty:
    """The event, without packet bytes, of a packet that the blob cache changed or delayed."""
    if isinstance(message, DecodeError):
        return Faulty(message, heard.number)
    size, objects = 0, 1
    if isinstance(message, LevelChunk):
        size = len(message.payload)
    elif isinstance(message, SubChunk):
        size, objects = sum(len(entry.payload) for entry in message.entries), len(message.entries)
    return Received(message, heard.at, heard.number, size, objects_bytes=ELEMENT_BYTES * objects)
