"""The way to the server and back, as the answers tell it: how much may be on it, and whether it moves.

Rules:
1. The window is how many places may be asked and unanswered. It starts at all the limits allow, grows by each answer
   that did not have to queue, and never falls below ``window_least``.
2. An answer queued when it took longer than a round trip, the server's own least delay and a margin. From then on the
   window is what the line carries in that time: rate times (round trip + least delay + margin). The line is never idle,
   and what is asked next, after a turn say, waits behind half a second of answers and not behind thousands. While the
   rate rises, the line is still opening (RakNet's congestion window), and the window stays.
3. Silence halves the window.
4. A queue that moves is not silence: an answer to a request that is as old as a place's own, or older, shows that the
   server is still on its way to that place (it answers in order). ``moved_at`` tells when that was last so. A column,
   and what the transport knows not to have come through, may lie before the answer, or be it: ``busy_at`` tells when
   that was last so.

Theory: BBR's delivery rate (what was answered between asking and answer, over that time) and Vegas' test for a queue.
Places asked again after a silence give no sample, since nobody knows which request was answered (Karn).

Limits: the least delay is never forgotten; a server that becomes slower for good looks like a queue, and the window
then holds its rate times a time that is too short by the difference, at least ``window_least``.
"""

from bisect import bisect_right
from typing import Final

import numpy as np
import numpy.typing as npt

from client.streaming.limits import RequestLimits

RATE_GAIN: Final = 0.25
"""Share of a new sample in the mean rate: four packets of answers say more than one, and it follows within a second."""

Times = npt.NDArray[np.float64]
"""[n] monotonic seconds."""


class Line:
    """One way; owned by the ledger.

    Attributes:
        busy_at: when something came last that may lie before any answer (rule 4), -inf where nothing did.
    """

    def __init__(self, limits: RequestLimits) -> None:
        """Nothing is known of it yet."""
        self._limits = limits
        self._window = float(limits.outstanding)
        self._own_delay_s = np.inf
        self._rate: float | None = None
        self._answered = 0
        self._asked: list[tuple[float, int]] = []  # when something was asked, how much had been answered by then
        self.busy_at = -np.inf
        # A staircase: requests ever younger, and when an answer to each, or to an older one, came last.
        self._heard_of: list[float] = []
        self._heard_at: list[float] = []

    @property
    def window(self) -> int:
        """How many places may be asked and unanswered."""
        return int(self._window)

    @property
    def rate(self) -> float | None:
        """Answers a second where the line was seen full, or None."""
        return self._rate

    def ask(self, now: float) -> None:
        """Something is asked."""
        if not self._asked or self._asked[-1][0] < now:
            self._asked.append((now, self._answered))
        self._forget_before(now - self._limits.silence_longest_s)  # what is older keeps nobody waiting

    def answer(self, asked_at: Times, unambiguous: npt.NDArray[np.bool_], now: float, round_trip_s: float) -> None:
        """Outstanding places were answered, one packet of them, at least one.

        Args:
            asked_at: when each was.
            unambiguous: bool[n]: which were never silent, so that it is known which request was answered.
            now: monotonic seconds.
            round_trip_s: the peer's estimate.
        """
        self._answered += len(asked_at)
        self._move(float(asked_at.min()), now)
        if unambiguous.any():
            self._sample(float(asked_at[unambiguous].min()), len(asked_at), now, round_trip_s)

    def busy(self, now: float) -> None:
        """Whatever was asked, something comes that may lie before the answer to it, or may be its part."""
        self.busy_at = now

    def silence(self) -> None:
        """Places were not answered in time."""
        self._resize(self._window / 2)

    def moved_at(self, asked_at: Times) -> Times:
        """When an answer to a request as old as these, or older, came last: float64[n], -inf where none did."""
        moved_at = np.array([-np.inf, *self._heard_at])
        latest: Times = moved_at[np.searchsorted(np.array(self._heard_of), asked_at, side="right")]
        return latest

    def _move(self, asked_at: float, now: float) -> None:
        while self._heard_of and self._heard_of[-1] >= asked_at:
            self._heard_of.pop()
            self._heard_at.pop()
        self._heard_of.append(asked_at)
        self._heard_at.append(now)

    def _sample(self, asked_at: float, count: int, now: float, round_trip_s: float) -> None:
        waited_s = now - asked_at
        self._own_delay_s = min(self._own_delay_s, max(waited_s - round_trip_s, 0.0))
        unqueued_s = round_trip_s + self._own_delay_s + self._limits.window_margin_s
        if waited_s <= unqueued_s:
            self._resize(self._window + count)
            return
        rate = self._rate_since(asked_at, now)
        if self._rate is None or rate > self._rate:
            self._rate = rate
        else:
            self._rate += RATE_GAIN * (rate - self._rate)
            self._resize(self._rate * unqueued_s)

    def _rate_since(self, asked_at: float, now: float) -> float:
        at = bisect_right(self._asked, asked_at, key=lambda asked: asked[0]) - 1
        began_at, answered = self._asked[max(at, 0)]  # the oldest that is known, where it was asked before that
        return (self._answered - answered) / (now - began_at)

    def _resize(self, size: float) -> None:
        most = self._limits.outstanding
        self._window = min(max(size, self._limits.window_least), most)

    def _forget_before(self, oldest: float) -> None:
        if self._asked[0][0] < oldest:
            del self._asked[: bisect_right(self._asked, oldest, key=lambda asked: asked[0]) - 1]
        done = bisect_right(self._heard_at, oldest)
        del self._heard_of[:done], self._heard_at[:done]
