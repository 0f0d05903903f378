import numpy as np

from client.streaming.limits import RequestLimits
from client.streaming.timeouts import Patience

LIMITS = RequestLimits()
WAVES = np.arange(1, 65, dtype=np.int32)


def counts(number: int) -> np.ndarray:
    return np.full(len(WAVES), number, np.uint8)


def test_silence_is_waited_for_twice_as_long_each_time_up_to_a_bound() -> None:
    patience = Patience(LIMITS, None)
    waits_s = [float(patience.silence_s(counts(silences), WAVES, 0.5)[0]) for silences in (0, 1, 2, 3, 4, 200)]
    assert waits_s == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert patience.silence_s(counts(0), WAVES, 0.0)[0] == LIMITS.silence_least_s


def test_waits_that_are_not_the_first_are_shortened_by_wave_by_a_tenth_at_most() -> None:
    patience = Patience(LIMITS, lambda size: bytes(range(size)))
    assert (patience.silence_s(counts(0), WAVES, 0.5) == 2.0).all()
    assert (patience.pause_s(counts(1), WAVES) == LIMITS.retry_first_s).all()
    for shares in (patience.silence_s(counts(1), WAVES, 0.5) / 4.0, patience.pause_s(counts(2), WAVES) / 0.5):
        assert 1.0 - LIMITS.silence_jitter <= shares.min() < shares.max() <= 1.0
        assert len(set(shares.tolist())) == len(WAVES)
    again = Patience(LIMITS, lambda size: bytes(range(size)))
    assert (again.pause_s(counts(2), WAVES) == patience.pause_s(counts(2), WAVES)).all()
