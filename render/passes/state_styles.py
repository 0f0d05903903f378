"""How boxes are painted: a colour, a kind of outline and a hatch; and the styles of sub-chunks by state.

Rules:
1. Two states differ in shape as well as in colour: solid hatches are placeholders, dotted outlines and bare corners are
   air, a plain outline is data. Nobody has to tell colours apart.
2. Colours are Okabe and Ito's eight, chosen for all common kinds of colour blindness.
3. The numbers of lines and hatches are said here; shaders get them as defines.
"""

from enum import IntEnum
from typing import Final

from client.world.lifecycle import Knowledge
from net.frozen import frozen


class Line(IntEnum):
    """Outline of a box."""

    NONE = 0
    THIN = 1
    HEAVY = 2
    DOTTED = 3
    CORNERS = 4


class Hatch(IntEnum):
    """Pattern on a box's sides."""

    NONE = 0
    DIAGONAL = 1
    FALLING = 2
    CROSS = 3
    DOTS = 4
    LEVEL = 5
    GRID = 6
    X = 7
    UPRIGHT = 8


@frozen
class Style:
    """Paint of one kind of box.

    Attributes:
        label: what the legend says.
        colour: red, green, blue, 0..1.
        line: its outline.
        hatch: its pattern.
        strength: opacity of the pattern, 0..1.
        fill: opacity of the sides themselves, 0..1.
    """

    label: str
    colour: tuple[float, float, float]
    line: Line
    hatch: Hatch
    strength: float
    fill: float = 0.0


STYLES: Final = {
    Knowledge.UNKNOWN: Style("not asked for (out of sight)", (0.62, 0.62, 0.62), Line.THIN, Hatch.DIAGONAL, 0.30),
    Knowledge.KNOWN_AIR: Style("air by the column's limit", (0.75, 0.88, 0.97), Line.CORNERS, Hatch.NONE, 0.0),
    Knowledge.WANTED: Style("wanted, not asked yet", (0.94, 0.89, 0.26), Line.THIN, Hatch.GRID, 0.35),
    Knowledge.REQUESTED: Style("asked, no answer yet", (0.90, 0.62, 0.00), Line.HEAVY, Hatch.DIAGONAL, 0.70),
    Knowledge.DATA: Style("received", (0.00, 0.75, 0.52), Line.THIN, Hatch.NONE, 0.0),
    Knowledge.ALL_AIR: Style("air, so answered", (0.34, 0.71, 0.91), Line.DOTTED, Hatch.NONE, 0.0),
    Knowledge.REFUSED: Style("refused by the server", (0.84, 0.37, 0.00), Line.HEAVY, Hatch.X, 0.95),
    Knowledge.UNDECODABLE: Style(
        "undecodable, its bytes make no sense", (0.85, 0.10, 0.20), Line.HEAVY, Hatch.CROSS, 0.80
    ),
    Knowledge.RESET: Style(
        "announced again, its older blocks are shown", (0.00, 0.45, 0.90), Line.THIN, Hatch.LEVEL, 0.45
    ),
    Knowledge.EVICTED: Style("dropped by us to save memory", (0.80, 0.47, 0.65), Line.THIN, Hatch.FALLING, 0.45),
}
"""Every state but OUTSIDE, which has no box."""

FAILED: Final = Style("received, its mesh failed", (1.0, 1.0, 1.0), Line.HEAVY, Hatch.DOTS, 0.95)
UNMESHED: Final = Style("received, not meshed yet", (0.00, 0.75, 0.52), Line.THIN, Hatch.CROSS, 0.60)
UNLIT: Final = Style("received, not lit", (0.74, 1.00, 0.18), Line.HEAVY, Hatch.GRID, 0.80)
"""Painted instead of their state where sub-chunks have blocks that are not in the picture, or not as they should be.
What is not lit is black and lies among boxes of what is received, so its colour is bright and not theirs."""

UNSENT: Final = Style("column never sent", (0.62, 0.36, 1.00), Line.HEAVY, Hatch.UPRIGHT, 0.90)
"""A whole column that the server left out amid those that it announced."""

HANGING: Final = Style("light hangs on what is missing", (0.95, 0.10, 0.25), Line.HEAVY, Hatch.FALLING, 0.85)
WAITING: Final = Style("light waits for a step", (0.94, 0.89, 0.26), Line.HEAVY, Hatch.LEVEL, 0.85)
"""Sides of sub-chunks through which light may still come."""


def defines() -> dict[str, int]:
    """``LINE_`` and ``HATCH_`` names for the shaders."""
    result = {f"LINE_{line.name}": int(line) for line in Line}
    result.update({f"HATCH_{hatch.name}": int(hatch) for hatch in Hatch})
    return result
