"""The overlay ``verdict``: a box around every render cell, by why it is on the screen or is not.

Frozen (``Look.frozen``), it tells of the frozen camera: what that one does not draw is not drawn, and the eye may fly
around and look at the holes. Empty cells have no box, they are counted alone: most of a world is air.
"""

from typing import Final

import numpy as np

from render.overlays.culling import Verdict
from render.overlays.facts import Facts
from render.overlays.marks import Marks, counted
from render.passes.boxes import Boxes
from render.passes.state_styles import Hatch, Line, Style

CELL_BLOCKS: Final = np.array([16, 32, 16], np.int32)
STYLES: Final = (
    Style("drawn", (0.00, 0.75, 0.52), Line.THIN, Hatch.NONE, 0.0),
    Style("outside of the frustum", (0.34, 0.71, 0.91), Line.THIN, Hatch.UPRIGHT, 0.30),
    Style("occluded: no way there", (0.84, 0.37, 0.00), Line.HEAVY, Hatch.DIAGONAL, 0.40),
    Style("empty (no box)", (0.75, 0.88, 0.97), Line.CORNERS, Hatch.NONE, 0.0),
    Style("no room for its light", (1.00, 1.00, 1.00), Line.HEAVY, Hatch.DOTS, 0.95),
    Style("not meshed yet", (0.94, 0.89, 0.26), Line.THIN, Hatch.GRID, 0.45),
    Style("placeholder", (0.80, 0.47, 0.65), Line.HEAVY, Hatch.X, 0.85),
    Style("too far", (0.62, 0.62, 0.62), Line.CORNERS, Hatch.NONE, 0.0),
)
"""By ``Verdict``."""


def marks(facts: Facts) -> Marks:
    """A box each, and how many there are of each verdict."""
    cells = facts.frame.cells
    verdicts = cells.verdicts()
    some = verdicts != Verdict.EMPTY
    boxes = Boxes.of(cells.positions[some] * CELL_BLOCKS, verdicts[some], STYLES, CELL_BLOCKS)
    return Marks(boxes=boxes, legend=counted(STYLES, verdicts))
