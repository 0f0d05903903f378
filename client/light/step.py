"""Runs the kernels of one light step, in its working memory.

A step uses only the batch, its scratch and the light pool's spare slots; it touches no table, so it may run on any
thread while the owner goes on.

A step numbers its places from 0, as *seats*: first the region (columns that are relit), then the columns around it (lit
already; their light shines in, and rises where the region's light reaches them), last one seat that stands for all
places outside: opaque and dark. Kernels know only seats.
"""

from collections.abc import Callable
from enum import Enum

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.light import border_kernels, edit_kernels, propagate_kernels, sky_kernels, source_kernels
from client.light.propagate_kernels import LINE_BITS, LINE_WORDS, STATE_WORDS
from client.light.slots import DARK_SLOT
from client.light.tables import LightTables
from client.world.block_pools import BlockPools
from client.world.slots import PoolBytes, Reserved
from net.arrays import LightValues, Places, Rows, Slots

CHANNELS = 4
TASK_WORDS = 1024
LATER_WORDS = 16 * 64
FEWEST_SEATS = 64


class Shortage(Enum):
    """What a kernel ran out of."""

    PLANES = "rows, lines or later planes"
    QUEUE = "queue entries"


class LightScratch:
    """The working memory of light steps, used by one step at a time; the kernels' docstrings describe the arrays.

    They grow when a kernel reports that they are too small. Large arrays are committed by touch; ``rest`` gives their
    pages back when no step follows soon.
    """

    def __init__(self) -> None:
        self._rows = self._lines = self._later = 0
        self._touched = self._peak = 0
        self._resize_seats(FEWEST_SEATS)
        self._resize_planes(64, 2048, 64)
        self._resize_queues(1 << 14)
        # [n, 1024] scratch words, a row for each task that may run at the same time as others
        self.tasks = np.zeros((0, TASK_WORDS), np.uint64)

    def begin(self, seats: int, tasks: int) -> None:
        """Extends the arrays for so many seats and tasks, and resets those that a step expects to be reset."""
        if seats > self.seats:
            self._resize_seats(max(seats, 2 * self.seats, FEWEST_SEATS))
            self._resize_planes(self.seats // 2 + 64, 16 * self.seats + 2048, self.seats // 4 + 64)
        if tasks > len(self.tasks):
            self.tasks = np.zeros((tasks, TASK_WORDS), np.uint64)
        used = seats + 1
        self.kind[:used] = 0
        self.fresh[:used] = 0
        self.mark[:, :used] = 0
        self.row_of[:, :used] = -1
        self.later_of[:, :used] = -1
        self.later_count = np.zeros((CHANNELS, 1), np.int32)

    def grow(self, short: Shortage) -> None:
        if short is Shortage.PLANES:
            self._resize_planes(2 * self._rows, 2 * self._lines, 2 * self._later)
        else:
            self._resize_queues(2 * len(self.queue))

    def rest(self) -> None:
        """Gives the memory of planes and seats back between steps; the next step touches it again."""
        self._resize_seats(FEWEST_SEATS)
        for part in self._ranges:
            part.give_back(0, len(part.array))
        self._touched = 0

    def memory(self) -> PoolBytes:
        fixed = self.queue.nbytes + self.levels_taken.nbytes + self.rises.nbytes
        reserved = sum(part.nbytes for part in self._ranges)
        used = (fixed + reserved, fixed + self._touched, 0, fixed + self._peak)
        return PoolBytes("light scratch", *used)

    def record(self, rows: list[int]) -> None:
        """A step lit so many rows of each channel: that is what it touched."""
        lines = sum((int(self.plane_of[c, :n].max(initial=-1)) >> LINE_BITS) + 8 for c, n in enumerate(rows))
        later = int(self.later_count.sum())
        words = lines * LINE_WORDS + sum(rows) * STATE_WORDS + later * LATER_WORDS
        self._touched = max(self._touched, 8 * words)
        self._peak = max(self._peak, self._touched)

    def _resize_seats(self, seats: int) -> None:
        self.seats = seats
        self.sky = np.empty((self.seats, 256), np.uint16)
        self.kind = np.empty(self.seats + 1, np.uint8)
        self.fresh = np.empty(self.seats + 1, np.uint8)
        self.mark = np.empty((CHANNELS, self.seats + 1), np.uint8)
        self.row_of = np.empty((CHANNELS, self.seats + 1), np.int32)
        self.later_of = np.empty((CHANNELS, self.seats + 1), np.int32)
        self.lists = np.empty((CHANNELS, 2, 2 * self.seats + 2), np.int32)

    def _resize_planes(self, rows: int, lines: int, later: int) -> None:
        if rows > self._rows:
            self._rows = rows
            self.row_seat = np.empty((CHANNELS, rows), np.int32)
            self._plane_of = Reserved((CHANNELS, rows, 16), np.int64)
            self.plane_of = self._plane_of.array
            self._state = Reserved((CHANNELS, rows, STATE_WORDS), np.uint64, huge=True)
            self.state = self._state.array
        if lines > self._lines:
            self._lines = lines
            self._pool = Reserved((CHANNELS, lines, LINE_WORDS), np.uint64, huge=True)
            self.pool = self._pool.array
        if later > self._later:
            self._later = later
            self.later_seat = np.empty((CHANNELS, later), np.int32)
            self.levels = np.empty((CHANNELS, later), np.int32)
            self._later_planes = Reserved((CHANNELS, later, 16, 64), np.uint64, huge=True)
            self.later = self._later_planes.array

    @property
    def _ranges(self) -> tuple[Reserved, Reserved, Reserved, Reserved]:
        return self._plane_of, self._state, self._pool, self._later_planes

    def _resize_queues(self, entries: int) -> None:
        self.queue: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
        self.levels_taken: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
        self.rises: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)


Entries = npt.NDArray[np.uint16]  # [n, 16]: bit z of row x: daylight of 15 enters this sub-chunk's top cell from above


class AsLit(msgspec.Struct, frozen=True):
    """The state of some places when they were lit."""

    rows: Rows  # rows that are lit as a whole
    columns: npt.NDArray[np.int32]  # int32[rows, 2] their positions
    places: Places  # places that are lit, of those rows or (after single edits) of others
    revisions: npt.NDArray[np.int64]  # int64[places]
    obstructed: npt.NDArray[np.bool_]  # bool[places] placeholders
    through: Entries  # [places, 16] daylight at each top if air above it is passed through


class LightBatch(msgspec.Struct, frozen=True):
    """One step's input, copied from the tables; the owner thread makes it, the thread that runs it owns it.

    Its block slots must stay unchanged until it has run (the pools' epochs ensure that).
    """

    generation: int  # of the light map; a result of an older generation is dropped
    pools: BlockPools  # the block slots
    tables: LightTables  # the block table's light side
    places: Places  # [seats] places of the region and of the columns around it
    region: int  # number of them, from the front, that are relit from nothing
    rows: Rows  # [columns] the region's columns
    sections: int  # sub-chunks a column; seats of one column follow each other, lowest first
    blocks: Slots  # [seats + 1] block slot of each seat, the last one opaque
    neighbours: npt.NDArray[np.int32]  # int32[seats + 1, 6] seat beside each seat
    # [seats, 16] where daylight enters from above; of the region, or of all seats if there are edits
    entries: Entries
    shown: Slots  # [seats + 1] present light slot of each seat
    spare: Slots  # free light slots this step may write to
    # uint32[n] ``seat << 12 | cell`` of changed blocks; if there are any, light is only updated around them
    edits: npt.NDArray[np.uint32]
    seen: AsLit  # present state of the places that this step lights; stored when the step is published
    released: tuple[Places, Slots]  # places of removed columns with their former slots; dark already


class LightResult(msgspec.Struct, frozen=True):
    """One step's output, for the owner thread."""

    batch: LightBatch  # its input
    shown: Slots  # [seats] new light slot of each seat
    written: Slots  # those of ``batch.spare`` that were written, shown or not
    visited: int  # cells visited by the scalar kernels, for statistics


class LightLog(msgspec.Struct, frozen=True):
    """Places whose light changed, for readers that mirror light maps."""

    places: Places  # [n] each place once
    old_slots: Slots  # [n] former slots; free from now on (0 and 1 are shared and stay)
    new_slots: Slots  # [n] new slots

    def with_released(self, places: Places, slots: Slots) -> "LightLog":
        """This log and places of removed columns with their former slots, except places of this log."""
        gone = ~np.isin(places, self.places)
        return LightLog(
            np.concatenate([self.places, places[gone]]),
            np.concatenate([self.old_slots, slots[gone]]),
            np.concatenate([self.new_slots, np.full(int(gone.sum()), DARK_SLOT, np.int32)]),
        )


class LightStats(msgspec.Struct, frozen=True):
    """Counts and memory of the light map."""

    steps: int  # published steps
    columns: int  # columns relit from nothing, in all
    edits: int  # changed cells updated, in all
    visited: int  # cells visited by the scalar kernels, in all
    slots: int  # light slots in use
    memory: tuple[PoolBytes, ...]  # bytes of the slots and of the steps' working memory


Each = Callable[[Callable[[int], None], int], None]
"""Runs ``task(0)`` .. ``task(count - 1)`` in any order or at the same time, and returns when all are done."""

SKY_COLUMNS = 16
COMPOSE_SEATS = 256


def in_order(task: Callable[[int], None], count: int) -> None:
    """Runs the tasks one after another on this thread."""
    for i in range(count):
        task(i)


class _Ran(Exception):
    """A kernel ran out of scratch; the step starts again with more."""

    def __init__(self, short: Shortage) -> None:
        self.short = short


def run(batch: LightBatch, scratch: LightScratch, values: LightValues, each: Each = in_order) -> LightResult:
    """Lights a batch; the values go to slots of ``batch.spare``. Raises OutOfSlots: these do not suffice."""
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
        """Lights the region from nothing, then joins it with its surroundings."""
        self.each(self._seed, 1 + self.sky_tasks)
        self._check(int(self._seeded), Shortage.PLANES)
        self.rows_used = [0] * CHANNELS
        self.each(self._channel, CHANNELS)
        for rows in self.rows_used:
            self._check(rows, Shortage.PLANES)
        self.scratch.record(self.rows_used)
        batch, s = self.batch, self.scratch
        used = edit_kernels.hand_out(batch.region, s.kind, s.row_of, batch.spare, self.shown, s.fresh)
        if used < 0:
            raise OutOfSlots("light", len(self.values))
        self.used[0] = used
        self.each(self._compose, self.compose_tasks)
        visited = self._join() if len(batch.places) > batch.region else 0
        self._settle()
        return visited

    def mend(self) -> int:
        """Updates the light around changed cells, from the light of the old blocks."""
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        visited = edit_kernels.mend(
            batch.edits, batch.neighbours, batch.entries, pools.blocks.reshape(-1), batch.blocks,
            self.values.reshape(-1), self.shown, s.fresh, batch.spare, self.used, tables.emission, tables.packed,
            tables.packed_down, s.queue, s.levels_taken, s.rises,
        )  # fmt: skip
        self._check(visited, Shortage.QUEUE)
        self._settle()
        return int(visited)

    def _seed(self, task: int) -> None:
        """Task 0 adds emitters and dimmed entries, the others find open sky in some columns each."""
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        if task == 0:
            lamps = source_kernels.seed_emitters(
                batch.region, batch.blocks, pools.flags, pools.opaque, pools.liquid, pools.other, pools.blocks,
                tables.emission, s.later_of, s.later_seat, s.later, s.levels, s.later_count,
            )  # fmt: skip
            dimmed = source_kernels.seed_entries(
                batch.region, batch.blocks, pools.kinds, batch.entries, pools.opaque, pools.blocks, tables.dims,
                tables.steps[3], s.later_of[3], s.later_seat[3], s.later[3], s.levels[3], s.later_count[3],
            )  # fmt: skip
            self._seeded = min(lamps, dimmed)
            return
        first = (task - 1) * SKY_COLUMNS
        sky_kernels.sky_masks(
            first, min(first + SKY_COLUMNS, len(batch.rows)), batch.sections, batch.blocks, batch.entries,
            pools.kinds, pools.opaque, pools.liquid, pools.other, pools.blocks, tables.dims, s.sky, s.kind,
            s.tasks[task],
        )  # fmt: skip

    def _channel(self, task: int) -> None:
        """Lights one of R, G, B, D."""
        batch, s, tables, pools = self.batch, self.scratch, self.batch.tables, self.batch.pools
        self.rows_used[task] = propagate_kernels.light_channel(
            batch.region, batch.blocks, batch.neighbours, s.kind, pools.flags, 2 << task, pools.blocks,
            tables.steps[task], pools.opaque, s.sky, task == 3, s.row_of[task], s.row_seat[task], s.plane_of[task],
            s.state[task], s.pool[task], s.later_of[task], s.later_seat[task], s.later[task], s.levels[task],
            s.later_count[task], s.lists[task], s.mark[task], s.tasks[task],
        )  # fmt: skip

    def _compose(self, task: int) -> None:
        s, first = self.scratch, task * COMPOSE_SEATS
        end = min(first + COMPOSE_SEATS, self.batch.region)
        edit_kernels.compose(
            first, end, s.kind, s.row_of, s.plane_of, s.pool, s.fresh, self.shown, self.values, s.tasks[task]
        )

    def _join(self) -> int:
        batch, s, tables = self.batch, self.scratch, self.batch.tables
        visited = border_kernels.join(
            batch.region, s.kind, batch.neighbours, batch.pools.blocks.reshape(-1), batch.blocks,
            self.values.reshape(-1), self.shown, s.fresh, batch.spare, self.used, tables.packed, tables.packed_down,
            s.queue,
        )  # fmt: skip
        self._check(visited, Shortage.QUEUE)
        return int(visited)

    def _settle(self) -> None:
        """Shows the old or a shared slot for seats with equal values."""
        batch = self.batch
        edit_kernels.settle(0, len(batch.places), batch.shown, self.shown, self.scratch.fresh, self.values)

    def _check(self, code: int, short: Shortage) -> None:
        if code == border_kernels.NO_SPARE:
            raise OutOfSlots("light", len(self.values))
        if code < 0:
            raise _Ran(short)
