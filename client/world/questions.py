"""What a store knows, in the words of those who ask: blocks, biomes, counts. Changes nothing.

What blocks have besides their ids is asked in ``details``.
"""

import numpy as np
import numpy.typing as npt

from client.world.holdings import Holdings
from client.world.lifecycle import Knowledge
from client.world.places import NO_LIMIT
from client.world.pools import PLACEHOLDER_SLOT
from client.world.reports import BlockView, StoreStats
from net.space.layout import Biomes, BlockIds, Places, SubChunkPositions
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.biomes import SectionBiomes


class Questions:
    """Reads the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Reads these."""
        self._holdings = holdings

    # ------------------------------------------------------------ places

    def place_of(self, position: SubChunkPos) -> int:
        """The place of a sub-chunk: UNLOADED_PLACE, ABOVE_PLACE or BELOW_PLACE where it has none."""
        return self._holdings.tables.place_of(position)

    def places_of(self, positions: SubChunkPositions) -> Places:
        """As ``place_of``, for many."""
        return self._holdings.tables.places_of(positions)

    def places_of_rows(self, rows: npt.NDArray[np.int32]) -> Places:
        """The places of several columns, column by column, each lowest first."""
        return self._holdings.tables.places_of_rows(rows)

    def positions_of(self, places: Places) -> SubChunkPositions:
        """Where places of announced columns are."""
        return self._holdings.tables.positions_of(places)

    def is_placeholder(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which of these show the placeholder: bool[n]."""
        shown: npt.NDArray[np.bool_] = self._holdings.tables.slot[places] == PLACEHOLDER_SLOT
        return shown

    # ------------------------------------------------------------ blocks

    def blocks_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of one sub-chunk: uint16[4096], not to be written."""
        blocks: BlockIds = self._holdings.pools.blocks[self._holdings.tables.slot[self.place_of(position)]]
        return blocks

    def layer1_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of its second layer: uint16[4096], not to be written."""
        blocks: BlockIds = self._holdings.pools.layer1[self._holdings.tables.layer1_slot[self.place_of(position)]]
        return blocks

    def block(self, position: BlockPos) -> BlockView:
        """One block as far as it is known."""
        tables, pools = self._holdings.tables, self._holdings.pools
        place = self.place_of(position.subchunk)
        cell = position.in_subchunk
        dense = int(pools.blocks[tables.slot[place], cell])
        other = int(pools.layer1[tables.layer1_slot[place], cell])
        row = tables.row_of.get(position.column)
        outside = not tables.dimension.holds_section(position.subchunk.y)
        knowledge = Knowledge.OUTSIDE if outside else Knowledge.UNKNOWN
        if row is not None and not outside:
            knowledge = Knowledge(int(tables.state[place]))
        return BlockView.of(self._holdings.table, dense, other, knowledge)

    def waiting_changes(self, position: SubChunkPos) -> list[tuple[int, int, int]]:
        """Changes of blocks that wait for the blocks of one sub-chunk: layer, cell and dense id of each."""
        return self._holdings.kept_edits.of(self.place_of(position))

    # ------------------------------------------------------------ biomes

    def biomes_of(self, position: SubChunkPos) -> SectionBiomes:
        """Biome ids of one sub-chunk: uint16[4096], UNKNOWN_BIOME where nobody said."""
        tables = self._holdings.tables
        row = tables.row_of.get(ColumnPos(position.x, position.z), 0)
        return self._holdings.extras.section_biomes(row, position.y - tables.dimension.floor_section)

    def column_biomes(self, column: ColumnPos) -> Biomes:
        """Biome ids of one column: uint16[sections, 4096], UNKNOWN_BIOME where nobody said."""
        dimension = self._holdings.tables.dimension
        sections = range(dimension.floor_section, dimension.roof_section)
        return np.stack([self.biomes_of(SubChunkPos(column.x, y, column.z)) for y in sections])

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """Biome at the surface of each block column: uint16[256] by x << 4 | z, UNKNOWN_BIOME where nobody said.

        Taken at the top of the highest section that may hold blocks: biomes do not change above the ground.
        """
        tables = self._holdings.tables
        row = tables.row_of.get(column, 0)
        limit = int(tables.limit[row])
        return self._holdings.extras.surface_biomes(row, tables.sections - 1 if limit == NO_LIMIT else limit)

    # ------------------------------------------------------------ counts

    def stats(self) -> StoreStats:
        """A frozen snapshot."""
        holdings = self._holdings
        return holdings.tally.snapshot(
            holdings.tables, holdings.states, holdings.table, holdings.revision, len(holdings.kept_edits)
        )
