"""Meaning of outlines and hatches, their counts, and which overlays are on."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
from imgui_bundle import imgui

from render.overlays.legend import NOTHING, OverlayLegend, shape_of
from render.panels.panel import Dock, Overlay, OverlayRow, PanelRequest, panel
from render.panels.widgets import LABEL_EM, flows, soft
from render.passes.overlay.boxes import Style
from render.settings.overlays import OVERLAYS

SWATCH_EM: Final = 1.5
LETTER_EM: Final = 1.6
"""Width of the letters' column."""
MEANS_EM: Final = 8.0
"""Least width beside a name; with less its description starts on a line of its own."""


class LegendView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    more: str  # additional line: pinned eyes, stale columns
    sections: tuple[OverlayLegend, ...]  # of overlays that are on
    on: AbstractSet[str]  # names of these overlays, and of those without a legend
    opener: str  # the key that opens the list, in which letters switch
    picture: Callable[[Style], int]  # the number of a style's swatch in imgui


class LegendState(msgspec.Struct):
    """State kept between frames."""

    # of each section as built last, by name, rows and text size: sections scrolled out of sight are replaced by space
    # of that height
    heights_px: dict[tuple[str, int, float], float] = {}


@panel("legend", title="Legend", place=8, dock=Dock.RIGHT, state=LegendState)
def draw(view: LegendView, state: LegendState) -> list[PanelRequest]:
    """Draws one frame: the legend of an overlay that is on is below its switch."""
    imgui.separator_text(f"overlays ({view.opener}, then the letter)")
    if view.more:
        imgui.text_wrapped(view.more)
    requests: list[PanelRequest] = []
    start = LETTER_EM * imgui.get_font_size()
    sections = {section.name: section for section in view.sections}
    for overlay in OVERLAYS.values():
        imgui.align_text_to_frame_padding()
        imgui.text_disabled(overlay.letter)
        imgui.same_line(start)
        changed, _ = imgui.checkbox(overlay.name, overlay.name in view.on)
        if changed:
            requests.append(Overlay(overlay.name))
        flows("", MEANS_EM)
        soft(overlay.title)
        if overlay.name in sections:
            requests += _section(sections[overlay.name], view.picture, state.heights_px)
    return requests


def _section(
    section: OverlayLegend, picture: Callable[[Style], int], heights_px: dict[tuple[str, int, float], float]
) -> list[PanelRequest]:
    key = section.name, len(section.rows), imgui.get_font_size()
    known, spacing = heights_px.get(key), imgui.get_style().item_spacing.y
    if known is not None and not imgui.is_rect_visible((1.0, known)):
        imgui.dummy((1.0, known - spacing))
        return []
    requests: list[PanelRequest] = []
    begin = imgui.get_cursor_pos_y()
    if section.rows:
        requests = _table(section, picture)
    else:
        imgui.text_disabled(NOTHING)
    heights_px[key] = imgui.get_cursor_pos_y() - begin
    return requests


def _table(section: OverlayLegend, picture: Callable[[Style], int]) -> list[PanelRequest]:
    side, requests = SWATCH_EM * imgui.get_font_size(), list[PanelRequest]()
    if not imgui.begin_table(section.name, 3, imgui.TableFlags_.row_bg):
        return requests
    imgui.table_setup_column("box", imgui.TableColumnFlags_.width_fixed, 1.2 * side)
    imgui.table_setup_column("number", imgui.TableColumnFlags_.width_fixed, LABEL_EM * side / 3)
    imgui.table_setup_column("words")
    for row in section.rows:
        imgui.table_next_column()
        imgui.image(imgui.ImTextureRef(picture(row.style)), (side, side))
        imgui.table_next_column()
        imgui.text("" if row.count is None else f"{row.count:,}")
        imgui.table_next_column()
        if row.shown is None:
            imgui.text_wrapped(row.style.label)
        elif imgui.checkbox(row.style.label, row.shown)[0]:
            requests.append(OverlayRow(section.name, row.style.label))
        imgui.text_disabled(shape_of(row.style))
    imgui.end_table()
    return requests
