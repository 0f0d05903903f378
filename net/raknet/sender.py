"""What goes out: payloads cut into frames, frames packed into datagrams, lost frames packed again.

Rules:
1. A datagram number is used once. A frame that was lost goes into another datagram with the indices it had.
2. Frames are encoded when they are handed in: a resend copies bytes.
3. A datagram is lost when the other end says so (NACK) or when it is not heard of within the time-out. Only then
   does it stop counting against the window.
4. Urgent frames (keep-alive) wait for neither window nor pacing, or a full window would look like a dead end.
"""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from net.errors import LocalProtocolError
from net.raknet.congestion import CongestionWindow, Pacer
from net.raknet.frames import (
    DATA_FLAGS,
    DATAGRAM_HEADER_BYTES,
    FRAGMENT_HEADER_BYTES,
    ORDER_CHANNELS,
    Fragment,
    Frame,
    Reliability,
    write_frame,
)
from net.raknet.limits import UDP_OVERHEAD_BYTES, Limits
from net.raknet.rtt import RoundTrip
from net.raknet.sequence import MASK, extend


class _Sent(NamedTuple):
    """A datagram on the way; ``frames`` are those that must be sent again if it is lost."""

    at: float
    size_bytes: int
    frames: tuple[bytes, ...]


_SURE_TWIN = {
    Reliability.UNRELIABLE: Reliability.RELIABLE,
    Reliability.UNRELIABLE_SEQUENCED: Reliability.RELIABLE_SEQUENCED,
}
"""What a payload becomes that has to be cut: a piece that is lost would waste the others."""


class Sender:
    """One direction of a session."""

    def __init__(self, limits: Limits, mtu_bytes: int, now: float) -> None:
        self._datagram_bytes = mtu_bytes - UDP_OVERHEAD_BYTES
        self._frame_bytes = self._datagram_bytes - DATAGRAM_HEADER_BYTES
        self._outbox_limit = limits.outbox_bytes
        self._urgent: deque[bytes] = deque()
        self._lost: deque[bytes] = deque()
        self._queue: deque[tuple[bytes, bool]] = deque()
        self._in_flight: dict[int, _Sent] = {}  # ascending, so the oldest comes first
        self._next_number = 0
        self._next_reliable = 0
        self._next_fragment_id = 0
        self._next_order = [0] * ORDER_CHANNELS
        self._next_sequence = [0] * ORDER_CHANNELS
        self._pacer = Pacer(self._datagram_bytes, now)
        self.round_trip = RoundTrip()
        self.window = CongestionWindow(limits.first_window_bytes, limits.largest_window_bytes, self._datagram_bytes)
        self.in_flight_bytes = 0
        self.waiting_bytes = 0
        self.resends = 0

    # ---------------------------------------------------------------- in

    def put(self, payload: bytes, reliability: Reliability, channel: int) -> None:
        """Queues one payload.

        Raises:
            LocalProtocolError: it is empty, the channel does not exist, or too much is waiting already.
        """
        if not payload or not 0 <= channel < ORDER_CHANNELS:
            raise LocalProtocolError(f"a payload of {len(payload)} bytes on channel {channel} has no wire form")
        if self.queued_bytes + len(payload) > self._outbox_limit:
            raise LocalProtocolError(f"{self.queued_bytes} bytes wait to be sent, over {self._outbox_limit} is no use")
        whole = len(payload) + reliability.header_bytes <= self._frame_bytes
        if not whole:
            reliability = _SURE_TWIN.get(reliability, reliability)
        order, sequence = self._indices(reliability, channel)
        if whole:
            self._append(Frame(payload, reliability, 0, sequence, order, channel))
            return
        room = self._frame_bytes - reliability.header_bytes - FRAGMENT_HEADER_BYTES
        count = -(-len(payload) // room)
        for index in range(count):
            piece = payload[index * room : (index + 1) * room]
            fragment = Fragment(count, self._next_fragment_id, index)
            self._append(Frame(piece, reliability, 0, sequence, order, channel, fragment))
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

    def _append(self, frame: Frame) -> None:
        if frame.reliability.reliable:
            frame = frame._replace(reliable_index=self._next_reliable)
            self._next_reliable += 1
        encoded = write_frame(frame)
        self._queue.append((encoded, frame.reliability.reliable))
        self.waiting_bytes += len(encoded)

    # ---------------------------------------------------------------- answers

    def acknowledged(self, ranges: Iterable[tuple[int, int]], now: float) -> None:
        """The other end has these datagrams (short numbers)."""
        newest: _Sent | None = None
        before = self.in_flight_bytes
        for number in self._numbers(ranges):
            sent = self._in_flight.pop(number, None)
            if sent is None:
                continue
            self.in_flight_bytes -= sent.size_bytes
            if newest is None or sent.at > newest.at:
                newest = sent
        if newest is not None:
            self.round_trip.sample(now - newest.at)
            self.window.acknowledged(before - self.in_flight_bytes, before)

    def missing(self, ranges: Iterable[tuple[int, int]]) -> None:
        """The other end sees gaps at these datagrams (short numbers)."""
        for number in self._numbers(ranges):
            if self._give_up(number):
                self.window.lost(number, self._next_number)

    def _numbers(self, ranges: Iterable[tuple[int, int]]) -> Iterable[int]:
        """Whole numbers of the ranges that may be on the way; a range claiming all costs no more than these."""
        for first, last in ranges:
            oldest = next(iter(self._in_flight), None)
            if oldest is None:
                return
            low = extend(first, self._next_number)
            high = low + ((last - first) & MASK)
            yield from range(max(low, oldest), min(high, self._next_number - 1) + 1)

    def _give_up(self, number: int) -> bool:
        sent = self._in_flight.pop(number, None)
        if sent is None:
            return False
        self.in_flight_bytes -= sent.size_bytes
        for frame in sent.frames:
            self.waiting_bytes += len(frame)
            self._lost.append(frame)
        self.resends += len(sent.frames)
        return True

    # ---------------------------------------------------------------- out

    def datagrams(self, now: float) -> list[bytes]:
        """All that may go now."""
        self._expire(now)
        self._pacer.refill(self.window, self.round_trip.smoothed_s, now)
        out = []
        while self._urgent:
            out.append(self._pack(now))
        while self._has_waiting() and self.in_flight_bytes < self.window.window_bytes and self._pacer.open:
            datagram = self._pack(now)
            self._pacer.spend(len(datagram))
            out.append(datagram)
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` has something to do again, unless the other end is heard first."""
        timers = []
        if self._urgent:
            timers.append(0.0)
        if self._has_waiting() and self.in_flight_bytes < self.window.window_bytes:
            timers.append(self._pacer.opens_at())
        oldest = next(iter(self._in_flight.values()), None)
        if oldest is not None:
            timers.append(oldest.at + self.round_trip.timeout_s)
        return min(timers, default=None)

    @property
    def queued_bytes(self) -> int:
        """Everything handed in and not acknowledged, with headers."""
        return self.waiting_bytes + self.in_flight_bytes

    @property
    def idle(self) -> bool:
        """Whether everything handed in has been acknowledged."""
        return not (self._urgent or self._has_waiting() or self._in_flight)

    def _has_waiting(self) -> bool:
        return bool(self._lost or self._queue)

    def _expire(self, now: float) -> None:
        patience_s = self.round_trip.timeout_s
        expired = False
        while (oldest := next(iter(self._in_flight.items()), None)) and oldest[1].at + patience_s <= now:
            number = oldest[0]
            self._give_up(number)
            self.window.timed_out(number, self._next_number)
            expired = True
        if expired:
            self.round_trip.timed_out()

    def _pack(self, now: float) -> bytes:
        """One datagram of what waits: urgent frames, then lost ones, then new ones."""
        frames: list[bytes] = []
        keep: list[bytes] = []
        room = self._frame_bytes
        while self._urgent and len(self._urgent[0]) <= room:
            room -= len(self._urgent[0])
            frames.append(self._urgent.popleft())
        while self._lost and len(self._lost[0]) <= room:
            room -= len(self._lost[0])
            keep.append(self._lost.popleft())
        frames += keep
        waiting_bytes = sum(map(len, keep))
        while not self._lost and self._queue and len(self._queue[0][0]) <= room:
            frame, reliable = self._queue.popleft()
            room -= len(frame)
            waiting_bytes += len(frame)
            frames.append(frame)
            if reliable:
                keep.append(frame)
        self.waiting_bytes -= waiting_bytes
        number = self._next_number
        self._next_number += 1
        datagram = b"".join((bytes((DATA_FLAGS,)), (number & MASK).to_bytes(3, "little"), *frames))
        self._in_flight[number] = _Sent(now, len(datagram), tuple(keep))
        self.in_flight_bytes += len(datagram)
        return datagram
