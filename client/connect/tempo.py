"""How much of a recording is due: its own time as a function of the clock, at any speed, paused or not.

Rules:
1. Whoever plays says where it is when the tempo changes, and when it stood still: time runs on from there. So a slow
   computer falls behind what is due only as long as one tempo lasts.
2. A recording has the times of its turns and nothing between: what is due is compared with those.
"""

import math


class Tempo:
    """Clock to recording.

    Attributes:
        speed: seconds of the recording a second; None as fast as it goes.
        paused: whether nothing becomes due.
    """

    def __init__(self, now: float) -> None:
        """Paused at the start; ``now`` is the clock's, monotonic seconds, as everywhere here."""
        self.speed: float | None = None
        self.paused = True
        self._since, self._from_s = now, 0.0

    def play(self, speed: float | None, at_s: float, now: float) -> None:
        """Runs at that speed from ``at_s`` of the recording on."""
        self.speed, self.paused = speed, False
        self.rebase(at_s, now)

    def pause(self) -> None:
        """Nothing becomes due until the next ``play``."""
        self.paused = True

    def rebase(self, at_s: float, now: float) -> None:
        """Goes on from ``at_s`` as it did."""
        self._since, self._from_s = now, at_s

    def due_us(self, now: float) -> float:
        """Up to where turns are due, in microseconds of the recording; infinite as fast as it goes."""
        if self.speed is None:
            return math.inf
        return (self._from_s + (now - self._since) * self.speed) * 1e6
