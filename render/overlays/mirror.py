"""The overlay ``mirror``: whether the GPU's copy of the block ids is there, and is right.

Surfaces are tinted by ``render.passes.surfaces``: what kind of entry their sub-chunk has, and magenta stripes where the
copy has another block than the mesh. Here are magenta boxes around blocks near the eye of which the copy, read back, is
not what the store has, in sight or not; and the counts.
"""

from typing import Final

import numpy as np

from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.boxes import Boxes
from render.passes.state_styles import Hatch, Line, Style
from render.passes.surfaces import BRICK, DIFFERS, LEFT_OUT, UNIFORM, Rgb


def _share(tone: Rgb) -> tuple[float, float, float]:
    return tone[0] / 255, tone[1] / 255, tone[2] / 255


RESIDENT: Final = Style("block by block", _share(BRICK), Line.THIN, Hatch.NONE, 0.0, 0.6)
ONE_VALUE: Final = Style("one block everywhere: an entry", _share(UNIFORM), Line.THIN, Hatch.NONE, 0.0, 0.6)
ROOMLESS: Final = Style("left out: no room", _share(LEFT_OUT), Line.HEAVY, Hatch.DIAGONAL, 0.8)
WAITING: Final = Style("not there yet", (0.62, 0.62, 0.62), Line.DOTTED, Hatch.NONE, 0.0)
WRONG: Final = Style("blocks that differ", _share(DIFFERS), Line.HEAVY, Hatch.X, 1.0, 0.35)


def marks(facts: Facts) -> Marks:
    """A box around each block that differs."""
    held = facts.frame.held
    boxes = Boxes.of(held.differing, np.zeros(len(held.differing), np.uint8), (WRONG,), 1)
    styles = RESIDENT, ONE_VALUE, ROOMLESS, WAITING, WRONG
    counts = held.bricks, held.uniform, held.left_out, held.waiting, len(held.differing)
    return Marks(boxes=boxes, legend=tuple(LegendRow(*row) for row in zip(styles, counts, strict=True)))
