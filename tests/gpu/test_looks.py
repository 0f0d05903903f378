"""What a look changes in a picture, and what changes none: paths of drawing, where the world lies, a turn and back.

Dusk: Views of the contact sheet's places lose as much brightness from noon to dusk as the game's daylight.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.player import Eye, View
from client.weather import Weather
from net.space import BlockPos, ColumnPos, Dimension
from render.camera import Camera
from render.capture import PictureOptions, Shot
from render.capture.studio import open_studio
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.scene import FrameSettings, Scene, SceneConfig
from tests.golden import shots
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore
from tests.support.worlds.scene import SceneWorld

pytestmark = pytest.mark.gpu

BLOCKS = paint.hills(4)
EYE = (30.5, 44.0, 6.5)
SIZE = (96, 64)
CONFIG = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=64, first_bricks=256)
FAR_COLUMNS = (1 << 20) >> 4  # a million blocks, of which clouds and turned tiles repeat a part
PANES = [BlockPos(28 + 2 * k, 42, 10 + k) for k in range(4)]


class Elsewhere(PaintedStore):
    """The painted world, so many columns away from the origin along both axes."""

    def __init__(self, away: int) -> None:
        super().__init__(Dimension(0, "painted", 0, 4, True))
        self.away = away

    def load_hills(self) -> None:
        """Loads them, with panes of glass and a pond in the air before the eye."""
        columns = [ColumnPos(x + self.away, z + self.away) for x in range(4) for z in range(4)]
        self.load(BLOCKS, columns)
        for pane in PANES:
            self.edit(BlockPos(pane.x + self.away * 16, pane.y, pane.z + self.away * 16), paint.GLASS)
        for x in range(34, 38):
            self.edit(BlockPos(x + self.away * 16, 41, 14 + self.away * 16), paint.WATER)

    def _show_section(self, blocks: paint.Volume, column: ColumnPos, section: int) -> int:
        near = ColumnPos(column.x - self.away, column.z - self.away)
        x, z, y = near.x * 16, near.z * 16, section * 16
        place = self.place(column, section)
        self.show(place, np.ascontiguousarray(blocks[x : x + 16, z : z + 16, y : y + 16]).reshape(4096))
        return place

    def surface_biomes(self, column: ColumnPos) -> np.ndarray:
        return super().surface_biomes(ColumnPos(column.x - self.away, column.z - self.away))


@dataclass
class Stage:
    """A scene of the hills."""

    scene: Scene
    runner: SyncRunner
    target: Target
    store: Elsewhere

    def picture(self, look: FrameSettings | None = None, yaw_deg: float = -10.0, pitch_deg: float = 25.0) -> np.ndarray:
        """What the camera sees."""
        away = self.store.away * 16
        eye = (EYE[0] + away, EYE[1], EYE[2] + away)
        camera = Camera(eye, yaw_deg, pitch_deg, 70.0, self.target.aspect)
        assert self.scene.settle(eye)
        self.scene.draw(camera, self.target, look or FrameSettings())
        return self.target.pixels()

    def close(self) -> None:
        """Frees it."""
        self.runner.close()
        self.scene.release()
        self.target.release()


def staged(gpu: Gpu, config: SceneConfig = CONFIG, away: int = 0) -> Stage:
    store = Elsewhere(away)
    runner = SyncRunner()
    scene = Scene(gpu, PaintedLooks.make(), runner, config)
    scene.attach(store, LightMap(store, 2048))
    store.load_hills()
    return Stage(scene, runner, Target(gpu, SIZE), store)


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    made = staged(gpu)
    yield made
    made.close()


def many(stage: Stage) -> list[np.ndarray]:
    """Pictures that together draw everything there is to draw."""
    rain = FrameSettings(weather=Weather(1.0, 0.5), seconds=7.0)
    night = FrameSettings(time_ticks=18000)
    away = stage.store.away * 16
    broken = FrameSettings(struck=np.array([(30 + away, 43, 9 + away, 0, 300, 5, paint.DIRT)], np.int32))
    return [
        stage.picture(),
        stage.picture(broken, pitch_deg=5.0),
        stage.picture(yaw_deg=120.0),
        stage.picture(rain, pitch_deg=0.0),
        stage.picture(night),
        stage.picture(pitch_deg=-40.0),
    ]


def test_both_ways_to_draw_give_the_same_pixels(gpu: Gpu) -> None:
    pictures = []
    for indirect in (True, False):
        stage = staged(gpu, replace(CONFIG, indirect=indirect))
        pictures.append(many(stage))
        stage.close()
    assert all(np.array_equal(a, b) for a, b in zip(*pictures, strict=True))


@pytest.mark.parametrize("away", [FAR_COLUMNS, -FAR_COLUMNS])
def test_a_million_blocks_away_no_pixel_differs(gpu: Gpu, away: int) -> None:
    pictures = []
    for columns in (0, away):
        stage = staged(gpu, away=columns)
        pictures.append(many(stage))
        stage.close()
    assert all(np.array_equal(a, b) for a, b in zip(*pictures, strict=True))


def digest(pictures: list[np.ndarray]) -> str:
    return hashlib.sha256(b"".join(picture.tobytes() for picture in pictures)).hexdigest()


OLD_GL = """
from render.gpu import Gpu
from tests.gpu.test_looks import digest, many, staged
gpu = Gpu.standalone()
stage = staged(gpu)
pictures = many(stage)
stage.close()
gpu.check()
print(gpu.capabilities.version, gpu.capabilities.draws_indirect, gpu.leaks(), digest(pictures))
"""


def test_on_opengl_4_1_the_same_pixels_are_drawn_without_what_4_3_has(stage: Stage) -> None:
    pictures = many(stage)
    old = {**os.environ, "MESA_GL_VERSION_OVERRIDE": "4.1", "MESA_GLSL_VERSION_OVERRIDE": "410"}
    done = subprocess.run([sys.executable, "-c", OLD_GL], env=old, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["410", "False", "0", digest(pictures)]


def test_a_turn_sends_no_quads_and_a_still_camera_makes_nothing_anew(stage: Stage) -> None:
    stage.picture()
    sight, arena = stage.scene.frames.sight.counted, stage.scene.pools.arena
    before, sent = (sight.walks, sight.lists, sight.narrowings), arena.stats().uploaded_bytes
    first = stage.picture()
    assert (sight.walks, sight.lists, sight.narrowings) == before
    stage.picture(yaw_deg=40.0)
    assert (sight.walks, sight.lists) == before[:2]
    assert sight.narrowings > before[2]
    assert arena.stats().uploaded_bytes == sent
    assert np.array_equal(stage.picture(), first)


def test_glass_behind_glass_is_drawn_first_wherever_one_looks_from(stage: Stage) -> None:
    """Sorted again from the other side: a picture made there at once is the same as one after a walk around."""
    there = stage.picture(yaw_deg=20.0, pitch_deg=5.0)
    other_eye = (36.5, 43.0, 20.5)
    assert stage.scene.settle(other_eye)
    stage.scene.draw(Camera(other_eye, 160.0, 5.0, 70.0, stage.target.aspect), stage.target, FrameSettings())
    assert np.array_equal(stage.picture(yaw_deg=20.0, pitch_deg=5.0), there)


def test_rain_falls_outside_and_a_closed_room_stays_dry(stage: Stage) -> None:
    clear = FrameSettings(time_ticks=18000)
    rain = replace(clear, weather=Weather(1.0))
    dry, wet = stage.picture(clear, pitch_deg=0.0), stage.picture(rain, pitch_deg=0.0)
    assert (dry != wet).any(axis=2).mean() > 0.2
    assert not np.array_equal(wet, stage.picture(replace(rain, seconds=0.05), pitch_deg=0.0)), "it falls"
    for x in range(27, 35):
        for z in range(3, 11):
            for y in (42, 43, 44, 45, 46):
                if x in (27, 34) or z in (3, 10) or y in (42, 46):
                    stage.store.edit(BlockPos(x, y, z), paint.STONE)
    stage.store.edit(BlockPos(32, 43, 8), paint.LAMP)
    inside = stage.picture(rain, pitch_deg=0.0)
    assert np.array_equal(inside, stage.picture(replace(rain, seconds=0.05), pitch_deg=0.0))
    hazier = np.abs(inside.astype(int) - stage.picture(clear, pitch_deg=0.0)).max()
    assert hazier <= 3
    assert inside[..., :3].max() > 60, "the lamp shows the room"


def test_cracks_darken_their_block_alone_and_more_so_the_longer_it_is_hit(stage: Stage) -> None:
    stage.store.edit(BlockPos(30, 43, 9), paint.STONE)
    stage.scene.frames.falling.drift = lambda *_: None  # dust flies beside its block
    level = {"yaw_deg": 0.0, "pitch_deg": 0.0}
    whole = stage.picture(**level).astype(int)
    changed = []
    for tenths in (0, 4, 9):
        cracked = stage.picture(FrameSettings(cracks=np.array([(30, 43, 9, tenths)], np.int32)), **level).astype(int)
        assert (cracked <= whole).all()
        rows, columns = np.nonzero((cracked != whole).any(axis=2))
        assert SIZE[0] // 4 < columns.min()
        assert columns.max() < SIZE[0] * 3 // 4
        assert len(rows) > 10
        changed.append(int((whole - cracked).sum()))
    assert changed[0] < changed[1] < changed[2]
    assert np.array_equal(stage.picture(FrameSettings(cracks=np.zeros((0, 4), np.int32)), **level), whole)


def test_gamma_lifts_what_is_dark_and_leaves_black_and_white(stage: Stage) -> None:
    night = FrameSettings(time_ticks=18000)
    plain = stage.picture(night)[..., :3].astype(int)
    lifted = stage.picture(replace(night, gamma=2.0))[..., :3].astype(int)
    assert lifted.mean() > 1.5 * plain.mean()
    assert (lifted >= plain - 1).all()


def test_an_eye_in_an_opaque_block_sees_the_world_in_the_middle_and_dark_corners(stage: Stage) -> None:
    eye = BlockPos(*(int(axis) for axis in EYE))
    stage.store.edit(eye, paint.GLASS)
    clear = stage.picture()[..., :3].astype(float)
    stage.store.edit(eye, paint.STONE)
    dark = stage.picture()[..., :3].astype(float)
    height, width = dark.shape[:2]
    x, y = np.meshgrid((np.arange(width) + 0.5) * 2 / width - 1, (np.arange(height) + 0.5) * 2 / height - 1)
    away, left = np.hypot(x, y), dark.sum(2) / clear.sum(2)
    rings = [left[(away >= low) & (away < low + 0.2)].mean() for low in np.arange(0.0, 1.4, 0.2)]
    assert left[np.maximum(abs(x), abs(y)) < 2 / 3].min() > 0.9, "the middle two thirds stay as they are"
    corner = left[away > 1.35]
    assert 0.15 < corner.min() < corner.max() < 0.4, "dark, not black"
    assert np.diff(rings).max() < 0.01
    assert np.diff(rings).min() > -0.45, "without an edge"
    stage.store.edit(eye, 0)


def test_full_moons_are_brighter_than_new_ones_and_days_differ_by_nothing(stage: Stage) -> None:
    full, new = (
        stage.picture(FrameSettings(time_ticks=18000)),
        stage.picture(FrameSettings(time_ticks=18000 + 4 * 24000)),
    )
    assert full.mean() > new.mean()
    assert np.array_equal(
        stage.picture(FrameSettings(time_ticks=6000)), stage.picture(FrameSettings(time_ticks=6000 + 24000))
    )


@pytest.mark.parametrize("pixel_blocks", [0.3, 0.4, 0.5, 0.7])
def test_a_map_draws_a_step_as_a_whole_line_or_not_at_all(gpu: Gpu, pixel_blocks: float) -> None:
    blocks = np.zeros((48, 48, 64), np.uint16)
    blocks[:, :, :16] = paint.STONE
    blocks[:, 24:, 16] = paint.STONE
    view = View(Eye(24.0, 30.0, 24.0), 10.0, 90.0, ortho_blocks=pixel_blocks * SIZE[1])
    camera = Camera.of(view, SIZE[0] / SIZE[1])
    pictures = []
    for flat in (False, True):
        store = PaintedStore(Dimension(0, "painted", 0, 4, True))
        scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), replace(CONFIG, flat_light=flat))
        target = Target(gpu, SIZE)
        scene.attach(store, LightMap(store, 2048))
        store.load(blocks)
        assert scene.settle(camera.eye)
        scene.draw(camera, target, FrameSettings())
        pictures.append(target.pixels()[..., :3].astype(float).sum(2))
        scene.release()
        target.release()
    shaded, flat_light = pictures
    middle = shaded.shape[1] // 2
    dark = (1.0 - shaded / flat_light)[:, middle - 14 : middle + 14].clip(0.0).sum(0)  # of each column, across the line
    if pixel_blocks < 0.6:
        assert dark.min() > 0.4 * dark.max()
    else:
        assert dark.max() < 0.03


# ---------------------------------------------------------------- dusk

GAMES_SHARE = {12000: 93, 12500: 66, 13000: 38}
"""Percent of the daylight at noon that the game leaves, by the time in ticks."""
HILLS, BENCH = "hills:1", "bench:1"
DUSKS = {
    "spawn": (HILLS, View(Eye(0.5, 81.62, -5.5), 0.0, 6.0)),
    "houses, to the sunset": (HILLS, View(Eye(-12.5, 75.2, 12.0), 70.0, 8.0)),
    "village, away from it": (HILLS, View(Eye(-12.5, 84.0, 30.5), -60.0, 24.0)),
    "lake": (HILLS, View(Eye(2.5, 84.0, 34.5), 0.0, 30.0)),
    "map": (HILLS, View(Eye(0.5, 200.0, 40.5), 0.0, 90.0, ortho_blocks=120.0)),
    "mountain": (HILLS, View(Eye(40.5, 137.0, 96.5), 170.0, 14.0)),
    "sides away from the sun": (BENCH, View(Eye(8.5, 128.62, 8.5), 70.0, 20.0)),
}


@pytest.mark.parametrize("place", DUSKS)
def test_land_that_the_sky_alone_lights_is_as_bright_at_dusk_as_the_games(gpu: Gpu, place: str) -> None:
    """Lamps are left out: they outshine dusk, here as in the game."""
    world, view = DUSKS[place]
    at_noon = shots.Shot(view, PictureOptions((160, 90), time=6000, ortho_blocks=view.ortho_blocks), 8, world)
    session = SceneWorld(at_noon).load().session
    runner = SyncRunner()
    with open_studio(gpu, session, at_noon.picture, runner) as studio:
        noon = studio.shoot(session, view, ("colour", "light"), at_noon.picture)
        assert noon.light is not None
        under_sky = (noon.light & 0xFFF == 0) & (noon.light >> 12 > 0)
        assert under_sky.mean() > 0.02, "no land"
        for time_ticks, share in GAMES_SHARE.items():
            dusk = studio.shoot(session, view, ("colour",), at_noon.at_time(time_ticks).picture)
            of_noon = 100.0 * brightness(dusk, under_sky) / brightness(noon, under_sky)
            assert of_noon == pytest.approx(share, abs=5.0), time_ticks
    runner.close()


def brightness(shot: Shot, where: np.ndarray) -> float:
    """Mean luma of some pixels."""
    assert shot.colour is not None
    return float((shot.colour[where][:, :3] @ (0.299, 0.587, 0.114)).mean())
