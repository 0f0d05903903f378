"""A path cut into rectangles of columns that are loaded whole.

Timetable: Which moment each frame shows.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.errors import UsageError
from client.player import Eye, View
from client.streaming.anchors import Anchor
from render.film.stages import Timetable, radius_to_ask, spare_of, stretches_of

# ---------------------------------------------------------------- stretches

places = st.floats(-3000, 3000, allow_nan=False)


@given(st.lists(st.tuples(places, places), min_size=1, max_size=40), st.integers(0, 5), st.integers(1, 9))
def test_each_frame_is_in_one_stretch_whose_world_reaches_past_its_fog(
    eyes: list[tuple[float, float]], spare: int, radius: int
) -> None:
    views = [View(Eye(x, 64.0, z)) for x, z in eyes]
    stretches = stretches_of(views, spare)
    frames = [frame for s in stretches for frame in range(s.first, s.first + s.count)]
    assert frames == list(range(len(views)))
    for stretch in stretches:
        activity = Anchor.square(stretch.middle.column, radius_to_ask(radius, spare) + 1)
        assert not stretch.known(radius).without(activity)  # what the server announces around its middle
        for frame in range(stretch.first, stretch.first + stretch.count):
            around = Anchor.square(views[frame].eye.column, radius + 2)
            assert not around.without(stretch.drawn(radius))


def test_a_path_inside_nine_columns_is_one_stretch() -> None:
    assert len(stretches_of([View(Eye(16.0 * n, 64.0, 0.0)) for n in range(9)])) == 1
    assert [s.count for s in stretches_of([View(Eye(16.0 * n, 64.0, 0.0)) for n in range(10)])] == [9, 1]


def test_where_a_server_grants_less_stretches_are_shorter() -> None:
    assert [spare_of(granted, 8) for granted in (64, radius_to_ask(8), 12, 10, 4)] == [4, 4, 2, 0, 0]


# ---------------------------------------------------------------- timetable


def test_five_seconds_at_thirty_are_150_frames() -> None:
    assert Timetable.lasting(5.0, 30).count == 150
    assert Timetable.lasting(0.001, 30).count == 1


def test_a_recording_goes_at_its_speed_and_stands_at_its_end() -> None:
    timetable = Timetable.lasting(4.0, 2, start_s=10.0, speed=2.0, end_s=15.0)
    assert [timetable.recorded_s(frame) for frame in range(timetable.count)] == [10, 11, 12, 13, 14, 15, 15, 15]


def test_a_film_of_a_million_frames_and_more_is_refused() -> None:
    with pytest.raises(UsageError, match="2400000 frames"):
        Timetable.lasting(10_000.0, 240)
