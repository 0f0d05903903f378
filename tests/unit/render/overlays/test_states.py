"""The overlay of states: a box each by its state, what failed over it, rings where columns are stale.

Errors: a box, a beam over the roof and the reason for each sub-chunk that is refused or does not decode.

Palette: Palettes: boxes by bits a block, rings for second layers, loud where ids are unknown.

Proof: Proof of air: who said so, what its height map says, and contradictions over all else.

Requests: Age: seconds from the last question to its answer, or until now, in steps; air that came in time has no box.

Priority: the most urgent are hottest and say their number; what was never planned has no box.

Waves: what was asked or answered just now flashes and fades, what waits keeps a box, and each batch has its line.

Facts: Verdicts and links as plain arrays, held against one cell, one pair and one side at a time.
"""

import math
from itertools import product
from math import isnan
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.report.diff import MOST_LISTED, ONLY_HERE, ONLY_THERE, OTHER, AgainstFacts
from client.report.find import FoundBlocks
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import SubChunkState
from net.space import DIRECTIONS
from render.camera import Camera
from render.overlays import visibility
from render.overlays.facts import CellFacts, CellVerdict, Links
from render.overlays.found import MANY, NOT_HERE, NOT_THERE, OTHER_BIOME, OTHER_STATE, against_marks, found_marks
from render.overlays.found import STYLES as AGAINST_STYLES
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
from render.overlays.states import (
    ABOVE_ROOF_BLOCKS,
    BEAM_BLOCKS,
    CONTRADICTS,
    KIND_WORDS,
    LIMIT,
    LONGEST_LINE,
    MOST_LINES,
    NONE,
    PAINTED,
    PROOF_STYLES,
    SAID,
    SAID_WITHOUT,
    UNKNOWN,
    WIDTHS,
    above_limit,
    all_states_marks,
    errors_marks,
    glyph,
    palette_marks,
    proof_marks,
    proofs,
    reason,
    states_marks,
)
from render.overlays.visibility import REACH_BLOCKS, frustum_lines
from render.passes.overlay.boxes import CONTRADICTED, FAILED, STYLES, UNKNOWN_BLOCKS, UNLIT, UNMESHED, UNSENT
from tests.support.worlds.overlay_facts import GivenFrame, given_facts, given_trail

# ---------------------------------------------------------------- states

# ---------------------------------------------------------------- states

STATES = np.array([int(state) for state in SubChunkState], np.uint8)
LINE = np.stack([np.arange(len(STATES)), np.zeros(len(STATES)), np.zeros(len(STATES))], axis=1)


def test_every_state_but_outside_has_a_box_in_its_style() -> None:
    made = all_states_marks(given_facts(LINE, STATES))
    boxes = zip(made.boxes.lows, made.boxes.chosen, strict=True)
    told = {int(low[0]) // 16: made.boxes.styles[kind] for low, kind in boxes}
    assert told == {
        x: STYLES[SubChunkState(int(state))] for x, state in enumerate(STATES) if state != SubChunkState.OUTSIDE
    }


def test_a_failed_mesh_is_painted_instead_of_its_state() -> None:
    facts = given_facts(LINE[:2], SubChunkState.DATA)
    made = all_states_marks(facts.but(failed=np.array([True, False])))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [FAILED, STYLES[SubChunkState.DATA]]
    assert {row.style: row.count for row in made.legend if row.count} == {FAILED: 1, STYLES[SubChunkState.DATA]: 1}


def test_what_is_received_and_not_in_the_picture_says_what_it_lacks() -> None:
    facts = given_facts(LINE[:4], [SubChunkState.DATA, SubChunkState.DATA, SubChunkState.DATA, SubChunkState.REFUSED])
    unlit, unmeshed = np.array([True, True, True, True]), np.array([False, True, True, True])
    made = all_states_marks(facts.but(unlit=unlit, unmeshed=unmeshed, failed=np.array([False, False, True, True])))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [UNLIT, UNMESHED, FAILED, STYLES[SubChunkState.REFUSED]]


def test_a_column_that_was_never_sent_is_one_box_from_floor_to_roof() -> None:
    made = all_states_marks(given_facts(LINE[:1], SubChunkState.DATA).but(unsent=np.array([[3, -2], [4, 0]], np.int32)))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [STYLES[SubChunkState.DATA], UNSENT, UNSENT]
    assert made.boxes.lows[1:].tolist() == [[48, -64, -32], [64, -64, 0]]
    assert made.boxes.sizes.tolist() == [[16, 16, 16], [16, 384, 16], [16, 384, 16]]
    assert {row.style: row.count for row in made.legend}[UNSENT] == 2


def test_boxes_of_stale_columns_have_a_ring_besides_their_state_but_those_of_air() -> None:
    states = np.array([SubChunkState.DATA, SubChunkState.DATA, SubChunkState.OUTSIDE, SubChunkState.ALL_AIR], np.uint8)
    made = all_states_marks(given_facts(LINE[:4], states).but(stale=np.array([True, False, True, True])))
    assert made.boxes.rings.tolist() == [True, False, False]


def test_the_legend_counts_every_state() -> None:
    made = all_states_marks(given_facts(LINE[:5], [1, 1, 4, 4, 4]))
    counts = {row.style.label: row.count for row in made.legend}
    assert [counts[name] for name in ("received", "known air (above the limit)", "refused by the server")] == [3, 2, 0]
    assert [row.style for row in made.legend] == list(PAINTED)


def test_problems_alone_are_filled_boxes_unless_all_states_are_shown() -> None:
    made = states_marks(given_facts(LINE, STATES))
    styles = [made.boxes.styles[kind] for kind in made.boxes.chosen]
    assert [each.label for each in styles] == [
        "late: not answered in time", "refused by the server", "undecodable",
    ]  # fmt: skip
    assert all(each.fill > 0 for each in styles)
    assert sum(row.count or 0 for row in made.legend) == 3


def test_late_is_what_the_one_rule_for_it_says_whatever_its_state() -> None:
    states = [SubChunkState.REQUESTED, SubChunkState.REQUESTED, SubChunkState.RESET, SubChunkState.DATA]
    trail = given_trail(4, asked=np.array([2, 1, 3, 2], np.uint16), late=np.array([False, True, True, False]))
    made = states_marks(given_facts(LINE[:4], states).but(trail=trail))
    assert (made.boxes.lows[:, 0] // 16).tolist() == [1, 2]


def test_what_is_not_in_the_picture_and_columns_never_sent_are_problems() -> None:
    facts = given_facts(LINE[:4], SubChunkState.DATA)
    facts = facts.but(unlit=np.array([True, True, True, False]), unmeshed=np.array([False, True, True, False]))
    facts = facts.but(failed=np.array([False, False, True, False]), unsent=np.array([[9, 9]], np.int32))
    made = states_marks(facts)
    labels = [made.boxes.styles[kind].label for kind in made.boxes.chosen]
    assert labels == [UNLIT.label, UNMESHED.label, FAILED.label, UNSENT.label]


def test_blocks_and_heights_that_came_wrong_are_problems_as_in_health() -> None:
    """A server of another version: everything arrives, and nothing is known."""
    wrong, right = HeightVerdict.CONTRADICTS, HeightVerdict.AGREES
    data, air = SubChunkState.DATA, SubChunkState.ALL_AIR
    facts = given_facts(LINE[:6], [data, data, data, air, SubChunkState.REFUSED, SubChunkState.RESET])
    verdicts = np.array([wrong, wrong, right, wrong, wrong, right], np.uint8)
    facts = facts.but(trail=given_trail(6, height_verdicts=verdicts))
    made = states_marks(facts.but(unknown=np.array([False, True, True, False, True, True])))
    assert [made.boxes.styles[kind].label for kind in made.boxes.chosen] == [
        CONTRADICTED.label, UNKNOWN_BLOCKS.label, UNKNOWN_BLOCKS.label, CONTRADICTED.label, "refused by the server",
    ]  # fmt: skip


def test_a_hidden_row_has_no_boxes_and_keeps_its_count() -> None:
    made = states_marks(given_facts(LINE, STATES))
    hidden = made.without({"undecodable"})
    assert [each.style.label for each in hidden.legend if each.shown is False] == ["undecodable"]
    assert [each.count for each in hidden.legend] == [each.count for each in made.legend]
    assert [hidden.boxes.styles[kind].label for kind in hidden.boxes.chosen] == [
        "late: not answered in time", "refused by the server",
    ]  # fmt: skip
    assert hidden.boxes.lows.tolist() == made.boxes.lows[:2].tolist()
    assert all(each.shown for each in made.without(set()).legend)


def test_rows_of_overlays_with_texts_are_no_switches() -> None:
    facts = given_facts(LINE[:1], SubChunkState.ALL_AIR).but(trail=given_trail(1))
    made = proof_marks(facts)
    assert made.without({style.label for style in made.boxes.styles}) is made


# ---------------------------------------------------------------- errors


def test_each_failure_has_a_box_and_a_beam_to_above_the_roof() -> None:
    states = np.array([SubChunkState.REFUSED, SubChunkState.DATA, SubChunkState.UNDECODABLE], np.uint8)
    facts = given_facts([[0, 4, 0], [1, 4, 0], [-2, 1, 3]]).but(states=states)
    trail = given_trail(3, codes=np.array([5, 1, 1], np.int16), faults={2: "SubChunk.payload at byte 7: no"})
    made = errors_marks(facts.but(trail=trail))
    assert made.boxes.lows.tolist() == [[0, 64, 0], [-32, 16, 48], [7, 80, 7], [-25, 32, 55]]
    tops = made.boxes.lows[2:, 1] + made.boxes.sizes[2:, 1]
    assert tops.tolist() == [320 + ABOVE_ROOF_BLOCKS] * 2
    assert made.boxes.sizes[2:, [0, 2]].tolist() == [[BEAM_BLOCKS] * 2] * 2
    assert made.boxes.chosen.tolist() == [0, 1, 2, 3]
    assert made.labels.texts[0].startswith("code 5: ")
    assert made.labels.texts[1].replace("\n", " ") == "undecodable: SubChunk.payload at byte 7: no"
    assert [row.count for row in made.legend] == [1, 1]


def test_a_reason_is_short_lines_and_says_so_where_nothing_is_known() -> None:
    trail = given_trail(1, faults={0: "word " * 100})
    lines = reason(trail, 0, True).split("\n")
    assert len(lines) == MOST_LINES
    assert max(map(len, lines)) <= LONGEST_LINE
    assert "no longer stored" in reason(given_trail(1), 0, True).replace("\n", " ")
    assert (reason(None, 0, True), reason(None, 0, False)) == ("undecodable", "refused")


# ---------------------------------------------------------------- palette


def test_each_width_is_in_its_step_and_unknown_ids_are_loud() -> None:
    widths = np.array([0, 1, 2, 3, 4, 5, 6, 16, 4], np.uint8)
    many = len(widths)
    trail = given_trail(many, widths=widths, palettes=np.arange(many, dtype=np.uint16))
    facts = given_facts([[k, 0, 0] for k in range(many)], SubChunkState.DATA).but(
        trail=trail,
        unknown_ids=np.array([0] * (many - 1) + [3]),
        second_layer=np.arange(many) == 2,
    )
    made = palette_marks(facts)
    steps = [0, 1, 1, 2, 3, 4, 5, 5]
    assert [made.boxes.styles[kind] for kind in made.boxes.chosen] == [*(WIDTHS[k] for k in steps), UNKNOWN]
    assert made.boxes.rings.tolist() == [k == 2 for k in range(many)]
    assert (made.labels.texts[2], made.labels.texts[-1]) == (
        "2 bits a block\n2 states\nsecond layer",
        "4 bits a block\n8 states\n3 unknown",
    )
    assert made.legend[-1].count == 1


def test_only_what_holds_blocks_has_a_box() -> None:
    states = np.array([int(state) for state in SubChunkState], np.uint8)
    many = len(states)
    facts = given_facts([[k, 0, 0] for k in range(many)]).but(
        states=states, trail=given_trail(many), unknown_ids=np.zeros(many, int), second_layer=np.zeros(many, bool)
    )
    assert len(palette_marks(facts).boxes) == 2  # DATA and RESET


# ---------------------------------------------------------------- proof

_K, _V = SubChunkState, HeightVerdict


def plain_proof(state: int, kind: int, verdict: int) -> int:
    """The twin of ``proofs`` for one."""
    if verdict == _V.CONTRADICTS:
        return CONTRADICTS
    if state == _K.KNOWN_AIR:
        return LIMIT
    if state != _K.ALL_AIR:
        return NONE
    return SAID if kind else SAID_WITHOUT


def test_every_state_kind_and_verdict_is_as_the_plain_twin_says() -> None:
    rows = np.array([(s, k, v) for s in range(10) for k in range(len(KIND_WORDS)) for v in range(len(_V))], np.uint8)
    trail = given_trail(len(rows), height_kinds=rows[:, 1], height_verdicts=rows[:, 2])
    assert proofs(rows[:, 0], trail).tolist() == [plain_proof(*row) for row in rows.tolist()]


def test_labels_say_limit_code_kind_and_contradiction() -> None:
    facts = given_facts([[0, 5, 0], [0, 6, 0], [1, 0, 0], [2, 0, 0]])
    trail = given_trail(
        4,
        limits=np.array([8, 8, -1, -1], np.int32),
        codes=np.array([-1, -1, 6, 1], np.int16),
        height_kinds=np.array([0, 0, 3, 2], np.uint8),
    )
    assert (
        glyph(trail, facts.floor_section, 0, LIMIT) == "limit 8\nsub-chunk y 4"
    )  # section 8 from the floor at -4; the lowest above it
    assert above_limit(facts, trail).tolist() == [True, False, False, False]
    assert glyph(trail, facts.floor_section, 2, SAID) == "code 6\nmap too low"
    assert glyph(trail, facts.floor_section, 3, CONTRADICTS) == "!! code 1\nmap too high !!"


def test_marks_count_what_they_show() -> None:
    states = np.array([_K.KNOWN_AIR, _K.ALL_AIR, _K.DATA, _K.DATA], np.uint8)
    verdicts = np.array([0, 0, 0, _V.CONTRADICTS], np.uint8)
    facts = given_facts([[k, 0, 0] for k in range(4)]).but(
        states=states, trail=given_trail(4, height_verdicts=verdicts)
    )
    made = proof_marks(facts)
    assert [row.count for row in made.legend] == [1, 0, 1, 1]
    assert [PROOF_STYLES[kind].label for kind in made.boxes.chosen] == [
        PROOF_STYLES[k].label for k in (LIMIT, SAID_WITHOUT, 3)
    ]
    assert tuple(made.labels.texts) == ("code ?\nno map", "!! code ?\nno map !!")


# ---------------------------------------------------------------- requests

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


# ---------------------------------------------------------------- facts

FLAGS = ("resident", "missing", "meshed", "filled", "lit", "listed", "drawn")


def plain_verdict(cell: dict[str, bool]) -> CellVerdict:
    """The rules one by one, for one cell: the first that holds."""
    rules = (
        (not cell["resident"], CellVerdict.TOO_FAR),
        (cell["missing"] and not cell["filled"], CellVerdict.PLACEHOLDER),
        (not cell["meshed"], CellVerdict.NOT_MESHED),
        (not cell["filled"], CellVerdict.EMPTY),
        (cell["drawn"], CellVerdict.DRAWN),
        (not cell["lit"], CellVerdict.NO_SPACE),
        (cell["listed"], CellVerdict.FRUSTUM),
        (True, CellVerdict.OCCLUDED),
    )
    return next(verdict for holds, verdict in rules if holds)


def every_cell() -> CellFacts:
    """One for each set of flags."""
    rows = np.array(list(product((False, True), repeat=len(FLAGS))))
    positions = np.stack([np.arange(len(rows)), np.zeros(len(rows)), np.zeros(len(rows))], axis=1).astype(np.int32)
    return CellFacts(positions, *(rows[:, at] for at in range(len(FLAGS))))


def test_each_set_of_facts_has_the_verdict_that_the_rules_say() -> None:
    cells = every_cell()
    for number, found in enumerate(cells.verdicts().tolist()):
        assert found == plain_verdict({name: bool(getattr(cells, name)[number]) for name in FLAGS}), number


def test_every_cell_but_empty_ones_has_a_box_and_all_are_counted() -> None:
    cells = every_cell()
    marks = visibility.verdict_marks(given_facts(np.zeros((0, 3))).but(frame=GivenFrame(cells=cells)))
    found = cells.verdicts()
    assert [row.count for row in marks.legend] == [int((found == one).sum()) for one in CellVerdict]
    assert len(marks.boxes) == int((found != CellVerdict.EMPTY).sum())
    assert (marks.boxes.sizes == (16, 32, 16)).all()
    assert (marks.boxes.chosen == found[found != CellVerdict.EMPTY]).all()


def test_styles_of_verdicts_differ_in_more_than_colour() -> None:
    shapes = [(style.line, style.hatch) for style in visibility.STYLES if "not drawn" not in style.label]
    far = [(style.line, style.hatch) for style in visibility.STYLES if style.label == "too far"]
    assert len(shapes) == len(set(shapes))
    assert len(far) == 1
    assert len(visibility.STYLES) == len(CellVerdict)


def test_linked_pairs_are_those_whose_bit_is_set_and_open_ones_have_their_axes() -> None:
    rng = np.random.default_rng(5)
    links = np.zeros(40, np.uint64)
    for number in range(len(links)):
        for a, b in product(range(6), repeat=2):
            if rng.random() < 0.4 or number == 7:
                links[number] |= np.uint64(1 << (a * 8 + b) | 1 << (b * 8 + a))
    pairs, where = visibility.linked_pairs(links)
    found = {(int(number), *visibility.PAIRS[pair].tolist()) for pair, number in zip(pairs, where, strict=True)}
    plain = {
        (number, a, b)
        for number in range(len(links))
        for a in range(6)
        for b in range(a + 1, 6)
        if int(links[number]) >> (a * 8 + b) & 1 and (number != 7 or (b == a + 1 and a % 2 == 0))
    }
    assert found == plain


def test_the_walk_stops_where_a_reached_one_meets_a_known_one_that_is_not() -> None:
    rng = np.random.default_rng(6)
    positions = np.array(list(product(range(3), repeat=3)), np.int32)
    number = {tuple(at): index for index, at in enumerate(positions.tolist())}
    beside = np.array(
        [[number.get((x + dx, y + dy, z + dz), -1) for dx, dy, dz in DIRECTIONS] for x, y, z in positions.tolist()],
        np.int32,
    )
    reached, missing = rng.random(27) < 0.5, rng.random(27) < 0.3
    near = Links(positions, reached, missing, np.zeros(27, np.uint64), beside)
    found = set(zip(*(part.tolist() for part in visibility.stops_of(near)), strict=True))
    plain = set()
    for one, side in product(range(27), range(6)):
        other = beside[one, side]
        if other >= 0 and reached[one] and not missing[one] and not reached[other] and not missing[other]:
            plain.add((one, side))
    assert found == plain
    marks = visibility.graph_marks(given_facts(np.zeros((0, 3))).but(frame=GivenFrame(links=near)))
    asked, known = int((reached & missing).sum()), int((reached & ~missing).sum())
    assert [row.count for row in marks.legend] == [known, int((~reached & ~missing).sum()), len(plain), asked]
    assert sorted(marks.labels.texts) == ["requested, not passed"] * asked + ["shut"] * len(plain)
    assert len(marks.lines) == 2 * len(plain) + 12 * int((reached & missing).sum())


def test_the_frozen_frustum_ends_at_the_corners_of_the_picture() -> None:
    camera = Camera((1.0, 2.0, 3.0), 30.0, 20.0, 70.0, 1.5)
    lines = frustum_lines(camera)
    far = lines.ends[:4] - np.array(camera.eye)
    clip = np.column_stack([far, np.ones(4)]) @ camera.view_projection().astype(float)
    assert np.allclose(np.abs(clip[:, :2] / clip[:, 3:]), 1.0, atol=1e-5)
    assert np.allclose(far @ np.array(camera.forward), REACH_BLOCKS)
    assert np.allclose(lines.begins[:4], camera.eye)


# ---------------------------------------------------------------- against


def test_blocks_that_differ_are_boxes_by_kind_and_unknown_is_counted_apart() -> None:
    blocks = np.array([(1, 5, 1), (1, 4, 1), (1, 7, 1), (2, 4, 1), (1, 6, 1)], np.int32)
    kinds = np.array([ONLY_HERE, ONLY_HERE, ONLY_HERE, ONLY_THERE, OTHER], np.uint8)
    known = np.array([True, True, False]), np.array([True, False, True])
    counts = np.array([[5, 0, 0], [0, MOST_LISTED + 1, 0]], np.int32)
    states, biomes = np.array([True, False, False]), np.array([False, False, True])
    found = AgainstFacts(counts, biomes, states, *known, blocks, kinds, np.array([[9, 9]], np.int32))
    made = against_marks(given_facts(LINE[:3]).but(against=found))
    boxes = sorted(zip(made.boxes.lows.tolist(), made.boxes.sizes.tolist(), made.boxes.chosen.tolist(), strict=True))
    assert boxes == [
        ([0, 0, 0], [16, 16, 16], OTHER_STATE),
        ([1, 4, 1], [1, 2, 1], ONLY_HERE),
        ([1, 6, 1], [1, 1, 1], OTHER),
        ([1, 7, 1], [1, 1, 1], ONLY_HERE),
        ([2, 4, 1], [1, 1, 1], ONLY_THERE),
        ([16, 0, 0], [16, 16, 16], MANY),
        ([16, 0, 0], [16, 16, 16], NOT_THERE),
        ([32, 0, 0], [16, 16, 16], OTHER_BIOME),
        ([32, 0, 0], [16, 16, 16], NOT_HERE),
        ([144, -64, 144], [16, 384, 16], NOT_HERE),
    ]
    labels = (style.label for style in AGAINST_STYLES)
    assert {row.style.label: row.count for row in made.legend} == dict(
        zip(labels, (3, 1, 1, 0, 0, 1, 1, 1, 1, 2), strict=True)
    )


def test_without_marks_the_legend_says_whether_nothing_was_found_or_nothing_was_asked() -> None:
    facts = given_facts(LINE[:3])
    none = np.zeros(3, np.bool_)
    blocks = np.zeros((0, 3), np.int32)
    equal = AgainstFacts(
        np.zeros((2, 3), np.int32), none, none, ~none, ~none, blocks, np.zeros(0, np.uint8), blocks[:, :2]
    )
    searched = FoundBlocks((), 0, (), (), ())
    said = [
        make(seen).legend[0].style.label
        for make, seen in (
            (against_marks, facts),
            (against_marks, facts.but(against=equal)),
            (found_marks, facts),
            (found_marks, facts.but(found=searched)),
        )
    ]
    assert said == [
        "no other world: the option --against names one", "no difference",
        "no search yet: the panel Find searches", "nothing found",
    ]  # fmt: skip
