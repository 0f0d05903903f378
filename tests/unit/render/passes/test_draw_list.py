"""Draw lists: near first, far first for what shines through, nothing that looks away, no trace of arrival.

Frame list: What an eye sees is made into runs once; a look only picks of them.

Frame uniforms: The bits of a march are the same here and in the shader.

Atmosphere: The day goes round.

Particles: What stops bodies and drops: cubes wholly, models as high as they reach, liquids drops alone.
"""

import re

import numpy as np
import pytest
from msgspec.structs import replace

import shaders
from client.weather import Weather
from render.mesh.vertex_format import GROUPS, MODEL, NO_FACE, Group, pack
from render.passes.atmosphere import LEAST_BRIGHT, GivenAir, GivenColour, atmosphere_at
from render.passes.block_march import MarchEnd
from render.passes.draw_list import MeshList, nearest_first
from render.passes.draw_list_kernels import AS_MODELS
from render.passes.particles import STOP_MASK, STOPS_DROPS, WHOLE, stop_values
from tests.support.reference.draw_list import eye_list as eye_list_of
from tests.support.reference.draw_list import narrowed
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import painted_mesh_tables, painted_table

# ---------------------------------------------------------------- draw list

# ---------------------------------------------------------------- draw list

RNG = np.random.default_rng(9)


def test_equal_distances_go_by_position_whatever_the_order_given() -> None:
    cells = np.array([(x, y, z) for x in range(-3, 3) for y in range(-2, 2) for z in range(-3, 3)], np.int32)
    eye = (0.0, 0.0, 0.0)
    sorted_once = cells[nearest_first(cells, eye)]
    shuffled = RNG.permutation(cells)
    assert np.array_equal(shuffled[nearest_first(shuffled, eye)], sorted_once)
    middle = sorted_once * [16, 32, 16] + [8, 16, 8]
    assert (np.diff((middle * middle).sum(axis=1)) >= 0).all()


def meshes(eye: tuple[float, float, float]) -> MeshList:
    cells = np.array([(0, 0, 0), (3, 0, 0)], np.int32)
    counts = RNG.integers(1, 9, (2, GROUPS)).astype(np.int32)
    return MeshList(cells, np.array([640, 128]), counts, eye)


def test_groups_follow_each_other_in_a_mesh() -> None:
    drawn = meshes((8.0, 8.0, 8.0))
    for group in Group:
        starts, quads = drawn.group(group)
        assert (starts == drawn.first_units + drawn.counts[:, :group].sum(axis=1)).all()
        assert (quads == drawn.counts[:, group]).all()
    starts, quads = drawn.translucent()
    assert (starts[::-1] == drawn.group(Group.TRANSLUCENT)[0]).all()
    assert (quads[::-1] == drawn.counts[:, Group.TRANSLUCENT] + drawn.counts[:, Group.LIQUID]).all()
    assert (drawn.models()[0] == drawn.group(Group.MODEL)[0]).all()
    starts, quads = drawn.slopes()
    assert (starts[::-1] == drawn.models()[0] + 3 * drawn.counts[:, Group.MODEL]).all()
    assert (quads[::-1] == drawn.counts[:, Group.SLOPE]).all()


def test_faces_that_look_away_are_left_out() -> None:
    drawn = meshes((100.0, 50.0, 8.0))
    _, quads = drawn.opaque()
    kept = quads.reshape(2, 6) > 0
    assert kept.tolist() == [[False, True, True, True, False, True]] * 2
    _, quads = meshes((8.0, 16.0, 8.0)).opaque()
    assert (quads.reshape(2, 6)[0] > 0).all(), "inside a cell every face may be seen"


# ---------------------------------------------------------------- frame list

EYE = (8.0, 8.0, 8.0)


def meshes_frame_list(counts: np.ndarray) -> MeshList:
    cells = np.stack([np.arange(len(counts)), np.zeros(len(counts)), np.zeros(len(counts))], axis=1).astype(np.int32)
    return MeshList(cells, np.arange(len(counts)) * 64, counts.astype(np.int32), EYE)


def test_liquids_that_slope_are_drawn_with_their_cell_and_so_behind_all_farther_ones() -> None:
    counts = np.ones((5, GROUPS), np.int32)
    counts[[0, 2, 4], Group.SLOPE] = 0
    frame = narrowed(eye_list_of(meshes_frame_list(counts)), np.ones(5, np.bool_), EYE)
    assert (frame.blended[0] // 64).tolist() == [4, 3, 3, 2, 1, 1, 0]
    assert (frame.blended[2] == AS_MODELS).tolist() == [False, False, True, False, False, True, False]


def test_a_look_picks_what_a_list_of_the_shown_meshes_alone_would_have() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        cells = rng.integers(-4, 4, (40, 3)).astype(np.int32)
        cells = np.unique(cells, axis=0)
        cells = cells[nearest_first(cells, EYE)]
        counts = (rng.integers(0, 4, (len(cells), GROUPS)) * rng.integers(0, 2, (len(cells), GROUPS))).astype(np.int32)
        every = MeshList(cells, np.arange(len(cells)) * 640, counts, EYE)
        shown = rng.random(len(cells)) < 0.6
        few = MeshList(every.cells[shown], every.first_units[shown], counts[shown], EYE)
        frame = narrowed(eye_list_of(every), shown, EYE)
        whole = narrowed(eye_list_of(few), np.ones(len(few.cells), np.bool_), EYE)
        assert (frame.cells, frame.quads) == (len(few.cells), int(few.counts.sum()))
        for name in ("opaque", "cutout", "models", "blended"):
            for picked, alone in zip(getattr(frame, name), getattr(whole, name), strict=True):
                assert np.array_equal(picked, alone)
        assert frame.opaque[1].sum() == few.opaque()[1].sum()


def test_an_equal_look_gives_the_same_list_again() -> None:
    eye_list = eye_list_of(meshes_frame_list(np.ones((5, GROUPS))))
    shown = np.array([True, False, True, True, False])
    first = narrowed(eye_list, shown, EYE)
    assert narrowed(eye_list, shown.copy(), EYE) is first
    assert narrowed(eye_list, ~shown, EYE) is not first


def test_an_eye_that_stays_on_the_same_sides_of_blocks_gets_the_same_list_again() -> None:
    eye_list, shown = eye_list_of(meshes_frame_list(np.ones((5, GROUPS)))), np.ones(5, np.bool_)
    first = narrowed(eye_list, shown, (20.1, 8.2, 8.3))
    assert narrowed(eye_list, shown, (20.9, 8.3, 8.8)) is first
    assert narrowed(eye_list, shown, (21.0, 8.3, 8.8)) is not first, "on a side of its block"
    west, east = (narrowed(eye_list, shown, (x, 8.5, 8.5)) for x in (15.5, 16.5))
    assert west.opaque[1].sum() == east.opaque[1].sum()
    assert not np.array_equal(west.opaque[0], east.opaque[0]), "another cell's faces look away"


# ---------------------------------------------------------------- frame uniforms


def test_the_shader_counts_the_classes_alike() -> None:
    text = shaders.read("include/blocks.glsl")
    declared = re.search(r"const int (AIR = .*);", text)
    assert declared is not None
    theirs = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+)", declared.group(1))}
    assert theirs == {wanted.name: wanted.value for wanted in MarchEnd}


# ---------------------------------------------------------------- atmosphere


def test_noon_is_day_and_midnight_is_night() -> None:
    noon, midnight = atmosphere_at(6000, True), atmosphere_at(18000, True)
    assert (noon.day, midnight.day) == (1.0, 0.0)
    assert noon.sun[1] > 0.9
    assert midnight.sun[1] < -0.9
    assert sum(noon.daylight) > 3 * sum(midnight.daylight)
    assert noon.stars == 0.0
    assert midnight.stars > 0.5


def test_the_sun_rises_in_the_east_and_sets_in_the_west() -> None:
    assert atmosphere_at(0, True).sun[0] > 0.9
    assert atmosphere_at(12000, True).sun[0] < -0.9
    assert atmosphere_at(12700, True).glow_strength > 0.5


@pytest.mark.parametrize(("time_ticks", "share"), [(12000, 0.93), (12500, 0.66), (13000, 0.38)])
def test_dusk_is_as_bright_as_the_games_whatever_its_colour(time_ticks: int, share: float) -> None:
    noon, dusk, dawn = (atmosphere_at(time, True).daylight for time in (6000, time_ticks, 24000 - time_ticks % 12000))
    assert luma(dusk) / luma(noon) == pytest.approx(share, abs=0.05)
    assert dawn == pytest.approx(dusk)


def test_at_dusk_sun_and_moon_together_are_no_brighter_than_the_brighter_of_them() -> None:
    noon, midnight = luma(atmosphere_at(6000, True).daylight), luma(atmosphere_at(18000, True).daylight)
    for time_ticks in range(12000, 14000, 100):
        air = atmosphere_at(time_ticks, True)
        assert luma(air.daylight) == pytest.approx(max(noon * air.day, midnight), abs=0.002), time_ticks


def test_moonlight_is_blue_and_shows_the_land() -> None:
    full, new = (atmosphere_at(18000 + day * 24000, True).daylight for day in (0, 4))
    for night, least in ((full, 0.25), (new, 0.18)):
        assert night[2] > 1.5 * night[1] > 1.5 * night[0]
        assert luma(night) > least


def test_sides_take_more_where_they_look_to_the_sun_or_the_moon_and_all_together_as_much() -> None:
    for time_ticks, x, z in (
        (1000, 1, 1),
        (6000, 0, 1),
        (11000, -1, 1),
        (14500, 1, -1),
        (18000, 0, -1),
        (21500, -1, -1),
    ):
        direct = atmosphere_at(time_ticks, True).direct
        assert (np.sign(np.round(direct, 6)) == (x, 0, z)).all(), time_ticks
        assert np.abs(direct).max() < 0.2
    assert atmosphere_at(1000, True, weather=Weather(1.0)).direct == (0.0, 0.0, 0.0)
    new_moon = atmosphere_at(21500 + 4 * 24000, True).direct
    assert new_moon == pytest.approx((0.0, 0.0, 0.0))


def luma(colour: tuple[float, float, float]) -> float:
    return float(np.dot(colour, (0.299, 0.587, 0.114)))


def test_a_day_has_no_jump() -> None:
    ticks = np.arange(0, 24001, 20)
    days = np.array([atmosphere_at(float(t), True).day for t in ticks])
    assert np.abs(np.diff(days)).max() < 0.02
    assert atmosphere_at(24000, True).sun == pytest.approx(atmosphere_at(0, True).sun, abs=1e-9)


@pytest.mark.parametrize("ticks", [-1.0, -(2.0**31), 2.0**31 - 1])
def test_any_time_of_a_server_is_some_hour_of_some_day(ticks: float) -> None:
    air, hour = atmosphere_at(ticks, True), atmosphere_at(ticks % (8 * 24000), True)
    assert air.sun == pytest.approx(hour.sun)
    assert (air.day, air.moon) == pytest.approx((hour.day, hour.moon))


@pytest.mark.parametrize("number", [1, 2, 7])
def test_without_a_sky_time_changes_nothing(number: int) -> None:
    assert atmosphere_at(0, False, number) == atmosphere_at(15000, False, number)
    assert not atmosphere_at(0, False, number).has_sky


@pytest.mark.parametrize("number", [1, 2])
def test_without_a_sky_what_no_lamp_reaches_is_seen_all_the_same(number: int) -> None:
    assert min(atmosphere_at(0, False, number).least_light) > 0.2
    assert max(atmosphere_at(18000, True).least_light) < 0.02


def test_rain_greys_the_sky_dims_the_day_and_hides_the_stars() -> None:
    clear, rain = atmosphere_at(6000, True), atmosphere_at(6000, True, weather=Weather(1.0))
    thunder = atmosphere_at(6000, True, weather=Weather(1.0, 1.0))
    assert max(rain.zenith) - min(rain.zenith) < 0.5 * (max(clear.zenith) - min(clear.zenith))
    assert sum(clear.daylight) > sum(rain.daylight) > sum(thunder.daylight) > sum(atmosphere_at(18000, True).daylight)
    assert rain.haze_per_block > clear.haze_per_block
    assert atmosphere_at(18000, True, weather=Weather(1.0)).stars == 0.0
    assert (clear.clear, rain.clear) == (1.0, 0.0)


BLACK, ORANGE = GivenColour((0.0, 0.0, 0.0), 1.0), GivenColour((0.9, 0.5, 0.1), 1.0)


def test_a_given_fog_and_sky_colour_the_day_and_get_dark_with_it() -> None:
    given = GivenAir(ORANGE, ORANGE, GivenColour((0.1, 0.9, 0.2), 1.0))
    noon, dusk = atmosphere_at(6000, True, given=given), atmosphere_at(13000, True, given=given)
    assert noon.horizon == pytest.approx(ORANGE.colour)
    assert noon.zenith == pytest.approx((0.1, 0.9, 0.2))
    assert luma(dusk.horizon) == pytest.approx(luma(noon.horizon) * dusk.day, abs=0.01)
    assert atmosphere_at(6000, False, 1, given=given).horizon == ORANGE.colour
    rain = atmosphere_at(6000, True, 0, Weather(1.0), given)
    own = atmosphere_at(6000, True, 0, Weather(1.0), GivenAir(fog=ORANGE))
    assert rain.horizon[0] - rain.horizon[2] > 0.7
    assert own.horizon[0] - own.horizon[2] < 0.2, "rain of which nothing is told is ours"


def test_where_some_biomes_have_a_fog_ours_has_the_rest() -> None:
    half = GivenAir(GivenColour(ORANGE.colour, 0.5))
    mixed = np.add(atmosphere_at(6000, True).horizon, ORANGE.colour) / 2
    assert atmosphere_at(6000, True, given=half).horizon == pytest.approx(tuple(mixed))
    assert atmosphere_at(6000, True, given=GivenAir()) == atmosphere_at(6000, True)


@pytest.mark.parametrize("weather", [Weather(), Weather(1.0), Weather(1.0, 1.0), Weather(0.0, 1.0)])
def test_no_given_colour_is_darker_than_the_least_or_than_ours_at_that_hour(weather: Weather) -> None:
    given = GivenAir(BLACK, BLACK, BLACK)
    for has_sky, number in ((True, 0), (False, 1), (False, 2)):
        for hour in range(24):
            ours = atmosphere_at(hour * 1000.0, has_sky, number, weather)
            black = atmosphere_at(hour * 1000.0, has_sky, number, weather, given)
            for told, own in ((black.horizon, ours.horizon), (black.zenith, ours.zenith)):
                assert luma(told) >= min(luma(own), LEAST_BRIGHT) - 1e-9
                assert luma(told) > 0.01, "not even by night is it black"


def test_the_moon_has_eight_days_and_full_moons_are_bright() -> None:
    nights = [atmosphere_at(18000 + day * 24000, True) for day in range(9)]
    assert nights[8] == nights[0]
    assert [sum(night.daylight) for night in nights[:5]] == sorted((sum(n.daylight) for n in nights[:5]), reverse=True)
    assert nights[0].moon == 0.0
    assert nights[4].moon == pytest.approx(np.pi)


def test_weather_changes_nothing_without_a_sky() -> None:
    assert atmosphere_at(0, False, 1, Weather(1.0, 1.0)) == atmosphere_at(0, False, 1)


# ---------------------------------------------------------------- particles


def test_cubes_and_placeholders_stop_bodies_and_liquids_only_drops() -> None:
    values = stop_values(painted_mesh_tables(), painted_table().obstructs)
    assert [values[block] for block in (paint.LEAVES, paint.GLASS, paint.PLACEHOLDER, paint.STONE)] == [WHOLE] * 4
    assert values[paint.WATER] & STOP_MASK == 0
    assert values[paint.WATER] & STOPS_DROPS
    assert [values[block] for block in (paint.AIR, paint.FLOWER)] == [0, 0]


def test_models_stop_bodies_as_high_as_their_highest_corner() -> None:
    def quad(**edges: int) -> np.ndarray:
        return pack(MODEL, 1, face=NO_FACE, layer=0, block=0, **edges)

    slab = [quad(x=0, y=8, z=0, ux=16, vz=16), quad(x=0, y=0, z=0, ux=16, vy=8)]
    tables = painted_mesh_tables()
    everywhere = np.ones(len(paint.NAMES), np.bool_)
    for words, height in (
        (slab, 8),
        ([quad(x=0, y=14, z=0, ux=4, vy=12)], WHOLE),
        ([quad(x=0, y=0, ux=16, vz=16)], WHOLE),
    ):
        rows = tables.model_rows.copy()
        rows[paint.FLOWER] = 0, len(words)
        model = replace(tables, model_rows=rows, model_quads=np.concatenate(words).view(np.uint64).reshape(-1, 3))
        assert stop_values(model, everywhere)[paint.FLOWER] == height


def test_a_model_without_quads_that_bodies_do_not_pass_stops_them_wholly() -> None:
    tables = painted_mesh_tables()
    bare = replace(tables, model_rows=np.zeros_like(tables.model_rows))
    assert stop_values(bare, np.ones(len(paint.NAMES), np.bool_))[paint.FLOWER] == WHOLE
