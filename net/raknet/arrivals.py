"""What has arrived: datagrams once and acknowledged, reliable frames once.

Datagram numbers are never used twice by a sender, so a gap is reported once (NACK) and then only remembered, to tell
a late datagram from a repeated one. Reliable indices stay with their frame through every resend, so a hole there
must be remembered until it is filled.
"""

from net.errors import LimitExceeded
from net.raknet.limits import Limits
from net.raknet.ranges import RangeSet
from net.raknet.sequence import extend


class Arrivals:
    """Datagram numbers: which are new, which to acknowledge, which to ask for again."""

    __slots__ = ("_ack_due", "_ack_numbers", "_acks", "_holes", "_limits", "_nacks", "_next", "repeated")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._next = 0
        self._holes = RangeSet()
        self._nacks = RangeSet()
        self._acks = RangeSet()
        self._ack_numbers = 0
        self._ack_due: float | None = None
        self.repeated = 0

    def accept(self, short: int, now: float) -> bool:
        """Takes note of one datagram; False when its frames must not be looked at."""
        number = extend(short, self._next)
        if number - self._next > self._limits.datagram_jump:
            return False
        if self._ack_due is None:
            self._ack_due = now + self._limits.ack_delay_s
        if number >= self._next:
            self._nacks.append_range(self._next, number - 1)
            self._holes.append_range(self._next, number - 1)
            self._holes.keep_newest(self._limits.hole_ranges)
            self._next = number + 1
        elif self._holes.discard(number):
            self._nacks.discard(number)
        else:
            self.repeated += 1
            if number >= 0:
                self._acks.add(number)  # our first acknowledgement may be what got lost
            return False
        self._acks.add(number)
        self._ack_numbers += 1
        return True

    def due(self) -> float | None:
        """When acknowledgements have to go; 0.0 for at once, None for nothing to say."""
        return 0.0 if self._ack_numbers >= self._limits.ack_count else self._ack_due

    def drain(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Gives away the ranges to acknowledge and those to ask for again."""
        self._ack_due = None
        self._ack_numbers = 0
        return self._acks.drain(), self._nacks.drain()


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
        self._holes.append_range(self._next, number - 1)
        self._next = number + 1
        return True
