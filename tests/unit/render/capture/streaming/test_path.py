"""The standard path, and how a leg is gone."""

import pytest

from client.player import Eye, View
from render.bench import Leg, standard_path

START = View(Eye(0.0, 80.0, 0.0), yaw_deg=0.0)


def test_a_leg_is_gone_at_constant_speed() -> None:
    leg = Leg("walk", View(Eye(10.0, 80.0, 0.0), yaw_deg=90.0), seconds=2.0)
    assert leg.view(START, 0.0).eye == START.eye
    half = leg.view(START, 1.0)
    assert (half.eye, half.yaw_deg) == (Eye(5.0, 80.0, 0.0), 45.0)
    assert leg.view(START, 2.0) == leg.end == leg.view(START, 99.0)


def test_a_leg_without_time_is_there_at_once() -> None:
    leg = Leg("teleport", View(Eye(10.0, 80.0, 0.0)))
    assert leg.view(START, 0.0) == leg.end


def test_the_path_goes_each_way_a_player_goes() -> None:
    path = standard_path(START)
    assert [leg.name for leg in path] == ["spawn", "walk", "turn", "fly", "dig down", "teleport"]
    ends = {leg.name: leg.end.eye for leg in path}
    assert ends["walk"].distance_blocks(ends["spawn"]) == pytest.approx(32.0)
    assert path[1].seconds == pytest.approx(32.0 / 5.0)
    assert ends["turn"] == ends["walk"]
    assert path[2].end.yaw_deg - path[1].end.yaw_deg == 90
    assert ends["dig down"].y == START.eye.y - 40
    assert ends["teleport"].distance_blocks(START.eye) == pytest.approx(512.0)
    assert not path[1].rests, "the turn comes while the walk's world still streams"
