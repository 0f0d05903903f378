"""Panels by the keyboard alone: Tab and arrows lead to what each offers, Space and Enter do it."""

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

from client.player import Eye
from net.space.positions import BlockPos
from render.invariants import InvariantFinding
from render.panels import event_log, graphs, inspector, invariants, settings
from render.panels.event_log import EventsState, EventsView, LoggedEvent, RecordingView
from render.panels.graphs import Graph, GraphLine, GraphsState, GraphsView
from render.panels.imgui_host import ImguiHost
from render.panels.inspector import InspectorState, InspectorView
from render.panels.invariants import InvariantsState, InvariantsView
from render.panels.requests import Change, Go, Inspect, Press, Seek, Wish
from render.panels.settings import Choice, SettingsState, SettingsView
from tests.support.window.panels import frame, hosted

MOST_STEPS = 30
BLOCK = BlockPos(8, 72, 8)
RECORDING = RecordingView(5.0, 20.0, 12, True, "1x", False, 2.0, False, "the last 0:18 min")
EVENTS = EventsView((LoggedEvent(2.5, 61, BLOCK, "asked", "unknown > requested"),), 1, RECORDING)
Draw = Callable[[], list[Wish]]


class Typist:
    """Somebody without a mouse, before one panel."""

    def __init__(self, host: ImguiHost, draw: Draw) -> None:
        self._host, self._draw = host, draw
        self.wishes: list[Wish] = []
        self.frame()
        host.focus("tried")
        self.frame()

    def frame(self) -> None:
        frame(self._host, lambda: self.wishes.extend(self._draw()))

    def press(self, *names: str) -> None:
        for name in names:
            for down in (True, False):
                self._host.key(name, down)
                self.frame()
                self.frame()

    def find(self, *by: str, way: str = "TAB", wanted: Callable[[Wish], bool]) -> bool:
        """Goes from one thing to the next and tries the keys there; whether that led to the wish."""
        for _ in range(MOST_STEPS):
            self.press(way, *by)
            if any(map(wanted, self.wishes)):
                return True
        return False


@pytest.mark.parametrize("action", ["pause", *(action for _, action in event_log.BUTTONS), "save_past"])
def test_every_button_of_time_is_reached(action: str) -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        assert person.find("SPACE", wanted=lambda wish: wish == Press(action)), action


def test_the_present_offers_only_what_goes_back() -> None:
    with hosted() as host:
        state = EventsState()
        live = replace(EVENTS, recording=replace(RECORDING, live=True, paused=False))
        person = Typist(host, lambda: event_log.draw(live, state))
        person.find("SPACE", wanted=lambda _: False)
        pressed = {wish.action for wish in person.wishes if isinstance(wish, Press)}
        assert pressed == {"pause", "save_past", *event_log.BACK}


def test_the_scrubber_is_moved_by_arrows_and_seeks_once_let_go() -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        keys = ("SPACE", "RIGHT", "RIGHT", "SPACE")
        assert person.find(*keys, way="DOWN", wanted=lambda wish: isinstance(wish, Seek) and 5.0 < wish.time_s < 10.0)


def test_a_time_is_typed() -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        for _ in range(MOST_STEPS):
            person.press("TAB")
            host.text("12")
            person.press("ENTER")
            if Seek(12.0) in person.wishes:
                break
        assert person.wishes.count(Seek(12.0)) == 1


def test_a_row_of_events_is_inspected() -> None:
    with hosted() as host:
        state = EventsState()
        person = Typist(host, lambda: event_log.draw(EVENTS, state))
        assert person.find("SPACE", way="DOWN", wanted=lambda wish: wish == Inspect(BLOCK))


def test_one_is_taken_to_what_is_wrong() -> None:
    with hosted() as host:
        state, found = InvariantsState(), {"asked twice": InvariantFinding(1, np.array([BLOCK], np.int32))}
        person = Typist(host, lambda: invariants.draw(InvariantsView(found, Eye(0.0, 80.0, 0.0)), state))
        assert person.find("SPACE", wanted=lambda wish: wish == Go(BLOCK))
        assert Inspect(BLOCK) in person.wishes


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

        def draw() -> list[Wish]:
            graphs.draw(view, state)
            return []

        Typist(host, draw).press("TAB", "SPACE")
        assert state.frozen is view


def test_a_setting_is_changed() -> None:
    with hosted() as host:
        state = SettingsState()
        view = SettingsView("file", (Choice("window", "hud", True, "numbers", True),))
        person = Typist(host, lambda: settings.draw(view, state))
        assert person.find("SPACE", wanted=lambda wish: wish == Change("hud", False))
