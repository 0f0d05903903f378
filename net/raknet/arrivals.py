"""What has arrived: datagrams once and acknowledged, reliable frames once.

Rules:
1. Datagram numbers are never used twice by a sender, so a gap is reported once (NACK) and then only remembered, to
   tell a late datagram from a repeated one. Reliable indices stay with their frame through every resend, so a hole
   there must be remembered until it is filled.
2. Each acknowledgement says again what the one before it said: either may be lost. What came in order makes one range
   of both, so on a good path that costs nothing.
3. A gap is reported after ``patience_s``. That is nothing until a datagram comes after its gap was reported: then the
   path reorders, and patience becomes a little more than that datagram was late, within ``largest_patience_s``. It
   shrinks by a hundredth with each report, so that a path that stops reordering is trusted again.
"""

from bisect import bisect_right
from typing import Final

from net.errors import LimitExceeded
from net.raknet.limits import Limits
from net.raknet.ranges import RangeSet, union
from net.raknet.sequence import MASK, extend

_GAPS: Final = 256
"""Gaps whose age is remembered."""
_PATIENCE_MARGIN: Final = 1.25
_PATIENCE_DECAY: Final = 0.99
_SMALLEST_PATIENCE_S: Final = 0.001


class Arrivals:
    """Datagram numbers: which are new, which to acknowledge, which to ask for again."""

    __slots__ = (
        "_ack_due",
        "_ack_numbers",
        "_acked",
        "_acks",
        "_gap_firsts",
        "_gap_times",
        "_gaps_told",
        "_holes",
        "_limits",
        "_next",
        "patience_s",
        "repeated",
    )

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._next = 0
        self._holes = RangeSet()
        self._acks = RangeSet()
        self._acked: list[tuple[int, int]] = []  # what was drained last
        self._ack_numbers = 0
        self._ack_due: float | None = None
        self._gap_firsts: list[int] = []  # ascending; a gap ends where the next number had come
        self._gap_times: list[float] = []
        self._gaps_told = 0
        self.patience_s = 0.0
        self.repeated = 0

    def accept(self, short: int, now: float) -> bool:
        """Takes note of one datagram; False when its frames must not be looked at."""
        number = self._next if short == self._next & MASK else extend(short, self._next)
        if number - self._next > self._limits.datagram_jump:
            return False
        if self._ack_due is None:
            self._ack_due = now + self._limits.ack_delay_s
        if number >= self._next:
            if number > self._next:
                self._open_gap(number, now)
            self._next = number + 1
        elif self._holes.discard(number):
            self._came_late(number, now)
        else:
            self.repeated += 1
            if number >= 0:
                self._acks.add(number)  # our first acknowledgement may be what got lost
            return False
        self._acks.add(number)
        self._ack_numbers += 1
        return True

    def _open_gap(self, number: int, now: float) -> None:
        self._holes.append_range(self._next, number - 1)
        self._holes.keep_newest(self._limits.hole_ranges)
        self._gap_firsts.append(self._next)
        self._gap_times.append(now)
        if len(self._gap_firsts) > _GAPS:
            del self._gap_firsts[0], self._gap_times[0]
            self._gaps_told = max(0, self._gaps_told - 1)

    def _came_late(self, number: int, now: float) -> None:
        gap = bisect_right(self._gap_firsts, number) - 1
        if 0 <= gap < self._gaps_told:
            late_s = (now - self._gap_times[gap]) * _PATIENCE_MARGIN
            self.patience_s = min(max(self.patience_s, late_s), self._limits.largest_patience_s)

    def due(self) -> float | None:
        """When acknowledgements have to go; 0.0 for at once, None for nothing to say."""
        if self._ack_numbers >= self._limits.ack_count:
            return 0.0
        if self._gaps_told == len(self._gap_firsts):
            return self._ack_due
        gap_due = self._gap_times[self._gaps_told] + self.patience_s
        return gap_due if self._ack_due is None else min(self._ack_due, gap_due)

    def drain(self, now: float) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Gives away the ranges to acknowledge and those to ask for again."""
        self._ack_due = None
        self._ack_numbers = 0
        fresh = self._acks.drain()
        acks = union(self._acked, fresh) if fresh else []
        self._acked = fresh or self._acked
        return acks, self._drain_gaps(now)

    def _drain_gaps(self, now: float) -> list[tuple[int, int]]:
        missing: list[tuple[int, int]] = []
        while self._gaps_told < len(self._gap_firsts):
            at = self._gaps_told
            if self._gap_times[at] + self.patience_s > now:
                break
            last = self._gap_firsts[at + 1] - 1 if at + 1 < len(self._gap_firsts) else self._next - 1
            missing += self._holes.within(self._gap_firsts[at], last)
            self._gaps_told += 1
        if missing:
            self.patience_s = self.patience_s * _PATIENCE_DECAY if self.patience_s > _SMALLEST_PATIENCE_S else 0.0
        return missing


class ReliableIndices:
    """Which reliable frames have come."""

    __slots__ = ("_holes", "_limit", "_next")

    def __init__(self, limits: Limits) -> None:
        self._limit = limits.reliable_ahead
        self._next = 0
        self._holes = RangeSet()

    def accept(self, short: int) -> bool:
        """Whether the frame is new.

        Raises:
            LimitExceeded: it lies too far beyond one that is missing.
        """
        number = extend(short, self._next)
        if number < self._next:
            return self._holes.discard(number)
        lowest = self._holes.lowest()
        ahead = number - (self._next if lowest is None else lowest)
        if ahead > self._limit:
            raise LimitExceeded("reliable frames ahead of a missing one", ahead, self._limit)
        if number > self._next:
            self._holes.append_range(self._next, number - 1)
        self._next = number + 1
        return True
