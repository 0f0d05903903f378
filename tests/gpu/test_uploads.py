"""What is sent to the GPU is what changed, byte for byte: nothing for a look around, one brick for one block."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from client.light.light_map import LightMap
from net.space.positions import BlockPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.brick_atlas import BRICK_BYTES
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.scene import SceneStats
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

WIDE = 8
EYE = (64.5, 44.0, 64.5)


class Stage:
    """The painted hills, settled and seen once."""

    def __init__(self, gpu: Gpu) -> None:
        self.store = PaintedStore()
        self.light = LightMap(self.store, 4096)
        config = SceneConfig(upload_bytes=None, radius_columns=8, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, self.light)
        self.store.load(paint.hills(WIDE))
        self.target = Target(gpu, (96, 64))
        assert self.scene.settle(EYE)
        self.look(0.0)

    def look(self, yaw_deg: float) -> None:
        self.scene.step(EYE)
        self.scene.draw(Camera(EYE, yaw_deg, 10.0, 70.0, 1.5), self.target)

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
def stage(gpu: Gpu) -> Iterator[Stage]:
    stage = Stage(gpu)
    yield stage
    stage.close()


def sent(stats: SceneStats) -> tuple[int, int, int]:
    """Bytes ever sent: quads, block ids, light; page tables are counted with their bricks."""
    return stats.arena.uploaded_bytes, stats.mirror.blocks.uploaded_bytes, stats.mirror.light.uploaded_bytes


def test_a_turn_of_the_camera_sends_no_byte_of_bricks_pages_and_quads(stage: Stage) -> None:
    before = sent(stage.scene.stats())
    for yaw_deg in range(0, 360, 15):
        stage.look(float(yaw_deg))
    assert sent(stage.scene.stats()) == before


def test_a_step_of_the_eye_sends_none_either(stage: Stage) -> None:
    before = sent(stage.scene.stats())
    for x, following in pairwise(np.linspace(20, 100, 12).tolist()):
        stage.scene.step((x, 44.0, 64.5))
        stage.scene.draw(Camera((following, 44.0, 64.5), 0.0, 10.0, 70.0, 1.5), stage.target)
    assert sent(stage.scene.stats()) == before


@pytest.mark.parametrize(
    ("block", "dense"),
    [
        (BlockPos(57, 20, 57), paint.LAMP),
        (BlockPos(57, 40, 57), paint.LAMP),
        (BlockPos(64, 47, 64), paint.STONE),
        (BlockPos(63, 50, 80), paint.RED_LAMP),
    ],
)
def test_one_block_sends_its_brick_and_the_light_that_changed(stage: Stage, block: BlockPos, dense: int) -> None:
    before, light_before = stage.scene.stats().mirror, stage.light_of_all()
    stage.store.edit(block, dense)
    assert stage.scene.settle(EYE)
    after, light_after = stage.scene.stats().mirror, stage.light_of_all()
    changed = [place for place, values in light_after.items() if not np.array_equal(values, light_before[place])]
    entries = 4 * 3**3  # at most: the entries of a lamp's reach
    assert after.blocks.brick_bytes - before.blocks.brick_bytes == BRICK_BYTES
    assert after.light.brick_bytes - before.light.brick_bytes == BRICK_BYTES * len(changed)
    assert after.blocks.uploaded_bytes - before.blocks.uploaded_bytes <= BRICK_BYTES + 4
    assert after.light.uploaded_bytes - before.light.uploaded_bytes <= BRICK_BYTES * len(changed) + entries
    assert 1 <= len(changed) <= 27
