"""imgui's context as panels need it: input, layout as text, one panel's trouble its own.

By keyboard: Panels by the keyboard alone: Tab and arrows lead to what each offers, Space and Enter do it.
"""

from collections.abc import Callable

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from client.player import Eye
from net.space import BlockPos
from render.invariants import InvariantFinding
from render.panels import event_log, graphs, inspector, problems, settings
from render.panels.event_log import EventsState, EventsView, LoggedEvent, RecordingView
from render.panels.graphs import Graph, GraphLine, GraphsState, GraphsView
from render.panels.imgui_host import STIRRED_FRAMES, ImguiHost, imgui_keys
from render.panels.inspector import InspectorState, InspectorView
from render.panels.panel import Change, Dock, Go, Inspect, PanelRequest, Press, Seek, all_panels
from render.panels.problems import InvariantsState, InvariantsView
from render.panels.settings import SettingsState, SettingsView
from render.settings import Keyboard, Settings
from render.settings.keys import NAMED, PAD, PLAIN, SHOWN
from tests.support.window.panels import end, frame, hosted, text_of

# ---------------------------------------------------------------- imgui host

RIGHT, BELOW = (tuple(panel.title for panel in all_panels() if panel.dock is dock) for dock in Dock)


def test_letters_digits_and_named_keys_are_known_to_imgui() -> None:
    unknown = {name for name in (*PLAIN, *NAMED, *PAD) if not imgui_keys(name)}
    assert unknown <= {
        "CAPSLOCK", "PAUSE", *(f"NUM_{digit}" for digit in range(10)), "NUM_MULTIPLY", "NUM_DIVIDE", "NUM_DECIMAL",
    }  # fmt: skip


def test_the_layout_is_kept_after_another_host_has_ended() -> None:
    with hosted() as first:
        frame(first, lambda: None)
        with hosted() as second:
            frame(second, lambda: None)
        assert "[Window][tried]" in first.layout()


def test_a_panel_that_raises_says_so_and_leaves_the_next_frame_whole() -> None:
    def broken() -> None:
        imgui.begin_table("left open", 2)
        raise ValueError("the floor\nis lava")

    assert "This panel failed: ValueError: the floor" in logged_after(broken)
    with hosted() as host:
        frame(host, broken)
        assert frame(host, lambda: imgui.text("fine"))


def logged_after(draw: object) -> str:
    """What a panel's trouble writes: the log must be begun outside of it."""
    copied: list[str] = []
    with hosted() as host:
        host.clipboard(lambda: "", copied.append)
        for _ in range(2):
            host.begin((900, 700), 1 / 60)
            imgui.log_to_clipboard()
            host.panel("tried", draw)
            imgui.log_finish()
            end(host)
    return copied[-1]


def test_a_layout_is_a_text_that_another_host_begins_with() -> None:
    with hosted() as host:
        frame(host, lambda: None, "Pipeline")
        kept = host.layout()
    assert "[Window][Pipeline]" in kept
    with hosted(kept) as host:
        frame(host, lambda: None, "Pipeline")
        where = {line for line in kept.splitlines() if line.startswith(("Pos=", "DockId="))}
        assert where <= set(host.layout().splitlines())


def test_docks_keep_their_share_of_a_window_of_another_size() -> None:
    def shares(host: ImguiHost, size: tuple[int, int]) -> tuple[float, float]:
        for _ in range(3):
            host.begin(size, 1 / 60)
            for title in ("Pipeline", "Events"):
                host.panel(title, lambda: None)
            end(host)
        _, top, right, bottom = host.free
        return right / size[0], (bottom - top) / (size[1] - top)

    with hosted() as host:
        first = shares(host, (1280, 720))
        assert 0.5 < first[0] < 0.8
        assert shares(host, (640, 360)) == pytest.approx(first, abs=0.02), "resized while it is open"
        kept = host.layout()
    with hosted(kept) as host:
        assert shares(host, (1600, 900)) == pytest.approx(first, abs=0.02), "opened in another size"


def test_a_panel_that_is_inspected_comes_to_the_front_of_its_column() -> None:
    seen: list[str] = []

    def listed(host: ImguiHost) -> None:
        seen.clear()
        host.begin((1280, 720), 1 / 60)
        for title in ("Pipeline", "Inspector"):
            host.panel(title, lambda title=title: seen.append(title))
        end(host)

    with hosted() as host:
        for _ in range(4):
            listed(host)
        (front,) = seen
        behind = "Inspector" if front == "Pipeline" else "Pipeline"
        host.bring_to_front(behind)
        for _ in range(3):
            listed(host)
        assert seen == [behind]


def test_a_layout_that_changes_is_said_to_have_changed_once() -> None:
    said = []
    with hosted() as host:
        frame(host, lambda: None, "Pipeline")
        host.layout()
        for _ in range(6 * 60):  # imgui waits for five seconds after the last change
            frame(host, lambda: imgui.set_window_pos(imgui.ImVec2(30, 40)), "Pipeline")
            said.append(host.layout_changed)
            if said[-1]:
                assert "Pos=30,40" in host.layout()
    assert said.count(True) == 1


def docked(host: ImguiHost, titles: tuple[str, ...] = RIGHT) -> list[str]:
    """One frame of panels in one column; those that are in front."""
    shown: list[str] = []
    host.begin((1280, 720), 1 / 60)
    for title in titles:
        host.panel(title, lambda title=title: shown.append(title))  # type: ignore[misc]  # untyped default
    end(host)
    return shown


@pytest.mark.parametrize("front", RIGHT)
def test_the_tab_in_front_is_kept(front: str) -> None:
    with hosted() as host:
        for _ in range(STIRRED_FRAMES):
            docked(host)
        host.layout()
        assert not host.layout_changed
        was = docked(host)
        imgui.set_window_focus(front)
        for _ in range(STIRRED_FRAMES):
            docked(host)
        assert host.layout_changed == (was != [front])
        kept = host.layout()
        assert not host.layout_changed
    with hosted(kept) as host:
        docked(host)
        assert [docked(host) for _ in range(STIRRED_FRAMES)] == STIRRED_FRAMES * [[front]]
        assert not host.layout_changed


def test_panels_that_come_with_the_host_have_the_keyboard_and_one_that_is_opened_comes_to_the_front() -> None:
    focused: list[bool] = []
    with hosted() as host:
        for _ in range(STIRRED_FRAMES):
            host.begin((1280, 720), 1 / 60)
            host.panel(RIGHT[0], lambda: focused.append(imgui.is_window_focused()))
            end(host)
        assert focused[-1]
        for _ in range(STIRRED_FRAMES):
            front = docked(host, RIGHT[:2])
        assert front == [RIGHT[1]]


def test_a_click_counts_however_much_came_since_the_last_frame() -> None:
    clicked = []

    def draw() -> None:
        imgui.begin_tab_bar("bar")
        for tab in ("one", "two"):
            shown, _ = imgui.begin_tab_item(tab)
            if shown:
                clicked.append(tab)
                imgui.end_tab_item()
            if tab == "one":
                where.append(imgui.get_item_rect_max())
        imgui.end_tab_bar()

    where: list[imgui.ImVec2] = []
    with hosted() as host:
        for _ in range(3):
            frame(host, draw)
        assert clicked[-1] == "one"
        host.moved(where[-1].x + 20, where[-1].y - 5)  # all of it between two frames, as where frames are slow
        host.button(0, True)
        host.button(0, False)
        for _ in range(4):
            frame(host, draw)
        assert clicked[-1] == "two"
        assert not imgui.is_mouse_down(0)


def test_two_clicks_are_a_double_one_where_frames_are_slow() -> None:
    twice = []
    with hosted() as host:

        def slow() -> None:
            host.begin((900, 700), 0.7)
            twice.append(imgui.is_mouse_double_clicked(0))
            host.end()

        frame(host, lambda: None)
        host.moved(100.0, 100.0)
        slow()
        for _ in range(2):
            host.button(0, True)
            host.button(0, False)
        for _ in range(5):
            slow()
    assert twice.count(True) == 1


def test_at_first_panels_have_more_of_a_window_with_larger_text_but_never_more_than_half() -> None:
    left = []
    for scale in (1.0, 2.0, 4.0):
        host = ImguiHost(scale)
        for _ in range(2):
            host.begin((900, 700), 1 / 60)
            host.panel(RIGHT[0], lambda: None)
            end(host)
        left.append(host.free[2] / 900)
        host.close()
    assert left[0] > left[1] >= left[2] >= 0.49
    assert left[0] > 0.6


def tabs_of(host: ImguiHost, size: tuple[int, int], titles: tuple[str, ...]) -> imgui.internal.TabBar:
    """The bar of a column, once it has come to rest."""
    for _ in range(4):
        host.begin(size, 1 / 60)
        for title in titles:
            host.panel(title, lambda: None)
        bar = imgui.internal.find_window_by_name(titles[0]).dock_node.tab_bar
        end(host)
    return bar


def test_four_titles_in_a_narrow_column_stay_in_sight() -> None:
    with hosted() as host:
        bar = tabs_of(host, (860, 560), RIGHT)
        assert bar.width_all_tabs <= bar.bar_rect.get_width() + 1, "none is scrolled away"


@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("titles", [RIGHT, BELOW])
def test_the_titles_of_a_column_are_whole_in_a_usual_window(scale: float, titles: tuple[str, ...]) -> None:
    host = ImguiHost(scale)
    bar = tabs_of(host, (1280, 720), titles)
    assert bar.width_all_tabs_ideal <= bar.bar_rect.get_width()
    host.close()


def test_the_arrow_keys_and_the_space_bar_press_a_button() -> None:
    pressed = []

    def two_buttons() -> None:
        pressed.extend(name for name in ("first", "second") if imgui.button(name))

    with hosted() as host:
        frame(host, two_buttons)
        imgui.set_window_focus("tried")
        for key in ("DOWN", "DOWN", "SPACE"):
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, two_buttons)
    assert pressed == ["second"]


def test_another_scale_makes_text_larger() -> None:
    heights = []
    for scale in (1.0, 2.0):
        host = ImguiHost(scale)
        frame(host, lambda: heights.append(imgui.get_text_line_height()))
        host.close()
    assert heights[1] == 2 * heights[0]


def test_what_a_panel_writes_can_be_read() -> None:
    assert "hello" in text_of(lambda: imgui.text("hello"))


def test_the_mouse_is_a_panels_in_the_moment_it_comes_there() -> None:
    with hosted() as host:
        frame(host, lambda: imgui.text("here"))
        assert not host.wants_mouse
        host.moved(400.0, 300.0)
        assert host.wants_mouse, "before imgui's next frame"
        host.moved(880.0, 690.0)
        frame(host, lambda: imgui.text("here"))
        assert not host.wants_mouse


def test_docked_panels_leave_the_rest_of_the_picture() -> None:
    with hosted() as host:
        host.begin((900, 700), 1 / 60)
        host.end()
        left, top, right, bottom = host.free
        assert (left, top) == (0.0, 0.0)
        assert right < 900, "the side of panels that lie as at first"
        assert bottom <= 700


def test_names_of_keys_can_be_written() -> None:
    with hosted() as host:
        host.begin((900, 700), 1 / 60)
        font = imgui.get_font()
        assert [sign for name in SHOWN.values() for sign in name if not font.is_glyph_in_font(ord(sign))] == []
        host.end()


def come_to_rest(host: ImguiHost) -> None:
    for _ in range(STIRRED_FRAMES):
        frame(host, lambda: None)
    assert not host.stirred


def test_who_does_anything_has_some_frames_listed_and_then_it_is_quiet() -> None:
    with hosted() as host:
        assert host.stirred, "nothing was listed yet"
        come_to_rest(host)
        for happens in (
            lambda: host.key("A", True),
            lambda: host.key("A", False),
            lambda: host.text("a"),
            lambda: host.moved(3.0, 4.0),
            lambda: host.wheel(0.0, 1.0),
            host.away,
        ):
            happens()
            for _ in range(STIRRED_FRAMES - 1):
                assert host.stirred
                frame(host, lambda: None)
            come_to_rest(host)


def test_a_button_that_is_held_down_keeps_frames_listed() -> None:
    def button() -> None:
        imgui.button("held", imgui.ImVec2(700, 500))

    with hosted() as host:
        host.moved(300.0, 300.0)
        for _ in range(STIRRED_FRAMES):
            frame(host, button)
        host.button(0, True)
        for _ in range(3 * STIRRED_FRAMES):
            frame(host, button)
            assert host.stirred
        host.button(0, False)
        for _ in range(2 * STIRRED_FRAMES):
            frame(host, button)
        assert not host.stirred


def test_each_host_tells_of_its_own_items() -> None:
    with hosted() as host:
        come_to_rest(host)
        other = ImguiHost()
        frame(other, lambda: imgui.set_keyboard_focus_here() or imgui.input_text("typed", ""))
        assert not host.stirred
        other.close()


# ---------------------------------------------------------------- by keyboard

MOST_STEPS = 30
BLOCK = BlockPos(8, 72, 8)
RECORDING = RecordingView(5.0, 20.0, 12, True, "1x", False, 2.0, False, "the last 0:18 min")
EVENTS = EventsView((LoggedEvent(2.5, 61, BLOCK, "requested", "unknown > requested"),), 1, RECORDING)
Draw = Callable[[], list[PanelRequest]]


class Typist:
    """Somebody without a mouse, before one panel."""

    def __init__(self, host: ImguiHost, draw: Draw) -> None:
        self._host, self._draw = host, draw
        self.requests: list[PanelRequest] = []
        self.frame()
        imgui.set_window_focus("tried")
        self.frame()

    def frame(self) -> None:
        frame(self._host, lambda: self.requests.extend(self._draw()))

    def press(self, *names: str) -> None:
        for name in names:
            for down in (True, False):
                self._host.key(name, down)
                self.frame()
                self.frame()

    def find(self, *by: str, way: str = "TAB", wanted: Callable[[PanelRequest], bool]) -> bool:
        """Goes from one thing to the next and tries the keys there; whether that led to the wish."""
        for _ in range(MOST_STEPS):
            self.press(way, *by)
            if any(map(wanted, self.requests)):
                return True
        return False


@pytest.mark.parametrize("action", ["pause", *(action for _, action in event_log.BUTTONS), "save_past"])
def test_every_button_of_time_is_reached(action: str) -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        assert person.find("SPACE", wanted=lambda request: request == Press(action)), action


def test_the_present_offers_only_what_goes_back() -> None:
    with hosted() as host:
        state = EventsState()
        live = replace(EVENTS, recording=replace(RECORDING, live=True, paused=False))
        person = Typist(host, lambda: event_log.draw(live, state))
        person.find("SPACE", wanted=lambda _: False)
        pressed = {request.action for request in person.requests if isinstance(request, Press)}
        assert pressed == {"pause", "save_past", *event_log.BACK}


def test_the_scrubber_is_moved_by_arrows_and_seeks_once_let_go() -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        keys = ("SPACE", "RIGHT", "RIGHT", "SPACE")
        assert person.find(
            *keys, way="DOWN", wanted=lambda request: isinstance(request, Seek) and 5.0 < request.time_s < 10.0
        )


def test_a_time_is_typed() -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        for _ in range(MOST_STEPS):
            person.press("TAB")
            host.text("12")
            person.press("ENTER")
            if Seek(12.0) in person.requests:
                break
        assert person.requests.count(Seek(12.0)) == 1


def test_a_row_of_events_is_inspected() -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        assert person.find("SPACE", way="DOWN", wanted=lambda request: request == Inspect(BLOCK))


def test_one_is_taken_to_what_is_wrong() -> None:
    with hosted() as host:
        state, found = InvariantsState(), {"duplicate requests": InvariantFinding(1, np.array([BLOCK], np.int32))}
        person = Typist(host, lambda: problems.draw_invariants(InvariantsView(found, Eye(0.0, 80.0, 0.0)), state))
        assert person.find("SPACE", wanted=lambda request: request == Go(BLOCK))
        assert Inspect(BLOCK) in person.requests


def test_a_block_is_held_by_its_position() -> None:
    with hosted() as host:
        state = InspectorState(typed=[0, 64, 0])
        person = Typist(host, lambda: inspector.draw(InspectorView(None), state))
        person.press("TAB", "TAB")  # a field that Tab leads to is typed into
        host.text("7")
        person.frame()
        person.press("ENTER")
        assert state.held is not None
        assert 7 in state.held


def test_graphs_are_frozen() -> None:
    with hosted() as host:
        state, view = (
            GraphsState(),
            GraphsView(np.linspace(-1.0, 0.0, 9), (Graph("a", False, (GraphLine.of("b", np.ones(9)),)),)),
        )

        def draw() -> list[PanelRequest]:
            graphs.draw(view, state)
            return []

        Typist(host, draw).press("TAB", "SPACE")
        assert state.frozen is view


def test_a_setting_is_changed() -> None:
    with hosted() as host:
        state = SettingsState()
        view = SettingsView("file", Settings(), Keyboard())
        person = Typist(host, lambda: settings.draw(view, state))
        assert person.find("SPACE", wanted=lambda request: request == Change("hud", False))


def test_one_is_taken_to_the_moment_of_an_event() -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        after = Seek(EVENTS.events[0].at_s + event_log.AFTER_S)
        assert person.find("SPACE", wanted=lambda request: request == after)
        unkept = replace(EVENTS, recording=replace(RECORDING, from_s=1e6))
        assert not Typist(host, lambda: event_log.draw(unkept, state)).find(
            "SPACE", wanted=lambda request: request == after
        )
