"""What is wrong with the world, by kind, as ``chunkscope health`` lists it; a click leads to a place."""

from typing import Final

import msgspec
from imgui_bundle import imgui

from client.connection.stats import boxes, text_of_box
from client.report.health import Problem
from net.space import BlockPos
from render.panels.panel import Dock, Go, Inspect, Wish, count, panel

RED, GREEN = (1.0, 0.35, 0.30, 1.0), (0.40, 0.85, 0.50, 1.0)
MOST_BOXES: Final = 200
"""Boxes of places that are listed of one problem."""


class ProblemsView(msgspec.Struct, frozen=True):
    """One moment."""

    problems: tuple[Problem, ...]  # by kind


@panel("problems", title="Problems", place=9, dock=Dock.BELOW)
def draw(view: ProblemsView, _state: object = None) -> list[Wish]:
    """Lists one frame of it."""
    if not view.problems:
        imgui.text_colored(imgui.ImVec4(*GREEN), "no problems found")
        return []
    kinds = ", ".join(f"{count(problem.count)} {problem.kind}" for problem in view.problems)
    imgui.text_colored(imgui.ImVec4(*RED), kinds)
    imgui.text_disabled("click a place to inspect it and go there")
    return [each for problem in view.problems for each in _problem(problem)]


def _problem(problem: Problem) -> list[Wish]:
    """One kind; where somebody wants to be taken to."""
    unit = problem.unit if problem.count != 1 else problem.unit.removesuffix("s")
    since = "" if problem.first_seen_s is None else f", first at {problem.first_seen_s:.3f} s"
    imgui.separator_text(f"{problem.kind}: {count(problem.count)} {unit}{since}")
    imgui.text_wrapped(problem.sentence)
    asked: list[Wish] = []
    found = boxes(problem.places)
    for low, high in found[:MOST_BOXES]:
        chosen, _ = imgui.selectable(f"{text_of_box(low, high)}##{problem.kind} {problem.sentence}", False)
        if chosen and problem.block is not None:
            y = problem.block.subchunk.y if len(low) == 2 else low[1]
            block = BlockPos(low[0] * 16 + 8, y * 16 + 8, low[-1] * 16 + 8)
            asked += [Inspect(block), Go(block)]
    if len(found) > MOST_BOXES:
        imgui.text_disabled(f"and {count(len(found) - MOST_BOXES)} more")
    return asked
