"""Graphs of the last frames.

Pipeline: The panel of the pipeline: numbers that add up, and nothing that is cut where it is narrow.

Event log: The panel of events, and the scrubber over a recording.
"""

import re
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from client.connection.opening import counted
from client.connection.stats import Statistics
from net.space import BlockPos
from render.panels import event_log, graphs, pipeline, widgets
from render.panels.event_log import EventsState, EventsView, LoggedEvent, RecordingView
from render.panels.graphs import Graph, GraphLine, GraphsState, GraphsView
from render.panels.imgui_host import FONT_PX
from render.panels.panel import Inspect, PanelRequest, Press, Seek
from render.panels.pipeline import PipelineView
from render.scene import SceneStats
from render.settings import Action
from render.settings.actions import ActionGroup, actions_of
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import frame, hosted, text_of

# ---------------------------------------------------------------- graphs

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
    for values, mean in (
        ([2.0, np.nan, 3.0], "2.5"),
        ([np.nan], ""),
        ([4096.0], "4,096"),
        ([0.01234], "0.0123"),
        ([2e-05], "0"),
    ):
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


# ---------------------------------------------------------------- pipeline

SCENE = SimpleNamespace(cells_shown=7, cells_drawn=5, meshes_made=9, meshes_dropped=1, failures=0, gpu_bytes=2_000_000)


@pytest.fixture(scope="module")
def known() -> Statistics:
    connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    return connection.statistics()


def test_states_requests_queues_and_pools_are_those_of_the_session(known: Statistics) -> None:
    view = PipelineView(known, cast(SceneStats, SCENE), (("cells to mesh", 3),), 1e3, 2e3, 4.0, 5.0)
    text = " ".join(text_of(lambda: pipeline.draw(view)).split())
    ledger, states = known.session.ledger, known.session.states
    assert f"sub-chunks of {known.session.columns} columns" in text
    assert f"| received | {states['data']} |" in text
    assert f"| requested | {ledger.asked} in " in text
    assert f"| answered | {ledger.settled + ledger.failed}, 5/s |" in text
    assert ledger.asked == ledger.settled + ledger.failed + ledger.timed_out + ledger.outstanding
    assert "| cells to mesh | 3 |" in text
    assert "1.0 KB/s" in text
    for pool in known.memory:
        assert pool.name in text


def test_the_step_of_the_join_that_is_missing_stands_first(known: Statistics) -> None:
    stalled = replace(known, session=replace(known.session, join_fault="no radius granted"))
    view = PipelineView(stalled, cast(SceneStats, SCENE), (), 1e3, 2e3, 4.0, 5.0)
    assert "join: no radius granted" in text_of(lambda: pipeline.draw(view))
    assert "join:" not in text_of(lambda: pipeline.draw(replace(view, known=known)))


def test_numbers_have_their_nouns_and_labels_their_meanings(known: Statistics) -> None:
    view = PipelineView(known, cast(SceneStats, SCENE), (), 1e3, 2e3, 4.0, 5.0)
    text = " ".join(text_of(lambda: pipeline.draw(view)).split())
    ledger = known.session.ledger
    assert f"{ledger.outstanding} open, at most {ledger.window:,} at a time" in text
    assert f"in {counted(known.session.requests.packets, 'packet')}, 4/s" in text
    assert (counted(1, "packet"), counted(1234, "packet")) == ("1 packet", "1,234 packets")
    labels = set(re.findall(r"\| ([a-z ,]+) \|", text))
    assert {label for label in labels if label in pipeline.MEANS} >= {"requested", "refused", "cells shown, drawn"}


# ---------------------------------------------------------------- event log

EVENTS = (
    LoggedEvent(2.5, 61, BlockPos(16, 64, -16), "answer_data, code 1", "requested > data"),
    LoggedEvent(1.25, None, BlockPos(0, 0, 0), "requested", "unknown > requested"),
)
RECORDING = RecordingView(5.0, 20.0, 1234, True, "1x", None)
LIVE = EventsView(EVENTS, 4321, None)


def test_events_are_listed_with_time_packet_and_place() -> None:
    text = text_of(lambda: event_log.draw(LIVE, EventsState()))
    words_of_rows = ("2.500", "61", "16,64,-16", "answer data, code 1", "requested > data", "client")
    for words in (*words_of_rows, "4,321 sub-chunk events"):
        assert words in text
    assert "pause" not in text


def test_what_is_said_has_no_place_and_keeps_its_letters() -> None:
    said = LoggedEvent(3.0, 62, None, "json_whisper", "Ada: snake_case")
    text = text_of(lambda: event_log.draw(replace(LIVE, events=(said,)), EventsState(wanted="snake")))
    for words in ("62", "json whisper", "Ada: snake_case"):
        assert words in text


def test_only_events_with_the_wanted_text_are_listed() -> None:
    text = text_of(lambda: event_log.draw(LIVE, EventsState(wanted="unknown")))
    assert "16,64,-16" not in text
    assert "0,0,0" in text


def test_frozen_events_stay() -> None:
    text = text_of(lambda: event_log.draw(replace(LIVE, events=()), EventsState(frozen=EVENTS)))
    assert "16,64,-16" in text


def test_a_recording_has_a_scrubber() -> None:
    view = replace(LIVE, recording=replace(RECORDING, on_the_way=2.5))
    text = text_of(lambda: event_log.draw(view, EventsState()))
    for words in ("continue", "packet >", "< tick", "5.00 of 20.00 s, seeking, at 2.50 s", "packet 1,234, 1x"):
        assert words in text


def test_buttons_do_what_keys_do() -> None:
    assert {action for _, action in event_log.BUTTONS} | {"pause", "save_past"} == {
        action.value for action in actions_of(ActionGroup.TIME)
    }
    assert all(Action(action).group is ActionGroup.TIME for _, action in event_log.BUTTONS)


def test_a_live_session_says_what_is_kept_and_the_past_that_it_is_one() -> None:
    live = replace(RECORDING, live=True, paused=False, kept="the last 3:20 min, 1.0 MB of 67.1 MB", from_s=3.0)
    shown = text_of(lambda: event_log.draw(replace(LIVE, recording=live), EventsState()))
    for words in ("pause", "live; kept: the last 3:20 min", "back to live", "save"):
        assert words in shown
    past = text_of(lambda: event_log.draw(replace(LIVE, recording=replace(live, live=False)), EventsState()))
    assert "rewound: packet 1,234, 1x; live session continues" in past


def test_the_handle_dragged_and_let_go_seeks_once() -> None:
    state, requests = EventsState(), list[PanelRequest]()
    view = replace(LIVE, recording=RECORDING)
    where: list[tuple[imgui.ImVec2, imgui.ImVec2]] = []

    def shown() -> None:
        requests.extend(event_log.scrubber(RECORDING, state))
        where.append((imgui.get_item_rect_min(), imgui.get_item_rect_max()))

    with hosted() as host:
        frame(host, shown)
        (low, high) = where[-1]
        host.moved((low.x + high.x) / 2, (low.y + high.y) / 2)
        frame(host, shown)
        host.button(0, True)
        frame(host, shown)
        assert requests == []
        assert state.aimed_s is not None
        host.button(0, False)
        frame(host, shown)
        frame(host, shown)
    (request,) = requests
    assert isinstance(request, Seek)
    assert abs(request.time_s - 10.0) < 0.5
    assert view.recording is not None


def test_a_click_on_a_row_inspects_its_place() -> None:
    requests: list[PanelRequest] = []
    where: list[imgui.ImVec2] = []

    def shown() -> None:
        requests.extend(event_log.draw(LIVE, EventsState()))

    with hosted() as host:
        for _ in range(3):
            frame(host, shown)
        imgui.set_window_focus("tried")
        # The first line of the table: under filter and headings.
        for y in range(60, 200, 6):
            host.moved(60.0, float(y))
            frame(host, shown)
            host.button(0, True)
            frame(host, shown)
            host.button(0, False)
            for _ in range(30):  # no double clicks
                frame(host, shown)
    assert not where
    assert {request for request in requests if isinstance(request, Inspect)} == {
        Inspect(event.block) for event in EVENTS
    }
    assert not [request for request in requests if isinstance(request, Press)]


def test_events_are_looked_for_as_they_are_written() -> None:
    for wanted, found in (("answer data", True), ("ANSWER", True), ("16 64", True), ("refused", False)):
        text = text_of(lambda wanted=wanted: event_log.draw(LIVE, EventsState(wanted=wanted)))
        assert ("requested > data" in text) == found, wanted


def test_rows_are_listed_however_low_the_panel_is() -> None:
    heights = []

    def low() -> None:
        imgui.dummy(imgui.ImVec2(1.0, imgui.get_content_region_avail().y - 10.0))
        before = imgui.get_cursor_pos_y()
        event_log.listed(list(EVENTS))
        heights.append(imgui.get_cursor_pos_y() - before)

    text_of(low)
    assert heights[-1] >= widgets.LEAST_LINES * FONT_PX
