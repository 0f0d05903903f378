"""Draws with imgui what ``hud`` describes over the picture, beside the panels.

HUD and lists are in the upper left corner, the legend in the lower left one, cards low in the middle. They take their
room in the order cards, HUD, legend; the rest is for messages. Sizes are in heights of the font (em).

Rules:
1. HUD and lists shrink with the picture rather than being cut off, and are wrapped if they are still too long. The HUD
   has a fixed width, whatever its numbers are.
2. In a small picture the legend leaves out rows with a count of 0, and says how many.
3. The mouse is not handled here.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from imgui_bundle import imgui

from client.connection.opening import counted
from render.overlays.legend import entries_of
from render.overlays.overlay import LegendRow
from render.panels.hud import Banner, BannerKind, HudArea, HudView, KeyRow, KeyTableView
from render.panels.widgets import ACCENT, ALARM, BARE, CHOSEN, FIELD_FILL, SOFT, TEXT, Colour, ImguiDrawing, paint
from render.passes.overlay.boxes import Style

MARGIN_EM: Final = 0.55
LINE: Final = 1.15
"""Distance of lines, in heights of the letters."""
BESIDE_SHARE: Final = 0.55
"""Share of the area's width or height that a legend must leave for messages beside or above it."""
SMALLEST: Final = 0.5
"""Least factor on the text size to fit the height; relative to scale 1 if the scale is larger: a list of keys that is
cut off is useless."""
NARROWEST: Final = 0.75
"""The same for the width: a single long line must not make the others unreadable."""
STEP: Final = 0.95
SMALL_LEGEND: Final = 0.75
"""Size of the legend relative to its usual size in a small window."""
SMALL_LEGEND_SHARE: Final = 0.45
"""Share of the picture's height for the legend in a small window, which should show the world."""
LEGEND_EM: Final = 0.9
ROW_EM: Final = 1.85
SWATCH_EM: Final = 1.45
WIDEST: Final = 0.86
"""Share of the picture's width for a banner."""
BACK: Final = (0.02, 0.03, 0.04, 0.88)
SOLID: Final = (*BACK[:3], 1.0)
"""With overlays: their marks must not show through the text."""
LABEL: Final = (0.55, 0.78, 1.0, 1.0)
CAP: Final = (0.24, 0.28, 0.34, 1.0)
CAP_EDGE: Final = (0.55, 0.60, 0.68, 1.0)
CAP_PAD_EM: Final = 0.45
CAP_ROW_EM: Final = 1.9
BETWEEN_EM: Final = 0.35
JOINT: Final = "or"
RECORDING: Final = (1.0, 0.25, 0.22, 1.0)
TABLE_EM: Final = 46.0
TABLE_KEYS_EM: Final = 11.0
TABLE_KEYS_SHARE: Final = 0.34
"""Share of the table's width for its keys, unless they need less."""
SMALLEST_CARD: Final = 0.7
FEW_EM: Final = 30.0
"""Narrower areas, or ones of less than half that height, have a smaller table and card."""
CARD: Final = (0.055, 0.07, 0.10, 0.88)
COLOURS: Final[dict[BannerKind, Colour]] = {
    BannerKind.LOST: ALARM,
    BannerKind.JOINING: ACCENT,
    BannerKind.PAST: (0.95, 0.75, 0.30, 1.0),
}
"""The past has the same colour as in the panel of events."""


def draw(view: HudView, free: HudArea, scale: float, picture: Callable[[Style], int]) -> HudArea:
    """Draws one frame over the whole display; returns the area left for messages."""
    imgui.set_next_window_pos((0, 0))
    imgui.set_next_window_size(imgui.get_io().display_size)
    imgui.begin("Hud", None, BARE | imgui.WindowFlags_.no_inputs)
    pen = ImguiDrawing(imgui.get_window_draw_list())
    whole = free
    if view.table:
        _table(pen, view.table, free, scale)
    else:
        if view.banner:
            free = free._replace(bottom=_banner(pen, view.banner, free))
        if view.keys:
            free = free._replace(bottom=_keys(pen, view.keys, free, scale))
        right = free.right
        if view.lines:
            right, low = _lines(pen, view, free, SMALLEST / max(scale, 1.0))
            free = free._replace(top=low)
        if view.recorded is not None:
            _recording(pen, view.recorded, whole if right < 0.8 * whole.right else free)
        if view.legend:
            free = _beside(free, *_legend(pen, view, free, picture))
    imgui.end()
    return free


def _beside(free: HudArea, right: float, top: float) -> HudArea:
    """The area left by a legend in the lower left corner: right of it, or above it; all of it if both are small."""
    if free.right - right > BESIDE_SHARE * (free.right - free.left):
        return free._replace(left=right)
    return free._replace(bottom=top) if top - free.top > BESIDE_SHARE * (free.bottom - free.top) else free


# ---------------------------------------------------------------- numbers and lists


class Cell(NamedTuple):
    """A text of a line with its position, in pixels from the upper left corner of all lines; wrapped at a width."""

    x: float
    y: float
    words: str
    wrap: float


def _lines(pen: ImguiDrawing, view: HudView, free: HudArea, smallest: float) -> tuple[float, float]:
    """Draws the lines; returns their right and lower end."""
    margin = MARGIN_EM * pen.em
    inner = free.right - free.left - 4 * margin, free.bottom - free.top - 4 * margin
    size, cells, wide, high = fitted(view, pen.em, inner, smallest)
    left, top = free.left + 2 * margin, free.top + 2 * margin
    right = left + wide + margin
    pen.box(left - margin, top - margin, right, top + high + margin, SOLID if view.legend else BACK, 0.25)
    if view.share is not None:
        low, begin = top + high + margin, left - margin
        pen.box(begin, low - 0.2 * pen.em, begin + (right - begin) * view.share, low, COLOURS[BannerKind.PAST], 0.1)
    for cell in cells:
        tone, at = LABEL if view.wide_em and not cell.x else TEXT, pen.at(round(left + cell.x), round(top + cell.y))
        pen.lines.add_text(imgui.get_font(), size, at, paint(tone), cell.words, wrap_width=cell.wrap)
    return right, top + high + 2 * margin


def fitted(
    view: HudView, em: float, free: tuple[float, float], smallest: float
) -> tuple[float, list[Cell], float, float]:
    """The text size in which lines fit an area as far as possible, their texts, width and height."""
    wanted = view.wide_em * em or _widest(view, em)
    size = float(round(em * min(1.0, max(free[0] / max(wanted, 1.0), NARROWEST))))
    while True:
        cells, high = placed(view, size, free[0])
        if high <= free[1] or size <= em * smallest:
            return size, cells, min(view.wide_em * size or _widest(view, size), max(free[0], 1.0)), high
        size = max(float(int(size * STEP)), em * smallest)


def placed(view: HudView, size: float, free: float) -> tuple[list[Cell], float]:
    """The texts of all lines in a text size, and their height; columns without room continue below."""
    starts = [start * size for start in view.columns_em]
    end = min(view.wide_em * size or free, free)
    cells: list[Cell] = []
    y = 0.0
    for line in view.lines:
        words = line.split("\t")
        shift, high = 0.0, size
        for number, text in enumerate(words):
            x = starts[min(number, len(starts) - 1)] - shift
            last = number == len(words) - 1
            after = end if last or number + 1 >= len(starts) else starts[number + 1] - shift
            if view.wide_em and number > 1 and (after > end or (last and x + measured(text, size)[0] > end)):
                shift += x - starts[1]
                y, x, high = y + high + size * (LINE - 1.0), starts[1], size
                after = end if last or number + 1 >= len(starts) else starts[number + 1] - shift
            wrap = max((after if view.wide_em and not last else end) - x, 1.0)
            cells.append(Cell(x, y, text, wrap))
            high = max(high, measured(text or " ", size, wrap)[1])
        y += high + size * (LINE - 1.0)
    return cells, y


def _widest(view: HudView, size: float) -> float:
    starts = [start * size for start in view.columns_em]
    return max(
        (
            starts[min(number, len(starts) - 1)] + measured(words, size)[0]
            for line in view.lines
            for number, words in enumerate(line.split("\t"))
        ),
        default=0.0,
    )


def measured(words: str, size: float, wrap: float = -1.0) -> tuple[float, float]:
    """Width and height in pixels of a text in a text size; wrapped at a width if one is given."""
    imgui.push_font(None, size / imgui.get_style().font_scale_main)
    taken = imgui.calc_text_size(words, wrap_width=wrap)
    imgui.pop_font()
    return float(taken.x), float(taken.y)


# ---------------------------------------------------------------- legend


def _legend(pen: ImguiDrawing, view: HudView, free: HudArea, picture: Callable[[Style], int]) -> tuple[float, float]:
    """Draws the legend; returns its right and upper end."""
    share = SMALL_LEGEND if view.small else 1.0
    size, row_px, margin = round(LEGEND_EM * share * pen.em), ROW_EM * share * pen.em, MARGIN_EM * share * pen.em
    side = SWATCH_EM * share * pen.em
    high = free.bottom - free.top
    if view.small:
        high = min(high, SMALL_LEGEND_SHARE * imgui.get_io().display_size.y)
    entries = entries_of(view.legend, view.more, int((high - 4 * margin) // row_px))
    if not entries:
        return free.left, free.bottom
    wide = max(_start(row, row_px) + measured(text, size)[0] for text, row in entries)
    if wide > (most := free.right - free.left - 3 * margin):  # as beside docked panels in a small window
        size = max(int(size * (most - row_px) / (wide - row_px)), 1)
    left, bottom = free.left + margin, free.bottom - margin
    top = bottom - 2 * margin - row_px * len(entries)
    right = min(left + 2 * margin + wide, free.right)
    pen.box(left, top, right, bottom, SOLID, 0.25)
    for index, (text, row) in enumerate(entries):
        y = top + margin + row_px * index
        if row is not None:
            corner = pen.at(round(left + margin), round(y + (row_px - side) / 2))
            end = pen.at(corner.x + round(side), corner.y + round(side))
            pen.lines.add_image(imgui.ImTextureRef(picture(row.style)), corner, end)
        pen.text(left + margin + _start(row, row_px), y + (row_px - size) / 2, text, TEXT, size)
    return right, top


def _start(row: LegendRow | None, row_px: float) -> float:
    return row_px if row is not None else 0.0


# ---------------------------------------------------------------- banner


def _banner(pen: ImguiDrawing, banner: Banner, free: HudArea) -> float:
    """Draws the banner; returns its upper end."""
    em, wide = pen.em, free.right - free.left
    most = max(WIDEST * wide - 4 * em, 1.0)
    rows: tuple[tuple[str, float, Colour], ...] = (
        (banner.title, 1.15 * em, TEXT), (banner.words, em, (0.80, 0.84, 0.88, 1.0)), (banner.keys, 0.9 * em, SOFT)
    )  # fmt: skip
    sizes = [measured(words, round(size), most) for words, size, _ in rows]
    inner = max(20 * em if most > 20 * em else most, *(across for across, _ in sizes))
    high = sum(down for _, down in sizes) + 2.2 * em
    left = free.left + max((wide - inner) / 2 - 1.2 * em, 0.0)
    bottom = free.bottom - 0.9 * em
    top, right, colour = bottom - high, left + inner + 2.4 * em, COLOURS[banner.kind]
    pen.box(left, top, right, bottom, CARD, 0.3)
    pen.box(left, top, left + 0.25 * em, bottom, colour, 0.1)
    y = top + 0.6 * em
    for (words, size, tone), (_, taken) in zip(rows, sizes, strict=True):
        pen.text(left + 1.2 * em, y, words, tone, size, most)
        y += taken + 0.4 * em
    if banner.share is not None:
        pen.box(left, bottom - 0.22 * em, left + (right - left) * banner.share, bottom, colour, 0.1)
    return float(top)


# ---------------------------------------------------------------- keys


def _keys(pen: ImguiDrawing, keys: tuple[KeyRow, ...], free: HudArea, scale: float) -> float:
    """Draws a card with one row for each key; returns its upper end."""
    size = _smaller(pen, free, scale)
    caps = max(_caps_wide(row.caps, size) for row in keys)
    wide = caps + size + max(measured(row.means, size)[0] for row in keys)
    pad, high = 0.9 * size, CAP_ROW_EM * size * len(keys)
    left = free.left + max((free.right - free.left - wide) / 2 - pad, 0.0)
    bottom = free.bottom - 0.9 * pen.em
    top = bottom - high - pad
    pen.box(left, top, min(left + wide + 2 * pad, free.right), bottom, CARD, 0.3)
    for number, row in enumerate(keys):
        y = top + pad / 2 + CAP_ROW_EM * size * number
        _caps(pen, left + pad + caps - _caps_wide(row.caps, size), y, row.caps, size)
        pen.text(left + pad + caps + size, y + (CAP_ROW_EM - 1.0) / 2 * size, row.means, TEXT, size)
    return float(top)


def _smaller(pen: ImguiDrawing, free: HudArea, scale: float) -> float:
    """The text size of a card: smaller in a small area, down to ``SMALLEST_CARD`` at scale 1."""
    share = min((free.right - free.left) / FEW_EM, 2 * (free.bottom - free.top) / FEW_EM) / pen.em
    return float(round(pen.em * min(max(share, SMALLEST_CARD / max(scale, 1.0)), 1.0)))


def _caps_wide(caps: tuple[str, ...], size: float) -> float:
    return sum(_cap_wide(cap, size) + BETWEEN_EM * size for cap in caps) - (BETWEEN_EM * size if caps else 0.0)


def _cap_wide(cap: str, size: float) -> float:
    return measured(cap, size)[0] + (0.0 if cap == JOINT else 2 * CAP_PAD_EM * size)


def _caps(pen: ImguiDrawing, x: float, y: float, caps: tuple[str, ...], size: float) -> None:
    """Keys side by side in a row that starts at a point."""
    top, bottom = round(y + 0.2 * size), round(y + (CAP_ROW_EM - 0.2) * size)
    for cap in caps:
        wide, pad = _cap_wide(cap, size), 0.0
        if cap != JOINT:
            pad = CAP_PAD_EM * size
            corner, end = pen.at(round(x), top), pen.at(round(x + wide), bottom)
            pen.lines.add_rect_filled(corner, end, paint(CAP), 0.25 * size)
            pen.lines.add_rect(corner, end, paint(CAP_EDGE), 0.25 * size)
        pen.text(x + pad, y + (CAP_ROW_EM - 1.0) / 2 * size, cap, TEXT if pad else SOFT, size)
        x += wide + BETWEEN_EM * size


def _table(pen: ImguiDrawing, table: KeyTableView, free: HudArea, scale: float) -> None:
    """Draws the table: a field with the typed text, rows around the selected one, the effect of Enter."""
    em = _smaller(pen, free, scale)
    pad = 0.8 * em
    wide = min(TABLE_EM * em, free.right - free.left - 2 * pad)
    left = (free.left + free.right - wide) / 2
    right, top, bottom = left + wide, free.top + pad, free.bottom - pad
    pen.box(left, top, right, bottom, (*CARD[:3], 0.97), 0.4)
    field = top + 2.6 * em
    pen.box(left + pad, top + 0.5 * em, right - pad, field - 0.4 * em, FIELD_FILL, 0.3)
    asked = f"{table.text}▏" if table.text else "Type to search keys and commands"
    count = f"{counted(len(table.rows), 'row')}, layout {table.preset}"
    words = pen.fitted(asked, (wide - 3 * pad) * pen.em / em)
    pen.text(left + 1.6 * pad, top + 0.8 * em, words, TEXT if table.text else SOFT, em)
    if measured(words, em)[0] + measured(count, em)[0] < wide - 5 * pad:
        pen.text(right - 1.6 * pad - measured(count, em)[0], top + 0.8 * em, count, SOFT, em)
    foot = bottom - 1.8 * em
    lines = table_lines(table, int((foot - field) / (CAP_ROW_EM * em)))
    caps = min(TABLE_KEYS_EM * em, TABLE_KEYS_SHARE * wide)
    for number, line in enumerate(lines):
        y = field + CAP_ROW_EM * em * number
        middle = y + (CAP_ROW_EM - 1.0) / 2 * em
        if isinstance(line, str):
            pen.text(left + pad, middle, line, ACCENT, em)
            continue
        if line == table.selected:
            pen.box(left + 0.5 * pad, y, right - 0.5 * pad, y + CAP_ROW_EM * em, CHOSEN, 0.3)
        row = table.rows[line]
        shown = row.caps
        while shown and _caps_wide(shown, em) > caps:
            shown = shown[:-2] if JOINT in shown else shown[:-1]
        _caps(pen, left + pad, y, shown, em)
        start = left + pad + caps + em
        pen.text(start, middle, pen.fitted(row.means, (right - pad - start) * pen.em / em), TEXT, em)
    hint = "↑ ↓ choose   Enter runs   Esc closes" if table.rows else "No command matches   Esc closes"
    pen.text(left + pad, foot + 0.4 * em, hint, SOFT, em)


def table_lines(table: KeyTableView, most: int) -> list[str | int]:
    """The visible lines of the table, including the selected row: titles of groups, and numbers of rows."""
    lines: list[str | int] = []
    for number, row in enumerate(table.rows):
        if not number or row.group != table.rows[number - 1].group:
            lines.append(row.group)
        lines.append(number)
    if len(lines) <= most:
        return lines
    middle, most = lines.index(table.selected), max(most, 1)
    first = max(min(middle - most // 2, len(lines) - most), 0)
    return lines[first : first + most]


def _recording(pen: ImguiDrawing, keys: int, free: HudArea) -> None:
    """The sign that a camera path is being recorded, in the upper right corner of an area."""
    em, words = pen.em, f"REC  {counted(keys, 'position')}"
    wide = measured(words, em)[0] + 2.6 * em
    right, top = free.right - 0.6 * em, free.top + 0.6 * em
    pen.box(right - wide, top, right, top + 1.9 * em, BACK, 0.3)
    pen.lines.add_circle_filled(pen.at(right - wide + em, top + 0.95 * em), 0.42 * em, paint(RECORDING))
    pen.text(right - wide + 1.9 * em, top + 0.45 * em, words, TEXT, em)
