"""Which cells and rows a change can reach: those whose mesh, or light, may come out different.

A mesh reads blocks of its cell and those that touch them, also at edges and corners, where liquids take their heights.
"""

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.changes import ChangeBatch, ChangeKind
from client.world.pools import HAS_LIQUID
from net.space.layout import Places, SubChunkPositions
from net.space.positions import ColumnPos
from render.scene.facing import WET, Sides
from render.scene.grid import CellIndices, Grid
from render.scene.world import World

Step = int | npt.NDArray[np.int64]
AROUND: Final = tuple(offset for offset in product((-1, 0, 1), repeat=3) if any(offset))
"""Steps along x, z and y to the 26 places around one."""
SIDE_BITS: Final = ({-1: 0, 1: 1}, {-1: 2, 1: 3}, {-1: 4, 1: 5})
"""Bits of ``Sides`` by axis and step."""


@dataclass(frozen=True, slots=True)
class Reach:
    """A change batch in the scene's words.

    Attributes:
        gone: rows of removed columns.
        gone_positions: [n, 3] lowest sub-chunk of each.
        fresh: rows of added columns.
        bulk: places that show other blocks, or too many changed ones to name.
        edited: places with named changed blocks.
        edit_places: [m] place of each changed block.
        edit_cells: uint16[m] its index there.
    """

    gone: npt.NDArray[np.int64]
    gone_positions: SubChunkPositions
    fresh: npt.NDArray[np.int64]
    bulk: Places
    edited: Places
    edit_places: Places
    edit_cells: npt.NDArray[np.uint16]


def sort_changes(batch: ChangeBatch, grid: Grid) -> Reach:
    """Takes a batch apart by kind; STATE alone reaches no picture."""
    kinds = batch.kinds
    named = np.diff(batch.edit_starts)
    small = (kinds == ChangeKind.EDIT) & (named > 0)
    bulk = (kinds == ChangeKind.DATA) | ((kinds == ChangeKind.EDIT) & (named == 0))
    gone = kinds == ChangeKind.REMOVED
    every = np.repeat(batch.places, named)
    return Reach(
        gone=grid.rows_of(batch.places[gone]),
        gone_positions=batch.positions[gone],
        fresh=grid.rows_of(batch.places[kinds == ChangeKind.ADDED]),
        bulk=batch.places[bulk],
        edited=batch.places[small],
        edit_places=every[np.repeat(small, named)],
        edit_cells=batch.edits[np.repeat(small, named)],
    )


def cells_around(world: World, grid: Grid, places: Places, turned: Sides) -> CellIndices:
    """The cells of places that changed, and those beside that can notice.

    Args:
        world: the store.
        grid: its numbering.
        places: [n], all of whose blocks may be others.
        turned: what ``Facing.turn`` said of each.
    """
    found = [grid.cells_of(places)]
    for offset in AROUND:
        through = sum(1 << SIDE_BITS[axis][step] for axis, step in enumerate(offset) if step)
        seen = np.flatnonzero(turned & through == through)
        row, section = _beside(world, grid, places[seen], *offset)
        there = row > 0
        if abs(offset[0]) + abs(offset[1]) + abs(offset[2]) > 1:  # only liquids look around edges and corners
            beside = row * grid.sections + section
            wet = (world.pools.kinds[world.slot[beside]] & HAS_LIQUID != 0) | (world.layer1_slot[beside] != 0)
            there &= wet | (turned[seen] & WET != 0)
        found.append(grid.cells_at(row[there], section[there]))
    return np.unique(np.concatenate(found))


def cells_touched(world: World, grid: Grid, places: Places, blocks: npt.NDArray[np.uint16]) -> CellIndices:
    """The cells of single blocks, [n] places and indices there, and those that they touch."""
    x, z, y = blocks >> 8, blocks >> 4 & 15, blocks & 15
    steps = [np.where(axis == 0, -1, np.where(axis == 15, 1, 0)) for axis in (x, z, y)]
    found = []
    for used in product((0, 1), repeat=3):
        row, section = _beside(world, grid, places, *(step * use for step, use in zip(steps, used, strict=True)))
        found.append(grid.cells_at(row[row > 0], section[row > 0]))
    return np.unique(np.concatenate(found))


def _beside(
    world: World, grid: Grid, places: Places, dx: Step, dz: Step, dy: Step
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Row and section of the places some steps away; row and section 0 where there is none."""
    row, section = np.divmod(places.astype(np.int64), grid.sections)
    row, section = world.column_neighbours[row, (dx + 1) * 3 + dz + 1].astype(np.int64), section + dy
    there = (row > 0) & (section >= 0) & (section < grid.sections)
    return np.where(there, row, 0), np.where(there, section, 0)


def rows_beside(world: World, positions: SubChunkPositions) -> npt.NDArray[np.int64]:
    """Rows that stand beside columns which are there no longer."""
    found = {
        world.row_of.get(ColumnPos(x + dx, z + dz), 0)
        for x, _, z in positions.tolist()
        for dx, dz in ((-1, 0), (1, 0), (0, -1), (0, 1))
    }
    return np.array(sorted(found - {0}), np.int64)
