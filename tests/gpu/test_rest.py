"""A scene whose store is at rest does nothing in its steps, and misses nothing that comes.

Uploads: What is sent to the GPU is what changed, byte for byte: nothing for a look around, one brick for one block.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.streaming.anchors import Anchor, Anchors
from net.space import BlockPos, ColumnPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.brick_volume import BRICK_BYTES
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.scene import SceneStats
from render.scene.world_view import STEPS_TO_REST
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStage, PaintedStore
from tests.support.worlds.scene import show_written_light

# ---------------------------------------------------------------- rest

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
    monkeypatch.setattr(type(stage.scene.attached.intake), "drain", None)
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
    show_written_light(stage.scene.attached, np.array([place], np.int32))


@pytest.mark.parametrize("happens", [edit, come_nearer, go, relight])
def test_what_comes_ends_the_rest_and_is_shown(stage: Stage, happens: Callable[[Stage], None]) -> None:
    stage.rest()
    before, uploaded = stage.picture(), stage.scene.stats().mirror
    happens(stage)
    assert not stage.scene.attached.at_rest
    stage.rest()
    assert not np.array_equal(stage.picture(), before) or stage.scene.stats().mirror != uploaded
    assert stage.scene.check_mirror().ok


# ---------------------------------------------------------------- uploads

WIDE = 8
UPLOADS_EYE = (64.5, 44.0, 64.5)


class UploadsStage:
    """The painted hills, settled and seen once."""

    def __init__(self, gpu: Gpu) -> None:
        self.store = PaintedStore()
        self.light = LightMap(self.store, 4096)
        config = SceneConfig(upload_bytes=None, radius_columns=8, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, self.light)
        self.store.load(paint.hills(WIDE))
        self.target = Target(gpu, (96, 64))
        assert self.scene.settle(UPLOADS_EYE)
        self.look(0.0)

    def look(self, yaw_deg: float) -> None:
        self.scene.step(UPLOADS_EYE)
        self.scene.draw(Camera(UPLOADS_EYE, yaw_deg, 10.0, 70.0, 1.5), self.target)

    def light_of_all(self) -> dict[int, np.ndarray]:
        """Light of each place, copies."""
        places = np.array(
            [place for row in self.store.row_of.values() for place in range(row * 4, row * 4 + 4)], np.int32
        )
        slots = self.light.slots_of(places)
        return {
            place: self.light.values[slot].copy() for place, slot in zip(places.tolist(), slots.tolist(), strict=True)
        }

    def close(self) -> None:
        self.scene.release()
        self.target.release()


@pytest.fixture
def stage_uploads(gpu: Gpu) -> Iterator[UploadsStage]:
    stage = UploadsStage(gpu)
    yield stage
    stage.close()


def sent(stats: SceneStats) -> tuple[int, int, int]:
    """Bytes ever sent: quads, block ids, light; page tables are counted with their bricks."""
    return stats.arena.uploaded_bytes, stats.mirror.blocks.uploaded_bytes, stats.mirror.light.uploaded_bytes


def test_a_turn_of_the_camera_sends_no_byte_of_bricks_pages_and_quads(stage_uploads: UploadsStage) -> None:
    before = sent(stage_uploads.scene.stats())
    for yaw_deg in range(0, 360, 15):
        stage_uploads.look(float(yaw_deg))
    assert sent(stage_uploads.scene.stats()) == before


def test_a_step_of_the_eye_sends_none_either(stage_uploads: UploadsStage) -> None:
    before = sent(stage_uploads.scene.stats())
    for x, following in pairwise(np.linspace(20, 100, 12).tolist()):
        stage_uploads.scene.step((x, 44.0, 64.5))
        stage_uploads.scene.draw(Camera((following, 44.0, 64.5), 0.0, 10.0, 70.0, 1.5), stage_uploads.target)
    assert sent(stage_uploads.scene.stats()) == before


@pytest.mark.parametrize(
    ("block", "dense"),
    [
        (BlockPos(57, 20, 57), paint.LAMP),
        (BlockPos(57, 40, 57), paint.LAMP),
        (BlockPos(64, 47, 64), paint.STONE),
        (BlockPos(63, 50, 80), paint.RED_LAMP),
    ],
)
def test_one_block_sends_its_brick_and_the_light_that_changed(
    stage_uploads: UploadsStage, block: BlockPos, dense: int
) -> None:
    before, light_before = stage_uploads.scene.stats().mirror, stage_uploads.light_of_all()
    stage_uploads.store.edit(block, dense)
    assert stage_uploads.scene.settle(UPLOADS_EYE)
    after, light_after = stage_uploads.scene.stats().mirror, stage_uploads.light_of_all()
    changed = [place for place, values in light_after.items() if not np.array_equal(values, light_before[place])]
    entries = 4 * 3**3  # at most: the entries of a lamp's reach
    assert after.blocks.brick_bytes - before.blocks.brick_bytes == BRICK_BYTES
    assert after.light.brick_bytes - before.light.brick_bytes == BRICK_BYTES * len(changed)
    assert after.blocks.uploaded_bytes - before.blocks.uploaded_bytes <= BRICK_BYTES + 4
    assert after.light.uploaded_bytes - before.light.uploaded_bytes <= BRICK_BYTES * len(changed) + entries
    assert 1 <= len(changed) <= 27
