"""How much of one step the owner thread may take: seconds and bytes sent to the GPU.

Rules:
1. A step drains what changed in any case, and takes at least one result; ``must`` names the one kind of upload of which
   a first part goes up even when the time is over: each in turn, so that a budget of any size gets there.
2. Kinds of work that all have something to do share the time (``part``); what one leaves goes to those behind it.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final

from net.space.layout import Places

SLICE: Final = 16
"""Bricks that go up before the first look at the time, and as few as ever go up between two."""


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

    def slices(self, places: Places) -> Iterator[Places]:
        """Places in parts, until the time is up; all at once where it is not limited.

        A part's arrays cost the same however long they are, so parts grow, up to what half of the time left suffices
        for by what the part before took, and at most to twice as many.
        """
        size = SLICE if self.timed else max(len(places), 1)
        first = 0
        while first < len(places) and not (first == 0 and self.closed):
            begun = self._clock()
            yield places[first : first + size]
            left = self.bytes_left
            if self.over or (left is not None and left <= 0):
                return
            first += size
            size = self._next_size(size, self._clock() - begun)

    def _next_size(self, size: int, took_s: float) -> int:
        if self._until is None or took_s <= 0:
            return 2 * size
        fitting = int(size * (self._until - self._clock()) / (2 * took_s))
        return max(SLICE, min(fitting, 2 * size))


def budget(seconds: float | None, upload_bytes: int | None) -> Budget:
    """A step's budget by the clock of the machine."""
    return Budget(seconds, upload_bytes, time.perf_counter)
