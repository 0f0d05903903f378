"""Fog is complete before the last loaded ring ends, so that no edge of the world shows: pixel by pixel."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from client.light.light_map import LightMap
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

SIDE = 10
"""Columns of the world along x and z, all of them loaded."""
FLOOR_Y = 15
EYE = (20.5, 40.0, 20.5)
SIZE = (192, 128)
ROUNDING = 2
"""Steps of 255: the fog's sky and the sky's own are the same formula for directions that rounding makes unlike."""


@dataclass
class Plain:
    """A level floor and what is seen of it, looking at the far corner."""

    scene: Scene
    target: Target
    shown: SemanticTarget

    def pictures(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Colours, and x and z of the block each pixel shows; -1 where it shows none."""
        camera = Camera(EYE, -45.0, 20.0, 70.0, SIZE[0] / SIZE[1])
        assert self.scene.settle(EYE)
        self.scene.draw(camera, self.target)
        colours = self.target.pixels()[..., :3].astype(int)
        self.scene.draw_semantic(camera, self.shown)
        place, shown = self.shown.read()
        there = shown[..., 3] == 1
        return colours, np.where(there, place[..., 0], -1), np.where(there, place[..., 2], -1)


@pytest.fixture
def plains(gpu: Gpu) -> Iterator[list[Plain]]:
    made, undo = [], []
    for floor in (True, False):
        blocks = np.zeros((SIDE * 16, SIDE * 16, 64), np.uint16)
        if floor:
            blocks[:, :, : FLOOR_Y + 1] = paint.STONE
        else:
            blocks[0, 0, 0] = paint.STONE  # a world that is there, with nothing in view
        store = PaintedStore(Dimension(0, "painted", 0, 4, True))
        runner = SyncRunner()
        config = SceneConfig(upload_bytes=None, radius_columns=SIDE, first_pages=64, first_bricks=256)
        scene = Scene(gpu, PaintedLooks.make(), runner, config)
        scene.attach(store, LightMap(store, 2048))
        store.load(blocks, [ColumnPos(x, z) for x in range(SIDE) for z in range(SIDE)])
        made.append(Plain(scene, Target(gpu, SIZE), SemanticTarget(gpu, SIZE)))
        undo += [runner.close, scene.release, made[-1].target.release, made[-1].shown.release]
    yield made
    for each in undo:
        each()


def test_at_the_rim_every_pixel_of_terrain_is_fogged_whole(plains: list[Plain]) -> None:
    ground, x, z = plains[0].pictures()
    sky, *_ = plains[1].pictures()
    last = SIDE * 16 - 1
    rim = (x == last) | (z == last)
    assert rim.sum() > 20, "no pixel shows the rim"
    assert np.abs(ground - sky)[rim].max() <= ROUNDING
    near = (x >= 0) & (x < last - 64) & (z < last - 64)
    assert np.abs(ground - sky)[near].max() > 30, "the fog hides everything"
