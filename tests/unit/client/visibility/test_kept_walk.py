"""A walk is kept until something changes within its reach."""

import numpy as np
import pytest

from client.visibility.walk import KeptWalk, Walk
from net.space.positions import ColumnPos
from tests.support.fake_world import FakeWorld
from tests.support.row_of_air import row_of_air

EYE = (8.0, 24.0, 8.0)
NOWHERE = np.empty((0, 2), np.int32)


@pytest.fixture
def world() -> FakeWorld:
    return row_of_air()


def at(x: int) -> np.ndarray:
    return np.array([[x, 0]], np.int32)


def test_only_what_changes_within_the_reach_is_walked_for(world: FakeWorld) -> None:
    kept = KeptWalk(Walk())
    first = kept.look(world, EYE, 2, None, NOWHERE)
    assert len(first) == 9
    for elsewhere in (NOWHERE, at(3), at(-3)):
        assert kept.look(world, EYE, 2, None, elsewhere) is first
    assert kept.walks == 1
    world.show(world.place(ColumnPos(1, 0), 1), None)
    assert len(kept.look(world, EYE, 2, None, at(2))) == 8  # what lies behind it is entered from nowhere
    assert len(kept.look(world, EYE, 2, None, None)) == 8  # "anywhere"
    assert kept.walks == 3


def test_another_eye_or_radius_walks_anew(world: FakeWorld) -> None:
    kept = KeptWalk(Walk())
    assert not kept.reaches(at(0))  # nobody looked yet
    assert len(kept.look(world, EYE, 1, None, NOWHERE)) == 6
    assert len(kept.look(world, EYE, 4, None, NOWHERE)) == 15
    assert kept.reaches(at(4))
    assert not kept.reaches(at(5))
    assert len(kept.look(world, (8.0 + 6 * 16, 24.0, 8.0), 1, None, NOWHERE)) == 6
    assert kept.walks == 3


def test_a_step_within_a_sector_walks_no_more(world: FakeWorld) -> None:
    kept = KeptWalk(Walk())
    first = kept.look(world, (9.0, 24.5, 11.0), 2, None, NOWHERE)
    assert kept.look(world, (9.9, 24.6, 11.5), 2, None, NOWHERE) is first
    assert kept.walks == 1
    kept.look(world, (11.2, 24.6, 11.1), 2, None, NOWHERE)  # now farther along x than along z
    assert kept.walks == 2
