import numpy as np
import pytest

from client.streaming.ledger import CLOSED, FREE, OUTSTANDING, WAITING, Ledger, RequestEntry
from client.streaming.limits import RequestLimits
from client.streaming.timeouts import RequestPacer, RequestWindow, Timeouts

# ---------------------------------------------------------------- ledger

LIMITS = RequestLimits()


def places(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def answer(ledger: Ledger, place: int, result: int, now: float) -> int:
    """The status of the place after its answer."""
    ledger.answered(places(place), np.array([result], np.uint8), now)
    return int(ledger.entries.status[place])


def asked(*numbers: int, now: float = 0.0) -> Ledger:
    ledger = Ledger(LIMITS, 100)
    ledger.ask(places(*numbers), now, 0.0)
    return ledger


@pytest.mark.parametrize("result", [1, 6])
def test_success_settles(result: int) -> None:
    ledger = asked(7, 8)
    assert answer(ledger, 7, result, 0.1) == FREE
    assert ledger.outstanding == 1
    assert not ledger.held(places(7))[0]


@pytest.mark.parametrize("result", [0, 2])
def test_not_found_is_asked_again_with_doubling_pauses_and_refused_at_the_sixth(result: int) -> None:
    ledger = asked(7)
    now = 0.0
    for pause in (0.25, 0.5, 1.0, 2.0, 4.0):
        assert answer(ledger, 7, result, now) == WAITING
        assert ledger.outstanding == 1
        assert len(ledger.expire(now + pause - 0.01)) == 0
        now += pause
        assert ledger.expire(now).tolist() == [7]
        ledger.ask(places(7), now, 0.0)
    closed, codes = ledger.answered(places(7), np.array([result], np.uint8), now)
    assert (closed.tolist(), codes.tolist()) == ([7], [result])
    assert ledger.outstanding == 0
    assert ledger.held(places(7))[0]


@pytest.mark.parametrize("result", [3, 5, 7, 200])
def test_final_refusals_close_at_once_until_the_column_comes_again(result: int) -> None:
    ledger = asked(7)
    assert answer(ledger, 7, result, 0.0) == CLOSED
    assert ledger.held(places(7))[0]
    ledger.announced_again(places(7))
    assert not ledger.held(places(7))[0]


def test_an_unknown_player_pauses_everything_until_the_spawn() -> None:
    ledger = asked(7, 8)
    assert answer(ledger, 7, 4, 0.0) == FREE
    assert ledger.paused
    assert ledger.space == 0
    assert not ledger.held(places(7))[0]
    answer(ledger, 8, 1, 0.1)
    assert ledger.space == 0, "an answer is no spawn"
    ledger.resume()
    assert ledger.space == LIMITS.outstanding


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
        assert answer(ledger, 7, 2, 0.1) != CLOSED
    assert ledger.expire(0.25).tolist() == [7]


def test_a_failure_nobody_asked_for_is_ignored() -> None:
    ledger = Ledger(LIMITS, 10)
    assert answer(ledger, 3, 5, 0.0) != CLOSED
    assert not ledger.held(places(3))[0]


def test_a_success_opens_a_waiting_place() -> None:
    ledger = asked(7)
    answer(ledger, 7, 2, 0.0)
    assert answer(ledger, 7, 1, 0.1) == FREE
    assert ledger.outstanding == 0


def test_a_column_announced_again_keeps_what_is_under_way() -> None:
    ledger = asked(7, 8)
    answer(ledger, 8, 2, 0.0)
    ledger.announced_again(places(7, 8))
    assert ledger.held(places(7, 8)).tolist() == [True, False]


def test_a_question_that_is_out_when_its_column_comes_again_is_explained_by_what_came_before() -> None:
    ledger = asked(7)
    answer(ledger, 7, 2, 0.0)
    ledger.expire(LIMITS.retry_longest_s)
    ledger.ask(places(7), LIMITS.retry_longest_s, 0.0)
    ledger.announced_again(places(7))
    assert ledger.held(places(7))[0]
    assert not ledger.entries.unexplained(places(7))[0], "the refusal explains the second question"
    assert ledger.entries.times[places(7)].tolist() == [1]


def test_what_was_got_and_let_go_again_has_all_its_tries_again() -> None:
    ledger, now = Ledger(LIMITS, 10), 0.0
    for _ in range(3):  # evicted and asked again: each visit finds a server that has to load it first
        for _ in range(LIMITS.tries - 1):
            ledger.ask(places(7), now, 0.0)
            assert answer(ledger, 7, 2, now) == WAITING
            now += LIMITS.retry_longest_s
            assert ledger.expire(now).tolist() == [7]
        ledger.ask(places(7), now, 0.0)
        assert ledger.next_due() == now + LIMITS.silence_least_s
        now += LIMITS.silence_least_s
        assert ledger.expire(now).tolist() == [7]
        ledger.ask(places(7), now, 0.0)
        assert answer(ledger, 7, 1, now) == FREE
        entry = ledger.entries.entry(7)
        assert entry is not None
        assert (entry.tries, entry.silences) == (LIMITS.tries - 1, 1), "told until it is asked again"


def test_a_success_that_comes_too_late_ends_the_count_of_silences_too() -> None:
    ledger = asked(7)
    assert ledger.expire(1.0).tolist() == [7]
    answer(ledger, 7, 1, 1.5)
    ledger.ask(places(7), 2.0, 0.0)
    assert ledger.next_due() == 3.0


def test_a_column_announced_again_costs_no_earlier_tries_and_no_earlier_silences() -> None:
    ledger, now = asked(7, 8), 1.0
    assert ledger.expire(now).tolist() == [7, 8]
    ledger.announced_again(places(8))
    ledger.ask(places(7, 8), now, 0.0)
    assert ledger.expire(now + 1.0).tolist() == [8], "as if it had never been silent"
    for _ in range(LIMITS.tries - 1):
        answer(ledger, 7, 2, now)
        now += LIMITS.retry_longest_s
        assert 7 in ledger.expire(now)
        ledger.ask(places(7), now, 0.0)
    ledger.announced_again(places(7))
    assert answer(ledger, 7, 2, now) == WAITING, "though it is under way"
    assert ledger.entries.entry(7).tries == 1


@pytest.mark.parametrize("results", [(5, 1), (1, 5), (2, 1), (0, 6), (4, 1)])
def test_a_success_beside_a_failure_for_the_same_place_settles_it(results: tuple[int, int]) -> None:
    ledger = asked(7)
    closed, _ = ledger.answered(places(7, 7), np.array(results, np.uint8), 0.1)
    assert not ledger.paused
    assert len(closed) == ledger.outstanding == 0
    assert not ledger.held(places(7))[0]
    assert ledger.stats().unasked == 1


def test_an_answer_after_a_silence_says_nothing_of_the_line() -> None:
    ledger = asked(7)
    assert ledger.expire(1.0).tolist() == [7]
    ledger.ask(places(7), 1.0, 0.1)
    window = ledger.stats().window
    assert window < LIMITS.outstanding, "silence shrinks it"
    answer(ledger, 7, 1, 1.1)
    assert ledger.stats().window == window, "nobody knows which request was answered"


def test_room_counts_waiting_places() -> None:
    ledger = Ledger(RequestLimits(outstanding=3), 10)
    ledger.ask(places(1, 2), 0.0, 0.0)
    answer(ledger, 1, 2, 0.0)
    assert ledger.space == 1


def test_growth_keeps_what_is_known() -> None:
    ledger = asked(7)
    ledger.resize(5000)
    ledger.ask(places(4999), 0.0, 0.0)
    assert ledger.held(places(7, 8, 4999)).tolist() == [True, False, True]
    ledger.reset(10)
    assert ledger.outstanding == 0
    assert len(ledger.entries) == 10


def test_the_clock_of_a_request_starts_again_while_the_queue_before_it_moves() -> None:
    ledger = asked(*range(20))
    for turn in range(10):
        now = 0.9 * (turn + 1)
        assert len(ledger.expire(now)) == 0
        answer(ledger, turn, 1, now)
    assert len(ledger.expire(9.9)) == 0
    assert ledger.expire(10.0).tolist() == list(range(10, 20))


def test_answers_to_later_requests_do_not_start_an_earlier_one_again() -> None:
    ledger = asked(1)
    ledger.ask(places(2, 3), 0.5, 0.0)
    answer(ledger, 2, 1, 0.9)
    assert ledger.expire(1.5).tolist() == [1]
    assert len(ledger.expire(1.89)) == 0
    assert ledger.expire(1.9).tolist() == [3]


def test_repeated_answers_move_nothing() -> None:
    ledger = asked(1, 2)
    for turn in range(9):
        answer(ledger, 1, 1, turn * 0.1)
    assert ledger.expire(1.0).tolist() == [2]
    assert ledger.stats().unasked == 8


def test_a_queue_that_moves_is_waited_for_to_its_end_however_long_it_is() -> None:
    ledger = asked(*range(98))
    for place in range(97):
        answer(ledger, place, 1, 0.9 * place)
        assert len(ledger.expire(0.9 * place)) == 0
    assert len(ledger.expire(0.9 * 96 + 0.99)) == 0
    assert ledger.expire(0.9 * 96 + 1.0).tolist() == [97]


def test_what_comes_in_parts_is_not_asked_again_while_they_come() -> None:
    ledger = asked(1)
    for turn in range(250):
        ledger.busy(turn * 0.1)
        assert len(ledger.expire(turn * 0.1)) == 0
    assert len(ledger.expire(25.8)) == 0
    assert ledger.expire(26.0).tolist() == [1]


def test_parts_without_an_answer_keep_nobody_waiting_longer_than_thirty_seconds() -> None:
    ledger = asked(1, 2)
    ledger.ask(places(3), 10.0, 0.0)
    for turn in range(50):
        ledger.busy(turn * 1.0)
        if turn == 12:
            answer(ledger, 3, 1, 12.0)  # asked later: the server may have passed over the others
        if turn == 5:
            answer(ledger, 2, 1, 5.0)
        freed = ledger.expire(turn * 1.0)
        assert freed.tolist() == ([1] if turn == 35 else [])
    assert ledger.stats().timed_out == 1


def test_repeated_waits_are_shortened_by_up_to_a_tenth_by_the_entropy_given() -> None:
    def waits(entropy: bytes | None) -> list[float]:
        ledger, now, found = Ledger(LIMITS, 10, (lambda size: entropy[:size]) if entropy else None), 0.0, []
        for _ in range(7):
            ledger.ask(places(3, 5), now, 0.0)
            due = ledger.next_due() or 0.0
            assert ledger.expire(due).tolist() == [3, 5]
            found.append(due - now)
            now = due
        return found

    exact, first, second = waits(None), waits(bytes(range(16))), waits(b"another entropy!")
    assert exact == [1, 2, 4, 8, 16, 30, 30]
    assert first[0] == 1
    assert first == waits(bytes(range(16))) != second
    for shortened in (first, second):
        assert all(0.9 * full <= s <= full for s, full in zip(shortened, exact, strict=True))
        assert len({round(s / full, 9) for s, full in zip(shortened, exact, strict=True)}) > 4


def test_an_entry_tells_what_became_of_the_requests_for_a_place() -> None:
    ledger = Ledger(LIMITS, 10)
    assert ledger.entries.entry(1) is None
    assert ledger.entries.entry(99) is None
    ledger.ask(places(1), 5.0, 0.0)
    ledger.ask(places(2), 6.0, 0.0)
    assert ledger.entries.entry(1) == RequestEntry(OUTSTANDING, 5.0, 1, 1, 0, 0, 6.0)
    assert ledger.expire(6.0).tolist() == [1]
    ledger.ask(places(1), 7.0, 0.0)
    answer(ledger, 1, 2, 8.0)
    assert ledger.entries.entry(1) == RequestEntry(WAITING, 7.0, 3, 2, 1, 1, 8.25)
    answer(ledger, 1, 1, 8.1)
    assert ledger.entries.entry(1) == RequestEntry(FREE, 7.0, 3, 2, 1, 1, None)
    assert ledger.entries.wave[places(1, 2, 3)].tolist() == [3, 2, 0]
    assert ledger.entries.asked_at(places(1, 2)).tolist() == [7.0, 6.0]
    assert np.isnan(ledger.entries.asked_at(places(3))[0])
    ledger.forget(places(1))
    assert ledger.entries.entry(1) is None


def test_unasked_answers_are_counted() -> None:
    ledger = asked(7)
    answer(ledger, 8, 1, 0.0)
    answer(ledger, 8, 2, 0.0)
    ledger.answered(places(7, 7), np.array([1, 1], np.uint8), 0.1)
    assert ledger.stats().unasked == 3
    assert ledger.stats().settled == 1


def test_answers_to_requests_given_up_on_are_late_and_not_unasked() -> None:
    ledger = asked(7, 8)
    assert ledger.expire(1.0).tolist() == [7, 8]
    ledger.ask(places(7, 8), 1.0, 0.0)
    assert (ledger.stats().timed_out, ledger.stats().late) == (2, 0)
    answer(ledger, 7, 1, 1.5)
    assert (ledger.stats().late, ledger.stats().unasked) == (1, 0)
    answer(ledger, 7, 1, 1.6)
    assert (ledger.stats().late, ledger.stats().unasked) == (1, 0), "the answer to the second request"
    answer(ledger, 7, 1, 1.7)
    assert (ledger.stats().late, ledger.stats().unasked) == (1, 1), "nobody asked three times"


def test_a_place_that_is_let_go_owes_no_answer() -> None:
    ledger = asked(7)
    ledger.expire(1.0)
    ledger.forget(places(7))
    answer(ledger, 7, 1, 1.5)
    assert (ledger.stats().late, ledger.stats().unasked) == (0, 1)


def test_a_server_that_makes_columns_is_not_silent_but_no_longer_than_thirty_seconds() -> None:
    ledger = asked(1)
    now = 0.0
    while not len(ledger.expire(now)):
        ledger.busy(now)
        now += 0.5
    assert now == 30.0
    ledger.ask(places(1), now, 0.0)
    ledger.busy(now + 0.5)
    assert len(ledger.expire(now + 2.4)) == 0
    assert ledger.expire(now + 2.5).tolist() == [1]


# ---------------------------------------------------------------- timeouts

# ---------------------------------------------------------------- patience

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


def answer_timeouts(
    line: RequestWindow, count: int, asked_at: float, now: float, round_trip_s: float = 0.2, silent: bool = False
) -> None:
    line.answer(np.full(count, asked_at), np.full(count, not silent), now, round_trip_s)


def full_line(rate: float, seconds: float, delay_s: float = 0.2, window: int = 0) -> RequestWindow:
    """A line that carries ``rate`` answers a second, always asked as much as its window allows."""
    line = RequestWindow(LINE_LIMITS)
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
            answer_timeouts(line, count, asked_at, now, delay_s)
            if count < left:
                queue.insert(0, (asked_at, left - count))
    return line


def test_an_ideal_line_keeps_the_whole_window() -> None:
    line = RequestWindow(LINE_LIMITS)
    for turn in range(10):
        line.ask(turn * 1.0)
        answer_timeouts(line, 4096, turn * 1.0, turn * 1.0 + 1.0, round_trip_s=1.0)
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
        answer_timeouts(line, line.window, now, now + 0.2)
        now += 0.2
    assert line.window == 4096


def test_a_server_that_takes_its_time_is_no_queue() -> None:
    line = RequestWindow(LINE_LIMITS)
    for turn in range(5):
        line.ask(turn * 3.0)
        answer_timeouts(line, 1000, turn * 3.0, turn * 3.0 + 3.0)
    assert line.window == 4096


def test_silence_halves_down_to_the_least() -> None:
    line = RequestWindow(LINE_LIMITS)
    line.silence()
    assert line.window == 2048
    for _ in range(9):
        line.silence()
    assert line.window == 512


def test_a_small_limit_bounds_the_window_too() -> None:
    line = RequestWindow(RequestLimits(outstanding=3))
    line.silence()
    assert line.window == 3


def test_answers_to_places_that_were_silent_say_nothing_of_the_rate() -> None:
    line = RequestWindow(LINE_LIMITS)
    line.ask(0.0)
    answer_timeouts(line, 10, 0.0, 0.2)
    answer_timeouts(line, 10, 0.0, 9.0, silent=True)
    assert line.window == 4096


def test_what_moved_is_the_latest_answer_to_a_request_as_old_or_older() -> None:
    line = RequestWindow(LINE_LIMITS)
    for asked_at in (0.0, 1.0, 2.0, 3.0):
        line.ask(asked_at)
    asked = np.array([0.0, 1.0, 2.0, 3.0])
    assert np.isneginf(line.moved_at(asked)).all()
    answer_timeouts(line, 1, 2.0, 4.0)
    assert line.moved_at(asked).tolist() == [-np.inf, -np.inf, 4.0, 4.0]
    answer_timeouts(line, 1, 0.0, 5.0)
    assert line.moved_at(asked).tolist() == [5.0, 5.0, 5.0, 5.0]
    answer_timeouts(line, 1, 1.0, 6.0)
    assert line.moved_at(asked).tolist() == [5.0, 6.0, 6.0, 6.0]


def test_what_is_remembered_is_bounded() -> None:
    line = RequestWindow(LINE_LIMITS)
    for turn in range(5000):
        line.ask(turn * 0.05)
        answer_timeouts(line, 1, turn * 0.05, turn * 0.05 + 0.2)
    assert max(len(line._asked), len(line._heard_of)) <= (30 + 0.2) / 0.05 + 2
    assert line.moved_at(np.array([5000 * 0.05]))[0] == pytest.approx(4999 * 0.05 + 0.2)


def test_a_server_that_answers_one_request_a_thousand_times_takes_no_memory() -> None:
    line = RequestWindow(LINE_LIMITS)
    line.ask(0.0)
    for part in range(1000):
        answer_timeouts(line, 1, 0.0, 0.001 * part)
    assert line.moved_at(np.array([0.0])).tolist() == [0.999]
    assert len(line._heard_of) == len(line._heard_at) == 1


def test_what_was_asked_before_what_is_remembered_says_a_rate_all_the_same() -> None:
    line = RequestWindow(LINE_LIMITS)
    line.ask(0.0)
    for second in range(1, 50):
        line.ask(float(second))
        answer_timeouts(line, 100, 0.0, second + 0.5)
    assert line.rate == pytest.approx(100, rel=0.1)


# ---------------------------------------------------------------- limits


def test_one_packet_a_tick_after_a_burst_of_four() -> None:
    pacer = RequestPacer(RequestLimits(), 0.0)
    sent = 0
    for tick in range(21):
        ready = pacer.available(tick * 0.05)
        pacer.spend(ready)
        sent += ready
    assert sent == 4 + 20


def test_unused_ticks_are_saved_up_to_the_burst_only() -> None:
    pacer = RequestPacer(RequestLimits(), 0.0)
    pacer.spend(4)
    assert pacer.available(0.04) == 0
    assert pacer.available(0.10) == 2
    assert pacer.available(60.0) == 4


def test_a_clock_that_stands_still_gives_nothing() -> None:
    pacer = RequestPacer(RequestLimits(), 5.0)
    pacer.spend(pacer.available(5.0))
    assert pacer.available(5.0) == 0
    assert pacer.available(4.0) == 0
    assert pacer.available(5.0) == 0, "no second is lived through twice"
