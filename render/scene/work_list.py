"""Work out: the ready list of one store, and which block slots its jobs still read.

Rules:
1. The list is replaced whole: the light step first, then meshes, nearest first; nothing that is being made already.
2. Block slots that jobs still read are kept: the pools reclaim only what is older than the oldest of them.
"""

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from render.jobs.job import Job
from render.mesh.build import MeshTables
from render.scene.grid import CellIndices
from render.scene.meshing import MeshWork, drawable, mesh_jobs
from render.scene.standing import Standing


class WorkList:
    """Makes one store's. Owner thread only."""

    def __init__(self, standing: Standing) -> None:
        """Nothing is being made."""
        self._at = standing
        self._epochs: dict[Hashable, int] = {}
        self._working: dict[Hashable, MeshWork] = {}  # jobs of the last ready list, and those begun before
        self._cells = standing.cells  # whose numbers they use

    def done(self, key: Hashable) -> None:
        """Says that a job was collected: it reads no slot any more."""
        self._epochs.pop(key, None)

    def jobs(
        self,
        looks: MeshTables,
        eye: tuple[float, float, float],
        light_columns: int,
        begun: frozenset[Hashable],
    ) -> list[Job]:
        """The whole ready list, without what is ``begun``."""
        at = self._at
        light = at.lighting.job(at.world, eye, light_columns)
        dirty = at.cells.dirty()
        if not len(dirty):
            return [] if light is None else [light]
        dirty = dirty[drawable(at.world, at.grid, dirty) & ~self._under_way(dirty, begun)]
        meshes = mesh_jobs(at.world, at.grid, at.cells, dirty, looks, eye)
        return meshes if light is None else [light, *meshes]

    def _under_way(self, dirty: CellIndices, begun: frozenset[Hashable]) -> npt.NDArray[np.bool_]:
        """Which cells are in a job that runs, or waits to be collected, and want no newer mesh than it gives."""
        cells = self._at.cells
        if self._cells is not cells:  # numbered anew: what is being made is too old for all of them
            self._working, self._cells = {}, cells
        self._working = {key: work for key, work in self._working.items() if key in begun}
        if not self._working:
            return np.zeros(len(dirty), np.bool_)
        made = np.zeros(len(cells.wanted), np.int64)
        for work in self._working.values():
            made[work.cells] = np.maximum(made[work.cells], work.batch.revisions)
        under_way: npt.NDArray[np.bool_] = made[dirty] >= cells.wanted[dirty]
        return under_way

    def keep_slots(self, ready: list[Job], begun: frozenset[Hashable]) -> None:
        """Lets the pools reclaim what no job can read any more."""
        pools, lighting = self._at.world.pools, self._at.lighting
        kept = {key: at for key, at in self._epochs.items() if key in begun}
        self._epochs = {job.key: pools.epoch for job in ready} | kept
        self._working |= {job.key: job.work for job in ready if isinstance(job.work, MeshWork)}
        oldest = min(self._epochs.values(), default=pools.epoch)
        if lighting.epoch is not None:
            oldest = min(oldest, lighting.epoch)
        pools.reclaim(oldest)
