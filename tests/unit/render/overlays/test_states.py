"""The overlay of states: a box each by its state, what failed over it, rings where columns are stale.

Errors: a box, a beam over the roof and the reason for each sub-chunk that is refused or does not decode.

Palette: Palettes: boxes by bits a block, rings for second layers, loud where ids are unknown.

Proof: Proof of air: who said so, what its height map says, and contradictions over all else.
"""

import numpy as np

from client.world.height_maps import HeightVerdict
from client.world.lifecycle import SubChunkState
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
    errors_marks,
    glyph,
    palette_marks,
    proof_marks,
    proofs,
    reason,
    states_marks,
)
from render.passes.overlay.boxes import FAILED, STYLES, UNLIT, UNMESHED, UNSENT
from tests.support.worlds.overlay_facts import given_facts, given_trail

# ---------------------------------------------------------------- states

STATES = np.array([int(state) for state in SubChunkState], np.uint8)
LINE = np.stack([np.arange(len(STATES)), np.zeros(len(STATES)), np.zeros(len(STATES))], axis=1)


def test_every_state_but_outside_has_a_box_in_its_style() -> None:
    made = states_marks(given_facts(LINE, STATES))
    boxes = zip(made.boxes.lows, made.boxes.chosen, strict=True)
    told = {int(low[0]) // 16: made.boxes.styles[kind] for low, kind in boxes}
    assert told == {
        x: STYLES[SubChunkState(int(state))] for x, state in enumerate(STATES) if state != SubChunkState.OUTSIDE
    }


def test_a_failed_mesh_is_painted_instead_of_its_state() -> None:
    facts = given_facts(LINE[:2], SubChunkState.DATA)
    made = states_marks(facts.but(failed=np.array([True, False])))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [FAILED, STYLES[SubChunkState.DATA]]
    assert {row.style: row.count for row in made.legend if row.count} == {FAILED: 1, STYLES[SubChunkState.DATA]: 1}


def test_what_is_received_and_not_in_the_picture_says_what_it_lacks() -> None:
    facts = given_facts(LINE[:4], [SubChunkState.DATA, SubChunkState.DATA, SubChunkState.DATA, SubChunkState.REFUSED])
    unlit, unmeshed = np.array([True, True, True, True]), np.array([False, True, True, True])
    made = states_marks(facts.but(unlit=unlit, unmeshed=unmeshed, failed=np.array([False, False, True, True])))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [UNLIT, UNMESHED, FAILED, STYLES[SubChunkState.REFUSED]]


def test_a_column_that_was_never_sent_is_one_box_from_floor_to_roof() -> None:
    made = states_marks(given_facts(LINE[:1], SubChunkState.DATA).but(unsent=np.array([[3, -2], [4, 0]], np.int32)))
    assert [PAINTED[kind] for kind in made.boxes.chosen] == [STYLES[SubChunkState.DATA], UNSENT, UNSENT]
    assert made.boxes.lows[1:].tolist() == [[48, -64, -32], [64, -64, 0]]
    assert made.boxes.sizes.tolist() == [[16, 16, 16], [16, 384, 16], [16, 384, 16]]
    assert {row.style: row.count for row in made.legend}[UNSENT] == 2


def test_boxes_of_stale_columns_have_a_ring_besides_their_state_but_those_of_air() -> None:
    states = np.array([SubChunkState.DATA, SubChunkState.DATA, SubChunkState.OUTSIDE, SubChunkState.ALL_AIR], np.uint8)
    made = states_marks(given_facts(LINE[:4], states).but(stale=np.array([True, False, True, True])))
    assert made.boxes.rings.tolist() == [True, False, False]


def test_the_legend_counts_every_state() -> None:
    made = states_marks(given_facts(LINE[:5], [1, 1, 4, 4, 4]))
    counts = {row.style.label: row.count for row in made.legend}
    assert [counts[name] for name in ("received", "air by the column's limit", "refused by the server")] == [3, 2, 0]
    assert [row.style for row in made.legend] == list(PAINTED)


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
    assert "not kept any more" in reason(given_trail(1), 0, True).replace("\n", " ")
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
    assert (made.labels.texts[2], made.labels.texts[-1]) == ("2 bit: 2 +L2", "4 bit: 8\n3 unknown")
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
