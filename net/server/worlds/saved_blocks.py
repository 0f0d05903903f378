"""Blocks of saved columns as local ids of their world, which learns its states as it meets them.

Rules:
1. Blocks are told as 486 says them where they were saved before it (``assets.legacy``), else as they were saved; what a
   protocol calls them is ``local_states``' business.
2. A sub-chunk, whole terrain or extra blocks that cannot be read cost themselves alone and are told in ``lost``.
3. Whole terrain holds only where no sub-chunk was saved; extra blocks only where a section has no second layer.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from assets import legacy
from net.errors import DecodeError, LimitExceeded
from net.folder.folder import SavedColumn
from net.nbt import DISK
from net.palette import BlockState
from net.server.worlds.states import state
from net.space.dimensions import Dimension
from net.space.layout import BLOCKS_PER_SUBCHUNK, BlockIds
from net.space.positions import ColumnPos, SubChunkPos
from net.subchunk.decode import legacy_values, scan
from net.subchunk.named import read_named
from net.subchunk.old_terrain import LAST_LOW, Values, read_extra_blocks, read_whole_terrain

NAMED_VERSIONS: Final = (1, 8, 9)
MOST_STATES: Final = 65535
VALUE: Final = "val"
"""What ``read_named`` calls the data value of a state saved before 1.13."""


class SavedBlocks:
    """See the module.

    Args:
        dimension: whose sections are kept.
        tell: given a sentence for each part that cannot be read.
    """

    def __init__(self, dimension: Dimension, tell: Callable[[str], None]) -> None:
        self._dimension = dimension
        self._tell = tell
        self._states = [state("air"), state("stone", stone_type="stone")]
        self._numbers = {known: at for at, known in enumerate(self._states)}
        self._listed = tuple(self._states)
        self._legacy: dict[int, int] = {}
        self._outside = False

    @property
    def states(self) -> tuple[BlockState, ...]:
        """All that were met so far, by local id."""
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
        where = f"column {position.x} {position.z}"
        if saved.whole_terrain and not saved.subchunks:
            self._put_whole_terrain(layers[0], saved.whole_terrain, where)
        if saved.extra_blocks:
            low = saved.version is not None and saved.version <= LAST_LOW
            self._put_extra_blocks(layers[1], saved.extra_blocks, where, low=low)
        return layers

    def _index(self, section: int) -> int | None:
        """Of a section from the floor; None outside the dimension, which is told once."""
        if self._dimension.holds_section(section):
            return section - self._dimension.floor_section
        if not self._outside:
            self._outside = True
            self._tell(f"Sub-chunks outside the {self._dimension.name}'s range are left out.")
        return None

    def _subchunk(self, position: SubChunkPos, data: bytes) -> tuple[BlockIds, ...]:
        """Its layers; none where it cannot be read."""
        where = f"sub-chunk {position.x} {position.y} {position.z}"
        try:
            if data and data[0] not in NAMED_VERSIONS:
                return (self._old_blocks(data, where),)
            named = read_named(data, where, flavour=DISK)
        except (DecodeError, LimitExceeded) as error:
            self._tell(f"{error}.")
            return ()
        return tuple(
            np.array([self._number(one) for one in layer.palette], np.uint16)[layer.indices] for layer in named.layers
        )

    # ---------------------------------------------------------------- numbers and data values of old

    def _old_blocks(self, data: bytes, where: str) -> BlockIds:
        """Blocks of versions 0 and 2..7: numbers and data values."""
        scanned = scan([data])
        if scanned.status[0]:
            raise DecodeError(where, "version", 0, f"version {data[0]} is not known, or its bytes end too soon")
        return self._of_values(legacy_values(scanned, 0))

    def _put_whole_terrain(self, layer0: BlockIds, data: bytes, where: str) -> None:
        try:
            values = read_whole_terrain(data, where)
        except DecodeError as error:
            self._tell(f"{error}.")
            return
        for section, blocks in enumerate(values):
            if blocks.any() and (index := self._index(section)) is not None:
                layer0[index] = self._of_values(blocks)

    def _put_extra_blocks(self, layer1: BlockIds, data: bytes, where: str, *, low: bool) -> None:
        try:
            found = read_extra_blocks(data, where, low=low)
        except DecodeError as error:
            self._tell(f"{error}.")
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
            number, small = value >> 4, value & 15
            name = legacy.load().name_of(number)
            named = BlockState(f"minecraft:{name}" if name else f"number:{number}", ((VALUE, small),))
            found = self._legacy[value] = self._number(named)
        return found

    # ---------------------------------------------------------------- names and states

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
