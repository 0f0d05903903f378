"""What rays say of a spoilt truth: which of it is in view."""

from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from client.player import Eye, View
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from tests.mutation.defects import Sight
from tests.mutation.prediction import Oracle, judge_sight
from tests.oracle.cast import NO_SURFACES
from tests.support.worlds.blocks import FakeTable, FakeWorld

SMALL = Dimension(0, "small", 0, 1, True)
STONE, LAMP = 17, 23
SIZE_PX = (12, 8)
NOTHING_RELIT = np.zeros((0, 3), np.int64)
LIGHT = SimpleNamespace(values=np.zeros((1, 4096), np.uint16), slots_of=lambda places: np.zeros(len(places), np.int32))


def stone(dense: int, open_layers: int = 4) -> npt.NDArray[np.uint16]:
    """Blocks of a sub-chunk, but for so many layers of air along x."""
    return np.where(np.arange(4096) >> 8 < open_layers, 0, dense).astype(np.uint16)


@pytest.fixture
def world() -> FakeWorld:
    """Three columns in a row: the eye's and the next are air, the third one is stone but for its first four layers."""
    world = FakeWorld(SMALL, FakeTable.plain())
    for x in range(3):
        world.add_column(ColumnPos(x, 0))
        world.show(world.place(ColumnPos(x, 0), 0), stone(STONE) if x == 2 else np.zeros(4096, np.uint16))
    world.since = np.zeros(len(world.slot))
    return world


def eastward(world: FakeWorld) -> Oracle:
    view = View(Eye(8.5, 8.5, 8.5), yaw_deg=-90.0, pitch_deg=0.0, fov_deg=20.0)
    return Oracle(world, LIGHT, NO_SURFACES, view, SIZE_PX, np.ones(len(world.slot), np.bool_))


def sight_of_dropping(world: FakeWorld, x: int) -> tuple[Sight, int]:
    oracle = eastward(world)
    before = oracle.see()
    world.show(world.place(ColumnPos(x, 0), 0), None)
    return judge_sight(before, oracle.see(), NOTHING_RELIT)


def test_a_place_whose_surface_is_seen_is_visible_when_it_is_dropped(world: FakeWorld) -> None:
    assert sight_of_dropping(world, 2) == (Sight.VISIBLE, SIZE_PX[0] * SIZE_PX[1])


def test_a_place_through_whose_air_rays_go_need_not_be_missed_when_it_is_dropped(world: FakeWorld) -> None:
    """A placeholder has no looks: what stands behind it is drawn where it is reached some other way."""
    assert sight_of_dropping(world, 1) == (Sight.SLIGHT, 0)


def test_a_side_that_looks_at_a_placeholder_is_not_drawn_so_it_is_missed(world: FakeWorld) -> None:
    world.show(world.place(ColumnPos(2, 0), 0), stone(STONE, 0))
    assert sight_of_dropping(world, 1) == (Sight.VISIBLE, SIZE_PX[0] * SIZE_PX[1])


def test_what_lies_behind_a_placeholder_is_no_demand_on_either_picture(world: FakeWorld) -> None:
    world.show(world.place(ColumnPos(1, 0), 0), None)
    oracle = eastward(world)
    before = oracle.see()
    assert not before.sure.any()
    assert before.hits.on_terrain.all()
    world.show(world.place(ColumnPos(2, 0), 0), stone(LAMP))
    assert judge_sight(before, oracle.see(), NOTHING_RELIT) == (Sight.SLIGHT, 0)


def test_rays_through_a_box_cast_again_see_what_all_rays_would(world: FakeWorld) -> None:
    oracle = eastward(world)
    before = oracle.see()
    place = world.place(ColumnPos(1, 0), 0)
    world.set_cell(place, 8 << 8 | 8 << 4 | 8, LAMP)
    again = oracle.see_again(before, ((23, 7, 7), (26, 10, 10)))
    assert judge_sight(before, again, NOTHING_RELIT) == judge_sight(before, oracle.see(), NOTHING_RELIT)
    assert again.same_surfaces(oracle.see())
    assert not again.same_surfaces(before)


@pytest.mark.parametrize(("pixels", "sight"), [(3, Sight.SLIGHT), (4, Sight.VISIBLE)])
def test_four_pixels_are_visible_and_three_are_slight(world: FakeWorld, pixels: int, sight: Sight) -> None:
    before = eastward(world).see()
    light = before.light.copy()
    light[:pixels] ^= 1
    assert judge_sight(before, replace(before, light=light), NOTHING_RELIT) == (sight, pixels)
