"""Datagrams by number: those on the way, and those given up that may still turn out to have arrived.

An acknowledgement names ranges and may claim the whole number space, over and over. Taking a range out costs
O(log datagrams + members found), whatever lies between its ends, because the numbers are kept sorted.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import Final, NamedTuple

make: Final = tuple.__new__
"""Makes a named tuple of a tuple in half the time its own constructor takes."""


class Piece(NamedTuple):
    """A frame that waits or is on the way; its payload is not copied before it leaves.

    Attributes:
        head: encoded.
        body: the payload's part of it.
        size_bytes: of both.
        reliable_index: -1 for one that is not sent again.
    """

    head: bytes
    body: bytes | memoryview
    size_bytes: int
    reliable_index: int


class Sent(NamedTuple):
    """A datagram on the way; ``pieces`` are those that must be sent again if it is lost."""

    at: float
    size_bytes: int
    pieces: Sequence[Piece]


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
