"""How long the owner thread is inside GL calls, so that what is ours can be told from what is the driver's.

While it runs, the methods and properties of moderngl's objects that call GL, and our raw entry points, are wrapped;
before and after they are what they were. Only measurements use it: each call costs some 1 us more. What of that would
count as ours, two thirds of it, is measured when it begins and taken off.

Limit: uniforms set one by one count as ours; they are few.
"""

from collections.abc import Callable
from time import perf_counter, thread_time
from types import TracebackType
from typing import Any, Final

import moderngl

from render.gpu.device import Gpu

METHODS: Final = {
    moderngl.Buffer: ("write", "read", "orphan", "bind_to_uniform_block", "bind_to_storage_buffer"),
    moderngl.ComputeShader: ("run", "run_indirect"),
    moderngl.Context: ("buffer", "clear", "copy_buffer", "enable_only", "memory_barrier", "vertex_array", "texture3d"),
    moderngl.Framebuffer: ("use", "clear", "read"),
    moderngl.Texture: ("use", "write"),
    moderngl.Texture3D: ("use", "write", "bind_to_image"),
    moderngl.TextureArray: ("use", "write"),
    moderngl.VertexArray: ("render", "render_indirect", "release"),
}
PROPERTIES: Final = {
    moderngl.Context: ("blend_func", "depth_func", "error"),
    moderngl.Framebuffer: ("depth_mask",),
}
CALLS: Final = 2000
"""Of a function that does nothing, in each of ``ROUNDS``: the quickest says what a wrapper costs."""
ROUNDS: Final = 5


def nothing() -> None:
    """Does nothing."""


class GlClock:
    """Measures between enter and exit.

    Attributes:
        seconds: inside GL calls, since it was entered.
        processor_s: of those, in which this thread had a processor; and what the measuring itself costs.
    """

    def __init__(self, gpu: Gpu) -> None:
        """Of this context's raw entries, and of all moderngl objects."""
        self.seconds = self.processor_s = 0.0
        self._gpu = gpu
        self._inside = False
        self._wrapper_s = 0.0
        self._kept: list[tuple[type, str, object]] = []
        self._entries: dict[str, Callable[..., Any]] = {}

    def __enter__(self) -> "GlClock":
        """Begins."""
        self._wrapper_s = self._measure_wrapper()
        for kind, names in METHODS.items():
            for name in names:
                self._put(kind, name, self._timed(getattr(kind, name)))
        for kind, names in PROPERTIES.items():
            for name in names:
                real: property = getattr(kind, name)
                read, write = (call and self._timed(call) for call in (real.fget, real.fset))
                self._put(kind, name, property(read, write))
        entries = self._gpu.raw.entries
        self._entries = dict(entries)
        entries.update({name: self._timed(entry) for name, entry in self._entries.items()})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Ends, and puts everything back."""
        for owner, name, real in self._kept:
            setattr(owner, name, real)
        self._kept.clear()
        self._gpu.raw.entries.update(self._entries)

    def _put(self, kind: type, name: str, instead: object) -> None:
        self._kept.append((kind, name, getattr(kind, name)))
        setattr(kind, name, instead)

    def _measure_wrapper(self) -> float:
        """Seconds of processor time that a wrapped call takes more than a plain one, and does not count."""
        timed, costs = self._timed(nothing), []
        for _ in range(ROUNDS):
            begun = thread_time()
            for _ in range(CALLS):
                nothing()
            between, counted = thread_time(), self.processor_s
            for _ in range(CALLS):
                timed()
            costs.append(thread_time() - between - (self.processor_s - counted) - (between - begun))
        self.seconds = self.processor_s = 0.0
        return max(min(costs) / CALLS, 0.0)

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:  # Any: whatever the call takes and gives
            if self._inside:
                return call(*arguments, **named)
            self._inside = True
            start, busy = perf_counter(), thread_time()
            try:
                return call(*arguments, **named)
            finally:
                self.processor_s += thread_time() - busy + self._wrapper_s
                self.seconds += perf_counter() - start
                self._inside = False

        return timed
