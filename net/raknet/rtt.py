"""How long an answer takes, and so when to stop waiting for one (RFC 6298's estimator).

Every transmission has a datagram number of its own, so each acknowledgement times exactly one transmission; the
doubt that TCP has after a resend (Karn) does not exist here.
"""

from typing import Final

FIRST_TIMEOUT_S: Final = 0.5
GRACE_S: Final = 0.1  # some ends acknowledge only every 100 ms (wire.md 5.2)
LARGEST_TIMEOUT_S: Final = 3.0
_LARGEST_BACKOFF: Final = 8


class RoundTrip:
    """Smoothed round trip and its deviation, seconds.

    Attributes:
        smoothed_s: None before the first answer.
        latest_s: the last one.
        smallest_s: of this session: the way without a queue.
    """

    __slots__ = ("_backoff", "_deviation_s", "latest_s", "smallest_s", "smoothed_s")

    def __init__(self) -> None:
        self.smoothed_s: float | None = None
        self.latest_s = 0.0
        self.smallest_s = float("inf")
        self._deviation_s = 0.0
        self._backoff = 1

    def sample(self, seconds: float) -> None:
        """One answer came after so long."""
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
        """No answer came in time: waits twice as long from now on, until one comes."""
        self._backoff = min(self._backoff * 2, _LARGEST_BACKOFF)

    @property
    def timeout_s(self) -> float:
        """A datagram without acknowledgement for so long is lost."""
        base = FIRST_TIMEOUT_S if self.smoothed_s is None else self.smoothed_s + max(GRACE_S, 4 * self._deviation_s)
        return min(base * self._backoff, LARGEST_TIMEOUT_S)

    @property
    def overtaken_s(self) -> float:
        """So old when a later one is acknowledged, a datagram is lost: one merely overtaken has come by then."""
        smoothed_s = self.smoothed_s or FIRST_TIMEOUT_S
        return smoothed_s + max(smoothed_s / 2, 4 * self._deviation_s)
