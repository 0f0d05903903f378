"""The overlays ``channel-*``: legends of what ``render.passes.surfaces`` draws."""

from collections.abc import Callable
from typing import Final

from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.state_styles import Hatch, Line, Style
from render.passes.surfaces import WIRE, Rgb, depth_grey, overdraw_colour

WIRE_BEHIND_SHOWN: Final = (40, 80, 120)
"""Five hidden edges over each other."""


def filled(label: str, tone: Rgb) -> LegendRow:
    """A row of a plain colour."""
    colour = tone[0] / 255, tone[1] / 255, tone[2] / 255
    return LegendRow(Style(label, colour, Line.NONE, Hatch.NONE, 0.0, 1.0), None)


ROWS: Final = {
    "channel-albedo": (filled("texture and tint, without light", (120, 160, 80)),),
    "channel-normal": (
        filled("east (+x)", (255, 128, 128)),
        filled("west", (0, 128, 128)),
        filled("up (+y)", (128, 255, 128)),
        filled("down", (128, 0, 128)),
        filled("south (+z)", (128, 128, 255)),
        filled("north", (128, 128, 0)),
        filled("south-east: a plant's crossed sides, each towards the eye", (218, 128, 218)),
        filled("south-west", (37, 128, 218)),
        filled("north-east", (218, 128, 37)),
        filled("north-west", (37, 128, 37)),
    ),
    "channel-depth": tuple(filled(f"{far} blocks", (depth_grey(far),) * 3) for far in (1, 8, 64, 512)),
    "channel-block": (filled("a colour for each block state", (204, 121, 167)),),
    "channel-light": (
        filled("full daylight", (179, 179, 179)),
        filled("lamps in their colour", (255, 180, 90)),
        filled("dark", (0, 0, 0)),
    ),
    "channel-overdraw": tuple(
        filled(f"shaded {count} times" if count > 1 else "shaded once", overdraw_colour(count))
        for count in (1, 2, 4, 8, 16)
    ),
    "channel-wire": (
        filled("edges of quads in sight", WIRE),
        filled("edges that are hidden, yet drawn", WIRE_BEHIND_SHOWN),
    ),
}
"""By overlay."""


def legend_only(rows: tuple[LegendRow, ...]) -> Callable[[Facts], Marks]:
    """What makes the marks of an overlay without any: nothing but its legend."""
    marks = Marks(legend=rows)
    return lambda _facts: marks
