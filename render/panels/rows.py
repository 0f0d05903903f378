"""Labels with their texts, below each other; what an item means."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from imgui_bundle import imgui

from render.panels.words import legible

NOTHING_MORE: Final[Mapping[str, str]] = MappingProxyType({})
LABEL_EM: Final = 7.0
"""Width of the labels, in heights of the font, where there is room for it."""
LABEL_SHARE: Final = 0.45
"""Of a panel that is narrow."""


def label_px() -> float:
    """Width of the labels in what is left of the panel's width."""
    return float(min(LABEL_EM * imgui.get_font_size(), LABEL_SHARE * imgui.get_content_region_avail().x))


def beside(label: str) -> None:
    """A label; what comes next stands beside it, with the others of the panel unless it is too long."""
    start = imgui.get_cursor_pos_x()
    imgui.align_text_to_frame_padding()  # on the line of the text in the field
    imgui.text(label)
    end = imgui.calc_text_size(label).x + imgui.get_style().item_spacing.x
    imgui.same_line(start + max(label_px(), float(end)))


def flows(words: str, more_em: float = 1.0) -> None:
    """What comes next stands beside what was listed last where there is room for it, else below.

    Args:
        words: on it.
        more_em: what it takes beside them, in heights of the font.
    """
    end = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    needed = imgui.calc_text_size(words).x + more_em * imgui.get_font_size()
    if imgui.get_item_rect_max().x + imgui.get_style().item_spacing.x + needed <= end:
        imgui.same_line()


def hint(words: str) -> None:
    """What the item before means: under the mouse, or below it while the keyboard leads there."""
    if imgui.is_item_hovered():
        imgui.set_tooltip(words)
    elif imgui.is_item_focused() and imgui.get_io().nav_visible:
        imgui.set_next_window_pos(imgui.ImVec2(imgui.get_item_rect_min().x, imgui.get_item_rect_max().y))
        imgui.set_tooltip(words)


def cell(text: str) -> None:
    """A text in a column of a table; whole under the mouse where the column cuts it."""
    room, text = imgui.get_content_region_avail().x, legible(text)
    imgui.text(text)
    if imgui.is_item_hovered() and imgui.calc_text_size(text).x > room:
        imgui.set_tooltip(text)


def rows(name: str, listed: Iterable[tuple[str, str]], means: Mapping[str, str] = NOTHING_MORE) -> None:
    """A table of two columns.

    Args:
        name: of the table, once in a panel.
        listed: labels and texts; long texts are wrapped.
        means: of some labels, what to say under the mouse.
    """
    if not imgui.begin_table(name, 2, imgui.TableFlags_.row_bg):
        return
    imgui.table_setup_column("label", imgui.TableColumnFlags_.width_fixed, label_px())
    imgui.table_setup_column("text")
    for label, text in listed:
        imgui.table_next_column()
        imgui.push_text_wrap_pos(0.0)
        imgui.text_disabled(label)
        imgui.pop_text_wrap_pos()
        if label in means:
            hint(means[label])
        imgui.table_next_column()
        imgui.text_wrapped(legible(text))
    imgui.end_table()
