"""Worlds saved by games, read through ``net.saved_world``: columns are read, never generated, and nothing is written.

Rules:
1. A column that was not saved is all air; nothing is invented for it.
2. ``SavedBlocks`` reads the blocks; block entities are sent as they were saved.
3. An unreadable sub-chunk, unreadable biomes or block entities are left out and reported in ``lost``; the rest of the
   column is kept. Any other error costs the whole column.
4. If the spawn's column was not saved, players start in the nearest saved one. If no spawn height was saved, they start
   on the highest block there.
5. Custom blocks keep their names (``custom_blocks``).
6. A world last opened by a newer game than we know is reported once: content in newer formats may be missing.

Limits: ticks and actors are not read; sections outside the dimension's range, and third and later layers of blocks,
which no game writes, are left out.

Blocks (``SavedBlocks``) are local ids of their world, which learns its states as it reads columns.
1. States saved before 486 are converted to those of 486 (``assets.renames``); later ones are kept as saved.
   ``net.server.block_ids`` maps both to a client's protocol.
2. An unreadable sub-chunk, whole terrain or extra blocks are left out and reported in ``lost``.
3. Whole terrain is used only if the column has no sub-chunks; extra blocks only if a section has no second layer.
"""

import copy
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from typing import Final

import numpy as np
import numpy.typing as npt

from net.arrays import Biomes, BlockIds
from net.bedrock.packets.start_game import CustomBlock
from net.errors import DecodeError, LimitExceeded
from net.nbt import DISK, Byte, Compound, Int, Tag
from net.palette import VALUE, BlockState, StateValue, state_of_number, state_of_old
from net.releases import NEWEST
from net.saved_world.columns import Folder, SavedColumn
from net.saved_world.leveldb import WorldFiles
from net.server.worlds.world import Entities, GeneratedColumn, Spawn, state
from net.space import (
    BLOCKS_PER_SUBCHUNK,
    END,
    NETHER,
    OVERWORLD,
    VANILLA,
    ColumnPos,
    Dimension,
    SubChunkPos,
    coordinates,
)
from net.subchunk.biomes import HEIGHT_BYTES, read_saved_biomes, read_surface_biomes
from net.subchunk.block_entities import read_saved_entities
from net.subchunk.decode import fault_of, legacy_values, scan
from net.subchunk.legacy import (
    BIOMES_AT,
    LAST_LOW,
    Values,
    read_coloured_biomes,
    read_extra_blocks,
    read_named,
    read_whole_terrain,
)

NAMED_VERSIONS: Final = (1, 8, 9)
MOST_STATES: Final = 65535


class SavedBlocks:
    """The blocks of saved columns as local ids; see the module.

    ``dimension``: whose sections are kept. ``report``: called with a sentence for each unreadable part.
    """

    def __init__(self, dimension: Dimension, report: Callable[[str], None]) -> None:
        self._dimension = dimension
        self._report = report
        self._states = [state("air"), state("stone", stone_type="stone")]
        self._numbers = {known: at for at, known in enumerate(self._states)}
        self._listed = tuple(self._states)
        self._legacy: dict[int, int] = {}
        self._outside = False
        self._further = False

    @property
    def states(self) -> tuple[BlockState, ...]:
        """All states read so far, by local id."""
        if len(self._listed) != len(self._states):
            self._listed = tuple(self._states)
        return self._listed

    def layers(self, position: ColumnPos, saved: SavedColumn) -> tuple[BlockIds, BlockIds]:
        """Both layers of a column: uint16[sections, 4096] each, from the floor up."""
        shape = (self._dimension.sections, BLOCKS_PER_SUBCHUNK)
        layers = np.zeros(shape, np.uint16), np.zeros(shape, np.uint16)
        for section, data in saved.subchunks.items():
            found = self._subchunk(SubChunkPos(position.x, section, position.z), data)
            if (index := self._index(section)) is not None:
                for layer, blocks in zip(layers, found, strict=False):
                    layer[index] = blocks
        where = f"column {coordinates(position)}"
        if saved.whole_terrain and not saved.subchunks:
            self._put_whole_terrain(layers[0], saved.whole_terrain, where)
        if saved.extra_blocks:
            low = saved.version is not None and saved.version <= LAST_LOW
            self._put_extra_blocks(layers[1], saved.extra_blocks, where, low=low)
        return layers

    def _index(self, section: int) -> int | None:
        """Index of a section from the floor; None outside the dimension, which is reported once."""
        if self._dimension.holds_section(section):
            return section - self._dimension.floor_section
        if not self._outside:
            self._outside = True
            self._report(f"Sub-chunks outside the {self._dimension.name}'s range are omitted.")
        return None

    def _subchunk(self, position: SubChunkPos, data: bytes) -> tuple[BlockIds, ...]:
        """The layers of a sub-chunk; empty if it cannot be read."""
        where = f"sub-chunk {coordinates(position)}"
        try:
            if data and data[0] not in NAMED_VERSIONS:
                return (self._old_blocks(data, where),)
            named = read_named(data, where, flavour=DISK)
        except (DecodeError, LimitExceeded) as error:
            self._report(f"{error}.")
            return ()
        if named.layers[2:] and not self._further:
            self._further = True
            self._report(f"Third and later layers of blocks are omitted, first those of {where}.")
        return tuple(
            np.array([self._number(one) for one in layer.palette], np.uint16)[layer.indices]
            for layer in named.layers[:2]
        )

    # ---------------------------------------------------------------- numbers and data values of old

    def _old_blocks(self, data: bytes, where: str) -> BlockIds:
        """Blocks of sub-chunk versions 0 and 2..7: numbers and data values."""
        scanned = scan([data])
        if scanned.status[0]:
            raise fault_of(scanned, 0, (where, "payload"))
        return self._of_values(legacy_values(scanned, 0))

    def _put_whole_terrain(self, layer0: BlockIds, data: bytes, where: str) -> None:
        try:
            values = read_whole_terrain(data, where)
        except DecodeError as error:
            self._report(f"{error}.")
            return
        for section, blocks in enumerate(values):
            if blocks.any() and (index := self._index(section)) is not None:
                layer0[index] = self._of_values(blocks)

    def _put_extra_blocks(self, layer1: BlockIds, data: bytes, where: str, *, low: bool) -> None:
        try:
            found = read_extra_blocks(data, where, low=low)
        except DecodeError as error:
            self._report(f"{error}.")
            return
        for section, values in found.items():
            index = self._index(section)
            if index is not None and not layer1[index].any():
                layer1[index] = self._of_values(values)

    def _of_values(self, found: Values) -> BlockIds:
        values, places = np.unique(found, return_inverse=True)
        return np.array([self._old_number(value) for value in values.tolist()], np.uint16)[places]

    def _old_number(self, value: int) -> int:
        found = self._legacy.get(value)
        if found is None:
            named = state_of_number(value) or BlockState(f"number:{value >> 4}", ((VALUE, value & 15),))
            found = self._legacy[value] = self._number(named)
        return found

    # ---------------------------------------------------------------- names and states

    def _number(self, saved: BlockState) -> int:
        found = self._numbers.get(saved)
        if found is None:
            now = state_of_old(saved)
            found = self._numbers.get(now)
            if found is None:
                if len(self._states) == MOST_STATES:
                    return 1
                found = self._numbers[now] = len(self._states)
                self._states.append(now)
            self._numbers[saved] = found
        return found


CUSTOM_COLUMNS: Final = 1024
"""How many columns of each dimension, nearest to the spawn, are searched for custom blocks."""
_NAMED_FIRST: Final = {bytes((version,)) for version in NAMED_VERSIONS}
_OWN_NAME: Final = re.compile(rb"\x08\x04\x00name(?s:..)(?!minecraft:)[\w.-]+:")


def _custom_blocks_in(folder: Folder) -> tuple[CustomBlock, ...]:
    """The world's custom blocks, with all values of their states found in columns near the spawn.

    StartGame announces them before it is known which columns will be visited; ids are sorted by their names. A custom
    block that occurs only farther away is unknown to clients.
    """
    found: dict[str, dict[str, list[StateValue]]] = {}
    x, z = folder.level.spawn[0] >> 4, folder.level.spawn[2] >> 4
    for dimension in folder.dimensions():
        columns = sorted(folder.columns(dimension), key=lambda at: (at.x - x) ** 2 + (at.z - z) ** 2)
        for position in columns[:CUSTOM_COLUMNS]:
            saved = folder.column(dimension, position)
            for data in () if saved is None else saved.subchunks.values():
                if data[:1] in _NAMED_FIRST and _OWN_NAME.search(data):
                    _collect(data, found)
    return tuple(CustomBlock(name, _announced(of)) for name, of in sorted(found.items()))


def _announced(properties: Mapping[str, list[StateValue]]) -> Compound:
    return Compound(properties=[Compound(name=key, enum=_tags(values)) for key, values in sorted(properties.items())])


def _tags(values: Sequence[StateValue]) -> list[Tag]:
    """Values of one property as tags of one type."""
    if all(isinstance(value, bool) for value in values):
        return [Byte(value) for value in values]
    return [value if isinstance(value, str) else Int(value) for value in values]


def _collect(data: bytes, found: dict[str, dict[str, list[StateValue]]]) -> None:
    """Adds the states of one sub-chunk. Unreadable ones are skipped; they are reported when their column is read."""
    with suppress(DecodeError, LimitExceeded):
        for layer in read_named(data, "", flavour=DISK).layers:
            for state in layer.palette:
                if ":" in state.name and not state.name.startswith("minecraft:"):
                    properties = found.setdefault(state.name, {})
                    for key, value in state.states:
                        values = properties.setdefault(key, [])
                        if value not in values and isinstance(value, str) == isinstance((values or [value])[0], str):
                            values.append(value)


LOG: Final = logging.getLogger("chunkscope.server")
PLAIN_BIOMES: Final = {OVERWORLD.number: 1, NETHER.number: 8, END.number: 9}
"""Biomes for columns without saved ones: plains, nether wastes, the End."""
SPAWN_PITCH: Final = 10.0
NETHER_SCALE: Final = 8


class SavedWorld:
    """One dimension of a saved world; a ``ServerWorld``.

    ``files``: of the world. ``dimension``: which one. Raises FolderError: it is not a world.
    """

    def __init__(self, files: WorldFiles, dimension: Dimension = OVERWORLD) -> None:
        self._folder = Folder(files)
        self.name = self._folder.level.name or files.place
        self._custom_blocks = cache(partial(_custom_blocks_in, self._folder))  # shared with ``others``
        self._reported: set[str] = set()
        self._enter(dimension)
        self._report_newer()

    def _enter(self, dimension: Dimension) -> None:
        self.dimension = dimension
        self._blocks = SavedBlocks(dimension, self._report_here)
        self.__dict__.pop("spawn", None)  # it depends on the dimension

    def others(self) -> "tuple[SavedWorld, ...]":
        """The other usual dimensions of the same folder; all of them share one list of lost parts."""
        found = []
        for dimension in VANILLA.values():
            if dimension.number != self.dimension.number:
                other = copy.copy(self)
                other._enter(dimension)
                found.append(other)
        return tuple(found)

    @property
    def states(self) -> tuple[BlockState, ...]:
        """See ``ServerWorld``: all states read so far."""
        return self._blocks.states

    @property
    def custom_blocks(self) -> tuple[CustomBlock, ...]:
        return self._custom_blocks()

    @property
    def time(self) -> int:
        return self._folder.level.time

    @property
    def lost(self) -> Sequence[str]:
        """What could not be read so far, one sentence each."""
        return self._folder.lost

    def _report(self, sentence: str) -> None:
        """Reports a lost part once, even if its column is read again."""
        if sentence not in self._reported:
            self._reported.add(sentence)
            self._folder.lost.append(sentence)

    def _report_here(self, sentence: str) -> None:
        """Reports a lost part of this dimension; the overworld is not named."""
        is_clear = self.dimension.number == OVERWORLD.number or self.dimension.name in sentence
        self._report(sentence if is_clear else f"In the {self.dimension.name}: {sentence}")

    @cached_property
    def spawn(self) -> Spawn:
        x, y, z = self._folder.level.spawn
        if self.dimension.number == NETHER.number:
            x, z, y = x // NETHER_SCALE, z // NETHER_SCALE, None
        near = ColumnPos(x >> 4, z >> 4)
        if self._folder.column(self.dimension.number, near) is None:
            there = self._folder.columns(self.dimension.number)
            if not there:
                self._report(f"The saved world has no columns of the {self.dimension.name}: it is all air.")
            else:
                near = min(there, key=lambda at: ((at.x - near.x) ** 2 + (at.z - near.z) ** 2, at))
                x, y, z = near.x * 16 + 8, None, near.z * 16 + 8
        feet = self._ground(near, x & 15, z & 15) if y is None else y
        return Spawn((x + 0.5, float(feet), z + 0.5), 0.0, SPAWN_PITCH)

    def _report_newer(self) -> None:
        version = self._folder.level.version
        newest = tuple(map(int, NEWEST.name.split(".")))
        if version[:3] > newest[:3]:  # further parts differ between builds of one release: 1.21.72.1.0 is 1.21.72
            opened_by = ".".join(map(str, version))
            self._report(
                f"The world was last opened by {opened_by}, newer than {NEWEST.name}: content in newer formats may be "
                "missing."
            )

    def column(self, position: ColumnPos) -> GeneratedColumn:
        try:
            return self._column(position, self._folder.column(self.dimension.number, position) or SavedColumn())
        except Exception as error:  # no saved content may end the server
            LOG.debug("column %d %d of %s", position.x, position.z, self.dimension.name, exc_info=True)
            fault = " ".join(f"{type(error).__name__}: {error}".split())
            self._report_here(f"column {coordinates(position)} is omitted because of a bug in the server: {fault}.")
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
        """Biomes at the surface, and biomes of all blocks if they were saved."""
        if saved.biomes:
            try:
                below = read_saved_biomes(saved.biomes, self.dimension.sections, f"column {coordinates(position)}")
                return _at_surface(below, blocks), below
            except DecodeError as error:
                self._report_here(f"{error}.")
        surface = _surface_biomes(saved)
        if surface is None:
            surface = np.full(256, PLAIN_BIOMES.get(self.dimension.number, 1), np.uint16)
        return surface, None

    def _entities(self, position: ColumnPos, saved: SavedColumn) -> Entities:
        found: dict[int, dict[int, bytes]] = {}
        for place, content in read_saved_entities(saved.block_entities, position, self._report_here).items():
            if self.dimension.holds_section(place.y >> 4):
                index = (place.y >> 4) - self.dimension.floor_section
                found.setdefault(index, {})[place.in_subchunk] = content
        return found

    def _ground(self, position: ColumnPos, x: int, z: int) -> int:
        """The y above the highest block of a block column; the dimension's floor if it is empty."""
        blocks = self.column(position).layer0.reshape(-1, 16, 16, 16)[:, x, z, :].ravel()
        filled = np.flatnonzero(blocks)
        return self.dimension.floor_y_blocks + (int(filled[-1]) + 1 if len(filled) else 0)


def _surface_biomes(saved: SavedColumn) -> npt.NDArray[np.uint16] | None:
    """Surface biomes in one of the older formats; None if there are none."""
    formats = (
        read_surface_biomes(saved.surface_biomes),
        read_coloured_biomes(saved.biomes_of_old[HEIGHT_BYTES:]),
        read_coloured_biomes(saved.whole_terrain[BIOMES_AT:]),
    )
    return next((found for found in formats if found is not None), None)


def _at_surface(biomes: Biomes, blocks: BlockIds) -> npt.NDArray[np.uint16]:
    """Biomes of the highest blocks: uint16[256] by x << 4 | z."""
    filled = blocks.reshape(-1, 256, 16).transpose(1, 0, 2).reshape(256, -1) != 0
    highest = filled.shape[1] - 1 - filled[:, ::-1].argmax(axis=1)
    tall = biomes.reshape(-1, 256, 16).transpose(1, 0, 2).reshape(256, -1)
    return tall[np.arange(256), np.where(filled.any(axis=1), highest, 0)]
