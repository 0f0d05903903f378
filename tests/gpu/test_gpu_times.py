"""Passes are timed on the GPU a few frames late, without waiting, and queries are used again."""

import pytest

from render.gpu import Gpu, Target
from render.gpu.timers import DEPTH, GpuTimes, PassClock

pytestmark = pytest.mark.gpu


def test_each_pass_of_a_frame_is_told_some_frames_later(gpu: Gpu) -> None:
    clock, times, target = PassClock(gpu), GpuTimes(gpu), Target(gpu, (64, 64))
    clock.watch = times
    told = []
    for _ in range(3 * DEPTH):
        for name in ("solid", "sky", "sky"):
            with clock.during(name):
                target.begin()
        told.append(times.turn())
    assert told[:DEPTH] == [{}] * DEPTH
    assert all(frame.keys() == {"solid", "sky"} and min(frame.values()) >= 0 for frame in told[DEPTH:])
    assert len(times._free) + 3 * DEPTH == 3 * (DEPTH + 1), "no more queries than frames under way need"
    clock.watch = None
    with clock.during("sky"):
        pass
    assert not times._frame
    times.release()
    clock.release()
    target.release()
    gpu.check()
