"""How much may be requested at once, how long until a time-out, and how long until the next try.

Rules (interfaces.md, "What an answer does"):
1. Silence: a time-out after max(1 s, 4 round trips), doubling for each silence of that place, at most 30 s.
2. Result 0 or 2: another try after 0.25 s, doubling to 8 s.
3. Time-outs and pauses that are not a place's first are shortened by up to a tenth, all places of one wave alike, so
   that they are requested together again. The share follows from the given entropy and the wave.
4. A queue that moves is not silence. The server answers in order, so an answer to a request that is as old as a place's
   own, or older, shows that it is still on its way; ``RequestWindow.moved_at`` is the time of the last one. A column,
   and data that the transport knows not to have come through, may precede the answer (``RequestWindow.busy_at``).
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from client.streaming.limits import RequestLimits


class RequestPacer:
    """A token bucket of packets: one more each tick, up to ``burst_packets`` (interfaces.md, "Limits on requests")."""

    def __init__(self, limits: RequestLimits, now: float) -> None:
        self._interval_s = limits.packet_interval_s
        self._burst = limits.burst_packets
        self._credit = float(limits.burst_packets)
        self._counted_at = now

    def available(self, now: float) -> int:
        elapsed_s = max(now - self._counted_at, 0.0)
        self._counted_at = max(now, self._counted_at)
        # A hair more than due: 0.05 added up twenty times is not 1.0, and a tick must not lose its packet to that.
        self._credit = min(self._credit + elapsed_s / self._interval_s + 1e-9, float(self._burst))
        return int(self._credit)

    def spend(self, packets: int) -> None:
        self._credit -= packets


Counts = npt.NDArray[np.uint8]
Waves = npt.NDArray[np.int32]
Seconds = npt.NDArray[np.float64]


class Timeouts:
    """Computes the times of one session's ledger."""

    def __init__(self, limits: RequestLimits, entropy: Callable[[int], bytes] | None) -> None:
        """``entropy`` returns so many random bytes for rule 3; without it no time is shortened."""
        self._limits = limits
        self._secret = np.uint64(int.from_bytes(entropy(8), "big")) if entropy else None

    def silence_s(self, silences: Counts, waves: Waves, round_trip_s: float) -> Seconds:
        """Time-outs of places with that many silences, requested in those waves, in seconds."""
        limits = self._limits
        doublings = silences.astype(np.float64)  # a byte as exponent would make half floats
        least_s = max(limits.silence_least_s, limits.silence_round_trips * round_trip_s)
        waits_s: Seconds = np.minimum(least_s * 2.0**doublings, limits.silence_longest_s)
        waits_s[silences > 0] *= self._shortened(waves[silences > 0])
        return waits_s

    def pause_s(self, tries: Counts, waves: Waves) -> Seconds:
        """Pauses before the next try of places with so many answers 0 or 2, at least one, in seconds."""
        limits = self._limits
        doublings = tries.astype(np.float64) - 1.0
        pauses_s = np.minimum(limits.retry_first_s * 2.0**doublings, limits.retry_longest_s)
        shortened: Seconds = pauses_s * np.where(tries > 1, self._shortened(waves), 1.0)
        return shortened

    def _shortened(self, waves: Waves) -> Seconds:
        """The factor of repeated times (rule 3): float64[n]."""
        if self._secret is None:
            return np.ones(len(waves))
        bits = (waves.astype(np.uint64) + self._secret) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ bits >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)  # one multiplication leaves a pattern
        shares = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return 1.0 - self._limits.silence_jitter * shares


RATE_GAIN: Final = 0.25
"""Share of a new sample in the mean rate: four packets of answers say more than one, and it follows within a second."""

Times = npt.NDArray[np.float64]  # [n] monotonic seconds


class RequestWindow:
    """The number of places that may be outstanding, and whether answers still come; owned by the ledger.

    1. The window starts at the limit, grows by each answer that did not have to queue, and never falls below
       ``window_least``.
    2. An answer queued if it took longer than a round trip, the server's own least delay and a margin. The window then
       becomes what the line carries in that time: rate times (round trip + least delay + margin). The line is never
       idle, and the next request waits behind half a second of answers and not behind thousands. While the rate rises,
       the line is still opening (RakNet's congestion window), and the window stays.
    3. Silence halves the window.

    This is BBR's delivery rate (what was answered between request and answer, over that time) and Vegas' test for a
    queue. Places requested again after a silence give no sample (Karn). Limits: the least delay is never forgotten, so
    a server that becomes slower for good looks like a queue.
    """

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._window = float(limits.outstanding)
        self._own_delay_s = np.inf
        self.rate: float | None = None  # answers a second while answers queued, or None
        self._answered = 0
        self._asked: list[tuple[float, int]] = []  # times of requests, and how many answers had come by then
        # when data last came that may precede any answer (rule 4), -inf before the first
        self.busy_at = -np.inf
        # A staircase: times of requests in rising order, and when an answer to each, or to an older one, last came.
        self._heard_of: list[float] = []
        self._heard_at: list[float] = []

    @property
    def window(self) -> int:
        """The number of places that may be requested and unanswered."""
        return int(self._window)

    def ask(self, now: float) -> None:
        if not self._asked or self._asked[-1][0] < now:
            self._asked.append((now, self._answered))
        self._forget_before(now - self._limits.silence_longest_s)  # older requests have timed out

    def answer(self, asked_at: Times, unambiguous: npt.NDArray[np.bool_], now: float, round_trip_s: float) -> None:
        """Records answers to outstanding places, from one packet, at least one.

        ``asked_at``: request time of each. ``unambiguous``: bool[n]: which never timed out, so that it is known which
        request was answered. ``round_trip_s``: the peer's estimate.
        """
        self._answered += len(asked_at)
        self._move(float(asked_at.min()), now)
        if unambiguous.any():
            self._sample(float(asked_at[unambiguous].min()), len(asked_at), now, round_trip_s)

    def busy(self, now: float) -> None:
        """Records data that may precede any answer, or be part of it."""
        self.busy_at = now

    def silence(self) -> None:
        self._resize(self._window / 2)

    def moved_at(self, asked_at: Times) -> Times:
        """When an answer to a request as old as these, or older, last came: float64[n], -inf where none did."""
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
        if self.rate is None or rate > self.rate:
            self.rate = rate
        else:
            self.rate += RATE_GAIN * (rate - self.rate)
            self._resize(self.rate * unqueued_s)

    def _rate_since(self, asked_at: float, now: float) -> float:
        at = bisect_right(self._asked, asked_at, key=lambda asked: asked[0]) - 1
        began_at, answered = self._asked[max(at, 0)]  # the oldest known one for an older request
        return (self._answered - answered) / (now - began_at)

    def _resize(self, size: float) -> None:
        most = self._limits.outstanding
        self._window = min(max(size, self._limits.window_least), most)

    def _forget_before(self, oldest: float) -> None:
        if self._asked[0][0] < oldest:
            del self._asked[: bisect_right(self._asked, oldest, key=lambda asked: asked[0]) - 1]
        done = bisect_right(self._heard_at, oldest)
        del self._heard_of[:done], self._heard_at[:done]
