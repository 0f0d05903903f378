"""States of a sub-chunk, and the changes between them."""

import numpy as np

from client.world.lifecycle import NEEDS_REQUEST, TRANSITIONS, Knowledge, Transitions, is_placeholder


def test_numbers_are_those_that_dumps_and_shaders_use() -> None:
    assert [int(state) for state in Knowledge] == [*range(10), 255]


def test_every_state_has_its_changes_and_what_is_outside_stays_there() -> None:
    assert set(TRANSITIONS) == set(Knowledge)
    assert {state for state, after in TRANSITIONS.items() if Knowledge.OUTSIDE in after} == {Knowledge.OUTSIDE}


def test_what_has_arrived_is_not_asked_for() -> None:
    for arrived in (Knowledge.DATA, Knowledge.ALL_AIR, Knowledge.KNOWN_AIR):
        assert arrived not in NEEDS_REQUEST
        assert not TRANSITIONS[arrived] & {Knowledge.WANTED, Knowledge.REQUESTED, Knowledge.REFUSED}


def test_placeholders_are_unanswered_places_that_show_nothing_older() -> None:
    states = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 255], np.uint8)
    assert states[is_placeholder(states)].tolist() == [0, 2, 3, 6, 7, 9]
    assert not is_placeholder(states, np.ones(11, bool)).any()


def test_changes_are_counted_and_illegal_ones_found() -> None:
    transitions = Transitions()
    before = np.array([Knowledge.WANTED, Knowledge.DATA, Knowledge.WANTED], np.uint8)
    assert transitions.illegal(before, Knowledge.REQUESTED).tolist() == [False, True, False]
    transitions.count(before[[0, 2]], Knowledge.REQUESTED)
    assert transitions.counted() == {(Knowledge.WANTED, Knowledge.REQUESTED): 2}
