"""What panels look like: fonts, colours, tabs."""

from pathlib import Path
from typing import Any, Final

import imgui_bundle
from imgui_bundle import imgui

FONTS: Final = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
FONT: Final = FONTS / "Roboto" / "Roboto-Regular.ttf"
ARROWS: Final = FONTS / "Inconsolata-Medium.ttf"
"""Has what Roboto lacks: names of keys are arrows."""
FONT_PX: Final = 15.0
BACKGROUND: Final = (0.07, 0.08, 0.10, 0.92)
FIELD: Final = (0.20, 0.23, 0.28, 1.0)
"""Boxes and fields stand out from it."""
ROUNDED_PX: Final = 4.0
NARROWEST_TAB_PX: Final = 36.0
"""Tabs are made so narrow before they are scrolled: of four in a narrow column the open one was out of sight."""
NO_CLOSE_BUTTON: Final = int(imgui.internal.TabItemFlagsPrivate_.no_close_button)
"""Of tabs: the column's own cross closes the one in front. Room for a cross in each tab cut titles in half."""


def load_fonts(fonts: Any) -> None:  # Any: imgui's atlas
    """Adds ours to the fonts of a context; where they are missing, imgui's own remains."""
    if FONT.is_file():
        fonts.add_font_from_file_ttf(str(FONT), FONT_PX)
        merged = imgui.ImFontConfig()
        merged.merge_mode = True
        fonts.add_font_from_file_ttf(str(ARROWS), FONT_PX, merged)


def dress() -> None:
    """Gives the context that is current our colours and sizes, those of scale 1."""
    style = imgui.get_style()
    imgui.style_colors_dark(style)
    style.window_rounding = ROUNDED_PX
    style.tab_min_width_shrink = NARROWEST_TAB_PX
    style.set_color_(imgui.Col_.window_bg, imgui.ImVec4(*BACKGROUND))
    style.set_color_(imgui.Col_.frame_bg, imgui.ImVec4(*FIELD))


def tabbed() -> imgui.WindowClass:
    """What kind of windows panels are: those whose tabs are titles alone."""
    kind = imgui.WindowClass()
    kind.tab_item_flags_override_set = NO_CLOSE_BUTTON
    return kind
