"""Draws the connect screen with imgui: a card over a dimmed world, or over nothing. See ``connect`` for its content.

Sizes are in heights of the font (em), so that it looks alike at every scale; in a small window the title and the rows'
second column are left out. imgui gets no keys here: the screen handles all of them.
"""

from typing import Any, Final

from imgui_bundle import imgui

from client.connection.opening import STEPS
from render.panels.connect import (
    FIELD,
    Click,
    ConnectButton,
    ConnectRow,
    ConnectSection,
    ConnectView,
    Underway,
    choosing,
)
from render.panels.widgets import (
    ACCENT,
    ALARM,
    ALARM_FILL,
    AMBER,
    BARE,
    CARD,
    CHOSEN,
    DIM,
    EDGE,
    FIELD_FILL,
    GROUND,
    HOVER,
    SKY,
    SOFT,
    TEXT,
    ImguiDrawing,
    fade,
    paint,
)

CARD_EM: Final = 46.0
SHORT_EM: Final = 20.0
"""Lower windows have no title."""
NARROW_EM: Final = 30.0
"""Rows of narrower cards have only title and note."""
ROW_EM: Final = 1.7
EMPTY: Final = "address of a server, a world or a recording"
JOINING_EM: Final = 15.0
"""Height of the card during a join, if the window is high enough."""
BLINKS_S: Final = 1.06


def draw(view: ConnectView, now: float) -> list[Click]:
    """Draws one frame over the whole display; returns the clicks. ``now``: in seconds, for the caret."""
    size = imgui.get_io().display_size
    imgui.set_next_window_pos((0, 0))
    imgui.set_next_window_size(size)
    imgui.push_style_var(imgui.StyleVar_.window_padding, (0, 0))
    imgui.begin("Connect", None, BARE)
    imgui.pop_style_var()
    clicks = _Card(view, now, size).draw()
    imgui.end()
    return clicks


class _Card:
    """One frame."""

    def __init__(self, view: ConnectView, now: float, size: Any) -> None:  # Any: imgui's vector
        self.pen = ImguiDrawing(imgui.get_window_draw_list())
        self.em = self.pen.em
        self.view, self.now, self.size = view, now, size
        self.clicks: list[Click] = []
        self.pad = 1.2 * self.em if size.y > SHORT_EM * self.em else 0.7 * self.em
        self.wide = min(CARD_EM * self.em, size.x - 2 * self.pad)
        self.left = (size.x - self.wide) / 2
        self.right = self.left + self.wide
        self.y = self.pad

    # ------------------------------------------------------------ parts, from top to bottom

    def draw(self) -> list[Click]:
        self._backdrop()
        bottom = self.size.y - self.pad
        if self.view.underway and bottom - self.y > JOINING_EM * self.em:
            self.y = (self.size.y - JOINING_EM * self.em) / 2
            bottom = self.y + JOINING_EM * self.em
        self.pen.box(self.left, self.y, self.right, bottom, CARD, 0.5)
        self.pen.lines.add_rect(
            self.pen.at(self.left, self.y), self.pen.at(self.right, bottom), paint(EDGE), 0.5 * self.em
        )
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
        corner, end = self.pen.at(0, 0), self.pen.at(self.size.x, self.size.y)
        if self.view.beneath:
            self.pen.lines.add_rect_filled(corner, end, paint(DIM))
        else:
            sky, ground = paint(SKY), paint(GROUND)
            self.pen.lines.add_rect_filled_multi_color(corner, end, sky, sky, ground, ground)

    def _title(self) -> None:
        big = 1.55 * self.em
        words = "Joining" if self.view.underway else "Connect"
        self.pen.text(self.left, self.y, words, TEXT, big)
        self.pen.text_right(self.right, self.y + big - self.em, "chunkscope", SOFT)
        self.y += big + 0.7 * self.em

    def _trouble(self) -> None:
        if not self.view.trouble:
            return
        inner = self.right - self.left - 1.6 * self.em
        height = imgui.calc_text_size(self.view.trouble, wrap_width=inner).y
        self.pen.box(self.left, self.y, self.right, self.y + height + 0.8 * self.em, ALARM_FILL, 0.3)
        self.pen.box(self.left, self.y, self.left + 0.2 * self.em, self.y + height + 0.8 * self.em, ALARM, 0.1)
        self.pen.wrapped(self.left + 0.8 * self.em, self.y + 0.4 * self.em, self.view.trouble, TEXT, inner)
        self.y += height + 1.4 * self.em

    def _address(self) -> None:
        """The field with its caret, the button, and the text's meaning."""
        view, em = self.view, self.em
        chosen, height = view.selected == FIELD, 2.1 * em
        button = self.right - 4.6 * em
        end = button - 0.5 * em
        self.pen.box(self.left, self.y, end, self.y + height, FIELD_FILL, 0.3)
        edge = ACCENT if chosen else EDGE
        self.pen.lines.add_rect(
            self.pen.at(self.left, self.y),
            self.pen.at(end, self.y + height),
            paint(edge),
            0.3 * em,
            thickness=max(1.0, 0.1 * em),
        )
        top, inside = self.y + 0.5 * em, self.left + 0.7 * em
        self.pen.lines.push_clip_rect(self.pen.at(inside, self.y), self.pen.at(end - 0.5 * em, self.y + height), True)
        if view.text:
            before = imgui.calc_text_size(view.text[: view.caret]).x
            shift = max(0.0, before - (end - 1.4 * em - inside))
            self.pen.text(inside - shift, top, view.text, TEXT)
        else:
            before = shift = 0.0
            self.pen.text(inside + 0.2 * em, top, self.pen.fitted(EMPTY, end - inside - 0.7 * em), SOFT)
        if chosen and self.now % BLINKS_S < BLINKS_S / 2:
            x = inside + before - shift
            self.pen.box(x, top - 0.1 * em, x + max(1.0, 0.1 * em), top + 1.1 * em, ACCENT, 0.0)
        self.pen.lines.pop_clip_rect()
        if self.pen.hit("address", self.left, self.y, end, self.y + height)[0]:
            self.clicks.append(ConnectButton.FIELD)
        if self.pen.button("Join", button, self.y, self.right, self.y + height):
            self.clicks.append(ConnectButton.JOIN)
        self.y += height + 0.35 * em
        colour, start = AMBER if view.wrong else SOFT, self.left + 0.1 * em
        self.y += self.pen.wrapped(start, self.y, view.meaning, colour, self.right - start) + 0.5 * em

    def _sections(self, foot: float) -> None:
        """All rows, scrolled so that the selected one is visible."""
        imgui.set_cursor_screen_pos(self.pen.at(self.left, self.y))
        flags = imgui.WindowFlags_.no_nav | imgui.WindowFlags_.no_background
        high = max(foot - self.y - 0.2 * self.em, 1.0)  # imgui treats 0 or less as "all"
        if imgui.begin_child("rows", (self.right - self.left, high), 0, flags):
            whole = self.pen.lines
            self.pen.lines = imgui.get_window_draw_list()
            number = 0
            for section in self.view.sections:
                self._section_title(section)
                for row in section.rows:
                    number += 1
                    self._row(row, number)
            imgui.dummy((1.0, 1.0))  # imgui needs an item after the last row's step
            self.pen.lines = whole
        imgui.end_child()

    def _section_title(self, section: ConnectSection) -> None:
        corner, em = imgui.get_cursor_screen_pos(), self.em
        self.pen.text(corner.x + 0.1 * em, corner.y + 0.35 * em, section.title, ACCENT, 0.9 * em)
        words = section.trouble or ("" if section.rows else section.empty)
        start = corner.x + 0.1 * em + imgui.calc_text_size(section.title).x + 0.8 * em
        space = imgui.get_content_region_avail().x - (start - corner.x)
        self.pen.text(
            start, corner.y + 0.35 * em, self.pen.fitted(words, space), AMBER if section.trouble else SOFT, 0.9 * em
        )
        imgui.dummy((1.0, 1.45 * em))

    def _row(self, row: ConnectRow, number: int) -> None:
        em, corner = self.em, imgui.get_cursor_screen_pos()
        width, height = imgui.get_content_region_avail().x, ROW_EM * em
        if imgui.invisible_button(f"row {number}", (width, height)):
            self.clicks.append(number)
        chosen = number == self.view.selected
        if chosen and self.view.moved and not _in_sight(corner.y, height):
            imgui.set_scroll_here_y(0.5)
        right, bottom = corner.x + width, corner.y + height
        if chosen or imgui.is_item_hovered():
            self.pen.box(corner.x, corner.y, right, bottom, CHOSEN if chosen else HOVER, 0.3)
        if chosen:
            self.pen.box(corner.x, corner.y + 0.25 * em, corner.x + 0.18 * em, bottom - 0.25 * em, ACCENT, 0.1)
        top = corner.y + (height - em) / 2
        if number < 10:
            self.pen.text(corner.x + 0.6 * em, top, str(number), fade(SOFT, 0.7 * row.strength))
        status = imgui.calc_text_size(row.status).x
        self.pen.text(right - status - 0.6 * em, top, row.status, fade(SOFT, row.strength))
        start, end = corner.x + 1.9 * em, right - status - 1.4 * em
        middle = min(end, corner.x + 0.4 * width) if width > NARROW_EM * em else end
        self.pen.text(start, top, self.pen.fitted(row.title, middle - start - 0.6 * em), fade(TEXT, row.strength))
        if middle < end:
            self.pen.text(middle, top, self.pen.fitted(row.detail, end - middle), fade(SOFT, row.strength))
        imgui.set_cursor_screen_pos((corner.x, bottom + 0.1 * em))

    def _underway(self, way: Underway, foot: float) -> None:
        em = self.em
        self.y += max(0.0, (foot - self.y - 8.0 * em) / 2)
        self.pen.text(self.left, self.y, self.pen.fitted(way.source, (self.right - self.left) / 1.25), TEXT, 1.25 * em)
        self.pen.text_right(self.right, self.y + 0.2 * em, f"{way.seconds:.1f} s", SOFT)
        self.y += 2.2 * em
        wide = self.right - self.left
        self.pen.box(self.left, self.y, self.right, self.y + 0.45 * em, FIELD_FILL, 0.2)
        self.pen.box(self.left, self.y, self.left + max(0.02, way.share) * wide, self.y + 0.45 * em, ACCENT, 0.2)
        self.y += 0.9 * em
        if wide > NARROW_EM * em:
            for index, (share, name) in enumerate(STEPS):
                last = STEPS[index + 1][0] if index + 1 < len(STEPS) else 1.1
                colour = TEXT if share <= way.share < last else ACCENT if last <= way.share else fade(SOFT, 0.6)
                self.pen.text(self.left + share * wide, self.y, name, colour, 0.9 * em)
            self.y += 1.6 * em
        self.pen.wrapped(self.left, self.y + 0.4 * em, way.words, SOFT, wide)

    def _foot(self, top: float) -> None:
        em, view = self.em, self.view
        self.pen.lines.add_line(self.pen.at(self.left, top), self.pen.at(self.right, top), paint(EDGE))
        y, end = top + 0.3 * em, self.right
        for label, press, there in (
            ("Cancel (Esc)", ConnectButton.CANCEL, view.underway is not None),
            ("Back (Esc)", ConnectButton.BACK, bool(view.beneath) and view.underway is None),
            ("Again (F5)", ConnectButton.RETRY, bool(view.retry) and view.underway is None),
        ):
            if there:
                wide = imgui.calc_text_size(label).x + 1.4 * em
                if self.pen.button(label, end - wide, y, end, y + 1.45 * em):
                    self.clicks.append(press)
                end -= wide + 0.4 * em
        self.pen.text(
            self.left, y + 0.25 * em, self.pen.fitted(choosing(view), end - self.left), fade(SOFT, 0.85), 0.9 * em
        )


def _in_sight(top: float, height: float) -> bool:
    """Whether a row is completely visible in the scrolled window."""
    corner, size = imgui.get_window_pos(), imgui.get_window_size()
    return bool(corner.y <= top and top + height <= corner.y + size.y)
