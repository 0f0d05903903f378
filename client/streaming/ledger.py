"""The state of each request: outstanding, waiting for its next try, or closed.

    free ──request──▶ outstanding ──success──▶ free
                      │   │ └───silence────▶ free, its next time-out doubled
                      │   └──── 0 or 2 ────▶ waiting ──pause over──▶ free      (six tries, then closed)
                      └───── 3, 5, other ──▶ closed

Rules (interfaces.md, "What an answer does"):
1. A place that is not free is held, and not requested; waiting places count as outstanding.
2. Result 0 or 2: another try after a pause (``timeouts`` rule 2); the sixth such answer closes the place.
3. Result 3, 5 or an unknown code closes it. A closed place opens when its column is announced again or dropped, or the
   dimension changes: the owner calls ``forget``.
4. Result 4 frees the place and pauses all requests until ``resume`` (the next spawn status).
5. Silence: a time-out (``timeouts`` rule 1). The transport is reliable and ordered, so a place is not requested again
   while its answer may be in transit. The time-out starts again with each answer to a request as old as the place's own
   or older (``timeouts`` rule 4), with each column, and as long as the transport knows of data that has not come
   through (parts of an incomplete packet, or our own packets without acknowledgement). Without an answer of the first
   kind it still ends after 30 s: columns and such may go on for ever, while the requests as old are limited.
6. A failure for a place that is not outstanding is ignored, so that a repeated answer costs no try.
7. A column announced again keeps its outstanding requests: answers come after the announcement, so the one in transit
   is already the new one, and a new request would be a duplicate.
8. ``timeouts`` sets the times: equal for all places of one wave, so that they are requested together again.
9. A success ends the counts of tries and silences: they start anew when the place is evicted and requested again. They
   can be read until then.
10. A slow server is not a faulty one: a time-out is *late* once any answer to its place comes, and so is a repeated
    answer as long as it may belong to a request that timed out. Only the others show a violation.

Owned by the session; not thread-safe.
"""

from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.streaming.limits import RequestLimits
from client.streaming.timeouts import RequestWindow, Timeouts
from client.world.slots import PoolBytes, longer
from net.arrays import Places

FREE: Final = 0  # never requested, answered, or ready for another request
OUTSTANDING: Final = 1  # requested, and neither answered nor timed out
WAITING: Final = 2  # in the pause before its next try
CLOSED: Final = 3  # refused for good

STATUSES: Final = ("free", "outstanding", "waiting", "closed")  # names of the statuses

COLUMNS: Final = ("status", "due", "at", "wave", "times", "tries", "silences", "unheard", "owed", "got")
"""The arrays over places."""


class RequestEntry(msgspec.Struct, frozen=True):
    """The state of one place that was requested."""

    status: int  # FREE (answered, or ready for another request), OUTSTANDING, WAITING or CLOSED
    asked_at: float  # time of its last request, monotonic seconds
    wave: int  # number of the step that requested it, from 1: packets of one wave left together
    asked: int  # number of requests
    tries: int  # answers 0 or 2
    silences: int  # time-outs
    due: float | None  # when it becomes free unless answered, at the earliest; None unless outstanding or waiting


class RequestEntries:
    """The ledger's arrays over places, 32 bytes each; no object a request. Only ``Ledger`` writes them.

    All values of a place count since its column was last announced (``clear``).
    """

    def __init__(self, places: int) -> None:
        # uint8[places] FREE, OUTSTANDING, WAITING or CLOSED; written by ``set`` alone
        self.status = np.zeros(places, np.uint8)
        # float64[places] when an outstanding or waiting place becomes free unless answered
        self.due = np.zeros(places, np.float64)
        self.at = np.zeros(places, np.float64)  # float64[places] time of the last request
        self.wave = np.zeros(places, np.int32)  # int32[places] see ``RequestEntry``; 0: never requested
        self.times = np.zeros(places, np.uint16)  # uint16[places] number of requests
        self.tries = np.zeros(places, np.uint8)  # uint8[places] answers 0 or 2
        self.silences = np.zeros(places, np.uint8)  # uint8[places] time-outs
        self.unheard = np.zeros(places, np.uint8)  # uint8[places] time-outs since an answer (the ledger's rule 10)
        self.owed = np.zeros(places, np.uint8)  # uint8[places] timed-out requests whose answers may still come
        self.got = np.zeros(places, np.bool_)  # bool[places] a success since its request (the ledger's rule 9)
        self.counts = np.zeros(4, np.int64)  # int64[4] places by status

    def __len__(self) -> int:
        return len(self.status)

    # ------------------------------------------------------------ reading

    def entry(self, place: int) -> RequestEntry | None:
        """The state of a place; None if it was not requested since its column was announced."""
        if not 0 <= place < len(self) or not self.wave[place]:
            return None
        status = int(self.status[place])
        return RequestEntry(
            status=status,
            asked_at=float(self.at[place]),
            wave=int(self.wave[place]),
            asked=int(self.times[place]),
            tries=int(self.tries[place]),
            silences=int(self.silences[place]),
            due=float(self.due[place]) if status in (OUTSTANDING, WAITING) else None,
        )

    def awaited(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which are requested and not settled, waiting ones included: bool[n]."""
        status = self.status[places]
        awaited: npt.NDArray[np.bool_] = (status == OUTSTANDING) | (status == WAITING)
        return awaited

    def asked_at(self, places: Places) -> npt.NDArray[np.float64]:
        """Time of each place's last request, monotonic seconds, NaN: never: float64[n]."""
        return np.where(self.wave[places] > 0, self.at[places], np.nan)

    def unexplained(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which were requested more often than answers 0 or 2 and silences explain: bool[n].

        A place that was evicted and requested again is among them (rule 9), and one that a pause freed (rule 4).
        """
        reasons = 1 + self.tries[places].astype(np.int32) + self.silences[places]
        unexplained: npt.NDArray[np.bool_] = self.times[places] > reasons
        return unexplained

    def memory(self) -> PoolBytes:
        size = sum(getattr(self, name).nbytes for name in COLUMNS)
        return PoolBytes("ledger", size, size, size, size)

    # ------------------------------------------------------------ changes

    def set(self, places: Places, status: int) -> None:
        np.subtract.at(self.counts, self.status[places], 1)
        self.status[places] = status
        self.counts[status] += len(places)

    def begin_anew(self, places: Places) -> None:
        """Resets the counts of tries and silences (the ledger's rule 9)."""
        self.tries[places] = 0
        self.silences[places] = 0
        self.got[places] = False

    def clear(self, places: Places) -> None:
        self.set(places, FREE)
        self.begin_anew(places)
        self.times[places] = 0
        self.wave[places] = 0
        self.unheard[places] = self.owed[places] = 0

    def resize(self, places: int) -> None:
        for name in COLUMNS:
            setattr(self, name, longer(getattr(self, name), places))


class LedgerStats(msgspec.Struct, frozen=True):
    """Counts since the start; the first three and ``window`` are current values.

    ``unasked``: answers for places that were not held, except late ones (rule 10). ``late``: time-outs that an answer
    followed.
    """

    outstanding: int
    waiting: int
    closed: int
    asked: int
    settled: int
    failed: int
    timed_out: int
    unasked: int
    window: int
    late: int = 0


Results = npt.NDArray[np.uint8]  # result codes
SUCCESSES: Final = (1, 6)
TRANSIENT: Final = (0, 2)
PLAYER_UNKNOWN: Final = 4


class Ledger:
    """The requests of all places."""

    def __init__(self, limits: RequestLimits, places: int = 0, entropy: Callable[[int], bytes] | None = None) -> None:
        """``entropy``: returns so many random bytes, for ``timeouts`` rule 3; without it no time is shortened."""
        self._limits = limits
        self._line = RequestWindow(limits)
        self._timeouts = Timeouts(limits, entropy)
        self.entries = RequestEntries(places)  # the arrays over places; read only for others
        self._asked = self._settled = self._failed = self._timed_out = self._late = 0
        self._unasked = self._waves = 0
        self._least_due = np.inf  # no place is due before
        self._round_trip_s = 0.0  # as of the last request
        self.paused = False

    # ------------------------------------------------------------ reading

    @property
    def outstanding(self) -> int:
        """Number of places requested and not settled, waiting ones included."""
        return int(self.entries.counts[OUTSTANDING] + self.entries.counts[WAITING])

    @property
    def space(self) -> int:
        """How many more may be asked now."""
        if self.paused:
            return 0
        free = self._limits.outstanding - self.outstanding
        return max(min(free, self._line.window - int(self.entries.counts[OUTSTANDING])), 0)

    def held(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which places must not be requested: bool[n]."""
        held: npt.NDArray[np.bool_] = self.entries.status[places] != FREE
        return held

    def next_due(self) -> float | None:
        """When ``expire`` may have work again: the earliest ``due`` of all outstanding and waiting places."""
        entries = self.entries
        running = (entries.status == OUTSTANDING) | (entries.status == WAITING)
        return float(entries.due[running].min()) if running.any() else None

    def stats(self) -> LedgerStats:
        return LedgerStats(
            outstanding=int(self.entries.counts[OUTSTANDING]),
            waiting=int(self.entries.counts[WAITING]),
            closed=int(self.entries.counts[CLOSED]),
            asked=self._asked,
            settled=self._settled,
            failed=self._failed,
            timed_out=self._timed_out,
            unasked=self._unasked,
            window=self._line.window,
            late=self._late,
        )

    # ------------------------------------------------------------ changes

    def resize(self, places: int) -> None:
        self.entries.resize(places)

    def ask(self, places: Places, now: float, round_trip_s: float) -> None:
        """Records that places (each once, all free) are requested, all in one wave.

        ``round_trip_s``: the current estimate, for the time-out. Raises ValueError: a place is held: a duplicate
        request.
        """
        held = places[self.held(places)]
        if len(held):
            raise ValueError(f"place {int(held[0])} is requested while its request is on hold")
        if not len(places):
            return
        entries = self.entries
        entries.begin_anew(places[entries.got[places]])
        self._waves += 1
        self._round_trip_s = round_trip_s
        self._line.ask(now)
        entries.set(places, OUTSTANDING)
        entries.at[places] = now
        entries.wave[places] = self._waves
        entries.times[places] += entries.times[places] < np.iinfo(np.uint16).max
        self._fall_due(places, now + self._timeout_s(places))
        self._asked += len(places)

    def answered(self, places: Places, results: Results, now: float) -> tuple[Places, Results]:
        """Applies the result code of each place; returns the places that are closed now, and the code of each.

        If a place comes twice, a success counts, else the first result: the store does the same, and a place that shows
        blocks and is closed could never be requested again.
        """
        answers, entries = len(places), self.entries
        places, results = _once_each(places, results)
        status = entries.status[places]
        self._record_line(places[status == OUTSTANDING], now)
        success = np.isin(results, SUCCESSES)
        settled = places[success & (status != FREE)]
        asked = ~success & (status == OUTSTANDING)
        lost = asked & (results == PLAYER_UNKNOWN)
        transient = asked & np.isin(results, TRANSIENT)
        entries.tries[places[transient]] += 1
        exhausted = transient & (entries.tries[places] >= self._limits.tries)
        closing = exhausted | (asked & ~lost & ~transient)
        waiting = places[transient & ~exhausted]
        entries.set(settled, FREE)
        entries.got[places[success]] = True
        entries.set(places[lost], FREE)
        entries.set(places[closing], CLOSED)
        self._wait(waiting, now)
        self._settled += len(settled)
        self._failed += int(asked.sum())
        explained = settled if not asked.any() else np.concatenate([settled, places[asked]])
        self._unasked += answers - len(explained) - self._came_late(places, explained)
        self.paused = self.paused or bool(lost.any())
        return places[closing], results[closing]

    def busy(self, now: float) -> None:
        """A column came, or the transport knows of data that has not come through: restarts the time-outs (rule 5)."""
        self._line.busy(now)

    def expire(self, now: float) -> Places:
        """Frees places whose pause or time-out is over; returns them in order."""
        if now < self._least_due:
            return np.empty(0, np.int32)
        entries = self.entries
        overdue = entries.due <= now
        rested = np.flatnonzero(overdue & (entries.status == WAITING)).astype(np.int32)
        silent = self._still_silent(np.flatnonzero(overdue & (entries.status == OUTSTANDING)).astype(np.int32), now)
        if len(silent):
            self._line.silence()
        for count in (entries.silences, entries.unheard, entries.owed):
            count[silent] = np.minimum(count[silent], 16) + 1  # 2**17 s is past every bound
        self._timed_out += len(silent)
        freed: Places = np.sort(np.concatenate([silent, rested]))
        entries.set(freed, FREE)
        due = self.next_due()
        self._least_due = np.inf if due is None else due
        return freed

    def forget(self, places: Places) -> None:
        """Resets places of a dropped column, or of a left dimension."""
        self.entries.clear(places)

    def announced_again(self, places: Places) -> None:
        """Frees closed and waiting places; outstanding ones stay so (rule 7)."""
        self.forget(places[self.entries.status[places] != OUTSTANDING])
        self.entries.times[places] -= self.entries.tries[places]  # requests that these explain are not counted, either
        self.entries.tries[places] = 0

    def reset(self, places: int) -> None:
        """Resets all places, for another dimension with that many at first."""
        self.entries = RequestEntries(places)

    def resume(self) -> None:
        self.paused = False

    def _came_late(self, places: Places, explained: Places) -> int:
        """Takes back time-outs of answered places; returns how many other answers belong to timed-out requests."""
        self._late += int(self.entries.unheard[places].sum())
        self.entries.unheard[places] = 0
        stray = np.setdiff1d(places, explained)
        late = stray[self.entries.owed[stray] > 0]
        self.entries.owed[late] -= 1
        return len(late)

    # ------------------------------------------------------------ time

    def _record_line(self, places: Places, now: float) -> None:
        if len(places):
            unambiguous = self.entries.silences[places] == 0
            self._line.answer(self.entries.at[places], unambiguous, now, self._round_trip_s)

    def _still_silent(self, overdue: Places, now: float) -> Places:
        """The overdue places whose time-out did not restart (rule 5); sets a later ``due`` for the others."""
        asked_at = self.entries.at[overdue]
        moved_at = np.maximum(self._line.moved_at(asked_at), asked_at)
        started_at = np.maximum(moved_at, self._line.busy_at)
        due = np.minimum(started_at + self._timeout_s(overdue), moved_at + self._limits.silence_longest_s)
        later = due > now
        self.entries.due[overdue[later]] = due[later]
        silent: Places = overdue[~later]
        return silent

    def _timeout_s(self, places: Places) -> npt.NDArray[np.float64]:
        entries = self.entries
        return self._timeouts.silence_s(entries.silences[places], entries.wave[places], self._round_trip_s)

    def _wait(self, places: Places, now: float) -> None:
        entries = self.entries
        entries.set(places, WAITING)
        self._fall_due(places, now + self._timeouts.pause_s(entries.tries[places], entries.wave[places]))

    def _fall_due(self, places: Places, due: npt.NDArray[np.float64]) -> None:
        self.entries.due[places] = due
        self._least_due = min(self._least_due, float(due.min(initial=np.inf)))


def _once_each(places: Places, results: Results) -> tuple[Places, Results]:
    """Each place once, in order, with its first success, else with its first result."""
    successes_first = np.argsort(~np.isin(results, SUCCESSES), kind="stable")
    places, first = np.unique(places[successes_first], return_index=True)
    return places, results[successes_first[first]]
