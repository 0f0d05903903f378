"""Where the request walk may pass the sky, and the surface, before they are answered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.streaming.expected_ground import NOT_KNOWN, GroundEstimator, expect, presumed_open
from client.streaming.planner import positions_of
from client.world.lifecycle import SubChunkState
from client.world.places import NO_LIMIT
from net.space.positions import ColumnPos
from net.visibility import NOWHERE, PlayerView, PriorityWeights
from net.visibility.walk_kernels import PRESUMED_OPEN, PRESUMED_SURFACE
from tests.support.worlds.store import World

SPAWN = ColumnPos(0, 0)
WAITING_STATES = {SubChunkState.UNKNOWN, SubChunkState.WANTED, SubChunkState.REQUESTED, SubChunkState.EVICTED}


def opened(world: World) -> dict[int, int]:
    """By column x: the lowest section that is presumed open."""
    presumed = presumed_open(world, SPAWN)
    assert presumed is not None
    sections = presumed.reshape(-1, 8)
    assert sections[0].sum() == 0, "what lies outside stays as it is"
    return {x: 8 - int((sections[world.place(x, 0) // 8] == PRESUMED_OPEN).sum()) for x in range(-4, 5)}


def surfaces(world: World) -> dict[int, list[int]]:
    """By column x: the sections presumed a surface, where there are any."""
    presumed = presumed_open(world, SPAWN)
    if presumed is None:
        return {}
    found = {x: presumed.reshape(-1, 8)[world.place(x, 0) // 8] == PRESUMED_SURFACE for x in range(-4, 5)}
    return {x: np.flatnonzero(sections).tolist() for x, sections in found.items() if sections.any()}


def test_above_its_own_ground_a_column_is_presumed_open() -> None:
    world = World()
    for x in range(-4, 5):
        world.state[world.place(x, 2 + (x == 3))] = SubChunkState.DATA
    assert opened(world) == {x: 4 if x == 3 else 3 for x in range(-4, 5)}


def test_where_the_ground_is_not_known_it_is_expected_as_beside() -> None:
    world = World()
    world.state[world.place(-4, 1)] = SubChunkState.DATA
    world.state[world.place(4, 5)] = SubChunkState.DATA
    found = opened(world)
    assert found == {-4: 2, -3: 2, -2: 2, -1: 2, 0: 4, 1: 6, 2: 6, 3: 6, 4: 6}


def test_ground_expected_too_high_is_expected_three_lower() -> None:
    world = World()
    world.state[world.place(-4, 6)] = SubChunkState.DATA
    for section in (6, 7):
        world.state[world.place(-3, section)] = SubChunkState.ALL_AIR
    found = opened(world)
    assert found[-3] == 4, "6 and 7 are air, so 3 is the ground to look for next"
    assert found[-2] == 7, "one slope says nothing about the next column"


def test_nothing_known_is_nothing_presumed() -> None:
    assert presumed_open(World(), SPAWN) is None
    assert presumed_open(World(announced_rows=np.empty(0, np.int32)), SPAWN) is None


def test_columns_with_a_limit_know_their_air_already() -> None:
    world = World(limit=np.array([NO_LIMIT, *[5] * 9], np.int32))
    world.state[world.place(0, 2)] = SubChunkState.DATA
    assert set(opened(world).values()) == {8}


def test_the_limit_is_a_surface_until_it_is_answered() -> None:
    world = World(limit=np.array([NO_LIMIT, 5, 4, -2, 8, 1 << 20, NO_LIMIT, 0, 7, 3], np.int32))
    assert surfaces(world) == {-4: [5], -3: [4], 2: [0], 3: [7], 4: [3]}, "limits beyond the world say nothing"
    for x, state in (-4, SubChunkState.WANTED), (-3, SubChunkState.REQUESTED), (2, SubChunkState.EVICTED):
        world.state[world.place(x, world.limit[world.place(x, 0) // 8])] = state
    assert surfaces(world) == {-4: [5], -3: [4], 2: [0], 3: [7], 4: [3]}


@pytest.mark.parametrize("state", sorted(set(SubChunkState) - WAITING_STATES))
def test_what_is_answered_is_presumed_no_more(state: SubChunkState) -> None:
    world = World(limit=np.array([NO_LIMIT, *[5] * 9], np.int32))
    world.state[world.place(1, 5)] = state
    assert 1 not in surfaces(world)
    assert len(surfaces(world)) == 8


def test_expected_ground_is_a_surface_without_a_limit_too() -> None:
    world = World()
    assert surfaces(world) == {}, "no ground is known at all"
    world.state[world.place(-4, 1)] = SubChunkState.DATA
    world.state[world.place(4, 5)] = SubChunkState.DATA
    assert surfaces(world) == {-3: [1], -2: [1], -1: [1], 0: [3], 1: [5], 2: [5], 3: [5]}


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    look=st.sampled_from([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0), NOWHERE]),
    attention=st.booleans(),
)
def test_guesses_open_surfaces_without_a_limit_where_one_looks_and_nothing_else(
    data: st.DataObject, look: tuple[float, float, float], attention: bool
) -> None:
    limits = data.draw(st.lists(st.sampled_from([NO_LIMIT, 1, 4]), min_size=9, max_size=9))
    world = World(limit=np.array([NO_LIMIT, *limits], np.int32))
    states = data.draw(st.lists(st.sampled_from(sorted(SubChunkState)), min_size=72, max_size=72))
    world.state[8:] = states
    plain, guesser = (
        expect(world, SPAWN),
        GroundEstimator(PlayerView((0.5, 3.0, 0.5), look), PriorityWeights(attention=attention)),
    )
    guessed = expect(world, SPAWN, guesser)
    assert np.array_equal(guessed.ground, plain.ground)
    if plain.open is None:
        assert guessed.open is None
        return
    assert guessed.open is not None
    expected = plain.open.copy()
    surfaces = np.flatnonzero(plain.open == PRESUMED_SURFACE)
    surfaces = surfaces[world.limit[surfaces // 8] == NO_LIMIT]
    expected[surfaces[guesser.guesses(positions_of(world, surfaces.astype(np.int32)))]] = PRESUMED_OPEN
    assert np.array_equal(guessed.open, expected)
    if not attention or look == NOWHERE:
        assert np.array_equal(guessed.open, plain.open)


def test_a_look_east_is_guessed_at_in_the_east() -> None:
    world = World()
    world.state[world.place(0, 2)] = SubChunkState.DATA
    guesser = GroundEstimator(PlayerView((0.5, 3.0, 0.5), (1.0, 0.0, 0.0)), PriorityWeights())
    presumed = expect(world, SPAWN, guesser).open
    assert presumed is not None
    ground = {x: int(presumed[world.place(x, 2)]) for x in (-4, -2, 2, 4)}
    assert ground == {-4: PRESUMED_SURFACE, -2: PRESUMED_SURFACE, 2: PRESUMED_OPEN, 4: PRESUMED_OPEN}


def test_columns_apart_from_all_that_is_known_expect_the_highest_ground() -> None:
    world = World()
    world.columns[world.place(4, 0) // 8] = 60, 50
    world.state[world.place(-4, 4)] = SubChunkState.DATA
    world.state[world.place(0, 2)] = SubChunkState.DATA
    assert opened(world)[4] == 5


def test_columns_far_from_the_player_are_not_looked_at() -> None:
    world = World()
    world.columns[world.place(4, 0) // 8] = 1 << 26, -1 << 26
    world.state[world.place(0, 2)] = SubChunkState.DATA
    assert opened(world)[4] == 8


def test_the_ground_of_each_column_is_told() -> None:
    world = World(limit=np.array([NO_LIMIT, 6, *[NO_LIMIT] * 8], np.int32))
    world.state[world.place(0, 2)] = SubChunkState.DATA
    for section in (2, 3, 4, 5, 6, 7):
        world.state[world.place(2, section)] = SubChunkState.ALL_AIR
    ground = expect(world, SPAWN).ground.tolist()
    assert ground[0] == NOT_KNOWN, "what lies outside"
    assert ground[1] == 6, "the limit is the highest sub-chunk with blocks"
    assert ground[2:7] == [2, 2, 2, 2, 2]
    assert ground[7] == 2 - 3, "two is air: three lower is looked at next"


def test_where_no_ground_is_known_none_is_told() -> None:
    assert (expect(World(), SPAWN).ground == NOT_KNOWN).all()
