"""Work out: the ready list of one store, and which block slots its jobs still read.

Rules:
1. The list is replaced whole: the light step first, then meshes, nearest first; nothing that is being made already.
2. Work under way is bounded, however slowly results are taken: no more cells are in jobs that are ready, run or wait to
   be collected than ``MOST_CELLS`` and a region, and none but those of edits (``edits``) begins while so many meshes
   wait for their upload. An upload may wait for an edit, so an edit waits for no upload.
3. Results of cells that went, all of a job's, are collected by nobody (``unwanted``).
4. Block slots that jobs still read are kept: the pools reclaim only what is older than the oldest of them. A job that
   has ended reads nothing, though its result may wait to be collected for long.
"""

from collections.abc import Hashable
from typing import Final

import numpy as np
import numpy.typing as npt

from render.jobs.job import Job
from render.mesh.build import MeshTables
from render.scene.grid import CellIndices
from render.scene.meshing import AHEAD_S, CELL_S, MeshWork, drawable, mesh_jobs
from render.scene.standing import Standing

MOST_CELLS: Final = int(AHEAD_S / CELL_S)
"""What workers make in ``AHEAD_S``."""


class WorkList:
    """Makes one store's. Owner thread only."""

    def __init__(self, standing: Standing) -> None:
        """Nothing is being made."""
        self._at = standing
        self._epochs: dict[Hashable, int] = {}
        self._working: dict[Hashable, MeshWork] = {}  # jobs of the last ready list, and those begun before
        self._cells = standing.cells  # whose numbers they use
        self._removed = 0  # how many cells had been forgotten when it was last asked what is unwanted
        self.dropped = 0  # cells of jobs that were unwanted

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
        self._forget_ended(begun)
        if len(at.waiting) >= MOST_CELLS:
            dirty = dirty[at.edits.holds(dirty)]
        room = MOST_CELLS - sum(len(work.cells) for work in self._working.values())
        dirty = dirty[drawable(at.world, at.grid, dirty) & ~self._under_way(dirty)]
        meshes = mesh_jobs(at.world, at.grid, at.cells, dirty, looks, eye, room)
        return meshes if light is None else [light, *meshes]

    def unwanted(self, begun: frozenset[Hashable]) -> frozenset[Hashable]:
        """Keys of mesh jobs that are begun, all of whose cells were forgotten since or have a newer mesh."""
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
        if self._cells is not cells:  # numbered anew: what is being made is too old for all of them
            self._working, self._cells = {}, cells
        self._working = {key: work for key, work in self._working.items() if key in begun}

    def _under_way(self, dirty: CellIndices) -> npt.NDArray[np.bool_]:
        """Which cells are in a job that runs, or waits to be collected, and want no newer mesh than it gives."""
        cells = self._at.cells
        if not self._working:
            return np.zeros(len(dirty), np.bool_)
        made = np.zeros(len(cells.wanted), np.int64)
        for work in self._working.values():
            made[work.cells] = np.maximum(made[work.cells], work.batch.revisions)
        under_way: npt.NDArray[np.bool_] = made[dirty] >= cells.wanted[dirty]
        return under_way

    def keep_slots(self, ready: list[Job], begun: frozenset[Hashable], running: frozenset[Hashable]) -> None:
        """Lets the pools reclaim what no job can read any more.

        Args:
            ready: the list that was made in this step.
            begun: jobs that run or wait to be collected.
            running: those of them that run.
        """
        pools, lighting = self._at.world.pools, self._at.lighting
        ended, light = begun - running, lighting.epoch  # the light step is in the list until it is collected
        kept = {key: at for key, at in self._epochs.items() if key in running}
        self._epochs = {
            job.key: light if light is not None and lighting.owns(job.key) else pools.epoch
            for job in ready
            if job.key not in ended
        } | kept
        self._working |= {job.key: job.work for job in ready if isinstance(job.work, MeshWork)}
        pools.reclaim(min(self._epochs.values(), default=pools.epoch))
