"""Graphs over the last frames: CPU time of stages, GPU time of passes, frames, bytes, round trip."""

from collections.abc import Iterator
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui, implot

from render.panels import widgets
from render.panels.panel import Dock, PanelRequest, panel
from render.panels.widgets import flows, hint, soft

NARROWEST_EM: Final = 22.0
"""Least width of a graph, in heights of the font; narrower ones are placed below each other."""
LOWEST_EM: Final = 8.0
AROUND_EM: Final = 1.6
"""Height of a graph besides its names: title and padding."""
SWATCH_EM: Final = 2.2
"""Width of a line's sample beside its name."""
MOST_NAMES: Final = 0.55
"""Share of a graph's width that its names may take."""
MEANS: Final = "numbers: means of the shown interval; click a name to hide its line"
THOUSAND: Final = 999.5
PALE: Final = 0.35
"""Strength of the sample of a hidden line."""

Line = npt.NDArray[np.float64]
"""[n] one value a frame; NaN for frames without one."""


class GraphLine(msgspec.Struct, frozen=True):
    """One line of a graph."""

    name: str  # beside its sample
    mean: str  # of its values, as text; empty without values
    values: Line  # by frame

    @classmethod
    def of(cls, name: str, values: Line) -> "GraphLine":
        """A line with the mean of its known values."""
        known = values[np.isfinite(values)]
        return cls(name, format_number(float(known.mean())) if len(known) else "", values)


def format_number(number: float) -> str:
    """A number with few digits, without exponents."""
    return f"{round(number):,}" if number >= THOUSAND else f"{round(number, 4):.3g}"


class Graph(msgspec.Struct, frozen=True):
    """One graph."""

    title: str  # with its unit
    stacked: bool  # whether the lines add up
    lines: tuple[GraphLine, ...]  # in order
    empty: str = ""  # why the graph is empty, if it is


class GraphsView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    seconds: Line  # time of each frame, 0 the last
    graphs: tuple[Graph, ...]  # in order


class GraphsState(msgspec.Struct):
    """The user's selection."""

    frozen: GraphsView | None = None  # content that stays shown; None: the last frames
    hidden: set[tuple[str, str]] = set()  # titles of graphs, and names of lines, that are not drawn


@panel("graphs", title="Graphs", place=3, dock=Dock.BELOW, state=GraphsState)
def draw(view: GraphsView, state: GraphsState) -> list[PanelRequest]:
    changed, frozen = imgui.checkbox("freeze", state.frozen is not None)
    if changed:
        state.frozen = view if frozen else None
    hint("pauses the graphs")
    shown = state.frozen or view
    if len(shown.seconds) < 2:
        imgui.text_disabled("No frames yet.")
        return []
    flows(MEANS)
    soft(MEANS)
    for row, size in rows_of(shown.graphs):
        for index, graph in enumerate(row):
            if index:
                imgui.same_line()
            plot(graph, shown.seconds, size, state.hidden)
    return []


def rows_of(graphs: tuple[Graph, ...]) -> Iterator[tuple[tuple[Graph, ...], imgui.ImVec2]]:
    """Rows of graphs that fit the panel's width, and the size of each. Names are never cut off."""
    em, space, spacing = imgui.get_font_size(), imgui.get_content_region_avail(), imgui.get_style().item_spacing
    across = max(min(int(space.x / (NARROWEST_EM * em)), len(graphs)), 1)
    down = -(-len(graphs) // across)
    share = max(space.y / down - spacing.y, LOWEST_EM * em)
    for first in range(0, len(graphs), across):
        row = graphs[first : first + across]
        most = max(len(graph.lines) for graph in row)
        height = max(share, most * imgui.get_text_line_height_with_spacing() + AROUND_EM * em)
        yield row, imgui.ImVec2(space.x / across - spacing.x, height)


def plot(graph: Graph, seconds: Line, size: imgui.ImVec2, hidden: set[tuple[str, str]]) -> None:
    """One graph with its names beside it, or the reason why it is empty."""
    if graph.empty:
        said(graph, size)
        return
    imgui.begin_group()
    names_px = min(SWATCH_EM * imgui.get_font_size() + widest(graph), MOST_NAMES * size.x)
    begun = implot.begin_plot(
        graph.title, imgui.ImVec2(size.x - names_px, size.y), implot.Flags_.no_menus | implot.Flags_.no_legend
    )
    if begun:
        implot.setup_axes("", "", implot.AxisFlags_.none, implot.AxisFlags_.auto_fit)
        implot.setup_axis_format(implot.ImAxis_.x1, "%g s")
        implot.setup_axis_limits(implot.ImAxis_.x1, float(seconds[0]), 0.0, implot.Cond_.always)
        stack(graph, seconds, hidden) if graph.stacked else draw_lines(graph, seconds, hidden)
        implot.end_plot()
    imgui.same_line(0.0, 0.0)
    names(graph, names_px, hidden)
    imgui.end_group()


def draw_lines(graph: Graph, seconds: Line, hidden: set[tuple[str, str]]) -> None:
    for index, line in enumerate(graph.lines):
        if (graph.title, line.name) not in hidden:
            at = widgets.signed(index, len(seconds))
            implot.plot_line(line.name, seconds, line.values, widgets.line_spec(index))
            implot.plot_scatter(line.name, seconds[at], line.values[at], widgets.sign_spec(index, False))


def stack(graph: Graph, seconds: Line, hidden: set[tuple[str, str]]) -> None:
    """Stacked areas; signs are in the middle of areas that are high enough."""
    shown = [(index, np.nan_to_num(line.values)) for index, line in enumerate(graph.lines)]
    shown = [(index, values) for index, values in shown if (graph.title, graph.lines[index].name) not in hidden]
    tops = np.cumsum([values for _, values in shown], axis=0) if shown else np.zeros((0, len(seconds)))
    least = widgets.LEAST_SHARE * float(tops[-1].max()) if shown else 0.0
    for (index, values), top in zip(shown, tops, strict=True):
        name, at = graph.lines[index].name, widgets.signed(index, len(seconds))
        at = at[values[at] > least]
        implot.plot_shaded(name, seconds, top - values, top, widgets.line_spec(index))
        implot.plot_scatter(name, seconds[at], (top - values / 2)[at], widgets.sign_spec(index, True))


def names(graph: Graph, width_px: float, hidden: set[tuple[str, str]]) -> None:
    """Samples, names and means, one below the other; a click hides or shows a line."""
    imgui.begin_group()
    imgui.dummy((1.0, imgui.get_font_size()))
    for index, line in enumerate(graph.lines):
        corner, key = imgui.get_cursor_screen_pos(), (graph.title, line.name)
        size = imgui.ImVec2(width_px, imgui.get_text_line_height())
        chosen, _ = imgui.selectable(f"##{graph.title} {line.name}", False, imgui.SelectableFlags_.none, size)
        if chosen:
            hidden ^= {key}
        lines, pale = imgui.get_window_draw_list(), PALE if key in hidden else 1.0
        em = imgui.get_font_size()
        widgets.swatch(index, graph.stacked, corner.x + 0.2 * em, corner.y + size.y / 2, pale)
        colour = imgui.get_color_u32(imgui.Col_.text, pale)
        lines.add_text((corner.x + SWATCH_EM * em, corner.y), colour, f"{line.name} {line.mean}")
    imgui.end_group()


def widest(graph: Graph) -> float:
    return max((imgui.calc_text_size(f"{line.name} {line.mean}").x for line in graph.lines), default=0.0)


def said(graph: Graph, size: imgui.ImVec2) -> None:
    imgui.begin_child(graph.title, size, imgui.ChildFlags_.borders)
    imgui.text(graph.title)
    soft(graph.empty)
    imgui.end_child()
