"""The overlays ``light-r``, ``light-g``, ``light-b``, ``light-d``: the legend of their colours, and seams.

Colours and numbers are drawn by ``render.passes.surfaces``: the level of the block before each face.
"""

from typing import Final

from render.overlays import light_seams
from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.state_styles import Hatch, Line, Style
from render.passes.surfaces import level_ramp

TOLD: Final = (0, 3, 6, 9, 12, 15)
"""Levels that the legend names."""


def _style(level: int) -> Style:
    red, green, blue = (level_ramp()[level] / 255).tolist()
    return Style(f"level {level}", (red, green, blue), Line.NONE, Hatch.NONE, 0.0, 1.0)


LEVELS: Final = tuple(_style(level) for level in TOLD)
SOURCE: Final = Style("black and white frame: it shines", (1.0, 1.0, 1.0), Line.DOTTED, Hatch.NONE, 0.0)


def marks(facts: Facts) -> Marks:
    """Of red, green and blue: seams, and what the colours mean."""
    seams = light_seams.marks(facts)
    rows = (*(LegendRow(style, None) for style in LEVELS), LegendRow(SOURCE, None), *seams.legend)
    return Marks(boxes=seams.boxes, legend=rows)


def daylight_marks(facts: Facts) -> Marks:
    """The same of daylight, which no block sends."""
    seams = light_seams.marks(facts)
    return Marks(boxes=seams.boxes, legend=(*(LegendRow(style, None) for style in LEVELS), *seams.legend))
