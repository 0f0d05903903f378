"""Which events show particles, of which block, at which face, and how old."""

import numpy as np
import pytest

from client.session.event_log import EventLog
from net.bedrock import LevelEvent, LevelEventNumber
from net.space.positions import BlockPos
from render.passes.particles import LONGEST_LIFE_S, Burst
from render.scene.frame.particles import FACE_SHIFT, near, seed_of, struck
from tests.support.worlds import store as w
from tests.support.worlds.store import small_table

HERE = (5.5, -3.2, 7.0)
TABLE = small_table()


def told(number: LevelEventNumber, argument: int, now: float = 2.25) -> np.ndarray:
    """What an event of 2.0 seconds shows."""
    log = EventLog(TABLE)
    log.note_event(LevelEvent(number, HERE, argument), 0, 2.0)
    return struck(log.events(), TABLE, now)


def test_a_block_that_broke_shows_bits_of_itself_as_old_as_it_is() -> None:
    ((x, y, z, what, age_ms, seed, dense),) = told(LevelEventNumber.DESTROY_BLOCK, w.STONE).tolist()
    assert (x, y, z, what, age_ms) == (5, -4, 7, Burst.BREAK, 250)
    assert TABLE.states[dense].name == "minecraft:stone"
    assert seed == seed_of(BlockPos(5, -4, 7), 2000)


@pytest.mark.parametrize(
    ("number", "face"),
    [
        (LevelEventNumber.CRACK_WEST, 0),
        (LevelEventNumber.CRACK_EAST, 1),
        (LevelEventNumber.CRACK_NORTH, 2),
        (LevelEventNumber.CRACK_SOUTH, 3),
        (LevelEventNumber.CRACK_DOWN, 4),
        (LevelEventNumber.CRACK_UP, 5),
    ],
)
def test_a_blow_shows_dust_at_the_face_it_names(number: LevelEventNumber, face: int) -> None:
    assert told(number, w.DIRT)[0, 3] == Burst.HIT | face << FACE_SHIFT


@pytest.mark.parametrize(("named", "face"), [(1, 5), (2, 2), (3, 3), (4, 0), (5, 1)])
def test_a_face_beside_the_id_is_read(named: int, face: int) -> None:
    (row,) = told(LevelEventNumber.CRACK_BLOCK, w.DIRT | named << 24)
    assert row[3] == Burst.HIT | face << FACE_SHIFT
    assert TABLE.states[row[6]].name == "minecraft:dirt"


def test_what_is_over_not_yet_or_of_no_known_block_shows_nothing() -> None:
    assert len(told(LevelEventNumber.DESTROY_BLOCK, w.STONE, 2.0)) == 1
    assert len(told(LevelEventNumber.DESTROY_BLOCK, w.STONE, 2.0 + LONGEST_LIFE_S)) == 0
    assert len(told(LevelEventNumber.DESTROY_BLOCK, w.STONE, 1.9)) == 0
    assert len(told(LevelEventNumber.DESTROY_BLOCK, 999_999)) == 0
    assert len(told(LevelEventNumber.START_CRACKING, w.STONE)) == 0


def test_places_and_times_have_seeds_of_their_own() -> None:
    places = [BlockPos(x, y, z) for x in range(-3, 4) for y in range(-3, 4) for z in range(-3, 4)]
    seeds = {seed_of(place, time_ms) for place in places for time_ms in (0, 50, 100)}
    assert len(seeds) == 3 * len(places)
    assert all(0 <= seed < 1 << 31 for seed in seeds)


def test_as_near_ones_are_ordered_by_place() -> None:
    rows = np.array([(9, 0, 0, 0), (1, 0, 0, 0), (-1, 0, 0, 0), (0, 0, 300, 0)], np.int32)
    assert near(rows, (0.5, 0.5, 0.5)).tolist() == [2, 1, 0]
