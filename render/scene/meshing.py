"""Dirty cells to mesh jobs, and results back.

Theory. Cells are meshed in batches of one region, 4 x 4 columns, so that a job is about a millisecond of kernel and its
arrays are few. A job's key is its region with the newest revision in it: what is dirtied again becomes another job,
what is already running is not begun twice. Cells whose two own sub-chunks hold nothing that can be drawn never become
a job; that is most of the world.

A batch that raises is made again cell by cell, so that one cell's failure costs no other its mesh.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_pools import HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER
from net.frozen import frozen
from render.jobs.job import Job, Workshop
from render.mesh import build
from render.mesh.build import MeshBatch, MeshPools, MeshResult, MeshTables
from render.scene.cells import Cells
from render.scene.grid import CellIndices, Grid
from render.scene.world import World

REGION_BITS: Final = 2
REGION_SIDE: Final = 1 << REGION_BITS
REGION_SPAN: Final = 1 << 26
"""A region's x and z have 26 bits with their signs: columns have 28."""
CELL_S: Final = 6e-6  # about what a cell's mesh costs
AHEAD_S: Final = 0.05
"""Work that is made ready at once: what two workers have done by the frame after next. The list is new by then."""


@frozen
class MeshKey:
    """Names a mesh job: the region and the newest revision in it."""

    x: int
    z: int
    revision: int


@frozen
class FailedMesh:
    """A cell whose mesh could not be made: its position in render cells, the revision, and what was raised."""

    cell: tuple[int, int, int]
    revision: int
    error: Exception


@frozen
class Meshed:
    """What became of a batch."""

    results: tuple[MeshResult, ...]
    failed: tuple[FailedMesh, ...]


def drawable(world: World, grid: Grid, cells: CellIndices) -> npt.NDArray[np.bool_]:
    """Which cells hold anything to draw: a known sub-chunk that is not all air in both layers."""
    places = grid.own_places(cells)
    kinds = world.pools.kinds[world.slot[places]]
    some = (kinds & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER) != 0) & (kinds & IS_PLACEHOLDER == 0)
    some |= world.layer1_slot[places] != 0
    answer: npt.NDArray[np.bool_] = some.any(axis=1)
    return answer


def mesh_jobs(
    world: World,
    grid: Grid,
    cells: Cells,
    dirty: CellIndices,
    looks: MeshTables,
    eye: tuple[float, float, float],
    most: int,
) -> list[Job]:
    """Jobs for dirty cells, nearest region first.

    Args:
        world: the store.
        grid: its numbering.
        cells: for the revisions they want.
        dirty: cells to mesh, each ``drawable``.
        looks: how block states look.
        eye: what is near it is wanted first.
        most: cells, the rest of the last region's apart; none where it is not above 0.
    """
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
    batch = _batch(world, grid, chosen, cells.wanted[chosen], _pools(world), looks)
    jobs = []
    for (x, z), start, end in zip(regions[starts[near]].tolist(), (ends - counts).tolist(), ends.tolist(), strict=True):
        part = _part(batch, start, end)
        key = MeshKey(x, z, int(part.revisions.max()))
        jobs.append(Job(key, MeshWork(part, chosen[start:end]), CELL_S * (end - start)))
    return jobs


def trial(world: World, grid: Grid, cell: int, looks: MeshTables, workshop: Workshop) -> Exception | None:
    """Makes the mesh of one cell here and now, and throws it away: what was raised, if anything."""
    cells = np.array([cell], np.int64)
    meshed = mesh_batch(_batch(world, grid, cells, np.zeros(1, np.int64), _pools(world), looks), workshop)
    return meshed.failed[0].error if meshed.failed else None


def _batch(
    world: World,
    grid: Grid,
    cells: CellIndices,
    revisions: npt.NDArray[np.int64],
    pools: MeshPools,
    looks: MeshTables,
) -> MeshBatch:
    places = grid.neighbourhoods(cells, world.column_neighbours)
    slots, seconds = world.slot[places].astype(np.int32), world.layer1_slot[places].astype(np.int32)
    return MeshBatch(grid.cell_positions(cells, world.columns), slots, seconds, revisions, pools, looks)


def _part(batch: MeshBatch, start: int, end: int) -> MeshBatch:
    """Some cells of a batch, as views."""
    of = slice(start, end)
    return MeshBatch(
        batch.cells[of], batch.tables[of], batch.seconds[of], batch.revisions[of], batch.pools, batch.looks
    )


@frozen
class MeshWork:
    """A mesh job's work: the batch, and the numbers of its cells, in the same order."""

    batch: MeshBatch
    cells: CellIndices

    def __call__(self, workshop: Workshop) -> Meshed:
        """On any thread: all meshes of the batch that can be made."""
        return mesh_batch(self.batch, workshop)


def mesh_batch(batch: MeshBatch, workshop: Workshop) -> Meshed:
    """On any thread: all meshes of a batch that can be made."""
    try:
        return Meshed((build.run(batch, workshop.mesh),), ())
    except Exception:
        return _one_by_one(batch, workshop)


def _one_by_one(batch: MeshBatch, workshop: Workshop) -> Meshed:
    results, failed = [], []
    for index, cell in enumerate(batch.cells.tolist()):
        try:
            results.append(build.run(_part(batch, index, index + 1), workshop.mesh))
        except Exception as error:
            failed.append(FailedMesh((cell[0], cell[1], cell[2]), int(batch.revisions[index]), error))
    return Meshed(tuple(results), tuple(failed))


def _pools(world: World) -> MeshPools:
    pools = world.pools
    return MeshPools(
        pools.blocks, pools.opaque, pools.liquid, pools.other, pools.kinds, pools.flags, pools.layer1, pools.wet
    )
