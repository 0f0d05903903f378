"""Declaration of overlays, and the marks that they draw over a frame.

``@overlay(...)`` decorates a pure function from facts to marks. Every module of an overlay imports
this one; the painter imports all modules of ``render.overlays``.

Marks are frozen plain arrays, independent of GL.

Boxes   ``render.passes.overlay.boxes``   any size, a style each, may fade
Lines   ``render.passes.overlay.lines``   any ends, width in pixels, dashes
Labels  ``render.passes.overlay.labels``  short texts in our bitmap font, the same size at any distance

Heat: numbers in a few steps, each with a colour and a hatch of its own, so that it is readable without colours. Colours
run from dark blue to yellow through green (as in viridis: lightness alone orders them for every kind of colour
blindness and on paper); hatches become denser with them.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from render.overlays.facts import OverlayFacts
from render.passes.overlay.boxes import Boxes, Hatch, Outline, Style, no_boxes
from render.passes.overlay.labels import Labels, no_labels
from render.passes.overlay.lines import Lines, no_lines
from render.settings.overlays import Named, declare

LABELS_HIDDEN: Final = 0.55
"""Opacity of labels cut in half by ground: enough to be readable."""


class LegendRow(msgspec.Struct, frozen=True):
    """One line of an overlay's legend."""

    style: Style  # its appearance; its label is the meaning
    count: int | None  # count; None: the row only explains a colour
    shown: bool | None = None  # whether its boxes are drawn; None: it cannot be switched


class OverlayMarks(msgspec.Struct, frozen=True, eq=False):
    """All that one overlay draws."""

    boxes: Boxes = msgspec.field(default_factory=no_boxes)  # drawn far to near
    lines: Lines = msgspec.field(default_factory=no_lines)  # over the boxes
    # over both; labels that would overlap nearer ones are left out
    labels: Labels = msgspec.field(default_factory=no_labels)
    legend: tuple[LegendRow, ...] = ()  # its rows, in order
    hidden: float = 0.0  # opacity of lines and labels behind obstacles, 0..1
    moves: bool = True  # whether time alone changes them soon

    def without(self, hidden: AbstractSet[str]) -> "OverlayMarks":
        """A copy without the boxes whose style has one of these labels; the legend marks its rows as switches.

        Marks with texts have no switches: the texts would lose their boxes.
        """
        boxes = self.boxes
        if not boxes.styles or len(self.labels):
            return self
        legend = tuple(
            replace(row, shown=row.style.label not in hidden) if row.style in boxes.styles else row
            for row in self.legend
        )
        off = np.array([style.label in hidden for style in boxes.styles])
        return replace(self, boxes=boxes.take(~off[boxes.chosen]) if off.any() else boxes, legend=legend)


def counted(styles: Sequence[Style], chosen: npt.NDArray[np.integer]) -> tuple[LegendRow, ...]:
    """A row for every style with its count; ``chosen``: indices of ``styles``, any shape."""
    counts = np.bincount(chosen.ravel(), minlength=len(styles))
    return tuple(map(LegendRow, styles, counts.tolist()))


def remark(words: str) -> LegendRow:
    """A row that only says something, such as why nothing is drawn."""
    return LegendRow(Style(words, (0.62, 0.62, 0.62), Outline.NONE, Hatch.NONE, 0.0), None)


# ---------------------------------------------------------------- heat

STEPS: Final = (
    ((0.28, 0.20, 0.55), Hatch.NONE, 0.0, 0.10),
    ((0.20, 0.42, 0.60), Hatch.DOTS, 0.9, 0.12),
    ((0.13, 0.60, 0.54), Hatch.UPRIGHT, 0.6, 0.12),
    ((0.45, 0.80, 0.35), Hatch.DIAGONAL, 0.7, 0.14),
    ((0.88, 0.88, 0.20), Hatch.CROSS, 0.8, 0.16),
    ((1.00, 1.00, 0.85), Hatch.GRID, 0.95, 0.22),
)
"""Colour, hatch, strength and fill of each step, the lowest first."""


def heat_styles(labels: Sequence[str], line: Outline = Outline.THIN) -> tuple[Style, ...]:
    """A style for each step, at most six, all with one outline."""
    return tuple(
        Style(label, tone, line, hatch, strength, fill)
        for label, (tone, hatch, strength, fill) in zip(labels, STEPS, strict=False)
    )


def rising(bounds: Sequence[float], say: Callable[[float], str]) -> tuple[str, ...]:
    """Labels of the steps between rising bounds; ``say`` formats a bound."""
    return (*(f"below {say(bound)}" for bound in bounds), f"{say(bounds[-1])} or more")


def step_of(numbers: npt.NDArray[np.floating | np.integer], bounds: Sequence[float]) -> npt.NDArray[np.uint8]:
    """uint8[n] step of each number."""
    return np.searchsorted(np.array(bounds), numbers, side="right").astype(np.uint8)


Make = Callable[[OverlayFacts], OverlayMarks]


class MarkOverlay(msgspec.Struct, frozen=True):
    """How an overlay's marks are made, and how long they are valid."""

    make: Make  # facts to marks; a pure function
    layer: int = 0  # overlays of higher layers are drawn over it
    lasts_s: float | None = None  # how long marks stay valid without changes, if time alone changes them
    from_within: bool = False  # whether sides of its boxes are visible from inside, too
    by_eye: bool = False  # whether marks depend on the eye's sub-chunk
    by_frame: bool = False  # whether they depend on the culling result
    hidden: float = 0.0  # opacity of its boxes behind obstacles, 0..1


REGISTRY: Final[dict[str, MarkOverlay]] = {}
"""Overlays by name, in drawing order; the last is on top."""


def overlay(
    name: str,
    *,
    letter: str,
    title: str,
    place: int = 0,
    keys: tuple[str, ...] = (),
    then: str = "",
    layer: int = 0,
    lasts_s: float | None = None,
    from_within: bool = False,
    by_eye: bool = False,
    by_frame: bool = False,
    hidden: float = 0.0,
) -> Callable[[Make], Make]:
    """Registers a function as an overlay, for window, legend, help, settings and command line.

    ``name``: as ``--overlay`` takes it. ``keys``: its keys in the preset ``qwerty``. ``then``: the overlay that its key
    shows when pressed again. ``layer`` and the following arguments are ``MarkOverlay``'s.

    The first six are plain literals: ``render.settings.overlays`` reads them from the source text.
    """

    def register(make: Make) -> Make:
        declare(Named(name, letter, title, place, keys, then))
        REGISTRY[name] = MarkOverlay(make, layer, lasts_s, from_within, by_eye, by_frame, hidden)
        ordered = sorted(REGISTRY.items(), key=lambda entry: entry[1].layer)
        REGISTRY.clear()
        REGISTRY.update(ordered)
        return make

    return register
