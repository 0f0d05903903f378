"""Closed walls are closed, however their faces are merged: a thousand poses look for background."""

from collections.abc import Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.player import Eye, View
from render.camera import Camera
from render.capture.channels import SemanticSurfaces
from render.gpu import Gpu
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore
from tests.support.worlds.semantic import OPAQUES

pytestmark = pytest.mark.gpu

SIZE_PX = (96, 64)
POSES = 1000
LOW, HIGH = 20, 44
"""The room's inside, in blocks: it goes through the borders of cells on all three axes."""


def room(rng: np.random.Generator) -> paint.Volume:
    """Walls two blocks thick in patches of many sizes, so that faces of unlike size meet at every seam."""
    blocks = np.zeros((64, 64, 64), np.uint16)
    shell = np.zeros(blocks.shape, bool)
    shell[LOW - 2 : HIGH + 2, LOW - 2 : HIGH + 2, LOW - 2 : HIGH + 2] = True
    shell[LOW:HIGH, LOW:HIGH, LOW:HIGH] = False
    mixed = rng.choice(OPAQUES, blocks.shape).astype(np.uint16)
    for _ in range(600):
        low = rng.integers(0, 60, 3)
        size = rng.integers(1, 12, 3)
        x, z, y = (slice(a, a + n) for a, n in zip(low.tolist(), size.tolist(), strict=True))
        mixed[x, z, y] = rng.choice(OPAQUES)
    blocks[shell] = mixed[shell]
    return blocks


@pytest.fixture(scope="module")
def scene(context: Gpu) -> Iterator[Scene]:
    config = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=1024, first_bricks=256)
    scene = Scene(context, PaintedLooks.make(), SyncRunner(), config)
    yield scene
    scene.release()


def test_no_pixel_of_a_thousand_poses_shows_through_closed_walls(context: Gpu, scene: Scene) -> None:
    rng = np.random.default_rng(7)
    store = PaintedStore()
    store.load(room(rng))
    scene.attach(store, LightMap(store, 512))
    middle = (LOW + HIGH) / 2
    assert scene.settle((middle, middle, middle))
    target = SemanticTarget(context, SIZE_PX)
    holes: list[str] = []
    for pose in range(POSES):
        x, y, z = rng.uniform(LOW + 0.3, HIGH - 0.3, 3).tolist()
        view = View(Eye(x, y, z), float(rng.uniform(0, 360)), float(rng.uniform(-89, 89)), float(rng.uniform(10, 110)))
        scene.draw_semantic(Camera.of(view, SIZE_PX[0] / SIZE_PX[1]), target)
        found = SemanticSurfaces.of(*target.read())
        holes += [f"pose {pose}, {view}: {at}" for at in np.argwhere(~found.drawn).tolist()]
    target.release()
    assert not holes


def test_a_hole_of_one_block_is_found(context: Gpu, scene: Scene) -> None:
    """The test itself: the same room without one block of its wall."""
    blocks = room(np.random.default_rng(7))
    blocks[HIGH : HIGH + 2, 32, 32] = 0
    store = PaintedStore()
    store.load(blocks)
    scene.attach(store, LightMap(store, 512))
    assert scene.settle((32.0, 32.0, 32.0))
    target = SemanticTarget(context, SIZE_PX)
    scene.draw_semantic(Camera.of(View(Eye(32.5, 32.5, 32.5), -90.0, 0.0, 70.0), SIZE_PX[0] / SIZE_PX[1]), target)
    assert not SemanticSurfaces.of(*target.read()).drawn.all()
    target.release()
