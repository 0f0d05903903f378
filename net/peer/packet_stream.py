"""Packets over one link: what both ends of a Bedrock session have in common.

    datagrams -> link (RakNet, NetherNet) -> batches (decrypt, inflate, cut) -> codec -> events
    messages -> codec -> queue -> batches (deflate, encrypt) -> link -> datagrams

Rules:
1. What is sent between two calls of ``flush`` leaves in one batch, or several when it is large: the other end can
   decode the first while the rest is under way.
2. A key counts for whole batches from the next one on, in each direction.
3. After ``ended`` nothing is queued and nothing more is read.
4. Packets are decoded when their events are asked for, and ahead of that only while events wait that cost less than
   ``AHEAD_BYTES``; the rest waits as it came: payloads in the link, one batch inflated. So a batch of many small
   packets or lists costs its own size, not that of the objects it would make.
5. The end of the link is this one's when everything that had come before it has been taken.

Events are what a peer tells its owner, in the order in which it happened: ``number`` counts the packets of one session
from 0, faulty and unknown ones included, so that a recording and a report can name one of them. ``held_bytes`` is what
an event costs while it waits to be taken; whoever keeps events bounds their sum.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Final, Protocol

import msgspec

from net.bedrock import Message, NetworkSettings, Unknown
from net.bedrock.batch import BatchReader, BatchWriter, Packets
from net.bedrock.codec import Codec
from net.blobs import BlobStats
from net.errors import ConnectionClosed, DecodeError, LimitExceeded, LocalProtocolError
from net.raknet import Address, LinkStats
from net.raknet.congestion import GRACE_S
from net.wire.cursor import INFLATED_BATCH_BYTES, Reader

EVENT_BYTES: Final = 256
"""What an event costs beside its packet."""


class Received(msgspec.Struct, frozen=True):
    """One packet, decoded."""

    message: Message  # what it says
    at: float  # when its last datagram arrived, monotonic seconds
    number: int  # its place in the session
    size_bytes: int  # its decompressed size
    packet: bytes = b""  # its bytes, for a recording; not part of what it says
    objects_bytes: int = 0  # counted for what its lists hold, see ``net.wire.cursor``

    @property
    def held_bytes(self) -> int:
        """The packet once as it came and once as the message's fields."""
        return EVENT_BYTES + 2 * self.size_bytes + self.objects_bytes


class Sent(msgspec.Struct, frozen=True):
    """A packet the peer sent by itself: a step of the login. What the owner sends, the owner knows."""

    packet: bytes  # its bytes; a Login holds keys and tokens
    at: float  # monotonic seconds

    def __repr__(self) -> str:
        return f"Sent(at={self.at})"  # keys and tokens stand in no log

    @property
    def held_bytes(self) -> int:
        return EVENT_BYTES + len(self.packet)


class Joined(msgspec.Struct, frozen=True):
    """The login is over: both sides may talk about the game. Comes right after the message that ended it."""

    at: float

    @property
    def held_bytes(self) -> int:
        return EVENT_BYTES


class Faulty(msgspec.Struct, frozen=True):
    """One packet that does not decode; it is skipped and the session goes on."""

    error: DecodeError  # names packet, field and offset
    number: int  # its place in the session
    packet: bytes = b""  # its bytes; empty where not even packets could be told apart

    @property
    def held_bytes(self) -> int:
        return EVENT_BYTES + len(self.packet)


class Closed(msgspec.Struct, frozen=True):
    """The session is over; nothing follows."""

    reason: str  # one sentence a user can act on

    @property
    def held_bytes(self) -> int:
        return EVENT_BYTES


Event = Received | Sent | Joined | Faulty | Closed


class EventQueue:
    """Events in order, and what they cost."""

    __slots__ = ("_events", "held_bytes")

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self.held_bytes = 0  # of those that wait

    def push(self, event: Event) -> None:
        """Puts the newest in."""
        self._events.append(event)
        self.held_bytes += event.held_bytes

    def pop(self) -> Event | None:
        """Takes the oldest out; None if there is none."""
        if not self._events:
            return None
        event = self._events.popleft()
        self.held_bytes -= event.held_bytes
        return event


class PeerStats(msgspec.Struct, frozen=True):
    """A frozen snapshot of one session; read alike by panels, tests and benchmarks."""

    datagrams_in: int = 0  # UDP payloads received, all kinds
    datagrams_out: int = 0  # UDP payloads handed out for sending
    bytes_in: int = 0  # their bytes
    bytes_out: int = 0  # their bytes
    datagrams_malformed: int = 0  # received ones that were no RakNet and were ignored
    datagrams_repeated: int = 0  # received ones that had been received before
    resends: int = 0  # frames put into another datagram because the first was lost
    packets_in: int = 0  # packets in received batches, faulty and unknown ones included
    packets_out: int = 0  # packets sent
    packet_bytes_in: int = 0  # their decompressed bytes
    packet_bytes_out: int = 0  # their bytes before compression
    decode_errors: int = 0  # packets that did not decode
    # how many packets of each id were skipped because this protocol's table does not name it
    unknown: Mapping[int, int] = {}
    rtt_s: float | None = None  # smoothed round trip in seconds, None before the first answer
    mtu_bytes: int = 0  # size of an IP packet both sides agreed on, 0 before that
    queued_bytes: int = 0  # bytes handed in for sending and not yet acknowledged
    held_bytes: int = 0  # received and not taken yet: by RakNet, of the batch being read, and of events
    unheard_since: float | None = None  # when the oldest that is not acknowledged left for the first time; None: all is
    blobs: BlobStats | None = None  # of the client's blob cache; None at a server, and where there is none

    def under_way(self, now: float) -> bool:
        """Whether something is known not to have come through: to us, whole, or to the other end in a round trip."""
        in_time_s = (self.rtt_s or 0.0) + GRACE_S
        return self.held_bytes > 0 or (self.unheard_since is not None and now - self.unheard_since > in_time_s)


BATCH_BYTES: Final = 256 << 10
"""A batch is closed when its packets reach so many bytes before compression."""
AHEAD_BYTES: Final = 1 << 20
"""Events that nobody has taken may cost so much, and one more event, before decoding waits for somebody who does."""

LOOPBACK_LEVEL: Final = 1
"""Of deflate where bytes cost nothing: a radius-8 join takes 50 ms of CPU for 1.4 MB."""
NETWORK_LEVEL: Final = 6
"""Of deflate elsewhere: 195 ms for 1.1 MB."""


def level_towards(address: Address, chosen: int | None) -> int:
    """The deflate level for what is sent to an address, unless one was chosen."""
    if chosen is not None:
        return chosen
    return LOOPBACK_LEVEL if address[0].startswith("127.") or address[0] == "::1" else NETWORK_LEVEL


class Link(Protocol):
    """What a connection of RakNet or NetherNet is to this module."""

    @property
    def batch_header(self) -> bytes:
        """What stands in front of each batch."""

    @property
    def encrypts(self) -> bool:
        """Whether packets are encrypted with the key of the login; else the link itself does it."""

    @property
    def connected(self) -> bool:
        """Whether payloads may be sent."""

    @property
    def closed(self) -> str | None:
        """Why it is over."""

    def next_payload(self) -> bytes | None:
        """The next payload, in order; also what came before the end."""

    @property
    def payload_at(self) -> float:
        """When the last datagram of the payload taken last had come."""

    def close(self, reason: str, now: float) -> None:
        """Ends it from our side; does nothing to one that has ended."""

    def send(self, payload: bytes) -> None:
        """Queues one payload."""

    def stats(self) -> LinkStats:
        """A snapshot of the counters."""


class PacketStream:
    """One session's packets in both directions.

    ``link``: the connection; this module takes its payloads and ends it when the session ends. ``codec``: the packets
    of one protocol. ``level``: of deflate, for what is sent. ``handle``: called with each message when it is decoded,
    after its event was queued, and the time. ``inflated_bytes``: the most a received batch may inflate to. ``first``:
    called with the first payload before anything is read of it; may ``speak`` for another codec. ``needed``: names of
    packets without which nothing can follow: one that does not decode ends the session.
    """

    def __init__(
        self,
        link: Link,
        codec: Codec,
        level: int,
        handle: Callable[[Message, float], None],
        inflated_bytes: int = INFLATED_BATCH_BYTES,
        needed: frozenset[str] = frozenset(),
        first: Callable[[bytes], None] | None = None,
    ) -> None:
        self.ended: str | None = None  # None, or why it is over
        self._link = link
        self._level = level
        self._inflated_bytes = inflated_bytes
        self._first = first
        self._handle = handle
        self._needed = needed
        self._now = 0.0
        self._dry = True  # nothing is left to read until ``advance`` is called
        self.speak(codec)
        self._events = EventQueue()
        self._packets = Packets()  # of the batch that is being read
        self._queue: list[bytes] = []
        self._packets_in = self._packets_out = self._bytes_in = self._bytes_out = self._decode_errors = 0
        self._unknown: Counter[int] = Counter()

    def speak(self, codec: Codec) -> None:
        """Batches and packets are of that protocol. Called before any was read or sent."""
        self._codec = codec
        self._reader = BatchReader(self._inflated_bytes, protocol=codec.protocol, mark=self._link.batch_header)
        self._writer = BatchWriter(self._level, codec.protocol, self._link.batch_header)

    # ---------------------------------------------------------------- in

    def advance(self, now: float) -> None:
        """Reads on as far as rule 4 allows. Called when something may have come."""
        self._now = now
        self._dry = False
        self._read_ahead()

    def _read_ahead(self) -> None:
        while self._events.held_bytes < AHEAD_BYTES and self._read_on():
            pass
        if self.ended is not None:
            self._link.close(self.ended, self._now)

    def _read_on(self) -> bool:
        """Decodes a packet or opens a batch; False when there is none."""
        if self.ended is not None:
            return False
        packet = next(self._packets, None)
        if packet is not None:
            self._decode(packet)
            return True
        payload = self._link.next_payload()
        if payload is not None:
            if self._first is not None:
                self._first(payload)
                self._first = None
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
            message = self._codec.read(reader)
        except DecodeError as error:
            self._fault(error, packet)
            if error.packet in self._needed:
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
        """Queues an event of the owner's."""
        self._events.push(event)

    def next_event(self) -> Event | None:
        """The oldest event nobody has taken; reads on where it has to."""
        event = self._events.pop()
        if event is None and not self._dry:
            self._read_ahead()
            event = self._events.pop()
        return event

    def end(self, reason: str) -> None:
        """The session is over; queues the last event. Only the first reason counts."""
        if self.ended is None:
            self.ended = reason
            self._packets = Packets()
            self._queue.clear()
            self._events.push(Closed(reason))

    # ---------------------------------------------------------------- out

    def send(self, packet: bytes) -> None:
        if self.ended is None:
            self._queue.append(packet)

    def flush(self) -> None:
        """Hands what waits to the link."""
        if not self._queue or self.ended is not None or not self._link.connected:
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
        """Gives the link a batch; one for which it has no room ends the session: the other end acknowledges nothing."""
        try:
            self._link.send(self._writer.pack(batch))
        except LocalProtocolError as error:
            self.end(f"the other side acknowledges too little of the data: {error}")
            self._link.close(f"{self.ended}", self._now)

    def compress_with(self, settings: NetworkSettings) -> None:
        """From the next batch on, in both directions. What waits goes before, as it was."""
        self.flush()
        self._reader.compress_with(settings)
        self._writer.compress_with(settings)

    def encrypt_with(self, key: bytes) -> None:
        """From the next batch on, in both directions, where the link wants it. What waits goes before, in the clear."""
        if not self._link.encrypts:
            return
        self.flush()
        self._reader.encrypt_with(key)
        self._writer.encrypt_with(key)

    def stats(self) -> PeerStats:
        """A snapshot of the counters, the link's included."""
        link = self._link.stats()
        return PeerStats(
            datagrams_in=link.datagrams_in,
            datagrams_out=link.datagrams_out,
            bytes_in=link.bytes_in,
            bytes_out=link.bytes_out,
            datagrams_malformed=link.malformed,
            datagrams_repeated=link.repeated,
            resends=link.resends,
            packets_in=self._packets_in,
            packets_out=self._packets_out,
            packet_bytes_in=self._bytes_in,
            packet_bytes_out=self._bytes_out,
            decode_errors=self._decode_errors,
            unknown=dict(self._unknown),
            rtt_s=link.rtt_s,
            mtu_bytes=link.mtu_bytes,
            queued_bytes=link.queued_bytes + sum(map(len, self._queue)),
            unheard_since=link.unheard_since,
            held_bytes=link.held_bytes + self._packets.held_bytes + self._events.held_bytes,
        )
