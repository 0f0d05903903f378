"""What comes with columns besides blocks: biomes, and block entities as bytes until somebody asks.

Kept as it came: a column's biomes are a few hundred bytes, and most block entities are never looked at. Of both
together at most ``MOST_BYTES`` are kept, so that a server cannot fill the memory with them; what is more is a fault.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.errors import DecodeError, LimitExceeded
from net.space.layout import Places
from net.subchunk.biomes import ColumnBiomes, SectionBiomes, read_biomes
from net.subchunk.entities import read_entities

MOST_BYTES: Final = 256 << 20
"""Biomes of 10,000 columns take some 30 MiB."""

BlockEntity = dict[str, Any]  # Any: NBT


class Extras:
    """Biomes by row, block entities by place. Owned by the store."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._bytes = 0
        self._biomes: dict[int, ColumnBiomes] = {}
        self._entities: dict[int, bytes] = {}  # those of a whole column lie at its lowest place
        self._nothing = ColumnBiomes.nothing()

    def take_biomes(self, row: int, tail: bytes, sections: int) -> tuple[int, DecodeError | LimitExceeded | None]:
        """Reads a column's biomes and border bytes; (bytes used, what was wrong). Broken ones are unknown."""
        self._drop_biomes(row)
        try:
            biomes = read_biomes(tail, sections)
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

    def keep_entities(self, place: int, data: bytes) -> LimitExceeded | None:
        """Keeps what followed the terrain of a place; says why it could not."""
        self._bytes -= len(self._entities.pop(place, b""))
        excess = self._spend(len(data)) if data else None
        if data and excess is None:
            self._entities[place] = data
        return excess

    def drop_entities(self, places: Places) -> None:
        """Forgets the block entities of some places."""
        if self._entities:
            for place in places.tolist():
                self._bytes -= len(self._entities.pop(place, b""))

    def drop_column(self, row: int, places: Places) -> None:
        """Forgets all about a column."""
        self._drop_biomes(row)
        self.drop_entities(places)

    def entities(
        self, places: Places
    ) -> tuple[list[dict[str, Any]], dict[int, DecodeError | LimitExceeded]]:  # Any: NBT
        """Block entities of some places, and by place what was wrong where they were broken; those are dropped."""
        found: list[BlockEntity] = []
        errors: dict[int, DecodeError | LimitExceeded] = {}
        for place in places.tolist():
            try:
                found += read_entities(self._entities.get(place, b""))
            except (DecodeError, LimitExceeded) as error:
                self._bytes -= len(self._entities.pop(place))
                errors[place] = error
        return found, errors

    def _drop_biomes(self, row: int) -> None:
        before = self._biomes.pop(row, None)
        self._bytes -= 0 if before is None else _size(before)

    def _spend(self, size: int) -> LimitExceeded | None:
        if self._bytes + size > MOST_BYTES:
            return LimitExceeded("bytes of biomes and block entities", self._bytes + size, MOST_BYTES)
        self._bytes += size
        return None


def _size(biomes: ColumnBiomes) -> int:
    return biomes.buffer.nbytes + biomes.rows.nbytes + biomes.palette.nbytes
