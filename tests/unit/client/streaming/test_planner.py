"""Where the request walk may pass the sky, and the surface, before they are answered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.streaming.anchors import Anchor
from client.streaming.expected_ground import DESCENT_SUBCHUNKS, NOT_KNOWN, GroundEstimator, expect
from client.streaming.ledger import Ledger
from client.streaming.limits import RequestLimits
from client.streaming.planner import Planner, WalkFacts, order_by, pack
from client.world.lifecycle import SubChunkState
from client.world.places import NO_LIMIT
from net.space import ColumnPos, SubChunkPos
from net.visibility.priority import NOWHERE, PlayerView, PriorityWeights, need
from net.visibility.walk_kernels import EXPECTED_OPEN, EXPECTED_SURFACE
from tests.support.worlds.store import World

# ---------------------------------------------------------------- planner

# ---------------------------------------------------------------- planner

LIMITS = RequestLimits(ticking_radius=1)
PLAYER = PlayerView((0.5, 3.5, 0.5))
NOTHING = np.empty(0, np.int32)


def columns_of(world: World, places: np.ndarray) -> set[int]:
    return set(world.columns[places // 8][:, 0].tolist())


def test_the_ticking_area_is_wanted_whatever_can_be_seen() -> None:
    world = World()
    plan = Planner(LIMITS).plan(world, Ledger(LIMITS, 80), PLAYER, [], NOTHING)
    assert len(plan) == 3 * 8
    assert columns_of(world, plan.places) == {-1, 0, 1}
    assert plan.positions[0].tolist() == [0, 3, 0]


def test_what_the_walk_reached_comes_before_what_it_did_not() -> None:
    world = World()
    reached = np.array([0, 1, world.place(3, 7), world.place(0, 3)], np.int32)
    plan = Planner(LIMITS).plan(world, Ledger(LIMITS, 80), PLAYER, [], reached)
    assert len(plan) == 3 * 8 + 1
    assert plan.positions[:2].tolist() == [[0, 3, 0], [3, 7, 0]]


def test_pinned_anchors_want_all_their_announced_places() -> None:
    world = World()
    pinned = [Anchor.square(ColumnPos(4, 0), 1)]
    plan = Planner(LIMITS).plan(world, Ledger(LIMITS, 80), PLAYER, pinned, NOTHING)
    assert columns_of(world, plan.places) == {-1, 0, 1, 3, 4}


def test_what_is_known_refused_or_held_is_not_wanted() -> None:
    world, ledger = World(), Ledger(LIMITS, 80)
    final = [
        SubChunkState.KNOWN_AIR,
        SubChunkState.DATA,
        SubChunkState.ALL_AIR,
        SubChunkState.REFUSED,
        SubChunkState.UNDECODABLE,
    ]
    for y, state in enumerate(final):
        world.state[world.place(0, y)] = state
    world.state[world.place(0, 5)] = SubChunkState.RESET
    ledger.ask(np.array([world.place(0, 7)], np.int32), 0.0, 0.0)
    plan = Planner(RequestLimits(ticking_radius=0)).plan(world, ledger, PLAYER, [], NOTHING)
    assert sorted(plan.positions[:, 1].tolist()) == [5, 6]


def test_nothing_announced_is_nothing_wanted() -> None:
    world = World(announced_rows=NOTHING)
    assert len(Planner(LIMITS).plan(world, Ledger(LIMITS, 80), PLAYER, [], NOTHING)) == 0


def test_the_ticking_area_ends_where_nothing_is_granted_and_pins_do_not() -> None:
    world = World()
    pinned = [Anchor.square(ColumnPos(4, 0), 1)]
    granted = Anchor.square(ColumnPos(0, 0), 0)
    plan = Planner(LIMITS).plan(world, Ledger(LIMITS, 80), PLAYER, pinned, NOTHING, granted)
    assert columns_of(world, plan.places) == {0, 3, 4}


def test_ground_comes_before_air_and_sky_that_hides_nothing_last() -> None:
    world = World()
    ground = np.full(10, 2)
    reached = np.array([world.place(2, y) for y in range(8)], np.int32)
    outlook = WalkFacts(ground)
    plan = Planner(RequestLimits(ticking_radius=0)).plan(
        world, Ledger(LIMITS, 80), PlayerView((0.5, 5.5, 0.5)), [], reached, outlook=outlook
    )
    ordered = [y for x, y, _ in plan.positions.tolist() if x == 2]
    assert set(ordered[:3]) == {1, 2, 3}
    assert ordered[3] == 4, "air in front of ground"
    assert set(ordered[-2:]) == {6, 7}, "above the eye, and all ground lies below it"


def test_what_is_needed_soon_comes_last_and_is_bounded() -> None:
    world = World()
    soon = np.array([world.place(x, 3) for x in (-1, 0, 2, 3, 4)], np.int32)
    reached = np.array([world.place(-1, 3)], np.int32)
    planner = Planner(RequestLimits(ticking_radius=0), PriorityWeights(soon_entries=2))
    plan = planner.plan(world, Ledger(LIMITS, 80), PLAYER, [], reached, outlook=WalkFacts(soon=soon))
    assert plan.positions[-2:, 0].tolist() == [2, 3], "the nearest two; those that are needed now count as such"
    assert len(plan) == 8 + 1 + 2


def test_sky_that_matters_for_no_picture_is_not_needed_soon() -> None:
    world = World()
    soon = np.array([world.place(2, 7), world.place(2, 2)], np.int32)
    planner = Planner(RequestLimits(ticking_radius=0))
    plan = planner.plan(world, Ledger(LIMITS, 80), PLAYER, [], NOTHING, outlook=WalkFacts(np.full(10, 2), soon))
    assert [2, 2, 0] in plan.positions.tolist()
    assert [2, 7, 0] not in plan.positions.tolist()


# ---------------------------------------------------------------- priority


def places(rng: np.random.Generator, spread: int) -> np.ndarray:
    low, high = [-spread, -4, -spread], [spread + 1, 20, spread + 1]
    found = np.unique(rng.integers(low, high, (3000, 3)), axis=0).astype(np.int32)
    return rng.permutation(found)


@pytest.mark.parametrize("spread", [3, 100, 2047, 2048, 1 << 26])
@pytest.mark.parametrize("forward", [(0.0, 0.0, 0.0), (0.6, 0.0, 0.8)])
def test_it_is_by_need_and_among_equals_by_x_z_and_y(spread: int, forward: tuple[float, float, float]) -> None:
    positions = places(np.random.default_rng(spread), spread)
    looker, weights = PlayerView((0.5, 4.5, 0.5), forward), PriorityWeights()
    needs = need(positions, looker, weights)
    expected = sorted(range(len(positions)), key=lambda i: (needs[i], *positions[i][[0, 2, 1]].tolist()))
    assert order_by(needs, positions).tolist() == expected


def test_what_comes_in_any_order_leaves_in_one() -> None:
    rng = np.random.default_rng(1)
    positions = places(rng, 3)
    looker, weights = PlayerView((0.5, 4.5, 0.5)), PriorityWeights()
    first = positions[order_by(need(positions, looker, weights), positions)]
    shuffled = rng.permutation(positions)
    assert (shuffled[order_by(need(shuffled, looker, weights), shuffled)] == first).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_places_too_far_apart_for_one_number_are_in_order(axis: int) -> None:
    positions = np.zeros((4, 3), np.int32)
    positions[:, axis] = [9000, 0, 300, 8999]
    positions[:, axis - 1] = [0, 1, 0, 0]
    needs = need(positions, PlayerView((0.5, 0.5, 0.5)), PriorityWeights())
    assert order_by(needs, positions).tolist() == [1, 2, 3, 0]


def test_nothing_is_in_order() -> None:
    assert len(order_by(np.empty(0, np.float32), np.empty((0, 3), np.int32))) == 0


# ---------------------------------------------------------------- batches


def test_nothing_wanted_is_nothing_asked() -> None:
    assert pack(np.empty((0, 3), np.int32), SubChunkPos(0, 0, 0), 512) == []


def test_further_than_a_byte_reaches_goes_around_a_centre_of_its_own() -> None:
    positions = np.array([[127, 0, 0], [128, 0, 0], [-128, 0, 0]], np.int32)
    near, east, west = pack(positions, SubChunkPos(0, 0, 0), 512)
    assert near.centre == (0, 0, 0)
    assert near.offsets.tolist() == [[127, 0, 0]]
    assert (east.centre, west.centre) == ((128, 0, 0), (-128, 0, 0))
    assert east.offsets.tolist() == west.offsets.tolist() == [[0, 0, 0]]


def test_the_ticking_area_of_the_overworld_fits_four_packets() -> None:
    grid = np.stack(np.meshgrid(range(-4, 5), range(-4, 20), range(-4, 5), indexing="ij"), -1).reshape(-1, 3)
    batches = pack(grid.astype(np.int32), SubChunkPos(0, 4, 0), 512)
    assert [len(b.offsets) for b in batches] == [512, 512, 512, 408]


# ---------------------------------------------------------------- expected ground

SPAWN = ColumnPos(0, 0)
WAITING_STATES = {SubChunkState.UNKNOWN, SubChunkState.WANTED, SubChunkState.REQUESTED, SubChunkState.EVICTED}


def opened(world: World) -> dict[int, int]:
    """By column x: the lowest section that is presumed open."""
    presumed = expect(world, SPAWN).open
    assert presumed is not None
    sections = presumed.reshape(-1, 8)
    assert sections[0].sum() == 0, "what lies outside stays as it is"
    return {x: 8 - int((sections[world.place(x, 0) // 8] == EXPECTED_OPEN).sum()) for x in range(-4, 5)}


def surfaces(world: World) -> dict[int, list[int]]:
    """By column x: the sections presumed a surface, where there are any."""
    presumed = expect(world, SPAWN).open
    if presumed is None:
        return {}
    found = {x: presumed.reshape(-1, 8)[world.place(x, 0) // 8] == EXPECTED_SURFACE for x in range(-4, 5)}
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
    assert expect(World(), SPAWN).open is None
    assert expect(World(announced_rows=np.empty(0, np.int32)), SPAWN).open is None


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
    surfaces = np.flatnonzero(plain.open == EXPECTED_SURFACE)
    surfaces = surfaces[world.limit[surfaces // 8] == NO_LIMIT]
    expected[surfaces[guesser.guesses(world.positions_of(surfaces.astype(np.int32)))]] = EXPECTED_OPEN
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
    assert ground == {-4: EXPECTED_SURFACE, -2: EXPECTED_SURFACE, 2: EXPECTED_OPEN, 4: EXPECTED_OPEN}


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


def test_where_nothing_is_known_the_ground_is_expected_under_who_enters() -> None:
    world = World()
    guesser = GroundEstimator(PLAYER, PriorityWeights(), surface=3)
    assert set(expect(world, ColumnPos(0, 0), guesser).ground[world.announced_rows].tolist()) == {3}


def test_ground_that_is_air_is_expected_lower_before_the_sky_is_known() -> None:
    world = World()
    world.state[world.place(2, 5)] = SubChunkState.ALL_AIR
    guesser = GroundEstimator(PLAYER, PriorityWeights(), surface=5)
    ground = expect(world, ColumnPos(0, 0), guesser).ground
    assert ground[world.place(2, 5) // 8] == 5 - DESCENT_SUBCHUNKS
    assert ground[world.place(1, 5) // 8] == 5


def test_over_a_slow_line_a_limit_is_guessed_to_be_open() -> None:
    world = World()
    world.limit[world.announced_rows] = 4
    places = world.announced_rows * 8 + 4
    for slow, expected in ((False, EXPECTED_SURFACE), (True, EXPECTED_OPEN)):
        shown = expect(world, ColumnPos(0, 0), GroundEstimator(PLAYER, PriorityWeights(), slow=slow)).open
        assert shown is not None
        assert set(shown[places].tolist()) == {expected}
