"""What one step of the light twin deals with: columns that changed, those around them that are lit, their bricks."""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_pools import ALL_OPAQUE
from net.space.layout import Places
from render.gpu.light_twin import COLUMN_WORDS, LOST, NO_BRICK, RAISE, RESET, SEAT_WORDS, TwinStep
from render.gpu.paged import PagedVolume
from render.scene.grid import Grid
from render.scene.twin_memory import Rows, TwinMemory
from render.scene.twin_reach import seats_reached
from render.scene.world import World

SHINES: Final = 1  # of a slot's flags


def step_of(
    world: World, grid: Grid, memory: TwinMemory, light: PagedVolume, rows: Rows
) -> tuple[Rows, Places, TwinStep]:
    """A step that lights rows: all columns that take part, rows first; the places of its seats; the step.

    Args:
        world: the store.
        grid: numbering of its dimension.
        memory: what is pending; the edits of these rows are taken out of it.
        light: gets bricks for all that may be lit.
        rows: pending.
    """
    columns = np.concatenate([rows, _lit_around(world, memory, rows)])
    tall = _height(memory, rows)
    places = (columns[:, None] * memory.sections + np.arange(tall)).reshape(-1).astype(np.int32)
    step = TwinStep(
        columns=_columns(world, memory, columns),
        changed=len(rows),
        tall=tall,
        sections=memory.sections,
        floor=grid.floor,
        seats=_seats(world, grid, memory, light, places),
        modes=_modes(world, memory, rows, places, tall),
    )
    return columns, places, step


def _lit_around(world: World, memory: TwinMemory, rows: Rows) -> Rows:
    marks = np.zeros(len(memory.lit), np.bool_)
    marks[world.column_neighbours[rows].ravel()] = True
    marks[0] = marks[rows] = False
    return np.flatnonzero(marks & memory.lit)


def _height(memory: TwinMemory, rows: Rows) -> int:
    """Sections from the floor that a step needs: one over the highest change; light goes up by no more."""
    highest = np.flatnonzero(memory.pending_by_row()[rows].any(axis=0))[-1]
    return int(min(highest + 2, memory.sections))


def _columns(world: World, memory: TwinMemory, columns: Rows) -> npt.NDArray[np.int32]:
    number = np.full(len(memory.lit), -1, np.int32)
    number[columns] = np.arange(len(columns), dtype=np.int32)
    words = np.empty((len(columns), COLUMN_WORDS), np.int32)
    words[:, :2] = world.columns[columns]
    words[:, 2:] = number[world.column_neighbours[columns]]
    return words


def _seats(world: World, grid: Grid, memory: TwinMemory, light: PagedVolume, places: Places) -> npt.NDArray[np.uint32]:
    """Bricks for all that may be lit; the rest is dark, and says so."""
    pools, slots = world.pools, world.slot[places]
    dark = ((pools.kinds[slots] & ALL_OPAQUE) != 0) & ((pools.flags[slots] & SHINES) == 0)
    positions = grid.positions_of(places, world.columns)
    light.set_uniform(positions[dark], np.zeros(int(dark.sum()), np.uint32))
    seats = np.zeros((len(places), SEAT_WORDS), np.uint32)
    seats[:, 0] = NO_BRICK
    if not dark.all():
        seats[~dark, 0], seats[~dark, 1] = light.hold(positions[~dark])
    entering = memory.entries[places].astype(np.uint32)
    seats[:, 2:] = entering[:, 0::2] | entering[:, 1::2] << np.uint32(16)
    return seats


def _modes(world: World, memory: TwinMemory, rows: Rows, places: Places, tall: int) -> npt.NDArray[np.uint32]:
    modes = np.zeros(len(places), np.uint32)
    own = len(rows) * tall
    modes[:own] = memory.pending[places[:own]] & (RAISE | LOST)
    mine = np.isin(memory.edits[:, 0] // memory.sections, rows)
    edits, memory.edits = memory.edits[mine], memory.edits[~mine]
    seat_of = np.full(len(memory.pending), -1, np.int64)
    seat_of[places] = np.arange(len(places))
    modes[seats_reached(edits, world, seat_of, memory.sections)] |= RESET
    return modes
