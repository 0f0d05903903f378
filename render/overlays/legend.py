"""Legends in words, for whoever draws them beside a picture or prints them after one.

An outline or a hatch is named as well as the label, so that a line of text leads to the marks it is about.
"""

from collections.abc import Callable, Collection
from typing import Final

from net.frozen import frozen
from render.overlays.marks import LegendRow
from render.passes.state_styles import Hatch, Line, Style
from render.settings.overlays import OVERLAY_TABLE

HATCH_NAMES: Final = {
    Hatch.NONE: "",
    Hatch.DIAGONAL: "diagonal lines",
    Hatch.FALLING: "falling lines",
    Hatch.CROSS: "crossed lines",
    Hatch.DOTS: "dots",
    Hatch.LEVEL: "level lines",
    Hatch.GRID: "grid",
    Hatch.X: "big X",
    Hatch.UPRIGHT: "upright lines",
}
LINE_NAMES: Final = {
    Line.NONE: "no outline",
    Line.THIN: "outline",
    Line.HEAVY: "heavy outline",
    Line.DOTTED: "dotted outline",
    Line.CORNERS: "corners",
}


@frozen
class Section:
    """The legend of one overlay.

    Attributes:
        name: the overlay's.
        title: name and meaning.
        rows: what its marks mean.
    """

    name: str
    title: str
    rows: tuple[LegendRow, ...]


def sections_of(on: Collection[str], legend: Callable[[str], tuple[LegendRow, ...]]) -> tuple[Section, ...]:
    """A section for each overlay that is on and has a legend, in the order of the chooser.

    Args:
        on: names of overlays.
        legend: what the marks of one mean (``Scene.legend``).
    """
    found = ((overlay, legend(overlay.name)) for overlay in OVERLAY_TABLE if overlay.name in on)
    return tuple(Section(each.name, f"{each.name}: {each.means}", rows) for each, rows in found if rows)


def text_of(row: LegendRow) -> str:
    """A row as it is written."""
    number = "" if row.count is None else f": {row.count}"
    shape = "" if row.style.line is Line.NONE and row.style.hatch is Hatch.NONE else f" ({shape_of(row.style)})"
    return f"{row.style.label}{number}{shape}"


def shape_of(style: Style) -> str:
    """Outline, hatch and fill in words."""
    parts = [HATCH_NAMES[style.hatch], LINE_NAMES[style.line], "filled" if style.fill else ""]
    return ", ".join(part for part in parts if part)
