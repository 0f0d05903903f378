"""Proof of air: who said so, what its height map says, and contradictions over all else."""

import numpy as np

from client.world.height_maps import HeightVerdict
from client.world.lifecycle import Knowledge
from render.overlays.states import (
    CONTRADICTS,
    KIND_WORDS,
    LIMIT,
    NONE,
    PROOF_STYLES,
    SAID,
    SAID_WITHOUT,
    above_limit,
    glyph,
    proof_marks,
    proofs,
)
from tests.support.overlay_facts import given_facts, given_trail

_K, _V = Knowledge, HeightVerdict


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
