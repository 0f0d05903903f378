"""ACK and NACK datagrams (wire.md 5.2): which datagrams came and which did not, as ranges.

``c0`` / ``a0``, u16be records, each ``01`` + u24le for one number or ``00`` + u24le first + u24le last.
"""

from collections.abc import Iterable
from typing import Final

from net.errors import DecodeError
from net.raknet.sequence import MASK

VALID: Final = 0x80
ACK: Final = 0xC0
NACK: Final = 0xA0
KIND_MASK: Final = 0xE0

_SINGLE_BYTES: Final = 4
_RANGE_BYTES: Final = 7
_HEADER_BYTES: Final = 3


def write_acks(kind: int, ranges: Iterable[tuple[int, int]], limit_bytes: int) -> list[bytes]:
    """Datagrams of at most ``limit_bytes`` that say all ranges; a range over the 24-bit border becomes two.

    Args:
        kind: ``ACK`` or ``NACK``.
        ranges: inclusive whole numbers, see ``sequence``.
        limit_bytes: largest UDP payload.
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

    Raises:
        DecodeError: cut short, or a range that ends before it begins.
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
                "Acknowledge", f"records[{index}]", at, f"the range {first}..{last} ends before it begins"
            )
        ranges.append((first, last))
        at = end
    return ranges
