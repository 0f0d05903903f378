"""Finds the storages of a column's biomes in raw bytes; see ``biomes`` for the form.

Indices. Offsets and widths come from outside: ``scan_storage`` checks them like those of blocks, and this module where
a storage is five bytes; ``rows`` limits the number of storages. ``unpack_storage`` checks indices in words.
"""

import numpy as np

from net.arrays import BlockIds, Bytes
from net.kernels.jit import int64, kernel
from net.subchunk.decode_kernels import (
    AT,
    BITS,
    COUNT,
    END,
    LAYER,
    PALETTE,
    STATUS,
    WORDS,
    scan_storage,
    unpack_storage,
)
from net.subchunk.storage import Numbers

AS_BELOW = 0xFF
COPY = -2  # as a width: the same storage as the section below


@kernel("int64(uint8[::1], int64[:,::1], int64[::1], int64[::1])")
def scan_biomes(buffer: Bytes, rows: Numbers, palette: Numbers, found: Numbers) -> int:
    """Scans storages while the next byte is odd; returns the offset where it stopped, or -Fault.

    Args:
        buffer: uint8[bytes].
        rows: int64[most storages, COLUMNS], written: layer columns, STATUS, AT, NEEDED and END.
        palette: int64[bytes + 1], written.
        found: int64[2], written: storages, palette ids.
    """
    at: int = int64(0)
    used = int64(0)
    count = int64(0)
    end = buffer.shape[0]
    while at < end and count < rows.shape[0] and buffer[at] & 1:
        row = rows[count]
        row[STATUS] = 0
        row[AT] = at
        if buffer[at] == AS_BELOW:
            row[LAYER + BITS] = COPY
            at += 1
        else:
            after, used = scan_storage(buffer, at, end, row, LAYER, palette, used)
            if after < 0:
                found[0] = count
                found[1] = used
                return after
            at = after
        row[END] = at
        count += 1
    found[0] = count
    found[1] = used
    return at


@kernel("int64(uint8[::1], int64[:,::1], int64[::1], int64[::1], int64, int64)")
def scan_even_biomes(buffer: Bytes, rows: Numbers, palette: Numbers, found: Numbers, count: int, wide: int) -> int:
    """Scans exactly ``count`` storages whose headers are even; returns where it stopped, or -1 if they are not there.

    ``rows``, ``palette`` and ``found`` are as for ``scan_biomes``.

    Args:
        buffer: uint8[bytes]; a private copy: the lowest bit of each header is set in it.
        count: 1 or more, at most the rows.
        wide: 1 if the only entry of width 0 is 32 bits, 0 if it is a zigzag varint like all others.
    """
    missing: int = int64(-1)
    at: int = int64(0)
    used = int64(0)
    end = buffer.shape[0]
    for number in range(count):
        row = rows[number]
        if at >= end or buffer[at] & 1:
            return missing
        if wide and buffer[at] == 0:
            if at + 5 > end:
                return missing
            row[LAYER + BITS] = 0
            row[LAYER + WORDS] = at + 1
            row[LAYER + PALETTE] = used
            row[LAYER + COUNT] = 1
            palette[used] = buffer[at + 1 : at + 5].view(np.uint32)[0]
            used += 1
            at += 5
        else:
            buffer[at] |= 1
            at, used = scan_storage(buffer, at, end, row, LAYER, palette, used)
            if at < 0:
                return missing
    found[0] = count
    found[1] = used
    return at


@kernel("int64(uint8[::1], int64[::1], uint16[::1], uint16[::1], uint16[::1])")
def unpack_biomes(buffer: Bytes, row: Numbers, mapped: BlockIds, scratch: BlockIds, out: BlockIds) -> int:
    """Writes the 4,096 biomes of one storage; returns BAD_INDEX if an index is beyond its palette.

    scratch: of ``decode_kernels.unpack_scratch``.
    """
    return unpack_storage(buffer, row, LAYER, mapped, scratch, out)
