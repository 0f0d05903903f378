"""Shadows of the sun and the moon: they lie where rays towards the light meet something, and nowhere else."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.weather import Weather
from net.space import Dimension
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.passes.shadows import SIDE_TEXELS, SNAP_TEXELS, LightCamera, light_at
from render.scene import FrameSettings, Scene, SceneConfig
from tests.oracle.cast import cast_from, pixel_rays, stopped_by_cubes
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

SIDE = 6
FLOOR_Y = 15
RADIUS = 5
SIZE = (96, 64)
CAMERA = Camera((46.5, 44.0, 30.5), 0.0, 40.0, 70.0, SIZE[0] / SIZE[1])
OVERWORLD = Dimension(0, "painted", 0, 4, True)
MORNING = FrameSettings(time_ticks=3000.0, shadows=True)
NIGHT = FrameSettings(time_ticks=15000.0, shadows=True)


@dataclass
class Yard:
    """A floor with a tower, a roof on a pillar and a wall, and what a camera sees of them."""

    scene: Scene
    store: PaintedStore
    target: Target
    shown: SemanticTarget

    def colours(self, look: FrameSettings, camera: Camera = CAMERA) -> np.ndarray:
        """What the camera sees."""
        assert self.scene.settle(camera.eye)
        self.scene.draw(camera, self.target, look)
        return self.target.pixels()[..., :3].astype(int)

    def floor(self, camera: Camera = CAMERA) -> tuple[np.ndarray, np.ndarray]:
        """bool[h, w] which pixels show a top, and float64[h, w, 3] where in the world."""
        self.scene.draw_semantic(camera, self.shown)
        place, shown = self.shown.read()
        depth = shown[..., 0].copy().view(np.float32).astype(float)
        rays = pixel_rays(camera, *SIZE).reshape(SIZE[1], SIZE[0], 3)
        return (place[..., 3] == 5) & (shown[..., 3] == 1), np.array(camera.eye) + rays * depth[..., None]

    def is_hidden(self, points: np.ndarray, towards: tuple[float, float, float]) -> np.ndarray:
        """bool[n] whether a ray from a point meets a cube on its way to the light."""
        ways = np.tile(np.array(towards), (len(points), 1))
        return cast_from(self.store, points, ways, stopped_by_cubes(self.store.table), 200.0).on_terrain


@pytest.fixture
def yard(gpu: Gpu) -> Iterator[Yard]:
    blocks = np.zeros((SIDE * 16, SIDE * 16, 64), np.uint16)
    blocks[:, :, : FLOOR_Y + 1] = paint.STONE
    blocks[50:53, 50:53, FLOOR_Y + 1 : FLOOR_Y + 13] = paint.STONE
    blocks[36, 52, FLOOR_Y + 1 : FLOOR_Y + 7] = paint.STONE
    blocks[32:41, 48:57, FLOOR_Y + 7] = paint.STONE
    blocks[40:60, 66, FLOOR_Y + 1 : FLOOR_Y + 4] = paint.STONE
    store, runner = PaintedStore(OVERWORLD), SyncRunner()
    config = SceneConfig(upload_bytes=None, radius_columns=RADIUS, first_pages=64, first_bricks=256)
    scene = Scene(gpu, PaintedLooks.make(), runner, config)
    scene.attach(store, LightMap(store, 2048))
    store.load(blocks)
    made = Yard(scene, store, Target(gpu, SIZE), SemanticTarget(gpu, SIZE))
    yield made
    for undo in (runner.close, scene.release, made.target.release, made.shown.release):
        undo()


def light_of(eye: tuple[float, float, float], look: FrameSettings) -> LightCamera:
    """The light around an eye, which there must be."""
    light = light_at(eye, look, OVERWORLD, RADIUS)
    assert light is not None
    return light


@pytest.mark.parametrize("look", [MORNING, replace(MORNING, time_ticks=9500.0), NIGHT], ids=["3000", "9500", "moon"])
def test_a_shadow_lies_where_a_ray_to_the_light_meets_a_block(yard: Yard, look: FrameSettings) -> None:
    plain, shadowed = yard.colours(replace(look, shadows=False)), yard.colours(look)
    top, points = yard.floor()
    light = light_of(CAMERA.eye, look)
    aside = 2.5 * (light.ortho_blocks or 0.0) / SIDE_TEXELS / light.towards[1]  # a soft edge on the floor
    around = [(0.0, 0.0), (aside, 0.0), (-aside, 0.0), (0.0, aside), (0.0, -aside)]
    found = np.stack([yard.is_hidden(points[top] + (x, 0.001, z), light.towards) for x, z in around])
    sure = (found == found[0]).all(axis=0)
    hidden = found[0][sure]
    darker = (plain - shadowed)[top][sure].sum(axis=1)
    assert sure.mean() > 0.85
    assert 0.02 < hidden.mean() < 0.6
    assert (darker[~hidden] == 0).all(), "what the light reaches is as bright as without shadows"
    share = shadowed[top][sure][hidden].sum() / plain[top][sure][hidden].sum()
    assert (darker[hidden] > 0).all()
    assert share == pytest.approx(1.0 - light.strength, abs=0.12), "the sky's soft light stays"


def test_the_light_stands_still_while_the_eye_moves_a_little_and_moves_by_whole_texels() -> None:
    lights = [light_of((46.5 + 0.5 * step, 44.0, 30.5), MORNING) for step in range(40)]
    step_blocks = (lights[0].ortho_blocks or 0.0) / SIDE_TEXELS * SNAP_TEXELS
    eyes = np.array([light.eye for light in lights])
    assert 2 <= len(np.unique(eyes, axis=0)) <= 12
    for axis in (lights[0].right, lights[0].up):
        moved = (eyes - eyes[0]) @ np.array(axis) / step_blocks
        assert np.abs(moved - np.rint(moved)).max() < 1e-6


def test_the_light_looks_from_the_sun_by_day_and_from_the_moon_by_night() -> None:
    for ticks, x in ((1000, 1), (11000, -1), (14000, 1), (22000, -1)):
        light = light_of((0.5, 70.0, 0.5), FrameSettings(time_ticks=float(ticks)))
        assert np.sign(light.towards[0]) == x
        assert light.towards[1] > 0


@pytest.mark.parametrize(
    "look",
    [replace(MORNING, weather=Weather(rain=1.0)), replace(NIGHT, time_ticks=18000.0 + 4 * 24000.0)],
    ids=["rain", "new moon"],
)
def test_without_a_light_shadows_change_no_pixel(yard: Yard, look: FrameSettings) -> None:
    assert np.array_equal(yard.colours(look), yard.colours(replace(look, shadows=False)))
    assert light_at(CAMERA.eye, MORNING, Dimension(1, "nether", 0, 4, False), RADIUS) is None
