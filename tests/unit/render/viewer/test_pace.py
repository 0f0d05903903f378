"""Frame times and byte rates, from times that are given."""

import pytest

from render.viewer.frame_times import KEPT_FRAMES, Pace, Pacer


def test_nothing_is_known_before_the_second_frame() -> None:
    pacer = Pacer()
    assert pacer.pace() == Pace(0.0, 0.0, 0.0, 0.0, 0.0)
    pacer.frame(1.0, 1.01, 0, 0)
    assert pacer.pace() == Pace(0.0, 0.0, 0.0, 0.0, 0.0)


def test_means_and_the_worst() -> None:
    pacer = Pacer()
    for start, end in ((0.0, 0.01), (0.02, 0.03), (0.06, 0.08)):
        pacer.frame(start, end, 0, 0)
    pace = pacer.pace()
    assert pace.frame_ms == pytest.approx(30.0)
    assert pace.work_ms == pytest.approx(15.0)
    assert pace.worst_ms == pytest.approx(40.0)


def test_bytes_are_counted_over_the_last_second() -> None:
    pacer = Pacer()
    for tick in range(30):  # ten a second: 100 bytes each at first, 1,000 later
        late = max(tick - 15, 0)
        pacer.frame(tick / 10, tick / 10 + 0.01, 100 * (tick - late) + 1000 * late, 10 * tick)
    pace = pacer.pace()
    assert pace.bytes_in_s == pytest.approx(10_000.0)
    assert pace.bytes_out_s == pytest.approx(100.0)


def test_old_frames_are_forgotten() -> None:
    pacer = Pacer()
    pacer.frame(0.0, 0.0, 0, 0)
    pacer.frame(9.0, 9.0, 0, 0)
    for tick in range(KEPT_FRAMES):
        pacer.frame(9.0 + (tick + 1) / 50, 9.0 + (tick + 1) / 50, 0, 0)
    assert pacer.pace().worst_ms == pytest.approx(20.0)
