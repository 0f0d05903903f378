"""Graphs of the last frames."""

import numpy as np
from imgui_bundle import imgui

from render.panels import graphs
from render.panels.graphs import Graph, GraphsState, GraphsView
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
