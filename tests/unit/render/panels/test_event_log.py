"""The panel of events, and the scrubber over a recording."""

from imgui_bundle import imgui
from msgspec.structs import replace

from net.space.positions import BlockPos
from render.panels import event_log
from render.panels.event_log import EventsState, EventsView, LoggedEvent, RecordingView
from render.panels.imgui_host import FONT_PX
from render.panels.requests import Inspect, Press, Seek, Wish
from render.settings import Action
from render.settings.actions import ActionGroup, actions_of
from tests.support.window.panels import frame, hosted, text_of

EVENTS = (
    LoggedEvent(2.5, 61, BlockPos(16, 64, -16), "answer_data 1", "requested > data"),
    LoggedEvent(1.25, None, BlockPos(0, 0, 0), "asked", "unknown > requested"),
)
RECORDING = RecordingView(5.0, 20.0, 1234, True, "1x", None)
LIVE = EventsView(EVENTS, 4321, None)


def test_events_are_listed_with_time_packet_and_place() -> None:
    text = text_of(lambda: event_log.draw(LIVE, EventsState()))
    for words in ("2.500", "61", "16 64 -16", "answer data 1", "requested > data", "us", "4 321 events"):
        assert words in text
    assert "pause" not in text


def test_what_is_said_has_no_place_and_keeps_its_letters() -> None:
    said = LoggedEvent(3.0, 62, None, "json_whisper", "Ada: snake_case")
    text = text_of(lambda: event_log.draw(replace(LIVE, events=(said,)), EventsState(wanted="snake")))
    for words in ("62", "json whisper", "Ada: snake_case"):
        assert words in text


def test_only_events_with_the_wanted_text_are_listed() -> None:
    text = text_of(lambda: event_log.draw(LIVE, EventsState(wanted="asked")))
    assert "16 64 -16" not in text
    assert "0 0 0" in text


def test_frozen_events_stay() -> None:
    text = text_of(lambda: event_log.draw(replace(LIVE, events=()), EventsState(frozen=EVENTS)))
    assert "16 64 -16" in text


def test_a_recording_has_a_scrubber() -> None:
    view = replace(LIVE, recording=replace(RECORDING, on_the_way=2.5))
    text = text_of(lambda: event_log.draw(view, EventsState()))
    for words in ("go on", "packet >", "< tick", "5.00 of 20.00 s, on the way, at 2.50 s", "packet 1 234, 1x"):
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
    assert "the past: packet 1 234, 1x; the session goes on" in past


def test_the_handle_dragged_and_let_go_seeks_once() -> None:
    state, wishes = EventsState(), list[Wish]()
    view = replace(LIVE, recording=RECORDING)
    where: list[tuple[imgui.ImVec2, imgui.ImVec2]] = []

    def shown() -> None:
        wishes.extend(event_log.scrubber(RECORDING, state))
        where.append((imgui.get_item_rect_min(), imgui.get_item_rect_max()))

    with hosted() as host:
        frame(host, shown)
        (low, high) = where[-1]
        host.moved((low.x + high.x) / 2, (low.y + high.y) / 2)
        frame(host, shown)
        host.button(0, True)
        frame(host, shown)
        assert wishes == []
        assert state.aimed_s is not None
        host.button(0, False)
        frame(host, shown)
        frame(host, shown)
    (wish,) = wishes
    assert isinstance(wish, Seek)
    assert abs(wish.time_s - 10.0) < 0.5
    assert view.recording is not None


def test_a_click_on_a_row_inspects_its_place() -> None:
    wishes: list[Wish] = []
    where: list[imgui.ImVec2] = []

    def shown() -> None:
        wishes.extend(event_log.draw(LIVE, EventsState()))

    with hosted() as host:
        for _ in range(3):
            frame(host, shown)
        host.focus("tried")
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
    assert {wish for wish in wishes if isinstance(wish, Inspect)} == {Inspect(event.block) for event in EVENTS}
    assert not [wish for wish in wishes if isinstance(wish, Press)]


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
    assert heights[-1] >= event_log.LEAST_LINES * FONT_PX
