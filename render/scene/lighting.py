"""Light steps of a scene: one at a time, nearest columns first, edits before bulk; and seams of light.

Rules:
1. A step holds spare light slots from ``prepare`` to ``publish``, so it stays in the ready list until it is collected.
2. A row stays dirty until a step that was prepared after its last change is published.
3. A step that raised is dropped, and its rows are tried again one by one; one that raises alone is given up until it is
   marked again.
4. A step that finds no light slot counts as one that raised: the nearest rows are lit, the others are drawn with their
   old light. Rows given up for that are marked again when there is room; slots of removed columns are freed first.
5. After ``JOBS_TO_REST`` steps without anything to light the steps' working memory is freed: not at once, since while
   a world arrives the next step would allocate it all again.
6. A side is a seam if its own outer layer of blocks is not wholly opaque (``grid.Facing``) and the neighbour is a
   placeholder or a column that was not announced: light *hangs* on it, also daylight below a placeholder.
   A side between columns of which one's light is outdated is a seam that *waits*. Above the roof and below the floor
   everything is known. So if the light of a sub-chunk is not final, the sub-chunk, one around it, or one between it and
   the sky has a seam.
"""

import logging
from typing import Final, NoReturn

import msgspec
import numpy as np

from client.errors import OutOfSlots
from client.light.light_map import LightMap
from client.light.step import LightBatch, LightLog, LightResult
from client.world.block_pools import IS_PLACEHOLDER
from client.world.slots import longer
from client.world.store import Store
from net.arrays import I32, I64, U8, U16, Bools, Places
from render.camera import Vector
from render.jobs.workers import Job, JobResult
from render.scene.grid import Grid, Sides

COLUMN_S: Final = 80e-6  # approximate cost of a column
JOBS_TO_REST: Final = 60  # about a second of frames
AGAIN_COLUMNS: Final = 9
"""Number of columns whose slots must be free before rows without slots are retried: one column with its neighbours."""

LOG: Final = logging.getLogger("chunkscope.scene")


class LightKey(msgspec.Struct, frozen=True):
    """Identifies a light step."""

    number: int


class Lit(msgspec.Struct, frozen=True):
    """A published step: the log of changed places, the rows that it was for, and whether it was for an edit."""

    log: LightLog
    rows: I32
    edit: bool


class Lighting:
    """The rows whose light is missing or outdated, and the running step. Owner thread only."""

    def __init__(self, light: LightMap) -> None:
        self._light = light
        self._dirty: Bools = np.zeros(0, np.bool_)
        self._edits: list[tuple[Places, U16]] = []
        self._alone: Bools = np.zeros(0, np.bool_)  # rows of a step that raised, to be lit alone
        self._given_up: Bools = np.zeros(0, np.bool_)
        self._roomless: Bools = np.zeros(0, np.bool_)  # of those given up, rows without slots
        self._least_free = 0  # slots that must be free before those are tried again
        self._reported = False
        self._number = 0
        self._job: Job | None = None
        self._out: I32 = np.zeros(0, np.int32)  # rows of the pending step
        self._asked: I64 = np.zeros(0, np.int64)  # rows that it was begun for
        self._batch: LightBatch | None = None
        self._edit = False
        self._stale = False
        self._epoch = 0
        self._idle_jobs = JOBS_TO_REST  # working memory is freed

    @property
    def idle(self) -> bool:
        """Whether no row is dirty and no step is pending."""
        return self._job is None and not self._edits and not self._dirty.any()

    @property
    def behind(self) -> I64:
        """Rows that are dirty, or in the pending step; without rows of single edits that no step has begun."""
        out = self._out if self._job is not None else self._out[:0]
        return np.union1d(np.flatnonzero(self._dirty), out).astype(np.int64)

    @property
    def given_up(self) -> I64:
        """Rows whose light could not be made, and is older than their blocks."""
        return np.flatnonzero(self._given_up)

    def final(self, rows: I32) -> I32:
        """Those of some rows that did not change after the step that lit them was prepared."""
        return rows[~self._dirty[rows]]

    @property
    def epoch(self) -> int | None:
        """Epoch of the block slots that the pending step reads."""
        return None if self._job is None else self._epoch

    def resize(self, rows: int) -> None:
        self._dirty, self._alone = longer(self._dirty, rows), longer(self._alone, rows)
        self._given_up, self._roomless = longer(self._given_up, rows), longer(self._roomless, rows)

    def mark(self, rows: I64) -> None:
        """Marks rows whose blocks changed, came or were removed."""
        self._dirty[rows] = True
        self._given_up[rows] = self._roomless[rows] = False

    def mark_edits(self, places: Places, cells: U16) -> None:
        """Marks single changed blocks: [n] places and cells of one edit."""
        self._edits.append((places, cells))

    def restart(self) -> None:
        """Forgets dirty rows; of a pending step only the changed places count."""
        self._dirty[:] = self._alone[:] = self._given_up[:] = self._roomless[:] = False
        self._edits.clear()
        self._stale = self._job is not None

    def job(self, world: Store, eye: Vector, most_columns: int) -> Job | None:
        """The pending step, or the next one, of edits alone if ``most_columns`` is 0; None: nothing to light."""
        if self._job is None and (most_columns or self._edits):
            if self._roomless.any() and self._light.free_slots >= self._least_free:
                again = np.flatnonzero(self._roomless)
                self.mark(again)
                self._alone[again] = True
            self._job = self._next(world, eye, most_columns)
            self._reported &= self._job is not None or bool(self._roomless.any())
            self._idle_jobs = self._idle_jobs + 1 if self._job is None else 0
            if self._idle_jobs == JOBS_TO_REST:
                self._light.rest()
        return self._job

    def finish(self, done: JobResult) -> Lit:
        """Publishes a collected step that did not raise."""
        result: LightResult = done.value
        stale = self._end()
        self._alone[self._asked] = False
        rows = np.zeros(0, np.int32) if stale else result.batch.rows
        return Lit(self._light.publish(result), rows, self._edit and not stale)

    def fail(self, error: Exception) -> tuple[I64, bool]:
        """Drops the pending step, which raised; returns the rows given up, and whether it was for an edit."""
        if self._batch is not None:
            self._light.abandon(self._batch)
        full = isinstance(error, OutOfSlots)
        if full and not self._reported:
            LOG.warning("%s: sub-chunks without a light slot stay dark until one is free", error)
        if full:
            sections = self._light.sections
            self._reported, self._least_free = True, max(AGAIN_COLUMNS * sections, self._light.free_slots + sections)
        stale = self._end()
        edit, rows = self._edit and not stale, self._asked
        if stale:
            return rows[:0], edit
        if len(rows) == 1 and self._alone[rows[0]]:
            self._alone[rows] = False
            self._given_up[rows] = ~self._dirty[rows]
            self._roomless[rows] = full & self._given_up[rows]
            return rows, edit
        self._dirty[rows] = self._alone[rows] = True
        return rows[:0], edit

    def _end(self) -> bool:
        """Ends the pending step; returns whether only the changed places of it count (``restart``)."""
        stale, self._stale, self._job = self._stale, False, None
        return stale

    def abandon(self) -> None:
        """Drops a step that no worker began or will begin; its rows are dirty again."""
        if self._job is not None:
            if self._batch is not None:
                self._light.abandon(self._batch)
            if not self._end():
                self.mark(self._asked)

    def switch(self, light: LightMap) -> None:
        """Continues with another map, which took over the light of this one; no step may be pending."""
        self._light = light

    def _next(self, world: Store, eye: Vector, most_columns: int) -> Job | None:
        self._edit, edited = bool(self._edits), None
        if self._edits:
            places, cells = map(np.concatenate, zip(*self._edits, strict=True))
            edited = places, cells
            self._edits.clear()
            rows = np.unique(places // world.dimension.sections).astype(np.int64)
            if self._dirty[rows].any():  # not only single blocks changed there: an edit step does not suffice
                edited = None
            columns = 9
        else:
            rows = np.flatnonzero(self._dirty)
            if not len(rows):
                return None
            offset = world.columns[rows] * 16.0 + 8.0 - np.array([eye[0], eye[2]])
            here = world.column_neighbours[rows, 4] == rows
            first = here if self._roomless.any() else np.zeros(len(rows), np.bool_)
            rows = rows[np.lexsort(((offset * offset).sum(axis=1), first))]
            rows = rows[:1] if self._alone[rows[0]] else rows[~self._alone[rows]][:most_columns]
            columns = len(rows)
        if edited is None:
            self._dirty[rows] = False
        self._number += 1
        self._epoch, self._asked, light = world.pools.epoch, rows, self._light
        try:
            batch = light.prepare(world, rows) if edited is None else light.prepare_edits(world, *edited)
        except OutOfSlots as full:
            self._batch, self._out, error = None, self._out[:0], full
            return Job(LightKey(self._number), lambda _: _raise(error), 0.0)
        self._out, self._batch = batch.rows, batch
        return Job(LightKey(self._number), lambda workshop: light.run(batch, workshop.each), COLUMN_S * columns)


def _raise(error: Exception) -> NoReturn:
    raise error


# ---------------------------------------------------------------- seams

LEVEL_SIDES: Final = 4
"""The first four of the six sides lead to other columns."""


class Seams(msgspec.Struct, frozen=True):
    """Sub-chunks with seams."""

    places: Places  # [n]
    hanging: U8  # uint8[n] bits 0-5 by side -x, +x, -z, +z, below, above: sides whose light hangs on missing blocks
    waiting: U8  # uint8[n] the same for those that wait for a light step

    @property
    def hangs(self) -> int:
        return int(np.bitwise_count(self.hanging).sum())

    @property
    def waits(self) -> int:
        return int(np.bitwise_count(self.waiting).sum())


def find_seams(world: Store, grid: Grid, sides: Sides, unlit: Bools, rows: I64) -> Seams:
    """The seams of some columns; ``unlit``: columns whose light is older than their blocks, or missing."""
    places = world.places_of_rows(rows)
    missing = world.pools.kinds[world.slot] & IS_PLACEHOLDER != 0
    places = places[~missing[places]]
    beside = world.neighbours[places]
    shut = np.unpackbits(sides[places][:, None], axis=1, count=6, bitorder="little") != 0
    hanging = missing[beside] & ~shut
    level = beside[:, :LEVEL_SIDES]
    facing = sides[level] >> np.array([1, 0, 3, 2], np.uint8) & 1 != 0  # the opposite side
    dark = unlit[places // grid.sections][:, None] | unlit[level // grid.sections]
    waiting = np.zeros_like(hanging)
    waiting[:, :LEVEL_SIDES] = dark & ~missing[level] & ~shut[:, :LEVEL_SIDES] & ~facing
    some = (hanging | waiting).any(axis=1)
    return Seams(places[some], _bits(hanging[some]), _bits(waiting[some]))


def _bits(flags: Bools) -> U8:
    return np.packbits(flags, axis=1, bitorder="little")[:, 0]
