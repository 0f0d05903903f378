"""How soon places are needed.

Skyline: Sky that matters for the picture, and sky that does not.

Prediction: What a player is likely to see next.
"""

from math import cos, radians, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.visibility.priority import (
    NO_GROUND,
    NOWHERE,
    PlaceVisibility,
    PlayerView,
    PriorityWeights,
    Skyline,
    ViewPrediction,
    looked_at,
    need,
)

# ---------------------------------------------------------------- priority

# ---------------------------------------------------------------- need

AT_ORIGIN = PlayerView((0.5, 0.5, 0.5))
SOUTH = PlayerView((0.5, 0.5, 0.5), (0.0, 0.0, 1.0))


def needs(
    places: list[tuple[int, int, int]],
    looker: PlayerView,
    weights: PriorityWeights | None = None,
    sight: PlaceVisibility | None = None,
) -> list[float]:
    return need(np.array(places, np.int32).reshape(-1, 3), looker, weights or PriorityWeights(), sight).tolist()


def sight(count: int, **different: object) -> PlaceVisibility:
    told = {"reached": [True] * count, "soon": [False] * count, "ground": [NO_GROUND] * count, **different}
    skyline = told.pop("skyline", None)
    assert skyline is None or isinstance(skyline, Skyline)
    reached, soon = (np.array(told[name], bool) for name in ("reached", "soon"))
    return PlaceVisibility(reached, soon, np.array(told["ground"], np.int64), skyline)


def test_the_own_place_is_needed_most() -> None:
    assert needs([(0, 0, 0)], AT_ORIGIN) == needs([(0, 0, 0)], SOUTH) == [0.0]


def test_near_comes_before_far() -> None:
    near, far = needs([(6, 0, 0), (9, 0, 0)], AT_ORIGIN)
    assert near < far


def test_what_is_looked_at_comes_before_what_lies_behind() -> None:
    ahead, aside, behind = needs([(0, 0, 8), (8, 0, 0), (0, 0, -8)], SOUTH)
    assert ahead < aside < behind


def test_within_the_cone_of_sight_only_distance_counts() -> None:
    middle, edge = needs([(0, 0, 5), (3, 0, 4)], SOUTH)
    assert middle == edge


def test_a_likely_look_lessens_how_far_aside_a_place_lies() -> None:
    looker = PlayerView(SOUTH.at, SOUTH.forward, (((0.0, 0.0, -1.0), 0.25),))
    aside = PriorityWeights().aside
    assert needs([(0, 0, -8)], looker) == [8 + 0.25 * aside]
    assert needs([(0, 0, -8)], SOUTH)[0] > 8 + 0.9 * aside


def test_what_is_looked_at_is_told_apart_from_what_is_not() -> None:
    places = np.array([(0, 0, 8), (3, 0, 4), (8, 0, 0), (0, 0, -8), (0, 0, 0)], np.int32)
    turning = PlayerView(SOUTH.at, SOUTH.forward, (((1.0, 0.0, 0.0), 0.1), ((0.0, 0.0, -1.0), 0.7)))
    assert looked_at(places, SOUTH, PriorityWeights()).tolist() == [True, True, False, False, True]
    assert looked_at(places, turning, PriorityWeights()).tolist() == [True, True, True, False, True], (
        "looking back is doubted"
    )
    assert not looked_at(places, turning, PriorityWeights(attention=False)).any()
    assert not looked_at(places, AT_ORIGIN, PriorityWeights()).any()


def test_a_look_that_counts_less_costs_less() -> None:
    (full,), (half,) = (needs([(0, 0, -8)], PlayerView(SOUTH.at, SOUTH.forward, keen=keen)) for keen in (1.0, 0.5))
    assert half - 8 == pytest.approx((full - 8) / 2)


def test_without_attention_the_look_does_not_count() -> None:
    ahead, behind = needs([(0, 0, 8), (0, 0, -8)], SOUTH, PriorityWeights(attention=False))
    assert ahead == behind


def test_ground_then_air_then_depth_then_what_is_not_reached() -> None:
    places = [(6, 2, 0), (6, 4, 0), (6, -3, 0), (6, 0, 0)]
    found = needs(places, AT_ORIGIN, sight=sight(4, ground=[1] * 4, reached=[True, True, True, False]))
    assert found == sorted(found)
    assert len(set(found)) == 4


def test_where_no_ground_is_known_only_distance_counts() -> None:
    places = [(6, 2, 0), (6, -3, 0)]
    assert needs(places, AT_ORIGIN, sight=sight(2)) == needs(places, AT_ORIGIN)


def test_sky_above_all_ground_comes_after_what_is_not_reached() -> None:
    skyline = Skyline.of(np.array([[8, 0]], np.int32), np.array([1]), AT_ORIGIN.at)
    unreached, sky = needs(
        [(6, -2, 0), (0, 9, 0)], AT_ORIGIN, sight=sight(2, reached=[False, True], ground=[1, 1], skyline=skyline)
    )
    assert unreached < sky


def test_soon_comes_after_all_that_is_needed_now() -> None:
    now, soon = needs([(400, 60, 400), (0, 0, 0)], SOUTH, sight=sight(2, soon=[False, True], reached=[False, True]))
    assert now < soon


def test_no_places_need_nothing() -> None:
    assert needs([], SOUTH) == needs([], SOUTH, sight=sight(0)) == []


positions = st.tuples(st.integers(-40, 40), st.integers(-4, 19), st.integers(-40, 40))


@given(st.lists(positions, max_size=30), st.floats(-3.1, 3.1), st.floats(-3.1, 3.1))
def test_needs_are_never_negative_and_a_look_costs_at_most_its_penalty(
    places: list[tuple[int, int, int]], yaw: float, other_yaw: float
) -> None:
    directions = [(float(np.sin(angle)), 0.0, float(np.cos(angle))) for angle in (yaw, other_yaw)]
    looker = PlayerView((0.5, 4.5, 0.5), directions[0], ((directions[1], 0.5),))
    weights = PriorityWeights()
    for looked, plain in zip(needs(places, looker), needs(places, PlayerView(looker.at)), strict=True):
        assert 0 <= plain <= looked <= plain + weights.aside + 1e-4


def test_what_is_nearer_than_a_sub_chunk_lies_aside_of_nothing() -> None:
    behind = PlayerView((0.5, 0.5, 1.4), (0.0, 0.0, 1.0))
    assert needs([(0, 0, 0)], behind) == [pytest.approx(0.9)]
    assert needs([(0, 0, -1)], behind)[0] > 2.0


# ---------------------------------------------------------------- skyline

RADIUS = 6
SQUARE = np.array([(x, z) for x in range(-RADIUS, RADIUS + 1) for z in range(-RADIUS, RADIUS + 1)], np.int32)


def hidden(skyline: Skyline, *places: tuple[int, int, int]) -> list[bool]:
    return skyline.hides(np.array(places, np.int32)).tolist()


def test_above_the_eye_and_all_ground_nothing_matters() -> None:
    skyline = Skyline.of(SQUARE, np.full(len(SQUARE), 3), (0.5, 5.5, 0.5))
    assert hidden(skyline, (0, 7, 0), (4, 7, 4), (4, 3, 4), (0, 5, 0)) == [True, True, False, False]


def test_a_mountain_far_out_keeps_the_sky_before_it_in_question() -> None:
    ground = np.where(SQUARE[:, 0] == RADIUS, 9, 3)
    skyline = Skyline.of(SQUARE, ground, (0.5, 5.5, 0.5))
    assert hidden(skyline, (5, 9, 0), (3, 7, 0)) == [False, False]
    assert hidden(skyline, (1, 12, 0)) == [True], "steeper than the mountain"


def test_where_no_ground_is_known_what_lies_above_the_eye_does_not_matter() -> None:
    skyline = Skyline.of(SQUARE, np.full(len(SQUARE), NO_GROUND), (0.5, 5.5, 0.5))
    assert hidden(skyline, (2, 5, 0), (2, 7, 0)) == [False, True]


@given(
    st.lists(st.integers(0, 12), min_size=len(SQUARE), max_size=len(SQUARE)),
    st.tuples(st.floats(0, 1), st.floats(0, 16), st.floats(0, 1)),
    st.integers(0, len(SQUARE) - 1),
    st.tuples(st.floats(0, 0.999), st.floats(0, 0.999), st.floats(0, 0.999)),
    st.floats(0, 1),
)
def test_no_place_on_a_line_from_the_eye_to_ground_is_hidden(
    ground: list[int],
    eye: tuple[float, float, float],
    target: int,
    inside: tuple[float, float, float],
    share: float,
) -> None:
    skyline = Skyline.of(SQUARE, np.array(ground), eye)
    x, z = SQUARE[target].tolist()
    hit = (x + inside[0], ground[target] + inside[1], z + inside[2])
    crossed = tuple(int(np.floor(a + (b - a) * share)) for a, b in zip(eye, hit, strict=True))
    assert hidden(skyline, crossed) == [False]


# ---------------------------------------------------------------- prediction

PREDICTION_SOUTH = (0.0, 0.0, 1.0)
WEIGHTS = PriorityWeights(soon_after_s=(1.0, 2.0), jump_blocks=1.6)


def walked(speed: float, weights: PriorityWeights = WEIGHTS, ticks: int = 10) -> ViewPrediction:
    """A player who went along x for so many ticks, in sub-chunks a second."""
    attention = ViewPrediction(weights)
    for tick in range(ticks + 1):
        attention.observe(tick * 0.05, (speed * tick * 0.05, 4.0, 0.5), PREDICTION_SOUTH)
    return attention


def test_a_walk_goes_on_and_may_become_a_jump() -> None:
    eyes = walked(0.4).eyes()
    assert [tuple(round(v, 6) for v in eye) for eye in eyes] == [(0.6, 4.0, 0.5), (1.0, 4.0, 0.5), (0.2, 4.1, 0.5)]


def test_who_stands_goes_nowhere() -> None:
    attention = walked(0.4)
    for tick in range(11, 20):
        attention.observe(tick * 0.05, (0.2, 4.0, 0.5), PREDICTION_SOUTH)
    assert attention.velocity == NOWHERE
    assert attention.eyes() == attention.subchunks() == ()


def test_one_step_is_no_movement() -> None:
    assert walked(0.4, ticks=1).eyes() == ()
    assert ViewPrediction(WEIGHTS).eyes() == ViewPrediction(WEIGHTS).looks() == ()


def test_a_teleport_is_no_movement() -> None:
    attention = walked(0.4)
    attention.observe(0.55, (300.0, 4.0, 0.5), PREDICTION_SOUTH)
    assert attention.eyes() == ()


def test_without_attention_nothing_is_foreseen() -> None:
    assert walked(0.4, PriorityWeights(attention=False)).eyes() == ()


def test_the_sub_chunks_of_the_eyes_are_told() -> None:
    assert walked(0.4).subchunks() == ((0, 4, 0), (1, 4, 0), (0, 4, 0))


def test_the_look_back_and_the_way_are_likely_looks() -> None:
    looks = dict(walked(0.4).looks())
    assert looks[(0.0, 0.0, -1.0)] == WEIGHTS.doubt_back
    assert looks[(1.0, 0.0, 0.0)] == WEIGHTS.doubt_moving


def test_a_turn_goes_on() -> None:
    attention = ViewPrediction(WEIGHTS)
    for tick in range(5):
        yaw = radians(10 * tick)
        attention.observe(tick * 0.05, (0.0, 4.0, 0.0), (sin(yaw), 0.0, cos(yaw)))
    (onward, doubt) = attention.looks()[-1]
    assert doubt == WEIGHTS.doubt_turning
    assert onward[0] > sin(radians(60)), "beyond where it looks now"
    assert sum(v * v for v in onward) == pytest.approx(1.0)


def test_a_look_that_is_not_told_makes_no_look_likely() -> None:
    attention = ViewPrediction(WEIGHTS)
    for tick in range(5):
        attention.observe(tick * 0.05, (0.0, 4.0, 0.0), NOWHERE)
    assert attention.looks() == ()


def test_the_same_moment_twice_counts_as_the_second() -> None:
    attention = walked(0.4)
    attention.observe(0.5, (0.3, 4.0, 0.5), PREDICTION_SOUTH)
    assert attention.eyes()[-1] == (0.3, 4.1, 0.5)


def test_one_jerk_of_the_look_does_not_go_on() -> None:
    attention = ViewPrediction(WEIGHTS)
    attention.observe(0.0, (0.0, 4.0, 0.0), PREDICTION_SOUTH)
    attention.observe(0.05, (0.0, 4.0, 0.0), (1.0, 0.0, 0.0))
    assert [doubt for _, doubt in attention.looks()] == [WEIGHTS.doubt_back]


def test_right_after_a_turn_the_look_counts_in_full() -> None:
    attention = ViewPrediction(WEIGHTS)
    attention.observe(0.0, (0.0, 4.0, 0.0), PREDICTION_SOUTH)
    assert attention.keen == WEIGHTS.calm
    attention.observe(1.0, (0.0, 4.0, 0.0), (1.0, 0.0, 0.0))
    assert attention.keen == 1.0
    attention.observe(1.1 + WEIGHTS.keen_s, (0.0, 4.0, 0.0), (1.0, 0.0, 0.0))
    assert attention.keen == WEIGHTS.calm


def test_a_way_after_a_teleport_counts_from_there() -> None:
    attention = walked(0.4)
    for step in range(3):
        attention.observe(0.6 + 0.1 * step, (20.0 + 0.1 * step, 4.0, 0.5), PREDICTION_SOUTH)
    assert attention.velocity[0] == pytest.approx(0.2 / 0.25), "and not from where it was before"
