import numpy as np
import pytest

from client.streaming.ledger import Ledger, Outcome
from client.streaming.limits import RequestLimits

LIMITS = RequestLimits()


def places(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def answer(ledger: Ledger, place: int, result: int, now: float) -> Outcome:
    return ledger.answered(places(place), np.array([result], np.uint8), now)


def asked(*numbers: int, now: float = 0.0) -> Ledger:
    ledger = Ledger(LIMITS, 100)
    ledger.ask(places(*numbers), now, 0.0)
    return ledger


@pytest.mark.parametrize("result", [1, 6])
def test_success_settles(result: int) -> None:
    ledger = asked(7, 8)
    assert answer(ledger, 7, result, 0.1).settled.tolist() == [7]
    assert ledger.outstanding == 1
    assert not ledger.held(places(7))[0]


@pytest.mark.parametrize("result", [0, 2])
def test_not_found_is_asked_again_with_doubling_pauses_and_refused_at_the_sixth(result: int) -> None:
    ledger = asked(7)
    now = 0.0
    for pause in (0.25, 0.5, 1.0, 2.0, 4.0):
        outcome = answer(ledger, 7, result, now)
        assert outcome.waiting.tolist() == [7]
        assert ledger.outstanding == 1
        assert len(ledger.expire(now + pause - 0.01)) == 0
        now += pause
        assert ledger.expire(now).tolist() == [7]
        ledger.ask(places(7), now, 0.0)
    outcome = answer(ledger, 7, result, now)
    assert outcome.closed.tolist() == [7]
    assert outcome.closed_results.tolist() == [result]
    assert ledger.outstanding == 0
    assert ledger.held(places(7))[0]


@pytest.mark.parametrize("result", [3, 5, 7, 200])
def test_final_refusals_close_at_once_until_the_column_comes_again(result: int) -> None:
    ledger = asked(7)
    assert answer(ledger, 7, result, 0.0).closed.tolist() == [7]
    assert ledger.held(places(7))[0]
    ledger.announced_again(places(7))
    assert not ledger.held(places(7))[0]


def test_an_unknown_player_pauses_everything_until_the_spawn() -> None:
    ledger = asked(7, 8)
    assert answer(ledger, 7, 4, 0.0).paused
    assert ledger.room == 0
    assert not ledger.held(places(7))[0]
    ledger.resume()
    assert ledger.room == LIMITS.outstanding - 1


def test_silence_frees_after_a_second_and_doubles_to_thirty() -> None:
    ledger = Ledger(LIMITS, 10)
    now = 0.0
    for timeout in (1, 2, 4, 8, 16, 30, 30):
        ledger.ask(places(3), now, 0.0)
        assert ledger.next_due() == now + timeout
        assert len(ledger.expire(now + timeout - 0.01)) == 0
        now += timeout
        assert ledger.expire(now).tolist() == [3]
    assert ledger.stats().timed_out == 7


def test_a_slow_line_waits_four_round_trips() -> None:
    ledger = Ledger(LIMITS, 10)
    ledger.ask(places(3), 0.0, 0.6)
    assert ledger.next_due() == pytest.approx(2.4)


def test_asking_what_is_held_is_an_error_of_ours() -> None:
    ledger = asked(7)
    with pytest.raises(ValueError, match="place 7"):
        ledger.ask(places(7), 1.0, 0.0)


def test_a_repeated_failure_costs_no_try() -> None:
    ledger = asked(7)
    answer(ledger, 7, 2, 0.0)
    for _ in range(10):
        assert len(answer(ledger, 7, 2, 0.1).closed) == 0
    assert ledger.expire(0.25).tolist() == [7]


def test_a_failure_nobody_asked_for_is_ignored() -> None:
    ledger = Ledger(LIMITS, 10)
    assert len(answer(ledger, 3, 5, 0.0).closed) == 0
    assert not ledger.held(places(3))[0]


def test_a_success_opens_a_waiting_place() -> None:
    ledger = asked(7)
    answer(ledger, 7, 2, 0.0)
    assert answer(ledger, 7, 1, 0.1).settled.tolist() == [7]
    assert ledger.outstanding == 0


def test_a_column_announced_again_keeps_what_is_under_way() -> None:
    ledger = asked(7, 8)
    answer(ledger, 8, 2, 0.0)
    ledger.announced_again(places(7, 8))
    assert ledger.held(places(7, 8)).tolist() == [True, False]


def test_room_counts_waiting_places() -> None:
    ledger = Ledger(RequestLimits(outstanding=3), 10)
    ledger.ask(places(1, 2), 0.0, 0.0)
    answer(ledger, 1, 2, 0.0)
    assert ledger.room == 1


def test_growth_keeps_what_is_known() -> None:
    ledger = asked(7)
    ledger.resize(5000)
    ledger.ask(places(4999), 0.0, 0.0)
    assert ledger.held(places(7, 8, 4999)).tolist() == [True, False, True]
    ledger.reset()
    assert ledger.outstanding == 0
