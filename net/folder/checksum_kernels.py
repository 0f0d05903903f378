"""CRC-32C (Castagnoli), eight bytes a step; LevelDB checks every block and record with it."""

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
