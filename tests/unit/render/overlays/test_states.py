"""The overlay of states: a box each by its state, what failed over it, rings where columns are stale."""

import numpy as np

from client.world.lifecycle import Knowledge
from render.overlays.states import PAINTED, marks
from render.passes.state_styles import FAILED, STYLES
from tests.support.overlay_facts import given_facts

STATES = np.array([int(state) for state in Knowledge], np.uint8)
LINE = np.stack([np.arange(len(STATES)), np.zeros(len(STATES)), np.zeros(len(STATES))], axis=1)


def test_every_state_but_outside_has_a_box_in_its_style() -> None:
    made = marks(given_facts(LINE, STATES))
    told = {int(low[0]) // 16: made.boxes.styles[kind] for low, kind in zip(made.boxes.lows, made.boxes.chosen)}  # noqa: B905
    assert told == {x: STYLES[Knowledge(int(state))] for x, state in enumerate(STATES) if state != Knowledge.OUTSIDE}


def test_a_failed_mesh_is_painted_instead_of_its_state() -> None:
    facts = given_facts(LINE[:2], Knowledge.DATA)
    made = marks(facts.but(failed=np.array([True, False])))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [FAILED, STYLES[Knowledge.DATA]]
    assert {row.style: row.count for row in made.legend if row.count} == {FAILED: 1, STYLES[Knowledge.DATA]: 1}


def test_boxes_of_stale_columns_have_a_ring_besides_their_state_but_those_of_air() -> None:
    states = np.array([Knowledge.DATA, Knowledge.DATA, Knowledge.OUTSIDE, Knowledge.ALL_AIR], np.uint8)
    made = marks(given_facts(LINE[:4], states).but(stale=np.array([True, False, True, True])))
    assert made.boxes.rings.tolist() == [True, False, False]


def test_the_legend_counts_every_state() -> None:
    made = marks(given_facts(LINE[:5], [1, 1, 4, 4, 4]))
    counts = {row.style.label: row.count for row in made.legend}
    assert (counts["data"], counts["air by the column's limit"], counts["refused"]) == (3, 2, 0)
    assert [row.style for row in made.legend] == list(PAINTED)
