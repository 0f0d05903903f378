"""What outlines and hatches mean, how many there are of each, and which overlays are on."""

from dataclasses import dataclass
from typing import Final

from imgui_bundle import imgui

from render.panels.rows import LABEL_EM
from render.panels.wishes import Overlay, Wish
from render.panels.words import count

TITLE: Final = "Legend"
SWATCH_EM: Final = 1.5


@dataclass(frozen=True, slots=True)
class LegendRow:
    """One kind of box.

    Attributes:
        picture: its swatch, as imgui knows it.
        label: its name.
        shape: outline and hatch in words.
        number: how many there are.
    """

    picture: int
    label: str
    shape: str
    number: int


@dataclass(frozen=True, slots=True)
class LegendView:
    """One moment.

    Attributes:
        title: what stands above.
        rows: of states and of what failed.
        overlays: names, and whether each is on.
    """

    title: str
    rows: tuple[LegendRow, ...]
    overlays: tuple[tuple[str, bool], ...]


def draw(view: LegendView) -> list[Wish]:
    """Lists one frame of it."""
    imgui.separator_text("overlays")
    wishes: list[Wish] = []
    for name, on in view.overlays:
        changed, _ = imgui.checkbox(name, on)
        if changed:
            wishes.append(Overlay(name))
    imgui.separator_text(view.title)
    side = SWATCH_EM * imgui.get_font_size()
    if imgui.begin_table("legend", 3, imgui.TableFlags_.row_bg):
        imgui.table_setup_column("box", imgui.TableColumnFlags_.width_fixed, 1.2 * side)
        imgui.table_setup_column("number", imgui.TableColumnFlags_.width_fixed, LABEL_EM * side / 3)
        imgui.table_setup_column("words")
        for row in view.rows:
            imgui.table_next_column()
            imgui.image(imgui.ImTextureRef(row.picture), imgui.ImVec2(side, side))
            imgui.table_next_column()
            imgui.text(count(row.number))
            imgui.table_next_column()
            imgui.text(row.label)
            imgui.text_disabled(row.shape)
        imgui.end_table()
    return wishes
