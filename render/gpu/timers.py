"""Measures the time of GL calls on the owner thread, and the time of each pass on the GPU.

``GlClock`` wraps moderngl's methods and properties that call GL, and our raw entry points. Only measurements use it:
each call costs about 1 us more. The overhead that would count as our own code is measured at the beginning and
subtracted. Uniforms that are set one by one count as our own code; they are few.

``GpuTimes``, for windows, never waits: the queries of a frame are read ``DEPTH`` frames later, when they have finished.
``PassClock`` labels the passes of a frame for GL debuggers. When it measures, it splits the processor time of each pass
into GL's and our own. ``take`` waits for the GPU once. Passes must not be nested, because timer queries cannot be.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter, thread_time
from types import TracebackType
from typing import Any, Final

import moderngl
import msgspec

from render.gpu.device import Gpu
from render.gpu.gl import QUERY

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
PROPERTIES: Final = {moderngl.Context: ("blend_func", "depth_func", "error"), moderngl.Framebuffer: ("depth_mask",)}
CALLS: Final = 2000
"""Of a function that does nothing, in each of ``ROUNDS``: the quickest says what a wrapper costs."""
ROUNDS: Final = 5


def nothing() -> None:
    """Does nothing."""


class GlClock:
    """Measures between enter and exit."""

    def __init__(self, gpu: Gpu) -> None:
        """Of this context's raw entries, and of all moderngl objects."""
        self.seconds = 0.0  # inside GL calls, since it was entered
        self.processor_s = 0.0  # of those, in which this thread had a processor; and what the measuring itself costs
        self._gpu = gpu
        self._inside = False
        self._wrapper_s = 0.0
        self._kept: list[tuple[type, str, object]] = []
        self._entries: dict[str, Callable[..., Any]] = {}

    def __enter__(self) -> "GlClock":
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


DEPTH: Final = 4


class GpuTimes:
    """Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._made = 0
        self._free: list[int] = []
        self._frame: list[tuple[str, int]] = []
        self._frames: deque[list[tuple[str, int]]] = deque()

    def begin(self, name: str) -> None:
        """What is submitted from here to ``end`` is a pass of that name."""
        is_new = not self._free
        query = self._gpu.raw.make("Queries") if is_new else self._free.pop()
        self._frame.append((name, query))
        self._gpu.raw.begin_timer(query)
        if is_new:
            self._made += 1
            self._gpu.raw.label(QUERY, query, f"pass timer {self._made}")

    def end(self) -> None:
        self._gpu.raw.end_timer()

    def turn(self) -> dict[str, float]:
        """A frame is over: seconds by pass of the one ``DEPTH`` frames ago, empty before there is one."""
        self._frames.append(self._frame)
        self._frame = []
        if len(self._frames) <= DEPTH:
            return {}
        times: dict[str, float] = {}
        for name, query in self._frames.popleft():
            times[name] = times.get(name, 0.0) + self._gpu.raw.timed_ns(query) * 1e-9
            self._free.append(query)
        return times

    def release(self) -> None:
        for query in [*self._free, *(query for frame in (*self._frames, self._frame) for _, query in frame)]:
            self._gpu.raw.delete("Queries", query)
        self._free, self._frame = [], []
        self._frames.clear()


# ---------------------------------------------------------------- pass clock

UNNAMED: Final = nullcontext()


class PassTime(msgspec.Struct, frozen=True):
    """What one pass of one frame took, in seconds."""

    ours_s: float  # processor time of the owner thread outside of GL calls
    gl_s: float  # inside them
    gpu_s: float  # on the GPU, by its own clock


class PassClock:
    """One scene's passes. Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._gl: GlClock | None = None
        # GPU times of passes outside of measurements; set and removed between frames
        self.watch: GpuTimes | None = None
        self._queries: dict[str, int] = {}
        self._taken: dict[str, tuple[float, float]] = {}

    @contextmanager
    def measuring(self) -> Iterator[GlClock]:
        """Measures all GL calls inside the block; each is slightly slower."""
        with GlClock(self._gpu) as gl:
            self._gl = gl
            try:
                yield gl
            finally:
                self._gl = None
                self._taken.clear()

    def during(self, name: str) -> AbstractContextManager[None]:
        if self._gl is not None:
            return self._measured(self._gl, name)
        if self.watch is not None:
            return self._watched(self.watch, name)
        return self._named(name)

    def _named(self, name: str) -> AbstractContextManager[None]:
        if not self._gpu.capabilities.labels:
            return UNNAMED
        return self._gpu.ctx.debug_scope(name)

    @contextmanager
    def _watched(self, watch: GpuTimes, name: str) -> Iterator[None]:
        watch.begin(name)
        with self._named(name):
            yield
        watch.end()

    @contextmanager
    def _measured(self, gl: GlClock, name: str) -> Iterator[None]:
        begun = thread_time() - gl.processor_s
        is_new = name not in self._queries
        if is_new:
            self._queries[name] = self._gpu.raw.make("Queries")
        self._gpu.raw.begin_timer(self._queries[name])
        if is_new:
            self._gpu.raw.label(QUERY, self._queries[name], f"timer {name}")
        before = gl.seconds
        gl.processor_s = thread_time() - begun
        yield
        ended, inside = thread_time() - gl.processor_s, gl.seconds - before
        self._gpu.raw.end_timer()
        self._taken[name] = max(ended - begun, 0.0), inside
        gl.processor_s = thread_time() - ended

    def take(self) -> dict[str, PassTime]:
        """The passes since the last call, in their order; waits for the GPU."""
        self._gpu.wait()
        taken = {
            name: PassTime(ours_s, gl_s, self._gpu.raw.timed_ns(self._queries[name]) * 1e-9)
            for name, (ours_s, gl_s) in self._taken.items()
        }
        self._taken.clear()
        return taken

    def release(self) -> None:
        for query in self._queries.values():
            self._gpu.raw.delete("Queries", query)
        self._queries.clear()
