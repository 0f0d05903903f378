"""Datagrams by number: those on the way, and those given up that may still turn out to have arrived.

An acknowledgement names ranges and may claim the whole number space, over and over. Taking a range out costs
O(log datagrams + members found), whatever lies between its ends, because the numbers are kept sorted.

What may have to be sent again is kept as the datagram it left in: nothing is made for a frame unless it is lost.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import Final, NamedTuple

make: Final = tuple.__new__
"""Makes a named tuple of a tuple in half the time its own constructor takes."""


class Sent(NamedTuple):
    """A datagram on the way.

    Attributes:
        at: when it left.
        datagram: its bytes.
        marks: of each frame that must be sent again if it is lost: reliable index, and where it begins and ends.
    """

    at: float
    datagram: bytes
    marks: Sequence[tuple[int, int, int]]

    def frames(self) -> list[tuple[int, bytes]]:
        """Reliable index and bytes of each frame that must be sent again."""
        return [(index, self.datagram[start:stop]) for index, start, stop in self.marks]


class Flight:
    """Datagrams by whole number."""

    __slots__ = ("_numbers", "_sent")

    def __init__(self) -> None:
        self._numbers: list[int] = []  # ascending
        self._sent: dict[int, Sent] = {}

    def __len__(self) -> int:
        """How many datagrams."""
        return len(self._numbers)

    def append(self, number: int, sent: Sent) -> None:
        """Puts the newest in."""
        self._numbers.append(number)
        self._sent[number] = sent

    def insert(self, number: int, sent: Sent) -> None:
        """Puts any in."""
        insort(self._numbers, number)
        self._sent[number] = sent

    def oldest(self) -> tuple[int, Sent] | None:
        """The one with the lowest number."""
        return (self._numbers[0], self._sent[self._numbers[0]]) if self._numbers else None

    def take(self, first: int, last: int) -> list[tuple[int, Sent]]:
        """Takes out what lies in an inclusive range, in order."""
        low = bisect_left(self._numbers, first)
        high = bisect_right(self._numbers, last, low)
        if low == high:
            return []
        found = self._numbers[low:high]
        del self._numbers[low:high]
        return list(zip(found, map(self._sent.pop, found), strict=True))

    def take_oldest(self) -> tuple[int, Sent]:
        """Takes out the one with the lowest number."""
        number = self._numbers.pop(0)
        return number, self._sent.pop(number)
