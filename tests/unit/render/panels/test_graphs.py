"""Graphs of the last frames."""

import numpy as np
from imgui_bundle import imgui

from render.panels import graphs
from render.panels.graphs import Graph, GraphsState, GraphsView, labelled
from render.panels.host import FONT_PX
from tests.support.panel_text import frame, hosted, text_of

SECONDS = np.linspace(-1.0, 0.0, 20)
VIEW = GraphsView(
    SECONDS,
    (
        Graph("CPU, ms", True, (("draw", np.ones(20)), ("net", np.full(20, np.nan)))),
        Graph("frames, ms", False, (("work", np.arange(20.0)),)),
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


def test_a_name_has_the_mean_of_what_is_known_and_stays_the_same_line() -> None:
    assert labelled("draw", np.array([2.0, np.nan, 3.0])) == "draw 2.5###draw"
    assert labelled("draw", np.full(3, np.nan)) == "draw"


def test_a_graph_of_nothing_says_why() -> None:
    empty = Graph("GPU, ms", True, (), "No clock.")
    text = text_of(lambda: graphs.draw(GraphsView(SECONDS, (empty, *VIEW.graphs)), GraphsState()))
    assert "GPU, ms" in text
    assert "No clock." in text


def test_graphs_with_many_names_are_higher_than_their_share() -> None:
    many = GraphsView(SECONDS, (Graph("many", True, tuple((f"line {index}", np.ones(20)) for index in range(60))),))
    ends = []

    def measured() -> None:
        graphs.draw(many, GraphsState())
        ends.append(imgui.get_cursor_pos_y())

    with hosted() as host:
        frame(host, measured)
    assert ends[0] > 60 * FONT_PX
