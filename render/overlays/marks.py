"""What one overlay says over one frame. Frozen plain arrays; nothing here knows GL.

Boxes   ``render.passes.boxes``   any size, a style each, may fade
Lines   ``render.passes.lines``   any ends, width in pixels, dashes
Labels  ``render.passes.labels``  short texts in our bitmap font, the same size at any distance
"""

from collections.abc import Sequence
from dataclasses import field
from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from render.passes.boxes import Boxes, no_boxes
from render.passes.labels import Labels, no_labels
from render.passes.lines import Lines, no_lines
from render.passes.state_styles import Style

LABELS_HIDDEN: Final = 0.55
"""How much of labels shows that ground cuts in half: enough to be read."""


@frozen
class LegendRow:
    """One line of an overlay's legend.

    Attributes:
        style: how it is painted; its label says what it means.
        count: how many there are; None: it only says what a colour means.
    """

    style: Style
    count: int | None


@frozen(eq=False)
class Marks:
    """All that one overlay draws.

    Attributes:
        boxes: blended far to near.
        lines: over the boxes.
        labels: over both; those that would lie on nearer ones are left out.
        legend: its rows, in order.
        hidden: how much of lines and labels shows behind what hides them, 0..1.
        moves: whether time alone makes other ones of them soon.
    """

    boxes: Boxes = field(default_factory=no_boxes)
    lines: Lines = field(default_factory=no_lines)
    labels: Labels = field(default_factory=no_labels)
    legend: tuple[LegendRow, ...] = ()
    hidden: float = 0.0
    moves: bool = True


def counted(styles: Sequence[Style], chosen: npt.NDArray[np.integer]) -> tuple[LegendRow, ...]:
    """A row for every style with how often it was chosen: numbers of ``styles``, any shape."""
    counts = np.bincount(chosen.ravel(), minlength=len(styles))
    return tuple(LegendRow(style, int(count)) for style, count in zip(styles, counts, strict=False))
