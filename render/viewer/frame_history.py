"""Numbers of the last frames, name by name, for graphs: a ring of arrays."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

KEPT: Final = 480
"""Frames: eight seconds at 60 a second."""

Line = npt.NDArray[np.float64]
"""[n] one value a frame, oldest first; NaN where a frame had none."""


class FrameHistory:
    """Collects; times are given in monotonic seconds."""

    def __init__(self, kept: int = KEPT) -> None:
        """Nothing yet; so many frames are kept."""
        self._times: Line = np.full(kept, np.nan)
        self._lines: dict[str, Line] = {}
        self._noted = 0

    def note(self, now: float, values: Mapping[str, float]) -> None:
        """One frame's."""
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
        """When each frame was, counted from the last: 0 and less."""
        times = self._in_order(self._times)
        return times - times[-1] if len(times) else times

    def lines(self, prefix: str) -> tuple[tuple[str, Line], ...]:
        """Those whose names begin so, without it, in the order in which they first came."""
        return tuple(
            (name.removeprefix(prefix), self._in_order(line))
            for name, line in self._lines.items()
            if name.startswith(prefix)
        )

    def _in_order(self, line: Line) -> Line:
        if self._noted < len(line):
            return line[: self._noted].copy()
        return np.roll(line, -(self._noted % len(line)))
