"""Priority: the most urgent are hottest and say their number; what was never planned has no box."""

from math import isnan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.world.lifecycle import Knowledge
from render.overlays.requests import LABELLED, PRIORITY_STYLES, most_urgent, priority_marks
from tests.support.overlay_facts import given_facts, given_trail


@given(st.lists(st.one_of(st.just(float("nan")), st.floats(0, 100, width=32)), max_size=20))
def test_every_planned_one_is_in_the_step_of_its_need(needs: list[float]) -> None:
    facts = given_facts([[k, 0, 0] for k in range(len(needs))])
    made = priority_marks(facts.but(trail=given_trail(len(needs), needs=np.array(needs, np.float32))))
    limits = (48, 24, 12, 6, 3)
    plain = [next((k for k, limit in enumerate(limits) if need > limit), 5) for need in needs if not isnan(need)]
    assert made.boxes.chosen.tolist() == plain
    assert [row.count for row in made.legend] == [plain.count(k) for k in range(5, -1, -1)]


def test_the_most_urgent_ones_have_their_number() -> None:
    many = LABELLED + 10
    needs = np.arange(many, dtype=np.float32)[::-1]
    facts = given_facts([[k, 0, 0] for k in range(many)])
    made = priority_marks(facts.but(trail=given_trail(many, needs=needs)))
    assert made.labels.texts[:2] == ("0.0", "1.0")
    assert len(made.labels) == LABELLED
    assert made.labels.points[0].tolist() == [(many - 1) * 16 + 8, 8, 8]


def test_air_that_came_is_left_out() -> None:
    facts = given_facts([[0, 0, 0]], Knowledge.ALL_AIR).but(trail=given_trail(1, needs=np.ones(1, np.float32)))
    assert len(priority_marks(facts).boxes) == 0
    assert [style.label for style in PRIORITY_STYLES][-1] == "under 3: first"


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0]), max_size=3 * LABELLED))
def test_the_most_urgent_come_first_and_of_equal_ones_the_first(listed: list[float]) -> None:
    needs = np.array(listed, np.float32)
    assert most_urgent(needs).tolist() == sorted(range(len(listed)), key=listed.__getitem__)[:LABELLED]
