"""Passes are measured when asked, and GL is left as it was."""

import moderngl
import pytest

from render.gpu import Gpu
from render.gpu.gl_clock import METHODS
from render.gpu.pass_clock import PassClock

pytestmark = pytest.mark.gpu


def test_a_pass_has_our_time_gl_time_and_gpu_time(gpu: Gpu) -> None:
    clock = PassClock(gpu)
    buffer = gpu.ctx.buffer(reserve=1 << 20)
    with clock.measuring() as gl:
        with clock.during("upload"):
            buffer.write(bytes(1 << 20))
        with clock.during("nothing"):
            pass
        times = clock.take()
        assert list(times) == ["upload", "nothing"]
        assert times["upload"].gl_s > 0
        assert times["nothing"].gl_s < times["upload"].gl_s <= gl.seconds
        assert min(min(time.ours_s, time.gpu_s) for time in times.values()) >= 0
        assert clock.take() == {}
    buffer.release()
    clock.release()


def test_afterwards_every_call_is_what_it_was(gpu: Gpu) -> None:
    before = [getattr(kind, name) for kind, names in METHODS.items() for name in names], dict(gpu.raw.entries)
    clock = PassClock(gpu)
    with clock.measuring():
        assert moderngl.Buffer.write is not before[0][0]
    after = [getattr(kind, name) for kind, names in METHODS.items() for name in names], dict(gpu.raw.entries)
    assert after == before
    with clock.during("unmeasured"):
        pass
    assert clock.take() == {}
    clock.release()
