"""Counters to rates: how much a second each grew by, over the last second."""

from collections import deque
from collections.abc import Mapping
from typing import Final

WINDOW_S: Final = 1.0


class Rates:
    """Collects; times are given in monotonic seconds."""

    def __init__(self) -> None:
        self._noted: deque[tuple[float, Mapping[str, float]]] = deque()

    def note(self, now: float, counters: Mapping[str, float]) -> None:
        """Counters stand so; a time that does not grow is the same moment and counts once."""
        if self._noted and now <= self._noted[-1][0]:
            return
        self._noted.append((now, dict(counters)))
        while len(self._noted) > 2 and now - self._noted[1][0] >= WINDOW_S:
            self._noted.popleft()

    def of(self, name: str) -> float:
        """A second; 0 before the second note, and where a counter began anew (another session after a way back)."""
        if len(self._noted) < 2:
            return 0.0
        (t0, first), (t1, last) = self._noted[0], self._noted[-1]
        return max(last[name] - first[name], 0.0) / (t1 - t0)
