"""A step's budget ends with its time or its bytes; kinds of work share it; how much goes up at once is learnt."""

import numpy as np
import pytest

from render.scene.uploads import MOST_AT_ONCE, SLICE, WAITING, Budget, Portion, step_clock

PLACES = np.arange(3 * SLICE + 1, dtype=np.int32)
BRICK_S = 2e-6


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 7.0

    def __call__(self) -> float:
        return self.now


def test_without_limits_everything_passes_at_once() -> None:
    left = Budget(None, None, Clock())
    assert [part.tolist() for part in left.slices(PLACES, Portion())] == [PLACES.tolist()]
    assert not left.over
    assert not left.timed


def test_places_pass_part_by_part_while_the_time_suffices_for_another() -> None:
    clock = Clock()
    left, passed = Budget(0.002, None, clock), []
    for part in left.slices(PLACES, Portion()):
        passed.append(len(part))
        clock.now += 0.0008
    assert passed == [SLICE, 2 * SLICE], "the second as quick as the first, the third would be late"
    clock.now += 0.0008
    assert left.over


def test_when_the_time_is_over_only_the_one_whose_turn_it_is_passes() -> None:
    clock = Clock()
    left = Budget(0.0, None, clock)
    large = Portion()
    large.size = 4 * SLICE
    assert [len(part) for part in left.slices(PLACES, large)] == [SLICE], "and little of it"
    assert list(left.part(0.5).slices(PLACES, large)) == []
    assert [len(part) for part in left.part(0.5, must=True).slices(PLACES, large)] == [SLICE]
    assert list(left.slices(PLACES[:0], large)) == []


def test_bytes_end_it_too() -> None:
    left, passed = Budget(1.0, 100, Clock()), 0
    for part in left.slices(PLACES, Portion()):
        passed += len(part)
        left.send(60)
    assert passed == 3 * SLICE, "the second is twice as long: the first took no time"
    assert left.bytes_left == -20


def sent(portion: Portion, seconds: float, brick_s: float) -> int:
    """How many bricks go up in one step of so many seconds."""
    clock, passed = Clock(), 0
    for part in Budget(seconds, None, clock).slices(np.arange(10_000, dtype=np.int32), portion):
        passed += len(part)
        clock.now += 3e-4 + len(part) * brick_s
    return passed


def test_what_a_step_learns_serves_the_next() -> None:
    portion = Portion()
    first, later = sent(portion, 0.002, BRICK_S), [sent(portion, 0.002, BRICK_S) for _ in range(4)][-1]
    assert later > first
    assert 3e-4 + later * BRICK_S <= 0.003
    assert sent(portion, 0.002, 20 * BRICK_S) <= portion.size * 2, "a part that is late"
    for _ in range(8):
        sent(portion, 0.002, 20 * BRICK_S)
    assert portion.size == SLICE
    for _ in range(8):
        sent(portion, 10.0, BRICK_S)
    assert portion.size == MOST_AT_ONCE


def test_parts_share_the_time_and_the_bytes() -> None:
    clock = Clock()
    whole = Budget(1.0, 100, clock)
    first = whole.part(0.25)
    clock.now += 0.24
    assert not first.over
    clock.now += 0.02
    assert first.over
    assert not whole.over
    first.send(60)
    assert whole.bytes_left == 40
    second = whole.part(1.0)
    assert second.bytes_left == 40
    assert not second.over
    clock.now += 0.75
    assert second.over
    assert whole.over
    assert not Budget(None, None, clock).part(0.1).timed


def test_work_counts_as_long_as_it_takes_and_waiting_an_eighth() -> None:
    used, elapsed = Clock(), Clock()
    clock = step_clock(used, elapsed)
    assert clock() == 0.0, "whatever both said before"
    used.now += 0.001
    elapsed.now += 0.001
    assert clock() == pytest.approx(0.001), "a machine of our own: work, and no time but that"
    elapsed.now += 0.006
    assert clock() == pytest.approx(0.001), "the core was taken away, for six times as long as we worked"
    elapsed.now += 0.009
    assert clock() == pytest.approx(0.016 * WAITING), "now the wait is what counts"
    used.now += 0.004
    assert clock() == pytest.approx(0.005)


def test_a_step_that_does_nothing_but_wait_ends_at_eight_times_its_budget() -> None:
    used, elapsed = Clock(), Clock()
    left = Budget(0.00125, None, step_clock(used, elapsed))
    elapsed.now += 0.0099
    assert not left.over
    elapsed.now += 0.0002
    assert left.over, "10 ms, so that a frame of a 60th of a second is still shown"
