"""How much of one step the owner thread may take: seconds and bytes sent to the GPU.

Rules:
1. A step drains what changed in any case, takes at least one result and lists what is to be made; uploads have what is
   left. ``must`` names the one kind of upload of which a first part goes up even when the time is over: each in turn,
   in every second step, so that a budget of any size gets there.
2. Kinds of work take turns to come first and have all the time; what one leaves goes to those behind it (``part``).
   To share each step's time among them costs 1.5 times as much: a first part takes 0.3 ms, whatever its length.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final

from net.space.layout import Places

SLICE: Final = 64
"""Bricks of the smallest part."""
MOST_AT_ONCE: Final = 512
WAITING: Final = 1 / 8
"""What a second of elapsed time counts at least."""


class Portion:
    """How many bricks of one kind go up between two looks at the time; what was learnt lasts from step to step.

    Theory. A part costs its arrays, whatever its length (0.12 ms), and 1 us a brick (llvmpipe, warm caches). Small
    parts waste the step's time, large ones overrun it; which is which depends on the machine, and on what else it runs.
    """

    def __init__(self) -> None:
        """As few as ever."""
        self.size = SLICE

    def learn(self, count: int, took_s: float, had_s: float) -> None:
        """So many took so long, of so much that was left."""
        if took_s > had_s:
            self.size = max(SLICE, self.size // 2)
        elif count >= self.size and 1.5 * took_s < had_s:
            self.size = min(MOST_AT_ONCE, 2 * self.size)


class Budget:
    """One step's."""

    def __init__(self, seconds: float | None, upload_bytes: int | None, clock: Callable[[], float]) -> None:
        """Begins now; None is without limit."""
        self._clock = clock
        self._until = None if seconds is None else clock() + seconds
        self._bytes = upload_bytes
        self._whole = self
        self._must = True

    @property
    def timed(self) -> bool:
        """Whether time is limited."""
        return self._until is not None

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self._until is not None and self._clock() >= self._until

    @property
    def left_s(self) -> float | None:
        """Seconds left, 0 or less when it is over; None without limit."""
        return None if self._until is None else self._until - self._clock()

    @property
    def bytes_left(self) -> int | None:
        """What may still be sent; None without limit."""
        return self._whole._bytes

    def send(self, count: int) -> None:
        """Counts bytes that were sent."""
        if self._whole._bytes is not None:
            self._whole._bytes -= count

    def part(self, share: float, must: bool = False) -> "Budget":
        """A budget of a share of the time that is left, with the same bytes; ``must``: see rule 1."""
        within = Budget(None, None, self._clock)
        if self._until is not None:
            now = self._clock()
            within._until = now + share * max(self._until - now, 0.0)
        within._whole, within._must = self._whole, must
        return within

    @property
    def closed(self) -> bool:
        """Whether not even a first part goes up."""
        return self.over and not self._must

    def slices(self, places: Places, portion: Portion) -> Iterator[Places]:
        """Places in parts, while the time left suffices for one more; all at once where it is not limited."""
        first = 0
        while first < len(places):
            begun, left_s = self._clock(), self.left_s
            if left_s is None:
                size = len(places)
            elif left_s <= 0 and not (first == 0 and self._must):
                return
            else:
                size = portion.size if left_s > 0 else SLICE
            yield places[first : first + size]
            first += size
            took_s = self._clock() - begun
            if left_s is not None:
                portion.learn(size, took_s, left_s)
            bytes_left = self.bytes_left
            if (bytes_left is not None and bytes_left <= 0) or (left_s is not None and left_s - took_s < took_s):
                return


def step_clock(used: Callable[[], float], elapsed: Callable[[], float]) -> Callable[[], float]:
    """Seconds that a step has taken since this was called: those its thread worked, but at least ``WAITING`` of all.

    Args:
        used: the thread's processor time, in seconds.
        elapsed: time that passes for everybody, in seconds.
    """
    used_before, since = used(), elapsed()
    return lambda: max(used() - used_before, (elapsed() - since) * WAITING)


def budget(seconds: float | None, upload_bytes: int | None) -> Budget:
    """A step's budget in processor time of this thread; waiting counts an eighth.

    A machine that others share takes the core away in the middle of a step: ending the step for that made the picture
    come ten times as late (measured with ten programs on two cores), and no frame earlier. But a driver that makes us
    wait must not hold up the frame for ever: the viewer's 1.25 ms are over after 10 ms of nothing but waiting.
    """
    return Budget(seconds, upload_bytes, step_clock(time.thread_time, time.perf_counter))
