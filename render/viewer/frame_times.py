"""Frame times: the last ones, and their statistics for the HUD.

``Stages``: time of the stages of a frame on the owner thread: the clock is read between two of them.

``Rates``: counters to rates: growth a second over the last second.

``FrameHistory``: numbers of the last frames by name, for graphs: a ring of arrays.
"""

from collections import deque
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

KEPT_FRAMES: Final = 120


WINDOW_S: Final = 1.0


class Rates:
    """Collects counters, with times in monotonic seconds."""

    def __init__(self) -> None:
        self._noted: deque[tuple[float, Mapping[str, float]]] = deque()

    def record(self, now: float, counters: Mapping[str, float]) -> None:
        """Records counters; a time that does not grow is the same moment and counts once."""
        if self._noted and now <= self._noted[-1][0]:
            return
        self._noted.append((now, dict(counters)))
        while len(self._noted) > 2 and now - self._noted[1][0] >= WINDOW_S:
            self._noted.popleft()

    def of(self, name: str) -> float:
        """Growth a second; 0 before the second record, and if a counter restarted (another session after a seek)."""
        if len(self._noted) < 2:
            return 0.0
        (t0, first), (t1, last) = self._noted[0], self._noted[-1]
        return max(last[name] - first[name], 0.0) / (t1 - t0)


class Pace(msgspec.Struct, frozen=True):
    """A snapshot of frame times."""

    frame_ms: float  # mean time from one frame to the next
    work_ms: float  # mean time of our own work in that
    worst_ms: float  # longest frame of those kept
    bytes_in_s: float  # received bytes a second
    bytes_out_s: float  # sent bytes a second


class PaceMeter:
    """Collects frame times, in monotonic seconds."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, float]] = deque(maxlen=KEPT_FRAMES)
        self._bytes = Rates()
        self._last: float | None = None

    def frame(self, start: float, end: float, bytes_in: int, bytes_out: int) -> None:
        """Records a frame whose work ran from ``start`` to ``end``; bytes count from the start of the session."""
        if self._last is not None:
            self._frames.append((start - self._last, end - start))
        self._last = start
        self._bytes.record(start, {"in": bytes_in, "out": bytes_out})

    @property
    def last_ms(self) -> tuple[float, float]:
        """Of the last frame: time since the one before, and our work in that; zeros before the second."""
        gap, work = self._frames[-1] if self._frames else (0.0, 0.0)
        return 1e3 * gap, 1e3 * work

    @property
    def bytes_s(self) -> tuple[float, float]:
        """Received and sent bytes a second; zeros before the second frame."""
        return self._bytes.of("in"), self._bytes.of("out")

    def pace(self) -> Pace:
        """The snapshot; zeros before the second frame."""
        if not self._frames:
            return Pace(0.0, 0.0, 0.0, 0.0, 0.0)
        count, (bytes_in_s, bytes_out_s) = len(self._frames), self.bytes_s
        return Pace(
            frame_ms=1e3 * sum(gap for gap, _ in self._frames) / count,
            work_ms=1e3 * sum(work for _, work in self._frames) / count,
            worst_ms=1e3 * max(gap for gap, _ in self._frames),
            bytes_in_s=bytes_in_s,
            bytes_out_s=bytes_out_s,
        )


class Stages:
    """Stage times of one frame at a time."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self.last: dict[str, float] = {}  # seconds by stage, of the frame that ended last
        self._clock = clock
        self._now: dict[str, float] = {}
        self._lap = clock()

    def begin(self) -> None:
        """A frame begins; the time before it belongs to no stage."""
        self.last, self._now = self._now, {}
        self._lap = self._clock()

    def lap(self, name: str) -> None:
        """The time since the last lap belongs to this stage."""
        now = self._clock()
        self._now[name] = self._now.get(name, 0.0) + now - self._lap
        self._lap = now


KEPT: Final = 480
"""Frames: eight seconds at 60 a second."""

Line = npt.NDArray[np.float64]
"""[n] one value a frame, oldest first; NaN where a frame had none."""


class FrameHistory:
    """Collects numbers of frames, with times in monotonic seconds."""

    def __init__(self, kept: int = KEPT) -> None:
        self._times: Line = np.full(kept, np.nan)
        self._lines: dict[str, Line] = {}
        self._noted = 0

    def record(self, now: float, values: Mapping[str, float]) -> None:
        at = self._noted % len(self._times)
        self._times[at] = now
        for line in self._lines.values():
            line[at] = np.nan
        for name, value in values.items():
            if name not in self._lines:
                self._lines[name] = np.full(len(self._times), np.nan)
            self._lines[name][at] = value
        self._noted += 1

    def seconds(self) -> Line:
        """Time of each frame relative to the last: 0 and less."""
        times = self._in_order(self._times)
        return times - times[-1] if len(times) else times

    def lines(self, prefix: str) -> tuple[tuple[str, Line], ...]:
        """The series whose names begin with ``prefix``, without it, in the order of first use."""
        return tuple(
            (name.removeprefix(prefix), self._in_order(line))
            for name, line in self._lines.items()
            if name.startswith(prefix)
        )

    def _in_order(self, line: Line) -> Line:
        if self._noted < len(line):
            return line[: self._noted].copy()
        return np.roll(line, -(self._noted % len(line)))
