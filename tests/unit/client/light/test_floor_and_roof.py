"""The dimension's lowest and highest cells, with and without a sky."""

import numpy as np
import pytest

from net.space.dimensions import Dimension
from tests.support.light_scene import LightScene

SKY = Dimension(0, "small", -1, 3, True)
CAVE = Dimension(1, "small cave", -1, 3, False)
AIR, TORCH, LEAVES, WATER, STONE, LAMP = 0, 1, 5, 12, 17, 23
ROOF, FLOOR = 47, 0


def test_over_the_roof_it_is_day_and_below_the_floor_dark() -> None:
    scene = LightScene(SKY)
    assert scene.level(20, ROOF, 20) == (0, 0, 0, 15)
    assert scene.level(20, FLOOR, 20) == (0, 0, 0, 15)
    scene = LightScene(CAVE)
    assert scene.counts(3)[0] == 48 * 48 * 48


@pytest.mark.parametrize(
    ("block", "own", "below"),
    [(TORCH, 15, 15), (LEAVES, 14, 13), (WATER, 14, 13), (STONE, 0, 14), (LAMP, 0, 14)],
)
def test_a_block_in_the_highest_cell(block: int, own: int, below: int) -> None:
    """Clear ones pass daylight whole, others dim it on the way in; light from the side reaches below the rest."""
    scene = LightScene(SKY)
    ceiling = {(x, ROOF, z): block for x in range(48) for z in range(48)} if block in (LEAVES, WATER) else {}
    scene.edit({(20, ROOF, 20): block} | ceiling)
    assert scene.level(20, ROOF, 20)[3] == own
    assert scene.level(20, ROOF - 1, 20)[3] == below
    scene.check()
    scene.edit(dict.fromkeys(ceiling, AIR) | {(20, ROOF, 20): AIR})
    assert scene.counts(3)[15] == 48 * 48 * 48


def test_a_closed_roof_and_one_hole_in_it() -> None:
    scene = LightScene(SKY)
    scene.edit({(x, ROOF, z): STONE for x in range(48) for z in range(48)})
    assert scene.counts(3)[0] == 48 * 48 * 48
    scene.edit({(20, ROOF, 20): AIR})
    assert [scene.level(20, y, 20)[3] for y in (ROOF, 32, 31, FLOOR)] == [15] * 4
    assert scene.level(21, FLOOR, 20)[3] == 14
    assert scene.level(24, FLOOR, 22)[3] == 9
    assert scene.level(21, ROOF, 20)[3] == 0
    scene.check()


@pytest.mark.parametrize("dimension", [SKY, CAVE])
@pytest.mark.parametrize("y", [ROOF, FLOOR])
def test_lamps_in_the_outermost_cells(dimension: Dimension, y: int) -> None:
    scene = LightScene(dimension)
    corners = [(x, y, z) for x in (0, 47) for z in (0, 47)]
    scene.edit(dict.fromkeys(corners, LAMP) | {(24, y, 24): LAMP})
    inward = 1 if y == FLOOR else -1
    assert scene.level(24, y, 24)[0] == 15
    assert scene.level(24, y + inward, 24)[0] == 14
    assert scene.level(1, y, 0)[0] == 14
    scene.check()
    scene.edit(dict.fromkeys(corners, AIR) | {(24, y, 24): AIR})
    assert sum(scene.counts(0)[1:]) == 0
    scene.check()


def test_blocks_that_pass_daylight_whole_may_stand_from_roof_to_floor() -> None:
    scene = LightScene(SKY)
    scene.edit({(20, y, 20): 2 for y in range(48)})
    assert {scene.level(20, y, 20)[3] for y in range(48)} == {15}
    assert np.unique(scene.light.table[scene.light.table >= 2]).size == 0, "it is the shared slot of full daylight"
