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
5. Silence: a time-out after max(1 s, 4 round trips), doubling for each silence of that place, at most 30 s. Its clock
   starts again with each column, and each answer to a request as old as the place's own, or older (``line`` rule 4).
   30 s after the place was asked it is over whatever else comes: a server cannot keep it waiting for ever.
6. A failure for a place that is not outstanding is ignored, so that a repeated answer costs no try.
7. A column announced again keeps what is outstanding: answers are ordered after the announcement, so the one under way
   is already the new one, and asking again would ask twice.
8. Time-outs and pauses that are not a place's first are shortened by up to a tenth, all places of one wave alike, so
   that they are still asked together. The share comes from the entropy given, by wave: the same inputs, in whatever
   order places are named, give the same times.
9. A success ends the count of tries and silences: what was got, let go and asked again begins anew. They can be read
   until then.
10. Whoever is slow is not wrong: a time-out is *late* once any answer to its place comes, and so is a repeated answer
    as long as it may belong to a request that was given up on. Only the others say that a server misbehaves.

State is arrays over places (28 bytes each), no object a request. Owned by the session; not thread-safe.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from client.streaming.limits import RequestLimits
from client.streaming.line import Line
from client.world.reserved import PoolBytes
from net.frozen import frozen
from net.space.layout import Places

FREE: Final = 0
OUTSTANDING: Final = 1
WAITING: Final = 2
CLOSED: Final = 3

STATUSES: Final = ("free", "outstanding", "waiting", "closed")
"""Their names."""

COLUMNS: Final = ("_status", "_due", "_asked_at", "_wave", "_times", "_tries", "_silences", "_unheard", "_owed", "_got")
"""The arrays over places."""

SUCCESSES: Final = (1, 6)
TRANSIENT: Final = (0, 2)
PLAYER_UNKNOWN: Final = 4


@frozen
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


@frozen
class Entry:
    """What is noted of one place that was asked.

    Attributes:
        status: FREE (answered, or free to be asked again), OUTSTANDING, WAITING or CLOSED.
        asked_at: when it was asked last, monotonic seconds.
        wave: the step of asking that it belonged to, counted from 1: its packets left together.
        asked: how often it was.
        tries: answers 0 or 2 to it.
        silences: time-outs of it.
        due: when it is free again unless answered, at the earliest; None where nothing is waited for.
    """

    status: int
    asked_at: float
    wave: int
    asked: int
    tries: int
    silences: int
    due: float | None


@frozen
class LedgerStats:
    """Counts since the start, but for the first three and the last, which are now.

    ``unasked`` are answers for places that were not held: repeated ones, and ones that nobody asked for, but for those
    that came late (rule 10). ``late`` of the time-outs were followed by an answer.
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


class Ledger:
    """Requests by place."""

    def __init__(self, limits: RequestLimits, places: int = 0, entropy: Callable[[int], bytes] | None = None) -> None:
        """Holds nothing yet.

        Args:
            limits: the table of retries, and bounds.
            places: how many there are.
            entropy: gives so many bytes, for rule 8; without it nothing is shortened.
        """
        self._limits = limits
        self._line = Line(limits)
        self._secret = np.uint64(int.from_bytes(entropy(8), "big")) if entropy else None
        self._status = np.zeros(places, np.uint8)
        self._due = np.zeros(places, np.float64)
        self._asked_at = np.zeros(places, np.float64)
        self._wave = np.zeros(places, np.int32)
        self._times = np.zeros(places, np.uint16)
        self._tries = np.zeros(places, np.uint8)
        self._silences = np.zeros(places, np.uint8)
        self._unheard = np.zeros(places, np.uint8)  # time-outs since an answer came (rule 10)
        self._owed = np.zeros(places, np.uint8)  # requests given up on whose answers may still come
        self._got = np.zeros(places, np.bool_)  # a success since it was asked (rule 9)
        self._counts = np.zeros(4, np.int64)  # places by status
        self._asked = self._settled = self._failed = self._timed_out = self._late = 0
        self._unasked = self._waves = 0
        self._least_due = np.inf  # nothing is due before
        self._round_trip_s = 0.0  # as of the last question
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
        if self._paused:
            return 0
        free = self._limits.outstanding - self.outstanding
        return max(min(free, self._line.window - int(self._counts[OUTSTANDING])), 0)

    def held(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which places must not be asked: bool[n]."""
        held: npt.NDArray[np.bool_] = self._status[places] != FREE
        return held

    def entry(self, place: int) -> Entry | None:
        """What is noted of a place; None where it was not asked since its column was announced."""
        if not 0 <= place < len(self._wave) or not self._wave[place]:
            return None
        status = int(self._status[place])
        return Entry(
            status=status,
            asked_at=float(self._asked_at[place]),
            wave=int(self._wave[place]),
            asked=int(self._times[place]),
            tries=int(self._tries[place]),
            silences=int(self._silences[place]),
            due=float(self._due[place]) if status in (OUTSTANDING, WAITING) else None,
        )

    def __len__(self) -> int:
        """Places that it has room for."""
        return len(self._status)

    def awaited(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which are asked and not settled, those that wait to be asked again included: bool[n]."""
        status = self._status[places]
        awaited: npt.NDArray[np.bool_] = (status == OUTSTANDING) | (status == WAITING)
        return awaited

    def waves(self, places: Places) -> npt.NDArray[np.int32]:
        """The wave of each place (see ``Entry``), 0 where it was not asked: int32[n]."""
        waves: npt.NDArray[np.int32] = self._wave[places]
        return waves

    def asked_at(self, places: Places) -> npt.NDArray[np.float64]:
        """When each place was asked last, monotonic seconds, NaN where it was not: float64[n]."""
        return np.where(self._wave[places] > 0, self._asked_at[places], np.nan)

    def asked(self, places: Places) -> npt.NDArray[np.uint16]:
        """How often each place was asked since its column was announced: uint16[n]."""
        times: npt.NDArray[np.uint16] = self._times[places]
        return times

    def unexplained(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which were asked more often than answers 0 or 2 and silences explain: bool[n].

        What was got, let go and asked again is among them (rule 9), as is what was freed by a pause (rule 4).
        """
        reasons = 1 + self._tries[places].astype(np.int32) + self._silences[places]
        unexplained: npt.NDArray[np.bool_] = self._times[places] > reasons
        return unexplained

    def next_due(self) -> float | None:
        """When ``expire`` may have work again."""
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
            unasked=self._unasked,
            window=self._line.window,
            late=self._late,
        )

    def memory(self) -> PoolBytes:
        """What the arrays cost."""
        size = sum(getattr(self, name).nbytes for name in COLUMNS)
        return PoolBytes("ledger", size, size, size, size)

    # ------------------------------------------------------------ changes

    def resize(self, places: int) -> None:
        """Makes room for more places."""
        more = places - len(self._status)
        if more > 0:
            for name in COLUMNS:
                column = getattr(self, name)
                setattr(self, name, np.concatenate([column, np.zeros(more, column.dtype)]))

    def ask(self, places: Places, now: float, round_trip_s: float) -> None:
        """Notes that free places were asked at ``now``, all in one wave.

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
        if not len(places):
            return
        self._begin_anew(places[self._got[places]])
        self._waves += 1
        self._round_trip_s = round_trip_s
        self._line.ask(now)
        self._set(places, OUTSTANDING)
        self._asked_at[places] = now
        self._wave[places] = self._waves
        self._times[places] += self._times[places] < np.iinfo(np.uint16).max
        self._fall_due(places, now + self._patience_s(places))
        self._asked += len(places)

    def answered(self, places: Places, results: npt.NDArray[np.uint8], now: float) -> Outcome:
        """Applies result codes.

        Args:
            places: where the answers belong; a place may come twice, then a success counts, else the first one: so
                does the store, and a place that shows blocks and is closed could never be asked again.
            results: uint8[n], the code of each.
            now: monotonic seconds.
        """
        answers = len(places)
        successes_first = np.argsort(~np.isin(results, SUCCESSES), kind="stable")
        places, first = np.unique(places[successes_first], return_index=True)
        results = results[successes_first[first]]
        status = self._status[places]
        self._note_line(places[status == OUTSTANDING], now)
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
        self._got[places[success]] = True
        self._set(places[lost], FREE)
        self._set(places[closing], CLOSED)
        self._wait(waiting, now)
        self._settled += len(settled)
        self._failed += int(asked.sum())
        explained = settled if not asked.any() else np.concatenate([settled, places[asked]])
        self._unasked += answers - len(explained) - self._came_late(places, explained)
        self._paused = self._paused or bool(lost.any())
        return Outcome(
            settled.astype(np.int32),
            waiting.astype(np.int32),
            places[closing].astype(np.int32),
            results[closing],
            bool(lost.any()),
        )

    def column_came(self, now: float) -> None:
        """The server announced a column, so it is at work (rule 5)."""
        self._line.column(now)

    def expire(self, now: float) -> Places:
        """Frees what is overdue: pauses that ended, and silences.

        Returns:
            The places that are free again, in order.
        """
        if now < self._least_due:
            return np.empty(0, np.int32)
        overdue = self._due <= now
        rested = np.flatnonzero(overdue & (self._status == WAITING)).astype(np.int32)
        silent = self._still_silent(np.flatnonzero(overdue & (self._status == OUTSTANDING)).astype(np.int32), now)
        if len(silent):
            self._line.silence()
        for count in (self._silences, self._unheard, self._owed):
            count[silent] = np.minimum(count[silent], 16) + 1  # 2**17 s is past every bound
        self._timed_out += len(silent)
        freed: Places = np.sort(np.concatenate([silent, rested]))
        self._set(freed, FREE)
        due = self.next_due()
        self._least_due = np.inf if due is None else due
        return freed

    def forget(self, places: Places) -> None:
        """Drops what was known of places whose column went away, or of all of a dimension that did."""
        self._set(places, FREE)
        self._begin_anew(places)
        self._times[places] = 0
        self._wave[places] = 0
        self._unheard[places] = self._owed[places] = 0

    def announced_again(self, places: Places) -> None:
        """Opens what was closed or waiting; what is outstanding stays so (rule 7)."""
        self.forget(places[self._status[places] != OUTSTANDING])
        self._tries[places] = 0

    def reset(self, places: int) -> None:
        """Forgets all places: of another dimension there are so many at first."""
        self.forget(np.arange(len(self._status), dtype=np.int32))
        for name in COLUMNS:
            setattr(self, name, np.zeros(places, getattr(self, name).dtype))

    def resume(self) -> None:
        """The player spawned: ends a pause."""
        self._paused = False

    def _came_late(self, places: Places, explained: Places) -> int:
        """Takes time-outs of answered places back; how many of the others' answers are to requests given up on."""
        self._late += int(self._unheard[places].sum())
        self._unheard[places] = 0
        stray = np.setdiff1d(places, explained)
        late = stray[self._owed[stray] > 0]
        self._owed[late] -= 1
        return len(late)

    def _begin_anew(self, places: Places) -> None:
        self._tries[places] = 0
        self._silences[places] = 0
        self._got[places] = False

    # ------------------------------------------------------------ time

    def _note_line(self, places: Places, now: float) -> None:
        if len(places):
            unambiguous = self._silences[places] == 0
            self._line.answer(self._asked_at[places], unambiguous, now, self._round_trip_s)

    def _still_silent(self, overdue: Places, now: float) -> Places:
        """Those whose clock did not start again since they were asked (rule 5); the others fall due later."""
        asked_at = self._asked_at[overdue]
        started_at = np.maximum(self._line.moved_at(asked_at), asked_at)
        due = np.minimum(started_at + self._patience_s(overdue), asked_at + self._limits.silence_longest_s)
        later = due > now
        self._due[overdue[later]] = due[later]
        silent: Places = overdue[~later]
        return silent

    def _patience_s(self, places: Places) -> npt.NDArray[np.float64]:
        limits = self._limits
        silences = self._silences[places].astype(np.float64)  # a byte as exponent would make half floats
        least_s = max(limits.silence_least_s, limits.silence_round_trips * self._round_trip_s)
        patience_s: npt.NDArray[np.float64] = np.minimum(least_s * 2.0**silences, limits.silence_longest_s)
        patience_s[silences > 0] *= self._shortened(places[silences > 0])
        return patience_s

    def _wait(self, places: Places, now: float) -> None:
        limits = self._limits
        tries = self._tries[places].astype(np.float64)
        pauses_s = np.minimum(limits.retry_first_s * 2.0 ** (tries - 1.0), limits.retry_longest_s)
        self._set(places, WAITING)
        self._fall_due(places, now + pauses_s * np.where(tries > 1, self._shortened(places), 1.0))

    def _shortened(self, places: Places) -> npt.NDArray[np.float64]:
        """What repeated waits are multiplied with, by the places' wave (rule 8): float64[n]."""
        if self._secret is None:
            return np.ones(len(places))
        bits = (self._wave[places].astype(np.uint64) + self._secret) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ bits >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)  # one multiplication leaves a pattern
        shares = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return 1.0 - self._limits.silence_jitter * shares

    def _fall_due(self, places: Places, due: npt.NDArray[np.float64]) -> None:
        self._due[places] = due
        self._least_due = min(self._least_due, float(due.min(initial=np.inf)))

    def _set(self, places: Places, status: int) -> None:
        np.subtract.at(self._counts, self._status[places], 1)
        self._status[places] = status
        self._counts[status] += len(places)
