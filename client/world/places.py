"""The tables of places: the row of each column, and the neighbours of each place.

Rules:
1. place = row * sections + section, with sections counted from the dimension's floor. Row 0 is for places outside the
   known columns: UNLOADED_PLACE, ABOVE_PLACE, BELOW_PLACE (``net.space``).
2. Tables double when rows run out; the arrays are then new objects, so readers must fetch them at each step.
3. Columns are found by ``row_of``, and by a grid that repeats every 256 columns: columns near each other never share a
   cell of it, and a cell of several columns is marked.
4. A removed row is not reused before ``recycle``, so within one drain a place means one thing.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.history import History
from client.world.lifecycle import SubChunkState
from client.world.slots import PoolBytes
from client.world.store_kernels import GRID, SHARED, find_places
from net.arrays import Places, Rows, SubChunkPositions
from net.space import ABOVE_PLACE, BELOW_PLACE, DIRECTIONS, UNLOADED_PLACE, ColumnPos, Dimension, SubChunkPos

FIRST_ROWS: Final = 512
NO_LIMIT: Final = -1

BY_PLACE: Final = (
    "state", "slot", "layer1_slot", "revision", "since", "sky_top", "refusal", "neighbours", "scratch", "widths",
    "palettes",
)  # fmt: skip
BY_ROW: Final = "column_neighbours", "columns", "limit", "excess_bytes", "whole"
"""Names of the arrays, by their index."""

AROUND: Final = tuple((dx, dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1))
"""The columns around one, in the order of ``column_neighbours``."""
SIDE_OF: Final = tuple(
    next((d for d in range(4) if DIRECTIONS[d][::2] == (dx, dz) and (dx or dz)), -1) for dx, dz in AROUND
)
"""The direction of each from the middle, -1 for corners and the middle."""


class PlaceTables:
    """The tables of one dimension."""

    def __init__(self, dimension: Dimension, rows: int = FIRST_ROWS) -> None:
        """Empty tables; ValueError as ``reset``."""
        self.reset(dimension, rows)

    def reset(self, dimension: Dimension, rows: int = FIRST_ROWS) -> None:
        """Empties the tables for another dimension. Raises ValueError: fewer than three sections; row 0 needs three."""
        if dimension.sections < 3:
            raise ValueError(f"dimension {dimension.name} has only {dimension.sections} sub-chunks of height")
        self.dimension = dimension  # vertical range and sky
        self.sections = dimension.sections  # number of sections in a column
        self.row_of: dict[ColumnPos, int] = {}  # the row of each announced column; read only
        self._grid = np.zeros((GRID, GRID), np.int32)
        self._free: list[int] = []
        self._let_go: list[int] = []
        self._rows = 1
        places = rows * self.sections
        self.state = np.full(places, int(SubChunkState.UNKNOWN), np.uint8)  # uint8[places] a SubChunkState each
        self.slot = np.full(places, PLACEHOLDER_SLOT, np.int32)  # int32[places] the shown block slot
        # int32[places] slot in ``block_pools.layer1``, 0 if the second layer is all air
        self.layer1_slot = np.zeros(places, np.int32)
        # int64[places] unique in the session for each content; 0 before the first content
        self.revision = np.zeros(places, np.int64)
        # float64[places] when the state last changed, monotonic seconds; 0 before the first change
        self.since = np.zeros(places, np.float64)
        # uint16[places, 16] bit z of row x: daylight enters the top of this sub-chunk if a placeholder is above
        self.sky_top = np.zeros((places, 16), np.uint16)
        self.refusal = np.zeros(places, np.uint8)  # uint8[places] the last failed result code
        # int32[places, 6] the neighbour by direction; a place of row 0 where there is none
        self.neighbours = np.full((places, 6), UNLOADED_PLACE, np.int32)
        # int32[rows, 9] rows around by (dx + 1) * 3 + dz + 1; 0 = missing, the middle is itself
        self.column_neighbours = np.zeros((rows, 9), np.int32)
        self.columns = np.zeros((rows, 2), np.int32)  # int32[rows, 2] x, z of each row in use
        # int32[rows] highest section to request, from the floor; NO_LIMIT if the server set none
        self.limit = np.full(rows, NO_LIMIT, np.int32)
        # int32[rows] bytes behind the border blocks in the last skeleton of each column
        self.excess_bytes = np.zeros(rows, np.int32)
        # bool[rows] columns that came whole, so that nothing of them can be requested
        self.whole = np.zeros(rows, np.bool_)
        self.history = History(places)  # the last events of each place
        # uint8[places] bits a block of the first layer as last received; 0 for a single block, and before any
        self.widths = np.zeros(places, np.uint8)
        self.palettes = np.zeros(places, np.uint16)  # uint16[places] entries of that layer's palette
        self.scratch = np.zeros(places, np.uint8)  # uint8[places] for the running function; zeros in between
        self.state[: self.sections] = int(SubChunkState.OUTSIDE)
        self.slot[[ABOVE_PLACE, BELOW_PLACE]] = AIR_SLOT

    # ------------------------------------------------------------ reading

    @property
    def outgrown(self) -> bool:
        """Whether the tables grew beyond their first size and no column is left."""
        return not self.row_of and len(self.columns) > FIRST_ROWS

    @property
    def touched_places(self) -> int:
        """Places of rows that were ever used."""
        return self._rows * self.sections

    def tables_memory(self) -> PoolBytes:
        """The memory of the tables; they grow with the columns, until all have gone."""
        filled = sum(array.nbytes for array in (self.state, self.slot, self.neighbours, self.limit))
        zeros = sum(getattr(self, name).nbytes for name in BY_PLACE + BY_ROW) - filled
        rows = len(self.columns)
        committed = self._grid.nbytes + filled + zeros * self._rows // rows
        used = (filled + zeros) * (len(self.row_of) + 1) // rows
        return PoolBytes("place tables", self._grid.nbytes + filled + zeros, committed, used, committed)

    @property
    def announced_rows(self) -> Rows:
        """Rows with a column, in order of arrival of their columns."""
        return np.fromiter(self.row_of.values(), np.int32, len(self.row_of))

    def places_of_row(self, row: int) -> Places:
        """The places of one column, lowest first."""
        return np.arange(row * self.sections, (row + 1) * self.sections, dtype=np.int32)

    def places_of_rows(self, rows: npt.NDArray[np.integer]) -> Places:
        """The places of several columns, column by column, each lowest first."""
        return (rows[:, None] * self.sections + np.arange(self.sections)).ravel().astype(np.int32)

    def place_of(self, position: SubChunkPos) -> int:
        """The place of a sub-chunk; one of row 0 if it is outside."""
        section = position.y - self.dimension.floor_section
        if section < 0:
            return BELOW_PLACE
        if section >= self.sections:
            return ABOVE_PLACE
        row = self.row_of.get(ColumnPos(position.x, position.z))
        return UNLOADED_PLACE if row is None else row * self.sections + section

    def places_of(self, positions: SubChunkPositions) -> Places:
        """The place of each sub-chunk, as ``place_of``."""
        places = np.empty(len(positions), np.int32)
        floor = self.dimension.floor_section
        positions = np.ascontiguousarray(positions, np.int32)
        if find_places(positions, self._grid, self.columns, floor, self.sections, places):
            for index in np.flatnonzero(places == SHARED).tolist():
                places[index] = self.place_of(SubChunkPos(*positions[index].tolist()))
        return places

    def positions_of(self, places: npt.NDArray[np.integer]) -> SubChunkPositions:
        """The positions of places of announced columns."""
        rows = places // self.sections
        positions = np.empty((len(places), 3), np.int32)
        positions[:, ::2] = self.columns[rows]
        positions[:, 1] = places - rows * self.sections + self.dimension.floor_section
        return positions

    def position_of(self, place: int) -> SubChunkPos:
        return SubChunkPos(*self.positions_of(np.array([place], np.int32))[0].tolist())

    # ------------------------------------------------------------ rows

    def add(self, column: ColumnPos) -> int:
        row = self._free.pop() if self._free else self._new_row()
        self.row_of[column] = row
        self.columns[row] = column
        cell = column.x % GRID, column.z % GRID
        self._grid[cell] = SHARED if self._grid[cell] else row
        self._link(row, column, row)
        return row

    def remove(self, column: ColumnPos) -> int:
        """Removes the column, whose slots the owner has dropped; its row cannot be reused before ``recycle``."""
        row = self.row_of.pop(column)
        cell = column.x % GRID, column.z % GRID
        if self._grid[cell] == row:
            self._grid[cell] = 0
        self._link(row, column, 0)
        places = self.places_of_row(row)
        self.state[places], self.slot[places] = int(SubChunkState.UNKNOWN), PLACEHOLDER_SLOT
        for name in ("layer1_slot", "revision", "since", "sky_top", "refusal", "widths", "palettes"):
            getattr(self, name)[places] = 0
        self.limit[row], self.excess_bytes[row], self.whole[row] = NO_LIMIT, 0, False
        self.history.clear(places)
        self._let_go.append(row)
        return row

    def recycle(self) -> None:
        """Makes removed rows available again."""
        if self._let_go and not self.row_of:
            self.history.rest()
        self._free.extend(self._let_go)
        self._let_go.clear()

    def _new_row(self) -> int:
        if self._rows == len(self.columns):
            self._grow()
        self._rows += 1
        return self._rows - 1

    def _grow(self) -> None:
        bigger = PlaceTables(self.dimension, 2 * len(self.columns))
        for name in BY_PLACE + BY_ROW:
            array, before = getattr(bigger, name), getattr(self, name)
            array[: len(before)] = before
            setattr(self, name, array)
        self.history.grow(len(self.state))

    # ------------------------------------------------------------ neighbours

    def _link(self, row: int, column: ColumnPos, seen_as: int) -> None:
        """Sets the neighbours of a column and of those around it; ``seen_as`` 0: it is removed."""
        height = self.sections
        first = row * height
        own = slice(first, first + height)
        numbers = np.arange(first, first + height, dtype=np.int32)
        self.neighbours[own] = UNLOADED_PLACE
        self.column_neighbours[row] = 0
        if seen_as:
            self.neighbours[own, 4] = numbers - 1
            self.neighbours[own, 5] = numbers + 1
            self.neighbours[first, 4] = BELOW_PLACE
            self.neighbours[first + height - 1, 5] = ABOVE_PLACE
        for index, (dx, dz) in enumerate(AROUND):
            other = self.row_of.get((column.x + dx, column.z + dz))  # type: ignore[call-overload]  # a tuple finds it
            if other is None:
                continue
            self.column_neighbours[other, 8 - index] = seen_as
            if seen_as:
                self.column_neighbours[row, index] = other
            direction = SIDE_OF[index]
            if direction >= 0:
                theirs = slice(other * height, other * height + height)
                self.neighbours[theirs, direction ^ 1] = numbers if seen_as else UNLOADED_PLACE
                if seen_as:
                    self.neighbours[own, direction] = np.arange(theirs.start, theirs.stop, dtype=np.int32)
