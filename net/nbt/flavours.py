"""What differs between NBT on the network and on disk: four encodings (wire.md 1).

| field | network | disk |
|---|---|---|
| int, long | zz32, zz64 | i32le, i64le |
| string length | uv32 | u16le |
| list and array length | zz32 | i32le |

Everything else is little endian in both.
"""

from typing import Final

from net.frozen import frozen
from net.wire.fields import I32LE, I64LE, U16LE, UV32, ZZ32, ZZ64, Kind


@frozen
class Flavour:
    """One way of writing NBT.

    Attributes:
        name: for errors.
        int32: an int.
        int64: a long.
        text_length: of names and strings.
        length: of lists and arrays.
    """

    name: str
    int32: Kind[int]
    int64: Kind[int]
    text_length: Kind[int]
    length: Kind[int]


NETWORK: Final = Flavour("network", ZZ32, ZZ64, UV32, ZZ32)
DISK: Final = Flavour("disk", I32LE, I64LE, U16LE, I32LE)
