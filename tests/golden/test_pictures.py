"""Pictures that a person has looked at; each docstring lists what must be seen in it."""

import pytest

from tests.golden import shots
from tests.support.golden_pictures import Goldens
from tests.support.scene_world import Darkroom, SceneWorld

pytestmark = pytest.mark.golden


def test_hills_by_day(goldens: Goldens, darkroom: Darkroom) -> None:
    """The spawn of the hills at noon.

    A gravelly path runs down a meadow to a dark blue lake and its pier; lamp posts stand left and right of it, a warm
    and a cold white one in front. Brick houses with dark stepped roofs stand on both sides, grass and flowers in front
    of them. Behind the lake: sand, trees, and two steep mountains that fade into the sky. White flat clouds.
    No hole in the ground, no seam between sub-chunks, nothing black.
    """
    goldens.check("hills_by_day", lambda: darkroom.of(shots.DAY))


def test_lamp_cave_at_night(goldens: Goldens, darkroom: Darkroom) -> None:
    """The lamp-lit hall under the knoll, at midnight.

    Pillars of stone bricks carry lamps: a green one left in front, a cold white one right in front, behind them orange,
    yellow and violet ones. Each colours the walls and the floor around it: green, blue-grey, orange-red, violet, and
    the colours run into each other without steps. In the middle lies a pool of lava, to its right one of clear water
    with a lamp under it. Glowstone hangs from the ceiling. Corners are darker than open wall.
    """
    goldens.check("lamp_cave_at_night", lambda: darkroom.of(shots.CAVE))


def test_states_half_way_through_loading(goldens: Goldens, darkroom: Darkroom) -> None:
    """From above, after the 200th answered entry, with the ``states`` overlay.

    In the middle the meadow with path and houses, in thin green boxes: data. In the near left and both far corners the
    world is missing, since the ground in the middle of the view is asked for first; there stand boxes with heavy orange
    outlines and a diagonal hatch (requested) and thin yellow ones with a grid (wanted). Two boxes left and right of the
    lake's near shore are crossed out in red-orange (refused), and what would be in them is missing. Above all that only
    corners of pale boxes: known air.
    """
    goldens.check("states_half_way", lambda: darkroom.picture(half_way().session, shots.LOADING))


def half_way() -> SceneWorld:
    """The world of the picture above."""
    world = SceneWorld(shots.LOADING, shots.LOADING_REFUSED, shots.LOADING_ANSWERS).load()
    states = world.session.states()
    assert world.answers == shots.LOADING_ANSWERS
    assert states["data"] + states["refused"] == shots.LOADING_ANSWERS
    assert {"known_air", "wanted", "requested", "unknown"} <= states.keys()
    return world


def test_lamp_posts_at_night(goldens: Goldens, darkroom: Darkroom) -> None:
    """The path at midnight.

    Stars over a dark meadow. Lamp posts in pairs: ochre and violet in front, orange and green behind, the pier's
    lanterns at the end. The ground is teal on the right and olive on the left, from lamps beside the camera. Lanterns
    glow at the right house.
    """
    goldens.check("lamp_posts_at_night", lambda: darkroom.of(shots.LAMPS))


def test_stained_glass_house(goldens: Goldens, darkroom: Darkroom) -> None:
    """Inside the house of bricks at noon.

    Yellow panes beside the door and in the right wall; grass, a lantern and the sky are seen through them, tinted and
    still clear. A red carpet of wool on oak planks. A bookshelf close at the left. The roof's underside is dark wood.
    """
    goldens.check("stained_glass_house", lambda: darkroom.of(shots.GLASS))


def test_water_from_above(goldens: Goldens, darkroom: Darkroom) -> None:
    """The lake from above the pier at noon.

    Water is lighter over shallow steps of the shore and dark blue over the deep; kelp stands in the middle, lily pads
    float at the left. The pier of planks comes from below with a row of lanterns. Sand, then grass, rock and trees
    around; no line where sub-chunks meet in the water.
    """
    goldens.check("water_from_above", lambda: darkroom.of(shots.WATER))


def test_houses_at_dusk(goldens: Goldens, darkroom: Darkroom) -> None:
    """Two houses on a slope, just after sunset.

    A red glow along the horizon, the first stars, clouds that are still lit. Lanterns of two colours stand before the
    doors and light the grass and the bricks around them. A yellow pane, and clear ones with white frames. Flowers,
    grass, and the lake far down at the left.
    """
    goldens.check("houses_at_dusk", lambda: darkroom.of(shots.DUSK_HOUSES))


def test_lamp_cave_in_flat_light(goldens: Goldens, darkroom: Darkroom) -> None:
    """The lamp-lit hall with one light value a block.

    As the picture of the cave, but light falls in square steps over floor and walls, and no corner is darkened.
    """
    goldens.check("lamp_cave_in_flat_light", lambda: darkroom.of(shots.FLAT_CAVE))
