"""Counters become rates over the last second."""

from render.viewer.frame_times import Rates


def test_a_counter_that_grows_by_ten_a_tenth_of_a_second_grows_by_a_hundred_a_second() -> None:
    rates = Rates()
    assert rates.of("asked") == 0.0
    for step in range(40):
        rates.note(step / 10, {"asked": 10 * step})
    assert round(rates.of("asked"), 6) == 100.0


def test_what_was_long_ago_counts_no_more() -> None:
    rates = Rates()
    for now, asked in ((0.0, 0), (1.0, 1000), (2.0, 1000), (3.5, 1000)):
        rates.note(now, {"asked": asked})
    assert rates.of("asked") == 0.0


def test_a_counter_that_begins_anew_is_no_negative_rate() -> None:
    rates = Rates()
    rates.note(0.0, {"asked": 500})
    rates.note(0.0, {"asked": 700})
    rates.note(0.5, {"asked": 3})
    assert rates.of("asked") == 0.0
