"""How long the owner thread is inside GL calls, so that what is ours can be told from what is the driver's.

While it runs, the methods of moderngl's objects that call GL, and our raw entry points, are wrapped; before and after
they are what they were. Only measurements use it: each call costs some 1 us more.

Limit: properties of moderngl's context (``blend_func`` and its like) and of its objects count as ours; they are few.
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


class GlClock:
    """Measures between enter and exit.

    Attributes:
        seconds: inside GL calls, since it was entered.
        processor_s: of those, in which this thread had a processor.
    """

    def __init__(self, gpu: Gpu) -> None:
        """Of this context's raw entries, and of all moderngl objects."""
        self.seconds = self.processor_s = 0.0
        self._gpu = gpu
        self._inside = False
        self._methods: list[tuple[type, str, Callable[..., Any]]] = []
        self._entries: dict[str, Callable[..., None]] = {}

    def __enter__(self) -> "GlClock":
        """Begins."""
        for kind, names in METHODS.items():
            for name in names:
                method = getattr(kind, name)
                self._methods.append((kind, name, method))
                setattr(kind, name, self._timed(method))
        entries = self._gpu.raw.entries
        self._entries = dict(entries)
        entries.update({name: self._timed(entry) for name, entry in self._entries.items()})
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Ends, and puts everything back."""
        for owner, name, method in self._methods:
            setattr(owner, name, method)
        self._methods.clear()
        self._gpu.raw.entries.update(self._entries)

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:  # Any: whatever the call takes and gives
            if self._inside:
                return call(*arguments, **named)
            self._inside = True
            start, busy = perf_counter(), thread_time()
            try:
                return call(*arguments, **named)
            finally:
                self.processor_s += thread_time() - busy
                self.seconds += perf_counter() - start
                self._inside = False

        return timed
