"""LevelDB's checksums: CRC-32C, masked so that a checksum of bytes that hold checksums stays one."""

from typing import Final

import numpy as np

from net.folder.checksum_kernels import crc32c, stored_end
from net.folder.checksum_tables import make_tables

_TABLES: Final = make_tables()
_DELTA: Final = 0xA282EAD8


def masked_crc(data: bytes) -> int:
    """The checksum of some bytes as it is stored."""
    value = crc32c(np.frombuffer(bytearray(data), np.uint8), _TABLES)
    return ((value >> 15 | value << 17) + _DELTA) & 0xFFFFFFFF


def end_of_stored(data: bytes, last_kind: int) -> int | None:
    """Where the block that begins these bytes ends: its compression, 0..``last_kind``, and its checksum stand there."""
    found = stored_end(np.frombuffer(bytearray(data), np.uint8), _TABLES, last_kind, _DELTA)
    return None if found < 0 else found
