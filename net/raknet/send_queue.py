"""Sent data: payloads cut into frames, frames packed into datagrams, lost frames packed again.

Rules:
1. A datagram number is used once. A lost frame goes into another datagram with its old indices.
2. A payload waits whole (``Outgoing``) and is cut while it is sent. Until it is acknowledged, its datagrams are stored;
   frames are extracted from a datagram only if it is lost.
3. A datagram is considered lost when the other end reports a gap (NACK), when a later one is acknowledged and this one
   is older than any that was merely overtaken (RFC 8985), or when nothing is heard within the time-out. From then on it
   does not count against the window.
4. A datagram considered lost may still be acknowledged: its frames that wait to be resent are dropped, and the window
   is restored (see ``congestion``).
5. Urgent frames (keep-alive) ignore window and pacing, or a full window would look like a dead end.

``Outgoing``: one payload, cut into frames as they are sent, so that a waiting payload is one object. The head is
encoded once; for each piece only the reliable index, the piece's index and, for the last, the length differ. Reliable
indices are assigned when the payload is queued: pieces are sent in that order, with ascending indices.

``Flight``: datagrams by number: those in flight, and those considered lost that may still be acknowledged. An
acknowledgement contains ranges and may claim the whole number space, repeatedly. Removing a range costs O(log datagrams
+ members found), because the numbers are kept sorted.
"""

import itertools
from bisect import bisect_left, bisect_right, insort
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from net.errors import LocalProtocolError
from net.raknet.congestion import CongestionWindow, DatagramPacer, RoundTrip
from net.raknet.datagram import (
    DATA_FLAGS,
    DATAGRAM_HEADER_BYTES,
    FRAGMENT_HEADER_BYTES,
    MASK,
    ORDER_CHANNELS,
    Frame,
    Reliability,
    extend,
    write_frame,
    write_head,
)
from net.raknet.limits import UDP_OVERHEAD_BYTES, Limits

_LENGTH: Final = slice(1, 3)
_RELIABLE_INDEX: Final = slice(3, 6)
_PIECE_INDEX: Final = slice(-4, None)


class Outgoing:
    """A payload, and how much of it has been sent.

    ``payload``: not empty. ``kind``: its reliability; reliable if it is more than one piece. ``order``, ``sequence``,
    ``channel``: 0 if the kind has none. ``reliable_index``: of its first frame; -1 if it is not resent.
    ``payload_id``: of its fragments. ``frame_bytes``: the largest frame.
    """

    __slots__ = (
        "_at",
        "_head",
        "_head_bytes",
        "_payload",
        "_reliable_index",
        "_space",
        "all_bytes",
        "frame_bytes",
        "frames",
    )

    def __init__(
        self,
        payload: bytes,
        kind: Reliability,
        order: int,
        sequence: int,
        channel: int,
        reliable_index: int,
        payload_id: int,
        frame_bytes: int,
    ) -> None:
        self._payload = payload
        self._at = 0
        self._reliable_index = reliable_index
        self._head_bytes = kind.header_bytes
        self._space = len(payload)
        self.frames = 1  # frames left
        fragment = None
        if self._head_bytes + self._space > frame_bytes:
            self._head_bytes += FRAGMENT_HEADER_BYTES
            self._space = frame_bytes - self._head_bytes
            self.frames = -(-len(payload) // self._space)
            fragment = (self.frames, payload_id, 0)
        head = write_head(kind, self._space, max(reliable_index, 0), sequence, order, channel, fragment)
        self._head = bytearray(head)
        self.frame_bytes = self._head_bytes + self._space  # size of the next one
        self.all_bytes = len(payload) + self.frames * self._head_bytes  # of the frames left, with heads

    def take(self) -> tuple[bytearray, bytes, int]:
        """Takes the next frame: its head, valid until the next call, its body, and its reliable index."""
        at = self._at
        body = self._payload[at : at + self._space]
        index, head = self._reliable_index, self._head
        if at:
            head[_RELIABLE_INDEX] = (index & MASK).to_bytes(3, "little")
            head[_PIECE_INDEX] = (at // self._space).to_bytes(4, "big")
            if self.frames == 1:
                head[_LENGTH] = (len(body) * 8).to_bytes(2, "big")
        self._at = at + self._space
        self._reliable_index = index + 1
        self.all_bytes -= self.frame_bytes
        self.frames -= 1
        if self.frames == 1:
            self.frame_bytes = self.all_bytes
        return head, body, index


make: Final = tuple.__new__
"""Makes a named tuple from a tuple in half the time of its own constructor."""


class SentDatagram(NamedTuple):
    """A datagram in flight."""

    at: float  # time of sending
    datagram: bytes  # its bytes
    # of each frame to resend if it is lost: reliable index, start and end
    marks: Sequence[tuple[int, int, int]]

    def frames(self) -> list[tuple[int, bytes]]:
        """Reliable index and bytes of each frame to resend if the datagram is lost."""
        return [(index, self.datagram[start:stop]) for index, start, stop in self.marks]


class Flight:
    """Datagrams by whole number."""

    __slots__ = ("_numbers", "_sent")

    def __init__(self) -> None:
        self._numbers: list[int] = []  # ascending
        self._sent: dict[int, SentDatagram] = {}

    def __len__(self) -> int:
        """How many datagrams."""
        return len(self._numbers)

    def append(self, number: int, sent: SentDatagram) -> None:
        """Adds the newest datagram."""
        self._numbers.append(number)
        self._sent[number] = sent

    def insert(self, number: int, sent: SentDatagram) -> None:
        insort(self._numbers, number)
        self._sent[number] = sent

    def oldest(self) -> tuple[int, SentDatagram] | None:
        """The datagram with the lowest number."""
        return (self._numbers[0], self._sent[self._numbers[0]]) if self._numbers else None

    def take(self, first: int, last: int) -> list[tuple[int, SentDatagram]]:
        """Removes and returns the datagrams in an inclusive range, in order."""
        low = bisect_left(self._numbers, first)
        high = bisect_right(self._numbers, last, low)
        if low == high:
            return []
        found = self._numbers[low:high]
        del self._numbers[low:high]
        return list(zip(found, map(self._sent.pop, found), strict=True))

    def take_oldest(self) -> tuple[int, SentDatagram]:
        """Removes and returns the datagram with the lowest number."""
        number = self._numbers.pop(0)
        return number, self._sent.pop(number)


_SURE_TWIN: Final = {
    Reliability.UNRELIABLE: Reliability.RELIABLE,
    Reliability.UNRELIABLE_SEQUENCED: Reliability.RELIABLE_SEQUENCED,
}
"""Reliability of a payload that has to be cut: a lost piece would make the others useless."""
_DOUBTFUL_DATAGRAMS: Final = 1024
"""Datagrams considered lost that are stored; older ones are lost for good."""


class SendQueue:
    """The sending direction of a session."""

    def __init__(self, limits: Limits, mtu_bytes: int, now: float) -> None:
        self._datagram_bytes = mtu_bytes - UDP_OVERHEAD_BYTES
        self._frame_bytes = self._datagram_bytes - DATAGRAM_HEADER_BYTES
        self._outbox_limit = limits.outbox_bytes
        self._urgent: deque[bytes] = deque()
        self._lost: OrderedDict[int, bytes] = OrderedDict()  # frames by reliable index
        self._queue: deque[Outgoing] = deque()
        self._flight = Flight()
        self._doubtful = Flight()
        self._next_number = 0
        self._next_reliable = 0
        self._next_fragment_id = 0
        self._next_order = [0] * ORDER_CHANNELS
        self._next_sequence = [0] * ORDER_CHANNELS
        self._pacer = DatagramPacer(self._datagram_bytes, now)
        self.round_trip = RoundTrip()
        self.window = CongestionWindow(limits.first_window_bytes, limits.largest_window_bytes, self._datagram_bytes)
        self.in_flight_bytes = 0  # bytes in flight
        self.waiting_bytes = 0  # of frames, with heads, that wait to be sent or resent
        self.resends = 0  # frames of lost datagrams so far
        self.found = 0  # datagrams considered lost that had arrived
        self._unheard: dict[int, float] = {}  # lost frames, not acknowledged since: time of sending

    # ---------------------------------------------------------------- in

    def put(self, payload: bytes, reliability: Reliability, channel: int) -> None:
        """Queues one payload.

        Raises LocalProtocolError: it is empty, the channel does not exist, or too much is waiting already.
        """
        if not payload or not 0 <= channel < ORDER_CHANNELS:
            raise LocalProtocolError(f"a payload of {len(payload)} bytes on channel {channel} cannot be sent")
        if self.queued_bytes + len(payload) > self._outbox_limit:
            raise LocalProtocolError(f"{self.queued_bytes} bytes are queued, over the limit of {self._outbox_limit}")
        if len(payload) + reliability.header_bytes > self._frame_bytes:
            reliability = _SURE_TWIN.get(reliability, reliability)
        order, sequence = self._indices(reliability, channel)
        first = self._next_reliable if reliability >= Reliability.RELIABLE else -1
        ids = first, self._next_fragment_id, self._frame_bytes
        waiting = Outgoing(payload, reliability, order, sequence, channel, *ids)
        self._queue.append(waiting)
        self.waiting_bytes += waiting.all_bytes
        if first >= 0:
            self._next_reliable += waiting.frames
        if waiting.frames > 1:
            self._next_fragment_id = (self._next_fragment_id + 1) & 0xFFFF

    def put_urgent(self, payload: bytes) -> None:
        """Queues a small unreliable payload before everything else."""
        self._urgent.append(write_frame(Frame(payload, Reliability.UNRELIABLE)))

    def _indices(self, reliability: Reliability, channel: int) -> tuple[int, int]:
        if not reliability.ordered:
            return 0, 0
        order = self._next_order[channel]
        if not reliability.sequenced:
            self._next_order[channel] += 1
            self._next_sequence[channel] = 0
            return order, 0
        self._next_sequence[channel] += 1
        return order, self._next_sequence[channel] - 1

    # ---------------------------------------------------------------- answers

    def acknowledged(self, ranges: Iterable[tuple[int, int]], now: float) -> None:
        """Handles an acknowledgement of datagrams (24-bit numbers)."""
        newest, newest_at = -1, 0.0
        before = self.in_flight_bytes
        for first, last in ranges:
            low = extend(first, self._next_number)
            high = low + ((last - first) & MASK)
            for number, sent in self._flight.take(low, high):
                self.in_flight_bytes -= len(sent.datagram)
                if self._unheard:
                    self._receive(sent)
                if number > newest:
                    newest, newest_at = number, sent.at
            if self._doubtful:
                self._find(low, high)
        if newest >= 0:
            self.round_trip.sample(now - newest_at)
            self.window.acknowledged(before - self.in_flight_bytes, before)
            self.window.timed(self.round_trip)
            self._give_up_overtaken(newest, now)

    def _find(self, low: int, high: int) -> None:
        for number, sent in self._doubtful.take(low, high):
            self.found += 1
            self.window.found(number)
            self._receive(sent)
            for index, start, stop in sent.marks:
                if self._lost.pop(index, None) is not None:
                    self.waiting_bytes -= stop - start

    def _receive(self, sent: SentDatagram) -> None:
        for index, _, _ in sent.marks:
            self._unheard.pop(index, None)

    def _give_up_overtaken(self, newest: int, now: float) -> None:
        latest = now - self.round_trip.overtaken_s
        while (oldest := self._flight.oldest()) and oldest[0] < newest and oldest[1].at <= latest:
            self._give_up(*self._flight.take_oldest())
            self.window.lost(oldest[0], self._next_number)

    def missing(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Handles reported gaps at these datagrams (24-bit numbers)."""
        for first, last in ranges:
            low = extend(first, self._next_number)
            for number, sent in self._flight.take(low, low + ((last - first) & MASK)):
                self._give_up(number, sent)
                self.window.lost(number, self._next_number)

    def _give_up(self, number: int, sent: SentDatagram) -> None:
        self.in_flight_bytes -= len(sent.datagram)
        for index, frame in sent.frames():
            self.waiting_bytes += len(frame)
            self._lost[index] = frame
            self._unheard.setdefault(index, sent.at)
        self.resends += len(sent.marks)
        self._doubtful.insert(number, sent)
        if len(self._doubtful) > _DOUBTFUL_DATAGRAMS:
            self._doubtful.take_oldest()

    # ---------------------------------------------------------------- out

    def datagrams(self, now: float) -> list[bytes]:
        self._expire(now)
        pacer, window_bytes = self._pacer, self.window.window_bytes
        pacer.refill(self.window, self.round_trip.smoothed_s, now)
        out = []
        while self._urgent:
            out.append(self._pack(now))
        while (self._queue or self._lost) and self.in_flight_bytes < window_bytes and pacer.tokens > 0:
            datagram = self._pack(now)
            pacer.tokens -= len(datagram)
            out.append(datagram)
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again, unless a datagram arrives before."""
        timers = []
        if self._urgent:
            timers.append(0.0)
        if (self._queue or self._lost) and self.in_flight_bytes < self.window.window_bytes:
            timers.append(self._pacer.opens_at())
        oldest = self._flight.oldest()
        if oldest is not None:
            timers.append(oldest[1].at + self.round_trip.timeout_s)
        return min(timers, default=None)

    @property
    def queued_bytes(self) -> int:
        """Bytes queued and not acknowledged, with headers."""
        return self.waiting_bytes + self.in_flight_bytes

    @property
    def space_bytes(self) -> int:
        """How much more may wait for what comes later to be early: what is sent in the next two turns."""
        return int(2 * self._pacer.at_once_bytes) - self.waiting_bytes

    @property
    def unheard_since(self) -> float | None:
        """About when the oldest unacknowledged frame was first sent; everything later waits for it."""
        oldest = self._flight.oldest()
        times = [*([oldest[1].at] if oldest else []), *itertools.islice(self._unheard.values(), 1)]
        return min(times, default=None)

    @property
    def idle(self) -> bool:
        """Whether everything queued has been acknowledged."""
        return not (self._urgent or self._queue or self._lost or self._flight)

    def _expire(self, now: float) -> None:
        sent_by = now - self.round_trip.timeout_s
        expired = False
        while (oldest := self._flight.oldest()) and oldest[1].at <= sent_by:
            self._give_up(*self._flight.take_oldest())
            self.window.timed_out(oldest[0], self._next_number)
            expired = True
        if expired:
            self.round_trip.timed_out()

    def _pack(self, now: float) -> bytes:
        """One datagram of waiting frames: urgent ones, then lost ones, then new ones."""
        number = self._next_number
        self._next_number += 1
        parts: list[bytes | bytearray] = [(DATA_FLAGS | (number & MASK) << 8).to_bytes(4, "little")]
        at = DATAGRAM_HEADER_BYTES
        marks: list[tuple[int, int, int]] = []
        end, lost, queue = self._datagram_bytes, self._lost, self._queue
        while self._urgent and at + len(self._urgent[0]) <= end:
            parts.append(self._urgent.popleft())
            at += len(parts[-1])
        fresh_from = at
        while lost and at + len(next(iter(lost.values()))) <= end:
            index, frame = lost.popitem(last=False)
            parts.append(frame)
            marks.append((index, at, at + len(frame)))
            at += len(frame)
        while queue and not lost and at + (size_bytes := queue[0].frame_bytes) <= end:
            head, body, index = queue[0].take()
            parts += (head, body)
            if index >= 0:
                marks.append((index, at, at + size_bytes))
            at += size_bytes
            if not queue[0].frames:
                queue.popleft()
        self.waiting_bytes -= at - fresh_from
        datagram = b"".join(parts)
        self._flight.append(number, make(SentDatagram, (now, datagram, marks)))
        self.in_flight_bytes += at
        return datagram
