"""One world, one picture, however it came: settled pictures do not depend on the way."""

import pytest
from msgspec.structs import replace

from net.server.faults import ServerFaults
from net.server.options import ColumnMode, HostOptions, LimitForm
from net.wire.dialect import Profile
from tests.golden import shots
from tests.support.data.pictures import difference
from tests.support.worlds.scene import Darkroom, SceneWorld

pytestmark = pytest.mark.golden

SHOT = replace(shots.DAY, radius=4)
WAYS = {
    "the documented profile": replace(SHOT, profile=Profile.DOCUMENTED),
    "limitless skeletons": replace(SHOT, host=HostOptions(mode=ColumnMode.LIMITLESS)),
    "whole columns": replace(SHOT, host=HostOptions(mode=ColumnMode.FULL)),
    "the limit sent as a count": replace(SHOT, host=HostOptions(limit_form=LimitForm.COUNT)),
    "answers reversed, seven a packet": replace(
        SHOT, host=HostOptions(faults=ServerFaults(reverse=True), entries_a_packet=7)
    ),
    "a third not found at first": replace(
        SHOT, host=HostOptions(faults=ServerFaults(refuse_percent=33, refuse_times=2, delay_s=0.3))
    ),
}


@pytest.fixture(scope="module")
def plain() -> SceneWorld:
    return SceneWorld(SHOT).load()


@pytest.mark.parametrize("way", WAYS)
def test_the_same_picture_by_another_way(darkroom: Darkroom, plain: SceneWorld, way: str) -> None:
    expected = darkroom.picture(plain.session, SHOT)
    assert difference(darkroom.of(WAYS[way]), expected).pixels == 0
