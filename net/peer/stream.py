"""Packets over one RakNet connection: what both ends of a Bedrock session have in common.

    datagrams -> link (RakNet) -> batches (decrypt, inflate, cut) -> codec -> events
    messages -> codec -> queue -> batches (deflate, encrypt) -> link -> datagrams

Rules:
1. What is sent between two calls of ``flush`` leaves in one batch, or several when it is large: the other end can
   decode the first while the rest is under way.
2. A key counts for whole batches from the next one on, in each direction.
3. After ``ended`` nothing is queued and nothing more is read.
"""

from collections import Counter, deque
from typing import Final, Protocol

from net.bedrock import Message, NetworkSettings, Unknown
from net.bedrock.batch import BatchReader, BatchWriter
from net.bedrock.codec import Codec
from net.errors import ConnectionClosed, DecodeError, LimitExceeded
from net.peer.events import Closed, Event, Faulty, Received
from net.peer.stats import PeerStats
from net.raknet import Address, LinkStats

BATCH_BYTES: Final = 256 << 10
"""A batch is closed when its packets reach so many bytes before compression."""


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
    """What a RakNet connection is to this module."""

    @property
    def connected(self) -> bool:
        """Whether payloads may be sent."""

    @property
    def closed(self) -> str | None:
        """Why it is over."""

    def next_payload(self) -> bytes | None:
        """The next payload, in order."""

    def send(self, payload: bytes) -> None:
        """Queues one payload."""

    def stats(self) -> LinkStats:
        """A snapshot of the counters."""


class PacketStream:
    """One session's packets in both directions. ``level`` is the deflate level of what it sends."""

    def __init__(self, link: Link, codec: Codec, level: int) -> None:
        self.ended: str | None = None
        self._link = link
        self._codec = codec
        self._reader = BatchReader(protocol=codec.protocol)
        self._writer = BatchWriter(level, codec.protocol)
        self._events: deque[Event] = deque()
        self._packets: deque[bytes] = deque()  # of the batch that is being read
        self._queue: list[bytes] = []
        self._packets_in = self._packets_out = self._bytes_in = self._bytes_out = self._decode_errors = 0
        self._unknown: Counter[int] = Counter()

    # ---------------------------------------------------------------- in

    def next_message(self, now: float) -> Message | None:
        """Reads on to the next packet that decodes; its event and those of faulty ones before it are queued."""
        while self.ended is None:
            while self._packets:
                message = self._decode(self._packets.popleft(), now)
                if message is not None:
                    return message
            payload = self._link.next_payload()
            if payload is None:
                return None
            self._unpack(payload)
        return None

    def _unpack(self, payload: bytes) -> None:
        try:
            self._packets.extend(self._reader.unpack(payload))
        except DecodeError as error:
            self._fault(error)
        except LimitExceeded as error:  # found after decryption: the key stream goes on, only this batch is lost
            self._fault(DecodeError("batch", "body", 1, str(error)))
        except ConnectionClosed as error:
            self.end(error.reason)

    def _decode(self, packet: bytes, now: float) -> Message | None:
        self._bytes_in += len(packet)
        try:
            message = self._codec.decode(packet)
        except DecodeError as error:
            self._fault(error, packet)
            return None
        if isinstance(message, Unknown):
            self._unknown[message.packet_id] += 1
        self._events.append(Received(message, now, self._packets_in, len(packet), packet))
        self._packets_in += 1
        return message

    def _fault(self, error: DecodeError, packet: bytes = b"") -> None:
        self._decode_errors += 1
        self._events.append(Faulty(error, self._packets_in, packet))
        self._packets_in += 1

    def push(self, event: Event) -> None:
        """Queues an event of the owner's."""
        self._events.append(event)

    def next_event(self) -> Event | None:
        """The oldest event nobody has taken."""
        return self._events.popleft() if self._events else None

    def end(self, reason: str) -> None:
        """The session is over; queues the last event. Only the first reason counts."""
        if self.ended is None:
            self.ended = reason
            self._packets.clear()
            self._queue.clear()
            self._events.append(Closed(reason))

    # ---------------------------------------------------------------- out

    def send(self, packet: bytes) -> None:
        """Queues one encoded packet."""
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
                self._link.send(self._writer.pack(batch))
                batch, size = [], 0
            self._bytes_out += len(packet)
        if batch:
            self._link.send(self._writer.pack(batch))
        self._packets_out += len(queue)

    def compress_with(self, settings: NetworkSettings) -> None:
        """From the next batch on, in both directions. What waits goes before, as it was."""
        self.flush()
        self._reader.compress_with(settings)
        self._writer.compress_with(settings)

    def encrypt_with(self, key: bytes) -> None:
        """From the next batch on, in both directions. What waits goes before, in the clear."""
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
        )
