"""CRC-32C (Castagnoli); LevelDB checks every block and record with it.

``crc32c`` takes eight bytes a step, ``stored_end`` one, since it looks at the checksum behind each.

Indices. Bytes of a file are indices into tables of 256, each cut to a byte here; how far is read the array says.
"""

from net.folder.checksum_tables import Tables
from net.kernels.casts import int64, uint32
from net.kernels.jit import kernel
from net.space.layout import Bytes


@kernel("int64(uint8[::1], uint32[:,::1])")
def crc32c(data: Bytes, tables: Tables) -> int:
    """The checksum of some bytes.

    Args:
        data: uint8[bytes].
        tables: uint32[8, 256] of ``checksum_tables``.
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
    """Where a stored block ends: at the first byte of 0..``last_kind`` with the masked checksum of all up to it behind.

    Args:
        data: uint8[bytes], the block from its start on, and whatever follows.
        tables: as of ``crc32c``.
        last_kind: of the compressions that it may have.
        delta: what masking adds.

    Returns:
        How many bytes stand before that byte; -1 where there is none.
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
