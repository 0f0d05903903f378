"""Ten minutes of flying, with time passed in: the past stays within its room, and is gone back to as cheaply as ever.

Two hours of it are ``python -m tests.support.long_past`` (figures in client/README.md).
"""

import pytest

from client.options import PastOptions
from client.recording.recorder import MARK_S
from tests.support.long_past import fly, flying, jump, past_of, stands

KEPT_S = 100.0
FLOWN_S = 600.0
FRAME_S = 0.2


def test_what_is_kept_of_a_long_flight_does_not_grow_with_it() -> None:
    connection = flying("flat:1", 2, PastOptions(KEPT_S, 8 << 20), FRAME_S)
    past = past_of(connection)
    taken = {}
    for flown in fly(connection, FLOWN_S):
        at = stands(past)
        taken[flown] = at["mb"]
        assert past.ring.size_bytes <= past.ring.most_bytes
        assert min(flown, KEPT_S) <= at["whole_s"] <= 2 * KEPT_S
    half = [mb for flown, mb in taken.items() if KEPT_S * 2 < flown <= FLOWN_S / 2]
    assert max(taken.values()) < 1.5 * max(half)

    now_s = past.live.now - past.live.started_at
    starts_s = [start.time_us / 1e6 for start in past.ring.tape_with_starts()[1]]
    for back_s in (1.0, 10.0, 60.0, KEPT_S):
        assert jump(connection, back_s)["ago_s"] == pytest.approx(back_s, abs=2 * FRAME_S)
        lived_through_s = min(now_s - back_s - at_s for at_s in starts_s if at_s <= now_s - back_s)
        assert lived_through_s <= max(3 * MARK_S, back_s), "the younger, the nearer to a keyframe"
    first_s = past.ring.whole_from_us / 1e6
    assert jump(connection, 10 * FLOWN_S)["ago_s"] == pytest.approx(now_s - first_s, abs=2 * FRAME_S)
    connection.close()
