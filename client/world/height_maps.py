"""The surface of each column, where rain stops, from height maps and blocks.

Rules:
1. ``tops`` holds absolute y, one above the top block that dims light; the floor of the dimension where none does;
   UNKNOWN_TOP where it is unknown or refuted. Reading finds unknown values in the blocks, down to a placeholder.
2. Each height map is compared once with the blocks that came with it, before anything else changes them. The verdict of
   a place is that of its last answer.
3. A map that contradicts its blocks is counted and not used: known blocks override height maps, also those that were
   known before the map came. Maps that give y itself are used with one added.
4. Our block table decides which blocks count. If a server counts others, its values only make those unknown that they
   refute.

Light reads ``sky_top`` instead: what enters a sub-chunk below a placeholder. Limit: 512 bytes a column.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_pools import PLACEHOLDER_SLOT, BlockPools
from client.world.block_table import BlockTable
from client.world.lifecycle import SubChunkState
from client.world.places import PlaceTables
from client.world.slots import PoolBytes, longer
from net.arrays import Places
from net.subchunk.height_kernels import UNKNOWN_TOP, edit_surface, find_surface, take_maps
from net.subchunk.heights import VERDICT_OF_FITS, HeightAnswer, HeightVerdict
from net.subchunk.storage import HeightMaps as Maps
from net.subchunk.storage import Tops, TopTable

__all__ = ["UNKNOWN_TOP", "HeightMaps", "HeightVerdict"]

DAYLIGHT: Final = 3  # number of the channel
WHOLE_MAP: Final = np.arange(256, dtype=np.int64)

TOLD_AIR: Final = np.zeros(256, np.uint8)
TOLD_AIR[[SubChunkState.KNOWN_AIR, SubChunkState.ALL_AIR]] = 1


class HeightMaps:
    """Surfaces by row and verdicts by place; owned by the store."""

    def __init__(self, table: BlockTable, pools: BlockPools, tables: PlaceTables) -> None:
        self._table = table
        self._pools = pools
        self._scratch = np.empty(256, np.uint16), np.empty(256, np.int8)
        self.counted = np.zeros(len(HeightVerdict), np.int64)  # int64[verdicts] answers by verdict so far
        self._tables = tables
        self.reset()

    @property
    def _dims(self) -> npt.NDArray[np.uint8]:
        dims: npt.NDArray[np.uint8] = self._table.opacity[DAYLIGHT]
        return dims

    def reset(self) -> None:
        """Forgets all, for another dimension. Counts go on."""
        # int16[rows, 256] by z << 4 | x; rows without a column are meaningless
        self.tops: TopTable = np.empty((0, 256), np.int16)
        self.verdict = np.empty(0, np.uint8)  # uint8[places] a HeightVerdict each
        self.kind = np.empty(0, np.uint8)  # uint8[places] HeightKind of the last answer
        self._resize()

    def clear(self, row: int) -> None:
        """Forgets a row, for a new column or one that comes whole."""
        self._resize()
        self.tops[row] = UNKNOWN_TOP
        places = self._tables.places_of_row(row)
        self.verdict[places] = HeightVerdict.NONE_SAID
        self.kind[places] = HeightAnswer.NONE

    def memory(self) -> PoolBytes:
        size = self.tops.nbytes + self.verdict.nbytes + self.kind.nbytes
        used = size * (len(self._tables.row_of) + 1) // max(len(self.tops), 1)
        return PoolBytes("height maps", size, size, used, size)

    def _resize(self) -> None:
        places = len(self._tables.state)
        if places > len(self.verdict):
            self.tops = longer(self.tops, places // self._tables.sections, UNKNOWN_TOP)
            self.verdict, self.kind = longer(self.verdict, places), longer(self.kind, places)

    # ------------------------------------------------------------ received

    def take(self, places: Places, kinds: npt.NDArray[np.uint8], maps: Maps) -> None:
        """Applies height maps of answers whose blocks were just applied.

        ``places``: int32[n] each once. ``kinds``: uint8[n] a HeightKind each, with ``maps``, int8[those of kind DATA,
        256], from ``net.subchunk.heights.joined_maps``.
        """
        self._resize()
        tables, pools, sections = self._tables, self._pools, self._tables.sections
        self.kind[places] = kinds
        undecodable = int(SubChunkState.UNDECODABLE)  # an enum member costs Numba 25 us a call (measured)
        take_maps(
            pools.blocks, pools.layer1, tables.slot.reshape(-1, sections), tables.layer1_slot.reshape(-1, sections),
            PLACEHOLDER_SLOT, tables.state.reshape(-1, sections), TOLD_AIR, undecodable, self._dims, places, kinds,
            maps, tables.dimension.floor_y_blocks, VERDICT_OF_FITS, self.verdict, self.counted, self.tops,
            *self._scratch,
        )  # fmt: skip

    def whole(self, row: int) -> None:
        """Finds the surface of a column that came whole, without height maps."""
        self.clear(row)
        self._find(row, WHOLE_MAP, self.tops[row])

    def edit(self, places: Places, cells: npt.NDArray[np.int64]) -> None:
        """Updates the surface after blocks of either layer changed: int32[n] places, int64[n] cells."""
        tables, pools = self._tables, self._pools
        edit_surface(
            pools.blocks, pools.layer1, tables.slot.reshape(-1, tables.sections), tables.layer1_slot.reshape(-1,
            tables.sections), PLACEHOLDER_SLOT, self._dims, places, cells, tables.dimension.floor_y_blocks,
            self.tops,
        )  # fmt: skip

    # ------------------------------------------------------------ read

    def column(self, row: int) -> Tops:
        """The surface of a column: int16[256] by z << 4 | x, y one above the top block; UNKNOWN_TOP where unknown."""
        tops: Tops = self.tops[row].copy()
        self._find(row, np.flatnonzero(tops == UNKNOWN_TOP).astype(np.int64), tops)
        return tops

    def _find(self, row: int, cells: npt.NDArray[np.int64], tops: Tops) -> None:
        tables = self._tables
        places = slice(row * tables.sections, (row + 1) * tables.sections)
        find_surface(
            self._pools.blocks, self._pools.layer1, tables.slot[places], tables.layer1_slot[places],
            PLACEHOLDER_SLOT, self._dims, cells, tables.dimension.floor_y_blocks, tops,
        )  # fmt: skip
