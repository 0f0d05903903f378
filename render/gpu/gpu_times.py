"""What each pass takes on the GPU, frame by frame, without ever waiting: a ring of timer queries.

Rules:
1. A frame's queries are read ``DEPTH`` frames later, when they are long answered; a driver that is further behind is
   waited for then, and only then.
2. Passes follow each other and never lie in each other: timer queries do not nest. What is measured by somebody else
   (``pass_clock``) is not timed here.
3. Queries are used again; there are as many as passes of ``DEPTH`` frames.
"""

from collections import deque
from typing import Final

from render.gpu.device import Gpu

DEPTH: Final = 4


class GpuTimes:
    """Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Times nothing yet."""
        self._gpu = gpu
        self._made = 0
        self._free: list[int] = []
        self._frame: list[tuple[str, int]] = []
        self._frames: deque[list[tuple[str, int]]] = deque()

    def begin(self, name: str) -> None:
        """What is submitted from here to ``end`` is a pass of that name."""
        is_new = not self._free
        query = self._gpu.raw.make_query() if is_new else self._free.pop()
        self._frame.append((name, query))
        self._gpu.raw.begin_timer(query)
        if is_new:
            self._made += 1
            self._gpu.raw.label_query(query, f"pass timer {self._made}")

    def end(self) -> None:
        """Ends the pass under way."""
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
        """Frees the queries."""
        for query in [*self._free, *(query for frame in (*self._frames, self._frame) for _, query in frame)]:
            self._gpu.raw.delete_query(query)
        self._free, self._frame = [], []
        self._frames.clear()
