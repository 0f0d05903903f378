"""What the walk reaches, passes and leaves alone.

Kept walk: A walk is kept until something changes within its reach.

Row of air: A small world for sight: columns of air in a row.

Frustum: The frustum keeps every box that holds a visible point.
"""

import numpy as np
import pytest

from client.visibility import KeptWalk, Walk, derive_connectivity
from net.space import ColumnPos, Dimension
from net.visibility.walk_kernels import EXPECTED_SURFACE
from tests.support.reference.visibility import Frustum
from tests.support.worlds.blocks import FakeTable, FakeWorld

# ---------------------------------------------------------------- walk

# ---------------------------------------------------------------- row of air

FLAT = Dimension(0, "flat", 0, 3, True)


def row_of_air() -> FakeWorld:
    """Seven columns of air along x, from the origin on."""
    made = FakeWorld(FLAT, FakeTable.plain())
    made.add_columns([ColumnPos(x, 0) for x in range(7)])
    for column in made.row_of:
        for section in range(FLAT.sections):
            made.show(made.place(column, section), np.zeros(4096, np.uint16))
    derive_connectivity(made.pools, np.arange(2, dtype=np.int32))
    return made


# ---------------------------------------------------------------- walk

# ---------------------------------------------------------------- walk

AIR = np.zeros(4096, np.uint16)


@pytest.fixture
def world() -> FakeWorld:
    return row_of_air()


def reached(world: FakeWorld, eye: tuple[float, float, float], **how) -> set[tuple[int, int]]:
    places = Walk().run(world, eye, **how)
    return {(int(world.columns[place // 3, 0]), int(place % 3)) for place in places}


def test_open_air_is_reached_whole(world: FakeWorld) -> None:
    assert reached(world, (8, 24, 8)) == {(x, y) for x in range(7) for y in range(3)}


def test_placeholders_are_reached_and_not_passed(world: FakeWorld) -> None:
    for section in range(3):
        world.show(world.place(ColumnPos(3, 0), section), None)
    assert reached(world, (8, 24, 8)) == {(x, y) for x in range(4) for y in range(3)}


def test_what_is_presumed_open_is_passed(world: FakeWorld) -> None:
    presumed = np.zeros(len(world.slot), np.uint8)
    for section in range(3):
        world.show(world.place(ColumnPos(3, 0), section), None)
        presumed[world.place(ColumnPos(3, 0), section)] = 1
    assert reached(world, (8, 24, 8), expected_open=presumed) == {(x, y) for x in range(7) for y in range(3)}


def test_a_presumed_surface_is_passed_but_not_by_its_bottom(world: FakeWorld) -> None:
    """From above it is left to the sides and not downwards; what lies below is not passed upwards either."""
    presumed = np.zeros(len(world.slot), np.uint8)
    for x in range(7):
        world.show(world.place(ColumnPos(x, 0), 1), None)
        presumed[world.place(ColumnPos(x, 0), 1)] = EXPECTED_SURFACE
    over = {(x, y) for x in range(7) for y in (1, 2)}
    assert reached(world, (8, 40, 8), expected_open=presumed) == over
    assert reached(world, (8, 8, 8), expected_open=presumed) == {(x, y) for x in range(7) for y in (0, 1)}
    every = {(x, y) for x in range(7) for y in range(3)}
    assert reached(world, (8, 24, 8), expected_open=presumed) == every, "an eye in it looks down as well"


def test_an_eye_in_a_placeholder_reaches_only_that(world: FakeWorld) -> None:
    world.show(world.place(ColumnPos(0, 0), 1), None)
    assert reached(world, (8, 24, 8)) == {(0, 1)}
    presumed = np.zeros(len(world.slot), np.uint8)
    presumed[world.place(ColumnPos(0, 0), 1)] = 1
    assert (6, 1) in reached(world, (8, 24, 8), expected_open=presumed)


def test_the_radius_bounds_it(world: FakeWorld) -> None:
    assert {x for x, _ in reached(world, (8, 24, 8), radius_columns=2)} == {0, 1, 2}


def test_an_eye_in_no_column_sees_nothing(world: FakeWorld) -> None:
    assert reached(world, (-40, 24, 8)) == set()


@pytest.mark.parametrize("y", [60.0, 5000.0, -10.0, -5000.0])
def test_an_eye_over_or_under_the_world_sees_it(world: FakeWorld, y: float) -> None:
    assert reached(world, (8, y, 8)) >= {(x, 2 if y > 0 else 0) for x in range(7)}


def test_a_store_that_grew_is_walked_with_the_same_walk(world: FakeWorld) -> None:
    walk = Walk()
    walk.run(world, (8, 24, 8))
    more = FakeWorld(FLAT, FakeTable.plain(), rows=300)
    more.add_columns([ColumnPos(x, 0) for x in range(290)])
    more.slot[3:] = 0
    derive_connectivity(more.pools, np.arange(2, dtype=np.int32))
    assert len(walk.run(more, (8, 24, 8))) == 290 * 3


LINE = Dimension(0, "line", 0, 1, True)


def line_of(axis: int, last: int) -> FakeWorld:
    made = FakeWorld(LINE, FakeTable.plain(), rows=2 * last + 2)
    made.add_columns([ColumnPos(*((0, at) if axis else (at, 0))) for at in range(-last, last + 1)])
    made.slot[3:] = 0
    derive_connectivity(made.pools, np.arange(2, dtype=np.int32))
    return made


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("y", [8.0, 24.0, -8.0])
def test_it_ends_511_columns_away_on_both_sides(axis: int, y: float) -> None:
    made = line_of(axis, 515)
    places = Walk().run(made, (8, y, 8), 10_000)
    assert sorted(made.columns[places][:, axis].tolist()) == list(range(-511, 512))


def test_an_eye_far_out_walks_like_one_at_the_origin() -> None:
    far = 1 << 26
    made = FakeWorld(FLAT, FakeTable.plain())
    made.add_columns([ColumnPos(far + x, -far) for x in range(9)])
    made.slot[3:] = 0
    derive_connectivity(made.pools, np.arange(2, dtype=np.int32))
    places = Walk().run(made, (far * 16 + 8.0, 24.0, -far * 16 + 8.0))
    assert len(places) == 9 * 3
    assert set((made.columns[places // 3][:, 0] - far).tolist()) == set(range(9))


def test_the_sky_presumed_open_is_seen_through_from_over_the_roof(world: FakeWorld) -> None:
    presumed = np.zeros(len(world.slot), np.uint8)
    for column in world.row_of:
        for section in range(3):
            world.show(world.place(column, section), None)
            presumed[world.place(column, section)] = section > 0
    assert reached(world, (8, 60, 8)) == {(x, 2) for x in range(7)}
    assert reached(world, (8, 60, 8), expected_open=presumed) >= {(x, y) for x in range(2) for y in range(3)}
    assert (0, 0) not in reached(world, (8, -10, 8), expected_open=presumed) ^ {(0, 0)}


FACES = {0: (0, 1), 1: (4, 5), 2: (2, 3)}
"""Of each axis x, y, z: the low and the high face."""


@pytest.mark.parametrize("along", [0, 1, 2])
@pytest.mark.parametrize("aside", [0, 1, 2])
def test_no_line_crosses_a_sub_chunk_straight_that_lies_further_aside_than_ahead(along: int, aside: int) -> None:
    """A shaft two to the side and one ahead: one may look into it, not through it; straight ahead one may."""
    cube = Dimension(0, "cube", 0, 4, True)
    world = FakeWorld(cube, FakeTable.plain())
    world.add_columns([ColumnPos(x, z) for x in range(4) for z in range(4)])
    low, high = FACES[along]
    shaft = np.uint64(1 << (low * 8 + high) | 1 << (high * 8 + low))
    world.slot[cube.sections :] = 2
    world.pools.connectivity[2] = shaft
    way = [0, 0, 0]
    if aside != along:
        beside = FACES[aside]
        for steps in (1, 2):  # to the side, then ahead
            way[aside] = steps
            turn = beside if steps == 1 else (beside[0], high)
            slot = 2 + steps
            world.pools.connectivity[slot] = np.uint64(1 << (turn[0] * 8 + turn[1]) | 1 << (turn[1] * 8 + turn[0]))
            world.slot[world.place(ColumnPos(way[0], way[2]), way[1])] = slot
    reached_places = Walk().run(world, (8.0, 8.0, 8.0))
    way[along] += 1
    into = world.place(ColumnPos(way[0], way[2]), way[1])
    way[along] += 1
    beyond = world.place(ColumnPos(way[0], way[2]), way[1])
    assert into in reached_places
    assert (beyond in reached_places) == (aside == along)


# ---------------------------------------------------------------- kept walk

EYE = (8.0, 24.0, 8.0)
NOWHERE = np.empty((0, 2), np.int32)


def at(x: int) -> np.ndarray:
    return np.array([[x, 0]], np.int32)


def test_only_what_changes_within_the_reach_is_walked_for(world: FakeWorld) -> None:
    kept = KeptWalk(Walk())
    first = kept.look(world, EYE, 2, None, NOWHERE)
    assert len(first) == 9
    for elsewhere in (NOWHERE, at(3), at(-3)):
        assert kept.look(world, EYE, 2, None, elsewhere) is first
    assert kept.walks == 1
    world.show(world.place(ColumnPos(1, 0), 1), None)
    assert len(kept.look(world, EYE, 2, None, at(2))) == 8  # what lies behind it is entered from nowhere
    assert len(kept.look(world, EYE, 2, None, None)) == 8  # "anywhere"
    assert kept.walks == 3


def test_another_eye_or_radius_walks_anew(world: FakeWorld) -> None:
    kept = KeptWalk(Walk())
    assert not kept.reaches(at(0))  # nobody looked yet
    assert len(kept.look(world, EYE, 1, None, NOWHERE)) == 6
    assert len(kept.look(world, EYE, 4, None, NOWHERE)) == 15
    assert kept.reaches(at(4))
    assert not kept.reaches(at(5))
    assert len(kept.look(world, (8.0 + 6 * 16, 24.0, 8.0), 1, None, NOWHERE)) == 6
    assert kept.walks == 3


def test_a_step_within_a_sector_walks_no_more(world: FakeWorld) -> None:
    kept = KeptWalk(Walk())
    first = kept.look(world, (9.0, 24.5, 11.0), 2, None, NOWHERE)
    assert kept.look(world, (9.9, 24.6, 11.5), 2, None, NOWHERE) is first
    assert kept.walks == 1
    kept.look(world, (11.2, 24.6, 11.1), 2, None, NOWHERE)  # now farther along x than along z
    assert kept.walks == 2


# ---------------------------------------------------------------- frustum


def looking_along_minus_z(near: float, far: float) -> Frustum:
    clip = np.zeros((4, 4))
    clip[0, 0] = clip[1, 1] = 1.0
    clip[2, 2] = (far + near) / (near - far)
    clip[2, 3] = 2 * far * near / (near - far)
    clip[3, 2] = -1.0
    return Frustum.of(clip)


def test_boxes_ahead_are_shown_and_boxes_behind_are_not() -> None:
    frustum = looking_along_minus_z(0.1, 100)
    corners = np.array([[-8, -8, -40], [-8, -8, 20], [200, -8, -40], [-8, -8, -400]])
    assert frustum.shows(corners, (16, 16, 16)).tolist() == [True, False, False, False]


def test_a_model_that_sticks_out_of_its_box_is_shown() -> None:
    frustum = looking_along_minus_z(0.1, 100)
    aside = np.array([[40, -8, -40]])  # the plane of the right side goes through (40, y, -40)
    for blocks, shown in ((0.0, [True, False, False]), (1.0, [True, True, False])):
        found = [bool(frustum.shows(aside + np.array([away, 0, 0]), (16, 16, 16), blocks)[0]) for away in (-1, 1, 3)]
        assert found == shown


def test_no_box_with_a_point_inside_is_lost() -> None:
    rng = np.random.default_rng(1)
    frustum = looking_along_minus_z(0.1, 100)
    points = rng.uniform(-100, 100, (4000, 3))
    inside = (np.c_[points, np.ones(4000)] @ frustum.planes.T >= 0).all(axis=1)
    corners = (points // 16).astype(np.int64) * 16
    assert frustum.shows(corners, (16, 16, 16), 0.0)[inside].all()
    assert inside.sum() > 100
