"""Worlds that games saved, through ``net.folder``: columns are read, never made, and nothing is written.

Rules:
1. A column that was not saved is all air: nothing is known to be there, and nothing is made up.
2. Blocks are told as 486 says them where they were saved before it (``assets.legacy``), else as they were saved; what a
   protocol calls them is ``local_states``' business.
3. A sub-chunk, or biomes, that cannot be read cost themselves alone and are told in ``lost``.
4. Where the spawn's column was not saved, players start in the nearest one that was; where nobody has looked for the
   spawn's height, on the highest block there.

Limits: block entities, ticks and actors are not read; sections outside the dimension's range are left out.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from assets import legacy
from net.errors import DecodeError, LimitExceeded
from net.folder.files import WorldFiles
from net.folder.folder import Folder, SavedColumn
from net.nbt import DISK
from net.palette import BlockState
from net.server.worlds.states import state
from net.server.worlds.world import GeneratedColumn, Spawn
from net.space.dimensions import END, NETHER, OVERWORLD, Dimension
from net.space.layout import BLOCKS_PER_SUBCHUNK, Biomes, BlockIds
from net.space.positions import ColumnPos, SubChunkPos
from net.subchunk.decode import legacy_values, scan
from net.subchunk.named import read_named
from net.subchunk.saved_biomes import read_saved_biomes, read_surface_biomes

NAMED_VERSIONS: Final = (1, 8, 9)
PLAIN_BIOMES: Final = {OVERWORLD.number: 1, NETHER.number: 8, END.number: 9}
"""Where no biomes were saved: plains, the Nether's first, the End's."""
SPAWN_PITCH: Final = 10.0
NETHER_SCALE: Final = 8
MOST_STATES: Final = 65535
VALUE: Final = "val"
"""What ``read_named`` calls the data value of a state saved before 1.13."""


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
        self.dimension = dimension
        self._states = [state("air"), state("stone", stone_type="stone")]
        self._numbers = {known: at for at, known in enumerate(self._states)}
        self._listed = tuple(self._states)
        self._legacy: dict[int, int] = {}
        self._outside = False

    @property
    def states(self) -> tuple[BlockState, ...]:
        """See ``World``: all that were met so far."""
        if len(self._listed) != len(self._states):
            self._listed = tuple(self._states)
        return self._listed

    @property
    def time(self) -> int:
        """Of day, as it was saved."""
        return self._folder.level.time

    @property
    def lost(self) -> Sequence[str]:
        """What could not be read so far, one sentence each."""
        return self._folder.lost

    @cached_property
    def spawn(self) -> Spawn:
        """See rule 4."""
        x, y, z = self._folder.level.spawn
        if self.dimension.number == NETHER.number:
            x, z, y = x // NETHER_SCALE, z // NETHER_SCALE, None
        near = ColumnPos(x >> 4, z >> 4)
        if self._folder.column(self.dimension.number, near) is None:
            there = self._folder.columns(self.dimension.number)
            if there:
                near = min(there, key=lambda at: ((at.x - near.x) ** 2 + (at.z - near.z) ** 2, at))
                x, y, z = near.x * 16 + 8, None, near.z * 16 + 8
        feet = self._ground(near, x & 15, z & 15) if y is None else y
        return Spawn((x + 0.5, float(feet), z + 0.5), 0.0, SPAWN_PITCH)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """See ``World``."""
        saved = self._folder.column(self.dimension.number, position) or SavedColumn()
        shape = (self.dimension.sections, BLOCKS_PER_SUBCHUNK)
        layer0, layer1 = np.zeros(shape, np.uint16), np.zeros(shape, np.uint16)
        for section, data in saved.subchunks.items():
            index = section - self.dimension.floor_section
            if not self.dimension.holds_section(section):
                self._tell_outside()
                continue
            ids = self._subchunk(SubChunkPos(position.x, section, position.z), data)
            for layer, blocks in zip((layer0, layer1), ids, strict=False):
                layer[index] = blocks
        surface, below = self._biomes(position, saved, layer0)
        return GeneratedColumn(layer0, layer1 if layer1.any() else None, surface, below)

    # ---------------------------------------------------------------- blocks

    def _subchunk(self, position: SubChunkPos, data: bytes) -> tuple[BlockIds, ...]:
        """Its layers; none where it cannot be read."""
        where = f"sub-chunk {position.x} {position.y} {position.z}"
        try:
            if data and data[0] not in NAMED_VERSIONS:
                return (self._old_blocks(data, where),)
            named = read_named(data, where, flavour=DISK)
        except (DecodeError, LimitExceeded) as error:
            self._folder.lost.append(f"{error}.")
            return ()
        return tuple(
            np.array([self._number(one) for one in layer.palette], np.uint16)[layer.indices] for layer in named.layers
        )

    def _old_blocks(self, data: bytes, where: str) -> BlockIds:
        """Blocks of versions 0 and 2..7: numbers and data values."""
        scanned = scan([data])
        if scanned.status[0]:
            raise DecodeError(where, "version", 0, f"version {data[0]} is not known, or its bytes end too soon")
        values, places = np.unique(legacy_values(scanned, 0), return_inverse=True)
        return np.array([self._old_number(value) for value in values.tolist()], np.uint16)[places]

    def _old_number(self, value: int) -> int:
        found = self._legacy.get(value)
        if found is None:
            number, small = value >> 4, value & 15
            name = legacy.load().name_of(number)
            named = BlockState(f"minecraft:{name}" if name else f"number:{number}", ((VALUE, small),))
            found = self._legacy[value] = self._number(named)
        return found

    def _number(self, saved: BlockState) -> int:
        """The id of a state as it was saved."""
        found = self._numbers.get(saved)
        if found is None:
            now = _at_486(saved)
            found = self._numbers.get(now)
            if found is None:
                if len(self._states) == MOST_STATES:
                    return 1
                found = self._numbers[now] = len(self._states)
                self._states.append(now)
            self._numbers[saved] = found
        return found

    def _tell_outside(self) -> None:
        if not self._outside:
            self._outside = True
            self._folder.lost.append(f"Sub-chunks outside the {self.dimension.name}'s range are left out.")

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
                self._folder.lost.append(f"{error}.")
        surface = read_surface_biomes(saved.surface_biomes) if saved.surface_biomes else None
        if surface is None:
            surface = np.full(256, PLAIN_BIOMES.get(self.dimension.number, 1), np.uint16)
        return surface, None

    def _ground(self, position: ColumnPos, x: int, z: int) -> int:
        """One above the highest block of a block column; the dimension's floor where there is none."""
        blocks = self.column(position).layer0.reshape(-1, 16, 16, 16)[:, x, z, :].ravel()
        filled = np.flatnonzero(blocks)
        return self.dimension.floor_y_blocks + (int(filled[-1]) + 1 if len(filled) else 0)


def _at_486(saved: BlockState) -> BlockState:
    """A state saved before 486 as 486 says it; any other as it is."""
    said = dict(saved.states)
    table = legacy.load()
    value = said.get(VALUE)
    if set(said) == {VALUE} and isinstance(value, int):
        found = table.of_value(saved.name, value)
        return saved if found is None else BlockState(saved.name, tuple(sorted(found.items())))
    name, states = table.of(saved.name, said)
    if states is said and saved.name.endswith(name):
        return saved
    return BlockState(f"minecraft:{name}", tuple(sorted(states.items())))


def _at_surface(biomes: Biomes, blocks: BlockIds) -> npt.NDArray[np.uint16]:
    """Biomes of the highest blocks: uint16[256] by x << 4 | z."""
    filled = blocks.reshape(-1, 256, 16).transpose(1, 0, 2).reshape(256, -1) != 0
    highest = filled.shape[1] - 1 - filled[:, ::-1].argmax(axis=1)
    tall = biomes.reshape(-1, 256, 16).transpose(1, 0, 2).reshape(256, -1)
    return tall[np.arange(256), np.where(filled.any(axis=1), highest, 0)]
