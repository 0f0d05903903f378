"""Draws the connect screen with imgui: a card over a dimmed world, or over nothing. See ``connect`` for what it shows.

Sizes are in heights of the font (em), so that it is the same at every scale; where a window has few of them the title
and the rows' second column go first. imgui gets no keys here: all of them are the screen's own.
"""

from typing import Any, Final

from imgui_bundle import imgui

from client.connect.awaited import STEPS
from render.panels.connect import FIELD, Click, ConnectRow, ConnectSection, ConnectView, Press, Underway, hints

CARD_EM: Final = 46.0
SHORT_EM: Final = 20.0
"""Windows lower than that have no title."""
NARROW_EM: Final = 30.0
"""Cards narrower than that have rows of a title and a note alone."""
ROW_EM: Final = 1.7
EMPTY: Final = "Address of a server, a world or a recording"
JOINING_EM: Final = 15.0
"""Height of the card while one joins, where there is as much."""
BLINKS_S: Final = 1.06

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
BARE: Final = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_background
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.no_docking
)


def draw(view: ConnectView, now: float) -> list[Click]:
    """Lists one frame of it over the whole display; what was clicked in it.

    Args:
        view: of the moment.
        now: in seconds, for the caret.
    """
    size = imgui.get_io().display_size
    imgui.set_next_window_pos(imgui.ImVec2(0, 0))
    imgui.set_next_window_size(size)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0, 0))
    imgui.begin("Connect", None, BARE)
    imgui.pop_style_var()
    clicks = _Card(view, now, size).draw()
    imgui.end()
    return clicks


class _Card:
    """One frame."""

    def __init__(self, view: ConnectView, now: float, size: Any) -> None:  # Any: imgui's vector
        self.view, self.now, self.size = view, now, size
        self.em = imgui.get_font_size()
        self.lines = imgui.get_window_draw_list()
        self.clicks: list[Click] = []
        self.pad = 1.2 * self.em if size.y > SHORT_EM * self.em else 0.7 * self.em
        self.wide = min(CARD_EM * self.em, size.x - 2 * self.pad)
        self.left = (size.x - self.wide) / 2
        self.right = self.left + self.wide
        self.y = self.pad

    # ------------------------------------------------------------ parts, from top to bottom

    def draw(self) -> list[Click]:
        """All of it."""
        self._backdrop()
        bottom = self.size.y - self.pad
        if self.view.underway and bottom - self.y > JOINING_EM * self.em:
            self.y = (self.size.y - JOINING_EM * self.em) / 2
            bottom = self.y + JOINING_EM * self.em
        self._box(self.left, self.y, self.right, bottom, CARD, 0.5)
        self.lines.add_rect(self._at(self.left, self.y), self._at(self.right, bottom), _paint(EDGE), 0.5 * self.em)
        self.left += self.pad
        self.right -= self.pad
        self.y += 0.7 * self.pad
        if self.size.y > SHORT_EM * self.em:
            self._title()
        foot = bottom - 2.0 * self.em
        if self.view.underway:
            self._underway(self.view.underway, foot)
        else:
            self._trouble()
            self._address()
            self._sections(foot)
        self._foot(foot)
        return self.clicks

    def _backdrop(self) -> None:
        corner, end = self._at(0, 0), self._at(self.size.x, self.size.y)
        if self.view.beneath:
            self.lines.add_rect_filled(corner, end, _paint(DIM))
        else:
            sky, ground = _paint(SKY), _paint(GROUND)
            self.lines.add_rect_filled_multi_color(corner, end, sky, sky, ground, ground)

    def _title(self) -> None:
        big = 1.55 * self.em
        words = "Joining" if self.view.underway else "Connect"
        self._text(self.left, self.y, words, TEXT, big)
        self._text_right(self.right, self.y + big - self.em, "chunkscope", SOFT)
        self.y += big + 0.7 * self.em

    def _trouble(self) -> None:
        if not self.view.trouble:
            return
        inner = self.right - self.left - 1.6 * self.em
        height = imgui.calc_text_size(self.view.trouble, wrap_width=inner).y
        self._box(self.left, self.y, self.right, self.y + height + 0.8 * self.em, ALARM_FILL, 0.3)
        self._box(self.left, self.y, self.left + 0.2 * self.em, self.y + height + 0.8 * self.em, ALARM, 0.1)
        imgui.set_cursor_screen_pos(self._at(self.left + 0.8 * self.em, self.y + 0.4 * self.em))
        imgui.push_text_wrap_pos(self.left + 0.8 * self.em + inner)
        imgui.text_colored(imgui.ImVec4(*TEXT), self.view.trouble)
        imgui.pop_text_wrap_pos()
        self.y += height + 1.4 * self.em

    def _address(self) -> None:
        """The field with its caret, the button, and what the text means."""
        view, em = self.view, self.em
        chosen, height = view.selected == FIELD, 2.1 * em
        button = self.right - 4.6 * em
        end = button - 0.5 * em
        self._box(self.left, self.y, end, self.y + height, FIELD_FILL, 0.3)
        edge = ACCENT if chosen else EDGE
        self.lines.add_rect(
            self._at(self.left, self.y),
            self._at(end, self.y + height),
            _paint(edge),
            0.3 * em,
            thickness=max(1.0, 0.1 * em),
        )
        top, inside = self.y + 0.5 * em, self.left + 0.7 * em
        self.lines.push_clip_rect(self._at(inside, self.y), self._at(end - 0.5 * em, self.y + height), True)
        if view.text:
            before = imgui.calc_text_size(view.text[: view.caret]).x
            shift = max(0.0, before - (end - 1.4 * em - inside))
            self._text(inside - shift, top, view.text, TEXT)
        else:
            before = shift = 0.0
            self._text(inside + 0.2 * em, top, self._fitted(EMPTY, end - inside - 0.7 * em), SOFT)
        if chosen and self.now % BLINKS_S < BLINKS_S / 2:
            x = inside + before - shift
            self._box(x, top - 0.1 * em, x + max(1.0, 0.1 * em), top + 1.1 * em, ACCENT, 0.0)
        self.lines.pop_clip_rect()
        self._hit("address", self.left, self.y, end, self.y + height, Press.FIELD)
        self._button("Join", button, self.y, self.right, self.y + height, Press.JOIN)
        self.y += height + 0.35 * em
        self._text(
            self.left + 0.1 * em,
            self.y,
            self._fitted(view.meaning, self.right - self.left),
            AMBER if view.wrong else SOFT,
        )
        self.y += 1.5 * em

    def _sections(self, foot: float) -> None:
        """All rows, scrolled so that the selected one is in sight."""
        imgui.set_cursor_screen_pos(self._at(self.left, self.y))
        flags = imgui.WindowFlags_.no_nav | imgui.WindowFlags_.no_background
        if imgui.begin_child("rows", imgui.ImVec2(self.right - self.left, foot - self.y - 0.2 * self.em), 0, flags):
            whole = self.lines
            self.lines = imgui.get_window_draw_list()
            number = 0
            for section in self.view.sections:
                self._section_title(section)
                for row in section.rows:
                    number += 1
                    self._row(row, number)
            imgui.dummy(imgui.ImVec2(1.0, 1.0))  # imgui wants an item after the last row's step
            self.lines = whole
        imgui.end_child()

    def _section_title(self, section: ConnectSection) -> None:
        corner, em = imgui.get_cursor_screen_pos(), self.em
        self._text(corner.x + 0.1 * em, corner.y + 0.35 * em, section.title, ACCENT, 0.9 * em)
        words = section.trouble or ("" if section.rows else section.empty)
        start = corner.x + 0.1 * em + imgui.calc_text_size(section.title).x + 0.8 * em
        room = imgui.get_content_region_avail().x - (start - corner.x)
        self._text(start, corner.y + 0.35 * em, self._fitted(words, room), AMBER if section.trouble else SOFT, 0.9 * em)
        imgui.dummy(imgui.ImVec2(1.0, 1.45 * em))

    def _row(self, row: ConnectRow, number: int) -> None:
        em, corner = self.em, imgui.get_cursor_screen_pos()
        width, height = imgui.get_content_region_avail().x, ROW_EM * em
        if imgui.invisible_button(f"row {number}", imgui.ImVec2(width, height)):
            self.clicks.append(number)
        chosen = number == self.view.selected
        if chosen and self.view.moved and not _in_sight(corner.y, height):
            imgui.set_scroll_here_y(0.5)
        right, bottom = corner.x + width, corner.y + height
        if chosen or imgui.is_item_hovered():
            self._box(corner.x, corner.y, right, bottom, CHOSEN if chosen else HOVER, 0.3)
        if chosen:
            self._box(corner.x, corner.y + 0.25 * em, corner.x + 0.18 * em, bottom - 0.25 * em, ACCENT, 0.1)
        top = corner.y + (height - em) / 2
        if number < 10:
            self._text(corner.x + 0.6 * em, top, str(number), _fade(SOFT, 0.7 * row.strength))
        note = imgui.calc_text_size(row.note).x
        self._text(right - note - 0.6 * em, top, row.note, _fade(SOFT, row.strength))
        start, end = corner.x + 1.9 * em, right - note - 1.4 * em
        middle = min(end, corner.x + 0.4 * width) if width > NARROW_EM * em else end
        self._text(start, top, self._fitted(row.title, middle - start - 0.6 * em), _fade(TEXT, row.strength))
        if middle < end:
            self._text(middle, top, self._fitted(row.detail, end - middle), _fade(SOFT, row.strength))
        imgui.set_cursor_screen_pos(imgui.ImVec2(corner.x, bottom + 0.1 * em))

    def _underway(self, way: Underway, foot: float) -> None:
        """How far a join is: its steps, a bar, and what is waited for."""
        em = self.em
        self.y += max(0.0, (foot - self.y - 8.0 * em) / 2)
        self._text(self.left, self.y, self._fitted(way.source, (self.right - self.left) / 1.25), TEXT, 1.25 * em)
        self._text_right(self.right, self.y + 0.2 * em, f"{way.seconds:.1f} s", SOFT)
        self.y += 2.2 * em
        wide = self.right - self.left
        self._box(self.left, self.y, self.right, self.y + 0.45 * em, FIELD_FILL, 0.2)
        self._box(self.left, self.y, self.left + max(0.02, way.share) * wide, self.y + 0.45 * em, ACCENT, 0.2)
        self.y += 0.9 * em
        if wide > NARROW_EM * em:
            for index, (share, name) in enumerate(STEPS):
                last = STEPS[index + 1][0] if index + 1 < len(STEPS) else 1.1
                colour = TEXT if share <= way.share < last else ACCENT if last <= way.share else _fade(SOFT, 0.6)
                self._text(self.left + share * wide, self.y, name, colour, 0.9 * em)
            self.y += 1.6 * em
        imgui.set_cursor_screen_pos(self._at(self.left, self.y + 0.4 * em))
        imgui.push_text_wrap_pos(self.right)
        imgui.text_colored(imgui.ImVec4(*SOFT), way.words)
        imgui.pop_text_wrap_pos()

    def _foot(self, top: float) -> None:
        """Hints, or buttons for who has a mouse alone."""
        em, view = self.em, self.view
        self.lines.add_line(self._at(self.left, top), self._at(self.right, top), _paint(EDGE))
        y, end = top + 0.3 * em, self.right
        for label, press, there in (
            ("Give up", Press.CANCEL, view.underway is not None),
            ("Back", Press.BACK, bool(view.beneath) and view.underway is None),
            ("Again", Press.RETRY, bool(view.retry) and view.underway is None),
        ):
            if there:
                wide = imgui.calc_text_size(label).x + 1.4 * em
                self._button(label, end - wide, y, end, y + 1.45 * em, press)
                end -= wide + 0.4 * em
        self._text(self.left, y + 0.25 * em, self._fitted(hints(view), end - self.left), _fade(SOFT, 0.85), 0.9 * em)

    # ------------------------------------------------------------ strokes

    def _button(self, label: str, x0: float, y0: float, x1: float, y1: float, press: Press) -> None:
        hovered = self._hit(label, x0, y0, x1, y1, press)
        self._box(x0, y0, x1, y1, _fade(ACCENT, 0.55 if hovered else 0.30), 0.3)
        size = imgui.calc_text_size(label)
        self._text((x0 + x1 - size.x) / 2, (y0 + y1 - size.y) / 2, label, TEXT)

    def _hit(self, name: str, x0: float, y0: float, x1: float, y1: float, press: Press) -> bool:
        """An area that can be clicked; whether the mouse is there."""
        imgui.set_cursor_screen_pos(self._at(x0, y0))
        if imgui.invisible_button(name, imgui.ImVec2(max(x1 - x0, 1.0), max(y1 - y0, 1.0))):
            self.clicks.append(press)
        return bool(imgui.is_item_hovered())

    def _box(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, round_em: float) -> None:
        self.lines.add_rect_filled(self._at(x0, y0), self._at(x1, y1), _paint(colour), round_em * self.em)

    def _text(self, x: float, y: float, words: str, colour: Colour, size: float | None = None) -> None:
        if words:
            self.lines.add_text(
                imgui.get_font(), round(size or self.em), self._at(round(x), round(y)), _paint(colour), words
            )

    def _text_right(self, x: float, y: float, words: str, colour: Colour) -> None:
        self._text(x - imgui.calc_text_size(words).x, y, words, colour)

    def _fitted(self, words: str, room: float) -> str:
        """As much of a text as fits, with dots where some is left out."""
        if imgui.calc_text_size(words).x <= room:
            return words
        low, high = 0, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            if imgui.calc_text_size(words[:middle].rstrip() + "…").x <= room:
                low = middle
            else:
                high = middle - 1
        return words[:low].rstrip() + "…" if low else ""

    @staticmethod
    def _at(x: float, y: float) -> Any:  # Any: imgui's vector
        return imgui.ImVec2(x, y)


def _in_sight(top: float, height: float) -> bool:
    """Whether a row lies wholly within the window that scrolls it."""
    corner, size = imgui.get_window_pos(), imgui.get_window_size()
    return bool(corner.y <= top and top + height <= corner.y + size.y)


def _fade(colour: Colour, strength: float) -> Colour:
    return (*colour[:3], colour[3] * strength)


def _paint(colour: Colour) -> int:
    return int(imgui.get_color_u32(imgui.ImVec4(*colour)))
