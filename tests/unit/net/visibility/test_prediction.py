"""What a player is likely to see next."""

from math import cos, radians, sin

import pytest

from net.visibility import NOWHERE, PriorityWeights, ViewPrediction

SOUTH = (0.0, 0.0, 1.0)
WEIGHTS = PriorityWeights(soon_after_s=(1.0, 2.0), jump_blocks=1.6)


def walked(speed: float, weights: PriorityWeights = WEIGHTS, ticks: int = 10) -> ViewPrediction:
    """A player who went along x for so many ticks, in sub-chunks a second."""
    attention = ViewPrediction(weights)
    for tick in range(ticks + 1):
        attention.observe(tick * 0.05, (speed * tick * 0.05, 4.0, 0.5), SOUTH)
    return attention


def test_a_walk_goes_on_and_may_become_a_jump() -> None:
    eyes = walked(0.4).eyes()
    assert [tuple(round(v, 6) for v in eye) for eye in eyes] == [(0.6, 4.0, 0.5), (1.0, 4.0, 0.5), (0.2, 4.1, 0.5)]


def test_who_stands_goes_nowhere() -> None:
    attention = walked(0.4)
    for tick in range(11, 20):
        attention.observe(tick * 0.05, (0.2, 4.0, 0.5), SOUTH)
    assert attention.velocity == NOWHERE
    assert attention.eyes() == attention.subchunks() == ()


def test_one_step_is_no_movement() -> None:
    assert walked(0.4, ticks=1).eyes() == ()
    assert ViewPrediction(WEIGHTS).eyes() == ViewPrediction(WEIGHTS).looks() == ()


def test_a_teleport_is_no_movement() -> None:
    attention = walked(0.4)
    attention.observe(0.55, (300.0, 4.0, 0.5), SOUTH)
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
    attention.observe(0.5, (0.3, 4.0, 0.5), SOUTH)
    assert attention.eyes()[-1] == (0.3, 4.1, 0.5)


def test_one_jerk_of_the_look_does_not_go_on() -> None:
    attention = ViewPrediction(WEIGHTS)
    attention.observe(0.0, (0.0, 4.0, 0.0), SOUTH)
    attention.observe(0.05, (0.0, 4.0, 0.0), (1.0, 0.0, 0.0))
    assert [doubt for _, doubt in attention.looks()] == [WEIGHTS.doubt_back]


def test_right_after_a_turn_the_look_counts_in_full() -> None:
    attention = ViewPrediction(WEIGHTS)
    attention.observe(0.0, (0.0, 4.0, 0.0), SOUTH)
    assert attention.keen == WEIGHTS.calm
    attention.observe(1.0, (0.0, 4.0, 0.0), (1.0, 0.0, 0.0))
    assert attention.keen == 1.0
    attention.observe(1.1 + WEIGHTS.keen_s, (0.0, 4.0, 0.0), (1.0, 0.0, 0.0))
    assert attention.keen == WEIGHTS.calm


def test_a_way_after_a_teleport_counts_from_there() -> None:
    attention = walked(0.4)
    for step in range(3):
        attention.observe(0.6 + 0.1 * step, (20.0 + 0.1 * step, 4.0, 0.5), SOUTH)
    assert attention.velocity[0] == pytest.approx(0.2 / 0.25), "and not from where it was before"
