"""Age: seconds from the last question to its answer, or until now, in steps; air that came in time has no box.

Priority: the most urgent are hottest and say their number; what was never planned has no box.

Waves: what was asked or answered just now flashes and fades, what waits keeps a box, and each batch has its line.
"""

import math
from math import isnan
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.world.lifecycle import SubChunkState
from render.overlays.requests import (
    AGE_STYLES,
    ANSWERED_BY_AGE,
    ANSWERED_NOW,
    ASKED,
    BELOW_EYE_BLOCKS,
    LABELLED,
    MOST_BATCHES,
    PRIORITY_STYLES,
    PULSE_S,
    STILL_WAITING,
    WAITING_BY_AGE,
    age_marks,
    format_timing,
    most_urgent,
    priority_marks,
    pulses,
    waves_marks,
)
from tests.support.worlds.overlay_facts import given_facts, given_trail

# ---------------------------------------------------------------- age

POSITIONS = [[k, 0, 0] for k in range(6)]


def test_the_answered_and_the_waiting_fall_into_steps_of_their_own() -> None:
    states = np.full(6, SubChunkState.DATA, np.uint8)
    states[4:] = SubChunkState.ALL_AIR
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
    assert format_timing(0.5, 1, float("nan")) == "0.50 s"
    assert format_timing(0.5, 2, 0.75) == "0.50 s x2\ndrawn 0.75 s"


# ---------------------------------------------------------------- priority


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
    facts = given_facts([[0, 0, 0]], SubChunkState.ALL_AIR).but(trail=given_trail(1, needs=np.ones(1, np.float32)))
    assert len(priority_marks(facts).boxes) == 0
    assert [style.label for style in PRIORITY_STYLES][-1] == "under 3: first"


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0]), max_size=3 * LABELLED))
def test_the_most_urgent_come_first_and_of_equal_ones_the_first(listed: list[float]) -> None:
    needs = np.array(listed, np.float32)
    assert most_urgent(needs).tolist() == sorted(range(len(listed)), key=listed.__getitem__)[:LABELLED]


# ---------------------------------------------------------------- waves

MOMENT = st.one_of(st.just(math.nan), st.floats(0, 10))


def plain_pulse(now: float, asked: float, answered: float, awaited: bool) -> tuple[int, float]:
    """The twin of ``pulses`` for one."""
    fresh = [0.0 if math.isnan(at) else max(0.0, 1 - (now - at) / PULSE_S) for at in (asked, answered)]
    if awaited and max(fresh) <= 0:
        return STILL_WAITING, 1.0
    return (ANSWERED_NOW if fresh[1] > fresh[0] else ASKED), max(fresh)


@given(st.lists(st.tuples(MOMENT, MOMENT, st.booleans()), max_size=20))
def test_pulses_fade_from_the_younger_of_question_and_answer(rows: list[tuple[float, float, bool]]) -> None:
    columns: Any = list(zip(*rows, strict=True)) if rows else ([], [], [])
    said = {"asked_s": np.array(columns[0], float), "answered_s": np.array(columns[1], float)}
    chosen, shares = pulses(given_trail(len(rows), **said, awaited=np.array(columns[2], bool)))
    plain = [plain_pulse(10.0, *row) for row in rows]
    shown = [(kind, share) for kind, share in zip(chosen.tolist(), shares.tolist(), strict=True)]
    assert [share for _, share in shown] == [np.float32(share) for _, share in plain]
    assert [kind for kind, share in shown if share > 0] == [kind for kind, share in plain if share > 0]


def test_a_line_leads_from_below_the_player_to_the_middle_of_each_batch_that_flashes() -> None:
    facts = given_facts([[0, 0, 0], [2, 0, 0], [9, 9, 9], [5, 5, 5]])
    trail = given_trail(
        4,
        player=(100.0, 70.0, 5.0),
        asked_s=np.array([9.9, 9.9, 1.0, np.nan]),
        waves=np.array([7, 7, 3, 0], np.int32),
        awaited=np.array([True, False, True, False]),
        answered_s=np.array([np.nan, 9.95, np.nan, np.nan]),
    )
    made = waves_marks(facts.but(trail=trail))
    assert made.lines.begins.tolist() == [[100.0, 70.0 - BELOW_EYE_BLOCKS, 5.0]]
    assert made.lines.ends.tolist() == made.labels.points.tolist() == [[24.0, 8.0, 8.0]]
    assert made.labels.texts == ("batch 7\n1 of 2 answered",)
    assert [row.count for row in made.legend] == [1, 1, 1]


def test_only_the_youngest_batches_have_lines() -> None:
    many = MOST_BATCHES + 5
    facts = given_facts(np.arange(3 * many).reshape(many, 3))
    trail = given_trail(many, asked_s=np.full(many, 10.0), waves=np.arange(1, many + 1, dtype=np.int32))
    texts = waves_marks(facts.but(trail=trail)).labels.texts
    assert [text.partition("\n")[0] for text in texts] == [f"batch {k}" for k in range(6, many + 1)]


def test_without_a_trail_nothing_is_said() -> None:
    assert len(waves_marks(given_facts([[0, 0, 0]])).boxes) == 0
