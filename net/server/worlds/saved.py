"""Worlds that games saved, through ``net.folder``: columns are read, never made, and nothing is written.

Rules:
1. A column that was not saved is all air: nothing is known to be there, and nothing is made up.
2. Blocks are those of ``saved_blocks``, block entities are told as they were saved.
3. A sub-chunk, biomes or block entities that cannot be read cost themselves alone and are told in ``lost``. Whatever
   else goes wrong with a column costs that column.
4. Where the spawn's column was not saved, players start in the nearest one that was; where nobody has looked for the
   spawn's height, on the highest block there.
5. A world that a newer game than we know has opened is told once: what it saves differently may be missing.

Limits: ticks and actors are not read; sections outside the dimension's range are left out.
"""

import copy
import logging
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from net.bedrock.releases import NEWEST
from net.errors import DecodeError
from net.folder.files import WorldFiles
from net.folder.folder import Folder, SavedColumn
from net.palette import BlockState
from net.server.worlds.saved_blocks import SavedBlocks
from net.server.worlds.world import Entities, GeneratedColumn, Spawn
from net.space.dimensions import END, NETHER, OVERWORLD, VANILLA, Dimension
from net.space.layout import Biomes, BlockIds
from net.space.positions import ColumnPos
from net.subchunk.old_terrain import read_biomes_of_terrain, read_coloured_biomes
from net.subchunk.saved_biomes import HEIGHT_BYTES, read_saved_biomes, read_surface_biomes
from net.subchunk.saved_entities import read_saved_entities

LOG: Final = logging.getLogger("chunkscope.server")
PLAIN_BIOMES: Final = {OVERWORLD.number: 1, NETHER.number: 8, END.number: 9}
"""Where no biomes were saved: plains, the Nether's first, the End's."""
SPAWN_PITCH: Final = 10.0
NETHER_SCALE: Final = 8


class SavedWorld:
    """One dimension of a saved world; a ``World``.

    Args:
        files: of the world.
        dimension: which.

    Raises:
        FolderError: it is no world.
    """

    def __init__(self, files: WorldFiles, dimension: Dimension = OVERWORLD) -> None:
        self._folder = Folder(files)
        self.name = self._folder.level.name or files.place
        self._told: set[str] = set()
        self._enter(dimension)
        self._tell_newer()

    def _enter(self, dimension: Dimension) -> None:
        self.dimension = dimension
        self._blocks = SavedBlocks(dimension, self._tell_here)
        self.__dict__.pop("spawn", None)  # it is that of the dimension

    def others(self) -> "tuple[SavedWorld, ...]":
        """The usual dimensions beside this one, of the same folder, whose losses are told together."""
        found = []
        for dimension in VANILLA.values():
            if dimension.number != self.dimension.number:
                other = copy.copy(self)
                other._enter(dimension)
                found.append(other)
        return tuple(found)

    @property
    def states(self) -> tuple[BlockState, ...]:
        """See ``World``: all that were met so far."""
        return self._blocks.states

    @property
    def time(self) -> int:
        """Of day, as it was saved."""
        return self._folder.level.time

    @property
    def lost(self) -> Sequence[str]:
        """What could not be read so far, one sentence each."""
        return self._folder.lost

    def _tell(self, sentence: str) -> None:
        """Something is lost; a column that is made again loses it again, which nobody wants to hear."""
        if sentence not in self._told:
            self._told.add(sentence)
            self._folder.lost.append(sentence)

    def _tell_here(self, sentence: str) -> None:
        """The same of a place in this dimension; that it is the overworld goes without saying."""
        said = self.dimension.number == OVERWORLD.number or self.dimension.name in sentence
        self._tell(sentence if said else f"In the {self.dimension.name}: {sentence}")

    @cached_property
    def spawn(self) -> Spawn:
        """See rule 4."""
        x, y, z = self._folder.level.spawn
        if self.dimension.number == NETHER.number:
            x, z, y = x // NETHER_SCALE, z // NETHER_SCALE, None
        near = ColumnPos(x >> 4, z >> 4)
        if self._folder.column(self.dimension.number, near) is None:
            there = self._folder.columns(self.dimension.number)
            if not there:
                self._tell(f"The world holds nothing of the {self.dimension.name}: it is all air.")
            else:
                near = min(there, key=lambda at: ((at.x - near.x) ** 2 + (at.z - near.z) ** 2, at))
                x, y, z = near.x * 16 + 8, None, near.z * 16 + 8
        feet = self._ground(near, x & 15, z & 15) if y is None else y
        return Spawn((x + 0.5, float(feet), z + 0.5), 0.0, SPAWN_PITCH)

    def _tell_newer(self) -> None:
        version = self._folder.level.version
        if _comparable(version) > _comparable(tuple(map(int, NEWEST.name.split(".")))):
            said = ".".join(map(str, version))
            self._tell(
                f"The world was last opened by {said}, newer than {NEWEST.name}: what that saves anew may be missing."
            )

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """See ``World``."""
        try:
            return self._column(position, self._folder.column(self.dimension.number, position) or SavedColumn())
        except Exception as error:  # nothing that somebody saved may end the server
            LOG.debug("column %d %d of %s", position.x, position.z, self.dimension.name, exc_info=True)
            said = " ".join(f"{type(error).__name__}: {error}".split())
            self._tell_here(f"column {position.x} {position.z} is left out, which is a bug of the server: {said}.")
            return self._column(position, SavedColumn())

    def _column(self, position: ColumnPos, saved: SavedColumn) -> GeneratedColumn:
        layer0, layer1 = self._blocks.layers(position, saved)
        surface, below = self._biomes(position, saved, layer0)
        entities = self._entities(position, saved) if saved.block_entities else {}
        return GeneratedColumn(layer0, layer1 if layer1.any() else None, surface, below, entities)

    # ---------------------------------------------------------------- the rest of a column

    def _biomes(
        self, position: ColumnPos, saved: SavedColumn, blocks: BlockIds
    ) -> tuple[npt.NDArray[np.uint16], Biomes | None]:
        """Those of the surface, and those of all blocks where they were saved."""
        if saved.biomes:
            try:
                below = read_saved_biomes(saved.biomes, self.dimension.sections, f"column {position.x} {position.z}")
                return _at_surface(below, blocks), below
            except DecodeError as error:
                self._tell_here(f"{error}.")
        surface = _surface_biomes(saved)
        if surface is None:
            surface = np.full(256, PLAIN_BIOMES.get(self.dimension.number, 1), np.uint16)
        return surface, None

    def _entities(self, position: ColumnPos, saved: SavedColumn) -> Entities:
        found: dict[int, dict[int, bytes]] = {}
        for place, content in read_saved_entities(saved.block_entities, position, self._tell_here).items():
            if self.dimension.holds_section(place.y >> 4):
                index = (place.y >> 4) - self.dimension.floor_section
                found.setdefault(index, {})[place.in_subchunk] = content
        return found

    def _ground(self, position: ColumnPos, x: int, z: int) -> int:
        """One above the highest block of a block column; the dimension's floor where there is none."""
        blocks = self.column(position).layer0.reshape(-1, 16, 16, 16)[:, x, z, :].ravel()
        filled = np.flatnonzero(blocks)
        return self.dimension.floor_y_blocks + (int(filled[-1]) + 1 if len(filled) else 0)


def _surface_biomes(saved: SavedColumn) -> npt.NDArray[np.uint16] | None:
    """Those of old, in whichever form they were saved."""
    for found in (
        read_surface_biomes(saved.surface_biomes),
        read_coloured_biomes(saved.biomes_of_old[HEIGHT_BYTES:]),
        read_biomes_of_terrain(saved.whole_terrain),
    ):
        if found is not None:
            return found
    return None


def _at_surface(biomes: Biomes, blocks: BlockIds) -> npt.NDArray[np.uint16]:
    """Biomes of the highest blocks: uint16[256] by x << 4 | z."""
    filled = blocks.reshape(-1, 256, 16).transpose(1, 0, 2).reshape(256, -1) != 0
    highest = filled.shape[1] - 1 - filled[:, ::-1].argmax(axis=1)
    tall = biomes.reshape(-1, 256, 16).transpose(1, 0, 2).reshape(256, -1)
    return tall[np.arange(256), np.where(filled.any(axis=1), highest, 0)]


def _comparable(version: tuple[int, ...]) -> tuple[int, ...]:
    """A version of the game without what differs between two builds of one release: 1.21.72.1.0 is 1.21.72."""
    return version[:3]
