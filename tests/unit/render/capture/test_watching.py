"""Drawing all along: when frames are due, and that a recording ends where it stood."""

import math
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest

from client.connection.opening import open_connection
from client.options import Moment, Options
from client.session.session import Session
from client.source import WorldFile
from render.capture.picture import EVERY_S, Watch, watch_again

RECORDING = Path(__file__).parents[3] / "golden" / "scenes" / "broken_blocks.cscope"


@dataclass
class GivenAnchors:
    """What a session holds, as far as a watch asks."""

    pins: dict[str, int] = field(default_factory=dict)


@dataclass
class GivenSession:
    """A session, as far as a watch asks."""

    started_at: float = 100.0
    anchors: GivenAnchors = field(default_factory=GivenAnchors)


@dataclass
class GivenConnection:
    """A connection whose time is set by hand."""

    now: float = 100.0
    session: GivenSession = field(default_factory=GivenSession)


def test_a_frame_is_drawn_when_its_time_has_come_and_once_and_never_before_anything_is_held() -> None:
    connection = GivenConnection()
    drawn: list[float] = []
    watch = Watch(cast(Any, connection), lambda _session, seconds: drawn.append(round(seconds, 3)))
    watch.turn()
    assert not drawn
    connection.session.anchors.pins["player"] = 1
    for at_s in (0.04, 0.06, 0.07, 0.099, 0.11, 0.4):
        connection.now = 100.0 + at_s
        watch.turn()
    assert drawn == [0.06, 0.11, 0.4]
    watch.now()
    assert drawn[-1:] == [0.4]
    assert len(drawn) == 4


@pytest.mark.parametrize("still", [Moment(time_s=2.0), Moment(packet=60), None])
def test_a_recording_is_drawn_from_its_beginning_and_ends_where_it_stood(still: Moment | None) -> None:
    drawn: list[tuple[float, Session]] = []
    with open_connection(WorldFile(RECORDING), Options(light=False, still=still)) as connection:
        if still is None:
            connection.wait_settled()
        replay = connection.replay
        assert replay is not None
        there, states = replay.position, connection.states()
        watch_again(connection, replay, lambda session, seconds: drawn.append((seconds, session)))
        assert (replay.position, connection.states()) == (there, states)
        times = [seconds for seconds, _ in drawn]
        assert times == sorted(times)
        assert times[0] < 1.0
        assert times[-1] == there.time_s
        assert max(after - before for before, after in pairwise(times)) < 4 * EVERY_S
        assert drawn[-1][1] is connection.session


@pytest.mark.parametrize("still", [Moment(time_s=2.0), None])
def test_where_there_is_no_more_time_the_rest_of_the_way_is_gone_undrawn(still: Moment | None) -> None:
    drawn: list[float] = []
    with open_connection(WorldFile(RECORDING), Options(light=False, still=still)) as connection:
        if still is None:
            connection.wait_settled()
        replay = connection.replay
        assert replay is not None
        there, states = replay.position, connection.states()
        for most in (0, 10, 10**4):
            drawn.clear()
            in_time = partial(next, iter([True] * most), False)
            left_out = watch_again(connection, replay, lambda _session, at_s: drawn.append(at_s), in_time)
            assert (replay.position, connection.states()) == (there, states)
            frames = math.ceil(there.time_s / EVERY_S)
            assert left_out == max(0, frames - most)
            assert len(drawn) <= most, "frames before the first tick draw nothing"
        assert drawn[-1] == there.time_s
