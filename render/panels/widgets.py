"""Labels with texts, tooltips, drawing helpers, signs of graph lines.

``ImguiDrawing`` draws by hand with imgui: boxes, texts cut to a width, buttons. Positions are pixels, y down; ``em`` is
the height of the font, of which sizes are multiples.

Signs distinguish the lines of one graph without colours, on the line and beside its name.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui, implot

from render.panels.panel import legible

# ---------------------------------------------------------------- rows

NOTHING_MORE: Final[Mapping[str, str]] = MappingProxyType({})
LABEL_EM: Final = 7.0
"""Least width of the labels, in heights of the font, if there is room for it."""
LABEL_SHARE: Final = 0.45
"""Share of a narrow panel's width for the labels."""
LEAST_LINES: Final = 8
"""Least height of a scrolled table, in lines."""
RED: Final = (1.0, 0.35, 0.30, 1.0)
GREEN: Final = (0.40, 0.85, 0.50, 1.0)
"""Colours of what is wrong, and of what is right."""


def label_px(widest_px: float = 0.0) -> float:
    """Width of the labels, the widest of which is ``widest_px``, in the rest of the panel's width."""
    wanted = max(LABEL_EM * imgui.get_font_size(), widest_px)
    return float(min(wanted, LABEL_SHARE * imgui.get_content_region_avail().x))


def beside(label: str) -> None:
    """A label; the next item is beside it, in one column with the others unless the label is too long."""
    start = imgui.get_cursor_pos_x()
    imgui.align_text_to_frame_padding()  # aligned with the text in the field
    imgui.text(label)
    end = imgui.calc_text_size(label).x + imgui.get_style().item_spacing.x
    imgui.same_line(start + max(label_px(), float(end)))


def flows(words: str, more_em: float = 1.0) -> None:
    """Places the next item beside the last if there is room for it and ``more_em``, else below."""
    end = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    needed = imgui.calc_text_size(words).x + more_em * imgui.get_font_size()
    if imgui.get_item_rect_max().x + imgui.get_style().item_spacing.x + needed <= end:
        imgui.same_line()


def hint(words: str) -> None:
    """A description of the previous item: under the mouse, or below it when the keyboard focuses it."""
    if imgui.is_item_hovered():
        imgui.set_tooltip(words)
    elif imgui.is_item_focused() and imgui.get_io().nav_visible:
        imgui.set_next_window_pos((imgui.get_item_rect_min().x, imgui.get_item_rect_max().y))
        imgui.set_tooltip(words)


def soft(words: str) -> None:
    """A wrapped text in a fainter colour."""
    imgui.push_text_wrap_pos(0.0)
    imgui.text_disabled(words)
    imgui.pop_text_wrap_pos()


def cell(text: str) -> None:
    """A text in a table's column; complete in a tooltip if the column cuts it."""
    space, text = imgui.get_content_region_avail().x, legible(text)
    imgui.text(text)
    if imgui.is_item_hovered() and imgui.calc_text_size(text).x > space:
        imgui.set_tooltip(text)


def long_table(name: str, columns: Mapping[str, float], rows: int, width: float = 0.0) -> Iterator[int]:
    """A scrolled table over the rest of the panel; yields the number of each row in sight, whose cells the caller adds.

    ``columns``: headings, each with its share of the width; 0: as wide as its content. ``width``: pixels; 0: all.
    """
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.resizable
    high = max(imgui.get_content_region_avail().y, LEAST_LINES * imgui.get_text_line_height_with_spacing())
    if not imgui.begin_table(name, len(columns), flags, (width, high)):
        return
    imgui.table_setup_scroll_freeze(0, 1)
    for heading, share in columns.items():
        fixed = imgui.TableColumnFlags_.width_fixed | imgui.TableColumnFlags_.no_resize  # fitted in each frame
        imgui.table_setup_column(heading, imgui.TableColumnFlags_.width_stretch if share else fixed, share)
    imgui.table_headers_row()
    clipper = imgui.ListClipper()
    clipper.begin(rows)
    while clipper.step():
        for index in range(clipper.display_start, clipper.display_end):
            imgui.table_next_row()
            yield index
    clipper.end()
    imgui.end_table()


def rows(name: str, listed: Iterable[tuple[str, str]], means: Mapping[str, str] = NOTHING_MORE) -> None:
    """A table of two columns. ``means``: tooltips of some labels."""
    listed = tuple(listed)
    if not imgui.begin_table(name, 2, imgui.TableFlags_.row_bg):
        return
    widest_px = max((imgui.calc_text_size(label).x for label, _ in listed), default=0.0)
    imgui.table_setup_column("label", imgui.TableColumnFlags_.width_fixed, label_px(widest_px))
    imgui.table_setup_column("text")
    for label, text in listed:
        imgui.table_next_column()
        soft(label)
        if label in means:
            hint(means[label])
        imgui.table_next_column()
        imgui.text_wrapped(legible(text))
    imgui.end_table()


# ---------------------------------------------------------------- strokes

Colour = tuple[float, float, float, float]
SKY: Final = (0.055, 0.085, 0.125, 1.0)
GROUND: Final = (0.020, 0.028, 0.042, 1.0)
DIM: Final = (0.0, 0.01, 0.02, 0.55)
CARD: Final = (0.075, 0.090, 0.115, 0.97)
EDGE: Final = (1.0, 1.0, 1.0, 0.08)
FIELD_FILL: Final = (0.030, 0.038, 0.052, 1.0)
TEXT: Final = (0.93, 0.95, 0.97, 1.0)
SOFT: Final = (0.62, 0.68, 0.75, 1.0)
ACCENT: Final = (0.33, 0.70, 1.0, 1.0)
CHOSEN: Final = (0.33, 0.70, 1.0, 0.20)
HOVER: Final = (1.0, 1.0, 1.0, 0.06)
AMBER: Final = (1.0, 0.74, 0.36, 1.0)
ALARM: Final = (1.0, 0.45, 0.40, 1.0)
ALARM_FILL: Final = (0.75, 0.16, 0.12, 0.22)


class ImguiDrawing:
    """Draws into one imgui window, for one frame."""

    def __init__(self, lines: Any) -> None:  # Any: imgui's
        self.em = imgui.get_font_size()  # height of the font in pixels
        self.lines = lines  # imgui's draw list

    def hit(self, name: str, x0: float, y0: float, x1: float, y1: float) -> tuple[bool, bool]:
        """A clickable area: whether it was clicked, and whether the mouse is there."""
        imgui.set_cursor_screen_pos(self.at(x0, y0))
        clicked = imgui.invisible_button(name, (max(x1 - x0, 1.0), max(y1 - y0, 1.0)))
        return bool(clicked), bool(imgui.is_item_hovered())

    def button(self, label: str, x0: float, y0: float, x1: float, y1: float) -> bool:
        clicked, hovered = self.hit(label, x0, y0, x1, y1)
        self.box(x0, y0, x1, y1, fade(ACCENT, 0.55 if hovered else 0.30), 0.3)
        size = imgui.calc_text_size(label)
        self.text((x0 + x1 - size.x) / 2, (y0 + y1 - size.y) / 2, label, TEXT)
        return clicked

    def box(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, round_em: float) -> None:
        """A filled box with corners rounded by ``round_em``."""
        self.lines.add_rect_filled(self.at(x0, y0), self.at(x1, y1), paint(colour), round_em * self.em)

    def text(
        self, x: float, y: float, words: str, colour: Colour, size: float | None = None, wrap: float = 0.0
    ) -> None:
        """A text that starts at a point. ``size`` None: of the font's height. ``wrap``: its width; 0: not wrapped."""
        if words:
            at = self.at(round(x), round(y))
            self.lines.add_text(imgui.get_font(), round(size or self.em), at, paint(colour), words, wrap_width=wrap)

    def wrapped(self, x: float, y: float, words: str, colour: Colour, space: float) -> float:
        """A wrapped text; returns its height."""
        height = imgui.calc_text_size(words, wrap_width=space).y
        imgui.set_cursor_screen_pos(self.at(round(x), round(y)))
        imgui.push_text_wrap_pos(x + space)
        imgui.text_colored(colour, words)
        imgui.pop_text_wrap_pos()
        return float(height)

    def text_right(self, x: float, y: float, words: str, colour: Colour) -> None:
        self.text(x - imgui.calc_text_size(words).x, y, words, colour)

    def fitted(self, words: str, space: float) -> str:
        """As much of a text as fits, with dots if it is cut."""
        if imgui.calc_text_size(words).x <= space:
            return words
        low, high = 0, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            if imgui.calc_text_size(words[:middle].rstrip() + "…").x <= space:
                low = middle
            else:
                high = middle - 1
        return words[:low].rstrip() + "…" if low else ""

    @staticmethod
    def at(x: float, y: float) -> Any:  # Any: imgui's vector
        return imgui.ImVec2(x, y)


BARE: Final = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_background
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_docking
)
"""Flags of a window that shows only what is drawn by hand."""


def fade(colour: Colour, strength: float) -> Colour:
    return (*colour[:3], colour[3] * strength)


def paint(colour: Colour) -> int:
    """A colour packed for imgui's lists."""
    return int(imgui.get_color_u32(colour))


# ---------------------------------------------------------------- signs

Points = Sequence[tuple[float, float]]
COLOURS: Final = (
    (0.34, 0.71, 0.91), (0.90, 0.62, 0.00), (0.00, 0.75, 0.55), (0.84, 0.47, 0.65),
    (0.94, 0.89, 0.26), (0.90, 0.40, 0.10), (0.45, 0.55, 1.00),
)  # fmt: skip
"""Colours by Okabe and Ito for colour-blind people, the darkest made lighter, since panels are dark."""
ON_LINES: Final = (1.0, 1.0, 1.0)
ON_AREAS: Final = (0.0, 0.0, 0.0)
"""Colour of signs on areas: it differs from every line's colour and from the background."""
EVERY: Final = 48
"""Frames from one sign of a line to the next."""
FEWEST: Final = 5
"""Least number of a line's signs when there are few frames."""
STEP: Final = 11
"""Offset in frames between the signs of successive lines, so that they do not cover each other."""
SIZE_EM: Final = 0.28
"""Half of a sign, in heights of the font."""
WIDTH_EM: Final = 0.085
LEAST_SHARE: Final = 0.02
"""Share of the largest sum of a stacked graph: smaller areas have no sign, which would cover others."""


def _corners(number: int, first_deg: float) -> Points:
    turns = (math.radians(first_deg + 360 * corner / number) for corner in range(number))
    return tuple((math.cos(turn), math.sin(turn)) for turn in turns)


def _star(arms: int, first_deg: float) -> tuple[Points, ...]:
    ends = _corners(2 * arms, first_deg)
    return tuple((ends[one], ends[one + arms]) for one in range(arms))


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
"""implot's number of each sign, and the same drawn by hand: filled outlines, or strokes."""


def line_spec(index: int) -> implot.Spec:
    """Style of a line, or of its area, for implot."""
    colour = imgui.ImVec4(*COLOURS[index % len(COLOURS)], 1.0)
    return implot.Spec(line_color=colour, line_weight=WIDTH_EM * imgui.get_font_size(), fill_color=colour)


def sign_spec(index: int, stacked: bool) -> implot.Spec:
    """Style of a line's signs, for implot."""
    em, colour = imgui.get_font_size(), imgui.ImVec4(*(ON_AREAS if stacked else ON_LINES), 1.0)
    return implot.Spec(
        line_weight=WIDTH_EM * em,
        marker=SIGNS[index % len(SIGNS)][0],
        marker_size=SIZE_EM * em,
        marker_line_color=colour,
        marker_fill_color=colour,
    )


def signed(index: int, length: int) -> npt.NDArray[np.intp]:
    """The frames at which a line has its signs: they stay in place in the graph while lines move on."""
    every = max(min(EVERY, length // FEWEST), 1)
    first = length - 1 - (STEP * index % EVERY) * every // EVERY
    return np.arange(first, -1, -every)[::-1]


def swatch(index: int, stacked: bool, left: float, middle: float, strength: float) -> None:
    """A sample of a line, or of its area, with its sign: six half signs wide; ``strength`` 0..1."""
    radius, weight = SIZE_EM * imgui.get_font_size(), WIDTH_EM * imgui.get_font_size()
    lines, right = imgui.get_window_draw_list(), left + 6 * radius
    colour, sign = (
        imgui.get_color_u32(imgui.ImVec4(*rgb, strength))
        for rgb in (COLOURS[index % len(COLOURS)], ON_AREAS if stacked else ON_LINES)
    )
    half = 1.7 * radius if stacked else weight
    lines.add_rect_filled((left, middle - half), (right, middle + half), colour)
    for points in SIGNS[index % len(SIGNS)][1]:
        at = [(left + 3 * radius + radius * x, middle + radius * y) for x, y in points]
        if len(at) > 2:
            lines.add_convex_poly_filled([imgui.ImVec2(*point) for point in at], sign)
        else:
            lines.add_line(at[0], at[1], sign, 1.5 * weight)
