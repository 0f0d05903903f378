"""Reads the tail of a skeleton: biomes of a column, and the border byte (wire.md 2.1, 3.4).

Rules:
1. A reader is tolerant: servers send 24, 25 or fewer storages. It reads while the next byte is odd (headers of numeric
   storages are), at most sections + 1; the first even byte is the number of border blocks, which follow, a byte each.
2. Header 0xff means "as the section below"; the first storage cannot be one.
3. Storages stay packed: a column is a few hundred bytes, and only few sections are ever looked at.
4. Some servers leave the lowest bit of all headers unset in whole columns. Recorded: SerenityJS at 975 sends a storage
   for each sub-chunk, the only entry of width 0 as 32 bits; JSPrismarine at 748 one for each section, all varints.
   Such storages are taken where the bytes make no sense by rule 1 and all of them are there: as many as sections or
   sub-chunks, then the border, then the end or a compound.
"""

from itertools import product

import numpy as np
import numpy.typing as npt

from net.errors import DecodeError
from net.frozen import frozen
from net.space.layout import UNKNOWN_BIOME, Bytes
from net.subchunk import scan_kernels as columns
from net.subchunk.biome_kernels import COPY, scan_biomes, scan_even_biomes, unpack_biomes
from net.subchunk.storage import NO_ID, REASONS, Fault
from net.subchunk.unpack_kernels import BAD_INDEX, unpack_scratch

COMPOUND = 10
"""First byte of a block entity."""
LAYER = slice(columns.LAYER, columns.LAYER + columns.LAYER_COLUMNS)
SectionBiomes = npt.NDArray[np.uint16]
"""[4096] biome ids, UNKNOWN_BIOME where nobody said; order as BlockIds."""


@frozen
class ColumnBiomes:
    """Biomes of one column as they came.

    Attributes:
        buffer: the tail's bytes.
        rows: int32[storages, LAYER_COLUMNS], lowest section first: the layer's columns of ``scan_kernels``.
        palette: uint16 ids of all storages.
        end: one past the border bytes; in a whole column block entities follow.
    """

    buffer: Bytes
    rows: npt.NDArray[np.int32]
    palette: npt.NDArray[np.uint16]
    end: int

    def __deepcopy__(self, memo: dict[int, object]) -> "ColumnBiomes":
        """Itself: nobody writes to its arrays."""
        return self

    @classmethod
    def nothing(cls) -> "ColumnBiomes":
        """No storage at all: everything unknown."""
        return cls(np.zeros(1, np.uint8), np.zeros((0, columns.LAYER_COLUMNS), np.int32), np.zeros(0, np.uint16), 0)

    def __len__(self) -> int:
        """Storages, copies of the section below included."""
        return len(self.rows)

    def section(self, index: int) -> SectionBiomes:
        """Biomes of one section, counted from the dimension's floor.

        Returns:
            UNKNOWN_BIOME everywhere for a section without a storage, or with a broken one.
        """
        out = np.full(4096, UNKNOWN_BIOME, np.uint16)
        if not 0 <= index < len(self.rows):
            return out
        while self.rows[index, columns.BITS] == COPY:
            index -= 1
        row = np.zeros(columns.COLUMNS, np.int64)
        row[LAYER] = self.rows[index]
        if unpack_biomes(self.buffer, row, self.palette, unpack_scratch(), out) == BAD_INDEX:
            out[:] = UNKNOWN_BIOME
        return out


def read_biomes(
    tail: bytes, sections: int, packet: str = "LevelChunk", inline_count: int | None = None
) -> ColumnBiomes:
    """Reads storages and border bytes from the beginning of ``tail``.

    Args:
        tail: payload of a skeleton, or of a whole column behind its sub-chunks; may be empty.
        sections: how many the dimension has.
        packet: name for errors.
        inline_count: sub-chunks of a whole column, None for a skeleton.

    Raises:
        DecodeError: a storage that makes no sense, or border bytes that are missing.
    """
    if inline_count is not None and tail and not tail[0] & 1 and not _ends_well(tail, 0):
        even = _read_even(tail, sections, inline_count)
        if even is not None:
            return even
    buffer = np.frombuffer(bytearray(tail) or bytearray(1), np.uint8)
    rows = np.zeros((sections + 1, columns.COLUMNS), np.int64)
    palette = np.empty(len(buffer) + 1, np.int64)
    found = np.zeros(2, np.int64)
    end = scan_biomes(buffer, rows, palette, found)
    storages = int(found[0])
    if end < 0:
        field, reason = REASONS[Fault(-end)]
        raise DecodeError(packet, f"biomes[{storages}].{field}", int(rows[storages, columns.AT]), reason)
    if storages and rows[0, columns.LAYER + columns.BITS] == COPY:
        raise DecodeError(packet, "biomes[0].header", 0, "copies the section below, but there is none")
    if end < len(tail):
        end += 1 + tail[end]
    if end > len(tail):
        raise DecodeError(packet, "border", len(tail), "border blocks are missing")
    return _kept(buffer, rows[:storages], palette[: found[1]], end)


def _read_even(tail: bytes, sections: int, inline_count: int) -> ColumnBiomes | None:
    """Storages by rule 4; None where they are none."""
    rows = np.zeros((sections, columns.COLUMNS), np.int64)
    palette = np.empty(len(tail) + 1, np.int64)
    found = np.zeros(2, np.int64)
    for count, wide in product((sections, inline_count), (0, 1)):
        if 0 < count <= sections:
            buffer = np.frombuffer(bytearray(tail), np.uint8)
            end = scan_even_biomes(buffer, rows, palette, found, count, wide)
            if end >= 0 and _ends_well(tail, end):
                return _kept(buffer, rows[:count], palette[: found[1]], end + 1 + tail[end])
    return None


def _ends_well(tail: bytes, at: int) -> bool:
    """Whether border bytes stand there, and behind them nothing or a compound."""
    if at >= len(tail):
        return False
    end = at + 1 + tail[at]
    return end == len(tail) or (end < len(tail) and tail[end] == COMPOUND)


def _kept(buffer: Bytes, rows: npt.NDArray[np.int64], palette: npt.NDArray[np.int64], end: int) -> ColumnBiomes:
    """A copy of what is needed: what follows may be megabytes."""
    ids = np.minimum(palette, NO_ID - 1).astype(np.uint16)
    return ColumnBiomes(buffer[: max(end, 1)].copy(), rows[:, LAYER].astype(np.int32), ids, end)
