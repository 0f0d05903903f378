"""The overlays ``light-r``, ``light-g``, ``light-b``, ``light-d``: the legend of their colours; and ``light-seams``.

``render.passes.overlay.surface_channels`` draws colours and numbers: the level of the block before each face.

``light-seams``: sides of sub-chunks through which light from missing sub-chunks may still come: single sides, visible
from both directions; ``render.scene.lighting`` determines them.
"""

from typing import Final

import numpy as np

from render.overlays.facts import OverlayFacts
from render.overlays.overlay import LegendRow, OverlayMarks, overlay
from render.passes.overlay.boxes import HANGING, SUBCHUNK_BLOCKS, WAITING, Boxes, Hatch, Outline, Style
from render.passes.overlay.surface_channels import level_ramp

STYLES: Final = (HANGING, WAITING)
EVERY_SIDE: Final = 63


@overlay(
    "light-seams",
    letter="L",
    title="provisional light (neighbour missing)",
    place=13,
    keys=("G",),
    layer=19,
    from_within=True,
)
def light_seams_marks(facts: OverlayFacts) -> OverlayMarks:
    seams = facts.seams
    sides = np.concatenate([seams.hanging, seams.waiting])
    chosen = np.repeat(np.arange(2, dtype=np.uint8), len(seams.positions))
    some = sides != 0
    lows = np.concatenate([seams.positions, seams.positions])[some] * SUBCHUNK_BLOCKS
    boxes = Boxes.of(lows, chosen[some], STYLES, bare=~sides[some] & EVERY_SIDE)
    counts = (int(np.bitwise_count(bits).sum()) for bits in (seams.hanging, seams.waiting))
    return OverlayMarks(boxes=boxes, legend=tuple(map(LegendRow, STYLES, counts)))


# ---------------------------------------------------------------- light

TOLD: Final = (0, 3, 6, 9, 12, 15)
"""Levels in the legend."""


def _style(level: int) -> Style:
    red, green, blue = (level_ramp()[level] / 255).tolist()
    return Style(f"level {level}", (red, green, blue), Outline.NONE, Hatch.NONE, 0.0, 1.0)


LEVELS: Final = tuple(_style(level) for level in TOLD)
SOURCE: Final = Style("black and white frame: light source", (1.0, 1.0, 1.0), Outline.DOTTED, Hatch.NONE, 0.0)


@overlay("light-r", letter="1", title="red light, level by level", place=18, layer=15, from_within=True)
@overlay("light-g", letter="2", title="green light, level by level", place=19, layer=16, from_within=True)
@overlay("light-b", letter="3", title="blue light, level by level", place=20, layer=17, from_within=True)
def light_marks(facts: OverlayFacts) -> OverlayMarks:
    seams = light_seams_marks(facts)
    rows = (*(LegendRow(style, None) for style in LEVELS), LegendRow(SOURCE, None), *seams.legend)
    return OverlayMarks(boxes=seams.boxes, legend=rows)


@overlay("light-d", letter="4", title="daylight, level by level", place=21, layer=18, from_within=True)
def daylight_marks(facts: OverlayFacts) -> OverlayMarks:
    seams = light_seams_marks(facts)
    return OverlayMarks(boxes=seams.boxes, legend=(*(LegendRow(style, None) for style in LEVELS), *seams.legend))
