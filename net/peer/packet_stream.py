"""Packets over one link, in both directions, and the events of a session.

    datagrams -> link (RakNet, NetherNet) -> batches (decrypt, inflate, cut) -> codec -> events
    messages -> codec -> queue -> batches (deflate, encrypt) -> link -> datagrams

Rules:
1. Messages sent between two calls of ``flush`` leave in one batch, or several if they are large: the other end can
   decode the first while the rest is in flight.
2. A key applies to whole batches from the next one on, in each direction.
3. After ``closed`` nothing is queued and nothing more is read.
4. Packets are decoded when their events are requested, and ahead of that only while the waiting events use less than
   ``AHEAD_BYTES``. The rest waits undecoded: payloads in the link, one batch inflated. So a batch of many small packets
   or lists costs its own size, not that of the objects it would make.
5. When the link has ended, the stream ends once all payloads that came before have been read.

Events are emitted in order: ``number`` counts the packets of a session from 0, faulty and unknown ones included, so
that recordings and reports can refer to them. ``held_bytes`` is the memory that a waiting event uses; whoever stores
events must limit their sum.
"""

from collections import Counter, deque
from collections.abc import Mapping
from typing import ClassVar, Final, Protocol

import msgspec
from msgspec.structs import asdict

from net.bedrock import Message, NetworkSettings, Unknown
from net.bedrock.batch import BatchReader, BatchWriter, Packets
from net.bedrock.codec import Codec
from net.blobs import BlobStats
from net.errors import ConnectionClosed, DecodeError, LimitExceeded, LocalProtocolError
from net.raknet import Address, LinkStats
from net.raknet.congestion import GRACE_S
from net.wire.cursor import INFLATED_BATCH_BYTES, Reader

EVENT_BYTES: Final = 256
"""Memory of an event besides its packet."""


class Received(msgspec.Struct, frozen=True):
    """One packet, decoded."""

    message: Message  # its content
    at: float  # when its last datagram arrived, monotonic seconds
    number: int  # its index in the session
    size_bytes: int  # its decompressed size
    packet: bytes = b""  # its bytes, for a recording
    objects_bytes: int = 0  # memory counted for its lists, see ``net.wire.cursor``

    @property
    def held_bytes(self) -> int:
        """The packet's bytes, and the fields of the message."""
        return EVENT_BYTES + 2 * self.size_bytes + self.objects_bytes


class Sent(msgspec.Struct, frozen=True):
    """A packet that the peer sent by itself in the login. Messages that the owner sends give no event."""

    packet: bytes  # its bytes; a Login contains keys and tokens
    at: float  # monotonic seconds

    def __repr__(self) -> str:
        return f"Sent(at={self.at})"  # keys and tokens must not appear in logs

    @property
    def held_bytes(self) -> int:
        return EVENT_BYTES + len(self.packet)


class Joined(msgspec.Struct, frozen=True):
    """The login is over: game messages may be sent. Follows the message that ended the login."""

    at: float
    held_bytes: ClassVar = EVENT_BYTES


class Faulty(msgspec.Struct, frozen=True):
    """One packet that does not decode; it is skipped and the session goes on."""

    error: DecodeError  # names packet, field and offset
    number: int  # its index in the session
    packet: bytes = b""  # its bytes; empty if the batch could not be split into packets

    @property
    def held_bytes(self) -> int:
        return EVENT_BYTES + len(self.packet)


class Closed(msgspec.Struct, frozen=True):
    """The session is over; nothing follows."""

    reason: str  # one sentence a user can act on
    held_bytes: ClassVar = EVENT_BYTES


Event = Received | Sent | Joined | Faulty | Closed


class EventQueue:
    """Events in order, and their memory."""

    __slots__ = ("_events", "held_bytes")

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self.held_bytes = 0  # of waiting events

    def push(self, event: Event) -> None:
        self._events.append(event)
        self.held_bytes += event.held_bytes

    def pop(self) -> Event | None:
        """Removes and returns the oldest event; None if there is none."""
        if not self._events:
            return None
        event = self._events.popleft()
        self.held_bytes -= event.held_bytes
        return event


class PeerStats(LinkStats, frozen=True):
    """A snapshot of one session's counters, those of its link included.

    ``queued_bytes`` and ``held_bytes`` here include what waits outside of the link: packets to be sent, the batch being
    read, and events.
    """

    packets_in: int = 0  # packets in received batches, faulty and unknown ones included
    packets_out: int = 0  # packets sent
    packet_bytes_in: int = 0  # their decompressed bytes
    packet_bytes_out: int = 0  # their bytes before compression
    decode_errors: int = 0  # packets that did not decode
    # how many packets of each id were skipped because this protocol's table does not name it
    unknown: Mapping[int, int] = {}
    blobs: BlobStats | None = None  # of the client's blob cache; None at a server, or without a cache

    def under_way(self, now: float) -> bool:
        """Whether data is missing: received data is incomplete, or sent data unacknowledged for a round trip."""
        in_time_s = (self.rtt_s or 0.0) + GRACE_S
        return self.held_bytes > 0 or (self.unheard_since is not None and now - self.unheard_since > in_time_s)


BATCH_BYTES: Final = 256 << 10
"""A batch is closed when its packets reach this size before compression."""
AHEAD_BYTES: Final = 1 << 20
"""Memory that waiting events may use, plus one more event, before decoding pauses."""

LOOPBACK_LEVEL: Final = 1
"""Deflate level where bandwidth is free: a radius-8 join takes 50 ms of CPU for 1.4 MB."""
NETWORK_LEVEL: Final = 6
"""Deflate level elsewhere: 195 ms for 1.1 MB."""


def level_towards(address: Address, chosen: int | None) -> int:
    """The deflate level for data to an address: ``chosen`` if it is set."""
    if chosen is not None:
        return chosen
    return LOOPBACK_LEVEL if address[0].startswith("127.") or address[0] == "::1" else NETWORK_LEVEL


class Link(Protocol):
    """What this module needs of a connection of RakNet or NetherNet."""

    @property
    def batch_header(self) -> bytes:
        """First bytes of each batch."""

    @property
    def encrypts(self) -> bool:
        """Whether packets are encrypted with the key of the login; otherwise the link encrypts."""

    @property
    def connected(self) -> bool:
        """Whether payloads may be sent."""

    @property
    def closed(self) -> str | None:
        """Why it is over."""

    def next_payload(self) -> bytes | None:
        """The next payload, in order; also those that came before the end."""

    @property
    def payload_at(self) -> float:
        """When the last datagram of the payload taken last arrived."""

    def close(self, reason: str, now: float) -> None:
        """Ends the link from our side; no effect if it has ended."""

    def send(self, payload: bytes) -> None:
        """Queues one payload."""

    def stats(self) -> LinkStats:
        """A snapshot of the counters."""


class PacketStream:
    """The packets of one session in both directions; the ends of a session derive from it.

    ``link``: the connection; this class takes its payloads and closes it when the session ends. ``level``: deflate
    level of sent data. ``inflated_bytes``: largest inflated size of a received batch.
    """

    needed: frozenset[str] = frozenset()
    """Names of required packets: if one does not decode, the session ends."""

    def __init__(self, link: Link, codec: Codec, level: int, inflated_bytes: int = INFLATED_BATCH_BYTES) -> None:
        self.joined = False  # whether the login is over
        self.closed: str | None = None  # why the session is over; the last datagrams may still wait, see ``finished``
        self._link = link
        self._level = level
        self._inflated_bytes = inflated_bytes
        self._began = False  # whether a payload was read
        self._now = 0.0
        self._dry = True  # nothing is left to read until ``advance`` is called
        self.use_codec(codec)
        self._events = EventQueue()
        self._packets = Packets()  # of the batch being read
        self._queue: list[bytes] = []
        self._packets_in = self._packets_out = self._bytes_in = self._bytes_out = self._decode_errors = 0
        self._unknown: Counter[int] = Counter()

    def use_codec(self, codec: Codec) -> None:
        """Sets the codec. Called before any packet was read or sent."""
        self.codec = codec
        self._reader = BatchReader(self._inflated_bytes, protocol=codec.protocol, mark=self._link.batch_header)
        self._writer = BatchWriter(self._level, codec.protocol, self._link.batch_header)

    def _handle(self, message: Message, now: float) -> None:
        """Called with each decoded message, after its event was queued."""

    def _receive_first(self, payload: bytes) -> None:
        """Called with the first payload before it is read; may change the codec."""

    @property
    def finished(self) -> bool:
        """Whether nothing more will be sent."""
        return self._link.closed is not None

    # ---------------------------------------------------------------- in

    def advance(self, now: float) -> None:
        """Reads as far as rule 4 allows. Called when data may have arrived."""
        self._now = now
        self._dry = False
        self._read_ahead()

    def _read_ahead(self) -> None:
        while self._events.held_bytes < AHEAD_BYTES and self._read_on():
            pass
        if self.closed is not None:
            self._link.close(self.closed, self._now)

    def _read_on(self) -> bool:
        """Decodes a packet or opens a batch; False if there is none."""
        if self.closed is not None:
            return False
        packet = next(self._packets, None)
        if packet is not None:
            self._decode(packet)
            return True
        payload = self._link.next_payload()
        if payload is not None:
            if not self._began:
                self._began = True
                self._receive_first(payload)
            self._unpack(payload)
            return True
        if self._link.closed is not None:
            self.end(self._link.closed)
        self._dry = True
        return False

    def _unpack(self, payload: bytes) -> None:
        try:
            self._packets = self._reader.packets(payload)
        except DecodeError as error:
            self._fault(error)
        except LimitExceeded as error:  # found after decryption: the key stream goes on, only this batch is lost
            self._fault(DecodeError("batch", "body", 1, str(error)))
        except ConnectionClosed as error:
            self.end(error.reason)

    def _decode(self, packet: bytes) -> None:
        self._bytes_in += len(packet)
        reader = Reader(packet, "packet")
        try:
            message = self.codec.read(reader)
        except DecodeError as error:
            self._fault(error, packet)
            if error.packet in self.needed:
                self.end(f"the session cannot continue after a {error.packet} that cannot be decoded: {error}")
            return
        if isinstance(message, Unknown):
            self._unknown[message.packet_id] += 1
        at, number = self._link.payload_at, self._packets_in
        self._events.push(Received(message, at, number, len(packet), packet, reader.objects_bytes))
        self._packets_in += 1
        self._handle(message, self._now)

    def _fault(self, error: DecodeError, packet: bytes = b"") -> None:
        self._decode_errors += 1
        self._events.push(Faulty(error, self._packets_in, packet))
        self._packets_in += 1

    def push(self, event: Event) -> None:
        self._events.push(event)

    def next_event(self) -> Event | None:
        """Removes and returns the oldest event; reads more if necessary."""
        event = self._events.pop()
        if event is None and not self._dry:
            self._read_ahead()
            event = self._events.pop()
        return event

    def end(self, reason: str) -> None:
        """Ends the session and queues the last event. Only the first reason counts."""
        if self.closed is None:
            self.closed = reason
            self._packets = Packets()
            self._queue.clear()
            self._events.push(Closed(reason))

    # ---------------------------------------------------------------- out

    def send(self, message: Message) -> None:
        """Queues one message; after the end it is dropped.

        Raises LocalProtocolError: it has no wire form in this protocol.
        """
        self.send_packet(self.codec.encode(message))

    def send_packet(self, packet: bytes) -> None:
        """Queues one packet that is already encoded."""
        if self.closed is None:
            self._queue.append(packet)

    def flush(self) -> None:
        """Passes the waiting packets to the link."""
        if not self._queue or self.closed is not None or not self._link.connected:
            return
        queue, self._queue = self._queue, []
        batch: list[bytes] = []
        size = 0
        for packet in queue:
            batch.append(packet)
            size += len(packet)
            if size >= BATCH_BYTES:
                self._hand_over(batch)
                batch, size = [], 0
            self._bytes_out += len(packet)
        if batch:
            self._hand_over(batch)
        self._packets_out += len(queue)

    def _hand_over(self, batch: list[bytes]) -> None:
        """Passes a batch to the link. If the link has no room, the session ends: the other end acknowledges nothing."""
        try:
            self._link.send(self._writer.pack(batch))
        except LocalProtocolError as error:
            self.end(f"the other side acknowledges too little of the data: {error}")
            self._link.close(f"{self.closed}", self._now)

    def compress_with(self, settings: NetworkSettings) -> None:
        """Sets compression from the next batch on, in both directions. Waiting packets leave before."""
        self.flush()
        self._reader.compress_with(settings)
        self._writer.compress_with(settings)

    def encrypt_with(self, key: bytes) -> None:
        """Encrypts from the next batch on, in both directions, if the link wants it. Waiting packets leave before."""
        if not self._link.encrypts:
            return
        self.flush()
        self._reader.encrypt_with(key)
        self._writer.encrypt_with(key)

    def stats(self) -> PeerStats:
        link = asdict(self._link.stats())
        link["queued_bytes"] += sum(map(len, self._queue))
        link["held_bytes"] += self._packets.held_bytes + self._events.held_bytes
        return PeerStats(
            **link,
            packets_in=self._packets_in,
            packets_out=self._packets_out,
            packet_bytes_in=self._bytes_in,
            packet_bytes_out=self._bytes_out,
            decode_errors=self._decode_errors,
            unknown=dict(self._unknown),
        )
