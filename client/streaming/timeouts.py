"""How much may be asked at once, how long an answer is waited for, and when a place is asked again.

Rules (interfaces.md, "What an answer does"):
1. Silence: a time-out after max(1 s, 4 round trips), doubling for each silence of that place, at most 30 s.
2. Result 0 or 2: again after 0.25 s, doubling to 8 s.
3. Time-outs and pauses that are not a place's first are shortened by up to a tenth, all places of one wave alike, so
   that they are still asked together. The share comes from the entropy given, by wave: the same inputs, in whatever
   order places are named, give the same times.

Limits (interfaces.md, "Limits on requests"): the pace is a bucket of packets: one more each tick, at most
``burst_packets`` saved up. Time is given.

Line: The way to the server and back, as the answers tell it: how much may be on it, and whether it moves.
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
from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt


class RequestLimits(msgspec.Struct, frozen=True):
    """The bounds on requests, and the table of retries."""

    entries_per_packet: int = 512  # sub-chunks one request may name
    packet_interval_s: float = 0.05  # one packet a tick
    burst_packets: int = 4  # how many unused ticks may be made up for
    outstanding: int = 4096  # sub-chunks asked and not settled, waiting ones included
    retry_first_s: float = 0.25  # pause before asking again after result 0 or 2; doubles each time
    retry_longest_s: float = 8.0  # where the doubling ends
    tries: int = 6  # answers 0 or 2 to one place before it counts as refused
    silence_least_s: float = 1.0  # shortest time-out
    silence_round_trips: float = 4.0  # a time-out is at least this many round trips
    silence_longest_s: float = 30.0  # a time-out doubles up to this
    # repeated time-outs and pauses are shorter by up to this share, so that clients that lost one
    # server do not come back to it in step
    silence_jitter: float = 0.1
    window_least: int = 512  # what may be outstanding however slow the answers are
    window_margin_s: float = 0.5  # how long answers may queue; see ``timeouts``
    ticking_radius: int = 4  # columns (Chebyshev) around the player that are asked whatever can be seen


class RequestPacer:
    """Counts the packets that may go now."""

    def __init__(self, limits: RequestLimits, now: float) -> None:
        """Starts with a full burst."""
        self._interval_s = limits.packet_interval_s
        self._burst = limits.burst_packets
        self._credit = float(limits.burst_packets)
        self._counted_at = now

    def available(self, now: float) -> int:
        """Packets that may be sent at ``now``."""
        elapsed_s = max(now - self._counted_at, 0.0)
        self._counted_at = max(now, self._counted_at)
        # A hair more than due: 0.05 added up twenty times is not 1.0, and a tick must not lose its packet to that.
        self._credit = min(self._credit + elapsed_s / self._interval_s + 1e-9, float(self._burst))
        return int(self._credit)

    def spend(self, packets: int) -> None:
        """Takes packets that were sent."""
        self._credit -= packets


Counts = npt.NDArray[np.uint8]
Waves = npt.NDArray[np.int32]
Seconds = npt.NDArray[np.float64]


class Timeouts:
    """The ledger's, for one session."""

    def __init__(self, limits: RequestLimits, entropy: Callable[[int], bytes] | None) -> None:
        """Waits as ``limits`` say; ``entropy`` gives so many bytes for rule 3, without it nothing is shortened."""
        self._limits = limits
        self._secret = np.uint64(int.from_bytes(entropy(8), "big")) if entropy else None

    def silence_s(self, silences: Counts, waves: Waves, round_trip_s: float) -> Seconds:
        """Seconds until places that were silent so often, and were asked in those waves, count as silent again."""
        limits = self._limits
        doublings = silences.astype(np.float64)  # a byte as exponent would make half floats
        least_s = max(limits.silence_least_s, limits.silence_round_trips * round_trip_s)
        waits_s: Seconds = np.minimum(least_s * 2.0**doublings, limits.silence_longest_s)
        waits_s[silences > 0] *= self._shortened(waves[silences > 0])
        return waits_s

    def pause_s(self, tries: Counts, waves: Waves) -> Seconds:
        """Seconds until places that were answered 0 or 2 so often, at least once, may be asked again."""
        limits = self._limits
        doublings = tries.astype(np.float64) - 1.0
        pauses_s = np.minimum(limits.retry_first_s * 2.0**doublings, limits.retry_longest_s)
        shortened: Seconds = pauses_s * np.where(tries > 1, self._shortened(waves), 1.0)
        return shortened

    def _shortened(self, waves: Waves) -> Seconds:
        """What repeated waits are multiplied with (rule 3): float64[n]."""
        if self._secret is None:
            return np.ones(len(waves))
        bits = (waves.astype(np.uint64) + self._secret) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ bits >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)  # one multiplication leaves a pattern
        shares = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return 1.0 - self._limits.silence_jitter * shares


RATE_GAIN: Final = 0.25
"""Share of a new sample in the mean rate: four packets of answers say more than one, and it follows within a second."""

Times = npt.NDArray[np.float64]
"""[n] monotonic seconds."""


class RequestWindow:
    """How many places may be asked and unanswered, and whether answers still come; owned by the ledger."""

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._window = float(limits.outstanding)
        self._own_delay_s = np.inf
        self._rate: float | None = None
        self._answered = 0
        self._asked: list[tuple[float, int]] = []  # when something was asked, how much had been answered by then
        # when something came last that may lie before any answer (rule 4), -inf where nothing did
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
        if not self._asked or self._asked[-1][0] < now:
            self._asked.append((now, self._answered))
        self._forget_before(now - self._limits.silence_longest_s)  # what is older keeps nobody waiting

    def answer(self, asked_at: Times, unambiguous: npt.NDArray[np.bool_], now: float, round_trip_s: float) -> None:
        """Outstanding places were answered, one packet of them, at least one.

        ``asked_at``: when each was. ``unambiguous``: bool[n]: which were never silent, so that it is known which
        request was answered. ``round_trip_s``: the peer's estimate.
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
