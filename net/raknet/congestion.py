"""How much may be on the way, and how fast it goes there.

Window: slow start, then one datagram a round trip (RFC 5681), times 0.7 for a loss (CUBIC's factor) and halved for a
time-out, at most once for the datagrams that were on the way when it happened. It grows only while it is in use.
Pacing: a token bucket at 1.25 windows a round trip (2 in slow start). Without it a whole window falls into a socket
buffer at once, and the default one holds 92 datagrams (architecture.md 2).
"""

from typing import Final

_SMALLEST_WINDOW_DATAGRAMS: Final = 8
_BURST_DATAGRAMS: Final = 24
_LOSS_FACTOR: Final = 0.7
_TIMEOUT_FACTOR: Final = 0.5
_PACING_GAIN: Final = 1.25
_SLOW_START_GAIN: Final = 2.0
_TIMER_GRAIN_S: Final = 0.004  # sleepers wake late by so much; the bucket holds what was due in it


class CongestionWindow:
    """Bytes that may be on the way unacknowledged."""

    __slots__ = ("_datagram_bytes", "_largest", "_recovery_until", "_threshold", "window_bytes")

    def __init__(self, first_bytes: int, largest_bytes: int, datagram_bytes: int) -> None:
        self._datagram_bytes = datagram_bytes
        self._largest = float(largest_bytes)
        self.window_bytes = float(max(first_bytes, _SMALLEST_WINDOW_DATAGRAMS * datagram_bytes))
        self._threshold = float(largest_bytes)
        self._recovery_until = 0

    @property
    def in_slow_start(self) -> bool:
        """Whether it doubles each round trip."""
        return self.window_bytes < self._threshold

    def acknowledged(self, size_bytes: int, in_flight_bytes: int) -> None:
        """So much arrived, while so much was on the way."""
        if in_flight_bytes * 2 < self.window_bytes:
            return
        if self.in_slow_start:
            self.window_bytes += size_bytes
        else:
            self.window_bytes += self._datagram_bytes * size_bytes / self.window_bytes
        self.window_bytes = min(self.window_bytes, self._largest)

    def lost(self, number: int, next_number: int) -> None:
        """Datagram ``number`` was reported missing; ``next_number`` is the next that will be sent."""
        self._shrink(_LOSS_FACTOR, number, next_number)

    def timed_out(self, number: int, next_number: int) -> None:
        """Datagram ``number`` was not heard of in time."""
        self._shrink(_TIMEOUT_FACTOR, number, next_number)

    def _shrink(self, factor: float, number: int, next_number: int) -> None:
        if number < self._recovery_until:
            return
        self._recovery_until = next_number
        self.window_bytes = max(self.window_bytes * factor, _SMALLEST_WINDOW_DATAGRAMS * self._datagram_bytes)
        self._threshold = self.window_bytes


class Pacer:
    """A bucket of bytes that may go now; it may be overdrawn by one datagram."""

    __slots__ = ("_burst", "_filled_at", "_rate", "_tokens")

    def __init__(self, datagram_bytes: int, now: float) -> None:
        self._burst = float(_BURST_DATAGRAMS * datagram_bytes)
        self._tokens = self._burst
        self._rate = 0.0  # bytes a second; 0 = no round trip known yet, nothing is held back
        self._filled_at = now

    def refill(self, window: CongestionWindow, round_trip_s: float | None, now: float) -> None:
        """Lets time pass."""
        if round_trip_s is not None:
            gain = _SLOW_START_GAIN if window.in_slow_start else _PACING_GAIN
            self._rate = gain * window.window_bytes / max(round_trip_s, 1e-4)
        cap = max(self._burst, self._rate * _TIMER_GRAIN_S)
        self._tokens = min(cap, self._tokens + self._rate * max(0.0, now - self._filled_at))
        self._filled_at = now

    @property
    def open(self) -> bool:
        """Whether one more datagram may go."""
        return self._tokens > 0 or not self._rate

    def spend(self, size_bytes: int) -> None:
        """One went."""
        if self._rate:
            self._tokens -= size_bytes

    def opens_at(self) -> float:
        """When the next may go."""
        return self._filled_at if self.open else self._filled_at + (1.0 - self._tokens) / self._rate
