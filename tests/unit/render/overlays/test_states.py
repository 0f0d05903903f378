"""The overlay of states: a box each by its state, what failed over it, rings where columns are stale."""

import numpy as np

from client.world.lifecycle import Knowledge
from render.overlays.states import PAINTED, states_marks
from render.passes.overlay.boxes import FAILED, STYLES, UNLIT, UNMESHED, UNSENT
from tests.support.overlay_facts import given_facts

STATES = np.array([int(state) for state in Knowledge], np.uint8)
LINE = np.stack([np.arange(len(STATES)), np.zeros(len(STATES)), np.zeros(len(STATES))], axis=1)


def test_every_state_but_outside_has_a_box_in_its_style() -> None:
    made = states_marks(given_facts(LINE, STATES))
    boxes = zip(made.boxes.lows, made.boxes.chosen, strict=True)
    told = {int(low[0]) // 16: made.boxes.styles[kind] for low, kind in boxes}
    assert told == {x: STYLES[Knowledge(int(state))] for x, state in enumerate(STATES) if state != Knowledge.OUTSIDE}


def test_a_failed_mesh_is_painted_instead_of_its_state() -> None:
    facts = given_facts(LINE[:2], Knowledge.DATA)
    made = states_marks(facts.but(failed=np.array([True, False])))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [FAILED, STYLES[Knowledge.DATA]]
    assert {row.style: row.count for row in made.legend if row.count} == {FAILED: 1, STYLES[Knowledge.DATA]: 1}


def test_what_is_received_and_not_in_the_picture_says_what_it_lacks() -> None:
    facts = given_facts(LINE[:4], [Knowledge.DATA, Knowledge.DATA, Knowledge.DATA, Knowledge.REFUSED])
    unlit, unmeshed = np.array([True, True, True, True]), np.array([False, True, True, True])
    made = states_marks(facts.but(unlit=unlit, unmeshed=unmeshed, failed=np.array([False, False, True, True])))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [UNLIT, UNMESHED, FAILED, STYLES[Knowledge.REFUSED]]


def test_a_column_that_was_never_sent_is_one_box_from_floor_to_roof() -> None:
    made = states_marks(given_facts(LINE[:1], Knowledge.DATA).but(unsent=np.array([[3, -2], [4, 0]], np.int32)))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [STYLES[Knowledge.DATA], UNSENT, UNSENT]
    assert made.boxes.lows[1:].tolist() == [[48, -64, -32], [64, -64, 0]]
    assert made.boxes.sizes.tolist() == [[16, 16, 16], [16, 384, 16], [16, 384, 16]]
    assert {row.style: row.count for row in made.legend}[UNSENT] == 2


def test_boxes_of_stale_columns_have_a_ring_besides_their_state_but_those_of_air() -> None:
    states = np.array([Knowledge.DATA, Knowledge.DATA, Knowledge.OUTSIDE, Knowledge.ALL_AIR], np.uint8)
    made = states_marks(given_facts(LINE[:4], states).but(stale=np.array([True, False, True, True])))
    assert made.boxes.rings.tolist() == [True, False, False]


def test_the_legend_counts_every_state() -> None:
    made = states_marks(given_facts(LINE[:5], [1, 1, 4, 4, 4]))
    counts = {row.style.label: row.count for row in made.legend}
    assert [counts[name] for name in ("received", "air by the column's limit", "refused by the server")] == [3, 2, 0]
    assert [row.style for row in made.legend] == list(PAINTED)
