"""What an overlay is: its declaration, and the marks that it draws over one frame.

``@overlay(...)`` stands above a pure function from facts to marks. Every overlay imports this module, and ``registry``
imports every overlay.

Marks: frozen plain arrays; nothing here knows GL.

Boxes   ``render.passes.overlay.boxes``   any size, a style each, may fade
Lines   ``render.passes.overlay.lines``   any ends, width in pixels, dashes
Labels  ``render.passes.overlay.labels``  short texts in our bitmap font, the same size at any distance

Heat: Numbers as a few steps, each with a colour and a hatch of its own: heat that nobody needs colours to read.

Colours run from dark blue to yellow through green (as viridis does: lightness alone orders them for every kind of
colour blindness and on paper); hatches grow denser with them.
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
"""How much of labels shows that ground cuts in half: enough to be read."""


class LegendRow(msgspec.Struct, frozen=True):
    """One line of an overlay's legend."""

    style: Style  # how it is painted; its label says what it means
    count: int | None  # how many there are; None: it only says what a colour means
    shown: bool | None = None  # whether its boxes are drawn; None: they are not switched off alone


class OverlayMarks(msgspec.Struct, frozen=True, eq=False):
    """All that one overlay draws."""

    boxes: Boxes = msgspec.field(default_factory=no_boxes)  # blended far to near
    lines: Lines = msgspec.field(default_factory=no_lines)  # over the boxes
    # over both; those that would lie on nearer ones are left out
    labels: Labels = msgspec.field(default_factory=no_labels)
    legend: tuple[LegendRow, ...] = ()  # its rows, in order
    hidden: float = 0.0  # how much of lines and labels shows behind what hides them, 0..1
    moves: bool = True  # whether time alone makes other ones of them soon

    def without(self, hidden: AbstractSet[str]) -> "OverlayMarks":
        """Itself without the boxes whose style has one of these labels; its legend says which rows are switches.

        Where there are texts none is: they would be left without their boxes.
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
    """A row for every style with how often it was chosen: numbers of ``styles``, any shape."""
    counts = np.bincount(chosen.ravel(), minlength=len(styles))
    return tuple(LegendRow(style, int(count)) for style, count in zip(styles, counts, strict=False))


# ---------------------------------------------------------------- heat

STEPS: Final = (
    ((0.28, 0.20, 0.55), Hatch.NONE, 0.0, 0.10),
    ((0.20, 0.42, 0.60), Hatch.DOTS, 0.9, 0.12),
    ((0.13, 0.60, 0.54), Hatch.UPRIGHT, 0.6, 0.12),
    ((0.45, 0.80, 0.35), Hatch.DIAGONAL, 0.7, 0.14),
    ((0.88, 0.88, 0.20), Hatch.CROSS, 0.8, 0.16),
    ((1.00, 1.00, 0.85), Hatch.GRID, 0.95, 0.22),
)
"""Colour, hatch, strength and fill of each step, the least first."""


def heat_styles(labels: Sequence[str], line: Outline = Outline.THIN) -> tuple[Style, ...]:
    """A style a step, of at most six, all with one outline."""
    return tuple(
        Style(label, tone, line, hatch, strength, fill)
        for label, (tone, hatch, strength, fill) in zip(labels, STEPS, strict=False)
    )


def rising(bounds: Sequence[float], say: Callable[[float], str]) -> tuple[str, ...]:
    """What the steps between rising bounds are called; ``say`` tells a bound."""
    return (*(f"below {say(bound)}" for bound in bounds), f"{say(bounds[-1])} or more")


def step_of(numbers: npt.NDArray[np.floating | np.integer], bounds: Sequence[float]) -> npt.NDArray[np.uint8]:
    """uint8[n] which step each number falls into."""
    return np.searchsorted(np.array(bounds), numbers, side="right").astype(np.uint8)


Make = Callable[[OverlayFacts], OverlayMarks]


class MarkOverlay(msgspec.Struct, frozen=True):
    """What is drawn of one, and how long that stays true."""

    make: Make  # facts to marks; a pure function
    layer: int = 0  # those of higher layers are drawn over it
    lasts_s: float | None = None  # how long marks stay true though nothing came: time alone changes them then
    from_within: bool = False  # whether sides of its boxes are seen from inside, too
    by_eye: bool = False  # whether marks are other ones for an eye in another sub-chunk
    by_frame: bool = False  # whether they are other ones where culling did something else


REGISTRY: Final[dict[str, MarkOverlay]] = {}
"""By name, in the order they are drawn in; what lies over all comes last."""


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
) -> Callable[[Make], Make]:
    """Makes a function an overlay; window, legend, help, settings and command line know it from then on.

    ``name``: as ``--overlay`` takes it. ``keys``: that switch it in the preset ``qwerty``. ``then``: the
    overlay that its key shows when pressed again. ``layer``: this and what
    follows are ``MarkOverlay``'s.

    The first six are plain words and numbers: ``render.settings.overlays`` reads them from the text.
    """

    def register(make: Make) -> Make:
        declare(Named(name, letter, title, place, keys, then))
        REGISTRY[name] = MarkOverlay(make, layer, lasts_s, from_within, by_eye, by_frame)
        ordered = sorted(REGISTRY.items(), key=lambda entry: entry[1].layer)
        REGISTRY.clear()
        REGISTRY.update(ordered)
        return make

    return register
