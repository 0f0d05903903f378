"""One world, one picture, however it came: settled pictures do not depend on the way.

Mutations: A picture is another one when one sub-chunk is missing, and when one kind of lamp shines one level less.

A test of the tests: on the renderer that compares exactly, what differs by a pixel fails; a renderer that did not show
these would let a real fault pass.
"""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import ColumnMode, HostOptions, LimitForm
from net.space import SubChunkPos
from net.wire.fields import Profile
from render.gpu.targets import Pixels
from tests.golden import shots
from tests.support.data.pictures import difference
from tests.support.worlds.scene import Darkroom, SceneWorld, Shot, one_level_lower

# ---------------------------------------------------------------- same picture

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
        SHOT, host=HostOptions(faults=ServerFaults(refusals=(RefusalFault(2, 0.33, 2),), delay_s=0.3))
    ),
}


@pytest.fixture(scope="module")
def plain() -> SceneWorld:
    return SceneWorld(SHOT).load()


@pytest.mark.parametrize("way", WAYS)
def test_the_same_picture_by_another_way(darkroom: Darkroom, plain: SceneWorld, way: str) -> None:
    expected = darkroom.picture(plain.session, SHOT)
    assert difference(darkroom.of(WAYS[way]), expected).pixels == 0


# ---------------------------------------------------------------- mutations

LEAST_PIXELS = 20
"""What must differ at least: more than a speck, far less than any of these faults shows."""

LOADED = {
    "hills_by_day": (shots.DAY, (), None),
    "lamp_cave_at_night": (shots.CAVE, (), None),
    "states_half_way": (shots.LOADING, shots.LOADING_REFUSED, shots.LOADING_ANSWERS),
    "lamp_posts_at_night": (shots.LAMPS, (), None),
    "stained_glass_house": (shots.GLASS, (), None),
    "water_from_above": (shots.WATER, (), None),
    "houses_at_dusk": (shots.DUSK_HOUSES, (), None),
    "lamp_cave_in_flat_light": (shots.FLAT_CAVE, (), None),
}

MISSING = {
    "hills_by_day": [(0, 4, 1), (-2, 4, 0), (2, 4, 5)],
    "lamp_cave_at_night": [(-4, 2, -1), (-3, 2, -1), (-3, 3, -1)],
    "states_half_way": [(0, 4, 1), (-1, 4, 0)],
    "lamp_posts_at_night": [(0, 4, 1), (-1, 4, 2)],
    "stained_glass_house": [(-2, 4, 0)],
    "water_from_above": [(0, 3, 4), (-1, 3, 3)],
    "houses_at_dusk": [(-2, 4, 1), (-2, 4, 0)],
    "lamp_cave_in_flat_light": [(-4, 2, -1)],
}

LOWER = {
    "hills_by_day": ["glowstone", "seaLantern"],
    "lamp_cave_at_night": ["seaLantern", "shroomlight", "verdant_froglight", "lava", "glowstone", "lit_redstone_lamp"],
    "states_half_way": ["seaLantern"],
    "lamp_posts_at_night": ["glowstone", "seaLantern", "lantern"],
    "stained_glass_house": ["glowstone"],
    "water_from_above": ["lantern"],
    "houses_at_dusk": ["lantern", "soul_lantern"],
    "lamp_cave_in_flat_light": ["seaLantern"],
}


def load(name: str, missing: tuple[SubChunkPos, ...] = ()) -> tuple[SceneWorld, Shot]:
    """A shot's world; these sub-chunks are refused, too."""
    shot, refused, most = LOADED[name]
    return SceneWorld(shot, (*refused, *missing), most).load(), shot


@pytest.fixture(scope="module")
def sound(open_darkroom: Darkroom) -> Iterator[dict[str, tuple[SceneWorld, Shot, Pixels]]]:
    """Each world without a fault, and its picture; all of them made once."""
    made = {}
    for name in LOADED:
        world, shot = load(name)
        made[name] = (world, shot, open_darkroom.picture(world.session, shot))
    yield made
    made.clear()


Sound = dict[str, tuple[SceneWorld, Shot, Pixels]]


@pytest.mark.parametrize(("name", "place"), [(name, place) for name, places in MISSING.items() for place in places])
def test_a_missing_subchunk_is_seen(darkroom: Darkroom, sound: Sound, name: str, place: tuple[int, int, int]) -> None:
    world, shot = load(name, (SubChunkPos(*place),))
    assert world.refused == len(LOADED[name][1]) + 1, "the server was never asked for it"
    found = difference(darkroom.picture(world.session, shot), sound[name][2])
    assert found.pixels >= LEAST_PIXELS, str(found)


@pytest.mark.parametrize(("name", "lamp"), [(name, lamp) for name, lamps in LOWER.items() for lamp in lamps])
def test_a_lamp_one_level_lower_is_seen(darkroom: Darkroom, sound: Sound, name: str, lamp: str) -> None:
    world, shot, picture = sound[name]
    with one_level_lower(world.session, f"minecraft:{lamp}"):
        found = difference(darkroom.picture(world.session, shot), picture)
    assert found.pixels >= LEAST_PIXELS, str(found)
