"""Passes are measured when asked, and GL is left as it was."""

import moderngl
import pytest

from render.gpu import Gpu
from render.gpu.gl import NO_RESET, RESET_STATUS
from render.gpu.timers import METHODS, PROPERTIES, GlClock, PassClock

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


def wrapped() -> list[object]:
    return [getattr(kind, name) for group in (METHODS, PROPERTIES) for kind, names in group.items() for name in names]


def test_properties_that_call_gl_are_its_time(gpu: Gpu) -> None:
    with GlClock(gpu) as gl:
        assert gpu.ctx.error == "GL_NO_ERROR"
        asked = gl.seconds
        gpu.ctx.depth_func = "<="
        gpu.ctx.depth_func = "<"
        told = gl.seconds
        assert 0 < asked < told
        assert gpu.raw.reset_status() == NO_RESET
        assert (gl.seconds > told) == (RESET_STATUS in gpu.raw.entries)


def test_what_measuring_costs_is_taken_off(gpu: Gpu) -> None:
    with GlClock(gpu) as gl:
        assert gl.seconds == gl.processor_s == 0
        gpu.ctx.enable_only(gpu.ctx.DEPTH_TEST)
        assert gl.processor_s > 0
    clock = PassClock(gpu)
    with clock.measuring() as gl:
        with clock.during("one"):
            pass
        assert gl.processor_s > 0
        assert list(clock.take()) == ["one"]
    clock.release()


def test_afterwards_every_call_is_what_it_was(gpu: Gpu) -> None:
    before = wrapped(), dict(gpu.raw.entries)
    clock = PassClock(gpu)
    with clock.measuring():
        assert moderngl.Buffer.write is not before[0][0]
    assert (wrapped(), dict(gpu.raw.entries)) == before
    with clock.during("unmeasured"):
        pass
    assert clock.take() == {}
    clock.release()
