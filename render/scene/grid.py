"""Numbering of a store's places and render cells, and which of them a change can reach.

Theory. A store numbers places ``row * sections + section``. A render cell is 32 blocks tall at multiples of 32,
whatever the floor, so a column has ``tall`` cells, from cell y ``low``; half of the lowest and of the highest one may
be
outside the dimension. Cells are numbered ``row * tall + cell y - low``. Row 0 belongs to no column, nor do its cells.

Reach: a change reaches the cells and rows whose mesh, or light, may become different.

A mesh reads blocks of its cell and those that touch them, also at edges and corners, where liquids take their heights.
Of a neighbour's blocks it reads the layer that touches it: opaque blocks hide faces, whatever they are, and
placeholders count as opaque. So a change behind a layer that was and is wholly opaque changes no mesh beyond it, which
is true of most arrivals underground. A block at an edge or corner is in two or three layers, and is opaque if one of
them is.
"""

from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_pools import BlockPools
from client.world.changes import ChangeBatch, ChangeKind
from client.world.slots import longer
from client.world.store import Store
from net.arrays import F64, I32, I64, U8, U16, Bools, Places, SubChunkPositions
from net.space import BlockPos, ColumnPos, Dimension
from render.camera import Vector
from render.scene.reach_kernels import (
    ALL_SIDES,
    MIDDLE,
    WET,
    around_blocks,
    around_places,
    place_cells,
    shut,
    stack_places,
)

CellIndices = I64
"""[n] numbers of render cells, see the module docstring."""
NO_NEIGHBOURS: Final = np.zeros((0, 9), np.int32)


class Grid(msgspec.Struct, frozen=True):
    """The numbering of one dimension."""

    floor: int  # absolute y of the lowest sub-chunk
    sections: int  # sub-chunks in a column
    low: int  # y of the lowest render cell
    tall: int  # render cells in a column

    @classmethod
    def of(cls, dimension: Dimension) -> "Grid":
        low = dimension.floor_section >> 1
        return cls(dimension.floor_section, dimension.sections, low, (dimension.roof_section - 1 >> 1) - low + 1)

    def rows_of(self, places: npt.NDArray[np.integer[Any]]) -> I64:
        return places.astype(np.int64) // self.sections

    def cells_of(self, places: npt.NDArray[np.integer[Any]]) -> CellIndices:
        """Number of the render cell that holds each place; places of row 0 are left out."""
        wide = places[places >= self.sections].astype(np.int64)
        height = (wide % self.sections + self.floor >> 1) - self.low
        return wide // self.sections * self.tall + height

    def cells_of_rows(self, rows: npt.NDArray[np.integer[Any]]) -> CellIndices:
        return (rows.astype(np.int64)[:, None] * self.tall + np.arange(self.tall)).ravel()

    def positions_of_columns(self, columns: I32) -> I32:
        """[n, 3] positions of the sub-chunks of columns at these positions, column by column, lowest first."""
        positions = np.empty((len(columns), self.sections, 3), np.int32)
        positions[:, :, ::2] = columns[:, None]
        positions[:, :, 1] = np.arange(self.sections) + self.floor
        return positions.reshape(-1, 3)

    def distances(self, places: npt.NDArray[np.integer[Any]], columns: I32, eye: Vector) -> F64:
        """[n] squared distances of places' middles from an eye, in blocks; ``columns`` is the store's [rows, 2]."""
        rows, sections = np.divmod(places, self.sections)
        across = columns * 16.0 + 8.0 - np.array([eye[0], eye[2]])
        up = (np.arange(self.sections) + self.floor) * 16.0 + 8.0 - eye[1]
        return (across * across).sum(axis=1)[rows] + (up * up)[sections]

    def cell_positions(self, cells: CellIndices, columns: I32) -> I32:
        positions = np.empty((len(cells), 3), np.int32)
        place_cells(cells, self.low, self.tall, columns, positions)
        return positions

    def own_places(self, cells: CellIndices) -> I32:
        """[n, 2] the two places of each cell, lower first; ABOVE or BELOW if one is outside the dimension."""
        return self._stacked(cells, 0, 2, range(MIDDLE, MIDDLE + 1), NO_NEIGHBOURS)[:, 0]

    def neighbourhoods(self, cells: CellIndices, column_neighbours: I32) -> I32:
        """[n, 36] places by ``((dx + 1) * 3 + dz + 1) * 4 + k``, k the section 2 * cell y - 1 + k."""
        return self._stacked(cells, -1, 4, range(9), column_neighbours).reshape(len(cells), 36)

    def _stacked(self, cells: CellIndices, first: int, count: int, which: range, column_neighbours: I32) -> I32:
        """[n, rows a cell, count] places of sections ``2 * cell y + first`` upwards, in ``which`` of the nine rows."""
        places = np.empty((len(cells), len(which), count), np.int32)
        rows = which.start, which.stop
        stack_places(cells, self.floor, self.sections, self.low, self.tall, first, *rows, column_neighbours, places)
        return places


# --------------------------------------------------------------------- change reach

Sides = U8
"""[n] bits 0-5 by side -x, +x, -z, +z, below, above; bit 6 (WET): it has liquid, or may in a second layer."""


def shut_sides(pools: BlockPools, slots: I32) -> Sides:
    """Which sides of block slots are wholly opaque."""
    found: Sides = np.empty(len(slots), np.uint8)
    shut(slots, pools.kinds, pools.opaque, found)
    return found


class Facing:
    """The last known sides of all places of a store; initially shut and dry. Owner thread only."""

    def __init__(self) -> None:
        self.sides: Sides = np.zeros(0, np.uint8)  # [places]

    def resize(self, places: int) -> None:
        self.sides = longer(self.sides, places, ALL_SIDES)

    def forget(self, places: Places | slice) -> None:
        self.sides[places] = ALL_SIDES

    def update(self, world: Store, places: Places) -> Sides:
        """Updates changed places; returns sides through which the change is visible, and whether liquid is involved."""
        before, now = self.sides[places], shut_sides(world.pools, world.slot[places])
        now |= (world.layer1_slot[places] != 0) * np.uint8(WET)
        self.sides[places] = now
        return (~(before & now) & np.uint8(ALL_SIDES)) | ((before | now) & np.uint8(WET))


# ---------------------------------------------------------------- reach

EDIT, DATA, ADDED, REMOVED = map(int, (ChangeKind.EDIT, ChangeKind.DATA, ChangeKind.ADDED, ChangeKind.REMOVED))
"""Plain numbers: NumPy takes 2 us to compare with an enum's member."""


class Reach(msgspec.Struct, frozen=True):
    """A change batch as the scene needs it."""

    gone: I64  # rows of removed columns
    gone_positions: SubChunkPositions  # [n, 3] lowest sub-chunk of each
    fresh: I64  # rows of added columns
    bulk: Places  # places with other blocks, or with too many changed ones to list
    edited: Places  # places with listed changed blocks
    edit_places: Places  # [m] place of each changed block
    edit_cells: U16  # uint16[m] its index in the place


def sort_changes(batch: ChangeBatch, grid: Grid) -> Reach:
    """Splits a batch by kind; STATE alone changes no picture."""
    kinds = batch.kinds
    named = np.diff(batch.edit_starts)
    small = (kinds == EDIT) & (named > 0)
    bulk = (kinds == DATA) | ((kinds == EDIT) & (named == 0))
    gone = kinds == REMOVED
    every = np.repeat(batch.places, named)
    return Reach(
        gone=grid.rows_of(batch.places[gone]),
        gone_positions=batch.positions[gone],
        fresh=grid.rows_of(batch.places[kinds == ADDED]),
        bulk=batch.places[bulk],
        edited=batch.places[small],
        edit_places=every[np.repeat(small, named)],
        edit_cells=batch.edits[np.repeat(small, named)],
    )


def cells_around(world: Store, grid: Grid, places: Places, opened: Sides, sides: Sides) -> CellIndices:
    """The cells of changed places, ``Facing.update`` given, and neighbours that the change affects, sorted."""
    marks, found = _space(world, grid, 27 * len(places))
    numbers = grid.floor, grid.sections, grid.low, grid.tall
    return np.sort(found[: around_places(places, opened, *numbers, world.column_neighbours, sides, marks, found)])


def cells_touched(world: Store, grid: Grid, places: Places, blocks: U16) -> CellIndices:
    """The cells of single blocks, [n] places and indices in them, and the cells that they touch, sorted."""
    marks, found = _space(world, grid, 8 * len(places))
    numbers = grid.floor, grid.sections, grid.low, grid.tall
    return np.sort(found[: around_blocks(places, blocks, *numbers, world.column_neighbours, marks, found)])


def _space(world: Store, grid: Grid, most: int) -> tuple[Bools, CellIndices]:
    """An array of marks for all cells, and an array for so many cells."""
    return np.zeros(len(world.columns) * grid.tall, np.bool_), np.empty(most, np.int64)


def dense_at(world: Store, block: BlockPos) -> int:
    """The dense id of a block; 0 outside of the announced columns."""
    place = world.place_of(block.subchunk)
    return int(world.pools.blocks[world.slot[place], block.in_subchunk]) if place >= world.sections else 0


def rows_beside(world: Store, positions: SubChunkPositions) -> I64:
    found = {
        world.row_of.get(ColumnPos(x + dx, z + dz), 0)
        for x, _, z in positions.tolist()
        for dx, dz in ((-1, 0), (1, 0), (0, -1), (0, 1))
    }
    return np.array(sorted(found - {0}), np.int64)
