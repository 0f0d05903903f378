"""Which events show particles, of which block, at which face, and how old.

Overlay facts: What overlays are told of a store: ids that no palette knows, counted sub-chunk by sub-chunk.

Surroundings: Rain and snow fall on surfaces that are known, and on nothing below.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from client.session.event_log import EventLog
from client.world.height_maps import UNKNOWN_TOP
from net.arrays import Places
from net.bedrock import LevelEvent, LevelEventNumber
from net.space import BlockPos, ColumnPos
from render.overlays.facts import FrameFacts
from render.passes.frame_settings import FrameSettings
from render.passes.particles import LONGEST_LIFE_S, Burst
from render.passes.precipitation import REACH_BLOCKS
from render.scene.frame.overlays import SceneFacts
from render.scene.frame.particles import FACE_SHIFT, near, seed_of, struck
from render.scene.frame.surroundings import NOTHING, RAIN, SNOW, falls, sheets_around
from tests.support.worlds import painted as paint
from tests.support.worlds import store as w
from tests.support.worlds.painted import PaintedStore
from tests.support.worlds.store import small_table

# ---------------------------------------------------------------- particles

HERE = (5.5, -3.2, 7.0)
TABLE = small_table()


def told(number: LevelEventNumber, argument: int, now: float = 2.25) -> np.ndarray:
    """What an event of 2.0 seconds shows."""
    log = EventLog(TABLE)
    log.record(LevelEvent(number, HERE, argument), 0, 2.0)
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


# ---------------------------------------------------------------- overlay facts

KNOWN_STATES, BLOCKS = 10, 4096


def facts_of(slot: npt.NDArray[np.int32], blocks: npt.NDArray[np.uint16], appended: int) -> SceneFacts:
    """Facts of all places of a store whose last ``appended`` states are of ids that no palette knows."""
    table = SimpleNamespace(appended=appended, states=[""] * (KNOWN_STATES + appended))
    world = SimpleNamespace(table=table, slot=slot, pools=SimpleNamespace(blocks=blocks))
    attached: Any = SimpleNamespace(world=world)
    frame: Any = SimpleNamespace()

    class AllPlaces(SceneFacts):
        @property
        def places(self) -> Places:
            return np.arange(len(slot), dtype=np.int32)

    checked: FrameFacts = frame
    return AllPlaces(attached, FrameSettings(), (0.0, 0.0, 0.0), checked)


def test_different_unknown_ids_are_counted_once_each_and_shared_slots_for_every_place() -> None:
    blocks = np.zeros((4, BLOCKS), np.uint16)
    blocks[1, :7] = KNOWN_STATES - 1
    blocks[2, :9] = KNOWN_STATES
    blocks[2, 100], blocks[2, 4095] = KNOWN_STATES + 2, KNOWN_STATES + 1
    blocks[3, 5] = KNOWN_STATES + 2
    slot = np.array([0, 2, 1, 2, 3, 0], np.int32)
    plain = [len({block for block in blocks[at].tolist() if block >= KNOWN_STATES}) for at in slot.tolist()]
    facts = facts_of(slot, blocks, 3)
    assert facts.unknown_ids.tolist() == plain == [0, 3, 0, 3, 1, 0]
    assert facts.unknown.tolist() == [number > 0 for number in plain]


def test_where_every_id_is_known_nothing_is_looked_through() -> None:
    nothing: Any = None
    assert facts_of(np.zeros(3, np.int32), nothing, 0).unknown_ids.tolist() == [0, 0, 0]


# ---------------------------------------------------------------- surroundings

EYE = (24.5, 40.0, 24.5)


class Rained(PaintedStore):
    """The painted store with a biome of choice, and one column that nobody told of."""

    biome = 1
    unknown: ColumnPos | None = None

    def surface_biomes(self, column: ColumnPos) -> np.ndarray:
        return np.full(256, self.biome, np.uint16)

    def height_map(self, column: ColumnPos) -> np.ndarray:
        tops = super().height_map(column)
        return np.full_like(tops, UNKNOWN_TOP) if column == self.unknown else tops


def store() -> Rained:
    made = Rained()
    made.load(paint.hills(4))
    return made


def test_each_sheet_ends_at_its_column_and_far_ones_come_first() -> None:
    world = store()
    sheets = sheets_around(world, EYE)
    for x, z, top, kind in sheets.tolist():
        column = BlockPos(x, 0, z).column
        assert world.height_map(column)[(z & 15) << 4 | x & 15] == top
        assert kind == RAIN
    offset = sheets[:, :2] - np.array([24, 24])
    away = (offset * offset).sum(axis=1)
    assert (np.diff(away) <= 0).all()
    assert away.max() <= REACH_BLOCKS**2
    assert len(np.unique(sheets[:, :2], axis=0)) == len(sheets) > 500


def test_a_roof_raises_what_the_rain_falls_on() -> None:
    world = store()
    world.edit(BlockPos(24, 60, 24), paint.STONE)
    sheets = sheets_around(world, EYE)
    assert not [top for x, z, top, _ in sheets.tolist() if (x, z) == (24, 24)], "it is higher than what is in reach"
    low = sheets_around(world, (24.5, 55.0, 24.5))
    assert [top for x, z, top, _ in low.tolist() if (x, z) == (24, 24)] == [61]


def test_biomes_say_what_falls_and_nobody_told_of_is_dry() -> None:
    world = store()
    world.biome = 12
    assert set(sheets_around(world, EYE)[:, 3].tolist()) == {SNOW}
    world.biome = 2
    assert not len(sheets_around(world, EYE))
    world.biome, world.unknown = 60000, ColumnPos(1, 1)
    sheets = sheets_around(world, EYE)
    assert set(sheets[:, 3].tolist()) == {RAIN}
    assert not ((sheets[:, 0] >> 4 == 1) & (sheets[:, 1] >> 4 == 1)).any()
    assert not len(sheets_around(world, (900.0, 40.0, 900.0)))
    assert falls()[2] == NOTHING
