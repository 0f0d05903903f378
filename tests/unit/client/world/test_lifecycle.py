"""States of a sub-chunk, what can happen to them, and the page that says so."""

from pathlib import Path

import numpy as np

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
            StateEvent.ASKED,
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
        after(StateEvent.ASKED, SubChunkState.RESET)
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
