"""Graphs over the last frames: what each stage takes on the CPU and each pass on the GPU, frames, bytes, round trip."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui, implot

from net.frozen import frozen

TITLE: Final = "Graphs"
NARROWEST_EM: Final = 22.0
"""Width of a graph, in heights of the font; what is narrower stands below another."""
LOWEST_EM: Final = 8.0
LINE_EM: Final = 1.05
"""Height of a name in the legend."""
AROUND_EM: Final = 3.2
"""What title and frame take of a graph's height: below so many names, names would be cut."""
MEANS: Final = "numbers: means of what is shown"

Line = npt.NDArray[np.float64]
"""[n] one value a frame; NaN where a frame had none."""


@frozen
class Graph:
    """One of them.

    Attributes:
        title: with its unit.
        stacked: whether the lines add up.
        lines: names, as ``labelled`` makes them, and values.
        empty: why there is nothing to see, where there is not.
    """

    title: str
    stacked: bool
    lines: tuple[tuple[str, Line], ...]
    empty: str = ""


@frozen
class GraphsView:
    """One moment.

    Attributes:
        seconds: when each frame was, 0 the last.
        graphs: in order.
    """

    seconds: Line
    graphs: tuple[Graph, ...]


@dataclass(slots=True)
class GraphsState:
    """What somebody chose.

    Attributes:
        frozen: what is looked at while time goes on; None: the last frames.
    """

    frozen: GraphsView | None = None


def labelled(name: str, line: Line) -> str:
    """A name with the mean of its line; imgui knows the line by the name, whatever the number."""
    known = line[np.isfinite(line)]
    return f"{name} {known.mean():.3g}###{name}" if len(known) else name


def draw(view: GraphsView, state: GraphsState) -> None:
    """Lists one frame of it."""
    changed, frozen = imgui.checkbox("freeze", state.frozen is not None)
    if changed:
        state.frozen = view if frozen else None
    shown = state.frozen or view
    if len(shown.seconds) < 2:
        imgui.text_disabled("No frames yet.")
        return
    imgui.same_line()
    imgui.text_disabled(MEANS)
    em, room = imgui.get_font_size(), imgui.get_content_region_avail()
    across = max(min(int(room.x / (NARROWEST_EM * em)), len(shown.graphs)), 1)
    down = -(-len(shown.graphs) // across)
    width = room.x / across - imgui.get_style().item_spacing.x
    share = max(room.y / down - imgui.get_style().item_spacing.y, LOWEST_EM * em)
    for first in range(0, len(shown.graphs), across):
        row = shown.graphs[first : first + across]
        height = max(share, *((len(graph.lines) * LINE_EM + AROUND_EM) * em for graph in row))
        for index, graph in enumerate(row):
            if index:
                imgui.same_line()
            plot(graph, shown.seconds, imgui.ImVec2(width, height))


def plot(graph: Graph, seconds: Line, size: imgui.ImVec2) -> None:
    """One graph, or why there is none."""
    if graph.empty:
        said(graph, size)
        return
    if not implot.begin_plot(graph.title, size, implot.Flags_.no_menus):
        return
    implot.setup_axes("", "", implot.AxisFlags_.none, implot.AxisFlags_.auto_fit)
    implot.setup_axis_format(implot.ImAxis_.x1, "%g s")
    implot.setup_axis_limits(implot.ImAxis_.x1, float(seconds[0]), 0.0, implot.Cond_.always)
    implot.setup_legend(implot.Location_.east, implot.LegendFlags_.outside)
    below = np.zeros(len(seconds))
    for name, line in graph.lines:
        if graph.stacked:
            above = below + np.nan_to_num(line)
            implot.plot_shaded(name, seconds, below, above)
            below = above
        else:
            implot.plot_line(name, seconds, line)
    implot.end_plot()


def said(graph: Graph, size: imgui.ImVec2) -> None:
    """A graph's place with words in it."""
    imgui.begin_child(graph.title, size, imgui.ChildFlags_.borders)
    imgui.text(graph.title)
    imgui.push_text_wrap_pos(0.0)
    imgui.text_disabled(graph.empty)
    imgui.pop_text_wrap_pos()
    imgui.end_child()
