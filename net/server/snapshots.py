"""One column as a server hands it out: bytes made once and sent to every client alike (seed 003).

Rules:
1. A snapshot is of one version of its column. An edit makes another snapshot; the bytes of the sections that did not
   change are taken over.
2. Sub-chunks are encoded when they are first asked for: most of the ground below never is.
3. Sections are counted from the dimension's floor here; the wire's absolute number is put in when encoding.
4. Blocks are kept small: no air above the highest block, one byte a block while local ids allow it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from net.server.local_states import LocalStates
from net.server.worlds.world import GeneratedColumn
from net.space.dimensions import Dimension
from net.space.layout import BLOCKS_PER_SUBCHUNK, BlockIds
from net.subchunk.biome_tail import write_section_tail, write_tail
from net.subchunk.heights import HeightKind, column_surface, section_heights

NO_BORDERS: Final = b"\0"
"""The count of border blocks that ends each column."""

SUBCHUNK_VERSION: Final = 9
"""Of what is sent; without storages it is all air (wire.md 3.1)."""
SmallBlocks = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
"""[sections, 4096] local ids, in as few bytes as they need."""


@dataclass(frozen=True, slots=True)
class WireForm:
    """What bytes depend on besides the blocks.

    Attributes:
        states: local ids and what they are on the wire.
        dimension: where its sections count from.
        biome_sections: biome storages in a skeleton; 25 in an overworld of 24 sections up to protocol 486.
    """

    states: LocalStates
    dimension: Dimension
    biome_sections: int


class ColumnSnapshot:
    """One version of one column; see the module."""

    def __init__(self, column: GeneratedColumn, form: WireForm, version: int = 0) -> None:
        self.version = version
        self.biomes = column.biomes
        self._section_biomes = column.section_biomes
        self._form = form
        filled = np.asarray(column.layer0.any(axis=1))
        if column.layer1 is not None:
            filled |= column.layer1.any(axis=1)
        self._filled: list[bool] = filled.tolist()
        self.highest = max((index for index, full in enumerate(self._filled) if full), default=-1)
        """Index of the highest section with a block, from the floor; -1 for none."""
        self._layer0 = _small(column.layer0[: self.highest + 1])
        self._layer1 = None if column.layer1 is None else _small(column.layer1[: self.highest + 1])
        self._encoded: dict[int, bytes] = {}
        self._heights: list[tuple[HeightKind, bytes | None]] | None = None
        self._tail: bytes | None = None

    def is_air(self, index: int) -> bool:
        """Whether a section, counted from the floor, holds no block at all."""
        return not self._filled[index]

    def subchunk(self, index: int) -> bytes:
        """A section, counted from the floor, as the payload of an answer."""
        found = self._encoded.get(index)
        if found is None:
            part = slice(index, index + 1)
            second = None if self._layer1 is None else self._layer1[part].astype(np.uint16)
            section = self._form.dimension.floor_section + index
            made = self._form.states.encoder.encode(self._layer0[part].astype(np.uint16), second, section)[0]
            # A whole column must say something for each section below its highest block.
            found = made or bytes((SUBCHUNK_VERSION, 0, section & 0xFF))
            self._encoded[index] = found
        return found

    def heights(self, index: int) -> tuple[HeightKind, bytes | None]:
        """What an answer for a section says about the height map."""
        if self._heights is None:
            self._heights = self._all_heights()
        return self._heights[index]

    def _all_heights(self) -> list[tuple[HeightKind, bytes | None]]:
        second = None if self._layer1 is None else self._layer1.astype(np.uint16)
        tops = column_surface(self._layer0.astype(np.uint16), second, self._form.states.stops_light)
        lowest, highest = int(tops.min()) >> 4, int(tops.max()) >> 4
        return [
            (HeightKind.ALL_TOO_HIGH, None)
            if index < lowest
            else (HeightKind.ALL_TOO_LOW, None)
            if index > highest
            else section_heights(tops, index)
            for index in range(self._form.dimension.sections)
        ]

    def skeleton(self) -> bytes:
        """Payload of a skeleton: biome storages and the border byte."""
        if self._tail is None:
            below = self._section_biomes
            count = self._form.biome_sections
            self._tail = write_tail(self.biomes, count) if below is None else write_section_tail(below, count)
        return self._tail

    def biome_blob(self) -> bytes:
        """All biome storages, without the border byte: what the blob cache names by one id (wire.md 4)."""
        return self.skeleton()[: -len(NO_BORDERS)]

    def subchunks(self) -> tuple[bytes, ...]:
        """The sub-chunks of a whole column, from the floor up to the highest with a block."""
        return tuple(self.subchunk(index) for index in range(self.highest + 1))

    def edited(self, index: int, cell: int, layer: int, local_id: int) -> "ColumnSnapshot":
        """The next version, one block changed.

        Args:
            index: of the section, from the floor.
            cell: of the block in it, x << 8 | z << 4 | y.
            layer: 0 or 1.
            local_id: what it becomes.
        """
        layers = [self._whole_layer(self._layer0), self._whole_layer(self._layer1)]
        layers[layer][index, cell] = local_id
        second = layers[1] if layers[1].any() else None
        following = ColumnSnapshot(
            GeneratedColumn(layers[0], second, self.biomes, self._section_biomes), self._form, self.version + 1
        )
        following._encoded = {at: data for at, data in self._encoded.items() if at != index}
        following._tail = self._tail
        return following

    def local_id(self, index: int, cell: int, layer: int) -> int:
        """What stands at a place of a section, counted from the floor."""
        blocks = self._layer0 if layer == 0 else self._layer1
        return 0 if blocks is None or index >= len(blocks) else int(blocks[index, cell])

    def _whole_layer(self, kept: SmallBlocks | None) -> BlockIds:
        """A layer from floor to roof, to be written to."""
        layer = np.zeros((self._form.dimension.sections, BLOCKS_PER_SUBCHUNK), np.uint16)
        if kept is not None:
            layer[: len(kept)] = kept
        return layer


def _small(blocks: BlockIds) -> SmallBlocks:
    """A copy in one byte a block if all ids fit."""
    return blocks.astype(np.uint8) if not blocks.size or blocks.max() < 256 else blocks.copy()
