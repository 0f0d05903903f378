"""Is anything wrong right now: a count for each invariant, red where it is broken, and the way to the places."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from imgui_bundle import imgui

from render.invariants.finding import Finding
from render.panels.wishes import Go, Inspect, Wish
from render.panels.words import count

TITLE: Final = "Invariants"
RED, GREEN, GREY = (1.0, 0.35, 0.30, 1.0), (0.40, 0.85, 0.50, 1.0), (0.6, 0.6, 0.6, 1.0)
MEANS: Final = {
    "stored undrawn": "cells with blocks to draw, and no mesh, at rest",
    "asked twice": "sub-chunks asked again for no reason",
    "answered unasked": "answers that no question explains, or more of them than questions",
    "light seams": "borders that final light does not cross as it should",
    "leaked pages": "pages of the quad arena that no mesh holds",
    "height contradictions": "height maps that no reading reconciles with their blocks",
}


@dataclass(slots=True)
class InvariantsState:
    """Which place of each one was taken to last."""

    at: dict[str, int] = field(default_factory=dict)


def draw(found: Mapping[str, Finding], state: InvariantsState) -> list[Wish]:
    """Lists one frame of it."""
    broken = sum(1 for finding in found.values() if finding.count)
    if broken:
        imgui.text_colored(imgui.ImVec4(*RED), f"{broken} of {len(found)} are broken")
    else:
        imgui.text_colored(imgui.ImVec4(*GREEN), "nothing is known to be wrong")
    wishes: list[Wish] = []
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_fixed_fit
    if not imgui.begin_table("invariants", 4, flags):
        return wishes
    for column in ("count", "name", "way"):
        imgui.table_setup_column(column)
    imgui.table_setup_column("means", imgui.TableColumnFlags_.width_stretch)
    for name, finding in found.items():
        wishes += row(name, finding, state)
    imgui.end_table()
    return wishes


def row(name: str, finding: Finding, state: InvariantsState) -> list[Wish]:
    """One invariant; what somebody wants to be taken to."""
    imgui.table_next_row()
    imgui.table_next_column()
    colour = GREY if finding.count is None else RED if finding.count else GREEN
    imgui.text_colored(imgui.ImVec4(*colour), "?" if finding.count is None else count(finding.count))
    imgui.table_next_column()
    imgui.text(name)
    imgui.table_next_column()
    wishes: list[Wish] = []
    if finding.blocks and imgui.button(f"take me there##{name}"):
        state.at[name] = at = (state.at.get(name, -1) + 1) % len(finding.blocks)
        wishes = [Inspect(finding.blocks[at]), Go(finding.blocks[at])]
    imgui.table_next_column()
    imgui.push_text_wrap_pos(0.0)
    imgui.text_disabled(f"{MEANS[name]}{f' ({finding.said})' if finding.said else ''}")
    imgui.pop_text_wrap_pos()
    return wishes
