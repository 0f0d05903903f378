"""The overlays of a window: switched by key, letter or panel, listed at once, told by a legend.

List: closed it takes no key, open it takes its letters and says what is on.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from client.world.lifecycle import SubChunkState
from render.overlays.overlay import LegendRow
from render.passes.overlay.boxes import STYLES
from render.settings import Settings
from render.settings.overlays import OVERLAYS
from render.viewer.display.captions import Captions
from render.viewer.display.overlay_switches import OverlaySwitches, listed
from render.viewer.event_stream import EventStream
from render.viewer.preferences import Preferences

# ---------------------------------------------------------------- overlay room

KNOWN: Any = SimpleNamespace(pins=1, terrain=SimpleNamespace(stale_columns=0))


class Desk:
    """A room with all that it works with."""

    def __init__(self) -> None:
        layout = Preferences(Settings(), None)
        self.captions = Captions(layout, True, False, 0.0)
        self.room = OverlaySwitches(("states",), layout, self.captions, EventStream(None))

    def legend(self, elsewhere: bool = False) -> tuple[list[str], str]:
        rows = (LegendRow(STYLES[SubChunkState.REFUSED], 7),)
        sections, title = self.room.legend(lambda _name: rows, KNOWN, elsewhere)
        return [section.name for section in sections], title


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_letters_switch_while_the_list_is_open_and_are_seen_in_it(desk: Desk) -> None:
    assert not desk.room.take("A"), "closed"
    desk.room.turn()
    assert desk.room.take("A")
    assert desk.room.on == {"states", "age"}
    assert any("[x]\tage" in line for line in desk.captions.listed)
    desk.room.switch("age")
    assert any("[  ]\tage" in line for line in desk.captions.listed), "whoever asked for it"
    assert desk.room.take("ESCAPE")
    assert desk.captions.listed == []
    assert not desk.room.is_open


def test_a_second_press_shows_all_states_and_a_third_none(desk: Desk) -> None:
    desk.room.switch("age")
    shown = [desk.room.press("states") or set(desk.room.on) for _ in range(3)]
    assert shown == [{"states=all", "age"}, {"age"}, {"states", "age"}]
    desk.room.press("age")
    assert desk.room.on == {"states"}


def test_del_switches_all_of_them_off_in_the_set_that_others_hold(desk: Desk) -> None:
    held = desk.room.on
    desk.room.switch("age")
    desk.room.turn()
    assert desk.room.take("DELETE")
    assert held == set()


def test_of_those_that_fill_the_picture_the_last_one_asked_for_is_on(desk: Desk) -> None:
    desk.room.switch("light-r")
    desk.room.switch("channel-albedo")
    assert desk.room.on == {"states", "channel-albedo"}, "the light view would have hidden it"
    desk.room.switch("merge")
    assert desk.room.on == {"states", "merge"}
    desk.room.switch("age")
    desk.room.switch("merge")
    assert desk.room.on == {"states", "age"}


def test_every_switch_is_told_to_the_log(desk: Desk) -> None:
    events: Any = SimpleNamespace(rows=[])
    events.tell_when_shown = lambda event, **facts: events.rows.append((event, facts))
    layout = Preferences(Settings(), None)
    room = OverlaySwitches((), layout, desk.captions, events)
    room.switch("age")
    room.switch("age")
    assert events.rows == [("overlay", {"name": "age", "on": on}) for on in (True, False)]


def test_a_row_of_a_legend_is_hidden_and_shown_again(desk: Desk) -> None:
    events: Any = SimpleNamespace(rows=[])
    events.tell_when_shown = lambda event, **facts: events.rows.append((event, facts))
    room = OverlaySwitches(("states",), Preferences(Settings(), None), desk.captions, events)
    room.switch_row("states", "undecodable")
    assert room.hidden_rows == {("states", "undecodable")}
    room.switch_row("states", "undecodable")
    assert room.hidden_rows == set()
    assert events.rows == [("overlay", {"name": "states", "row": "undecodable", "on": on}) for on in (False, True)]


def test_the_legend_is_shown_with_the_numbers_and_where_nobody_else_tells_it(desk: Desk) -> None:
    assert desk.legend() == (["states"], "counts of the columns around you · 1 pinned")
    assert desk.legend(elsewhere=True)[0] == []
    desk.room.turn()
    assert desk.legend()[0] == [], "the list lies there"
    desk.room.turn()
    desk.captions.level = 0
    assert desk.legend()[0] == []


# ---------------------------------------------------------------- list


def test_closed_it_takes_no_key(desk: Desk) -> None:
    keys = [*(overlay.letter for overlay in OVERLAYS.values()), "ESCAPE", "DELETE"]
    assert not any(desk.room.take(key) for key in keys)
    assert desk.room.on == {"states"}


def test_open_every_letter_and_digit_is_an_overlay(desk: Desk) -> None:
    desk.room.turn()
    for overlay in OVERLAYS.values():
        was = overlay.name in desk.room.on
        assert desk.room.take(f"_{overlay.letter}" if overlay.letter.isdigit() else overlay.letter)  # pyglet's names
        assert (overlay.name in desk.room.on) is not was
    assert not desk.room.take("F1")
    assert desk.room.is_open


def test_it_says_what_each_shows_and_which_are_on() -> None:
    on = {"states"}
    lines = listed(on, "O")
    assert "O or Esc closes" in lines[0]
    assert lines[1] == "  S\t[x]\tstates: " + OVERLAYS["states"].title
    assert {line.count("\t") for line in lines[1:]} == {2}, "columns, however wide a letter is"
    on.clear()
    assert "[  ]\tstates" in listed(on, "O")[1]
