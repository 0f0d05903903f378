"""The panels Problems and Invariants: errors of the world and of the picture; a click leads to a place.

Problems lists them by kind, like ``chunkscope health``.

Invariants shows present violations: a count for each invariant, red if it is violated, and the way to the places.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np
from imgui_bundle import imgui

from client.connection.stats import text_of_box
from client.player import Eye
from client.report.health import Problem, counts_of
from net.space import BlockPos
from render.invariants import Blocks, InvariantFinding
from render.panels.panel import Dock, Go, Inspect, PanelRequest, panel
from render.panels.widgets import GREEN, RED, hint, soft

GREY: Final = (0.6, 0.6, 0.6, 1.0)
MOST_BOXES: Final = 200
"""Listed places of one problem."""


@panel("problems", title="Problems", place=9, dock=Dock.BELOW)
def draw(found: tuple[Problem, ...], _state: object = None) -> list[PanelRequest]:
    if not found:
        imgui.text_colored(GREEN, "no problems found")
        return []
    imgui.text_colored(RED, counts_of(found))
    imgui.text_disabled("click a place to inspect it and go there")
    return [each for problem in found for each in _problem(problem)]


def _problem(problem: Problem) -> list[PanelRequest]:
    imgui.separator_text(problem.heading)
    imgui.text_wrapped(problem.sentence)
    asked: list[PanelRequest] = []
    found = problem.boxes
    for low, high in found[:MOST_BOXES]:
        chosen, _ = imgui.selectable(
            f"{text_of_box(low, high, problem.unit)}##{problem.kind} {problem.sentence}", False
        )
        if chosen and problem.block is not None:
            y = problem.block.subchunk.y if len(low) == 2 else low[1]
            block = BlockPos(low[0] * 16 + 8, y * 16 + 8, low[-1] * 16 + 8)
            asked += [Inspect(block), Go(block)]
    if len(found) > MOST_BOXES:
        imgui.text_disabled(f"and {len(found) - MOST_BOXES:,} more")
    return asked


# --------------------------------------------------------------------- invariants

NAME_EM: Final = 9.0
"""Width of the names, in heights of the font."""
MEANS_EM: Final = 9.0
"""Least width beside a name; with less its meaning is below it."""
MEANS: Final = {
    "not meshed": "render cells that have blocks to draw, but no mesh, though no work is left",
    "duplicate requests": "sub-chunks requested again without a reason",
    "unsolicited answers": "answers without a request, or more answers than requests",
    "light seams": "borders where final light does not continue as it should",
    "GPU pages leaked": "pages of the GPU quad arena that belong to no mesh",
    "height contradictions": "height maps that contradict their blocks",
}


class InvariantsView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    found: Mapping[str, InvariantFinding]  # by invariant
    eye: Eye  # of the view


class InvariantsState(msgspec.Struct):
    """The places already visited."""

    seen: dict[str, set[BlockPos]] = {}  # by invariant


@panel("invariants", title="Invariants", place=6, dock=Dock.BELOW, state=InvariantsState)
def draw_invariants(view: InvariantsView, state: InvariantsState) -> list[PanelRequest]:
    """Draws one frame; places are visited in the order of walking from the eye."""
    found, eye = view.found, view.eye
    broken = sum(1 for finding in found.values() if finding.count)
    if broken:
        imgui.text_colored(RED, f"{broken} of {len(found)} are broken")
    else:
        imgui.text_colored(GREEN, "no violations known")
    requests: list[PanelRequest] = []
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_fixed_fit
    if not imgui.begin_table("invariants", 2, flags):
        return requests
    imgui.table_setup_column("count")
    imgui.table_setup_column("what", imgui.TableColumnFlags_.width_stretch)
    for name, finding in found.items():
        requests += row(name, finding, state, eye)
    imgui.end_table()
    return requests


def row(name: str, finding: InvariantFinding, state: InvariantsState, eye: Eye) -> list[PanelRequest]:
    imgui.table_next_row()
    imgui.table_next_column()
    colour = GREY if finding.count is None else RED if finding.count else GREEN
    imgui.text_colored(colour, "?" if finding.count is None else f"{finding.count:,}")
    imgui.table_next_column()
    start, space, em = imgui.get_cursor_pos_x(), imgui.get_content_region_avail().x, imgui.get_font_size()
    imgui.text(name)
    # Buttons are above text that changes its length: they must not move under the mouse.
    requests = way(name, finding.places, state, eye) if len(finding.places) else []
    if not len(finding.places) and space >= (NAME_EM + MEANS_EM) * em:
        imgui.same_line(start + NAME_EM * em)
    soft(f"{MEANS[name]}{f' ({finding.said})' if finding.said else ''}")
    return requests


def way(name: str, places: Blocks, state: InvariantsState, eye: Eye) -> list[PanelRequest]:
    """The button that leads to the places, and the number of visited ones."""
    seen, requests = state.seen.setdefault(name, set()), list[PanelRequest]()
    if imgui.button(f"go there##{name}"):
        place = next_place(places, seen, eye)
        requests = [Inspect(place), Go(place)]
    hint("fly to the nearest place; again: the next place")
    if seen:
        imgui.same_line()
        imgui.text_disabled(f"{min(len(seen), len(places)):,} of {len(places):,}")
    return requests


def next_place(places: Blocks, seen: set[BlockPos], eye: Eye) -> BlockPos:
    """The nearest place to the eye that was not visited, starting over once all were; marks it as visited."""
    known = np.array(sorted(seen), np.int32).reshape(-1, 3)
    been = (places[:, None] == known).all(axis=2).any(axis=1) if len(known) else np.zeros(len(places), np.bool_)
    if been.all():
        seen.clear()
        been[:] = False
    else:
        seen.intersection_update(BlockPos(*place) for place in places[been].tolist())
    away = ((places + 0.5 - np.array(eye)) ** 2).sum(axis=1)
    place = BlockPos(*places[np.where(been, np.inf, away).argmin()].tolist())
    seen.add(place)
    return place
