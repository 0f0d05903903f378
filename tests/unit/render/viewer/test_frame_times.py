"""Frame times and byte rates, from times that are given.

Rates: Counters become rates over the last second.

Frame history: Numbers of the last frames keep their order when the ring comes round.
"""

import numpy as np
import pytest

from render.viewer.frame_times import KEPT_FRAMES, FrameHistory, Pace, PaceMeter, Rates, Stages

# ---------------------------------------------------------------- pace


def test_nothing_is_known_before_the_second_frame() -> None:
    pacer = PaceMeter()
    assert pacer.pace() == Pace(0.0, 0.0, 0.0, 0.0, 0.0)
    pacer.frame(1.0, 1.01, 0, 0)
    assert pacer.pace() == Pace(0.0, 0.0, 0.0, 0.0, 0.0)


def test_means_and_the_worst() -> None:
    pacer = PaceMeter()
    for start, end in ((0.0, 0.01), (0.02, 0.03), (0.06, 0.08)):
        pacer.frame(start, end, 0, 0)
    pace = pacer.pace()
    assert pace.frame_ms == pytest.approx(30.0)
    assert pace.work_ms == pytest.approx(15.0)
    assert pace.worst_ms == pytest.approx(40.0)


def test_bytes_are_counted_over_the_last_second() -> None:
    pacer = PaceMeter()
    for tick in range(30):  # ten a second: 100 bytes each at first, 1,000 later
        late = max(tick - 15, 0)
        pacer.frame(tick / 10, tick / 10 + 0.01, 100 * (tick - late) + 1000 * late, 10 * tick)
    pace = pacer.pace()
    assert pace.bytes_in_s == pytest.approx(10_000.0)
    assert pace.bytes_out_s == pytest.approx(100.0)


def test_old_frames_are_forgotten() -> None:
    pacer = PaceMeter()
    pacer.frame(0.0, 0.0, 0, 0)
    pacer.frame(9.0, 9.0, 0, 0)
    for tick in range(KEPT_FRAMES):
        pacer.frame(9.0 + (tick + 1) / 50, 9.0 + (tick + 1) / 50, 0, 0)
    assert pacer.pace().worst_ms == pytest.approx(20.0)


# ---------------------------------------------------------------- rates


def test_a_counter_that_grows_by_ten_a_tenth_of_a_second_grows_by_a_hundred_a_second() -> None:
    rates = Rates()
    assert rates.of("asked") == 0.0
    for step in range(40):
        rates.record(step / 10, {"asked": 10 * step})
    assert round(rates.of("asked"), 6) == 100.0


def test_what_was_long_ago_counts_no_more() -> None:
    rates = Rates()
    for now, asked in ((0.0, 0), (1.0, 1000), (2.0, 1000), (3.5, 1000)):
        rates.record(now, {"asked": asked})
    assert rates.of("asked") == 0.0


def test_a_counter_that_begins_anew_is_no_negative_rate() -> None:
    rates = Rates()
    rates.record(0.0, {"asked": 500})
    rates.record(0.0, {"asked": 700})
    rates.record(0.5, {"asked": 3})
    assert rates.of("asked") == 0.0


# ---------------------------------------------------------------- frame history


def test_a_ring_that_came_round_is_read_oldest_first() -> None:
    history = FrameHistory(kept=4)
    assert len(history.seconds()) == 0
    for step in range(6):
        history.record(float(step), {"cpu/draw": float(step), **({"cpu/late": 1.0} if step == 5 else {})})
    assert history.seconds().tolist() == [-3.0, -2.0, -1.0, 0.0]
    (name, line), (late, late_line) = history.lines("cpu/")
    assert (name, late) == ("draw", "late")
    assert line.tolist() == [2.0, 3.0, 4.0, 5.0]
    assert np.isnan(late_line[:3]).all()
    assert late_line[3] == 1.0


def test_a_frame_without_a_number_has_none() -> None:
    history = FrameHistory(kept=4)
    history.record(0.0, {"gpu/sky": 1.0})
    history.record(1.0, {})
    ((_, line),) = history.lines("gpu/")
    assert line[0] == 1.0
    assert np.isnan(line[1])


def test_laps_share_a_frame_among_its_stages() -> None:
    times = iter([0.0, 1.0, 1.5, 3.0, 3.25, 9.0])
    stages = Stages(lambda: next(times))
    stages.begin()
    stages.lap("network")
    stages.lap("draw")
    stages.lap("network")
    stages.begin()
    assert stages.last == {"network": 0.5 + 0.25, "draw": 1.5}
