"""What comes with columns besides blocks: biomes.

Kept as they came: a column's are a few hundred bytes. At most ``MOST_BYTES`` are kept, so that a server cannot fill the
memory with them; what is more is a fault.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.reserved import PoolBytes
from net.errors import DecodeError, LimitExceeded
from net.subchunk.biomes import ColumnBiomes, SectionBiomes, read_biomes

MOST_BYTES: Final = 128 << 20
"""Biomes of 10,000 columns take some 30 MiB."""


class Extras:
    """Biomes by row; owned by the store."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._bytes = self._peak = 0
        self._biomes: dict[int, ColumnBiomes] = {}
        self._nothing = ColumnBiomes.nothing()

    def take_biomes(
        self, row: int, tail: bytes, sections: int, inline_count: int | None
    ) -> tuple[int, DecodeError | LimitExceeded | None]:
        """Reads a column's biomes and border bytes; (bytes used, what was wrong). Broken ones are unknown.

        inline_count: see ``read_biomes``.
        """
        self._drop_biomes(row)
        try:
            biomes = read_biomes(tail, sections, inline_count=inline_count)
        except DecodeError as error:
            return 0, error
        excess = self._spend(_size(biomes))
        if excess is None:
            self._biomes[row] = biomes
        return biomes.end, excess

    def section_biomes(self, row: int, section: int) -> SectionBiomes:
        """Biomes of one section, counted from the floor: uint16[4096], UNKNOWN_BIOME where nobody said."""
        return self._biomes.get(row, self._nothing).section(section)

    def surface_biomes(self, row: int, highest: int) -> npt.NDArray[np.uint16]:
        """Biomes at the top of a section, or of the highest there is: uint16[256] by x << 4 | z."""
        biomes = self._biomes.get(row, self._nothing)
        return biomes.section(min(highest, len(biomes) - 1))[15::16]

    def memory(self) -> PoolBytes:
        """What they cost."""
        return PoolBytes("biomes", self._bytes, self._bytes, self._bytes, self._peak)

    def drop_column(self, row: int) -> None:
        """Forgets the biomes of a column."""
        self._drop_biomes(row)

    def _drop_biomes(self, row: int) -> None:
        before = self._biomes.pop(row, None)
        self._bytes -= 0 if before is None else _size(before)

    def _spend(self, size: int) -> LimitExceeded | None:
        if self._bytes + size > MOST_BYTES:
            return LimitExceeded("bytes of biomes", self._bytes + size, MOST_BYTES)
        self._bytes += size
        self._peak = max(self._peak, self._bytes)
        return None


def _size(biomes: ColumnBiomes) -> int:
    return biomes.buffer.nbytes + biomes.rows.nbytes + biomes.palette.nbytes
