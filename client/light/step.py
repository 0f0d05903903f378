"""Runs one light step: which kernel follows which, and what may run at the same time.

Everything here works on the batch, the step's scratch and the light pool's spare slots; no table is touched, so a step
may run on any thread while the owner goes on.
"""

from collections.abc import Callable

import numpy as np

from client.light import flood_kernels, mend_kernels, plane_kernels, sky_kernels, slot_kernels, source_kernels
from client.light.results import LightBatch, LightResult
from client.light.scratch import CHANNELS, LightScratch, Short
from client.world.errors import OutOfSlots
from net.space.layout import LightValues

Each = Callable[[Callable[[int], None], int], None]
"""Runs ``task(0)`` .. ``task(count - 1)`` in any order or at the same time, and returns when all are done."""

SKY_COLUMNS = 16
COMPOSE_SEATS = 256


def in_order(task: Callable[[int], None], count: int) -> None:
    """One after another on this thread."""
    for i in range(count):
        task(i)


class _Ran(Exception):
    """A kernel ran out of scratch; the step begins again with more."""

    def __init__(self, short: Short) -> None:
        self.short = short


def run(batch: LightBatch, scratch: LightScratch, values: LightValues, each: Each = in_order) -> LightResult:
    """Lights a batch; the values go to slots of ``batch.spare``.

    Raises:
        OutOfSlots: the batch's spare slots do not suffice.
    """
    while True:
        step = _Step(batch, scratch, values, each)
        try:
            visited = step.mend() if len(batch.edits) else step.relight()
        except _Ran as ran:
            scratch.grow(ran.short)
            continue
        return LightResult(batch, step.shown[:-1], batch.spare[len(batch.spare) - int(step.used[0]) :], visited)


class _Step:
    """One attempt."""

    def __init__(self, batch: LightBatch, scratch: LightScratch, values: LightValues, each: Each) -> None:
        self.batch, self.scratch, self.values, self.each = batch, scratch, values, each
        self.shown = batch.shown.copy()
        self.used = np.zeros(1, np.int32)
        columns = len(batch.rows)
        self.sky_tasks = -(-columns // SKY_COLUMNS)
        self.compose_tasks = -(-batch.region // COMPOSE_SEATS)
        scratch.begin(len(batch.places), max(CHANNELS, 1 + self.sky_tasks, self.compose_tasks, 1))

    def relight(self) -> int:
        """The region from nothing, then joined with what is around it."""
        self.each(self._seed, 1 + self.sky_tasks)
        self._check(int(self._seeded), Short.PLANES)
        self.rows_used = [0] * CHANNELS
        self.each(self._channel, CHANNELS)
        for rows in self.rows_used:
            self._check(rows, Short.PLANES)
        self.scratch.note(self.rows_used)
        batch, s = self.batch, self.scratch
        used = slot_kernels.hand_out(batch.region, s.kind, s.row_of, batch.spare, self.shown, s.fresh)
        if used < 0:
            raise OutOfSlots("light", len(self.values))
        self.used[0] = used
        self.each(self._compose, self.compose_tasks)
        visited = self._join() if len(batch.places) > batch.region else 0
        self._settle()
        return visited

    def mend(self) -> int:
        """The light around changed cells, given that the light of the old blocks is there."""
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        visited = mend_kernels.mend(
            batch.edits,
            batch.neighbours,
            batch.entries,
            pools.blocks.reshape(-1),
            batch.blocks,
            self.values.reshape(-1),
            self.shown,
            s.fresh,
            batch.spare,
            self.used,
            tables.emission,
            tables.packed,
            tables.packed_down,
            s.queue,
            s.levels_taken,
            s.rises,
        )
        self._check(visited, Short.QUEUE)
        self._settle()
        return int(visited)

    def _seed(self, task: int) -> None:
        """Task 0 seeds lamps and dimmed entries, the others look for open sky in some columns each."""
        if task == 0:
            self._seeded = min(self._seed_lamps(), self._seed_dimmed())
        else:
            self._seed_sky(task)

    def _seed_lamps(self) -> int:
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        lamps: int = source_kernels.seed_emitters(
            batch.region,
            batch.blocks,
            pools.flags,
            pools.liquid,
            pools.other,
            pools.blocks,
            tables.shines,
            tables.emission,
            s.later_of,
            s.later_seat,
            s.later,
            s.levels,
            s.later_count,
            s.tasks[0],
        )
        return lamps

    def _seed_dimmed(self) -> int:
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        dimmed: int = source_kernels.seed_entries(
            batch.region,
            batch.blocks,
            pools.kinds,
            batch.entries,
            pools.opaque,
            pools.blocks,
            tables.dims,
            tables.steps[3],
            s.later_of[3],
            s.later_seat[3],
            s.later[3],
            s.levels[3],
            s.later_count[3],
        )
        return dimmed

    def _seed_sky(self, task: int) -> None:
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        first = (task - 1) * SKY_COLUMNS
        sky_kernels.sky_masks(
            first,
            min(first + SKY_COLUMNS, len(batch.rows)),
            batch.sections,
            batch.blocks,
            batch.entries,
            pools.opaque,
            pools.liquid,
            pools.other,
            pools.blocks,
            tables.dims,
            s.sky,
            s.kind,
            s.tasks[task],
        )

    def _channel(self, task: int) -> None:
        """One of R, G, B, D."""
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        self.rows_used[task] = plane_kernels.light_channel(
            batch.region,
            batch.blocks,
            batch.neighbours,
            s.kind,
            pools.flags,
            2 << task,
            pools.blocks,
            tables.steps[task],
            pools.opaque,
            s.sky,
            task == 3,
            s.row_of[task],
            s.row_seat[task],
            s.plane_of[task],
            s.state[task],
            s.pool[task],
            s.later_of[task],
            s.later_seat[task],
            s.later[task],
            s.levels[task],
            s.later_count[task],
            s.lists[task],
            s.mark[task],
            s.tasks[task],
        )

    def _compose(self, task: int) -> None:
        s, first = self.scratch, task * COMPOSE_SEATS
        end = min(first + COMPOSE_SEATS, self.batch.region)
        slot_kernels.compose(
            first, end, s.kind, s.row_of, s.plane_of, s.pool, s.fresh, self.shown, self.values, s.tasks[task]
        )

    def _join(self) -> int:
        batch, s, tables = self.batch, self.scratch, self.batch.tables
        visited = flood_kernels.join(
            batch.region,
            s.kind,
            batch.neighbours,
            batch.pools.blocks.reshape(-1),
            batch.blocks,
            self.values.reshape(-1),
            self.shown,
            s.fresh,
            batch.spare,
            self.used,
            tables.packed,
            tables.packed_down,
            s.queue,
        )
        self._check(visited, Short.QUEUE)
        return int(visited)

    def _settle(self) -> None:
        """Seats that say what they said, or what a shared slot says, show that."""
        batch = self.batch
        slot_kernels.settle(0, len(batch.places), batch.shown, self.shown, self.scratch.fresh, self.values)

    def _check(self, code: int, short: Short) -> None:
        if code == flood_kernels.NO_SPARE:
            raise OutOfSlots("light", len(self.values))
        if code < 0:
            raise _Ran(short)
