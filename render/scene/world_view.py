"""One attached store: what the GPU shows of it, what is behind, and the moves that bring it up to date.

Every change goes the same way: changes in (``change_intake``), work out (``jobs``), results in (``jobs``), uploads
(``uploads``); what stands where between them is ``work_state``.

Most frames of a world that is loaded change nothing. After ``STEPS_TO_REST`` steps that left nothing to do the store is
at rest: until something comes, another step would find nothing.
"""

from collections.abc import Hashable
from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.streaming.anchors import Anchors
from client.world.lifecycle import SubChunkState
from net.space import BlockPos, Places
from render.jobs.workers import Job, JobResult
from render.mesh.mesher import MeshTables
from render.scene.cells import Cells, CellState
from render.scene.change_intake import ChangeIntake, comparable
from render.scene.diagnosis import undrawn
from render.scene.grid import CellIndices, Grid
from render.scene.jobs import Results, WorkList
from render.scene.lighting import TURNS_TO_REST, Seams
from render.scene.uploads import Budget, Uploads
from render.scene.work_state import GpuPools, PendingWork, WorkState
from render.scene.world import SceneWorld

Vector = tuple[float, float, float]
DATA, RESET = int(SubChunkState.DATA), int(SubChunkState.RESET)
STEPS_TO_REST: Final = TURNS_TO_REST + 1
"""By then light's working memory went back, too."""


class WorldView:
    """The scene's side of one store. Owner thread only."""

    def __init__(self, world: SceneWorld, light: LightMap, pools: GpuPools, anchors: Anchors | None = None) -> None:
        """Subscribes, and marks everything; ``anchors`` say what is resident, None: all there is.

        Where the mirror has a twin, light is made on the GPU and ``light`` stays as it is.
        """
        self._standing = WorkState(world, light, pools, anchors)
        self.world = world  # the store
        self.residency = self._standing.residency  # which of its columns are on the GPU
        self.failures = self._standing.failures  # work that raised
        self._work = WorkList(self._standing)
        self._results = Results(self._standing)
        self._uploads = Uploads(self._standing)
        self._intake = ChangeIntake(self._standing)
        self._idle_steps = 0

    @property
    def unlit(self) -> npt.NDArray[np.bool_]:
        """bool[rows] whose light was never made, or could not be made as their blocks are now."""
        unlit = ~self._standing.row_lit
        unlit[self._standing.lighting.given_up] = True
        return unlit

    def without_room(self, cells: CellIndices) -> npt.NDArray[np.bool_]:
        """bool[n] whose mesh is not drawn, since the GPU has no room for all the light that falls on it."""
        mirror = self._standing.mirror
        if not mirror.leaves_light_out:
            return np.zeros(len(cells), np.bool_)
        shown = np.isin(self.cells.picture[cells], (CellState.SHOWN, CellState.STALE))
        answer: npt.NDArray[np.bool_] = shown & ~mirror.lit_wholly(self.world, self.grid, cells)
        return answer

    def picture(self, block: BlockPos) -> CellState:
        """State of the render cell that holds a block."""
        grid, row = self.grid, self.world.row_of.get(block.column, 0)
        height = (block.y >> 5) - grid.low
        if row == 0 or not 0 <= height < grid.tall:
            return CellState.ABSENT
        return CellState(int(self.cells.picture[row * grid.tall + height]))

    def undrawn(self, block: BlockPos) -> str:
        """Why a block is not in the picture as it should be; empty where it is, or where nothing is known."""
        known = block.column in self.world.row_of
        return undrawn(self._standing, block, self.picture(block)) if known else ""

    def see(self, seconds: float) -> None:
        """Takes what is in the picture now for drawn at ``seconds``, for overlays that tell when."""
        self.cells.history.look(seconds, self._received)

    def _received(self, cells: CellIndices) -> npt.NDArray[np.bool_]:
        """bool[n, 2] whether the blocks of the lower, and of the upper sub-chunk of cells are there."""
        states = self.world.state[self.grid.own_places(cells)]
        received: npt.NDArray[np.bool_] = (states == DATA) | (states == RESET)
        return received

    @property
    def at_rest(self) -> bool:
        """Whether a step would find nothing to do."""
        return self._idle_steps >= STEPS_TO_REST and not self._intake.news

    def drain(self) -> None:
        """Takes what the store's change log has, and what the anchors moved."""
        self._intake.drain()

    def may_turn(self, world: SceneWorld, anchors: Anchors | None) -> bool:
        """Whether another store can be shown without beginning from nothing; light made on the GPU knows one store."""
        alike = self.residency.anchored == (anchors is not None) and self._standing.mirror.twin is None
        return alike and comparable(self.world, world)

    def turn(self, world: SceneWorld, light: LightMap, anchors: Anchors | None) -> None:
        """Shows what ``may_turn`` allowed; what both show alike stays. No job runs; both are between two drains."""
        self._intake.turn(world, light, anchors)
        self.world = world
        self._idle_steps = 0

    def collect(self, finished: list[JobResult]) -> None:
        """Takes results, and what raised instead of giving one."""
        for done in finished:
            self._work.done(done.job.key)
            self._results.take(done)

    def upload(self, eye: Vector, budget: Budget) -> None:
        """Brings the GPU nearer to the store: light, meshes, block ids."""
        self._uploads.step(eye, budget)

    def jobs(
        self, looks: MeshTables, eye: Vector, light_columns: int, begun: frozenset[Hashable], budget: Budget
    ) -> list[Job]:
        """The whole ready list: the light step first, then meshes, nearest first; without what is being made.

        A step that is late begins to light, or sends bricks or meshes up, in turns.
        """
        late = budget.over and self._uploads.put_off
        return self._work.jobs(looks, eye, 0 if late else light_columns, begun)

    def unwanted(self, begun: frozenset[Hashable]) -> frozenset[Hashable]:
        """Those of the jobs that are begun whose results are of use to nobody: all that they mesh is gone."""
        return self._work.unwanted(begun)

    def keep_slots(self, ready: list[Job], begun: frozenset[Hashable], running: frozenset[Hashable]) -> None:
        """Lets the pools reclaim what no job can read any more: the end of a step."""
        self._work.keep_slots(ready, begun, running)
        idle = not ready and not begun and self.settled and not self._standing.mirror.left_out.any()
        self._idle_steps = self._idle_steps + 1 if idle else 0

    def light_written(self, places: Places) -> None:
        """Says that somebody else wrote to the light of places: it goes up again as it is."""
        at = self._standing
        self._idle_steps = 0
        at.mirror.want_light(at.alive(places, at.residency.lit))

    def release(self) -> None:
        """Stops reading the log and gives everything on the GPU back; none of its jobs may run any more."""
        self._intake.close()
        self._standing.lighting.abandon()
        self.cells.release()
        self._standing.mirror.clear()
        self._standing.mirror.flush()

    @property
    def grid(self) -> Grid:
        """Numbering of the store's dimension."""
        return self._standing.grid

    @property
    def cells(self) -> Cells:
        """Its render cells."""
        return self._standing.cells

    @property
    def light(self) -> LightMap:
        """The light map that is shown."""
        return self._standing.light

    @property
    def version(self) -> int:
        """Grows whenever the world or what is resident of it changes."""
        return self._standing.version

    @property
    def settled(self) -> bool:
        """Whether nothing is dirty, running, held or behind."""
        return self._standing.settled

    @property
    def behind(self) -> PendingWork:
        """What of that there is to do, by place."""
        return self._standing.behind

    def seams(self, rows: npt.NDArray[np.int64] | None = None) -> Seams:
        """Where the light of columns hangs on what is missing, or waits for a step; of all columns unless named."""
        every = np.array(sorted(self.world.row_of.values()), np.int64) if rows is None else rows
        return self._standing.seams(every)

    @property
    def meshes_made(self) -> int:
        """Results accepted."""
        return self._results.made

    @property
    def meshes_dropped(self) -> int:
        """Results older than what was accepted already, or of what is gone."""
        return self._results.dropped + self._work.dropped

    @property
    def edits_shown(self) -> int:
        """Sets of edits swapped."""
        return self._uploads.edits_shown
