"""Graphs of the last frames."""

import numpy as np
from imgui_bundle import imgui

from render.panels import graphs, widgets
from render.panels.graphs import Graph, GraphLine, GraphsState, GraphsView
from render.panels.imgui_host import FONT_PX
from tests.support.window.panels import frame, hosted, text_of

SECONDS = np.linspace(-1.0, 0.0, 20)
VIEW = GraphsView(
    SECONDS,
    (
        Graph("CPU, ms", True, (GraphLine.of("draw", np.ones(20)), GraphLine.of("net", np.full(20, np.nan)))),
        Graph("frames, ms", False, (GraphLine.of("work", np.arange(20.0)),)),
    ),
)


def test_no_frames_are_said() -> None:
    assert "No frames yet" in text_of(lambda: graphs.draw(GraphsView(SECONDS[:1], ()), GraphsState()))


def test_graphs_are_listed_with_their_gaps() -> None:
    state = GraphsState()
    with hosted() as host:
        for _ in range(3):
            assert frame(host, lambda: graphs.draw(VIEW, state))
        assert imgui.get_draw_data().total_vtx_count > 200
    text = text_of(lambda: graphs.draw(VIEW, state))
    assert "freeze" in text
    assert "failed" not in text


def test_what_is_frozen_stays() -> None:
    state = GraphsState(frozen=VIEW)
    assert "No frames yet" not in text_of(lambda: graphs.draw(GraphsView(SECONDS[:1], ()), state))


def test_a_name_has_the_mean_of_what_is_known() -> None:
    for values, mean in (([2.0, np.nan, 3.0], "2.5"), ([np.nan], ""), ([4096.0], "4 096"), ([0.01234], "0.0123")):
        assert GraphLine.of("draw", np.array(values)).mean == mean


def test_lines_are_told_apart_without_their_colours() -> None:
    assert (
        len({marker for marker, _ in widgets.SIGNS}) == len({shape for _, shape in widgets.SIGNS}) == len(widgets.SIGNS)
    )
    both = {
        (widgets.COLOURS[index % len(widgets.COLOURS)], widgets.SIGNS[index % len(widgets.SIGNS)])
        for index in range(70)
    }
    assert len(both) == 70


def test_signs_lie_beside_those_of_other_lines_and_are_there_from_the_first_frames() -> None:
    first, second = widgets.signed(0, 480), widgets.signed(1, 480)
    assert (np.diff(first) == widgets.EVERY).all()
    assert first[-1] == 479
    assert not {*first.tolist()} & {*second.tolist()}
    for length in range(2, 480):
        for index in range(12):
            at = widgets.signed(index, length)
            assert len(at) >= min(length, widgets.FEWEST) - 1
            assert 0 <= at[0] <= at[-1] < length


def test_a_click_on_a_name_hides_its_line_and_another_shows_it_again() -> None:
    state, graph, where = GraphsState(), VIEW.graphs[1], list[imgui.ImVec2]()

    def drawn() -> None:
        graphs.plot(graph, SECONDS, imgui.ImVec2(600, 300), state.hidden)
        where.append(imgui.ImVec2(imgui.get_item_rect_max().x - FONT_PX, imgui.get_item_rect_min().y + 2 * FONT_PX))

    with hosted() as host:
        for hides in (True, False):
            for _ in range(3):
                frame(host, drawn)
            vertices = imgui.get_draw_data().total_vtx_count
            host.moved(where[-1].x, where[-1].y)
            for down in (True, False):
                host.button(0, down)
                for _ in range(3):
                    frame(host, drawn)
            assert state.hidden == ({(graph.title, "work")} if hides else set())
            assert (imgui.get_draw_data().total_vtx_count < vertices) == hides


def test_a_graph_of_nothing_says_why() -> None:
    empty = Graph("GPU, ms", True, (), "No clock.")
    text = text_of(lambda: graphs.draw(GraphsView(SECONDS, (empty, *VIEW.graphs)), GraphsState()))
    assert "GPU, ms" in text
    assert "No clock." in text


def test_graphs_with_many_names_are_higher_than_their_share() -> None:
    many = GraphsView(
        SECONDS, (Graph("many", True, tuple(GraphLine.of(f"line {index}", np.ones(20)) for index in range(60))),)
    )
    ends = []

    def measured() -> None:
        graphs.draw(many, GraphsState())
        ends.append(imgui.get_cursor_pos_y())

    with hosted() as host:
        frame(host, measured)
    assert ends[0] > 60 * FONT_PX
