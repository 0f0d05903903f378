"""Uploads light, meshes and block ids to the GPU within a step's budget of seconds and bytes.

Rules:
1. Light, meshes and block ids take turns to be first. The first may use all the time; the rest goes to the next ones
   (sharing each step's time costs 1.5 times as much: a first part takes 0.3 ms). Each kind sends the nearest first. A
   step that is late sends only tints and the first part of one kind (``must``), so that any budget makes progress.
2. A cell that shows nothing is shown when its column has current light and that light is on the GPU; a mesh
   replaces an older one at once.
3. A set of edits is uploaded whole, in one step, as soon as it is complete.
4. A mesh that finds no pages is dropped, and its cell shows as failed; as soon as pages for it are free the cell is
   marked again. Only its size is kept: if the GPU is full, the missing meshes would fill the memory here.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from net.arrays import I64, Places
from render.camera import Vector
from render.errors import OutOfPages
from render.gpu.quad_arena import UNIT_BYTES
from render.mesh.vertex_format import GROUPS
from render.scene.cells import CellState
from render.scene.edit_sets import EditSet, Made
from render.scene.failures import Failure
from render.scene.grid import CellIndices
from render.scene.jobs import drawable
from render.scene.reach_kernels import measure_cells
from render.scene.work_state import WorkState

# ---------------------------------------------------------------- budget

SLICE: Final = 64
"""Bricks of the smallest part."""
MOST_AT_ONCE: Final = 512
WAITING: Final = 1 / 8
"""Weight of elapsed time relative to processor time, at least."""


class Portion:
    """Number of bricks of one kind to upload between two checks of the time; estimates last from step to step.

    Theory. A part costs its arrays, whatever its length (0.12 ms), and 1 us a brick (llvmpipe, warm caches). Small
    parts waste the step's time, large ones overrun it; the right size depends on the machine and its load.
    """

    def __init__(self) -> None:
        self.size = SLICE

    def learn(self, count: int, took_s: float, had_s: float) -> None:
        """Updates the estimate: so many bricks took so long, of the time that was left."""
        if took_s > had_s:
            self.size = max(SLICE, self.size // 2)
        elif count >= self.size and 1.5 * took_s < had_s:
            self.size = min(MOST_AT_ONCE, 2 * self.size)


class Budget:
    """The budget of one step."""

    def __init__(self, seconds: float | None, upload_bytes: int | None, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._until = None if seconds is None else clock() + seconds
        self.bytes_left = upload_bytes  # None: no limit

    @property
    def timed(self) -> bool:
        return self._until is not None

    @property
    def over(self) -> bool:
        return self._until is not None and self._clock() >= self._until

    @property
    def left_s(self) -> float | None:
        return None if self._until is None else self._until - self._clock()

    def most(self, each_s: float) -> int | None:
        """At most so many pieces of ``each_s`` are sent in the step; None: time is not limited."""
        return None if self._seconds is None else max(SLICE, int(self._seconds / each_s))

    def send(self, count: int) -> None:
        """Counts bytes that were sent."""
        if self.bytes_left is not None:
            self.bytes_left -= count

    def slices(self, places: Places, portion: Portion, must: bool = True) -> Iterator[Places]:
        """Places in parts, while the time left suffices for one more; all at once if time is not limited.

        ``must``: whether a first part is sent however late it is (rule 1).
        """
        first = 0
        while first < len(places):
            begun, left_s = self._clock(), self.left_s
            if left_s is None:
                size = len(places)
            elif left_s <= 0 and not (first == 0 and must):
                return
            else:
                size = portion.size if left_s > 0 else SLICE
            yield places[first : first + size]
            first += size
            took_s = self._clock() - begun
            if left_s is not None:
                portion.learn(size, took_s, left_s)
            bytes_left = self.bytes_left
            if (bytes_left is not None and bytes_left <= 0) or (left_s is not None and left_s - took_s < took_s):
                return


def step_clock(used: Callable[[], float], elapsed: Callable[[], float]) -> Callable[[], float]:
    """A clock that starts now: seconds that this thread worked, but at least ``WAITING`` of the elapsed ones."""
    used_before, since = used(), elapsed()
    return lambda: max(used() - used_before, (elapsed() - since) * WAITING)


def budget(seconds: float | None, upload_bytes: int | None) -> Budget:
    """A step's budget in processor time of this thread; waiting counts an eighth.

    On a shared machine the core may be taken away in the middle of a step. Ending the step for that made the picture
    complete ten times as late (measured with ten programs on two cores), and no frame earlier. But a driver that makes
    the thread wait must not delay the frame without limit: the viewer's 1.25 ms are over after 10 ms of waiting alone.
    """
    return Budget(seconds, upload_bytes, step_clock(time.thread_time, time.perf_counter))


BRICK_S: Final = 1e-6
"""A brick takes no less: a step sorts no more places than it might send."""
MESH_S: Final = 1e-5
"""The same of a mesh."""
MOST_AGAIN: Final = 64
"""Cells without room that are retried in one step."""


class Uploads:
    """Uploads the work of one store. Owner thread only."""

    def __init__(self, standing: WorkState) -> None:
        self._at = standing
        self._portions = Portion(), Portion()  # of light, and of block ids
        self._no_space: dict[int, int] = {}  # by cell that found no pages, the size of its mesh in units
        self._turn = 0  # number of the kind that is first, and goes on even when a step's time is over
        self.edits_shown = 0  # sets of edits shown
        # whether the last step had no time for any kind: then this one sends a first part, however late it is
        self.put_off = False

    def step(self, eye: Vector, budget: Budget) -> None:
        """Uploads of one step; the kinds take turns to be first if time is limited."""
        at, mirror = self._at, self._at.mirror
        if self._no_space:
            self._try_again()
        self._show_empty()
        mirror.admit(at.world, at.light, eye)
        if (complete := at.edits.complete()) is not None:
            self._show_edit(complete)
        self._turn = (self._turn + 1) % 3 if budget.timed else 0
        kinds = self._upload_light, self._upload_meshes, self._upload_blocks
        late = budget.over
        must = self.put_off or not late
        self.put_off = not must
        if not (late and must):
            at.tints.flush(at.world)
        for behind in range(3):
            kinds[(self._turn + behind) % 3](eye, budget, must and behind == 0)
        mirror.flush()
        if mirror.twin is not None:
            at.row_lit[mirror.twin.step(at.world, eye, mirror.blocks_behind)] = True

    def _try_again(self) -> None:
        """Marks cells for which there is room now; cells that find none again wait again."""
        cells, found = self._at.cells, []
        for cell, units in list(self._no_space.items()):
            gone = cell >= len(cells.picture) or cells.picture[cell] != CellState.FAILED
            if not gone and not cells.has_space(units):
                continue
            del self._no_space[cell]
            if not gone:
                found.append(cell)
            if len(found) == MOST_AGAIN:
                break
        if found:
            cells.mark(np.array(found, np.int64))

    def _show_empty(self) -> None:
        """Shows dirty cells with nothing to draw as empty, without a job."""
        at = self._at
        dirty = at.cells.dirty()
        if not len(dirty):
            return
        dirty = dirty[~drawable(at.world, at.grid, dirty)]
        held = at.edits.holds(dirty)
        nothing = np.zeros((0, 2), np.uint32), np.zeros(GROUPS, np.int32)
        for cell in dirty[held].tolist():
            at.edits.take(Made(cell, int(at.cells.wanted[cell]), *nothing))
        at.cells.accept(dirty[held])
        for cell in dirty[~held].tolist():
            at.waiting.pop(cell, None)
        at.cells.show_empty(dirty[~held])

    def _show_edit(self, edit: EditSet) -> None:
        at, mirror = self._at, self._at.mirror
        dark = np.unique(at.alive(edit.dark_places, at.residency.lit))
        mirror.upload_light(at.world, at.light, dark, None)
        changed = np.unique(at.alive(edit.places, at.with_blocks))
        mirror.upload_blocks(at.world, changed, None, edit.blocks)
        for made in edit.made.values():
            at.waiting.pop(made.cell, None)
            self._show(made)
        self.edits_shown += 1

    def _upload_light(self, eye: Vector, budget: Budget, must: bool) -> None:
        at = self._at
        behind = np.flatnonzero(at.mirror.light_behind)
        if len(dark := at.edits.dark_places):
            behind = behind[~np.isin(behind, dark)]
        for part in self._slices(behind, self._portions[0], eye, budget, must):
            budget.send(at.mirror.upload_light(at.world, at.light, part, budget.bytes_left))

    def _upload_blocks(self, eye: Vector, budget: Budget, must: bool) -> None:
        at = self._at
        for part in self._slices(np.flatnonzero(at.mirror.blocks_behind), self._portions[1], eye, budget, must):
            budget.send(at.mirror.upload_blocks(at.world, part, budget.bytes_left))

    def _slices(self, behind: I64, portion: Portion, eye: Vector, budget: Budget, must: bool) -> Iterator[Places]:
        """Places in parts, nearest first, while time is left."""
        if len(behind) and (must or not budget.over):
            yield from budget.slices(self._near(behind, eye, budget.most(BRICK_S)), portion, must)

    def _near(self, places: I64, eye: Vector, most: int | None) -> Places:
        """Places, nearest first, ``most`` of them."""
        distance = self._at.grid.distances(places, self._at.world.columns, eye)
        if most is not None and len(places) > most:
            near = np.argpartition(distance, most)[:most]
            places, distance = places[near], distance[near]
        return places[np.argsort(distance, kind="stable")].astype(np.int32)

    def _upload_meshes(self, eye: Vector, budget: Budget, must: bool) -> None:
        waiting = self._at.waiting
        if not waiting or (budget.over and not must):
            return
        cells = np.fromiter(waiting, np.int64, len(waiting))
        for sent, cell in enumerate(self._nearest(cells, eye, budget.most(MESH_S)).tolist()):
            made = Made.of(cell, *waiting[cell])
            size, left = len(made.units) * UNIT_BYTES, budget.bytes_left
            if sent and ((left is not None and size > left) or budget.over):
                break
            budget.send(size)
            del waiting[cell]
            self._show(made)

    def _nearest(self, cells: CellIndices, eye: Vector, most: int | None) -> CellIndices:
        """Cells that may be shown, nearest first, ``most`` of them."""
        at, grid, distance = self._at, self._at.grid, np.empty(len(cells))
        of_grid = grid.floor, grid.sections, grid.low, grid.tall
        dark = at.row_lit, at.mirror.light_behind
        count = measure_cells(cells, *of_grid, at.world.columns, at.cells.page, *dark, *eye, distance)
        if most is not None and count > most:
            near, count = np.argpartition(distance, most)[:most], most
            cells, distance = cells[near], distance[near]
        return cells[np.argsort(distance, kind="stable")[:count]]

    def _show(self, made: Made) -> None:
        at = self._at
        row, height = divmod(made.cell, at.grid.tall)
        (x, z), y = at.world.columns[row].tolist(), height + at.grid.low
        try:
            at.cells.show(made.cell, (x, y, z), made.units, made.counts)
        except OutOfPages as full:
            at.cells.fail(made.cell, made.revision)
            self._no_space[made.cell] = len(made.units)
            at.failures.add(Failure("mesh of render cell", (x, y, z), full))
