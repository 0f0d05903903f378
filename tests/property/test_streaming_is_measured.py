"""The measurement of streaming measures: its figures follow what it is told to measure."""

import pytest

from client.player import Eye, View
from net.server.worlds import open_worlds
from render.bench.streaming import Leg, StreamReport, standard_path
from tests.support.session.virtual import StreamedWorld

RADIUS = 3


def spawn(round_trip_s: float = 0.1, everything: bool = False, radius: int = RADIUS) -> StreamReport:
    world = StreamedWorld(open_worlds("hills:1")[0], radius, round_trip_s=round_trip_s, everything=everything)
    return world.meter.run((Leg("spawn", world.view),), timeout_s=30.0)


def test_a_longer_way_takes_longer_by_as_much() -> None:
    near, far = spawn(0.1).legs[0], spawn(0.5).legs[0]
    assert near.settled
    assert far.settled
    assert near.terrain_px == far.terrain_px > 10_000
    assert far.right_s[50] - near.right_s[50] == pytest.approx(0.4, abs=0.05), "half of the pixels need one round trip"


def test_the_baseline_asks_for_everything_and_sees_the_same() -> None:
    sight, everything = spawn(0.05, radius=7), spawn(0.05, everything=True, radius=7)
    assert everything.legs[0].terrain_px == sight.legs[0].terrain_px
    assert everything.requested > 1.1 * sight.requested
    assert everything.legs[0].in_vain > 0 == sight.legs[0].in_vain
    assert sight.holes == everything.holes == 0


def test_the_standard_path_is_gone_without_a_hole() -> None:
    world = StreamedWorld(open_worlds("hills:1")[0], RADIUS)
    report = world.meter.run(standard_path(world.view), timeout_s=30.0)
    assert report.settled
    assert report.holes == 0
    assert [leg.name for leg in report.legs] == ["spawn", "walk", "turn", "fly", "dig down", "teleport"]
    assert world.connection.session.movement.eye == report_end(world.view)
    assert sum(leg.requested for leg in report.legs) == world.connection.statistics().session.requests.entries


def report_end(start: View) -> Eye:
    return standard_path(start)[-1].end.eye


def test_a_rest_that_does_not_come_to_its_end_is_told() -> None:
    world = StreamedWorld(open_worlds("hills:1")[0], RADIUS)
    report = world.meter.run((Leg("spawn", world.view),), timeout_s=0.05)
    assert not report.settled
