"""One attached store: what the GPU shows of it, what is behind, and the steps that bring it up to date.

Every change passes through the same stages: changes in (``change_intake``), jobs out (``jobs``), results in (``jobs``),
uploads (``uploads``). ``work_state`` holds the state between the stages.

Most frames of a loaded world change nothing. After ``STEPS_TO_REST`` steps without work the store is at rest: until a
change arrives, another step would find nothing to do.
"""

from collections.abc import Hashable
from typing import Final

import numpy as np

from client.light.light_map import LightMap
from client.report.health import Undrawn
from client.streaming.anchors import Anchors
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from net.arrays import I32, Bools, Places
from render.camera import Vector
from render.jobs.workers import Job, JobResult
from render.mesh.mesher import AppearanceTables
from render.scene.cells import CellState
from render.scene.change_intake import ChangeIntake, comparable
from render.scene.grid import CellIndices
from render.scene.jobs import Results, WorkList
from render.scene.lighting import JOBS_TO_REST
from render.scene.uploads import Budget, Uploads
from render.scene.work_state import GpuPools, WorkState

DATA, RESET = int(SubChunkState.DATA), int(SubChunkState.RESET)
STEPS_TO_REST: Final = JOBS_TO_REST + 1
"""After that many steps the working memory of the light steps is freed as well."""


class WorldView:
    """The scene's side of one store. Owner thread only."""

    def __init__(self, world: Store, light: LightMap, pools: GpuPools, anchors: Anchors | None = None) -> None:
        """Subscribes to the store and marks everything; ``anchors`` select what is resident, None: everything.

        With a twin in the mirror, light is computed on the GPU and ``light`` stays unchanged.
        """
        self.state = WorkState(world, light, pools, anchors)  # state of the picture of the store
        self.world = world  # the store
        self.residency = self.state.residency  # which of its columns are on the GPU
        self.failures = self.state.failures  # work that raised
        self.work_list = WorkList(self.state)  # jobs to start
        self.results = Results(self.state)  # results of jobs
        self.uploads = Uploads(self.state)
        self.intake = ChangeIntake(self.state)  # changes in
        self._idle_steps = 0

    @property
    def unlit(self) -> Bools:
        """bool[rows] whose light was never made, or could not be made from their present blocks."""
        unlit = ~self.state.row_lit
        unlit[self.state.lighting.given_up] = True
        return unlit

    def without_space(self, cells: CellIndices) -> Bools:
        """bool[n] of cells whose mesh is not drawn because the GPU has no room for all the light that falls on it."""
        mirror = self.state.mirror
        if not mirror.leaves_light_out:
            return np.zeros(len(cells), np.bool_)
        shown = np.isin(self.state.cells.picture[cells], (CellState.SHOWN, CellState.STALE))
        return shown & ~mirror.lit_wholly(self.world, self.state.grid, cells)

    def undrawn_places(self) -> Undrawn:
        """Sub-chunks with blocks whose mesh could not be made, and those whose light could not or has no room."""
        grid, world = self.state.grid, self.world
        dark = self.state.lighting.given_up
        cells = grid.cells_of_rows(np.array(sorted(world.row_of.values()), np.int64))
        roomless = grid.own_places(cells[self.without_space(cells)])
        unmeshed, unlit = (
            self._with_blocks(places)
            for places in (grid.own_places(self.state.cells.failed()), np.union1d(world.places_of_rows(dark), roomless))
        )
        return Undrawn(world.positions_of(unmeshed), world.positions_of(unlit))

    def _with_blocks(self, places: I32) -> Places:
        inside = np.unique(places[places >= self.state.grid.sections]).astype(np.int32)
        return inside[self.world.state[inside] == DATA]

    def see(self, seconds: float) -> None:
        """Records that the present picture is drawn at ``seconds``, for overlays that show when something appeared."""
        self.state.cells.history.record(seconds, self._received)

    def _received(self, cells: CellIndices) -> Bools:
        """bool[n, 2] whether the lower and the upper sub-chunk of each cell were received."""
        states = self.world.state[self.state.grid.own_places(cells)]
        return (states == DATA) | (states == RESET)

    @property
    def at_rest(self) -> bool:
        """Whether a step would find nothing to do."""
        return self._idle_steps >= STEPS_TO_REST and not self.intake.news

    def may_switch(self, world: Store, anchors: Anchors | None) -> bool:
        """Whether another store can be shown without starting over; never with light made on the GPU."""
        alike = self.residency.anchored == (anchors is not None) and self.state.mirror.twin is None
        return alike and comparable(self.world, world)

    def switch(self, world: Store, light: LightMap, anchors: Anchors | None) -> None:
        """Shows a store that ``may_switch`` allowed, and keeps what both show alike.

        No job may run, and no drain be under way.
        """
        self.intake.switch(world, light, anchors)
        self.world = world
        self._idle_steps = 0

    def collect(self, finished: list[JobResult]) -> None:
        for done in finished:
            self.work_list.done(done.job.key)
            self.results.take(done)

    def jobs(
        self, tables: AppearanceTables, eye: Vector, light_columns: int, begun: frozenset[Hashable], budget: Budget
    ) -> list[Job]:
        """The whole ready list without jobs that have begun: the light step first, then meshes, nearest first.

        After a late step, light steps and uploads of bricks or meshes take turns.
        """
        late = budget.over and self.uploads.put_off
        return self.work_list.jobs(tables, eye, 0 if late else light_columns, begun)

    def keep_slots(self, ready: list[Job], begun: frozenset[Hashable], running: frozenset[Hashable]) -> None:
        """Lets the pools reclaim the slots that no job can read any more. Call it at the end of a step."""
        self.work_list.keep_slots(ready, begun, running)
        idle = not ready and not begun and self.state.settled and not self.state.mirror.left_out.any()
        self._idle_steps = self._idle_steps + 1 if idle else 0

    def release(self) -> None:
        """Stops reading the log and frees its meshes; none of its jobs may run any more.

        Its bricks stay on the GPU until another store is attached, or the volumes are freed.
        """
        self.intake.close()
        self.state.lighting.abandon()
        self.state.cells.release()

    @property
    def meshes_dropped(self) -> int:
        """Results older than accepted ones, or of removed cells and columns."""
        return self.results.dropped + self.work_list.dropped
