"""Events and sounds that name blocks: which are kept, and which block each means."""

import numpy as np
import pytest

from client.session.event_log import EventLog
from client.world.block_table import BlockTable
from net.bedrock import LevelEvent, LevelEventNumber, LevelSoundEvent, SoundNumber
from net.space.positions import BlockPos
from tests.support.worlds import store as w
from tests.support.worlds.store import small_palette, small_table

HERE = (5.5, -3.2, 7.0)
BLOCK = BlockPos(5, -4, 7)


def test_what_happened_since_a_time_is_told_oldest_first() -> None:
    log = EventLog(small_table())
    for number in range(6):
        log.note_event(
            LevelEvent(LevelEventNumber.DESTROY_BLOCK, (float(number), 0.0, 0.0), w.STONE), number, number / 2
        )
    assert [event.packet for event in log.since(1.5)] == [3, 4, 5]
    assert log.since(0.0) == log.events()
    assert log.since(2.6) == ()


def test_an_event_keeps_the_block_that_it_means() -> None:
    log = EventLog(small_table())
    log.note_event(LevelEvent(LevelEventNumber.DESTROY_BLOCK, HERE, w.STONE), 17, 3.5)
    (event,) = log.events()
    assert (event.time_s, event.packet, event.source, event.what) == (3.5, 17, "LevelEvent", "destroy_block")
    assert (event.position, event.block) == (BLOCK, "minecraft:stone")
    assert log.at(BLOCK) == (event,)
    assert log.at(BlockPos(5, -3, 7)) == ()


@pytest.mark.parametrize("number", [n for n in LevelEventNumber if "CRACKING" not in n.name])
def test_every_event_that_names_a_block_is_looked_up(number: LevelEventNumber) -> None:
    log = EventLog(small_table())
    log.note_event(LevelEvent(number, HERE, w.GLASS), 0, 0.0)
    assert [event.block for event in log.events()] == ["minecraft:glass"]


def test_a_face_beside_the_id_of_a_cracking_block_is_left_out() -> None:
    log = EventLog(small_table())
    log.note_event(LevelEvent(LevelEventNumber.CRACK_BLOCK, HERE, w.DIRT | 3 << 24), 0, 0.0)
    log.note_event(LevelEvent(LevelEventNumber.DESTROY_BLOCK, HERE, w.DIRT | 3 << 24), 0, 0.0)
    assert [event.block for event in log.events()] == ["minecraft:dirt", None]


def test_ids_that_are_hashes_are_looked_up_signed_or_not() -> None:
    palette = small_palette().hashed()
    table = BlockTable.build(palette)
    log = EventLog(table)
    for runtime_id in palette.runtime_ids.tolist():
        signed = int(np.uint32(runtime_id & 0xFFFFFFFF).astype(np.int32))
        log.note_event(LevelEvent(LevelEventNumber.CRACK_BLOCK, HERE, signed), 0, 0.0)
    assert {event.block for event in log.events()} == {f"minecraft:{name}" for name in w.NAMES}


def test_cracks_are_kept_and_weather_is_not() -> None:
    log = EventLog(small_table())
    log.note_event(LevelEvent(LevelEventNumber.START_CRACKING, HERE, w.STONE), 0, 0.0)
    log.note_event(LevelEvent(3001, HERE, w.STONE), 0, 0.0)
    assert [(event.what, event.block, event.argument) for event in log.events()] == [("start_cracking", None, w.STONE)]


def test_sounds_of_blocks_are_kept_by_number_and_by_name() -> None:
    log = EventLog(small_table())
    log.note_sound(LevelSoundEvent(SoundNumber.PLACE, HERE, w.LEAVES), 0, 0.0)
    log.note_sound(LevelSoundEvent("break", HERE, w.WATER), 0, 0.0)
    log.note_sound(LevelSoundEvent("note", HERE, 99_999), 0, 0.0)
    log.note_sound(LevelSoundEvent(80, HERE, w.WATER), 0, 0.0)
    log.note_sound(LevelSoundEvent(SoundNumber.HIT, HERE), 0, 0.0)
    found = [(event.what, event.block) for event in log.events()]
    assert found == [("place", "minecraft:leaves"), ("break", "minecraft:water"), ("hit", None)]


def test_an_unknown_id_names_nothing_and_joins_no_table() -> None:
    table = small_table()
    log, before = EventLog(table), len(table)
    log.note_event(LevelEvent(LevelEventNumber.CROP_EATEN, HERE, 99_999), 0, 0.0)
    log.note_event(LevelEvent(LevelEventNumber.CROP_EATEN, HERE, -5), 0, 0.0)
    assert [event.block for event in log.events()] == [None, None]
    assert len(table) == before
    dense = table.dense_of_id(99_999)  # a block brought it
    log.note_event(LevelEvent(LevelEventNumber.CROP_EATEN, HERE, 99_999), 0, 0.0)
    assert log.events()[-1].block == table.states[dense].name


def test_the_same_in_a_row_is_one_entry_and_the_ring_is_bounded() -> None:
    log = EventLog(small_table(), kept=3)
    for step in range(5):
        log.note_sound(LevelSoundEvent(SoundNumber.STEP, HERE, w.STONE), step, float(step))
    (event,) = log.events()
    assert (event.times, event.time_s, event.packet) == (5, 4.0, 4)
    for x in range(4):
        log.note_sound(LevelSoundEvent(SoundNumber.STEP, (float(x), 0.0, 0.0), w.STONE), 9, 9.0)
    assert [event.position.x for event in log.events()] == [1, 2, 3]
    assert log.seen == 9
