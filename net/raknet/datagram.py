"""Datagrams of a connection: frames of data, ACK and NACK (wire.md 5.2).

Datagram: flags, u24le sequence number, frames until the end. Frame: ``reliability << 5 | 0x10 if a fragment``, u16be
length in bits, then by reliability the u24le reliable, sequence and order indices with a channel, then for a fragment
u32be count, u16be id, u32be index, then the bytes.

The reliabilities 5, 6 and 7 of the wire are 0, 2 and 3 with a receipt for the sender's application: their wire form is
the same, so they are read as those.

ACK and NACK: ranges of datagrams that arrived or are missing: ``c0`` / ``a0``, u16be records, each ``01`` + u24le for
one number or ``00`` + u24le first + u24le last.

``RangeSet``: a set of integers stored as inclusive ranges. Operations cost O(ranges), never O(members): a datagram that
claims to be number 100,000 makes one range.

Sequence numbers: the wire counts datagrams, reliable frames and order modulo 2**24. Internally numbers are integers
that never wrap, so that they compare with ``<``: a 24-bit number means the whole number nearest to the expected one.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from net.errors import DecodeError

DATA_FLAGS: Final = 0x84
"""Valid, with the bit every Bedrock end sets (RakNet: "needs B and AS", unused since)."""
DATAGRAM_HEADER_BYTES: Final = 4
ORDER_CHANNELS: Final = 32
FRAGMENT_HEADER_BYTES: Final = 10

_FRAGMENT_FLAG: Final = 0x10
_FRAGMENT: Final = struct.Struct(">IHI")
_tuple: Final = tuple.__new__
"""Makes a named tuple from a tuple in half the time of its own constructor (0.2 us of 7 a datagram, each)."""
_ORDERED: Final = struct.Struct("<BBII")
"""Head of a reliable ordered frame: flags, high byte of the length, low byte | reliable index << 8, order index |
channel << 24. The mixed byte orders of the wire match these borders."""


class Reliability(IntEnum):
    """How a payload travels."""

    UNRELIABLE = 0  # once, perhaps never, in any order
    UNRELIABLE_SEQUENCED = 1  # may be lost; late ones are dropped
    RELIABLE = 2  # always arrives, in any order
    RELIABLE_ORDERED = 3  # always arrives, in order: all of the game
    RELIABLE_SEQUENCED = 4  # resent until it arrives; late ones are dropped

    @property
    def reliable(self) -> bool:
        """Whether it is sent again when lost, and so carries a reliable index."""
        return self >= Reliability.RELIABLE

    @property
    def sequenced(self) -> bool:
        return self in {Reliability.UNRELIABLE_SEQUENCED, Reliability.RELIABLE_SEQUENCED}

    @property
    def ordered(self) -> bool:
        """Whether it carries an order index and a channel."""
        return self.sequenced or self is Reliability.RELIABLE_ORDERED

    @property
    def header_bytes(self) -> int:
        """Size of the header of a frame that is not a fragment."""
        return 3 + 3 * self.reliable + 3 * self.sequenced + 4 * self.ordered


_BY_NUMBER: Final = (*Reliability, Reliability.UNRELIABLE, Reliability.RELIABLE, Reliability.RELIABLE_ORDERED)
_KINDS: Final = tuple((kind, kind.reliable, kind.sequenced, kind.ordered, kind.header_bytes) for kind in _BY_NUMBER)


class Fragment(NamedTuple):
    """The position of a frame in a fragmented payload."""

    pieces: int
    payload_id: int
    piece: int


class Frame(NamedTuple):
    """One frame; an index that its reliability lacks is 0. Indices are 24-bit, see ``extend``."""

    payload: bytes
    reliability: Reliability
    reliable_index: int = 0
    sequence_index: int = 0
    order_index: int = 0
    channel: int = 0
    fragment: Fragment | None = None


def write_frame(frame: Frame) -> bytes:
    """One frame on the wire; indices are cut to 24 bits."""
    payload, kind, reliable_index, sequence_index, order_index, channel, fragment = frame
    head = write_head(kind, len(payload), reliable_index, sequence_index, order_index, channel, fragment)
    return head + payload


def write_head(
    kind: Reliability,
    size_bytes: int,
    reliable_index: int,
    sequence_index: int,
    order_index: int,
    channel: int,
    fragment: tuple[int, int, int] | None = None,
) -> bytes:
    """The header of a payload of ``size_bytes``; plain arguments, since a sender calls it for every datagram."""
    bits = size_bytes * 8
    flags = kind << 5 | (0 if fragment is None else _FRAGMENT_FLAG)
    tail = b"" if fragment is None else _FRAGMENT.pack(*fragment)
    if kind is Reliability.RELIABLE_ORDERED:
        low = (bits & 0xFF) | (reliable_index & 0xFFFFFF) << 8
        return _ORDERED.pack(flags, bits >> 8, low, (order_index & 0xFFFFFF) | channel << 24) + tail
    parts = [bytes((flags,)), bits.to_bytes(2, "big")]
    if kind.reliable:
        parts.append((reliable_index & 0xFFFFFF).to_bytes(3, "little"))
    if kind.sequenced:
        parts.append((sequence_index & 0xFFFFFF).to_bytes(3, "little"))
    if kind.ordered:
        parts.append((order_index & 0xFFFFFF).to_bytes(3, "little"))
        parts.append(bytes((channel,)))
    return b"".join((*parts, tail))


def read_frames(datagram: bytes) -> list[Frame]:
    """All frames of a data datagram.

    Raises DecodeError: cut short, empty, a fragment that is not reliable or lies outside its payload, an unknown
    channel.
    """
    frames = []
    at = DATAGRAM_HEADER_BYTES
    end = len(datagram)
    if end <= at:
        raise DecodeError("Datagram", "frames", at, "it is empty")
    while at < end:  # one frame, nearly always
        frame, at = _read_frame(datagram, at, end)
        frames.append(frame)
    return frames


def _read_frame(datagram: bytes, at: int, end: int) -> tuple[Frame, int]:
    flags = datagram[at]
    kind, reliable, sequenced, ordered, header_bytes = _KINDS[flags >> 5]
    split = flags & _FRAGMENT_FLAG
    body = at + header_bytes + (FRAGMENT_HEADER_BYTES if split else 0)
    if body > end:
        raise DecodeError("Datagram", "frame.header", at, "the datagram is cut short")
    reliable_index = sequence_index = order_index = channel = 0
    if kind is Reliability.RELIABLE_ORDERED:
        _, high, low, order_index = _ORDERED.unpack_from(datagram, at)
        size = ((high << 8 | (low & 0xFF)) + 7) >> 3
        reliable_index = low >> 8
        channel = order_index >> 24
        order_index &= 0xFFFFFF
    else:
        size = ((datagram[at + 1] << 8 | datagram[at + 2]) + 7) >> 3
        field = at + 3
        if reliable:
            reliable_index = int.from_bytes(datagram[field : field + 3], "little")
            field += 3
        if sequenced:
            sequence_index = int.from_bytes(datagram[field : field + 3], "little")
            field += 3
        if ordered:
            order_index = int.from_bytes(datagram[field : field + 3], "little")
            channel = datagram[field + 3]
    stop = body + size
    if not size or stop > end:
        raise DecodeError("Datagram", "frame.length", at + 1, f"{size} bytes are announced, but {end - body} are left")
    if channel >= ORDER_CHANNELS:
        raise DecodeError("Datagram", "frame.channel", body - 1, f"{channel} is not below {ORDER_CHANNELS}")
    fragment = _read_fragment(datagram, body - FRAGMENT_HEADER_BYTES, reliable) if split else None
    fields = (datagram[body:stop], kind, reliable_index, sequence_index, order_index, channel, fragment)
    return _tuple(Frame, fields), stop


def _read_fragment(datagram: bytes, at: int, reliable: bool) -> Fragment:
    fragment = _tuple(Fragment, _FRAGMENT.unpack_from(datagram, at))
    if not reliable:  # RakNet's own sender makes any payload it splits reliable; others would never complete
        raise DecodeError("Datagram", "frame.fragment", at, "a fragment that is not reliable")
    if fragment.piece >= fragment.pieces:
        reason = f"{fragment.piece} is not below {fragment.pieces}"
        raise DecodeError("Datagram", "frame.fragment.index", at + 6, reason)
    return fragment


# --------------------------------------------------------------------- ack


class RangeSet:
    """Disjoint, ascending ranges that do not touch."""

    __slots__ = ("_firsts", "_lasts")

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def __len__(self) -> int:
        """Number of ranges, not members."""
        return len(self._firsts)

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._firsts, number) - 1
        return at >= 0 and number <= self._lasts[at]

    def add(self, number: int) -> None:
        firsts, lasts = self._firsts, self._lasts
        if lasts and lasts[-1] + 1 == number:  # numbers in order, the usual case
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
        """Appends ``first..last``; does nothing for an empty range."""
        if first > last:
            return
        if self._lasts and self._lasts[-1] + 1 == first:
            self._lasts[-1] = last
        else:
            self._firsts.append(first)
            self._lasts.append(last)

    def discard(self, number: int) -> bool:
        """Removes one number; returns whether it was a member."""
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
        """Drops the lowest ranges beyond this number."""
        excess = len(self._firsts) - ranges
        if excess > 0:
            del self._firsts[:excess], self._lasts[:excess]

    def lowest(self) -> int | None:
        """The smallest member."""
        return self._firsts[0] if self._firsts else None

    def drain(self) -> list[tuple[int, int]]:
        """Removes and returns all ranges."""
        ranges = list(zip(self._firsts, self._lasts, strict=True))
        self._firsts.clear()
        self._lasts.clear()
        return ranges


def union(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ascending ranges of the members of either; adjacent ranges are joined."""
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
    """The whole number with these low 24 bits that is nearest to ``near``; a negative one is older than the session."""
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
    """Datagrams of at most ``limit_bytes`` with all ranges; a range across the 24-bit border becomes two.

    ``kind``: ``ACK`` or ``NACK``. ``ranges``: inclusive whole numbers. ``limit_bytes``: largest UDP payload.
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
    """The ranges of an ACK or NACK as 24-bit numbers.

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
            reason = f"the range {first}..{last} ends before it starts"
            raise DecodeError("Acknowledge", f"records[{index}]", at, reason)
        ranges.append((first, last))
        at = end
    return ranges
