"""How long an answer is waited for, and how long a place rests before it is asked again.

Rules (interfaces.md, "What an answer does"):
1. Silence: a time-out after max(1 s, 4 round trips), doubling for each silence of that place, at most 30 s.
2. Result 0 or 2: again after 0.25 s, doubling to 8 s.
3. Time-outs and pauses that are not a place's first are shortened by up to a tenth, all places of one wave alike, so
   that they are still asked together. The share comes from the entropy given, by wave: the same inputs, in whatever
   order places are named, give the same times.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from client.streaming.limits import RequestLimits

Counts = npt.NDArray[np.uint8]
Waves = npt.NDArray[np.int32]
Seconds = npt.NDArray[np.float64]


class Patience:
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
