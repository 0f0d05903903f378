"""The storage of a sub-chunk layer in numbers (wire.md 3.1, 3.2), and its faults.

A storage is a header byte (bits << 1 | flag), 32-bit words of palette indices, and the palette. Index order is ``x << 8
| z << 4 | y``; a value never straddles two words. Padding bits, unused slots of the last word and unused palette
entries hold garbage in real data: they are masked, never checked.

Kinds: flags of a sub-chunk's content, one byte a slot, so that kernels can skip work.
"""

from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

WIDTHS: Final = (0, 1, 2, 3, 4, 5, 6, 8, 16)
"""Legal bits per index."""

PALETTE_LIMIT: Final = 65536
"""Limit of 16-bit indices. Servers that never shrink a palette (dragonfly) send more entries than there are blocks."""

LEGACY_BYTES: Final = 6144
"""Size of versions 0 and 2..7 after the version: 4,096 block ids, 2,048 bytes of 4-bit data."""

NO_ID: Final = 65535
"""Result of an index beyond its palette; never a dense id."""


def words_of(bits: int) -> int:
    """Number of 32-bit words in a storage of that width."""
    return -(-4096 // (32 // bits)) if bits else 0


class SubChunkFault(IntEnum):
    """A fault of a sub-chunk."""

    NONE = 0
    TRUNCATED = 1  # the bytes end too early
    VERSION = 2  # a version byte other than 0..9
    WIDTH = 3  # bits outside the table
    PALETTE_SIZE = 4  # fewer than 1 or more than 65,536 entries
    VARINT = 5  # more than five bytes
    NAMED_PALETTE = 6  # entries are NBT, which kernels leave to ``legacy.read_named``
    INDEX = 7  # an index beyond the palette
    MISSING = 8  # an earlier sub-chunk of the sequence is broken, so this one was not found


REASONS: Final = {
    SubChunkFault.TRUNCATED: ("storage", "needs {needed}, but {left} are left"),
    SubChunkFault.VERSION: ("version", "the sub-chunk version is {byte}, not one of 0 to 9"),
    SubChunkFault.WIDTH: ("header", "the bits per index are {bits}, not one of 0 1 2 3 4 5 6 8 16"),
    SubChunkFault.PALETTE_SIZE: ("palette", "the number of entries is not in 1..65536"),
    SubChunkFault.VARINT: ("palette", "a varint is longer than five bytes"),
    SubChunkFault.NAMED_PALETTE: ("palette", "entries are NBT"),
    SubChunkFault.INDEX: ("words", "an index points beyond the palette"),
    SubChunkFault.MISSING: ("version", "the previous sub-chunk is broken, so its start is unknown"),
}
"""Field and words of each fault; ``reason_of`` puts the values in."""


def reason_of(fault: int, data: npt.NDArray[np.uint8], at: int, needed: int, left: int) -> tuple[str, str]:
    """Field and words of a fault, with the value that was read at ``data[at]``.

    ``needed``, ``left``: if the bytes end too early, how many were needed from there on, and how many there are.
    """
    field, words = REASONS[SubChunkFault(fault)]
    byte = int(data[at]) if at < len(data) else 0
    count = f"{needed} byte" if needed == 1 else f"{needed} bytes"
    return field, words.format(byte=byte, bits=byte >> 1, needed=count, left=left)


HAS_OPAQUE: Final = 1
"""Some block is opaque; placeholders count."""
ALL_OPAQUE: Final = 2
"""Every block is opaque."""
HAS_LIQUID: Final = 4
HAS_OTHER: Final = 8
"""Some block is a model, a cut-out or translucent."""
IS_PLACEHOLDER: Final = 16
"""Every block is the placeholder."""

Numbers = npt.NDArray[np.int64]
"""Offsets, counts, palette ids."""
Rows = npt.NDArray[np.int64]
"""[n, columns] of numbers."""
Words = npt.NDArray[np.uint32]
"""Packed indices of a storage."""
Flags = npt.NDArray[np.uint32]
"""Light flags, by dense id or by slot."""
Indices = npt.NDArray[np.uint16]
"""[4096] palette indices; order as BlockIds."""
HeightMaps = npt.NDArray[np.int8]
"""[n, 256] as ``HeightMap``."""
SlotTable = npt.NDArray[np.int32]
"""[rows, sections] slot of each place of a store."""
StateTable = npt.NDArray[np.uint8]
"""[rows, sections] state of each place of a store."""
Tops = npt.NDArray[np.int16]
"""[256] by z << 4 | x: y of the surface, one above the top block that dims light."""
TopTable = npt.NDArray[np.int16]
"""[rows, 256] the same of every column of a store."""
