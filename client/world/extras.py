"""What comes with columns besides blocks: biomes, and block entities as bytes until somebody asks.

Kept as it came: a column's biomes are a few hundred bytes, and most block entities are never looked at.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from net.errors import DecodeError, LimitExceeded
from net.space.layout import Places
from net.subchunk.biomes import ColumnBiomes, SectionBiomes, read_biomes
from net.subchunk.entities import read_entities


class Extras:
    """Biomes by row, block entities by place. Owned by the store."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._biomes: dict[int, ColumnBiomes] = {}
        self._entities: dict[int, bytes] = {}  # those of a whole column lie at its lowest place
        self._nothing = ColumnBiomes.nothing()

    def take_biomes(self, row: int, tail: bytes, sections: int) -> tuple[int, DecodeError | None]:
        """Reads a column's biomes and border bytes; (bytes used, what was wrong). Broken ones are unknown."""
        try:
            biomes = read_biomes(tail, sections)
        except DecodeError as error:
            self._biomes.pop(row, None)
            return 0, error
        self._biomes[row] = biomes
        return biomes.end, None

    def section_biomes(self, row: int, section: int) -> SectionBiomes:
        """Biomes of one section, counted from the floor: uint16[4096], 65535 where unknown."""
        return self._biomes.get(row, self._nothing).section(section)

    def surface_biomes(self, row: int, highest: int) -> npt.NDArray[np.uint16]:
        """Biomes at the top of a section, or of the highest there is: uint16[256] by x << 4 | z."""
        biomes = self._biomes.get(row, self._nothing)
        return biomes.section(min(highest, len(biomes) - 1))[15::16]

    def keep_entities(self, place: int, data: bytes) -> None:
        """Keeps what followed the terrain of a place."""
        if data:
            self._entities[place] = data

    def drop_entities(self, places: Places) -> None:
        """Forgets the block entities of some places."""
        if self._entities:
            for place in places.tolist():
                self._entities.pop(place, None)

    def drop_column(self, row: int, places: Places) -> None:
        """Forgets all about a column."""
        self._biomes.pop(row, None)
        self.drop_entities(places)

    def entities(self, places: Places) -> tuple[list[dict[str, Any]], int]:  # Any: NBT
        """Block entities of some places, and how many places had broken ones, which are dropped."""
        found: list[dict[str, Any]] = []
        broken = 0
        for place in places.tolist():
            try:
                found += read_entities(self._entities.get(place, b""))
            except (DecodeError, LimitExceeded):
                self._entities.pop(place)
                broken += 1
        return found, broken
