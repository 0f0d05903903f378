"""Strokes of what is drawn by hand with imgui: boxes, texts cut to their room, buttons; and the colours they have.

Positions are pixels, y down; ``em`` is the height of the font, of which sizes are multiples.
"""

from typing import Any, Final

from imgui_bundle import imgui

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


class Strokes:
    """Into one window of imgui's, for one frame.

    Attributes:
        em: height of the font in pixels.
        lines: what is drawn to; imgui's list.
    """

    def __init__(self, lines: Any) -> None:  # Any: imgui's
        """Draws to a list of imgui's."""
        self.em = imgui.get_font_size()
        self.lines = lines

    def hit(self, name: str, x0: float, y0: float, x1: float, y1: float) -> tuple[bool, bool]:
        """An area that can be clicked: whether it was, and whether the mouse is there."""
        imgui.set_cursor_screen_pos(self.at(x0, y0))
        clicked = imgui.invisible_button(name, imgui.ImVec2(max(x1 - x0, 1.0), max(y1 - y0, 1.0)))
        return bool(clicked), bool(imgui.is_item_hovered())

    def button(self, label: str, x0: float, y0: float, x1: float, y1: float) -> bool:
        """A button; whether it was clicked."""
        clicked, hovered = self.hit(label, x0, y0, x1, y1)
        self.box(x0, y0, x1, y1, fade(ACCENT, 0.55 if hovered else 0.30), 0.3)
        size = imgui.calc_text_size(label)
        self.text((x0 + x1 - size.x) / 2, (y0 + y1 - size.y) / 2, label, TEXT)
        return clicked

    def box(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, round_em: float) -> None:
        """A filled box, its corners rounded by so many em."""
        self.lines.add_rect_filled(self.at(x0, y0), self.at(x1, y1), paint(colour), round_em * self.em)

    def text(self, x: float, y: float, words: str, colour: Colour, size: float | None = None) -> None:
        """A text that begins there, of the font's height unless given."""
        if words:
            self.lines.add_text(
                imgui.get_font(), round(size or self.em), self.at(round(x), round(y)), paint(colour), words
            )

    def wrapped(self, x: float, y: float, words: str, colour: Colour, room: float) -> float:
        """A text over as many lines as it needs; their height."""
        height = imgui.calc_text_size(words, wrap_width=room).y
        imgui.set_cursor_screen_pos(self.at(round(x), round(y)))
        imgui.push_text_wrap_pos(x + room)
        imgui.text_colored(imgui.ImVec4(*colour), words)
        imgui.pop_text_wrap_pos()
        return float(height)

    def text_right(self, x: float, y: float, words: str, colour: Colour) -> None:
        """A text that ends there."""
        self.text(x - imgui.calc_text_size(words).x, y, words, colour)

    def fitted(self, words: str, room: float) -> str:
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
    def at(x: float, y: float) -> Any:  # Any: imgui's vector
        """A position as imgui has it."""
        return imgui.ImVec2(x, y)


def fade(colour: Colour, strength: float) -> Colour:
    """A colour of which less is seen."""
    return (*colour[:3], colour[3] * strength)


def paint(colour: Colour) -> int:
    """A colour as imgui's lists have it."""
    return int(imgui.get_color_u32(imgui.ImVec4(*colour)))
