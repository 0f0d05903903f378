"""Waves: what was asked or answered just now flashes and fades, what waits keeps a box, and each batch has its line."""

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from render.overlays.requests import (
    ANSWERED_NOW,
    ASKED,
    BELOW_EYE_BLOCKS,
    MOST_BATCHES,
    PULSE_S,
    STILL_WAITING,
    pulses,
    waves_marks,
)
from tests.support.overlay_facts import given_facts, given_trail

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
