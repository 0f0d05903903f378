"""The connect screen in a window that is none: what keys bring about, what fails, and what is left alone."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from client.connection.connection import Connection, Spoken
from client.connection.opening import Progress, open_connection
from client.errors import SourceError
from client.lan import Neighbour, ask
from client.options import Options
from client.player import Eye
from client.source import Remote, Source
from net.peer import Transports
from net.server.host_options import HostOptions
from net.server.worlds.world import FlatWorld
from render.panels.connect import ConnectRow
from render.view_line import ViewLine
from render.viewer.connect import sources
from render.viewer.connect.connect_screen import ConnectDialog
from render.viewer.connect.recent import RecentSources
from render.viewer.connect.sources import ASKED_EVERY_S, MOST_ASKED, TYPED_S, ConnectPlan, ServerQuestions
from render.viewer.event_stream import EventStream
from tests.support.servers.process import threaded_server
from tests.support.session.virtual import VirtualSession

PATIENCE_S = 200.0
HERE = Remote("10.0.0.1")


class Window:
    """What a lobby asks of one."""

    def __init__(self) -> None:
        self.exclusive: list[bool] = []
        self.events: list[str] = []

    def set_exclusive_mouse(self, taken: bool) -> None:
        self.exclusive.append(taken)

    def dispatch_event(self, name: str) -> None:
        self.events.append(name)

    def get_clipboard_text(self) -> str:
        return ""


class Interface:
    """Draws nothing."""

    def hand(self, event: object) -> None:
        """As the interface's."""


class Lan:
    """One server that is always there."""

    ended = 0

    def __init__(self, _ports: tuple[int, ...], discovery_port: int) -> None:
        assert discovery_port == 0

    def neighbours(self, _now: float) -> tuple[tuple[Neighbour, ...], str]:
        return (Neighbour(HERE, "The mill", "1.18.12", 486, 0, 10, 0.001, 0.0),), "No network to look on."

    def close(self) -> None:
        Lan.ended += 1


class Server:
    """Who is joined: lets in, refuses, or keeps waiting."""

    def __init__(self) -> None:
        self.refusal = ""
        self.answers = threading.Event()
        self.answers.set()
        self.options: list[Options] = []

    def __call__(self, source: Source, options: Options, progress: Progress) -> Connection:
        self.options.append(options)
        while not self.answers.wait(0.01):
            progress(0.3, "waiting for an answer, 1.0 s; no reply to 3 datagrams")
        if self.refusal:
            raise SourceError(self.refusal)
        return VirtualSession("flat:1").connection(options)


class Desk:
    """A lobby with all that it works with."""

    def __init__(self, folder: Path, opened: Any = None, asked: Any = lambda *_server: None) -> None:
        self.server = Server()
        self.recent = RecentSources(folder / "recent.toml")
        options = Options(radius=2, light=False, at=None, look_deg=(10.0, 20.0))
        plan = ConnectPlan(options, HERE, (5,), self.recent, (folder,), opened or self.server, 0, asked)
        self.window = Window()
        self.said: list[str] = []
        self.free = {"R", "ENTER", "NUM_ENTER", "ESCAPE"}
        self.lobby = ConnectDialog(
            self.window, Interface(), plan, EventStream(None), self.free.__contains__, self.said.append
        )
        self.now = 100.0

    def turn(self) -> Connection | None:
        self.now += 1.0
        return self.lobby.frame(self.now)

    def until(self, done: Any) -> Any:
        for _ in range(20_000):
            connection = self.turn()
            if connection is not None or done():
                return connection
            threading.Event().wait(0.01)
        raise AssertionError("never")

    @property
    def trouble(self) -> str:
        return self.lobby.view(self.now).trouble


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(sources, "Lan", Lan)
    made = Desk(tmp_path)
    yield made
    made.server.answers.set()
    made.lobby.release()


def test_it_lists_a_server_that_enter_joins_and_remembers(desk: Desk) -> None:
    desk.lobby.open()
    desk.turn()
    sections = desk.lobby.view(desk.now).sections
    assert sections[0].rows[0].title == "The mill"
    assert sections[0].trouble == "No network to look on."
    desk.lobby.down("DOWN")
    desk.lobby.down("ENTER")
    connection = desk.until(lambda: False)
    assert connection is not None
    with connection:
        assert connection.states() is not None, "it is this thread's"
    assert desk.server.options[0].look_deg == (10.0, 20.0), "the command line's own source"
    assert desk.lobby.underway(desk.now) is None
    before = Lan.ended
    desk.lobby.close()
    assert Lan.ended == before + 1
    assert not desk.lobby.down("DOWN"), "keys are the world's again"


def test_servers_that_were_joined_or_are_typed_say_transport_version_and_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "Lan", Lan)
    options = HostOptions(transports=Transports.NETHERNET)
    with threaded_server(FlatWorld(), 2193, options) as port, closing(socket.create_server(("127.0.0.1", 0))) as taken:
        there, gone = Remote("127.0.0.1", port), Remote("127.0.0.1", taken.getsockname()[1], "http")
        taken.close()
        desk = Desk(tmp_path, asked=ask)
        desk.recent.record(gone, "Gone", 50.0)
        desk.recent.record(there, "Ours", 100.0, Spoken("raknet", 486))
        desk.lobby.open(f"127.0.0.1:{port}")

        def rows() -> tuple[ConnectRow, ...]:
            return desk.lobby.view(desk.now).sections[1].rows

        def are_all_asked() -> bool:
            told = [desk.lobby.view(desk.now).meaning, *(row.status for row in rows())]
            return all("players" in each or "no answer" in each for each in told)

        desk.until(are_all_asked)
        (ours, other), words = rows(), desk.lobby.view(desk.now).meaning
        desk.lobby.release()
    assert ours.detail.startswith(f"127.0.0.1:{port}   nethernet   1.26."), "as it is now, not as it was"
    assert ours.status.startswith("0/")
    assert (other.title, other.status.partition("   ")[0]) == ("Gone", "no answer")
    assert words.startswith(f"the server 127.0.0.1, port {port}: chunkscope   nethernet   1.26.")
    assert "players" in words


def test_a_typed_server_is_asked_once_its_text_stays_and_never_more_than_a_few_at_once() -> None:
    asked: list[Remote] = []
    free = threading.Event()

    def ask_slowly(server: Remote, _before: str) -> Neighbour | None:
        asked.append(server)
        assert free.wait(PATIENCE_S)
        return None

    many = {Remote(f"10.0.0.{number}"): "" for number in range(10)}
    servers = ServerQuestions(ask_slowly)
    servers.ask(many, 0.0)
    servers.ask(many, 1.0)
    assert len(asked) == MOST_ASKED, "none is asked twice, and the others wait"
    free.set()
    while len(servers.answers()) < len(many):
        servers.ask(many, 2.0)
    servers.ask(many, 2.0 + ASKED_EVERY_S - 0.1)
    assert sorted(map(str, asked)) == sorted(map(str, many)), "not before their time"
    servers.ask({}, 3.0)
    assert servers.answers() == {}, "others are forgotten"


def test_half_an_address_is_not_asked(desk: Desk) -> None:
    desk.lobby.open("10.0.0.2")
    looking = sources.SourceDiscovery(desk.lobby._plan, EventStream(None))
    assert looking.typed_answer(HERE, 5.0) == ""
    assert looking.typed_answer(Remote("10.0.0.12"), 5.0 + TYPED_S) == "", "another text begins anew"
    assert looking.typed_answer(Remote("10.0.0.12"), 5.0 + 2 * TYPED_S) == "asking …"
    assert looking.typed_answer(None, 9.0) == ""


def test_another_source_is_joined_without_what_was_said_of_the_first(desk: Desk) -> None:
    desk.server.refusal = "It is full."
    desk.lobby.join(Remote("10.0.0.2"))
    desk.until(lambda: desk.trouble)
    assert desk.server.options[0].look_deg is None
    assert desk.trouble == "It is full."


def test_escape_gives_up_then_goes_back_and_nothing_comes_of_it(desk: Desk) -> None:
    desk.server.answers.clear()
    desk.lobby.beneath = "hills"
    desk.lobby.open("10.0.0.1")
    desk.lobby.down("ENTER")
    desk.turn()
    underway = desk.lobby.view(desk.now).underway
    assert underway is not None
    desk.lobby.on_text("7")
    assert desk.lobby.view(desk.now).text == "10.0.0.1", "while one joins only Escape does anything"
    assert desk.lobby.down("DOWN")
    assert desk.lobby.down("ESCAPE")
    assert desk.lobby.underway(desk.now) is None
    assert desk.lobby.opened
    desk.server.answers.set()
    assert desk.turn() is None
    desk.lobby.down("ESCAPE")
    assert not desk.lobby.opened


def test_a_bug_of_ours_costs_no_more_than_the_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "Lan", Lan)

    def broken(_source: Source, _options: Options, _progress: Progress) -> Connection:
        raise ZeroDivisionError("division\nby zero")

    desk = Desk(tmp_path, broken)
    desk.lobby.open("10.0.0.1")
    desk.lobby.down("ENTER")
    desk.until(lambda: desk.trouble)
    assert desk.trouble == "10.0.0.1:19132 cannot be joined (ZeroDivisionError: division by zero)."
    desk.lobby.release()


def test_without_a_world_beneath_escape_leaves_nothing(desk: Desk) -> None:
    desk.lobby.open()
    assert desk.lobby.down("ESCAPE")
    assert desk.lobby.opened


def test_a_lost_connection_is_joined_again_by_key_and_says_why_it_cannot_be(desk: Desk) -> None:
    lobby = desk.lobby
    assert not lobby.down("R"), "nothing was lost"
    lobby.last, lobby.lost = HERE, "The server is closed."
    desk.server.refusal = "Nobody answered."
    desk.free.clear()
    assert not lobby.down("R"), "somebody types, or R flies"
    assert not lobby.down("ENTER")
    desk.free.update({"R", "NUM_ENTER"})
    assert lobby.down("R")
    assert not lobby.down("W"), "one flies meanwhile"
    desk.until(lambda: lobby.lost != "The server is closed.")
    assert lobby.lost == "Nobody answered."
    desk.server.refusal = ""
    assert lobby.down("NUM_ENTER")
    connection = desk.until(lambda: False)
    assert connection is not None
    connection.close()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("cut.cscope", b"\x00" * 5, "cut.cscope"),
        ("empty.mcworld", b"", "empty.mcworld"),
    ],
)
def test_files_that_cannot_be_read_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, words: str
) -> None:
    monkeypatch.setattr(sources, "Lan", Lan)
    (tmp_path / name).write_bytes(content)
    desk = Desk(tmp_path, open_connection)
    desk.lobby.open(str(tmp_path / name))
    desk.lobby.down("ENTER")
    desk.until(lambda: desk.trouble)
    assert words in desk.trouble
    assert "\n" not in desk.trouble
    desk.lobby.release()


def test_a_join_for_a_view_has_its_own_options_and_fails_in_a_sentence_over_the_world(desk: Desk) -> None:
    desk.server.refusal = "a.cscope never shows dimension nether."
    line = ViewLine(Eye(1.0, 2.0, 3.0), dimension=1)
    desk.lobby.join(HERE, None, Options(radius=2, dimension=1), line)
    assert desk.lobby.towards is line
    desk.until(lambda: desk.said)
    assert desk.server.options[0].dimension == 1
    assert desk.said == [desk.server.refusal]
    desk.lobby.join(HERE)
    assert desk.lobby.towards is None


def test_what_was_lost_is_joined_again_as_it_was(desk: Desk) -> None:
    desk.lobby.last, desk.lobby.lost = HERE, "The server is closed."
    desk.lobby.way_back = Options(radius=2, dimension=1)
    assert desk.lobby.down("R")
    desk.until(lambda: desk.server.options)
    assert desk.server.options[0].dimension == 1
    desk.lobby.lost = ""
    desk.lobby.join(HERE)
    desk.until(lambda: len(desk.server.options) == 2)
    assert desk.server.options[1].dimension is None


def test_escape_closes_what_the_world_asks_before_it_gives_up_a_join(desk: Desk) -> None:
    desk.server.answers.clear()
    desk.lobby.join(HERE, desk.now)
    desk.free.discard("ESCAPE")
    assert not desk.lobby.down("ESCAPE"), "the prompt's"
    way = desk.lobby.underway(desk.now - 0.01)
    assert way is not None
    assert f"{way.seconds:.1f}" == "0.0", "a frame that began before it is not before its time"
    desk.free.add("ESCAPE")
    assert desk.lobby.down("ESCAPE")
    assert desk.lobby.underway(desk.now) is None


def test_control_and_q_close_the_window_as_its_button_does(desk: Desk) -> None:
    desk.lobby.open()
    desk.lobby.down("Q")
    assert desk.window.events == []
    desk.lobby.down("LCTRL")
    desk.lobby.down("Q")
    assert desk.window.events == ["on_close"]
    desk.lobby.release()
