"""Numbers of the last frames keep their order when the ring comes round."""

import numpy as np

from render.viewer.frame_times import FrameHistory, Stages


def test_a_ring_that_came_round_is_read_oldest_first() -> None:
    history = FrameHistory(kept=4)
    assert len(history.seconds()) == 0
    for step in range(6):
        history.note(float(step), {"cpu/draw": float(step), **({"cpu/late": 1.0} if step == 5 else {})})
    assert history.seconds().tolist() == [-3.0, -2.0, -1.0, 0.0]
    (name, line), (late, late_line) = history.lines("cpu/")
    assert (name, late) == ("draw", "late")
    assert line.tolist() == [2.0, 3.0, 4.0, 5.0]
    assert np.isnan(late_line[:3]).all()
    assert late_line[3] == 1.0


def test_a_frame_without_a_number_has_none() -> None:
    history = FrameHistory(kept=4)
    history.note(0.0, {"gpu/sky": 1.0})
    history.note(1.0, {})
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
