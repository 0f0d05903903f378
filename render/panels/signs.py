"""How lines of one graph are told apart: by colour, and without colours by a sign, on the line and beside its name."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui, implot

Points = Sequence[tuple[float, float]]
COLOURS: Final = (
    (0.34, 0.71, 0.91), (0.90, 0.62, 0.00), (0.00, 0.75, 0.55), (0.84, 0.47, 0.65),
    (0.94, 0.89, 0.26), (0.90, 0.40, 0.10), (0.45, 0.55, 1.00),
)  # fmt: skip
"""Those that Okabe and Ito give for people who see few colours, the darkest made lighter: panels are dark."""
ON_LINES: Final = (1.0, 1.0, 1.0)
ON_AREAS: Final = (0.0, 0.0, 0.0)
"""What signs are drawn in: of each colour of a line one is far, and of none of them the background is."""
EVERY: Final = 48
"""Frames from one sign of a line to the next."""
FEWEST: Final = 5
"""Signs that a line has where there are few frames yet."""
STEP: Final = 11
"""Frames that each line's signs lie after those of the line before, lest they cover each other."""
SIZE_EM: Final = 0.28
"""Half of a sign, in heights of the font."""
WIDTH_EM: Final = 0.085
LEAST_SHARE: Final = 0.02
"""Of the largest sum of a stacked graph: an area below it has no sign, which would cover others' for nothing to see."""


def _corners(number: int, first_deg: float) -> Points:
    turns = (math.radians(first_deg + 360 * corner / number) for corner in range(number))
    return tuple((math.cos(turn), math.sin(turn)) for turn in turns)


def _star(strokes: int, first_deg: float) -> tuple[Points, ...]:
    ends = _corners(2 * strokes, first_deg)
    return tuple((ends[one], ends[one + strokes]) for one in range(strokes))


SIGNS: Final[tuple[tuple[int, tuple[Points, ...]], ...]] = (
    (int(implot.Marker_.circle), (_corners(12, 0.0),)),
    (int(implot.Marker_.square), (_corners(4, 45.0),)),
    (int(implot.Marker_.up), (_corners(3, -90.0),)),
    (int(implot.Marker_.cross), _star(2, 45.0)),
    (int(implot.Marker_.diamond), (_corners(4, 0.0),)),
    (int(implot.Marker_.down), (_corners(3, 90.0),)),
    (int(implot.Marker_.plus), _star(2, 0.0)),
    (int(implot.Marker_.left), (_corners(3, 180.0),)),
    (int(implot.Marker_.asterisk), _star(3, 90.0)),
    (int(implot.Marker_.right), (_corners(3, 0.0),)),
)
"""implot's number of each sign, and the same drawn by hand: outlines that are filled, or strokes from end to end."""


def line_spec(index: int) -> implot.Spec:
    """How implot draws that line, or its area."""
    colour = imgui.ImVec4(*COLOURS[index % len(COLOURS)], 1.0)
    return implot.Spec(line_color=colour, line_weight=WIDTH_EM * imgui.get_font_size(), fill_color=colour)


def sign_spec(index: int, stacked: bool) -> implot.Spec:
    """How implot draws that line's signs."""
    em, colour = imgui.get_font_size(), imgui.ImVec4(*(ON_AREAS if stacked else ON_LINES), 1.0)
    return implot.Spec(
        line_weight=WIDTH_EM * em,
        marker=SIGNS[index % len(SIGNS)][0],
        marker_size=SIZE_EM * em,
        marker_line_color=colour,
        marker_fill_color=colour,
    )


def signed(index: int, length: int) -> npt.NDArray[np.intp]:
    """At which of so many frames that line has its signs: in a graph they stay in their places while lines move on."""
    every = max(min(EVERY, length // FEWEST), 1)
    first = length - 1 - (STEP * index % EVERY) * every // EVERY
    return np.arange(first, -1, -every)[::-1]


def swatch(index: int, stacked: bool, left: float, middle: float, strength: float) -> None:
    """A piece of that line, or of its area, with its sign: six half signs wide; of strength 0..1."""
    radius, weight = SIZE_EM * imgui.get_font_size(), WIDTH_EM * imgui.get_font_size()
    lines, right = imgui.get_window_draw_list(), left + 6 * radius
    colour, sign = (
        imgui.get_color_u32(imgui.ImVec4(*rgb, strength))
        for rgb in (COLOURS[index % len(COLOURS)], ON_AREAS if stacked else ON_LINES)
    )
    half = 1.7 * radius if stacked else weight
    lines.add_rect_filled(imgui.ImVec2(left, middle - half), imgui.ImVec2(right, middle + half), colour)
    for points in SIGNS[index % len(SIGNS)][1]:
        at = [(left + 3 * radius + radius * x, middle + radius * y) for x, y in points]
        if len(at) > 2:
            lines.add_convex_poly_filled([imgui.ImVec2(*point) for point in at], sign)
        else:
            lines.add_line(at[0], at[1], sign, 1.5 * weight)
