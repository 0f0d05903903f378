"""What became of each request: outstanding, waiting to be repeated, or closed.

    free ──asked──▶ outstanding ──success──▶ free
                      │   │ └───silence────▶ free, its next time-out doubled
                      │   └──── 0 or 2 ────▶ waiting ──pause over──▶ free      (six tries, then closed)
                      └───── 3, 5, other ──▶ closed

Rules (interfaces.md, "What an answer does"):
1. A place is never asked while it is held, that is while it is not free; waiting places count as outstanding.
2. Result 0 or 2: again after 0.25 s, doubling to 8 s; the sixth one closes the place.
3. Result 3, 5 or an unknown code closes it. A closed place opens when its column is announced again or dropped, or the
   dimension changes: the owner calls ``forget``.
4. Result 4 frees the place and pauses everything until ``resume`` (the next spawn status).
5. Silence: a time-out after max(1 s, 4 round trips), doubling for each silence of that place, at most 30 s.
6. A failure for a place that is not outstanding is ignored, so that a repeated answer costs no try.
7. A column announced again keeps what is outstanding: answers are ordered after the announcement, so the one under way
   is already the new one, and asking again would ask twice.

State is three arrays over places, no object a request. Owned by the session; not thread-safe.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from client.streaming.limits import RequestLimits
from net.space.layout import Places

FREE: Final = 0
OUTSTANDING: Final = 1
WAITING: Final = 2
CLOSED: Final = 3

SUCCESSES: Final = (1, 6)
TRANSIENT: Final = (0, 2)
PLAYER_UNKNOWN: Final = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one packet of answers did.

    Attributes:
        settled: places that were held and are done.
        waiting: places to be asked again after a pause.
        closed: places refused for good.
        closed_results: the result code of each of those.
        paused: whether the server does not know the player: ask nothing until it spawns.
    """

    settled: Places
    waiting: Places
    closed: Places
    closed_results: npt.NDArray[np.uint8]
    paused: bool


@dataclass(frozen=True, slots=True)
class LedgerStats:
    """Counts since the start, but for the first three, which are now."""

    outstanding: int
    waiting: int
    closed: int
    asked: int
    settled: int
    failed: int
    timed_out: int


class Ledger:
    """Requests by place."""

    def __init__(self, limits: RequestLimits, places: int = 0) -> None:
        """Holds nothing yet; ``places`` is how many there are."""
        self._limits = limits
        self._status = np.zeros(places, np.uint8)
        self._due = np.zeros(places, np.float64)
        self._tries = np.zeros(places, np.uint8)
        self._silences = np.zeros(places, np.uint8)
        self._counts = np.zeros(4, np.int64)  # places by status
        self._asked = self._settled = self._failed = self._timed_out = 0
        self._paused = False

    # ------------------------------------------------------------ questions

    @property
    def paused(self) -> bool:
        """Whether the server said it does not know the player."""
        return self._paused

    @property
    def outstanding(self) -> int:
        """Places asked and not settled, waiting ones included."""
        return int(self._counts[OUTSTANDING] + self._counts[WAITING])

    @property
    def room(self) -> int:
        """How many more may be asked now."""
        return 0 if self._paused else max(self._limits.outstanding - self.outstanding, 0)

    def held(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which places must not be asked: bool[n]."""
        held: npt.NDArray[np.bool_] = self._status[places] != FREE
        return held

    def next_due(self) -> float | None:
        """When ``expire`` has work again."""
        running = (self._status == OUTSTANDING) | (self._status == WAITING)
        return float(self._due[running].min()) if running.any() else None

    def stats(self) -> LedgerStats:
        """A frozen snapshot."""
        return LedgerStats(
            outstanding=int(self._counts[OUTSTANDING]),
            waiting=int(self._counts[WAITING]),
            closed=int(self._counts[CLOSED]),
            asked=self._asked,
            settled=self._settled,
            failed=self._failed,
            timed_out=self._timed_out,
        )

    # ------------------------------------------------------------ changes

    def resize(self, places: int) -> None:
        """Makes room for more places; never shrinks."""
        more = places - len(self._status)
        if more > 0:
            self._status = np.concatenate([self._status, np.zeros(more, np.uint8)])
            self._due = np.concatenate([self._due, np.zeros(more, np.float64)])
            self._tries = np.concatenate([self._tries, np.zeros(more, np.uint8)])
            self._silences = np.concatenate([self._silences, np.zeros(more, np.uint8)])

    def ask(self, places: Places, now: float, round_trip_s: float) -> None:
        """Notes that free places were asked at ``now``.

        Args:
            places: each once, all free.
            now: monotonic seconds.
            round_trip_s: the current estimate, for the time-out.

        Raises:
            ValueError: when a place is held: the same question would be out twice.
        """
        held = places[self.held(places)]
        if len(held):
            raise ValueError(f"place {int(held[0])} is asked while it is held")
        limits = self._limits
        least_s = max(limits.silence_least_s, limits.silence_round_trips * round_trip_s)
        timeouts_s = np.minimum(least_s * 2.0 ** self._silences[places], limits.silence_longest_s)
        self._set(places, OUTSTANDING)
        self._due[places] = now + timeouts_s
        self._asked += len(places)

    def answered(self, places: Places, results: npt.NDArray[np.uint8], now: float) -> Outcome:
        """Applies result codes.

        Args:
            places: where the answers belong; a place may come twice, then the first one counts.
            results: uint8[n], the code of each.
            now: monotonic seconds.
        """
        places, first = np.unique(places, return_index=True)
        results = results[first]
        status = self._status[places]
        success = np.isin(results, SUCCESSES)
        settled = places[success & (status != FREE)]
        asked = ~success & (status == OUTSTANDING)
        lost = asked & (results == PLAYER_UNKNOWN)
        transient = asked & np.isin(results, TRANSIENT)
        self._tries[places[transient]] += 1
        exhausted = transient & (self._tries[places] >= self._limits.tries)
        closing = exhausted | (asked & ~lost & ~transient)
        waiting = places[transient & ~exhausted]
        self._set(settled, FREE)
        self._set(places[lost], FREE)
        self._set(places[closing], CLOSED)
        self._wait(waiting, now)
        self._settled += len(settled)
        self._failed += int(asked.sum())
        self._paused = self._paused or bool(lost.any())
        return Outcome(
            settled.astype(np.int32),
            waiting.astype(np.int32),
            places[closing].astype(np.int32),
            results[closing],
            bool(lost.any()),
        )

    def expire(self, now: float) -> Places:
        """Frees what is overdue: pauses that ended, and silences.

        Returns:
            The places that are free again, in order.
        """
        overdue = self._due <= now
        silent = np.flatnonzero(overdue & (self._status == OUTSTANDING)).astype(np.int32)
        rested = np.flatnonzero(overdue & (self._status == WAITING)).astype(np.int32)
        self._silences[silent] = np.minimum(self._silences[silent], 16) + 1  # 2**17 s is past every bound
        self._timed_out += len(silent)
        freed: Places = np.sort(np.concatenate([silent, rested]))
        self._set(freed, FREE)
        return freed

    def forget(self, places: Places) -> None:
        """Drops what was known of places whose column went away, or of all of a dimension that did."""
        self._set(places, FREE)
        self._tries[places] = 0
        self._silences[places] = 0

    def announced_again(self, places: Places) -> None:
        """Opens what was closed or waiting; what is outstanding stays so (rule 7)."""
        self.forget(places[self._status[places] != OUTSTANDING])
        self._tries[places] = 0

    def reset(self) -> None:
        """Forgets all places: another dimension."""
        self.forget(np.arange(len(self._status), dtype=np.int32))

    def resume(self) -> None:
        """The player spawned: ends a pause."""
        self._paused = False

    def _wait(self, places: Places, now: float) -> None:
        limits = self._limits
        pauses_s = limits.retry_first_s * 2.0 ** (self._tries[places].astype(np.float64) - 1.0)
        self._set(places, WAITING)
        self._due[places] = now + np.minimum(pauses_s, limits.retry_longest_s)

    def _set(self, places: Places, status: int) -> None:
        np.subtract.at(self._counts, self._status[places], 1)
        self._status[places] = status
        self._counts[status] += len(places)
