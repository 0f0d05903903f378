"""The ready list of one store, its mesh jobs, their results, and the block slots that they still read.

Rules:
1. The list is replaced whole: the light step first, then meshes, nearest first; jobs that run are left out.
2. Pending work is bounded: at most ``MOST_CELLS`` plus one region of cells are in jobs that are ready, run or wait to
   be collected; and only jobs of edits begin while that many meshes wait for their upload. An upload may wait for an
   edit, so an edit must not wait for an upload.
3. Results of a job whose cells were all removed are not collected (``unwanted``).
4. Block slots that jobs still read are kept: the pools reclaim only what is older than the oldest job. A job that
   has ended reads nothing.
5. Cells are meshed in batches of one region, 4 x 4 columns, about a millisecond of kernel. A job's key is its region
   with the newest revision in it, so cells that become dirty again get another job. Cells whose two own sub-chunks hold
   nothing that can be drawn get no job; these are most of the world. A batch that raises is repeated cell by cell.
6. A mesh is accepted if it is newer than the cell's mesh, and not newer than what the cell wants; others are
   counted and dropped. A mesh of a pending edit is held with the edit. Any other waits for its upload in its batch:
   splitting a batch costs 0.5 ms, in the frames that show its meshes.
7. Work that raises is counted and reported (``failures``); other work continues.
"""

from collections.abc import Hashable
from contextlib import suppress
from itertools import repeat
from typing import Final

import msgspec
import numpy as np

from client.world.block_pools import HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER
from client.world.store import Store
from net.arrays import I64, Bools
from render.camera import Vector
from render.jobs.workers import Job, JobResult, WorkerResources
from render.mesh import mesher
from render.mesh.mesher import AppearanceTables, MeshBatch, MeshPools, MeshResult
from render.scene.cells import Cells
from render.scene.edit_sets import Made
from render.scene.failures import Failure
from render.scene.grid import CellIndices, Grid
from render.scene.lighting import LightKey, Lit
from render.scene.work_state import WorkState

# ---------------------------------------------------------------- meshing

REGION_BITS: Final = 2
REGION_SIDE: Final = 1 << REGION_BITS
REGION_SPAN: Final = 1 << 26
"""A region's x and z have 26 bits with their signs: columns have 28."""
CELL_S: Final = 6e-6  # approximate cost of a cell's mesh
AHEAD_S: Final = 0.05
"""Amount of work that is made ready at once: what two workers do until the frame after next, which has a new list."""


TRIAL_CELLS: Final = 256
"""Number of meshes that exist at once in a trial."""


class MeshKey(msgspec.Struct, frozen=True):
    """Identifies a mesh job: the region and the newest revision in it."""

    x: int
    z: int
    revision: int


class FailedMesh(msgspec.Struct, frozen=True):
    """A cell whose mesh could not be made: its position in render cells, the revision, and the exception."""

    cell: tuple[int, int, int]
    revision: int
    error: Exception


class Meshed(msgspec.Struct, frozen=True):
    """The result of a batch."""

    results: tuple[MeshResult, ...]
    failed: tuple[FailedMesh, ...]


def drawable(world: Store, grid: Grid, cells: CellIndices) -> Bools:
    """Which cells have anything to draw: a known sub-chunk that is not all air in both layers."""
    places = grid.own_places(cells)
    kinds = world.pools.kinds[world.slot[places]]
    some = (kinds & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER) != 0) & (kinds & IS_PLACEHOLDER == 0)
    some |= world.layer1_slot[places] != 0
    return some.any(axis=1)


def mesh_jobs(
    world: Store, grid: Grid, cells: Cells, dirty: CellIndices, tables: AppearanceTables, eye: Vector, most: int
) -> list[Job]:
    """Jobs for dirty cells, each ``drawable``, nearest region first: ``most`` cells plus the last region's rest."""
    if not len(dirty) or most <= 0:
        return []
    positions = grid.cell_positions(dirty, world.columns)
    regions = positions[:, [0, 2]].astype(np.int64) >> REGION_BITS
    packed = regions[:, 0] * REGION_SPAN + regions[:, 1] + REGION_SPAN // 2
    inside = (positions[:, [0, 2]] & REGION_SIDE - 1) << np.array([10, 8], np.int32)
    order = np.argsort(packed << 12 | inside[:, 0] | inside[:, 1] | dirty % grid.tall)
    dirty, positions, regions = dirty[order], positions[order], regions[order]
    starts = np.append(0, np.flatnonzero(np.diff(packed[order])) + 1)
    ends = np.append(starts[1:], len(dirty))
    middle = (regions[starts] * REGION_SIDE + REGION_SIDE // 2) * 16.0 - np.array([eye[0], eye[2]])
    near = np.argsort((middle * middle).sum(axis=1), kind="stable")
    counts = (ends - starts)[near]
    near = near[np.cumsum(counts) - counts < most]
    counts = counts[: len(near)]
    ends = np.cumsum(counts)
    chosen = dirty[np.arange(int(counts.sum())) + np.repeat(starts[near] - ends + counts, counts)]
    batch = _batch(world, grid, chosen, cells.wanted[chosen], _pools(world), tables)
    jobs = []
    for (x, z), start, end in zip(regions[starts[near]].tolist(), (ends - counts).tolist(), ends.tolist(), strict=True):
        part = _part(batch, start, end)
        key = MeshKey(x, z, int(part.revisions.max()))
        jobs.append(Job(key, MeshWork(part, chosen[start:end]), CELL_S * (end - start)))
    return jobs


def trial(world: Store, grid: Grid, cell: int, tables: AppearanceTables, workshop: WorkerResources) -> Exception | None:
    """Makes the mesh of one cell on this thread and discards it; returns the exception, if any."""
    cells = np.array([cell], np.int64)
    meshed = mesh_batch(_batch(world, grid, cells, np.zeros(1, np.int64), _pools(world), tables), workshop)
    return meshed.failed[0].error if meshed.failed else None


def unmeshable(
    world: Store, grid: Grid, cells: CellIndices, tables: AppearanceTables, workshop: WorkerResources
) -> CellIndices:
    """Those of some cells whose mesh cannot be made; makes all of them on this thread and discards them."""
    bad: set[tuple[int, int, int]] = set()
    for start in range(0, len(cells), TRIAL_CELLS):
        some = cells[start : start + TRIAL_CELLS]
        batch = _batch(world, grid, some, np.zeros(len(some), np.int64), _pools(world), tables)
        bad |= {failed.cell for failed in mesh_batch(batch, workshop).failed}
    positions = grid.cell_positions(cells, world.columns).tolist() if bad else []
    return cells[[index for index, at in enumerate(positions) if tuple(at) in bad]]


def _batch(
    world: Store, grid: Grid, cells: CellIndices, revisions: I64, pools: MeshPools, tables: AppearanceTables
) -> MeshBatch:
    places = grid.neighbourhoods(cells, world.column_neighbours)
    slots, seconds = world.slot[places].astype(np.int32), world.layer1_slot[places].astype(np.int32)
    return MeshBatch(grid.cell_positions(cells, world.columns), slots, seconds, revisions, pools, tables)


def _part(batch: MeshBatch, start: int, end: int) -> MeshBatch:
    of = slice(start, end)
    return MeshBatch(
        batch.cells[of], batch.slots[of], batch.layer1_slots[of], batch.revisions[of], batch.pools, batch.tables
    )


class MeshWork(msgspec.Struct, frozen=True):
    """A mesh job's work: the batch, and the numbers of its cells, in the same order."""

    batch: MeshBatch
    cells: CellIndices

    def __call__(self, workshop: WorkerResources) -> Meshed:
        return mesh_batch(self.batch, workshop)


def mesh_batch(batch: MeshBatch, workshop: WorkerResources) -> Meshed:
    """Makes all meshes of a batch that can be made: if it raises, cell by cell. Any thread."""
    with suppress(Exception):
        return Meshed((mesher.run(batch, workshop.mesh),), ())
    results, failed = [], []
    for index, (x, y, z) in enumerate(batch.cells.tolist()):
        try:
            results.append(mesher.run(_part(batch, index, index + 1), workshop.mesh))
        except Exception as error:
            failed.append(FailedMesh((x, y, z), int(batch.revisions[index]), error))
    return Meshed(tuple(results), tuple(failed))


def _pools(world: Store) -> MeshPools:
    pools = world.pools
    return MeshPools(
        pools.blocks, pools.opaque, pools.liquid, pools.other, pools.kinds, pools.flags, pools.layer1, pools.wet
    )


MOST_CELLS: Final = int(AHEAD_S / CELL_S)
"""Cells that workers mesh in ``AHEAD_S``."""


class WorkList:
    """Makes the ready list of one store. Owner thread only."""

    def __init__(self, standing: WorkState) -> None:
        self._at = standing
        self._epochs: dict[Hashable, int] = {}
        self._working: dict[Hashable, MeshWork] = {}  # jobs of the last ready list, and those begun before
        self._cells = standing.cells  # the cells that their numbers refer to
        self._removed = 0  # number of removed cells at the last call of ``unwanted``
        self.dropped = 0  # cells of unwanted jobs

    def done(self, key: Hashable) -> None:
        """Records that a job was collected: it reads no slot any more."""
        self._epochs.pop(key, None)

    def jobs(self, tables: AppearanceTables, eye: Vector, light_columns: int, begun: frozenset[Hashable]) -> list[Job]:
        """The whole ready list, without jobs in ``begun``."""
        at = self._at
        light = at.lighting.job(at.world, eye, light_columns)
        dirty = at.cells.dirty()
        if not len(dirty):
            return [] if light is None else [light]
        self._forget_ended(begun)
        if len(at.waiting) >= MOST_CELLS:
            dirty = dirty[at.edits.holds(dirty)]
        space = MOST_CELLS - sum(len(work.cells) for work in self._working.values())
        dirty = dirty[drawable(at.world, at.grid, dirty) & ~self._under_way(dirty)]
        meshes = mesh_jobs(at.world, at.grid, at.cells, dirty, tables, eye, space)
        return meshes if light is None else [light, *meshes]

    def unwanted(self, begun: frozenset[Hashable]) -> frozenset[Hashable]:
        """Keys of begun mesh jobs of which every cell was removed or has a newer mesh."""
        cells = self._at.cells
        if self._removed == cells.removed and self._cells is cells:
            return frozenset()
        self._removed = cells.removed
        known = {key: work for key, work in self._working.items() if key in begun}
        if self._cells is cells:
            known = {key: work for key, work in known.items() if (work.batch.revisions <= cells.made[work.cells]).all()}
        self.dropped += sum(len(work.cells) for work in known.values())
        self._working = {key: work for key, work in self._working.items() if key not in known}
        return frozenset(known)

    def _forget_ended(self, begun: frozenset[Hashable]) -> None:
        cells = self._at.cells
        if self._cells is not cells:  # cells were renumbered: running jobs are too old for all of them
            self._working, self._cells = {}, cells
        self._working = {key: work for key, work in self._working.items() if key in begun}

    def _under_way(self, dirty: CellIndices) -> Bools:
        """Cells of jobs that run or wait to be collected, and that want no newer mesh than the job's."""
        cells = self._at.cells
        if not self._working:
            return np.zeros(len(dirty), np.bool_)
        made = np.zeros(len(cells.wanted), np.int64)
        for work in self._working.values():
            made[work.cells] = np.maximum(made[work.cells], work.batch.revisions)
        return made[dirty] >= cells.wanted[dirty]

    def keep_slots(self, ready: list[Job], begun: frozenset[Hashable], running: frozenset[Hashable]) -> None:
        """Lets the pools reclaim slots that no job can read any more; ``begun`` jobs run or wait to be collected."""
        pools, lighting = self._at.world.pools, self._at.lighting
        ended, light = begun - running, lighting.epoch  # the light step is in the list until it is collected
        kept = {key: at for key, at in self._epochs.items() if key in running}
        self._epochs = {
            job.key: light if light is not None and isinstance(job.key, LightKey) else pools.epoch
            for job in ready
            if job.key not in ended
        } | kept
        self._working |= {job.key: job.work for job in ready if isinstance(job.work, MeshWork)}
        pools.reclaim(min(self._epochs.values(), default=pools.epoch))


class Results:
    """Accepts the results of one store. Owner thread only."""

    def __init__(self, standing: WorkState) -> None:
        self._at = standing
        self.made = 0  # accepted meshes
        self.dropped = 0  # meshes older than an accepted one

    def take(self, done: JobResult) -> None:
        if not isinstance(done.job.key, LightKey):
            for result in done.value.results:
                self._take_meshes(result)
            for failed in done.value.failed:
                self._miss_mesh(failed)
        elif done.error is None:
            self._take_light(self._at.lighting.finish(done))
        else:
            self._miss_light(done.error)

    def _take_meshes(self, result: MeshResult) -> None:
        at, cells = self._at, self._at.cells
        row_of = at.world.row_of.get
        found = [row_of((x, z), 0) for x, _, z in result.cells.tolist()]  # type: ignore[call-overload]  # a tuple finds it
        rows = np.array(found, np.int64)
        numbers = rows * at.grid.tall + result.cells[:, 1] - at.grid.low
        news = (rows > 0) & (cells.made[numbers] < result.revisions) & (result.revisions <= cells.wanted[numbers])
        taken = np.flatnonzero(news)
        self.made += len(taken)
        self.dropped += len(numbers) - len(taken)
        cells.ready(numbers[taken], result.revisions[taken])
        held = at.edits.holds(numbers[taken])
        for index, cell in zip(taken[held].tolist(), numbers[taken[held]].tolist(), strict=True):
            if not at.edits.take(Made.of(cell, result, index)):
                at.waiting[cell] = result, index
        free = taken[~held]
        at.waiting.update(zip(numbers[free].tolist(), zip(repeat(result), free.tolist()), strict=False))

    def _miss_mesh(self, failed: FailedMesh) -> None:
        at = self._at
        x, y, z = failed.cell
        row = at.row_at(x, z)
        cell = row * at.grid.tall + y - at.grid.low
        if row == 0 or at.cells.made[cell] >= failed.revision or failed.revision > at.cells.wanted[cell]:
            return
        at.cells.fail(cell, failed.revision)
        at.edits.miss(cell, failed.revision)
        at.failures.add(Failure("mesh of render cell", failed.cell, failed.error))

    def _take_light(self, lit: Lit) -> None:
        at = self._at
        at.row_lit[at.lighting.final(lit.rows)] = True
        places = at.alive(lit.log.places, at.residency.lit)
        if not (lit.edit and at.edits.light_came(places)):
            at.mirror.light_behind[places] = True

    def _miss_light(self, error: Exception) -> None:
        """Columns whose light cannot be made are drawn with their old light: too dark is better than a hole."""
        at = self._at
        rows, edit = at.lighting.fail(error)
        at.row_lit[rows] = True
        if edit:
            at.edits.light_came()
        for x, z in at.world.columns[rows].tolist():
            at.failures.add(Failure("light of column", (x, z), error))
