"""A cut hides what it should and shows what is left: its faces are there, and no mesh is made for it."""

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.player import Eye, View
from render.camera import Camera
from render.capture.channels import SemanticSurfaces
from render.draw_options import Cut
from render.gpu import Gpu
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.passes.frame_settings import FrameSettings
from render.passes.semantic import SOLID
from render.scene import Scene, SceneConfig
from tests.support.worlds.painted import PaintedLooks, PaintedStore
from tests.support.worlds.semantic import OPAQUES, SIDE, random_blocks

pytestmark = pytest.mark.gpu

PIXELS = 4
"""Along a block."""
CONFIG = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=1024, first_bricks=256)


@pytest.mark.parametrize("seed", [1, 2])
def test_from_above_and_below_each_column_shows_the_outermost_block_that_is_left(context: Gpu, seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = random_blocks(rng, OPAQUES)
    store, scene = PaintedStore(), Scene(context, PaintedLooks.make(), SyncRunner(), CONFIG)
    target = SemanticTarget(context, (SIDE * PIXELS, SIDE * PIXELS))
    try:
        store.load(blocks)
        scene.attach(store, LightMap(store, 512))
        assert scene.settle((SIDE / 2, SIDE / 2, SIDE / 2))
        made, solid = scene.stats().meshes_made, blocks != 0
        levels = np.arange(SIDE)
        for low, high in [(0, SIDE), *(sorted(rng.choice(SIDE + 1, 2, replace=False).tolist()) for _ in range(4))]:
            left = solid & (levels >= low) & (levels < high)
            for pitch, face in ((90.0, 5), (-90.0, 4)):
                eye = Eye(SIDE / 2, SIDE + 20.0 if face == 5 else -20.0, SIDE / 2)
                camera = Camera.of(View(eye, 180.0, pitch, ortho_blocks=SIDE), 1.0)
                scene.draw_semantic(camera, target, FrameSettings(cut=Cut(low, high)))
                found = SemanticSurfaces.of(*target.read())
                middles = (slice(PIXELS // 2, None, PIXELS), slice(PIXELS // 2, None, PIXELS))
                cell, drawn = found.cell[middles], found.drawn[middles]
                heights = SIDE - 1 - left[:, :, ::-1].argmax(axis=2) if face == 5 else left.argmax(axis=2)
                x, z = cell[..., 0], cell[..., 2]
                assert int(drawn.sum()) == int(left.any(axis=2).sum()), (low, high, face)
                assert (cell[..., 1] == heights[x % SIDE, z % SIDE])[drawn].all(), (low, high, face)
                assert (found.face[middles] == face)[drawn].all()
                assert (found.dense == found.brick)[middles][drawn].all()
            eye = Eye(20.5, SIDE + 20.0, 30.5)
            picked = scene.pick(Camera.of(View(eye, 0.0, 90.0), 1.0), SOLID, 256.0, Cut(low, high))
            top = np.flatnonzero(left[20, 30])
            assert (None if picked is None else picked.block.y) == (int(top[-1]) if len(top) else None)
        assert scene.stats().meshes_made == made, "nothing is meshed for a cut"
    finally:
        target.release()
        scene.release()
