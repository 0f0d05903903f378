"""Tables of the CRC-32C kernel: what eight bytes in a row do to the checksum."""

from typing import Final

import numpy as np
import numpy.typing as npt

Tables = npt.NDArray[np.uint32]
"""[8, 256]: row k is what a byte does that k more follow."""

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
