"""Palettes: boxes by bits a block, rings for second layers, loud where ids are unknown."""

import numpy as np

from client.world.lifecycle import Knowledge
from render.overlays.states import UNKNOWN, WIDTHS, palette_marks
from tests.support.overlay_facts import given_facts, given_trail


def test_each_width_is_in_its_step_and_unknown_ids_are_loud() -> None:
    widths = np.array([0, 1, 2, 3, 4, 5, 6, 16, 4], np.uint8)
    many = len(widths)
    trail = given_trail(many, widths=widths, palettes=np.arange(many, dtype=np.uint16))
    facts = given_facts([[k, 0, 0] for k in range(many)], Knowledge.DATA).but(
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
    states = np.array([int(state) for state in Knowledge], np.uint8)
    many = len(states)
    facts = given_facts([[k, 0, 0] for k in range(many)]).but(
        states=states, trail=given_trail(many), unknown_ids=np.zeros(many, int), second_layer=np.zeros(many, bool)
    )
    assert len(palette_marks(facts).boxes) == 2  # DATA and RESET
