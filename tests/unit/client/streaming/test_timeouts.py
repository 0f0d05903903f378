import numpy as np
import pytest

from client.streaming.limits import RequestLimits
from client.streaming.timeouts import RequestOrder, Timeouts

# ---------------------------------------------------------------- patience

LIMITS = RequestLimits()
WAVES = np.arange(1, 65, dtype=np.int32)


def counts(number: int) -> np.ndarray:
    return np.full(len(WAVES), number, np.uint8)


def test_silence_is_waited_for_twice_as_long_each_time_up_to_a_bound() -> None:
    patience = Timeouts(LIMITS, None)
    waits_s = [float(patience.silence_s(counts(silences), WAVES, 0.5)[0]) for silences in (0, 1, 2, 3, 4, 200)]
    assert waits_s == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert patience.silence_s(counts(0), WAVES, 0.0)[0] == LIMITS.silence_least_s


def test_waits_that_are_not_the_first_are_shortened_by_wave_by_a_tenth_at_most() -> None:
    patience = Timeouts(LIMITS, lambda size: bytes(range(size)))
    assert (patience.silence_s(counts(0), WAVES, 0.5) == 2.0).all()
    assert (patience.pause_s(counts(1), WAVES) == LIMITS.retry_first_s).all()
    for shares in (patience.silence_s(counts(1), WAVES, 0.5) / 4.0, patience.pause_s(counts(2), WAVES) / 0.5):
        assert 1.0 - LIMITS.silence_jitter <= shares.min() < shares.max() <= 1.0
        assert len(set(shares.tolist())) == len(WAVES)
    again = Timeouts(LIMITS, lambda size: bytes(range(size)))
    assert (again.pause_s(counts(2), WAVES) == patience.pause_s(counts(2), WAVES)).all()


# ---------------------------------------------------------------- line

LINE_LIMITS = RequestLimits(outstanding=4096, window_least=512, window_margin_s=0.5)


def answer(
    line: RequestOrder, count: int, asked_at: float, now: float, round_trip_s: float = 0.2, silent: bool = False
) -> None:
    line.answer(np.full(count, asked_at), np.full(count, not silent), now, round_trip_s)


def full_line(rate: float, seconds: float, delay_s: float = 0.2, window: int = 0) -> RequestOrder:
    """A line that carries ``rate`` answers a second, always asked as much as its window allows."""
    line = RequestOrder(LINE_LIMITS)
    queue: list[tuple[float, int]] = []
    on_it, now, credit = 0, 0.0, 0.0
    while now < seconds:
        room = (window or line.window) - on_it
        if room > 0:
            line.ask(now)
            queue.append((now, room))
            on_it += room
        now += 0.05
        credit = min(credit + rate * 0.05, on_it)
        while queue and credit >= 1 and queue[0][0] + delay_s <= now:
            asked_at, left = queue.pop(0)
            count = min(left, int(credit))
            credit -= count
            on_it -= count
            answer(line, count, asked_at, now, delay_s)
            if count < left:
                queue.insert(0, (asked_at, left - count))
    return line


def test_an_ideal_line_keeps_the_whole_window() -> None:
    line = RequestOrder(LINE_LIMITS)
    for turn in range(10):
        line.ask(turn * 1.0)
        answer(line, 4096, turn * 1.0, turn * 1.0 + 1.0, round_trip_s=1.0)
    assert line.window == 4096
    assert line.rate is None


@pytest.mark.parametrize("rate", [1500, 3000])
def test_the_window_becomes_what_the_line_carries_in_a_round_trip_and_the_margin(rate: int) -> None:
    line = full_line(rate, 20.0)
    assert line.rate == pytest.approx(rate, rel=0.15)
    assert line.window == pytest.approx(rate * 0.7, rel=0.3)


def test_a_slow_line_has_the_least_window_and_not_less() -> None:
    assert full_line(100, 30.0).window == 512


def test_a_line_that_becomes_fast_gets_its_window_back() -> None:
    line = full_line(100, 30.0)
    now = 30.0
    for _ in range(4):
        line.ask(now)
        answer(line, line.window, now, now + 0.2)
        now += 0.2
    assert line.window == 4096


def test_a_server_that_takes_its_time_is_no_queue() -> None:
    line = RequestOrder(LINE_LIMITS)
    for turn in range(5):
        line.ask(turn * 3.0)
        answer(line, 1000, turn * 3.0, turn * 3.0 + 3.0)
    assert line.window == 4096


def test_silence_halves_down_to_the_least() -> None:
    line = RequestOrder(LINE_LIMITS)
    line.silence()
    assert line.window == 2048
    for _ in range(9):
        line.silence()
    assert line.window == 512


def test_a_small_limit_bounds_the_window_too() -> None:
    line = RequestOrder(RequestLimits(outstanding=3))
    line.silence()
    assert line.window == 3


def test_answers_to_places_that_were_silent_say_nothing_of_the_rate() -> None:
    line = RequestOrder(LINE_LIMITS)
    line.ask(0.0)
    answer(line, 10, 0.0, 0.2)
    answer(line, 10, 0.0, 9.0, silent=True)
    assert line.window == 4096


def test_what_moved_is_the_latest_answer_to_a_request_as_old_or_older() -> None:
    line = RequestOrder(LINE_LIMITS)
    for asked_at in (0.0, 1.0, 2.0, 3.0):
        line.ask(asked_at)
    asked = np.array([0.0, 1.0, 2.0, 3.0])
    assert np.isneginf(line.moved_at(asked)).all()
    answer(line, 1, 2.0, 4.0)
    assert line.moved_at(asked).tolist() == [-np.inf, -np.inf, 4.0, 4.0]
    answer(line, 1, 0.0, 5.0)
    assert line.moved_at(asked).tolist() == [5.0, 5.0, 5.0, 5.0]
    answer(line, 1, 1.0, 6.0)
    assert line.moved_at(asked).tolist() == [5.0, 6.0, 6.0, 6.0]


def test_what_is_remembered_is_bounded() -> None:
    line = RequestOrder(LINE_LIMITS)
    for turn in range(5000):
        line.ask(turn * 0.05)
        answer(line, 1, turn * 0.05, turn * 0.05 + 0.2)
    assert max(len(line._asked), len(line._heard_of)) <= (30 + 0.2) / 0.05 + 2
    assert line.moved_at(np.array([5000 * 0.05]))[0] == pytest.approx(4999 * 0.05 + 0.2)


def test_a_server_that_answers_one_request_a_thousand_times_takes_no_memory() -> None:
    line = RequestOrder(LINE_LIMITS)
    line.ask(0.0)
    for part in range(1000):
        answer(line, 1, 0.0, 0.001 * part)
    assert line.moved_at(np.array([0.0])).tolist() == [0.999]
    assert len(line._heard_of) == len(line._heard_at) == 1


def test_what_was_asked_before_what_is_remembered_says_a_rate_all_the_same() -> None:
    line = RequestOrder(LINE_LIMITS)
    line.ask(0.0)
    for second in range(1, 50):
        line.ask(float(second))
        answer(line, 100, 0.0, second + 0.5)
    assert line.rate == pytest.approx(100, rel=0.1)
