"""Errors: a box, a beam over the roof and the reason for each sub-chunk that is refused or does not decode."""

import numpy as np

from client.world.lifecycle import Knowledge
from render.overlays.states import ABOVE_ROOF_BLOCKS, BEAM_BLOCKS, LONGEST_LINE, MOST_LINES, errors_marks, reason
from tests.support.overlay_facts import given_facts, given_trail


def test_each_failure_has_a_box_and_a_beam_to_above_the_roof() -> None:
    states = np.array([Knowledge.REFUSED, Knowledge.DATA, Knowledge.UNDECODABLE], np.uint8)
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
