"""Legends of overlays in words, for the window, panels and pictures.

A legend describes what was drawn, so that window and panels need no counts of their own. It names outline and hatch
beside the label, so that one can find a row's marks from its text.
"""

from collections.abc import Callable, Collection
from typing import Final

import msgspec

from client.connection.opening import counted
from render.overlays.overlay import LegendRow
from render.passes.overlay.boxes import Hatch, Outline, Style
from render.settings.overlays import OVERLAYS

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
    Outline.NONE: "",
    Outline.THIN: "outline",
    Outline.HEAVY: "heavy outline",
    Outline.DOTTED: "dotted outline",
    Outline.CORNERS: "corners",
}


class OverlayLegend(msgspec.Struct, frozen=True):
    """The legend of one overlay."""

    name: str  # the overlay's
    title: str  # name and meaning
    rows: tuple[LegendRow, ...]  # what its marks mean


def sections_of(on: Collection[str], legend: Callable[[str], tuple[LegendRow, ...]]) -> tuple[OverlayLegend, ...]:
    """A section for each overlay that is on and has a legend, in the list's order; without rows with count 0."""
    found = ((overlay, legend(overlay.name)) for overlay in OVERLAYS.values() if overlay.name in on)
    return tuple(
        OverlayLegend(each.name, f"{each.name}: {each.title}", tuple(row for row in rows if row.count != 0))
        for each, rows in found
        if rows
    )


def text_of(row: LegendRow) -> str:
    number = "" if row.count is None else f": {row.count:,}"
    if row.shown is False:
        return f"{row.style.label}{number} (hidden)"
    bare = row.style.line is Outline.NONE and row.style.hatch is Hatch.NONE and not row.style.ring
    shape = "" if bare else f" ({shape_of(row.style)})"
    return f"{row.style.label}{number}{shape}"


COLOURS: Final = {
    "red": (0.9, 0.1, 0.15), "orange": (0.95, 0.5, 0.1), "yellow": (0.95, 0.9, 0.25), "green": (0.1, 0.7, 0.4),
    "light blue": (0.35, 0.75, 0.95), "blue": (0.1, 0.35, 0.8), "purple": (0.6, 0.3, 0.8), "pink": (0.9, 0.5, 0.75),
    "brown": (0.5, 0.3, 0.1), "white": (1.0, 1.0, 1.0), "grey": (0.55, 0.55, 0.55), "black": (0.0, 0.0, 0.0),
}  # fmt: skip
"""Common names of the marks' colours."""


def colour_name(style: Style) -> str:
    """The nearest colour with a name, for a picture without a legend."""

    def distance(name: str) -> float:
        return sum((one - other) ** 2 for one, other in zip(COLOURS[name], style.colour, strict=True))

    return min(COLOURS, key=distance)


def shape_of(style: Style) -> str:
    """Outline, hatch, fill and ring in words."""
    parts = [
        HATCH_NAMES[style.hatch], LINE_NAMES[style.line], "filled" if style.fill else "", "ring" if style.ring else "",
    ]  # fmt: skip
    return ", ".join(part for part in parts if part)


COUNTED: Final = "counts of the columns around you"
NOTHING: Final = "none found"
"""The legend of an overlay without marks."""
Entry = tuple[str, LegendRow | None]
"""A line of the legend: its text, and its row."""


def entries_of(sections: tuple[OverlayLegend, ...], more: str, space: int) -> list[Entry]:
    """The lines of a legend, at most ``space``."""
    entries: list[Entry] = [(more, None)] if more else []
    for section in sections:
        entries += [(section.title, None), *((text_of(row), row) for row in section.rows)]
        entries += [] if section.rows else [(NOTHING, None)]
    if len(entries) > space:
        kept = max(space - 1, 0)
        entries = [*entries[:kept], (f"and {len(entries) - kept} more lines: the panel Legend lists all", None)]
    return entries if space > 0 else []


def legend_title(sections: tuple[OverlayLegend, ...], pins: int, stale_columns: int) -> str:
    """The legend's additional line: what it counts, pinned eyes, columns that the server does not update.

    The overlay ``states`` puts rings around these columns' boxes, whatever their state. Counts are marked as those of
    the columns around the eye, like the marks (``render.scene.frame.overlays``): the numbers of the HUD count all held
    columns, and often differ.
    """
    more = [COUNTED] if any(row.count is not None for section in sections for row in section.rows) else []
    more += [f"{pins:,} pinned"] if pins else []
    more += [f"{counted(stale_columns, 'stale column')} (a ring)"] if stale_columns else []
    return " · ".join(more)
