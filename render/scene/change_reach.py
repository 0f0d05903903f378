"""Which cells and rows a change can reach: those whose mesh, or light, may come out different.

A mesh reads blocks of its cell and those that touch them, also at edges and corners, where liquids take their heights.
Of a neighbour's blocks it reads the layer that touches it: opaque blocks hide faces, whatever they are, and
placeholders count as opaque. So a change behind a layer that was and is wholly opaque changes no mesh beyond it: most
arrivals underground. Of the blocks at edges and corners one lies in two or three layers, and is opaque where one of
them is.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.changes import ChangeBatch, ChangeKind
from net.space import ColumnPos, Places, SubChunkPositions
from render.scene.grid import CellIndices, Grid
from render.scene.reach_kernels import ALL_SIDES, WET, around_blocks, around_places, shut
from render.scene.world import ScenePools, SceneWorld

Sides = npt.NDArray[np.uint8]
"""[n] bits 0-5 by side -x, +x, -z, +z, below, above; bit 6 (WET) where there is liquid, or may be in a second layer."""


def shut_sides(pools: ScenePools, slots: npt.NDArray[np.int32]) -> Sides:
    """Which sides of block slots are wholly opaque."""
    found: Sides = np.empty(len(slots), np.uint8)
    shut(slots, pools.kinds, pools.opaque, found)
    return found


class Facing:
    """The sides of all places of a store as they were last looked at; shut and dry before that. Owner thread only."""

    def __init__(self) -> None:
        self.sides: Sides = np.zeros(0, np.uint8)  # [places]

    def fit(self, places: int) -> None:
        """Makes room for a store of so many places."""
        more = places - len(self.sides)
        if more > 0:
            self.sides = np.append(self.sides, np.full(more, ALL_SIDES, np.uint8))

    def forget(self, places: Places | slice) -> None:
        """Says that columns are there no longer."""
        self.sides[places] = ALL_SIDES

    def turn(self, world: SceneWorld, places: Places) -> Sides:
        """Looks at places that changed; through which sides that can be noticed, and whether there is or was liquid."""
        before, now = self.sides[places], shut_sides(world.pools, world.slot[places])
        now |= (world.layer1_slot[places] != 0) * np.uint8(WET)
        self.sides[places] = now
        return (~(before & now) & np.uint8(ALL_SIDES)) | ((before | now) & np.uint8(WET))


# ---------------------------------------------------------------- reach

EDIT, DATA, ADDED, REMOVED = map(int, (ChangeKind.EDIT, ChangeKind.DATA, ChangeKind.ADDED, ChangeKind.REMOVED))
"""Plain numbers: NumPy takes 2 us to compare with an enum's member."""


class Reach(msgspec.Struct, frozen=True):
    """A change batch in the scene's words."""

    gone: npt.NDArray[np.int64]  # rows of removed columns
    gone_positions: SubChunkPositions  # [n, 3] lowest sub-chunk of each
    fresh: npt.NDArray[np.int64]  # rows of added columns
    bulk: Places  # places that show other blocks, or too many changed ones to name
    edited: Places  # places with named changed blocks
    edit_places: Places  # [m] place of each changed block
    edit_cells: npt.NDArray[np.uint16]  # uint16[m] its index there


def sort_changes(batch: ChangeBatch, grid: Grid) -> Reach:
    """Takes a batch apart by kind; STATE alone reaches no picture."""
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


def cells_around(world: SceneWorld, grid: Grid, places: Places, turned: Sides, sides: Sides) -> CellIndices:
    """The cells of places that changed, as ``Facing.turn`` said, and those beside that can notice, in order."""
    marks, found = _room(world, grid, 27 * len(places))
    numbers = grid.floor, grid.sections, grid.low, grid.tall
    return np.sort(found[: around_places(places, turned, *numbers, world.column_neighbours, sides, marks, found)])


def cells_touched(world: SceneWorld, grid: Grid, places: Places, blocks: npt.NDArray[np.uint16]) -> CellIndices:
    """The cells of single blocks, [n] places and indices there, and those that they touch, in order."""
    marks, found = _room(world, grid, 8 * len(places))
    numbers = grid.floor, grid.sections, grid.low, grid.tall
    return np.sort(found[: around_blocks(places, blocks, *numbers, world.column_neighbours, marks, found)])


def _room(world: SceneWorld, grid: Grid, most: int) -> tuple[npt.NDArray[np.bool_], CellIndices]:
    """A mark for each cell, and room for so many cells."""
    return np.zeros(len(world.columns) * grid.tall, np.bool_), np.empty(most, np.int64)


def rows_beside(world: SceneWorld, positions: SubChunkPositions) -> npt.NDArray[np.int64]:
    """Rows that stand beside columns which are there no longer."""
    found = {
        world.row_of.get(ColumnPos(x + dx, z + dz), 0)
        for x, _, z in positions.tolist()
        for dx, dz in ((-1, 0), (1, 0), (0, -1), (0, 1))
    }
    return np.array(sorted(found - {0}), np.int64)
