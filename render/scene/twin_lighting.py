"""Light made on the GPU: which block bricks changed since they were lit, and the steps of the twin that light them.

What the block-ID bricks hold is the world here. So a sub-chunk is marked when its brick is written, and a step is
submitted in the same frame, behind the uploads: the picture never shows blocks without their light.

Rules:
1. A row is lit when all of it is on the GPU: a sub-chunk without a brick would read as air.
2. Where known blocks were replaced, or daylight from above is gone, light may have been lost: all within reach begins
   anew. Placeholders that became known only add light. Single blocks reach 14 cells, counted along the axes.
3. A row that leaves the GPU and comes back counts as replaced: what happened to it meanwhile is not known here.
4. Bricks that turn out to have one value give their memory back when the step's flags have arrived, a frame later.

Owner thread only.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.seats import places_of, skies
from client.light.tables import LightTables
from client.world.block_pools import IS_PLACEHOLDER
from client.world.interface import Table
from net.frozen import frozen
from net.space.layout import Places
from render.gpu.device import Gpu
from render.gpu.light_twin import LOST, MIXED, MOST_SEATS, NO_BRICK, RAISE, UNTOUCHED, LightTwin, TwinFlags, TwinStep
from render.gpu.paged import PagedVolume
from render.scene.grid import Grid
from render.scene.twin_memory import Rows, TwinMemory
from render.scene.twin_reach import rows_around
from render.scene.twin_steps import step_of
from render.scene.world import World

OLDEST_FLAGS: Final = 3  # steps after which flags are waited for
EDITED: Final = 8  # of what is pending: single blocks, named in ``_edits``

Vector = tuple[float, float, float]


@frozen
class TwinStats:
    """What the twin did: steps submitted, columns lit, bricks that took part, bricks freed by their flags."""

    steps: int
    columns: int
    bricks: int
    freed: int


@dataclass(slots=True)
class _OnItsWay:
    """Flags of a step: the places of its seats, and how many scene steps ago it was."""

    number: int
    places: Places
    flags: TwinFlags
    age: int = 0


class TwinLighting:
    """The light of one attached store's bricks."""

    def __init__(self, gpu: Gpu, blocks: PagedVolume, light: PagedVolume, most_columns: int = 64) -> None:
        """Compiles the twin.

        Args:
            gpu: of GL 4.3 or more.
            blocks: block ids.
            light: written here and by nobody else.
            most_columns: changed columns in one step.
        """
        self._most_columns = most_columns
        self._twin = LightTwin(gpu, blocks, light)
        self._light = light
        self._tables: tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]] | None = None
        self._counts = [0, 0, 0, 0]
        self._number = 0
        self._on_their_way: list[_OnItsWay] = []
        self._memory = TwinMemory(1)

    # ------------------------------------------------------------ what happened

    def restart(self, world: World) -> None:
        """Forgets everything; the volumes are empty."""
        for step in self._on_their_way:
            step.flags.drop()
        self._on_their_way.clear()
        self._memory = TwinMemory(world.dimension.sections)
        self.fit(world)

    def fit(self, world: World) -> None:
        """Makes room for a store that has grown."""
        self._memory.fit(len(world.columns))

    def written(self, places: Places) -> None:
        """Says that these sub-chunks' block ids went up."""
        self._memory.pending[places] |= np.where(self._memory.obstructed[places], RAISE, RAISE | LOST).astype(np.uint8)

    def edited(self, places: Places, cells: npt.NDArray[np.uint16]) -> None:
        """Says that these went up, and that single blocks are all that changed in them: [n] of both."""
        self._memory.pending[places] |= EDITED
        self._memory.edits = np.concatenate([self._memory.edits, np.column_stack([places, cells]).astype(np.int64)])

    def gone(self, world: World, rows: Rows, columns: npt.NDArray[np.int32]) -> None:
        """Says that columns were removed: the rows they had, and int32[n, 2] where they were."""
        self._memory.forget(rows)
        self._memory.obstructed[self._memory.places_of(rows)] = True
        around = rows_around(world, columns)
        around = around[self._memory.lit[around]]
        # Not only they begin anew but all within reach: they have their turns apart, and what one of them still holds
        # of the lost light must not stay in those that had theirs.
        self._memory.pending[self._memory.places_of(around)] |= LOST

    def left(self, places: Places) -> None:
        """Says that whole columns are not on the GPU any more, or that they are gone (``gone`` is told, too)."""
        self._memory.forget(np.unique(places // self._memory.sections).astype(np.int64))

    @property
    def idle(self) -> bool:
        """Whether all that was written is lit."""
        return not self._memory.pending.any()

    @property
    def behind(self) -> Rows:
        """Rows that are not lit as they are."""
        return np.flatnonzero(self._memory.pending_by_row().any(axis=1))

    def stats(self) -> TwinStats:
        """A snapshot."""
        return TwinStats(*self._counts)

    # ------------------------------------------------------------ steps

    def step(self, world: World, grid: Grid, eye: Vector, held: npt.NDArray[np.bool_]) -> Rows:
        """Lights what is ready, single edits first, then nearest first; gives the rows that are lit now.

        Args:
            world: the store.
            grid: numbering of its dimension.
            eye: what is near.
            held: bool[places] sub-chunks whose block ids are not on the GPU as they are.
        """
        self._collect(world, grid)
        rows = self._next(world, eye, held)
        if not len(rows):
            return rows
        self._shade(world, rows)
        self._refresh_tables(world.table)
        columns, places, step = step_of(world, grid, self._memory, self._light, rows)
        self._light.flush()
        self._submit(places, step)
        self._settle(world, rows, columns)
        return rows

    def release(self) -> None:
        """Frees the GL objects."""
        for step in self._on_their_way:
            step.flags.drop()
        self._on_their_way.clear()
        self._twin.release()

    def _next(self, world: World, eye: Vector, held: npt.NDArray[np.bool_]) -> Rows:
        """Rows to light now."""
        by_row = self._memory.pending_by_row()
        waits = held[: len(self._memory.pending)].reshape(-1, self._memory.sections).any(axis=1)
        rows = np.flatnonzero(by_row.any(axis=1) & ~waits)
        if not len(rows):
            return rows
        urgent = (by_row[rows] & EDITED).any(axis=1)
        offset = world.columns[rows] * 16.0 + 8.0 - np.array([eye[0], eye[2]])
        order = np.lexsort(((offset * offset).sum(axis=1), ~urgent))
        most = max(1, min(self._most_columns, MOST_SEATS // (9 * self._memory.sections)))
        return np.sort(rows[order[:most]])

    def _shade(self, world: World, rows: Rows) -> None:
        """Marks sub-chunks into whose tops less daylight comes than when they were lit."""
        places = places_of(rows.astype(np.int32), self._memory.sections)
        found = skies(world, places, world.slot[places])
        through = found.through
        lit = np.repeat(self._memory.lit[rows], self._memory.sections)
        shaded = lit & (self._memory.through[places] & ~through).any(axis=1)
        grown = lit & (through & ~self._memory.through[places]).any(axis=1)
        self._memory.pending[places[shaded]] |= RAISE | LOST
        self._memory.pending[places[grown]] |= RAISE
        self._memory.through[places], self._memory.entries[places] = through, found.entries

    def _submit(self, places: Places, step: TwinStep) -> None:
        self._number += 1
        self._memory.last[places] = np.where(step.seats[:, 0] == NO_BRICK, 0, self._number)
        self._on_their_way.append(_OnItsWay(self._number, places, self._twin.run(step)))
        self._counts[0] += 1
        self._counts[1] += step.changed
        self._counts[2] += int((step.seats[:, 0] != NO_BRICK).sum())

    def _settle(self, world: World, rows: Rows, columns: Rows) -> None:
        """What was submitted is lit, as it is now; the columns around have let light through."""
        self._memory.pending[self._memory.places_of(rows)] = 0
        self._memory.lit[rows] = True
        obstructed = (world.pools.kinds[world.slot[self._memory.places_of(columns)]] & IS_PLACEHOLDER) != 0
        self._memory.obstructed[self._memory.places_of(columns)] &= obstructed
        self._memory.obstructed[self._memory.places_of(rows)] = obstructed[: len(rows) * self._memory.sections]

    def _refresh_tables(self, table: Table) -> None:
        old = self._tables
        if old is None or not (np.array_equal(old[0], table.emission) and np.array_equal(old[1], table.opacity)):
            self._tables = (table.emission.copy(), table.opacity.copy())
            self._twin.set_tables(LightTables.build(table))

    def _collect(self, world: World, grid: Grid) -> None:
        """Bricks of one value give their memory back; the page table holds the value."""
        while self._on_their_way:
            step = self._on_their_way[0]
            step.age += 1
            if not step.flags.arrived and step.age < OLDEST_FLAGS:
                break
            self._on_their_way.pop(0)
            flags = step.flags.read()
            mine = self._memory.lit[step.places // self._memory.sections] & (self._memory.last[step.places] > 0)
            written = mine & (flags != UNTOUCHED)
            self._memory.known[step.places[written]] = flags[written]
            done = mine & (self._memory.last[step.places] == step.number) & (self._memory.known[step.places] != MIXED)
            places = step.places[done]
            self._light.set_uniform(grid.positions_of(places, world.columns), self._memory.known[places])
            self._memory.known[places] = MIXED
            self._counts[3] += len(places)
