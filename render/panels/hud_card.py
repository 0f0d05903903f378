"""Draws what stands over the picture beside the panels with imgui. See ``hud`` for what it shows.

Numbers and lists stand in the upper left corner, the legend in the lower left one, a banner low in the middle; what is
drawn first has its room first: the banner, the numbers, the legend. Sizes are in heights of the font (em).

Rules:
1. Numbers and lists are smaller where the picture is, rather than cut off, and wrapped where they are too long even so.
2. The legend leaves out what there is none of where room is scarce, and says how much is missing.
3. The mouse is not ours here.
"""

from collections.abc import Callable
from typing import Any, Final

from imgui_bundle import imgui

from render.overlays.marks import LegendRow
from render.overlays.registry import entries_of
from render.panels.hud import Banner, BannerKind, HudView, Room
from render.panels.widgets import ACCENT, ALARM, SOFT, TEXT, Colour, ImguiDrawing
from render.passes.overlay.boxes import Style

MARGIN_EM: Final = 0.55
LINE: Final = 1.15
"""From line to line, in heights of the letters."""
COLUMNS_EM: Final = (2.4, 4.5)
"""Where tabs lead to."""
SMALLEST: Final = 0.5
"""Of its size, where text must be smaller to fit the height; of that at scale 1 where the scale is larger: a list of
keys that is cut off helps nobody."""
NARROWEST: Final = 0.75
"""The same for the width: a single long line makes no other unreadable."""
STEP: Final = 0.95
SMALL_LEGEND: Final = 0.75
"""Of the legend's size, and ..."""
SMALL_LEGEND_SHARE: Final = 0.45
"""... of the picture's height, in a small window: what is seen there is the world."""
LEGEND_EM: Final = 0.9
ROW_EM: Final = 1.85
SWATCH_EM: Final = 1.45
WIDEST: Final = 0.86
"""Of the picture, for a banner."""
BACK: Final = (0.0, 0.0, 0.0, 0.60)
LEGEND_BACK: Final = (0.0, 0.0, 0.0, 0.67)
CARD: Final = (0.055, 0.07, 0.10, 0.88)
COLOURS: Final[dict[BannerKind, Colour]] = {
    BannerKind.LOST: ALARM,
    BannerKind.JOINING: ACCENT,
    BannerKind.PAST: (0.95, 0.75, 0.30, 1.0),
}
"""The past has that of the panel of events."""
BARE: Final = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_background
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_inputs
    | imgui.WindowFlags_.no_docking
)


def draw(view: HudView, room: Room, scale: float, picture: Callable[[Style], int]) -> Room:
    """Lists one frame of it over the whole display; what is left of the room between numbers and banner."""
    imgui.set_next_window_pos(imgui.ImVec2(0, 0))
    imgui.set_next_window_size(imgui.get_io().display_size)
    imgui.begin("Hud", None, BARE)
    pen = ImguiDrawing(imgui.get_window_draw_list())
    if view.banner:
        room = room._replace(bottom=_banner(pen, view.banner, room))
    if view.lines:
        room = room._replace(top=_lines(pen, view.lines, room, SMALLEST / max(scale, 1.0)))
    if view.legend:
        _legend(pen, view, room, picture)
    imgui.end()
    return room


# ---------------------------------------------------------------- numbers and lists


def _lines(pen: ImguiDrawing, lines: tuple[str, ...], room: Room, smallest: float) -> float:
    """Draws them; where they end."""
    margin = MARGIN_EM * pen.em
    inner = room.right - room.left - 4 * margin, room.bottom - room.top - 4 * margin
    size, wide, high = fitted(lines, pen.em, inner, smallest)
    left, top = room.left + 2 * margin, room.top + 2 * margin
    pen.box(left - margin, top - margin, left + wide + margin, top + high + margin, BACK, 0.25)
    y = top
    for line in lines:
        for x, words in _columns(line, size):
            pen.lines.add_text(
                imgui.get_font(), size, pen.at(left + x, y), imgui.get_color_u32(imgui.ImVec4(*TEXT)), words,
                wrap_width=max(inner[0] - x, 1.0),
            )  # fmt: skip
        y += _height(line, size, inner[0])
    return y + 2 * margin


def fitted(lines: tuple[str, ...], em: float, room: tuple[float, float], smallest: float) -> tuple[float, float, float]:
    """The size of letters in which lines fit a room as far as may be, with the width and height that they have then."""
    widest = _widest(lines, em)
    size = float(round(em * min(1.0, max(room[0] / max(widest, 1.0), NARROWEST))))
    while (high := sum(_height(line, size, room[0]) for line in lines)) > room[1] and size > em * smallest:
        size = max(float(int(size * STEP)), em * smallest)
    return size, min(_widest(lines, size), max(room[0], 1.0)), high


def _widest(lines: tuple[str, ...], size: float) -> float:
    return max((x + measured(words, size)[0] for line in lines for x, words in _columns(line, size)), default=0.0)


def _columns(line: str, size: float) -> list[tuple[float, str]]:
    words = line.split("\t")
    starts = (0.0, *(size * em for em in COLUMNS_EM))
    return [(starts[min(number, len(COLUMNS_EM))], word) for number, word in enumerate(words)]


def _height(line: str, size: float, room: float) -> float:
    """Of a line, which is several where it is wrapped."""
    highest = max(measured(words or " ", size, max(room - x, 1.0))[1] for x, words in _columns(line, size))
    return highest + size * (LINE - 1.0)


def measured(words: str, size: float, wrap: float = -1.0) -> tuple[float, float]:
    """Width and height of a text in letters of a size, both in pixels; wrapped at a width where one is given."""
    imgui.push_font(None, size / imgui.get_style().font_scale_main)
    taken = imgui.calc_text_size(words, wrap_width=wrap)
    imgui.pop_font()
    return float(taken.x), float(taken.y)


# ---------------------------------------------------------------- legend


def _legend(pen: ImguiDrawing, view: HudView, room: Room, picture: Callable[[Style], int]) -> None:
    share = SMALL_LEGEND if view.small else 1.0
    size, row_px, margin = round(LEGEND_EM * share * pen.em), ROW_EM * share * pen.em, MARGIN_EM * share * pen.em
    side = SWATCH_EM * share * pen.em
    high = room.bottom - room.top
    if view.small:
        high = min(high, SMALL_LEGEND_SHARE * imgui.get_io().display_size.y)
    entries = entries_of(view.legend, view.more, int((high - 4 * margin) // row_px))
    if not entries:
        return
    wide = max(_start(row, row_px) + measured(text, size)[0] for text, row in entries)
    left, bottom = room.left + margin, room.bottom - margin
    top = bottom - 2 * margin - row_px * len(entries)
    pen.box(left, top, min(left + 2 * margin + wide, room.right), bottom, LEGEND_BACK, 0.25)
    for index, (text, row) in enumerate(entries):
        y = top + margin + row_px * index
        if row is not None:
            corner = pen.at(round(left + margin), round(y + (row_px - side) / 2))
            end = pen.at(corner.x + round(side), corner.y + round(side))
            pen.lines.add_image(imgui.ImTextureRef(picture(row.style)), corner, end)
        pen.text(left + margin + _start(row, row_px), y + (row_px - size) / 2, text, TEXT, size)


def _start(row: LegendRow | None, row_px: float) -> float:
    return row_px if row is not None else 0.0


# ---------------------------------------------------------------- banner


def _banner(pen: ImguiDrawing, banner: Banner, room: Room) -> float:
    """Draws it; its upper end."""
    em, wide = pen.em, room.right - room.left
    most = max(WIDEST * wide - 4 * em, 1.0)
    rows: tuple[tuple[str, float, Colour], ...] = (
        (banner.title, 1.15 * em, TEXT), (banner.words, em, (0.80, 0.84, 0.88, 1.0)), (banner.keys, 0.9 * em, SOFT)
    )  # fmt: skip
    sizes = [measured(words, round(size), most) for words, size, _ in rows]
    inner = max(20 * em if most > 20 * em else most, *(across for across, _ in sizes))
    high = sum(down for _, down in sizes) + 2.2 * em
    left = room.left + max((wide - inner) / 2 - 1.2 * em, 0.0)
    bottom = room.bottom - 0.9 * em
    top, right, colour = bottom - high, left + inner + 2.4 * em, COLOURS[banner.kind]
    pen.box(left, top, right, bottom, CARD, 0.3)
    pen.box(left, top, left + 0.25 * em, bottom, colour, 0.1)
    y = top + 0.6 * em
    for (words, size, tone), (_, taken) in zip(rows, sizes, strict=True):
        pen.lines.add_text(
            imgui.get_font(), round(size), _whole(left + 1.2 * em, y), imgui.get_color_u32(imgui.ImVec4(*tone)), words,
            wrap_width=most,
        )  # fmt: skip
        y += taken + 0.4 * em
    if banner.share is not None:
        pen.box(left, bottom - 0.22 * em, left + (right - left) * banner.share, bottom, colour, 0.1)
    return float(top)


def _whole(x: float, y: float) -> Any:  # Any: imgui's vector
    return ImguiDrawing.at(round(x), round(y))
