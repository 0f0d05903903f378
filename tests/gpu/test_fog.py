"""Fog is complete before the last loaded ring ends, so that no edge of the world shows: pixel by pixel.

Floor and roof: Meshes end at the floor and the roof, whole and half render cells alike; lamps there shine.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from client.light.light_map import LightMap
from client.weather import CLEAR, Weather
from net.space import BlockPos, ColumnPos, Dimension
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.mesh.vertex_format import Group
from render.passes.frame_settings import FrameSettings
from render.scene import CellState, Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

# ---------------------------------------------------------------- fog

pytestmark = pytest.mark.gpu

SIDE = 10
"""Columns of the world along x and z, all of them loaded."""
FLOOR_Y = 15
EYE = (20.5, 40.0, 20.5)
SIZE = (192, 128)
ROUNDING = 2
"""Steps of 255: the fog's sky and the sky's own are the same formula for directions that rounding makes unlike."""


CAMERA = Camera(EYE, -45.0, 20.0, 70.0, SIZE[0] / SIZE[1])
LOW_EYE = (80.5, 32.0, 80.5)
DAY = FrameSettings()
WEATHERS = (CLEAR, Weather(rain=1.0), Weather(rain=1.0, thunder=1.0))


@dataclass
class Plain:
    """A level floor and what is seen of it, looking at the far corner."""

    scene: Scene
    target: Target
    shown: SemanticTarget

    def colours(self, camera: Camera, look: FrameSettings = DAY) -> np.ndarray:
        """What the camera sees."""
        self.scene.draw(camera, self.target, look)
        return self.target.pixels()[..., :3].astype(int)

    def pictures(self, camera: Camera = CAMERA) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Colours, and x and z of the block each pixel shows; -1 where it shows none."""
        assert self.scene.settle(camera.eye)
        colours = self.colours(camera)
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


@pytest.mark.parametrize("yaw_deg", [-75.0, 75.0], ids=["to the sunrise", "to the sunset"])
def test_the_horizon_has_the_colour_of_the_fog_at_every_hour_in_every_weather(
    plains: list[Plain], yaw_deg: float
) -> None:
    camera = Camera(LOW_EYE, yaw_deg, 0.0, 30.0, SIZE[0] / SIZE[1])
    _, x, _ = plains[0].pictures(camera)
    rim = (x == 0) | (x == SIDE * 16 - 1)
    assert rim.sum() > 20, "no pixel shows the rim"
    for hour in range(24):
        for weather in WEATHERS:
            colours = plains[0].colours(camera, FrameSettings(time_ticks=hour * 1000.0, weather=weather))
            horizon = colours[SIZE[1] // 2 - 1]
            below = colours[SIZE[1] // 2]
            apart = np.concatenate([np.abs(colours - horizon)[rim], np.abs(below - horizon)])
            seen = 1.0 if weather == CLEAR else 0.8  # the rest lies behind drops
            assert np.quantile(apart, seen) <= ROUNDING, f"{apart.max()} steps at {hour} h in {weather}"


# ---------------------------------------------------------------- floor and roof

MIDDLE = (1, 1)
FACES = [Group.OPAQUE_NEG_X, Group.OPAQUE_POS_X, Group.OPAQUE_NEG_Z, Group.OPAQUE_POS_Z]


@pytest.mark.parametrize(("floor", "sections"), [(0, 4), (-1, 4), (-1, 3), (-4, 5)])
def test_a_solid_world_shows_its_underside_and_its_top_and_nothing_between(gpu: Gpu, floor: int, sections: int) -> None:
    dimension = Dimension(0, "box", floor, sections, True)
    store = PaintedStore(dimension)
    light = LightMap(store, 2048)
    scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=4))
    scene.attach(store, light)
    store.load(np.full((48, 48, 16 * sections), paint.STONE, np.uint16))
    assert scene.settle((24.0, 0.0, 24.0))
    shown = scene.meshes()
    middle = (shown.cells[:, [0, 2]] == MIDDLE).all(axis=1)
    counts, heights = shown.counts[middle], shown.cells[middle, 1]
    assert counts[:, FACES].sum() == 0, "stone hides stone"
    assert heights[counts[:, Group.OPAQUE_NEG_Y] > 0].tolist() == [floor >> 1]
    assert heights[counts[:, Group.OPAQUE_POS_Y] > 0].tolist() == [floor + sections - 1 >> 1]
    assert counts.sum() == 2, "one quad each"
    scene.release()


def test_lamps_in_the_outermost_layers_are_drawn_and_shine_inwards(gpu: Gpu) -> None:
    store = PaintedStore(Dimension(1, "cave", -1, 3, False))
    light = LightMap(store, 2048)
    scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=4))
    scene.attach(store, light)
    blocks = np.zeros((16, 16, 48), np.uint16)
    blocks[8, 8, [0, 47]] = paint.LAMP
    store.load(blocks)
    assert scene.settle((8.0, 8.0, 8.0))
    state = scene.attached.state
    for y, inwards in ((-16, 1), (31, -1)):
        assert state.cell_state(BlockPos(8, y, 8)) is CellState.SHOWN
        inner = BlockPos(8, y + inwards, 8)
        place = store.place(ColumnPos(0, 0), inner.subchunk.y + 1)
        assert light.at(place, inner.in_subchunk) & 15 == 14
    assert state.cell_state(BlockPos(8, -17, 8)) is state.cell_state(BlockPos(8, -16, 8)), (
        "the half below is the same cell"
    )
    assert state.cell_state(BlockPos(8, 64, 8)) is CellState.ABSENT
    scene.release()
