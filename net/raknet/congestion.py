"""How much data may be in flight, and at what rate it is sent.

Window, in bytes:
1. Slow start: the window grows by half each round trip, until two round trips in a row are longer than the shortest
   ever by an eighth (10 to 20 ms): a queue is growing (HyStart, RFC 9406), and the window shrinks to what passes
   without a queue. A measurement is a round trip old; doubling would have put a whole window into the queue meanwhile
   and lost most of it (measured on 2 MB/s, 50 ms, 64 KB: 10 % of the first second's datagrams, where this loses none).
2. Then it grows by ``_GROWTH_DATAGRAMS`` a round trip, or by a sixteenth if the last round trip showed no queue. It is
   multiplied by 0.7 for a loss (CUBIC's factor), halved for a time-out, at most once for the datagrams that were in
   flight at that time. Additive growth and multiplicative shrinking give sessions that share a queue equal shares (Chiu
   and Jain); two datagrams a round trip instead of one do so in half the time.
3. It grows only while it is in use.
4. A datagram that was considered lost and is then acknowledged was only late. If all losses behind one shrinking turn
   out so, the shrinking is undone (Eifel, RFC 4015).

Pacing: a token bucket at 1.25 windows a round trip (1.5 in slow start). Without it a whole window enters a queue at
once; a socket's default receive buffer holds 92 datagrams (architecture.md 2), a small router 45.

Round trip: the estimator of RFC 6298, which also gives the time-outs. Every transmission has a datagram number of its
own, so each acknowledgement measures exactly one transmission; TCP's ambiguity after a resend (Karn) does not exist
here.
"""

from typing import Final

FIRST_TIMEOUT_S: Final = 0.5
GRACE_S: Final = 0.1  # some ends acknowledge only every 100 ms (wire.md 5.2)
LARGEST_TIMEOUT_S: Final = 3.0
_LARGEST_BACKOFF: Final = 8


class RoundTrip:
    """Smoothed round trip and its deviation, seconds."""

    __slots__ = ("_backoff", "_deviation_s", "latest_s", "smallest_s", "smoothed_s")

    def __init__(self) -> None:
        self.smoothed_s: float | None = None  # None before the first answer
        self.latest_s = 0.0  # the last one
        self.smallest_s = float("inf")  # of this session: the path without a queue
        self._deviation_s = 0.0
        self._backoff = 1

    def sample(self, seconds: float) -> None:
        """Adds a measured round trip."""
        self._backoff = 1
        self.latest_s = seconds
        self.smallest_s = min(self.smallest_s, seconds)
        if self.smoothed_s is None:
            self.smoothed_s = seconds
            self._deviation_s = seconds / 2
            return
        self._deviation_s += (abs(seconds - self.smoothed_s) - self._deviation_s) / 4
        self.smoothed_s += (seconds - self.smoothed_s) / 8

    def timed_out(self) -> None:
        """No answer came in time: doubles the time-out until one comes."""
        self._backoff = min(self._backoff * 2, _LARGEST_BACKOFF)

    @property
    def timeout_s(self) -> float:
        """A datagram without acknowledgement for this long is lost."""
        base = FIRST_TIMEOUT_S if self.smoothed_s is None else self.smoothed_s + max(GRACE_S, 4 * self._deviation_s)
        return min(base * self._backoff, LARGEST_TIMEOUT_S)

    @property
    def overtaken_s(self) -> float:
        """A datagram this old is lost when a later one is acknowledged: an overtaken one has arrived by then."""
        smoothed_s = self.smoothed_s or FIRST_TIMEOUT_S
        return smoothed_s + max(smoothed_s / 2, 4 * self._deviation_s)


_SMALLEST_WINDOW_DATAGRAMS: Final = 8
_GROWTH_DATAGRAMS: Final = 2.0
_LOSS_FACTOR: Final = 0.7
_TIMEOUT_FACTOR: Final = 0.5
_SLOW_START_GROWTH: Final = 0.5
_EMPTY_PATH_GROWTH: Final = 1 / 16
_LONG_TRIPS: Final = 2
_QUEUE_SHARE: Final = 1 / 8
_SMALLEST_QUEUE_S: Final = 0.010
_LARGEST_QUEUE_S: Final = 0.020
_BURST_DATAGRAMS: Final = 10
_PACING_GAIN: Final = 1.25
_SLOW_START_GAIN: Final = 1.5
_TIMER_GRAIN_S: Final = 0.004  # sleeping threads wake this late; the bucket holds what was due meanwhile


class CongestionWindow:
    """Bytes that may be in flight unacknowledged."""

    __slots__ = (
        "_before",
        "_datagram_bytes",
        "_doubts",
        "_largest",
        "_long_trips",
        "_recovery_from",
        "_recovery_until",
        "_threshold",
        "window_bytes",
    )

    def __init__(self, first_bytes: int, largest_bytes: int, datagram_bytes: int) -> None:
        self._datagram_bytes = datagram_bytes
        self._largest = float(largest_bytes)
        self.window_bytes = float(max(first_bytes, _SMALLEST_WINDOW_DATAGRAMS * datagram_bytes))
        self._threshold = float(largest_bytes)
        self._recovery_from = 0
        self._recovery_until = 0
        self._doubts = 0  # lost datagrams behind the last shrinking that have not been acknowledged since
        self._before = (self.window_bytes, self._threshold)
        self._long_trips = 0  # in a row, see rule 1

    @property
    def in_slow_start(self) -> bool:
        """Whether it is still searching for the path's limit."""
        return self.window_bytes < self._threshold

    def acknowledged(self, size_bytes: int, in_flight_bytes: int) -> None:
        """Handles acknowledged bytes; ``in_flight_bytes``: bytes that were in flight."""
        if in_flight_bytes * 2 < self.window_bytes:
            return
        growth = _GROWTH_DATAGRAMS * self._datagram_bytes / self.window_bytes
        if self.in_slow_start:
            growth = _SLOW_START_GROWTH
        elif not self._long_trips:
            growth = max(growth, _EMPTY_PATH_GROWTH)
        self.window_bytes += growth * size_bytes
        self.window_bytes = min(self.window_bytes, self._largest)

    def timed(self, trip: RoundTrip) -> None:
        """A round trip was measured; may end slow start (rule 1)."""
        queue_s = min(max(trip.smallest_s * _QUEUE_SHARE, _SMALLEST_QUEUE_S), _LARGEST_QUEUE_S)
        self._long_trips = self._long_trips + 1 if trip.latest_s >= trip.smallest_s + queue_s else 0
        if self._long_trips >= _LONG_TRIPS and self.in_slow_start:
            self._threshold = self.window_bytes = max(
                self.window_bytes * trip.smallest_s / trip.latest_s, _SMALLEST_WINDOW_DATAGRAMS * self._datagram_bytes
            )

    def lost(self, number: int, next_number: int) -> None:
        """Datagram ``number`` was reported missing; ``next_number`` is the next that will be sent."""
        self._shrink(_LOSS_FACTOR, number, next_number)

    def timed_out(self, number: int, next_number: int) -> None:
        """Datagram ``number`` was not heard of in time."""
        self._shrink(_TIMEOUT_FACTOR, number, next_number)

    def found(self, number: int) -> None:
        """Datagram ``number``, considered lost, was acknowledged; may undo a shrinking (rule 4)."""
        if not self._recovery_from <= number < self._recovery_until:
            return
        self._doubts -= 1
        if self._doubts == 0:
            window, self._threshold = self._before
            self.window_bytes = max(self.window_bytes, window)
            self._recovery_from = self._recovery_until

    def _shrink(self, factor: float, number: int, next_number: int) -> None:
        if number < self._recovery_until:
            self._doubts += number >= self._recovery_from
            return
        self._before = (self.window_bytes, self._threshold)
        self._doubts = 1
        self._recovery_from = number
        self._recovery_until = next_number
        self.window_bytes = max(self.window_bytes * factor, _SMALLEST_WINDOW_DATAGRAMS * self._datagram_bytes)
        self._threshold = self.window_bytes


class DatagramPacer:
    """A bucket of bytes that may be sent now; one datagram may overdraw it."""

    __slots__ = ("_burst", "_filled_at", "_rate", "tokens")

    def __init__(self, datagram_bytes: int, now: float) -> None:
        self._burst = float(_BURST_DATAGRAMS * datagram_bytes)
        self.tokens = self._burst
        self._rate = 0.0  # bytes a second; 0 = no round trip is known yet, no pacing
        self._filled_at = now

    def refill(self, window: CongestionWindow, round_trip_s: float | None, now: float) -> None:
        """Adds tokens for the time passed; one more datagram may be sent if ``tokens`` is above 0."""
        elapsed_s = max(0.0, now - self._filled_at)
        self._filled_at = now
        if round_trip_s is None:
            self.tokens = window.window_bytes
            return
        gain = _SLOW_START_GAIN if window.in_slow_start else _PACING_GAIN
        self._rate = gain * window.window_bytes / max(round_trip_s, 1e-4)
        self.tokens = min(self.at_once_bytes, self.tokens + self._rate * elapsed_s)

    @property
    def at_once_bytes(self) -> float:
        """Most bytes that are sent at once; a window while no round trip is known."""
        return max(self._burst, self._rate * _TIMER_GRAIN_S) if self._rate else max(self._burst, self.tokens)

    def opens_at(self) -> float:
        """When the next datagram may be sent."""
        if self.tokens > 0 or not self._rate:
            return self._filled_at
        return self._filled_at + (1.0 - self.tokens) / self._rate
