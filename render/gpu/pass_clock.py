"""Names the passes of a frame for GL debuggers, and measures them when somebody asks.

Rules:
1. A pass is a GL debug group of its name where the context has KHR_debug; that is all it costs while not measured.
2. Measured, each pass has a timer query, and its CPU time is split into what passes inside GL calls and what is
   ours. Ours is processor time: a driver that draws on the same processors must not be counted as our code.
3. Passes follow each other and never lie in each other: timer queries do not nest.
4. Nothing is read before the frame is over: ``take`` waits for the GPU once.
5. What measuring a pass costs counts as nobody's.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import thread_time
from typing import Final

from net.frozen import frozen
from render.gpu.device import Gpu
from render.gpu.gl_clock import GlClock
from render.gpu.gpu_times import GpuTimes

UNNAMED: Final = nullcontext()


@frozen
class PassTime:
    """What one pass of one frame took, in seconds.

    Attributes:
        ours_s: processor time of the owner thread outside of GL calls.
        gl_s: inside them.
        gpu_s: on the GPU, by its own clock.
    """

    ours_s: float
    gl_s: float
    gpu_s: float


class PassClock:
    """One scene's passes. Owner thread only.

    Attributes:
        watch: times them on the GPU while nobody measures; set and taken away between frames.
    """

    def __init__(self, gpu: Gpu) -> None:
        """Names passes and measures nothing."""
        self._gpu = gpu
        self._gl: GlClock | None = None
        self.watch: GpuTimes | None = None
        self._queries: dict[str, int] = {}
        self._taken: dict[str, tuple[float, float]] = {}

    @contextmanager
    def measuring(self) -> Iterator[GlClock]:
        """Measures meanwhile, and gives the clock of all GL calls; each of them is a little slower."""
        with GlClock(self._gpu) as gl:
            self._gl = gl
            try:
                yield gl
            finally:
                self._gl = None
                self._taken.clear()

    def during(self, name: str) -> AbstractContextManager[None]:
        """One pass."""
        if self._gl is not None:
            return self._measured(self._gl, name)
        if self.watch is not None:
            return self._watched(self.watch, name)
        return self._named(name)

    def _named(self, name: str) -> AbstractContextManager[None]:
        if not self._gpu.capabilities.labels:
            return UNNAMED
        scope: AbstractContextManager[None] = self._gpu.ctx.debug_scope(name)
        return scope

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
            self._queries[name] = self._gpu.raw.make_query()
        self._gpu.raw.begin_timer(self._queries[name])
        if is_new:
            self._gpu.raw.label_query(self._queries[name], f"timer {name}")
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
        """Frees the queries."""
        for query in self._queries.values():
            self._gpu.raw.delete_query(query)
        self._queries.clear()
