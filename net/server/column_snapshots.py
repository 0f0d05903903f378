"""One version of one column; its bytes are encoded once and sent to all clients of a release (seed 003).

Rules:
1. A snapshot never changes. An edit makes a new one. Both share unchanged blocks and bytes, so a storage can go on
   writing the older one.
2. Sub-chunks are encoded when first requested, since most underground sub-chunks never are. The bytes of ``KEPT_FORMS``
   forms are kept; a new form replaces the oldest. Data that is the same for all releases is kept once.
3. Sections count from the dimension's floor here; encoding writes the absolute number of the wire.
4. Blocks are kept small (below), with no air above the highest block.
5. Each section has a version: how often it was changed, and the world's tick of the last change (seed 003). A section
   that was never changed has none: it may be dropped, since it is generated again identically.
6. A block entity ends when a block of another name replaces its block. No new block entities are made here. The ended
   ones are recorded with the blocks; otherwise the next chest at that position would get the old chest's contents once
   the column is generated again.

Small blocks: one byte a block while all local ids of a section fit, else two; nothing for a section of air.

Openings: the pairs of faces of each section between which sight passes, for the server's visibility walks. They are
calculated with the column, because a walk covers whole areas: calculated at the first walk, a player that joins where
hundreds of columns are in memory would pay for all of them in one tick.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import BlockIds
from net.server.block_ids import BlockIdForm, LocalStates
from net.server.worlds.world import GeneratedColumn
from net.space import BLOCKS_PER_SUBCHUNK, Dimension
from net.subchunk.biomes import write_section_tail, write_tail
from net.subchunk.heights import HeightAnswer, column_surface, section_heights
from net.visibility.connectivity_kernels import SCRATCH_WORDS, SEE_THROUGH, connect

SmallBlocks = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
"""[4096] local ids of one section, one or two bytes each. Read-only."""
Openings = npt.NDArray[np.uint64]
"""[sections] pairs of faces from the floor up, one bit ``from * 8 + to`` each (``connectivity_kernels``). Read-only."""


def openings_of(sections: Sequence[SmallBlocks | None], stops_sight: npt.NDArray[np.bool_]) -> Openings:
    """The openings of sections; None is a section of air. ``stops_sight``: by local id."""
    found = np.full(len(sections), SEE_THROUGH, np.uint64)
    filled = [index for index, blocks in enumerate(sections) if blocks is not None]
    if filled:
        # np.take: indexing with brackets costs up to twice as much (measured).
        opaque = np.take(stops_sight, np.stack([each for each in sections if each is not None]))
        columns = np.packbits(opaque, axis=1, bitorder="little").view("<u2")
        pairs, scratch = np.empty(len(filled), np.uint64), np.empty(SCRATCH_WORDS, np.uint64)
        connect(columns, np.arange(len(filled), dtype=np.int32), 0, len(filled), pairs, scratch)
        found[filled] = pairs
    return found


def small_sections(layer: BlockIds) -> list[SmallBlocks | None]:
    """The sections of a layer: views of one common copy, None for sections of air."""
    filled = np.flatnonzero(layer.any(axis=1))
    small = _narrowed(layer[filled])
    parts: list[SmallBlocks | None] = [None] * len(layer)
    for at, index in enumerate(filled.tolist()):
        parts[index] = small[at]
    return parts


def small_section(section: BlockIds) -> SmallBlocks | None:
    """A copy of one section; None for one of air."""
    return _narrowed(section) if section.any() else None


def _narrowed(blocks: BlockIds) -> SmallBlocks:
    """A copy with one byte a block if all ids fit."""
    return blocks.astype(np.uint8) if not blocks.size or blocks.max() < 256 else blocks.copy()


KEPT_FORMS: Final = 4
NO_BORDERS: Final = b"\0"
"""The count of border blocks that ends each column."""

_NO_BLOCKS: Final = np.zeros(16, np.uint8)

SUBCHUNK_VERSION: Final = 9
"""Version of sub-chunks that are sent; without storages it means all air (wire.md 3.1)."""


class SectionVersion(NamedTuple):
    """Which version of a section."""

    number: int  # number of changes; 0 = never changed
    tick: int  # the world's tick of the last change


UNCHANGED: Final = SectionVersion(0, 0)


class SectionBlocks(msgspec.Struct, frozen=True):
    """The blocks of one section."""

    layer0: BlockIds  # local ids
    layer1: BlockIds | None  # None if the second layer is empty
    version: SectionVersion  # of the section
    # cells, x << 8 | z << 4 | y, of block entities that the generated column has and that have ended
    ended: frozenset[int] = frozenset()


class ColumnSnapshot:
    """One version of one column; see the module.

    ``column``: in local ids. ``changed``: changed sections by index from the floor, with their present blocks.
    """

    def __init__(
        self,
        column: GeneratedColumn,
        states: LocalStates,
        dimension: Dimension,
        changed: Mapping[int, SectionBlocks] | None = None,
    ) -> None:
        self.biomes = column.biomes
        self._section_biomes = column.section_biomes
        self._states = states
        self._dimension = dimension
        self._layer0: list[SmallBlocks | None] = small_sections(column.layer0)
        self._layer1: list[SmallBlocks | None] = [None] * len(self._layer0)
        if column.layer1 is not None:
            self._layer1 = small_sections(column.layer1)
        self._entities = dict(column.entities)
        self._versions: dict[int, SectionVersion] = {}
        self._ended: dict[int, frozenset[int]] = {}
        for index, section in (changed or {}).items():
            self._ended[index] = section.ended
            if made := self._entities.get(index):
                self._entities[index] = self._surviving(made, column.layer0[index], section)
                self._ended[index] |= made.keys() - self._entities[index].keys()
            self._layer0[index] = small_section(section.layer0)
            self._layer1[index] = None if section.layer1 is None else small_section(section.layer1)
            self._versions[index] = section.version
        self._encoded: dict[BlockIdForm, dict[int, bytes]] = {}
        self._heights: list[tuple[HeightAnswer, bytes | None]] | None = None
        self._tails: dict[int, bytes] = {}
        self._openings = openings_of(self._layer0, states.stops_sight)
        self._reopened: frozenset[int] = frozenset()  # indices of edited sections, whose block entities may have ended
        self.highest = self._find_highest()  # index of the highest section with a block, from the floor; -1 for none

    def version(self, index: int) -> SectionVersion:
        return self._versions.get(index, UNCHANGED)

    def versions(self) -> Sequence[int]:
        """Number of changes of each section, from the floor up."""
        numbers = [0] * self._dimension.sections
        for index, version in self._versions.items():
            numbers[index] = version.number
        return numbers

    def section(self, index: int) -> SectionBlocks:
        second = self._layer1[index]
        first = np.zeros(BLOCKS_PER_SUBCHUNK, np.uint16) if (kept := self._layer0[index]) is None else kept
        return SectionBlocks(
            first.astype(np.uint16),
            None if second is None else second.astype(np.uint16),
            self.version(index),
            self._ended.get(index, frozenset()),
        )

    def is_air(self, index: int) -> bool:
        """Whether a section, counted from the floor, has no blocks."""
        return self._layer0[index] is None and self._layer1[index] is None

    def subchunk(self, index: int, form: BlockIdForm) -> bytes:
        """A section, counted from the floor, encoded as the payload of an answer."""
        encoded = self._encoded.get(form)
        if encoded is None:
            while len(self._encoded) >= KEPT_FORMS:
                del self._encoded[next(iter(self._encoded))]  # the oldest
            encoded = self._encoded[form] = {}
        found = encoded.get(index)
        if found is None:
            blocks = self.section(index)
            second = None if blocks.layer1 is None else blocks.layer1[None]
            section = self._dimension.floor_section + index
            made = form.encoder.encode(blocks.layer0[None], second, section)[0]
            # A whole column needs a payload for each section below its highest block.
            found = made or bytes((SUBCHUNK_VERSION, 0, section & 0xFF))
            encoded[index] = found
        return found

    def entities(self, index: int) -> bytes:
        """The block entities of a section, counted from the floor, concatenated."""
        return b"".join(self._entities.get(index, {}).values())

    def all_entities(self) -> bytes:
        return b"".join(map(self.entities, sorted(self._entities)))

    def _surviving(self, made: Mapping[int, bytes], before: BlockIds, after: SectionBlocks) -> Mapping[int, bytes]:
        """The block entities of a section that have not ended and whose blocks still have the same names."""
        state_of = self._states.state_of
        return {
            cell: content
            for cell, content in made.items()
            if cell not in after.ended and state_of(int(before[cell])).name == state_of(int(after.layer0[cell])).name
        }

    def heights(self, index: int) -> tuple[HeightAnswer, bytes | None]:
        """The height map of a section as an answer gives it."""
        if self._heights is None:
            self._heights = self._all_heights()
        return self._heights[index]

    def _all_heights(self) -> list[tuple[HeightAnswer, bytes | None]]:
        second = self._whole(self._layer1) if any(part is not None for part in self._layer1) else None
        tops = column_surface(self._whole(self._layer0), second, self._states.stops_light)
        lowest, highest = int(tops.min()) >> 4, int(tops.max()) >> 4
        return [
            (HeightAnswer.ALL_TOO_HIGH, None)
            if index < lowest
            else (HeightAnswer.ALL_TOO_LOW, None)
            if index > highest
            else section_heights(tops, index)
            for index in range(self._dimension.sections)
        ]

    @property
    def openings(self) -> Openings:
        """The openings of each section, from the floor up."""
        if self._reopened:
            found, stops = self._openings.copy(), self._states.stops_sight
            for index in self._reopened:
                found[index] = openings_of(self._layer0[index : index + 1], stops)[0]
            self._openings, self._reopened = found, frozenset()
        return self._openings

    def skeleton(self, form: BlockIdForm) -> bytes:
        """Payload of a skeleton: biome storages and the border byte."""
        below, count = self._section_biomes, form.biome_sections
        found = self._tails.get(count)
        if found is None:
            found = write_tail(self.biomes, count) if below is None else write_section_tail(below, count)
            self._tails[count] = found
        return found

    def biome_blob(self, form: BlockIdForm) -> bytes:
        """All biome storages, without the border byte; the blob cache identifies them by one id (wire.md 4)."""
        return self.skeleton(form)[: -len(NO_BORDERS)]

    def subchunks(self, form: BlockIdForm) -> tuple[bytes, ...]:
        """The sub-chunks of the column, from the floor up to the highest with a block."""
        return tuple(self.subchunk(index, form) for index in range(self.highest + 1))

    def edited(self, index: int, cell: int, layer: int, local_id: int, tick: int) -> "ColumnSnapshot":
        """The next version, with one block changed.

        ``index``: of the section, from the floor. ``cell``: of the block in it, x << 8 | z << 4 | y. ``layer``: 0 or 1.
        ``local_id``: the new block.
        """
        following = copy.copy(self)
        if layer == 0 and cell in self._entities.get(index, {}) and self._ends(index, cell, local_id):
            others = {at: content for at, content in self._entities[index].items() if at != cell}
            following._entities = self._entities | {index: others}
            following._ended = self._ended | {index: self._ended.get(index, frozenset()) | {cell}}
        layers = [list(self._layer0), list(self._layer1)]
        kept = layers[layer][index]
        blocks = np.zeros(BLOCKS_PER_SUBCHUNK, np.uint16) if kept is None else kept.astype(np.uint16)
        blocks[cell] = local_id
        layers[layer][index] = small_section(blocks)
        following._layer0, following._layer1 = layers
        following._versions = self._versions | {index: SectionVersion(self.version(index).number + 1, tick)}
        following._encoded = {
            form: {at: payload for at, payload in encoded.items() if at != index}
            for form, encoded in self._encoded.items()
        }
        following._heights = None
        if layer == 0:
            following._reopened = self._reopened | {index}
        following.highest = following._find_highest()
        return following

    def _ends(self, index: int, cell: int, local_id: int) -> bool:
        """Whether replacing a block by this one ends its block entity."""
        state_of = self._states.state_of
        return state_of(self.local_id(index, cell, 0)).name != state_of(local_id).name

    def local_id(self, index: int, cell: int, layer: int) -> int:
        """The local id in a cell of a section, counted from the floor."""
        blocks = (self._layer0, self._layer1)[layer][index]
        return 0 if blocks is None else int(blocks[cell])

    def stack(self, index: int, cell: int) -> SmallBlocks:
        """Layer 0 of the vertical stack of 16 blocks of a section, counted from the floor, that contains a cell."""
        blocks = self._layer0[index]
        return _NO_BLOCKS if blocks is None else blocks[cell & ~15 : (cell | 15) + 1]

    def _find_highest(self) -> int:
        filled = range(len(self._layer0) - 1, -1, -1)
        return next((index for index in filled if not self.is_air(index)), -1)

    def _whole(self, layer: Sequence[SmallBlocks | None]) -> BlockIds:
        """A layer's sections from the floor to the highest with a block."""
        whole = np.zeros((self.highest + 1, BLOCKS_PER_SUBCHUNK), np.uint16)
        for at, blocks in enumerate(layer[: self.highest + 1]):
            if blocks is not None:
                whole[at] = blocks
        return whole
