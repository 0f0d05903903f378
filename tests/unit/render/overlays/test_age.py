"""Age: seconds from the last question to its answer, or until now, in steps; air that came in time has no box."""

import numpy as np

from client.world.lifecycle import Knowledge
from render.overlays.requests import AGE_STYLES, ANSWERED_BY_AGE, WAITING_BY_AGE, age_marks, told
from tests.support.overlay_facts import given_facts, given_trail

POSITIONS = [[k, 0, 0] for k in range(6)]


def test_the_answered_and_the_waiting_fall_into_steps_of_their_own() -> None:
    states = np.full(6, Knowledge.DATA, np.uint8)
    states[4:] = Knowledge.ALL_AIR
    trail = given_trail(
        6,
        now_s=10.0,
        asked_s=np.array([1.0, 9.7, np.nan, 8.0, 2.0, 2.0]),
        answered_s=np.array([1.05, np.nan, 3.0, 2.0, 2.1, 3.5]),
        awaited=np.array([False, True, False, False, False, False]),
        asked=np.array([1, 3, 0, 1, 1, 1], np.uint16),
    )
    made = age_marks(given_facts(POSITIONS).but(states=states, trail=trail, drawn_s=np.full(6, np.nan)))
    told_of = {
        int(low[0]) // 16: AGE_STYLES[kind] for low, kind in zip(made.boxes.lows, made.boxes.chosen, strict=True)
    }
    # 2 was never asked, 3 was asked again after its answer and settled otherwise, 4 is air that came in time
    assert told_of == {0: ANSWERED_BY_AGE[0], 1: WAITING_BY_AGE[2], 5: ANSWERED_BY_AGE[4]}
    assert tuple(made.labels.texts) == ("0.05 s", "0.30 s x3", "1.50 s")
    assert sum(row.count for row in made.legend) == 3


def test_a_label_tells_when_it_was_drawn_where_that_is_known() -> None:
    assert told(0.5, 1, float("nan")) == "0.50 s"
    assert told(0.5, 2, 0.75) == "0.50 s x2\ndrawn 0.75 s"
