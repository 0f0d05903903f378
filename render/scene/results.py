"""Results in: meshes and light steps that workers made, and what raised instead of giving one.

Rules:
1. A mesh is accepted when it is newer than what the cell has, and not newer than what the cell wants; others are
   counted and dropped.
2. A mesh of the edits under way is held with them; any other waits for its upload. Until then it lies in its batch:
   taking a batch apart costs 0.5 ms, which falls on the frames that show its meshes.
3. Work that raises is counted and said (``failures``); everything else goes on.
"""

from itertools import repeat

import numpy as np

from render.jobs.job import Finished
from render.mesh.build import MeshResult
from render.scene.edits import Made
from render.scene.failures import Failure
from render.scene.lighting import Lit
from render.scene.meshing import FailedMesh, Meshed
from render.scene.standing import Standing


class Results:
    """Takes one store's. Owner thread only.

    Attributes:
        made: meshes accepted.
        dropped: meshes older than what was accepted already.
    """

    def __init__(self, standing: Standing) -> None:
        """None yet."""
        self._at = standing
        self.made = self.dropped = 0

    def take(self, done: Finished) -> None:
        """Takes what one job gave."""
        if not self._at.lighting.owns(done.job.key):
            self._take_meshed(done.value)
        elif done.error is None:
            self._take_light(self._at.lighting.finish(done))
        else:
            self._miss_light(done.error)

    def _take_meshed(self, meshed: Meshed) -> None:
        for result in meshed.results:
            self._take_meshes(result)
        for failed in meshed.failed:
            self._miss_mesh(failed)

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
        at.row_lit[lit.rows] = True
        places = at.alive(lit.log.places, at.residency.lit)
        if not (lit.edit and at.edits.light_came(places)):
            at.mirror.light_behind[places] = True

    def _miss_light(self, error: Exception) -> None:
        """Columns whose light cannot be made are drawn as they are: too dark is better than a hole."""
        at = self._at
        rows, edit = at.lighting.fail(error)
        at.row_lit[rows] = True
        if edit:
            at.edits.light_came()
        for x, z in at.world.columns[rows].tolist():
            at.failures.add(Failure("light of column", (x, z), error))
