"""The door to the panels: whose keys, text and mouse are whose. No window, and no imgui but where it says so.

Panel layout: Which panels are open and where they lie outlives the window; a broken file costs a layout and nothing
else.

Panel host: The menu of panels, and the size of their text.

Panel data: The last events of a session, newest first, whoever told them.
"""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from client.connection import connect
from client.session.session import Session
from client.world.history import KEPT
from client.world.lifecycle import StateEvent
from net.bedrock import LevelEvent, LevelEventNumber, Text
from net.peer.packet_stream import Received
from render.panels.event_log import AFTER_S, finder, searched
from render.panels.panel import Change, PanelRequest, all_panels
from render.settings import Action, Settings
from render.viewer.display.panel_data import last_events
from render.viewer.display.panel_host import PanelHost, keys_label, menu_labels
from render.viewer.display.panels import PanelLayout, Panels, read_layout, write_layout
from render.viewer.preferences import Preferences
from render.viewer.window.window import Area, WindowSize
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import frame, hosted

# ---------------------------------------------------------------- panels

# ---------------------------------------------------------------- panels

EXTENT = WindowSize((640, 360), (640, 360), 1.0)
AREA = Area(0, 0, 400, 339)


@dataclass
class FakeHost:
    """Notes what it is told."""

    wants_mouse: bool = False
    wants_text: bool = False
    told: list[object] = field(default_factory=list)

    def key(self, name: str, down: bool) -> None:
        self.told.append((name, down))

    def text(self, typed: str) -> None:
        self.told.append(typed)

    def button(self, number: int, down: bool) -> None:
        self.told.append((number, down))

    def moved(self, x_px: float, y_px: float) -> None:
        self.told.append((x_px, y_px))

    def wheel(self, across: float, up: float) -> None:
        self.told.append((across, up))

    def away(self) -> None:
        self.told.append("away")


class FakePanelHost:
    """Panels that are loaded."""

    def __init__(self) -> None:
        self.host = FakeHost()
        self.opened = {"legend"}
        self.hidden = 0
        self.resized: list[int] = []

    def resize_text(self, steps: int) -> None:
        self.resized.append(steps)

    def hide(self) -> None:
        self.hidden += 1

    def free(self, _extent: WindowSize) -> Area:
        return AREA

    def switch_by_key(self, key: str) -> bool:
        if key == "_1":
            self.opened ^= {"pipeline"}
        return key == "_1"


@pytest.fixture
def panels() -> Panels:
    made = Panels(cast(Any, None), cast(Any, None))
    made._host = cast(Any, FakePanelHost())
    return made


def host_of(panels: Panels) -> FakeHost:
    return cast(FakeHost, cast(Any, panels._host).host)


def test_the_key_opens_with_the_keyboard_and_closes(panels: Panels) -> None:
    assert panels.switch_keys() == "No panels are open."
    panels.open_or_close(EXTENT)
    assert panels.shown
    assert panels.keyboard
    assert panels.legend
    assert panels.free(EXTENT) == AREA
    panels.open_or_close(EXTENT)
    assert not panels.shown
    assert not panels.keyboard
    assert panels.free(EXTENT) == EXTENT.whole
    assert cast(Any, panels._host).hidden == 1


def test_keys_go_to_whom_they_belong(panels: Panels) -> None:
    assert not panels.key("W", True, Action.FORWARD), "closed panels have no keys"
    panels.open_or_close(EXTENT)
    host = host_of(panels)
    assert panels.key("W", True, Action.FORWARD)
    assert host.told[-1] == ("W", True)
    assert not panels.key("F2", True, Action.PICTURE), "function keys are the window's"
    assert not panels.key("TAB", True, Action.PANEL_KEYS)
    assert panels.text("w")
    for types in (False, True):
        host.wants_text = types
        assert panels.key("_1", True, None)
        assert host.told[-1] == ("_1", True), "somebody types a number, whether a field has the keyboard or not"
        assert cast(Any, panels._host).opened == {"legend"}
    host.wants_text = False
    panels.key("LCTRL", True, None)
    assert panels.key("_1", True, None)
    assert cast(Any, panels._host).opened == {"legend", "pipeline"}
    panels.key("LCTRL", False, None)
    panels.switch_keys()
    assert panels.shown
    assert not panels.key("W", True, Action.FORWARD), "now the world has them"
    assert not panels.text("w")


def test_tab_is_the_panels_while_somebody_types_or_holds_control(panels: Panels) -> None:
    panels.open_or_close(EXTENT)
    host_of(panels).wants_text = True
    assert panels.key("TAB", True, Action.PANEL_KEYS)
    host_of(panels).wants_text = False
    panels.key("LCTRL", True, None)
    assert panels.key("TAB", True, Action.PANEL_KEYS)
    panels.key("LCTRL", False, None)
    assert not panels.key("TAB", True, Action.PANEL_KEYS)


def test_control_with_plus_minus_and_nought_sizes_text(panels: Panels) -> None:
    panels.open_or_close(EXTENT)
    host = host_of(panels)
    panels.key("EQUAL", True, None)
    assert host.told[-1] == ("EQUAL", True), "without Control it is a panel's"
    panels.key("LCTRL", True, None)
    told = len(host.told)
    for name in ("EQUAL", "NUM_SUBTRACT", "_0"):
        assert panels.key(name, True, None)
        assert panels.key(name, False, None)
    assert cast(Any, panels._host).resized == [1, -1, 0]
    assert len(host.told) == told


def test_a_click_beside_the_panels_is_the_worlds_with_keyboard_and_all(panels: Panels) -> None:
    assert not panels.button(0, True)
    panels.open_or_close(EXTENT)
    host_of(panels).wants_mouse = True
    assert panels.button(0, True)
    assert panels.wheel(0.0, 1.0)
    assert panels.keyboard
    host_of(panels).wants_mouse = False
    assert not panels.button(0, True)
    assert not panels.wheel(0.0, 1.0)
    assert not panels.keyboard
    assert host_of(panels).told[-1] == "away"


@pytest.mark.parametrize("module", ["render.capture.picture", "render.cli.shot", "render.cli.test", "render.film"])
def test_imgui_is_not_loaded_by_what_has_no_window(module: str) -> None:
    code = f"import sys, {module}; print('imgui_bundle' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


# ---------------------------------------------------------------- panel layout


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "panels.ini"
    write_layout(path, ["pipeline", "graphs"], "[Window][Pipeline]\nPos=1,2\n")
    assert read_layout(path) == PanelLayout(("pipeline", "graphs"), "[Window][Pipeline]\nPos=1,2\n")
    write_layout(path, [], "")
    assert read_layout(path) == PanelLayout((), ""), "nobody wants panels: that is kept, too"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[Window][Pipeline]\n", b""])
def test_what_is_no_layout_is_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "panels.ini"
    path.write_bytes(content)
    assert read_layout(path) == PanelLayout()


def test_no_file_is_no_layout(tmp_path: Path) -> None:
    assert read_layout(None) == read_layout(tmp_path / "none.ini") == PanelLayout()
    write_layout(None, ["pipeline"], "")
    with pytest.raises(OSError, match="directory"):
        write_layout(tmp_path, ["pipeline"], "")
    assert list(tmp_path.parent.glob("*.part")) == []


# ---------------------------------------------------------------- panel host


def test_the_menu_says_who_has_the_keys_and_which_key_gives_them_away() -> None:
    assert keys_label(panels=True, key="Tab") == "keys: panels (Tab: world)"
    assert keys_label(panels=False, key="Tab") == "keys: world (Tab: panels)"


def test_the_menu_names_panels_where_there_is_room_and_keeps_their_digits_where_there_is_none() -> None:
    rooms: list[list[str]] = []
    with hosted() as host:
        frame(host, lambda: rooms.extend(map(menu_labels, (2000.0, 300.0))))
    assert rooms == [
        [f"{digit} {each.title}".strip() for digit, each in zip([*"123456789", "", "", ""], all_panels(), strict=True)],
        [*"123456789", "Entities", "Find", "Packets"],
    ]


def test_presses_for_larger_text_within_one_frame_add_up() -> None:
    room = PanelHost.__new__(PanelHost)  # without a GPU: nothing is drawn
    room._preferences, room._asked = Preferences(Settings(), None), list[PanelRequest]()
    for steps in (1, 1, -1, 0, -1):
        room.resize_text(steps)
    assert [request.value for request in room._asked if isinstance(request, Change)] == [1.12, 1.26, 1.12, 1.0, 0.89]


# ---------------------------------------------------------------- panel data


@pytest.fixture(scope="module")
def session() -> Session:
    connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    return connection.session


def test_the_newest_events_of_all_sub_chunks_come_first(session: Session) -> None:
    rows, total = last_events(session, most=50)
    assert len(rows) == 50
    assert total > 50
    times = [row.at_s for row in rows]
    assert times == sorted(times, reverse=True)
    every, _ = last_events(session, most=10**6)
    assert max(row.at_s for row in every) == times[0]
    assert {"announced", "requested"} <= {row.what.split()[0] for row in every}


def test_what_the_window_said_is_among_them(session: Session) -> None:
    rows, _ = last_events(session, most=5, said=[(1e6, "picture: /a/b.png")])
    assert (rows[0].what, rows[0].state, rows[0].place) == ("message", "picture: /a/b.png", "")
    assert len(rows) == 5


def test_rows_are_what_the_history_says(session: Session) -> None:
    every, _ = last_events(session, most=10**6)
    store = session.dimension.store
    assert len(every) == sum(len(store.history.of(int(p))) for p in store.places_of_rows(store.announced_rows))
    row = next(row for row in every if row.what.startswith("answered"))
    event = store.history.of(store.place_of(row.block.subchunk))[-1]
    assert row.packet == event.packet + 1, "people count from 1"
    assert row.state == "requested > data"
    assert row.text.startswith(f"{row.at_s:.3f} {row.packet} ")


def test_what_events_tell_of_blocks_is_among_them(session: Session) -> None:
    message = LevelEvent(event=int(LevelEventNumber.START_CRACKING), position=(1.0, 2.0, 3.0), argument=65535)
    session.dimension.events.record(message, 99, session.started_at + 1e6)
    rows, _ = last_events(session, most=5)
    assert (rows[0].what, rows[0].packet, tuple(rows[0].block)) == ("start_cracking", 100, (1, 2, 3))


def test_what_is_said_is_among_them() -> None:
    connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    session = connection.session
    for number in (98, 99):
        session.handle(Received(Text("chat", "snake_case", source="Ada"), 0.0, number, 0), session.now + 1.0)
    rows, _ = last_events(session, most=5)
    (row,) = [row for row in rows if row.block is None]
    assert (row.what, row.packet, row.state) == ("chat x2", 100, "Ada: snake_case")
    assert "ada: snake case" in row.text


def test_what_is_looked_for_is_found_however_much_came_since(session: Session) -> None:
    newest, _ = last_events(session, most=5)
    first = min(last_events(session, most=10**6)[0], key=lambda row: row.at_s)
    assert first not in newest
    for wanted in (first.what.replace("_", " "), " ".join(map(str, first.block)), first.what.upper()):
        found, _ = last_events(session, wanted, most=5)
        assert any(first.what == row.what for row in found), wanted
        assert {*newest} <= {*found}, "the newest are looked through by the panel"


def test_a_number_that_is_looked_for_is_a_whole_one(session: Session) -> None:
    assert finder("0 48 16")("answer data 0 48 16")
    assert not finder("0 48 16")("answer data -80 48 16"), "80 is not 0"
    assert not finder("0 48 1")("answer data 0 48 16")
    assert finder("-80 48")("-80 48 16")
    assert finder("answer d")("answer data"), "words are found by a part of them"
    places = [row.place for row in last_events(session, "0 -64 0", most=5)[0]]
    assert "0,-64,0" in places
    assert sum("0,-64,0" in place and place != "0,-64,0" for place in places) <= 5, "those are the newest of any kind"


def test_the_moment_of_an_event_is_the_one_right_after_it() -> None:
    recording = Path(__file__).parents[4] / "recordings" / "bedrock-protocol-1001.cscope"
    with connect(str(recording)) as connection:
        connection.wait_settled()
        assert connection.replay
        told = [row for row in last_events(connection.session)[0] if row.packet is not None]
        event = told[len(told) // 2]
        connection.replay.seek(event.at_s + AFTER_S)
        while connection.replay.on_the_way is not None:
            connection.pump(budget_s=1.0)
        shown = last_events(connection.session)[0]
        assert event in shown
        assert max(row.at_s for row in shown) <= event.at_s + AFTER_S


def test_of_every_kind_of_event_the_newest_is_found(session: Session) -> None:
    every = last_events(session, most=10**6)[0]
    kinds = {(row.what, row.state) for row in every}
    assert len(kinds) > 3
    for what, state in kinds:
        found, _ = last_events(session, searched(f"{what} {state}"), most=1)
        newest = max(row.at_s for row in every if (row.what, row.state) == (what, state))
        assert newest in {row.at_s for row in found if (row.what, row.state) == (what, state)}


def test_edits_can_be_left_out(session: Session) -> None:
    place = int(session.dimension.store.places_of_rows(session.dimension.store.announced_rows)[0])
    history = session.dimension.store.history
    at = (int(history.noted[place]) - 1) % KEPT
    was = int(history.causes[place, at])
    history.causes[place, at] = int(StateEvent.EDITED)
    try:
        assert any(row.what.startswith("block changed") for row in last_events(session, most=10**6)[0])
        assert not any(row.what.startswith("block changed") for row in last_events(session, edits=False, most=10**6)[0])
    finally:
        history.causes[place, at] = was


def test_nothing_happened_before_anything_came() -> None:
    session = VirtualSession("flat:1").session
    assert last_events(session) == ((), 0)
