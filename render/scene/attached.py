"""One attached store: what the GPU shows of it, what is behind, and the moves that bring it up to date.

Rules:
1. Every change goes the same way: the log's places become cells, light rows and bricks that are behind; jobs and
   uploads work those off. ``everything`` marks all of it at once.
2. A cell is shown for the first time when its column has been lit and that light is on the GPU; afterwards new meshes
   replace old ones at once.
3. What is not resident (``residency``) is on the GPU neither as mesh nor as brick; it is marked whole when it comes.
4. Work that raises is counted and said (``failures``); everything else goes on.
5. Block slots that jobs still read are kept: the pools reclaim only what is older than the oldest of them.
"""

from collections.abc import Hashable
from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.map import LightMap
from client.streaming.anchors import Anchors
from client.world.changes import ChangeBatch
from net.space.layout import Places
from render.gpu.arena import UNIT_BYTES, QuadArena
from render.gpu.errors import OutOfPages
from render.jobs.job import Finished, Job
from render.mesh.build import MeshResult, MeshTables
from render.mesh.quads import GROUPS
from render.scene.behind import Behind
from render.scene.budget import Budget, Portion
from render.scene.cells import Cells
from render.scene.edits import EditSet, Made
from render.scene.facing import Facing
from render.scene.failures import Failure, Failures
from render.scene.grid import CellIndices, Grid
from render.scene.lighting import Lighting, Lit
from render.scene.meshing import FailedMesh, Meshed, MeshWork, drawable, mesh_jobs
from render.scene.mirror import Mirror
from render.scene.picture import Picture
from render.scene.reach import Reach, cells_around, cells_touched, rows_beside, sort_changes
from render.scene.residency import Residency
from render.scene.tint_map import TintMap
from render.scene.world import World

Vector = tuple[float, float, float]
NEVER: Final = np.zeros(0, np.int32)
MOST_UPLOADS: Final = 512
"""Places that are put in order for one step: more than a step that has a budget sends up."""


class Attached:
    """The scene's side of one store. Owner thread only.

    Attributes:
        world: the store.
        grid: numbering of its dimension.
        cells: its render cells.
        residency: which of its columns are on the GPU.
        meshes_made: results accepted.
        meshes_dropped: results older than what was accepted already.
        edits_shown: sets of edits swapped.
        version: grows whenever the world or what is resident of it changes.
        failures: work that raised.
    """

    def __init__(
        self,
        world: World,
        light: LightMap,
        arena: QuadArena,
        mirror: Mirror,
        tints: TintMap,
        anchors: Anchors | None = None,
    ) -> None:
        """Subscribes, and marks everything; ``anchors`` say what is resident, None: all there is.

        Where the mirror has a twin, light is made on the GPU and ``light`` stays as it is.
        """
        self.world = world
        self.grid = Grid.of(world.dimension)
        self.cells = Cells(self.grid, arena)
        self.meshes_made = self.meshes_dropped = self.edits_shown = self.version = 0
        self.failures = Failures()
        self._light = light
        self._mirror = mirror
        self._tints = tints
        self._lighting = Lighting(light)
        self.residency = Residency(anchors)
        self._facing = Facing()
        self._reader = world.changes.subscribe()
        self._waiting: dict[int, Made] = {}
        self._edits: EditSet | None = None
        self._edited: tuple[Places, npt.NDArray[np.uint16]] = NEVER, np.zeros(0, np.uint16)
        self._later: list[Reach] = []
        self._portions = Portion(), Portion()  # of light, and of block ids
        self._turn = 0  # whose upload comes first, and goes on even when a step's time is over
        self._row_lit: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._epochs: dict[Hashable, int] = {}
        self._working: dict[Hashable, MeshWork] = {}  # jobs of the last ready list, and those begun before
        self._everything()

    @property
    def settled(self) -> bool:
        """Whether nothing is dirty, running, held or behind."""
        mirror = self._mirror
        behind = mirror.blocks_behind.any() or mirror.light_behind.any()
        waits = self._waiting or self._edits or self._later or len(self.cells.dirty())
        return not waits and not behind and self._lighting.idle and (mirror.twin is None or mirror.twin.idle)

    @property
    def behind(self) -> Behind:
        """What of that there is to do, by place."""
        columns, mirror = self.world.columns, self._mirror
        unlit = self._lighting.behind if mirror.twin is None else mirror.twin.behind
        held = set() if self._edits is None else set(self._edits.made)
        waiting = np.array(sorted(held | set(self._waiting)), np.int64)
        places = np.flatnonzero(mirror.blocks_behind | mirror.light_behind | mirror.left_out)
        return Behind(
            unlit=columns[np.union1d(unlit, self._lighting.given_up)],
            unmeshed=self.grid.cell_positions(np.union1d(self.cells.dirty(), self.cells.failed()), columns),
            not_uploaded=self.grid.cell_positions(waiting, columns),
            not_mirrored=self.grid.positions_of(places, columns),
        )

    # ------------------------------------------------------------ changes in

    def drain(self) -> None:
        """Takes what the store's change log has, and what the anchors moved."""
        batch = self._reader.drain()
        if batch.everything or len(batch):
            self.version += 1
        if batch.everything:
            self._everything()
        elif len(batch):
            self._apply(batch)
        self._follow()
        if self._edits is None and self._later:
            self._begin_edit(self._later.pop(0))

    def _fit(self) -> None:
        rows = len(self.world.columns)
        self.cells.fit(rows)
        self._lighting.fit(rows)
        self.residency.fit(rows)
        self._facing.fit(len(self.world.slot))
        self._mirror.fit(self.world)
        if rows > len(self._row_lit):
            self._row_lit = np.append(self._row_lit, np.zeros(rows - len(self._row_lit), np.bool_))

    def _everything(self) -> None:
        """Forgets what is shown and marks all there is."""
        self.grid = Grid.of(self.world.dimension)
        self.cells.release()
        self.cells = self.cells.renumbered(self.grid)
        self._mirror.restart(self.world)
        self._tints.clear()
        self._waiting.clear()
        self._working.clear()
        self._edits = None
        self._later.clear()
        self._row_lit[:] = False
        self._lighting.restart()
        self._fit()
        self._facing.forget(slice(None))
        rows = np.array(sorted(self.world.row_of.values()), np.int64)
        self._facing.turn(self.world, self.grid.places_of_rows(rows))
        self.residency.restart()
        self.residency.came(self.world, rows)
        self._mark_rows(rows)

    def _mark_rows(self, rows: npt.NDArray[np.int64]) -> None:
        if len(rows):
            self._mark_meshes(rows[self.residency.shown[rows]])
            self._mirror.want_light(self.grid.places_of_rows(rows[self.residency.lit[rows]]))
            self._mark_light(rows)
            self._tints.update(self.world, rows)

    def _mark_meshes(self, rows: npt.NDArray[np.int64]) -> None:
        self.cells.mark(self.grid.cells_of_rows(rows))
        self._mirror.want_blocks(self.grid.places_of_rows(rows))

    def _mark_light(self, rows: npt.NDArray[np.int64]) -> None:
        if self._mirror.twin is None:
            self._lighting.mark(rows)

    @property
    def _with_blocks(self) -> npt.NDArray[np.bool_]:
        """Rows whose block ids are on the GPU: the twin wants them wherever there is light."""
        return self.residency.shown if self._mirror.twin is None else self.residency.lit

    def _follow(self) -> None:
        """Lets what the anchors left go, and marks what they came to."""
        self._fit()
        moves = self.residency.step(self.world)
        if len(moves.appeared) or len(moves.vanished):
            self.version += 1
        if len(moves.appeared):
            self._mark_meshes(moves.appeared)
        if len(moves.lit):
            self._mirror.want_light(self.grid.places_of_rows(moves.lit))
        if len(moves.vanished):
            self._let_go(moves.vanished, self.world.columns[moves.vanished])
        if len(moves.darkened):
            places, positions = self._stacks(moves.darkened, self.world.columns[moves.darkened])
            self._mirror.remove_light(places, positions)

    def _let_go(self, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int32]) -> None:
        """Takes meshes and block ids of rows off the GPU."""
        cells = self.grid.cells_of_rows(rows)
        self.cells.remove(cells)
        for cell in cells.tolist():
            self._waiting.pop(cell, None)
        if self._edits is not None:
            self._edits.forget(cells)
        self._mirror.remove_blocks(*self._stacks(rows, columns))

    def _stacks(
        self, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int32]
    ) -> tuple[Places, npt.NDArray[np.int32]]:
        """All places of rows, and where they are, or were."""
        heights = np.arange(self.grid.sections, dtype=np.int32)
        positions = np.empty((len(rows) * len(heights), 3), np.int32)
        positions[:, [0, 2]] = np.repeat(columns, len(heights), axis=0)
        positions[:, 1] = np.tile(heights + self.grid.floor, len(rows))
        return self.grid.places_of_rows(rows), positions

    def _shown_cells(self, cells: CellIndices) -> CellIndices:
        return cells[self.residency.shown[cells // self.grid.tall]]

    def _apply(self, batch: ChangeBatch) -> None:
        self._fit()
        reach = sort_changes(batch, self.grid)
        if len(reach.gone):
            self._remove(reach)
        if len(reach.fresh):
            self.residency.came(self.world, reach.fresh)
            self._mark_rows(reach.fresh)
            self._mark_around(self.grid.places_of_rows(reach.fresh))
        if len(reach.bulk):
            self._mark_around(reach.bulk)
            self._mirror.blocks_behind[self._alive(reach.bulk, self._with_blocks)] = True
            rows = np.unique(self.grid.rows_of(reach.bulk))
            self._mark_light(rows)
            self._tints.update(self.world, rows)
        if len(reach.edited):
            self._facing.turn(self.world, reach.edited)
            self._later.append(reach)

    def _mark_around(self, places: Places) -> None:
        turned = self._facing.turn(self.world, places)
        self.cells.mark(self._shown_cells(cells_around(self.world, self.grid, places, turned, self._facing.sides)))

    def _remove(self, reach: Reach) -> None:
        columns = reach.gone_positions[:, [0, 2]]
        self._let_go(reach.gone, columns)
        self._mirror.remove_light(*self._stacks(reach.gone, columns))
        self.residency.went(reach.gone)
        self._facing.forget(self.grid.places_of_rows(reach.gone))
        self._row_lit[reach.gone] = False
        self._mark_light(reach.gone)
        if self._mirror.twin is not None:
            self._mirror.twin.gone(self.world, reach.gone, columns)
        beside = rows_beside(self.world, reach.gone_positions)
        if len(beside):
            self.cells.mark(self._shown_cells(self.grid.cells_of_rows(beside)))

    def _begin_edit(self, reach: Reach) -> None:
        cells = cells_touched(self.world, self.grid, reach.edit_places, reach.edit_cells)
        cells = cells[self.cells.picture[cells] != Picture.ABSENT]
        revision = self.cells.mark(cells)
        self._edits = EditSet.of(revision, cells, reach.edited)
        self._edited = reach.edit_places, reach.edit_cells
        if self._mirror.twin is None:
            self._lighting.mark_edits(*self._edited)
        else:
            self._edits.lit = True  # it will be, in the frame that shows the blocks

    # ------------------------------------------------------------ results in

    def collect(self, finished: list[Finished]) -> None:
        """Takes results, and what raised instead of giving one."""
        for done in finished:
            self._epochs.pop(done.job.key, None)
            if not self._lighting.owns(done.job.key):
                self._take_meshed(done.value)
            elif done.error is None:
                self._take_light(self._lighting.finish(done))
            else:
                self._miss_light(done.error)

    def _take_meshed(self, meshed: Meshed) -> None:
        for result in meshed.results:
            self._take_meshes(result)
        for failed in meshed.failed:
            self._miss_mesh(failed)

    def _miss_mesh(self, failed: FailedMesh) -> None:
        x, y, z = failed.cell
        row = self._row_at(x, z)
        cell = row * self.grid.tall + y - self.grid.low
        if row == 0 or self.cells.made[cell] >= failed.revision or failed.revision > self.cells.wanted[cell]:
            return
        self.cells.fail(cell, failed.revision)
        if self._edits is not None and failed.revision >= self._edits.revision:
            self._edits.forget(np.array([cell], np.int64))
        self.failures.add(Failure("mesh of render cell", failed.cell, failed.error))

    def _miss_light(self, error: Exception) -> None:
        """Columns whose light cannot be made are drawn as they are: too dark is better than a hole."""
        rows, edit = self._lighting.fail()
        self._row_lit[rows] = True
        if edit and self._edits is not None:
            self._edits.lit = True
        for x, z in self.world.columns[rows].tolist():
            self.failures.add(Failure("light of column", (x, z), error))

    def _take_light(self, lit: Lit) -> None:
        self._row_lit[lit.rows] = True
        places = self._alive(lit.log.places, self.residency.lit)
        if lit.edit and self._edits is not None:
            self._edits.lit = True
            self._edits.dark_places = places
        else:
            self._mirror.light_behind[places] = True

    def _take_meshes(self, result: MeshResult) -> None:
        rows = np.fromiter((self._row_at(x, z) for x, _, z in result.cells.tolist()), np.int64, len(result.cells))
        cells = rows * self.grid.tall + result.cells[:, 1] - self.grid.low
        news = (rows > 0) & (self.cells.made[cells] < result.revisions) & (result.revisions <= self.cells.wanted[cells])
        taken = np.flatnonzero(news)
        self.meshes_made += len(taken)
        self.meshes_dropped += len(cells) - len(taken)
        self.cells.ready(cells[taken], result.revisions[taken])
        for index, cell in zip(taken.tolist(), cells[taken].tolist(), strict=True):
            made = Made(cell, int(result.revisions[index]), result.units(index), result.counts[index])
            if self._edits is None or not self._edits.takes(made):
                self._waiting[cell] = made

    def _row_at(self, x: int, z: int) -> int:
        return int(self.world.row_of.get((x, z), 0))  # type: ignore[call-overload]

    # ------------------------------------------------------------ uploads

    def upload(self, eye: Vector, budget: Budget) -> None:
        """Brings the GPU nearer to the store: light, meshes, block ids; each comes first in turn if time is limited."""
        self._show_empty()
        self._mirror.admit(self.world, self._light, self.grid, eye)
        if self._edits is not None and self._edits.complete:
            self._show_edit(self._edits)
            self._edits = None
        self._turn = (self._turn + 1) % 3 if budget.timed else 0
        kinds = self._upload_light, self._upload_meshes, self._upload_blocks
        for behind in range(3):
            kinds[(self._turn + behind) % 3](eye, budget.part(1.0, must=behind == 0))
        self._mirror.flush()
        if self._mirror.twin is not None:
            lit = self._mirror.twin.step(self.world, self.grid, eye, self._mirror.blocks_behind)
            self._row_lit[lit] = True

    def _show_empty(self) -> None:
        """Dirty cells with nothing to draw need no job."""
        dirty = self.cells.dirty()
        if not len(dirty):
            return
        dirty = dirty[~drawable(self.world, self.grid, dirty)]
        if self._edits is not None:
            for cell in dirty.tolist():
                if cell in self._edits.missing:
                    nothing = np.zeros((0, 2), np.uint32), np.zeros(GROUPS, np.int32)
                    self._edits.takes(Made(cell, int(self.cells.wanted[cell]), *nothing))
            held = np.isin(dirty, np.fromiter(self._edits.made, np.int64, len(self._edits.made)))
            self.cells.accept(dirty[held])
            dirty = dirty[~held]
        for cell in dirty.tolist():
            self._waiting.pop(cell, None)
        self.cells.show_empty(dirty)

    def _alive(self, places: Places, resident: npt.NDArray[np.bool_]) -> Places:
        """Those whose column is still there, and on the GPU: bool[rows]."""
        rows = self.grid.rows_of(places)
        alive: Places = places[(self.world.column_neighbours[rows, 4] == rows) & resident[rows]]
        return alive

    def _show_edit(self, edit: EditSet) -> None:
        dark = np.unique(self._alive(edit.dark_places, self.residency.lit))
        self._mirror.upload_light(self.world, self._light, self.grid, dark, None)
        self._mirror.upload_blocks(
            self.world, self.grid, np.unique(self._alive(edit.places, self._with_blocks)), None, self._edited
        )
        for made in edit.made.values():
            self._waiting.pop(made.cell, None)
            self._show(made)
        self.edits_shown += 1

    def _upload_light(self, eye: Vector, budget: Budget) -> None:
        behind = np.flatnonzero(self._mirror.light_behind)
        if self._edits is not None:
            behind = behind[~np.isin(behind, self._edits.dark_places)]
        if not len(behind) or budget.closed:
            return
        for part in budget.slices(self._near(behind, eye, budget.timed), self._portions[0]):
            budget.send(self._mirror.upload_light(self.world, self._light, self.grid, part, budget.bytes_left))

    def _upload_blocks(self, eye: Vector, budget: Budget) -> None:
        behind = np.flatnonzero(self._mirror.blocks_behind)
        if not len(behind) or budget.closed:
            return
        for part in budget.slices(self._near(behind, eye, budget.timed), self._portions[1]):
            budget.send(self._mirror.upload_blocks(self.world, self.grid, part, budget.bytes_left))

    def _near(self, places: npt.NDArray[np.int64], eye: Vector, timed: bool) -> Places:
        """Places, nearest first; of a step whose time is limited only as many as it might send up."""
        distance = self.grid.distances(places, self.world.columns, eye)
        if timed and len(places) > MOST_UPLOADS:
            near = np.argpartition(distance, MOST_UPLOADS)[:MOST_UPLOADS]
            places, distance = places[near], distance[near]
        return places[np.argsort(distance, kind="stable")].astype(np.int32)

    def _upload_meshes(self, eye: Vector, budget: Budget) -> None:
        if not self._waiting or budget.closed:
            return
        cells = np.fromiter(self._waiting, np.int64, len(self._waiting))
        cells = cells[self._may_show(cells)]
        positions = self.grid.cell_positions(cells, self.world.columns) * np.array([16.0, 32.0, 16.0])
        offset = positions + np.array([8.0, 16.0, 8.0]) - np.array(eye)
        for sent, cell in enumerate(cells[np.argsort((offset * offset).sum(axis=1), kind="stable")].tolist()):
            made = self._waiting[cell]
            size, left = len(made.units) * UNIT_BYTES, budget.bytes_left
            if sent and ((left is not None and size > left) or budget.over):
                break
            budget.send(size)
            self._show(self._waiting.pop(cell))

    def _may_show(self, cells: CellIndices) -> npt.NDArray[np.bool_]:
        first = self.cells.picture[cells] == Picture.READY
        rows = cells // self.grid.tall
        own = self.grid.own_places(cells)
        own = np.where(own < self.grid.sections, own[:, ::-1], own)  # a half outside the dimension asks its other half
        dark = ~self._row_lit[rows] | self._mirror.light_behind[own].any(axis=1)
        answer: npt.NDArray[np.bool_] = ~(first & dark)
        return answer

    def _show(self, made: Made) -> None:
        row, height = divmod(made.cell, self.grid.tall)
        (x, z), y = self.world.columns[row].tolist(), height + self.grid.low
        try:
            self.cells.show(made.cell, (x, y, z), made.units, made.counts)
        except OutOfPages as full:
            self.cells.fail(made.cell, made.revision)
            self.failures.add(Failure("mesh of render cell", (x, y, z), full))

    @property
    def light(self) -> LightMap:
        """The light map that is shown."""
        return self._light

    def light_written(self, places: Places) -> None:
        """Says that somebody else wrote to the light of places: it goes up again as it is."""
        self._mirror.want_light(self._alive(places, self.residency.lit))

    # ------------------------------------------------------------ work out

    def jobs(self, looks: MeshTables, eye: Vector, light_columns: int, begun: frozenset[Hashable]) -> list[Job]:
        """The whole ready list: the light step first, then meshes, nearest first; without what is being made."""
        light = self._lighting.job(self.world, eye, light_columns)
        dirty = self.cells.dirty()
        if not len(dirty):
            return [] if light is None else [light]
        dirty = dirty[drawable(self.world, self.grid, dirty) & ~self._under_way(dirty, begun)]
        meshes = mesh_jobs(self.world, self.grid, self.cells, dirty, looks, eye)
        return meshes if light is None else [light, *meshes]

    def _under_way(self, dirty: CellIndices, begun: frozenset[Hashable]) -> npt.NDArray[np.bool_]:
        """Which cells are in a job that runs, or waits to be collected, and want no newer mesh than it gives."""
        self._working = {key: work for key, work in self._working.items() if key in begun}
        if not self._working:
            return np.zeros(len(dirty), np.bool_)
        made = np.zeros(len(self.cells.wanted), np.int64)
        for work in self._working.values():
            made[work.cells] = np.maximum(made[work.cells], work.batch.revisions)
        under_way: npt.NDArray[np.bool_] = made[dirty] >= self.cells.wanted[dirty]
        return under_way

    def keep_slots(self, ready: list[Job], begun: frozenset[Hashable]) -> None:
        """Lets the pools reclaim what no job can read any more."""
        epoch = self.world.pools.epoch
        kept = {key: at for key, at in self._epochs.items() if key in begun}
        self._epochs = {job.key: epoch for job in ready} | kept
        self._working |= {job.key: job.work for job in ready if isinstance(job.work, MeshWork)}
        oldest = min(self._epochs.values(), default=epoch)
        if self._lighting.epoch is not None:
            oldest = min(oldest, self._lighting.epoch)
        self.world.pools.reclaim(oldest)

    def release(self) -> None:
        """Stops reading the log and gives everything on the GPU back."""
        self._reader.close()
        self.cells.release()
        self._mirror.clear()
        self._mirror.flush()
