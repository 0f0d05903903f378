"""Labels with their texts, below each other."""

from collections.abc import Iterable
from typing import Final

from imgui_bundle import imgui

LABEL_EM: Final = 7.0
"""Width of the labels, in heights of the font."""


def rows(name: str, listed: Iterable[tuple[str, str]]) -> None:
    """A table of two columns.

    Args:
        name: of the table, once in a panel.
        listed: labels and texts; long texts are wrapped.
    """
    if not imgui.begin_table(name, 2, imgui.TableFlags_.row_bg):
        return
    imgui.table_setup_column("label", imgui.TableColumnFlags_.width_fixed, LABEL_EM * imgui.get_font_size())
    imgui.table_setup_column("text")
    for label, text in listed:
        imgui.table_next_column()
        imgui.text_disabled(label)
        imgui.table_next_column()
        imgui.text_wrapped(text)
    imgui.end_table()
