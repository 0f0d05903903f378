"""A scene whose store is at rest does nothing in its steps, and misses nothing that comes."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.streaming.anchors import Anchor, Anchors
from net.space.positions import BlockPos, ColumnPos
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.world_view import STEPS_TO_REST
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStage, PaintedStore

pytestmark = pytest.mark.gpu

EYE = (30.5, 44.0, 6.5)
SIZE = (96, 64)
BLOCKS = paint.hills(4)


class Stage(PaintedStage):
    """One scene on one painted store, all of it loaded, within reach of anchors."""

    eye = EYE

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.store, self.anchors = PaintedStore(), Anchors()
        self.light = LightMap(self.store, 2048)
        config = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, self.light, self.anchors)
        self.store.load(BLOCKS)
        self.reach(2)
        self.target = Target(gpu, SIZE)

    def reach(self, radius: int) -> None:
        """The anchors hold so much around the middle."""
        self.anchors.pin("player", Anchor.square(ColumnPos(1, 1), radius))

    def rest(self) -> None:
        """Steps until nothing is left to do, and as many times more as it takes."""
        assert self.scene.settle(EYE)
        for _ in range(STEPS_TO_REST):
            self.scene.step(EYE)
        assert self.scene.attached.at_rest


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    stage = Stage(gpu)
    yield stage
    stage.close()


def test_at_rest_a_step_asks_nobody(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not stage.scene.attached.at_rest
    stage.rest()
    before = stage.picture()
    monkeypatch.setattr(type(stage.scene.attached), "drain", None)
    for _ in range(3):
        stage.scene.step(EYE)
    assert np.array_equal(stage.picture(), before)


def edit(stage: Stage) -> None:
    stage.store.edit(BlockPos(30, 43, 9), paint.LAMP)


def come_nearer(stage: Stage) -> None:
    stage.reach(3)


def go(stage: Stage) -> None:
    stage.store.unload(ColumnPos(1, 0))


def relight(stage: Stage) -> None:
    place = stage.store.place(ColumnPos(1, 0), 2)
    stage.light.values[stage.light.slots_of(np.array([place], np.int32))] = 0x00FF
    stage.scene.attached.light_written(np.array([place], np.int32))


@pytest.mark.parametrize("happens", [edit, come_nearer, go, relight])
def test_what_comes_ends_the_rest_and_is_shown(stage: Stage, happens: Callable[[Stage], None]) -> None:
    stage.rest()
    before, uploaded = stage.picture(), stage.scene.stats().mirror
    happens(stage)
    assert not stage.scene.attached.at_rest
    stage.rest()
    assert not np.array_equal(stage.picture(), before) or stage.scene.stats().mirror != uploaded
    assert stage.scene.check_mirror().ok
