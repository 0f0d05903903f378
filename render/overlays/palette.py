"""The overlay ``palette``: how the blocks of each sub-chunk came over the wire.

Bits a block as heat, with the palette's size as a label; a ring marks a second layer (water in blocks); ids that our
palette does not know are loud, with how many there are.
"""

from typing import Final

import numpy as np

from client.world.lifecycle import Knowledge
from render.overlays.facts import Facts
from render.overlays.heat import heat_styles, step_of
from render.overlays.marks import LABELS_HIDDEN, LegendRow, Marks, counted
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.labels import Labels, Texts
from render.passes.state_styles import Hatch, Line, Style

BOUNDS: Final = (1, 3, 4, 5, 6)
UNKNOWN: Final = Style("holds ids that no palette knows", (1.00, 0.25, 0.85), Line.HEAVY, Hatch.X, 0.95, 0.20)
SECOND: Final = Style("has a second layer (a ring)", (1.00, 1.00, 1.00), Line.NONE, Hatch.DOTS, 0.5)
WIDTHS: Final = heat_styles(
    ("one block, no bits", "1 or 2 bits a block", "3 bits", "4 bits", "5 bits", "6 bits or more")
)
STYLES: Final = (*WIDTHS, UNKNOWN)

LEAST: Final = len("1 bit: 1"), 1
"""Characters and rows of a label."""


def marks(facts: Facts) -> Marks:
    """A box for each that holds blocks."""
    trail = facts.trail
    if trail is None:
        return Marks()
    some = np.flatnonzero(np.isin(facts.states, (Knowledge.DATA, Knowledge.RESET)))
    widths, sizes, unknown = trail.widths[some], trail.palettes[some], facts.unknown_ids[some]
    second = facts.second_layer[some]
    chosen = np.where(unknown > 0, len(WIDTHS), step_of(widths, BOUNDS)).astype(np.uint8)
    corners = facts.positions[some] * SUBCHUNK_BLOCKS

    def say(number: int) -> str:
        return told(int(widths[number]), int(sizes[number]), bool(second[number]), int(unknown[number]))

    tones = np.where(unknown[:, None] > 0, (255, 150, 240), (255, 255, 255))
    return Marks(
        boxes=Boxes.of(corners, chosen, STYLES, rings=second),
        labels=Labels.of(corners + SUBCHUNK_BLOCKS / 2, Texts(len(corners), say), tones, LEAST),
        legend=(*counted(STYLES, chosen), LegendRow(SECOND, int(second.sum()))),
        hidden=LABELS_HIDDEN,
    )


def told(width: int, size: int, second: bool, unknown: int) -> str:
    """The label of one: bits a block, entries, whether it has a second layer, ids that no palette knows."""
    return f"{width} bit: {size}" + (" +L2" if second else "") + (f"\n{unknown} unknown" if unknown else "")
