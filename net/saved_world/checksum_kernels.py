"""LevelDB's masked CRC-32C (Castagnoli) checksums, which it stores for every block and record.

The mask keeps a checksum valid for bytes that contain checksums themselves. ``crc32c`` processes eight bytes a step,
``stored_end`` one, since it compares the checksum after each.

Indices. Bytes of a file are indices into tables of 256, each limited to a byte here; the array's length limits the
reading.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.arrays import Bytes
from net.kernels.jit import int64, kernel, uint32

# ---------------------------------------------------------------- checksum tables

Tables = npt.NDArray[np.uint32]
"""[8, 256]: row k is the effect of a byte with k more bytes after it."""

POLYNOMIAL: Final = 0x82F63B78
"""Castagnoli's, bits reversed."""


def make_tables() -> Tables:
    """All eight rows."""
    tables = np.zeros((8, 256), np.uint32)
    row = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        row = np.where(row & 1, row >> 1 ^ np.uint32(POLYNOMIAL), row >> 1).astype(np.uint32)
    tables[0] = row
    for k in range(1, 8):
        tables[k] = tables[0][tables[k - 1] & 255] ^ tables[k - 1] >> 8
    return tables


# ---------------------------------------------------------------- checksum kernels


@kernel("int64(uint8[::1], uint32[:,::1])")
def crc32c(data: Bytes, tables: Tables) -> int:
    """The checksum of some bytes.

    Args:
        data: uint8[bytes].
        tables: uint32[8, 256] of ``make_tables``.
    """
    value = uint32(0xFFFFFFFF)
    end = data.shape[0]
    at: int = int64(0)
    while at + 8 <= end:
        low = value ^ (
            uint32(data[at])
            | uint32(data[at + 1]) << uint32(8)
            | uint32(data[at + 2]) << uint32(16)
            | uint32(data[at + 3]) << uint32(24)
        )
        value = (
            tables[7, low & uint32(255)]
            ^ tables[6, (low >> uint32(8)) & uint32(255)]
            ^ tables[5, (low >> uint32(16)) & uint32(255)]
            ^ tables[4, low >> uint32(24)]
            ^ tables[3, data[at + 4]]
            ^ tables[2, data[at + 5]]
            ^ tables[1, data[at + 6]]
            ^ tables[0, data[at + 7]]
        )
        at += 8
    while at < end:
        value = tables[0, (value ^ uint32(data[at])) & uint32(255)] ^ (value >> uint32(8))
        at += 1
    found: int = int64(value ^ uint32(0xFFFFFFFF))
    return found


@kernel("int64(uint8[::1], uint32[:,::1], int64, int64)")
def stored_end(data: Bytes, tables: Tables, last_kind: int, delta: int) -> int:
    """The end of a stored block: the first byte of 0..``last_kind`` with the masked checksum of all before after it.

    Args:
        data: uint8[bytes], the block from its start on, and whatever follows.
        tables: as of ``crc32c``.
        last_kind: highest compression number.
        delta: constant added by masking.

    Returns:
        Number of bytes before that byte; -1 if there is none.
    """
    value = uint32(0xFFFFFFFF)
    found: int = int64(-1)
    for at in range(data.shape[0] - 4):
        value = tables[0, (value ^ uint32(data[at])) & uint32(255)] ^ (value >> uint32(8))
        if data[at] > last_kind:
            continue
        crc = int64(value ^ uint32(0xFFFFFFFF))
        masked = ((crc >> 15 | crc << 17) + delta) & 0xFFFFFFFF
        behind = int64(data[at + 1]) | int64(data[at + 2]) << 8 | int64(data[at + 3]) << 16 | int64(data[at + 4]) << 24
        if masked == behind:
            found = int64(at)
            break
    return found


# ---------------------------------------------------------------- checksum

_TABLES: Final = make_tables()
_DELTA: Final = 0xA282EAD8


def masked_crc(data: bytes) -> int:
    """The checksum of some bytes in its stored form."""
    value = crc32c(np.frombuffer(bytearray(data), np.uint8), _TABLES)
    return ((value >> 15 | value << 17) + _DELTA) & 0xFFFFFFFF


def end_of_stored(data: bytes, last_kind: int) -> int | None:
    """Length of the block at the start of these bytes, up to its compression byte, 0..``last_kind``, and checksum."""
    found = stored_end(np.frombuffer(bytearray(data), np.uint8), _TABLES, last_kind, _DELTA)
    return None if found < 0 else found
