"""What happened to a sub-chunk can be read afterwards: when, in which packet, and why.

Changes: The change log: each reader sees everything once, or is told to look at all.

Lifecycle: States of a sub-chunk, what can happen to them, and the page that says so.
"""

from pathlib import Path

import numpy as np
import pytest

from client.world import history
from client.world.changes import ChangeBatch, ChangeLog
from client.world.history import KEPT, NO_CODE, NO_PACKET, SubChunkEvent
from client.world.lifecycle import (
    AFTER,
    AWAITED_STATES,
    ILLEGAL,
    LIFE,
    NEEDS_REQUEST,
    PLACEHOLDER_STATES,
    StateEvent,
    SubChunkState,
    diagram,
    shown_in,
    table_of,
)
from net.arrays import Places
from net.space import NETHER, BlockPos, ColumnPos, SubChunkPos
from tests.support.worlds import store as w
from tests.support.worlds.store import StoreWorld, mixed

# ---------------------------------------------------------------- history

DATA, ALL_AIR, CHUNK_MISSING, OUT_OF_BOUNDS = 1, 6, 2, 5
HERE = (0, 0, 0)


def place(world: StoreWorld, position: tuple[int, int, int] = HERE) -> int:
    return world.store.place_of(SubChunkPos(*position))


def places(world: StoreWorld) -> Places:
    return np.array([place(world)], np.int32)


def causes(world: StoreWorld, position: tuple[int, int, int] = HERE) -> list[StateEvent]:
    return [event.cause for event in world.store.history.of(place(world, position))]


def test_a_life_is_told_from_the_announcement_to_the_blocks() -> None:
    world = StoreWorld()
    world.store.begin_packet(3, 1.0)
    world.announce()
    world.store.finish_drain()
    world.store.mark(places(world), SubChunkState.WANTED, 2.0)
    world.store.mark(places(world), SubChunkState.REQUESTED, 3.0)
    world.store.begin_packet(9, 4.0)
    world.now = 3.0
    world.answer((HERE, DATA, world.payload(mixed(w.STONE, w.DIRT))))
    assert world.store.history.of(place(world)) == (
        SubChunkEvent(1.0, 3, StateEvent.ANNOUNCED, SubChunkState.UNKNOWN, SubChunkState.UNKNOWN, NO_CODE, 1),
        SubChunkEvent(2.0, NO_PACKET, StateEvent.PLANNED, SubChunkState.UNKNOWN, SubChunkState.WANTED, NO_CODE, 1),
        SubChunkEvent(3.0, NO_PACKET, StateEvent.REQUESTED, SubChunkState.WANTED, SubChunkState.REQUESTED, NO_CODE, 1),
        SubChunkEvent(4.0, 9, StateEvent.ANSWER_DATA, SubChunkState.REQUESTED, SubChunkState.DATA, DATA, 1),
    )
    assert world.store.history.lost(place(world)) == 0


def test_the_oldest_events_make_room_and_are_counted() -> None:
    world = StoreWorld()
    world.announce()
    for turn in range(KEPT):
        world.store.mark(places(world), SubChunkState.WANTED, float(turn))
        world.store.mark(places(world), SubChunkState.UNKNOWN, turn + 0.5)
    told = world.store.history.of(place(world))
    assert len(told) == KEPT
    assert [event.time_s for event in told] == [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5]
    assert world.store.history.lost(place(world)) == 1 + KEPT


def test_what_repeats_and_changes_nothing_is_one_event() -> None:
    world = StoreWorld()
    world.announce()
    for packet in range(20, 25):
        world.store.begin_packet(packet, float(packet))
        world.answer((HERE, CHUNK_MISSING, b""))
    last = world.store.history.of(place(world))[-1]
    assert (last.cause, last.code, last.times, last.packet) == (StateEvent.ANSWER_IGNORED, CHUNK_MISSING, 5, 24)
    world.answer((HERE, 0, b""))
    assert [event.times for event in world.store.history.of(place(world))] == [1, 5, 1]


def test_six_questions_and_refusals_leave_the_announcement_and_stand_in_the_order_of_their_last_times() -> None:
    world = StoreWorld()
    world.announce()
    for turn in range(6):
        world.store.mark(places(world), SubChunkState.REQUESTED, 10.0 + turn)
        world.now = 10.1 + turn - 1.0
        world.answer((HERE, CHUNK_MISSING, b""))
    world.store.refuse(places(world), np.array([CHUNK_MISSING], np.uint8), 15.2)
    told = world.store.history.of(place(world))
    assert [(event.cause, event.times) for event in told] == [
        (StateEvent.ANNOUNCED, 1),
        (StateEvent.REQUESTED, 1),  # it became REQUESTED
        (StateEvent.REQUESTED, 5),
        (StateEvent.ANSWER_IGNORED, 6),
        (StateEvent.GIVEN_UP, 1),
    ]
    assert [event.time_s for event in told[2:]] == pytest.approx([15.0, 15.1, 15.2])
    assert world.store.history.lost(place(world)) == 0


def test_a_change_of_state_is_never_folded_into_another() -> None:
    world = StoreWorld()
    world.announce()
    world.answer((HERE, OUT_OF_BOUNDS, b""))
    world.answer((HERE, OUT_OF_BOUNDS, b""))
    world.answer((HERE, OUT_OF_BOUNDS, b""))
    told = world.store.history.of(place(world))[1:]
    assert [(event.before, event.after, event.times) for event in told] == [
        (SubChunkState.UNKNOWN, SubChunkState.REFUSED, 1),
        (SubChunkState.REFUSED, SubChunkState.REFUSED, 2),
    ]


def test_giving_up_is_noted_once_and_not_after_a_refusal() -> None:
    world = StoreWorld()
    world.announce()
    world.store.refuse(places(world), np.array([2], np.uint8), 5.0)
    world.store.refuse(places(world), np.array([2], np.uint8), 6.0)
    assert causes(world) == [StateEvent.ANNOUNCED, StateEvent.GIVEN_UP]
    world.answer(((0, 1, 0), OUT_OF_BOUNDS, b""))
    world.store.refuse(np.array([place(world, (0, 1, 0))], np.int32), np.array([5], np.uint8), 7.0)
    assert causes(world, (0, 1, 0)) == [StateEvent.ANNOUNCED, StateEvent.ANSWER_REFUSED]


def test_edits_are_noted_with_their_packet_once_however_many() -> None:
    world = StoreWorld()
    world.announce(limit=0)
    world.store.begin_packet(5, 8.0)
    for y in range(3):
        world.store.update_block(BlockPos(0, y, 0), 0, w.STONE)
    told = world.store.history.of(place(world))
    assert [(event.cause, event.packet, event.after, event.times) for event in told] == [
        (StateEvent.ABOVE_LIMIT, NO_PACKET, SubChunkState.KNOWN_AIR, 1),
        (StateEvent.EDITED, 5, SubChunkState.DATA, 1),
        (StateEvent.EDITED, 5, SubChunkState.DATA, 2),
    ]


def test_why_a_place_is_undecodable_can_be_read_until_it_is_not() -> None:
    world = StoreWorld()
    world.announce()
    world.answer((HERE, DATA, b"\x0c"), ((0, 1, 0), DATA, b"\x0c"))
    text = world.store.history.fault(place(world))
    assert text is not None
    assert "SubChunk.payload" in text
    world.answer((HERE, ALL_AIR, b""))
    assert world.store.history.fault(place(world)) is None
    assert world.store.history.fault(place(world, (0, 1, 0))) == text
    world.store.forget(ColumnPos(0, 0))
    world.store.finish_drain()
    world.announce()
    assert world.store.history.fault(place(world, (0, 1, 0))) is None


def test_texts_of_faults_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_FAULTS", 2)
    world = StoreWorld()
    world.announce()
    world.answer(*(((0, y, 0), DATA, b"\x0c") for y in range(3)))
    assert [world.store.history.fault(place(world, (0, y, 0))) is None for y in range(3)] == [True, False, False]


def test_another_column_in_the_same_row_begins_a_life_of_its_own() -> None:
    world = StoreWorld()
    world.announce()
    world.answer((HERE, ALL_AIR, b""))
    row = world.store.row_of[ColumnPos(0, 0)]
    world.store.forget(ColumnPos(0, 0))
    world.store.finish_drain()
    world.announce(4)
    assert world.store.row_of[ColumnPos(4, 0)] == row
    assert causes(world, (4, 0, 0)) == [StateEvent.ANNOUNCED]
    assert world.store.since[place(world, (4, 0, 0))] == 0.0
    assert world.store.history.of(0) == ()


def test_histories_stay_when_the_tables_grow_and_go_with_the_dimension() -> None:
    world = StoreWorld()
    world.announce()
    world.answer((HERE, ALL_AIR, b""))
    before = world.store.history.of(place(world))
    for x in range(1, 600):
        world.announce(x)
    assert world.store.history.of(place(world)) == before
    assert causes(world, (599, 0, 0)) == [StateEvent.ANNOUNCED]
    world.store.change_dimension(NETHER)
    world.announce()
    assert causes(world) == [StateEvent.ANNOUNCED]


def test_whole_columns_and_limits_are_told_apart() -> None:
    world = StoreWorld()
    world.announce(limit=0)
    blocks = world.payload(mixed(w.STONE, w.DIRT))
    world.store.fill(ColumnPos(0, 0), blocks + b"\x0c", 2, world.tick())
    told = [causes(world, (0, y, 0))[-1] for y in (-2, -1, 0)]
    assert told == [StateEvent.COLUMN_DATA, StateEvent.COLUMN_BROKEN, StateEvent.COLUMN_AIR]
    assert causes(world, (0, 0, 0))[0] == StateEvent.ABOVE_LIMIT


# ---------------------------------------------------------------- changes


def batch(*places: int, edits: int = 0) -> ChangeBatch:
    count = len(places)
    return ChangeBatch(
        False,
        np.array(places, np.int32),
        np.zeros((count, 3), np.int32),
        np.ones(count, np.uint8),
        np.arange(count, dtype=np.int64),
        np.zeros((count, 6), np.uint8),
        np.array([0] + [edits] * count, np.int32),
        np.arange(edits, dtype=np.uint16),
    )


def test_readers_read_at_their_own_pace() -> None:
    log = ChangeLog()
    first = log.subscribe()
    log.publish(batch(1, 2))
    second = log.subscribe()
    log.publish(batch(3))
    assert second.drain().places.tolist() == [3]
    assert first.drain().places.tolist() == [1, 2, 3]
    assert len(first.drain()) == 0
    assert not first.drain().everything


def test_joined_batches_keep_their_edits_apart() -> None:
    log = ChangeLog()
    reader = log.subscribe()
    log.publish(batch(1, edits=3))
    log.publish(batch(2, edits=2))
    joined = reader.drain()
    assert joined.edit_starts.tolist() == [0, 3, 5]
    assert joined.edits[joined.edit_starts[1] : joined.edit_starts[2]].tolist() == [0, 1]


def test_a_reader_that_falls_behind_is_told_everything_and_goes_on_from_there() -> None:
    log = ChangeLog(limit=4)
    slow, quick = log.subscribe(), log.subscribe()
    for place in range(3):
        log.publish(batch(place, place))
        assert not quick.drain().everything
    assert slow.drain().everything
    log.publish(batch(9))
    assert slow.drain().places.tolist() == [9]


def test_another_world_is_told_to_every_reader() -> None:
    log = ChangeLog()
    reader = log.subscribe()
    log.publish(batch(1))
    log.publish(ChangeBatch.nothing(everything=True))
    log.publish(batch(2))
    assert reader.drain().everything
    assert len(reader.drain()) == 0


def test_nothing_is_kept_for_nobody() -> None:
    log = ChangeLog()
    log.publish(batch(1))
    reader = log.subscribe()
    assert len(reader.drain()) == 0
    log.publish(batch(2))
    reader.close()
    reader.close()
    log.publish(batch(3))
    assert len(log.subscribe().drain()) == 0


# ---------------------------------------------------------------- lifecycle

STATES = Path(__file__).parents[4] / "docs" / "reference" / "states.md"


def after(cause: StateEvent, before: SubChunkState) -> int:
    return int(AFTER[cause, before])


def test_numbers_are_those_that_dumps_and_shaders_use() -> None:
    assert [int(state) for state in SubChunkState] == [*range(10), 255]


def test_the_page_for_people_is_written_from_the_table() -> None:
    assert diagram() in STATES.read_text(encoding="utf-8"), "run python docs/generate.py"


def test_a_cause_and_a_state_make_one_next_state() -> None:
    told = [(row.cause, before) for row in LIFE for before in row.before]
    assert len(set(told)) == len(told)
    assert {row.cause for row in LIFE} == set(StateEvent)
    assert int((AFTER != ILLEGAL).sum()) == len(told)
    assert ILLEGAL not in set(SubChunkState)


def test_every_state_is_reached_and_left_and_nothing_happens_outside() -> None:
    reached = {int(state) for state in np.unique(AFTER)} - {ILLEGAL}
    assert reached == {int(state) for state in SubChunkState} - {int(SubChunkState.OUTSIDE)}
    assert (AFTER[:, SubChunkState.OUTSIDE] == ILLEGAL).all()
    for state in SubChunkState:
        if state is not SubChunkState.OUTSIDE:
            assert set(AFTER[:, state].tolist()) - {int(state), ILLEGAL}


def test_what_has_arrived_is_neither_asked_for_nor_replaced_until_it_is_announced_again() -> None:
    for arrived in (SubChunkState.DATA, SubChunkState.ALL_AIR):
        assert arrived not in NEEDS_REQUEST
        for cause in (
            StateEvent.PLANNED,
            StateEvent.REQUESTED,
            StateEvent.ANSWER_DATA,
            StateEvent.ANSWER_AIR,
            StateEvent.ANSWER_REFUSED,
        ):
            assert after(cause, arrived) == ILLEGAL
        assert after(StateEvent.ANNOUNCED, arrived) == SubChunkState.RESET
    assert after(StateEvent.ANSWER_DATA, SubChunkState.KNOWN_AIR) == SubChunkState.DATA


def test_every_state_that_needs_a_request_takes_any_answer() -> None:
    for before in NEEDS_REQUEST:
        assert after(StateEvent.ANSWER_DATA, before) == SubChunkState.DATA
        assert after(StateEvent.ANSWER_AIR, before) == SubChunkState.ALL_AIR
        assert after(StateEvent.ANSWER_BROKEN, before) == SubChunkState.UNDECODABLE
        assert after(StateEvent.ANSWER_REFUSED, before) == after(StateEvent.GIVEN_UP, before) == SubChunkState.REFUSED


def test_a_reset_place_stays_reset_while_it_is_asked_for() -> None:
    assert (
        after(StateEvent.REQUESTED, SubChunkState.RESET)
        == after(StateEvent.ANNOUNCED, SubChunkState.RESET)
        == SubChunkState.RESET
    )


def test_the_state_alone_says_what_is_shown() -> None:
    assert [int(state) for state in PLACEHOLDER_STATES] == [0, 2, 3, 6, 7, 9]
    shown = {state: shown_in(state) for state in SubChunkState}
    assert {state for state, what in shown.items() if what == "air"} == {
        SubChunkState.KNOWN_AIR,
        SubChunkState.ALL_AIR,
        SubChunkState.OUTSIDE,
    }
    assert (shown[SubChunkState.DATA], shown[SubChunkState.RESET]) == ("its blocks", "its older blocks")


def test_changes_wait_only_where_blocks_may_yet_come() -> None:
    assert set(NEEDS_REQUEST) - set(AWAITED_STATES) == {SubChunkState.REFUSED, SubChunkState.UNDECODABLE}
    assert np.flatnonzero(table_of(AWAITED_STATES)).tolist() == sorted(int(state) for state in AWAITED_STATES)
