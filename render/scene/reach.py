"""Which cells and rows a change can reach."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from client.world.changes import ChangeBatch, ChangeKind
from net.space.layout import Places, SubChunkPositions
from net.space.positions import ColumnPos
from render.scene.grid import CellIndices, Grid
from render.scene.world import World


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


def cells_around(world: World, grid: Grid, places: Places) -> CellIndices:
    """The cells of places and of the six places beside each: whose faces their blocks hide or open."""
    beside = world.neighbours[places].ravel()
    return np.unique(np.concatenate([grid.cells_of(places), grid.cells_of(beside)]))


def cells_of_columns(world: World, grid: Grid, rows: npt.NDArray[np.int64]) -> CellIndices:
    """All cells of rows and of the four columns beside each."""
    around = world.column_neighbours[rows][:, [1, 3, 4, 5, 7]].ravel()
    return grid.cells_of_rows(np.unique(around[around > 0]))


def rows_beside(world: World, positions: SubChunkPositions) -> npt.NDArray[np.int64]:
    """Rows that stand beside columns which are there no longer."""
    found = {
        world.row_of.get(ColumnPos(x + dx, z + dz), 0)
        for x, _, z in positions.tolist()
        for dx, dz in ((-1, 0), (1, 0), (0, -1), (0, 1))
    }
    return np.array(sorted(found - {0}), np.int64)
