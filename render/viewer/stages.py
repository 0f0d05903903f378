"""What the stages of a frame take on the owner thread: one look at the clock between two of them."""

from collections.abc import Callable
from time import perf_counter


class Stages:
    """Of one frame at a time.

    Attributes:
        last: seconds by stage, of the frame that ended last.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        """Nothing was measured yet; ``clock`` gives seconds."""
        self.last: dict[str, float] = {}
        self._clock = clock
        self._now: dict[str, float] = {}
        self._lap = clock()

    def begin(self) -> None:
        """A frame begins; what was before it is no stage's."""
        self.last, self._now = self._now, {}
        self._lap = self._clock()

    def lap(self, name: str) -> None:
        """What was done since the last lap was this stage."""
        now = self._clock()
        self._now[name] = self._now.get(name, 0.0) + now - self._lap
        self._lap = now
