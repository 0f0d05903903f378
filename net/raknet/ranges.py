"""A set of integers held as inclusive ranges: what is to be acknowledged, and what is missing.

Costs O(ranges), never O(members): a datagram that claims to be number 100,000 makes one range.
"""

from bisect import bisect_right


class RangeSet:
    """Disjoint, ascending ranges that do not touch."""

    __slots__ = ("_firsts", "_lasts")

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def __bool__(self) -> bool:
        """Whether it has members."""
        return bool(self._firsts)

    def __len__(self) -> int:
        """How many ranges, not members."""
        return len(self._firsts)

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._firsts, number) - 1
        return at >= 0 and number <= self._lasts[at]

    def add(self, number: int) -> None:
        """Puts one number in; one that is there stays."""
        firsts, lasts = self._firsts, self._lasts
        if lasts and lasts[-1] + 1 == number:  # what arrives in order, nearly always
            lasts[-1] = number
            return
        at = bisect_right(firsts, number)  # ranges before ``at`` begin at or below the number
        if at and number <= lasts[at - 1]:
            return
        joins_left = at > 0 and lasts[at - 1] + 1 == number
        joins_right = at < len(firsts) and firsts[at] == number + 1
        if joins_left and joins_right:
            lasts[at - 1] = lasts[at]
            del firsts[at], lasts[at]
        elif joins_left:
            lasts[at - 1] = number
        elif joins_right:
            firsts[at] = number
        else:
            firsts.insert(at, number)
            lasts.insert(at, number)

    def append_range(self, first: int, last: int) -> None:
        """Puts ``first..last`` behind everything; an empty range is nothing."""
        if first > last:
            return
        if self._lasts and self._lasts[-1] + 1 == first:
            self._lasts[-1] = last
        else:
            self._firsts.append(first)
            self._lasts.append(last)

    def discard(self, number: int) -> bool:
        """Takes one number out; says whether it was there."""
        firsts, lasts = self._firsts, self._lasts
        at = bisect_right(firsts, number) - 1
        if at < 0 or number > lasts[at]:
            return False
        first, last = firsts[at], lasts[at]
        if first == last:
            del firsts[at], lasts[at]
        elif number == first:
            firsts[at] = number + 1
        elif number == last:
            lasts[at] = number - 1
        else:
            lasts[at] = number - 1
            firsts.insert(at + 1, number + 1)
            lasts.insert(at + 1, last)
        return True

    def within(self, first: int, last: int) -> list[tuple[int, int]]:
        """The members from ``first`` to ``last``, as ranges."""
        found = []
        for at in range(max(0, bisect_right(self._firsts, first) - 1), bisect_right(self._firsts, last)):
            low, high = max(first, self._firsts[at]), min(last, self._lasts[at])
            if low <= high:
                found.append((low, high))
        return found

    def keep_newest(self, ranges: int) -> None:
        """Forgets the lowest ranges beyond so many."""
        excess = len(self._firsts) - ranges
        if excess > 0:
            del self._firsts[:excess], self._lasts[:excess]

    def lowest(self) -> int | None:
        """The smallest member."""
        return self._firsts[0] if self._firsts else None

    def drain(self) -> list[tuple[int, int]]:
        """Gives all ranges away and is empty."""
        ranges = list(zip(self._firsts, self._lasts, strict=True))
        self._firsts.clear()
        self._lasts.clear()
        return ranges


def union(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of what is in either, ascending; ranges that touch become one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(a + b):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined
