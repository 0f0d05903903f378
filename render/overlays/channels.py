"""The overlays ``channel-*``: legends of what ``render.passes.surfaces`` draws."""

from collections.abc import Callable
from typing import Final

from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.state_styles import Hatch, Line, Style
from render.passes.surfaces import WIRE, Rgb, depth_grey, overdraw_colour

WIRE_BEHIND_SHOWN: Final = (40, 80, 120)
"""Five hidden edges over each other."""


def _filled(label: str, tone: Rgb) -> LegendRow:
    colour = tone[0] / 255, tone[1] / 255, tone[2] / 255
    return LegendRow(Style(label, colour, Line.NONE, Hatch.NONE, 0.0, 1.0), None)


ROWS: Final = {
    "channel-albedo": (_filled("texture and tint, without light", (120, 160, 80)),),
    "channel-normal": (
        _filled("east (+x)", (255, 128, 128)),
        _filled("west", (0, 128, 128)),
        _filled("up (+y)", (128, 255, 128)),
        _filled("down", (128, 0, 128)),
        _filled("south (+z)", (128, 128, 255)),
        _filled("north", (128, 128, 0)),
    ),
    "channel-depth": tuple(_filled(f"{far} blocks", (depth_grey(far),) * 3) for far in (1, 8, 64, 512)),
    "channel-block": (_filled("a colour for each block state", (204, 121, 167)),),
    "channel-light": (
        _filled("full daylight", (179, 179, 179)),
        _filled("lamps in their colour", (255, 180, 90)),
        _filled("dark", (0, 0, 0)),
    ),
    "channel-overdraw": tuple(
        _filled(f"shaded {count} times" if count > 1 else "shaded once", overdraw_colour(count))
        for count in (1, 2, 4, 8, 16)
    ),
    "channel-wire": (
        _filled("edges of quads in sight", WIRE),
        _filled("edges that are hidden, yet drawn", WIRE_BEHIND_SHOWN),
    ),
}
"""By overlay."""


def legend_only(name: str) -> Callable[[Facts], Marks]:
    """What makes the marks of one of them: nothing but its legend."""
    marks = Marks(legend=ROWS[name])
    return lambda _facts: marks
