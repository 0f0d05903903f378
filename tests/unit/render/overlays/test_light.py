"""The overlay of seams: only the sides that hang or wait are painted, and all are counted."""

import numpy as np

from render.overlays.facts import SeamSides
from render.overlays.light import light_seams_marks
from render.passes.overlay.boxes import HANGING, WAITING
from tests.support.worlds.overlay_facts import given_facts


def test_sides_are_painted_where_light_hangs_or_waits_and_nowhere_else() -> None:
    positions = np.array([[0, 0, 0], [5, 4, 3]], np.int32)
    seams = SeamSides(positions, np.array([0b101, 0b100000], np.uint8), np.array([0, 0b11], np.uint8))
    made = light_seams_marks(given_facts(positions).but(seams=seams))
    told = [(low.tolist(), made.boxes.styles[kind], bare) for low, kind, bare in zip(
        made.boxes.lows, made.boxes.chosen, made.boxes.bare.tolist(), strict=True)]  # fmt: skip
    assert told == [
        ([0, 0, 0], HANGING, 0b111010),
        ([80, 64, 48], HANGING, 0b011111),
        ([80, 64, 48], WAITING, 0b111100),
    ]
    assert [(row.style, row.count) for row in made.legend] == [(HANGING, 3), (WAITING, 2)]
