"""The X-ray overlays show what plain rays find behind what was drawn, and leave all else as it was."""

from collections.abc import Iterator

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.world.lifecycle import SubChunkState
from net.space import ColumnPos
from render.camera import Camera
from render.gpu import Gpu, RenderError, Target
from render.jobs.workers import SyncRunner
from render.passes.overlay.surface_channels import REACH_BLOCKS
from render.scene import FrameSettings, Scene, SceneConfig
from tests.oracle.cast import pixel_rays
from tests.support.reference.rays import Blocks, march
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

WIDE = 6
UNASKED = slice(48, 64), slice(64, 80), slice(32, 48)
"""A placeholder that was never requested; the others were refused."""
SIZE = (40, 24)
CAMERA = Camera((48.5, 40.5, 8.5), 0.0, 25.0, 70.0, SIZE[0] / SIZE[1])


def world() -> np.ndarray:
    """A plain with a lit hall and a dark one under it, and placeholders: two in sight, one behind rock."""
    blocks = np.zeros((16 * WIDE, 16 * WIDE, 64), np.uint16)
    blocks[:, :, :30] = paint.STONE
    blocks[20:44, 30:60, 8:20] = 0
    blocks[30, 34, 18] = paint.LAMP
    blocks[52:76, 30:60, 8:20] = 0
    blocks[16:32, 64:80, 32:48] = paint.PLACEHOLDER
    blocks[64:80, 64:80, 0:16] = paint.PLACEHOLDER
    blocks[UNASKED] = paint.PLACEHOLDER
    return blocks


class Stage:
    """A scene of it."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu, self.blocks = gpu, Blocks(world())
        store = PaintedStore()
        config = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(store, LightMap(store, 2048))
        store.load(self.blocks.ids)
        for column, section in ((ColumnPos(1, 4), 2), (ColumnPos(4, 4), 0)):
            store.state[store.place(column, section)] = SubChunkState.REFUSED
        assert self.scene.settle(CAMERA.eye)

    def picture(self, *overlays: str, camera: Camera = CAMERA) -> np.ndarray:
        target = Target(self.gpu, SIZE)
        try:
            self.scene.draw(camera, target, FrameSettings(overlays=frozenset(overlays)))
            return target.pixels()[..., :3].astype(int)
        finally:
            target.release()


@pytest.fixture(scope="module")
def stage(context: Gpu) -> Iterator[Stage]:
    stage = Stage(context)
    yield stage
    stage.scene.release()
    assert context.leaks() == 0


def plain(blocks: Blocks, camera: Camera, air: bool) -> np.ndarray:
    """bool[h, w] whose rays find what the overlay shows."""
    stops = np.zeros(len(paint.NAMES), np.bool_)
    stops[paint.STONE :] = True
    ends = np.zeros(len(paint.NAMES), np.bool_)
    ends[0 if air else paint.PLACEHOLDER] = True
    found = np.zeros((SIZE[1], SIZE[0]), np.bool_)
    asked = blocks.ids.copy()
    asked[UNASKED] = 0
    missed = Blocks(asked)
    rays = pixel_rays(camera, *SIZE).reshape(SIZE[1], SIZE[0], 3)
    for row, column in np.ndindex(*found.shape):
        ray = rays[row, column] / np.linalg.norm(rays[row, column])
        if not air:
            found[row, column] = march(missed, camera.eye, ray, ends, REACH_BLOCKS).block is not None
            continue
        first = march(blocks, camera.eye, ray, stops, REACH_BLOCKS)
        if first.block is not None:
            start = np.array(camera.eye) + ray * (first.distance + 1e-9)
            found[row, column] = march(blocks, tuple(start), ray, ends, REACH_BLOCKS - first.distance).block is not None
    return found


@pytest.mark.parametrize("air", [False, True])
@pytest.mark.parametrize("yaw_deg", [0.0, 25.0, -30.0])
def test_what_is_shown_is_what_rays_find(stage: Stage, air: bool, yaw_deg: float) -> None:
    camera = Camera(CAMERA.eye, yaw_deg, 25.0, 70.0, CAMERA.aspect)
    name = "xray-air" if air else "xray-placeholder"
    changed = (stage.picture(name, camera=camera) != stage.picture(camera=camera)).any(axis=2)
    expected = plain(stage.blocks, camera, air)
    assert expected.sum() > 20
    assert (changed != expected).sum() <= 3  # along edges a ray may fall on either side


def test_halls_are_blue_in_daylight_violet_in_the_dark_and_lamps_have_their_colour(stage: Stage) -> None:
    seen = stage.picture("xray-air")
    left, right = seen[12:, :19], seen[12:, 21:]  # the lit hall lies at lower x: to the right, looking south
    dark = (left[..., 2] > left[..., 1] + 30) & (left[..., 0] > left[..., 1] + 10)
    lamp = (right[..., 0] > right[..., 2]) | (right[..., 1] > right[..., 2])
    assert dark.sum() > 20
    assert lamp.sum() > 10


def test_a_placeholder_in_sight_is_brighter_than_one_behind_rock(stage: Stage) -> None:
    plain_picture, seen = stage.picture(), stage.picture("xray-placeholder")
    strength = np.abs(seen - plain_picture).sum(axis=2)
    assert strength[:, 20:].max() > 0
    assert (seen[..., 0] > seen[..., 2] + 60).sum() > 10


def test_both_may_be_drawn_and_none_changes_the_next_picture(stage: Stage) -> None:
    before = stage.picture()
    both = stage.picture("xray-air", "xray-placeholder")
    assert (both != before).any()
    assert (stage.picture() == before).all()


def test_an_overlay_that_is_not_there_is_named(stage: Stage) -> None:
    with pytest.raises(RenderError, match=r"Unknown overlay 'xray-lava' .did you mean 'xray-air'"):
        stage.picture("xray-lava")
