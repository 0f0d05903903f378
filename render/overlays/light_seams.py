"""The overlay ``light-seams``: sides of sub-chunks through which light may still come from what is missing.

Single sides, seen from both; ``render.scene.seams`` says which.
"""

from typing import Final

import numpy as np

from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.state_styles import HANGING, WAITING

STYLES: Final = (HANGING, WAITING)
EVERY_SIDE: Final = 63


def marks(facts: Facts) -> Marks:
    """The sides, and how many hang or wait."""
    seams = facts.seams
    sides = np.concatenate([seams.hanging, seams.waiting])
    chosen = np.repeat(np.arange(2, dtype=np.uint8), len(seams.positions))
    some = sides != 0
    lows = np.concatenate([seams.positions, seams.positions])[some] * SUBCHUNK_BLOCKS
    boxes = Boxes.of(lows, chosen[some], STYLES, bare=~sides[some] & EVERY_SIDE)
    counts = (int(np.bitwise_count(bits).sum()) for bits in (seams.hanging, seams.waiting))
    legend = tuple(LegendRow(style, count) for style, count in zip(STYLES, counts, strict=True))
    return Marks(boxes=boxes, legend=legend)
