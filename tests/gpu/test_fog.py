"""Fog is complete before the last loaded ring ends, so that no edge of the world shows: pixel by pixel.

Given fogs: Those of a server or of packs colour what is far, in air and in water; no picture becomes black of them.

Floor and roof: Meshes end at the floor and the roof, whole and half render cells alike; lamps there shine.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.weather import CLEAR, Weather
from net.space import BlockPos, ColumnPos, Dimension
from render.camera import Camera
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.materials.packs.fogs import LAYERS, FogLayer, PackFogs, undefined_fog
from render.mesh.vertex_format import Group
from render.passes.atmosphere import LAVA, LEAST_BRIGHT, GivenColour
from render.passes.frame_settings import FrameSettings
from render.scene import CellState, Scene, SceneConfig
from render.scene.frame.surroundings import biomes_around, fog_given, sky_given
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
    looks: PaintedLooks
    store: PaintedStore

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

    def release(self) -> None:
        self.scene.release()
        self.target.release()
        self.shown.release()


def plain_of(gpu: Gpu, blocks: np.ndarray) -> Plain:
    store = PaintedStore(Dimension(0, "painted", 0, 4, True))
    config = SceneConfig(upload_bytes=None, radius_columns=SIDE, first_pages=64, first_bricks=256)
    looks = PaintedLooks.make()
    scene = Scene(gpu, looks, SyncRunner(), config)
    scene.attach(store, LightMap(store, 2048))
    store.load(blocks, [ColumnPos(x, z) for x in range(SIDE) for z in range(SIDE)])
    return Plain(scene, Target(gpu, SIZE), SemanticTarget(gpu, SIZE), looks, store)


@pytest.fixture
def plains(gpu: Gpu) -> Iterator[list[Plain]]:
    made = []
    for floor in (True, False):
        blocks = np.zeros((SIDE * 16, SIDE * 16, 64), np.uint16)
        if floor:
            blocks[:, :, : FLOOR_Y + 1] = paint.STONE
        else:
            blocks[0, 0, 0] = paint.STONE  # a world that is there, with nothing in view
        made.append(plain_of(gpu, blocks))
    yield made
    for each in made:
        each.release()


def test_at_the_rim_every_pixel_of_terrain_is_fogged_whole(plains: list[Plain]) -> None:
    ground, x, z = plains[0].pictures()
    sky, *_ = plains[1].pictures()
    last = SIDE * 16 - 1
    rim = (x == last) | (z == last)
    assert rim.sum() > 20, "no pixel shows the rim"
    assert np.abs(ground - sky)[rim].max() <= ROUNDING
    near = (x >= 0) & (x < last - 64) & (z < last - 64)
    assert np.abs(ground - sky)[near].max() > 30, "the fog hides everything"


@pytest.mark.parametrize(
    ("yaw_deg", "stack"),
    [(-75.0, ()), (75.0, ()), (75.0, ("a:red",))],
    ids=["to the sunrise", "to the sunset", "under a fog that the server set"],
)
def test_the_horizon_has_the_colour_of_the_fog_at_every_hour_in_every_weather(
    plains: list[Plain], yaw_deg: float, stack: tuple[str, ...]
) -> None:
    plains[0].looks.fogs = FOGS
    camera = Camera(LOW_EYE, yaw_deg, 0.0, 30.0, SIZE[0] / SIZE[1])
    _, x, _ = plains[0].pictures(camera)
    rim = (x == 0) | (x == SIDE * 16 - 1)
    assert rim.sum() > 20, "no pixel shows the rim"
    for hour in range(24):
        for weather in WEATHERS:
            colours = plains[0].colours(camera, FrameSettings(hour * 1000.0, weather, stack))
            horizon = colours[SIZE[1] // 2 - 1]
            below = colours[SIZE[1] // 2]
            apart = np.concatenate([np.abs(colours - horizon)[rim], np.abs(below - horizon)])
            seen = 1.0 if weather == CLEAR else 0.8  # the rest lies behind drops
            assert np.quantile(apart, seen) <= ROUNDING, f"{apart.max()} steps at {hour} h in {weather}"


# ---------------------------------------------------------------- fogs that are given

RED, GREEN, BLACK = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)
NEAR_RED = FogLayer(RED, 30.0, 60.0, fixed=True)
FOGS = PackFogs(
    fogs={
        "a:red": {"air": NEAR_RED, "weather": NEAR_RED, "water": FogLayer(RED, 0.0, 2.0, fixed=True)},
        "a:black": dict.fromkeys(LAYERS, FogLayer(BLACK, 0.0, 0.0, fixed=True)),
        "a:far": {"air": FogLayer(RED, 5.0, 10.0, fixed=False)},
        "a:green lava": {"lava": FogLayer(GREEN, 0.0, 2.0, fixed=True)},
    }
)
LEVEL = Camera(LOW_EYE, -45.0, 0.0, 70.0, SIZE[0] / SIZE[1])
NIGHT_STORM = FrameSettings(18000.0, WEATHERS[2])


def test_land_fades_into_a_given_fog_from_its_start_to_its_end(plains: list[Plain]) -> None:
    plain = plains[0]
    plain.looks.fogs = FOGS
    ours, x, z = plain.pictures()
    red = plain.colours(CAMERA, replace(DAY, fogs=("a:black", "a:red")))
    away = np.hypot(x + 0.5 - EYE[0], z + 0.5 - EYE[2])
    beyond, before = (x >= 0) & (away > 62), (x >= 0) & (away < 28)
    assert beyond.sum() > 20
    assert before.sum() > 20
    assert np.abs(red - (255, 0, 0))[beyond].max() <= ROUNDING + 10, "the sun's halo is added"
    assert np.abs(red - ours)[before].max() <= 12, "only our thin haze is missing"


def test_a_fog_that_ends_beyond_the_world_does_not_show_its_edge(plains: list[Plain]) -> None:
    plain = plains[0]
    plain.looks.fogs = FOGS
    _, x, z = plain.pictures()
    rim = (x == SIDE * 16 - 1) | (z == SIDE * 16 - 1)
    far = replace(DAY, fogs=("a:far",))
    assert plains[1].scene.settle(CAMERA.eye)
    plains[1].looks.fogs = FOGS
    assert np.abs(plain.colours(CAMERA, far) - plains[1].colours(CAMERA, far))[rim].max() <= ROUNDING


def test_black_fog_never_makes_a_picture_black(plains: list[Plain]) -> None:
    plain = plains[0]
    plain.looks.fogs = FOGS
    plain.pictures(LEVEL)
    ours, black = (plain.colours(LEVEL, replace(NIGHT_STORM, fogs=fogs)) for fogs in ((), ("a:black",)))
    assert black.max(axis=2).min() >= ours.max(axis=2).min() - ROUNDING
    noon = plain.colours(LEVEL, replace(DAY, fogs=("a:black",)))
    assert noon[SIZE[1] // 2].min() >= 255 * LEAST_BRIGHT - ROUNDING
    feet = Camera(LOW_EYE, -45.0, 89.0, 70.0, SIZE[0] / SIZE[1])
    assert np.abs(plain.colours(feet, replace(DAY, fogs=("a:black",))) - noon[SIZE[1] // 2, 0]).max() > 30


def test_a_fog_that_no_pack_defines_changes_nothing_and_is_told_once(
    plains: list[Plain], caplog: pytest.LogCaptureFixture
) -> None:
    ours, *_ = plains[0].pictures()
    for time_ticks in (6000.0, 6001.0):
        look = FrameSettings(time_ticks, fogs=("minecraft:fog_hell",))
        assert time_ticks > 6000 or (plains[0].colours(CAMERA, look) == ours).all()
    plains[0].colours(CAMERA, replace(DAY, fogs=("minecraft:fog_hell", "a:mist")))
    assert [record.getMessage() for record in caplog.records] == [
        undefined_fog("minecraft:fog_hell"),
        undefined_fog("a:mist"),
    ]


def test_under_water_a_given_fog_colours_what_is_far(gpu: Gpu) -> None:
    blocks = np.zeros((SIDE * 16, SIDE * 16, 64), np.uint16)
    blocks[:, :, : FLOOR_Y + 1], blocks[:, :, FLOOR_Y + 1 : 34] = paint.STONE, paint.WATER
    plain = plain_of(gpu, blocks)
    plain.looks.fogs = FOGS
    plain.pictures(LEVEL)
    ours, red = (plain.colours(LEVEL, replace(DAY, fogs=fogs)) for fogs in ((), ("a:red",)))
    middle = SIZE[1] // 2
    assert (ours[middle, :, 2] > 2 * ours[middle, :, 0]).all(), "our water is blue"
    assert (red[middle, :, 0] > 8 * red[middle, :, 2]).all()
    plain.release()


def test_lava_hides_what_is_far_in_its_own_colour_or_in_that_of_a_fog_for_lava(gpu: Gpu) -> None:
    lava = paint.WATER
    blocks = np.zeros((SIDE * 16, SIDE * 16, 64), np.uint16)
    blocks[:, :, : FLOOR_Y + 1], blocks[:, :, FLOOR_Y + 1 : 34] = paint.STONE, lava
    plain = plain_of(gpu, blocks)
    plain.looks.fogs = FOGS
    plain.store.table.emission[lava] = 15  # lava is the liquid that shines
    down = Camera(LOW_EYE, -45.0, 60.0, 70.0, SIZE[0] / SIZE[1])
    _, x, _ = plain.pictures(down)
    assert (x >= 0).all(), "the floor, 16 to 40 blocks away"
    ours, under_red, green = (
        plain.colours(down, replace(DAY, fogs=fogs)) for fogs in ((), ("a:red",), ("a:green lava",))
    )
    assert np.ptp(ours, axis=(0, 1)).max() <= ROUNDING, "nothing of the floor shows"
    red, yellow, blue = ours[0, 0] / ours[0, 0].max()
    assert (red, yellow, blue) == pytest.approx(
        (1.0, LAVA.colour[1] / LAVA.colour[0], LAVA.colour[2] / LAVA.colour[0]), abs=0.03
    )
    assert (under_red == ours).all(), "a fog for air and water is none for lava"
    assert (green[..., 1] > 8 * green[..., [0, 2]].max(axis=2)).all()
    eye = (LOW_EYE[0], FLOOR_Y + 1.3, LOW_EYE[2])
    floor, lava_alone = (plain.colours(Camera(eye, -45.0, pitch, 20.0, SIZE[0] / SIZE[1])) for pitch in (90.0, 0.0))
    assert (floor[..., 0] > 2 * lava_alone[..., 0]).all(), "a lighter floor 0.3 blocks away shows"
    plain.release()


def test_of_biomes_around_the_eye_the_mean_counts(plains: list[Plain]) -> None:
    fogs = PackFogs(FOGS.fogs, {"desert": "a:red"}, {"desert": RED, "default": (0.0, 1.0, 0.0)})
    half = {"desert": 0.25, "plains": 0.75}
    found = fog_given(fogs, (), half, "air", 160.0)
    assert found is not None
    assert (found.share, found.colour, found.start_blocks, found.end_blocks) == (0.25, RED, 30.0, 60.0)
    assert sky_given(fogs, half) == GivenColour((0.25, 0.75, 0.0), 1.0)
    assert fog_given(fogs, (), {"plains": 1.0}, "air", 160.0) is None
    above = fog_given(fogs, ("a:far",), half, "air", 160.0)
    assert above is not None
    assert (above.share, above.end_blocks) == (1.0, 1600.0), "what the server set is above the biomes"
    shares = biomes_around(plains[0].store, EYE, {})
    assert sum(shares.values()) == pytest.approx(1.0)
    assert biomes_around(plains[0].store, (-500.0, 40.0, 0.0), {}) == {}


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
