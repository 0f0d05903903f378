"""However slowly results are taken, what is under way stays small, and nothing that is gone is kept for it."""

from collections.abc import Collection, Hashable, Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.streaming.anchors import Anchor, Anchors
from client.visibility import derive_connectivity
from net.space import BlockPos, ColumnPos
from render.gpu import Gpu
from render.jobs.workers import Job, JobResult, WorkerResources, perform
from render.scene import CellState, Scene, SceneConfig, jobs
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.jobs import MeshWork
from render.scene.lighting import LightKey
from tests.support.worlds.store import SEVEN, STONE, StoreWorld

pytestmark = pytest.mark.gpu

RADIUS = 3
HURRIED = SceneConfig(owner_s=0.0, first_pages=64, first_bricks=256)
"""A step has no time at all: it takes one result."""
REGION_CELLS = 16 * 5


class QuickWorkers:
    """Workers that end whatever is ready at once; their results wait to be collected."""

    def __init__(self) -> None:
        self.finished: list[JobResult] = []
        self.holds_light = False  # whether light is not given out
        self._workshop = WorkerResources()

    def replace(self, jobs: list[Job]) -> None:
        begun = self.begun
        self.finished += [perform(job, self._workshop) for job in jobs if job.key not in begun]

    def collect(self, most: int | None = None) -> list[JobResult]:
        free = [done for done in self.finished if not (self.holds_light and isinstance(done.job.key, LightKey))]
        taken = free[:most]
        self.drop({done.job.key for done in taken})
        return taken

    def drop(self, keys: Collection[Hashable]) -> None:
        self.finished = [done for done in self.finished if done.job.key not in keys]

    @property
    def begun(self) -> frozenset[Hashable]:
        return frozenset(done.job.key for done in self.finished)

    @property
    def running(self) -> frozenset[Hashable]:
        return frozenset()

    @property
    def busy(self) -> int:
        return len(self.finished)

    def wait(self, timeout_s: float) -> bool:
        return True

    def close(self) -> None:
        self.finished.clear()

    @property
    def cells(self) -> int:
        """In meshes that nobody took."""
        return sum(len(done.job.work.cells) for done in self.finished if isinstance(done.job.work, MeshWork))


class Stage:
    """A real store whose columns come and go, and a scene without time."""

    def __init__(self, gpu: Gpu, anchors: Anchors | None = None) -> None:
        self.told = StoreWorld(SEVEN, 1 << 14)
        self.store = self.told.store
        self.workers = QuickWorkers()
        self.scene = Scene(gpu, BlockAppearance(self.told.table), self.workers, HURRIED)
        self.scene.attach(self.store, LightMap(self.store, 1 << 14), anchors)
        rng = np.random.default_rng(4)
        blocks = (rng.random((8, 4096)) < 0.02).astype(np.uint16) * np.uint16(STONE)
        self.payloads = [self.told.payload(each) for each in blocks]

    def come(self, columns: list[ColumnPos]) -> None:
        for x, z in columns:
            self.told.announce(x, z)
        self.answer(columns)

    def answer(self, columns: list[ColumnPos]) -> None:
        for x, z in columns:
            self.told.answer(
                *(((x, y, z), 1, self.payloads[(x * 7 + y * 3 + z) % 8]) for y in range(-2, 2)),
                *(((x, y, z), 6, b"") for y in range(2, 5)),
            )

    def drain(self) -> None:
        derive_connectivity(self.store.pools, self.store.finish_drain())

    @property
    def waiting(self) -> int:
        return len(self.scene.attached.state.behind["not uploaded"])

    def close(self) -> None:
        self.workers.close()
        self.scene.release()


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    made = Stage(gpu)
    yield made
    made.close()


def fly(gpu: Gpu, steps: int) -> tuple[int, int, int]:
    """A column a step; the most results, waiting meshes and slots beyond those that are shown, over the second half."""
    anchors = Anchors()
    stage = Stage(gpu, anchors)
    shown = (2 * RADIUS + 1) ** 2 * 4
    most = [0, 0, 0]
    for x in range(steps):
        anchors.pin("player", Anchor.square(ColumnPos(x, 0), RADIUS + 1))
        ahead = [x + RADIUS] if x else range(-RADIUS, RADIUS + 1)
        stage.come([ColumnPos(at, z) for at in ahead for z in range(-RADIUS, RADIUS + 1)])
        for z in range(-RADIUS, RADIUS + 1):
            stage.store.forget(ColumnPos(x - RADIUS - 1, z))
        stage.drain()
        stage.scene.step((x * 16.0 + 8.0, 20.0, 8.0))
        if x > steps // 2:
            pools = stage.store.pools.stats()
            now = len(stage.workers.finished), stage.waiting, pools.slots - pools.uniform - shown
            most = [max(pair) for pair in zip(most, now, strict=True)]
    stage.close()
    return most[0], most[1], most[2]


def test_a_flight_with_slow_frames_holds_no_slots_and_no_results_of_what_is_gone(gpu: Gpu) -> None:
    results, waiting, slots = fly(gpu, 300)
    assert results <= 40
    assert waiting <= (2 * RADIUS + 3) ** 2 * 4
    assert slots <= 2 * (2 * RADIUS + 1) * 4, "what this drain and the one before it retired"


def test_no_more_is_under_way_than_a_bound_and_all_of_it_is_shown_in_the_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MOST_CELLS", 64)
    side = 10
    stage.come([ColumnPos(x, z) for x in range(side) for z in range(side)])
    stage.drain()
    eye, edited, most = (80.0, 20.0, 80.0), BlockPos(84, 20, 84), [0, 0]
    for step in range(4000):
        if step in (5, 60):  # edits are shown while everything else waits
            stage.store.update_block(edited, 0, STONE if step == 5 else 0)
            stage.drain()
        stage.scene.step(eye)
        most = [max(most[0], stage.workers.cells), max(most[1], stage.waiting)]
        if stage.scene.settled and step > 60:
            break
    assert stage.scene.settled
    assert most[0] <= 64 + REGION_CELLS
    assert most[1] <= 2 * 64 + 2 * REGION_CELLS
    cells = stage.scene.stats().cells
    assert sum(cells[state] for state in (CellState.DIRTY, CellState.READY, CellState.STALE)) == 0
    assert cells[CellState.SHOWN] >= side * side


def test_what_came_is_not_shown_by_the_light_of_the_placeholder_that_it_replaced(stage: Stage) -> None:
    here, eye = [ColumnPos(x, z) for x in range(4) for z in range(4)], (32.0, 20.0, 32.0)
    for x, z in here:
        stage.told.announce(x, z)
    stage.drain()
    assert stage.scene.settle(eye), "columns of placeholders are lit: nothing of them is drawn"
    stage.workers.holds_light = True
    stage.answer(here)
    stage.drain()
    for _ in range(60):
        stage.scene.step(eye)
    assert stage.waiting >= len(here)
    assert stage.scene.stats().cells_shown == 0, "black, or not at all"
    stage.workers.holds_light = False
    assert stage.scene.settle(eye)
    assert stage.scene.stats().cells_shown >= len(here)


def test_results_of_columns_that_went_are_dropped_unread(stage: Stage) -> None:
    here = [ColumnPos(x, z) for x in range(4) for z in range(4)]
    stage.come(here)
    stage.drain()
    stage.scene.step((32.0, 20.0, 32.0))
    assert stage.workers.cells > 0
    made = stage.scene.stats().meshes_made
    for column in here:
        stage.store.forget(column)
    stage.drain()
    stage.scene.step((32.0, 20.0, 32.0))
    stats = stage.scene.stats()
    assert stage.workers.cells == 0
    assert stats.meshes_made == made
    assert stats.meshes_dropped > 0
    assert stage.store.pools.stats().retired == 0, "a job that ended reads nothing"
