"""How much of a recording is due, at any speed, from wherever its player was."""

import math

from client.recording.replay import Tempo


def test_time_runs_from_where_it_was_told_to() -> None:
    tempo = Tempo(50.0)
    before = tempo.paused
    tempo.play(2.0, 3.0, 100.0)
    assert (before, tempo.paused) == (True, False)
    assert tempo.due_us(100.0) == 3.0e6
    assert tempo.due_us(104.5) == 12.0e6
    tempo.play(0.5, 12.0, 104.5)
    assert tempo.due_us(106.5) == 13.0e6
    tempo.rebase(1.0, 200.0)
    assert tempo.due_us(202.0) == 2.0e6, "another place, the same speed"


def test_as_fast_as_it_goes_everything_is_due() -> None:
    tempo = Tempo(0.0)
    tempo.play(None, 3.0, 1.0)
    assert tempo.due_us(1.0) == math.inf
