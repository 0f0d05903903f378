"""Which moment each frame shows."""

import pytest

from client.errors import UsageError
from render.film.stages import Timetable


def test_five_seconds_at_thirty_are_150_frames() -> None:
    assert Timetable.lasting(5.0, 30).count == 150
    assert Timetable.lasting(0.001, 30).count == 1


def test_a_recording_goes_at_its_speed_and_stands_at_its_end() -> None:
    timetable = Timetable.lasting(4.0, 2, start_s=10.0, speed=2.0, end_s=15.0)
    assert [timetable.recorded_s(frame) for frame in range(timetable.count)] == [10, 11, 12, 13, 14, 15, 15, 15]


def test_a_film_of_a_million_frames_and_more_is_refused() -> None:
    with pytest.raises(UsageError, match="2400000 frames"):
        Timetable.lasting(10_000.0, 240)
