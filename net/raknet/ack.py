"""ACK and NACK datagrams (wire.md 5.2): which datagrams came and which did not, as ranges.

``c0`` / ``a0``, u16be records, each ``01`` + u24le for one number or ``00`` + u24le first + u24le last.

Ranges: A set of integers held as inclusive ranges: what is to be acknowledged, and what is missing.

Costs O(ranges), never O(members): a datagram that claims to be number 100,000 makes one range.

Sequence: 24-bit sequence numbers as whole numbers.

The wire counts datagrams, reliable frames and order modulo 2**24. Inside, everything is a plain integer that never
wraps, so that comparing is ``<``: a short number means the whole one nearest to what is expected.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from net.errors import DecodeError


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


MASK: Final = 0xFFFFFF
_HALF: Final = 0x800000


def extend(short: int, near: int) -> int:
    """The whole number with these low 24 bits that is nearest to ``near``; below 0 it is older than the session."""
    ahead = (short - near) & MASK
    return near + ahead - (MASK + 1 if ahead >= _HALF else 0)


VALID: Final = 0x80
ACK: Final = 0xC0
NACK: Final = 0xA0
KIND_MASK: Final = 0xE0

_SINGLE_BYTES: Final = 4
_RANGE_BYTES: Final = 7
_HEADER_BYTES: Final = 3


def write_acks(kind: int, ranges: Iterable[tuple[int, int]], limit_bytes: int) -> list[bytes]:
    """Datagrams of at most ``limit_bytes`` that say all ranges; a range over the 24-bit border becomes two.

    ``kind``: ``ACK`` or ``NACK``. ``ranges``: inclusive whole numbers, see ``sequence``. ``limit_bytes``: largest UDP
    payload.
    """
    records = [record for first, last in ranges for record in _records(first, last)]
    a_datagram = max(1, (limit_bytes - _HEADER_BYTES) // _RANGE_BYTES)
    return [
        bytes((kind,)) + len(part).to_bytes(2, "big") + b"".join(part)
        for part in (records[at : at + a_datagram] for at in range(0, len(records), a_datagram))
    ]


def _records(first: int, last: int) -> Iterable[bytes]:
    low, high = first & MASK, last & MASK
    if low > high:
        yield from _records(low, MASK)
        low = 0
    if low == high:
        yield b"\x01" + low.to_bytes(3, "little")
    else:
        yield b"\x00" + low.to_bytes(3, "little") + high.to_bytes(3, "little")


def read_acks(datagram: bytes) -> list[tuple[int, int]]:
    """The ranges of an ACK or NACK as short numbers.

    Raises DecodeError: cut short, or a range that ends before it begins.
    """
    if len(datagram) < _HEADER_BYTES:
        raise DecodeError("Acknowledge", "records", 0, "the datagram is cut short")
    ranges = []
    at = _HEADER_BYTES
    for index in range(int.from_bytes(datagram[1:3], "big")):
        word = int.from_bytes(datagram[at : at + _RANGE_BYTES], "little")
        single = word & 0xFF == 1
        end = at + (_SINGLE_BYTES if single else _RANGE_BYTES)
        if end > len(datagram):
            raise DecodeError("Acknowledge", f"records[{index}]", at, "the datagram is cut short")
        first = word >> 8 & MASK
        last = first if single else word >> 32
        if last < first:
            raise DecodeError(
                "Acknowledge", f"records[{index}]", at, f"the range {first}..{last} ends before it starts"
            )
        ranges.append((first, last))
        at = end
    return ranges
