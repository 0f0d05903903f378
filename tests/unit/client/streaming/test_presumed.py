import numpy as np

from client.streaming.presumed import presumed_open
from client.world.lifecycle import Knowledge
from client.world.places import NO_LIMIT
from net.space.positions import ColumnPos
from tests.support.planned_world import World


def test_places_over_the_highest_known_surface_are_presumed_open() -> None:
    world = World()
    world.state[world.place(0, 2)] = Knowledge.DATA
    world.state[world.place(3, 4)] = Knowledge.DATA
    presumed = presumed_open(world, ColumnPos(0, 0))
    assert presumed is not None
    open_sections = presumed.reshape(-1, 8)
    assert open_sections[0].sum() == 0  # what lies outside stays as it is
    assert (open_sections[1:] == [0, 0, 0, 0, 0, 1, 1, 1]).all()


def test_nothing_known_is_nothing_presumed() -> None:
    assert presumed_open(World(), ColumnPos(0, 0)) is None


def test_columns_with_a_limit_know_their_air_already() -> None:
    world = World(limit=np.array([NO_LIMIT, *[5] * 9], np.int32))
    world.state[world.place(0, 2)] = Knowledge.DATA
    assert presumed_open(world, ColumnPos(0, 0)) is None


def test_what_is_far_away_says_nothing_about_here() -> None:
    world = World()
    world.state[world.place(4, 7)] = Knowledge.DATA
    world.state[world.place(-4, 1)] = Knowledge.DATA
    presumed = presumed_open(world, ColumnPos(-10, 0))
    assert presumed is not None
    assert presumed[world.place(-4, 2)] == 1
