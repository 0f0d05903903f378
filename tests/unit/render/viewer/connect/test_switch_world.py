"""When a world takes another's place, and when it does not: with worlds that draw nothing.

Dimensions: Which sources take one into another dimension, and how they are joined for it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.errors import UsageError
from client.options import Moment, Options
from client.player import Eye, View
from client.source import Embedded, Remote, Source, WorldFile
from net.bedrock import ChangeDimension
from net.peer.packet_stream import Received
from render.view_line import ViewLine
from render.viewer.connect import switch_world
from render.viewer.connect.join import OpenConnections
from render.viewer.connect.switch_world import (
    LONGEST_S,
    SHOWN_S,
    WorldSwitcher,
    options_back,
    options_towards,
    source_with,
)
from render.viewer.shown_world import ShownWorld
from tests.support.session.past import remembering
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- crossing

VIEW = View(Eye(5.0, 80.0, 5.0), 30.0, 10.0)


class Coming:
    """A world on its way, and its scene."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.known = connection.statistics()
        self.scene = self
        self.settled = False
        self.cells_shown = 0
        self.lost: str | None = None
        self.closed = False
        self.eyes: list[Eye | None] = []

    def stats(self) -> "Coming":
        return self

    @property
    def complete(self) -> bool:
        return bool(self.scene.settled and self.known.settled)

    def step(self, _elapsed_s: float, eye: Eye | None = None) -> str | None:
        self.eyes.append(eye)
        return self.lost

    def close(self) -> None:
        self.closed = True


class Lobby:
    """One that has joined what it is given."""

    def __init__(self) -> None:
        self.joined: Any = None
        self.refused = self.closed = False
        self.arriving: Any = None
        self.lost = "The server is closed."
        self.reasons: list[str] = []

    def frame(self, _now: float) -> Any:
        joined, self.joined = self.joined, None
        return joined

    def be_at(self, _connection: Any) -> None:
        pass

    def take_refusal(self) -> bool:
        return self.refused

    def failed(self, reason: str) -> None:
        self.reasons.append(reason)

    def close(self) -> None:
        self.closed = True

    release = close


class Desk:
    def __init__(self) -> None:
        self.lobby = Lobby()
        self.made: list[Coming] = []
        self.visit = OpenConnections(connection())
        self.crossing = WorldSwitcher(self.lobby, self.visit, self.make)

    def make(self, joined: Any) -> ShownWorld:
        self.made.append(Coming(joined))
        return self.made[-1]

    def frame(self, now: float) -> object:
        return self.crossing.frame(now, 0.016, VIEW)

    def begin(self) -> Coming:
        self.lobby.joined = connection()
        assert self.frame(0.0) is None
        return self.made[-1]


def connection() -> Any:
    return VirtualSession("flat:1").connection(Options(radius=2, light=False))


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(switch_world, "collect_all", lambda: None)  # would freeze the tests' objects
    made = Desk()
    yield made
    made.crossing.close()
    made.visit.close()


def test_a_world_comes_when_nothing_of_it_is_missing_and_keeps_the_view(desk: Desk) -> None:
    coming = desk.begin()
    assert desk.lobby.arriving.words.startswith("waiting for terrain, 0.0 s; ")
    assert coming.connection.session.movement.view == VIEW
    assert coming.eyes == [VIEW.eye]
    coming.connection.wait_settled()
    coming.known, coming.settled = coming.connection.statistics(), True
    assert desk.frame(1.0) is coming
    assert desk.crossing.keeps_view
    assert desk.lobby.closed
    assert desk.lobby.lost == ""
    assert desk.lobby.arriving is None
    coming.connection.close()


def test_where_all_came_the_words_tell_what_is_made_of_it(desk: Desk) -> None:
    coming = desk.begin()
    coming.connection.wait_settled()
    coming.known = coming.connection.statistics()
    there = sum(coming.known.session.states.get(state, 0) for state in ("data", "all_air"))
    assert desk.frame(1.0) is None
    words = desk.lobby.arriving.words
    assert words == f"waiting for the first picture, 1.0 s; {there} sub-chunks arrived, 0 render cells drawn"
    coming.connection.close()


def test_a_world_of_which_some_is_shown_need_not_be_complete(desk: Desk) -> None:
    coming = desk.begin()
    assert desk.frame(3.0) is None
    coming.cells_shown = 4
    assert desk.frame(4.0) is None
    assert desk.frame(4.0 + SHOWN_S) is coming
    coming.connection.close()


def test_a_world_without_terrain_comes_at_last(desk: Desk) -> None:
    coming = desk.begin()
    assert desk.frame(LONGEST_S - 0.1) is None
    assert desk.frame(LONGEST_S) is coming
    coming.connection.close()


@pytest.mark.parametrize("given_up", [True, False])
def test_one_that_is_lost_or_given_up_before_it_is_shown_is_left(desk: Desk, given_up: bool) -> None:
    coming = desk.begin()
    desk.lobby.refused, coming.lost = given_up, None if given_up else "It was lost at once."
    assert desk.frame(1.0) is None
    assert coming.closed
    assert desk.visit.parts, "its goodbye is said"
    assert desk.lobby.reasons == ([] if given_up else ["It was lost at once."])
    desk.lobby.refused = False
    assert desk.frame(LONGEST_S) is None
    desk.visit.settle()
    assert not desk.visit.parts


def test_what_was_left_is_told_once_when_its_goodbye_is_said(tmp_path: Path) -> None:
    visit = OpenConnections(connection())
    assert not visit.parted()
    visit.go_on(connection())
    while not visit.parted():
        assert visit.parts
    assert not visit.parted()
    visit.close()


# ---------------------------------------------------------------- dimensions

NOW = View(Eye(5.0, 80.0, 5.0), 30.0, 10.0, 50.0)


def shown(source: Source, options: Options | None = None) -> Connection:
    connection = VirtualSession("flat:1").connection(options or Options(radius=2, light=False))
    connection.source = source
    return connection


def test_a_saved_world_is_joined_again(tmp_path: Path) -> None:
    with shown(WorldFile(tmp_path)) as connection:
        assert source_with(connection, 1) == WorldFile(tmp_path)
        with pytest.raises(
            UsageError, match=r"dimension 7, but you are in overworld: a saved world has no such dimension\.$"
        ):
            source_with(connection, 7)


def test_a_world_of_our_own_is_joined_again() -> None:
    with shown(Embedded("hills", 2)) as connection:
        assert source_with(connection, 1) == Embedded("hills", 2)


def test_a_recording_is_joined_again_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with shown(Embedded("flat", 1), Options(radius=2, light=False, record=path)) as connection:
        connection.wait_settled()
    with open_connection(WorldFile(path), Options(light=False)) as again:
        assert source_with(again, 1) == WorldFile(path)


@pytest.mark.parametrize(
    ("source", "said"),
    [(Embedded("hills", 2), "can take you there."), (Remote("a.example"), "can take you there.")],
)
def test_who_has_no_such_one_or_decides_alone_is_named(source: Source, said: str) -> None:
    with shown(source) as connection, pytest.raises(UsageError) as raised:
        source_with(connection, 7)
    assert str(raised.value).startswith("That view is in dimension 7, but you are in overworld: ")
    assert str(raised.value).endswith(said)


def test_who_looks_back_at_a_servers_past_is_still_the_servers() -> None:
    with remembering(VirtualSession("flat:1")) as connection:
        connection.source = Remote("a.example")
        connection.wait_settled()
        assert connection.past
        connection.past.look_back(0.1)
        assert connection.replay
        with pytest.raises(UsageError, match="can take you there"):
            source_with(connection, 1)


def test_options_are_those_of_before_but_for_the_place(tmp_path: Path) -> None:
    before = Options(radius=5, at=Eye(0.0, 0.0, 0.0), record=tmp_path / "a.cscope", start=Moment(3.0), mode="full")
    line = ViewLine(Eye(1.0, 2.0, 3.0), ortho_blocks=64.0, dimension=1)
    expected = Options(radius=5, at=line.at, look_deg=(30.0, 10.0), mode="full", dimension=1)
    assert options_towards(before, 1, line, NOW) == expected
    anywhere = Options(radius=5, mode="full", dimension=1)
    assert options_towards(before, 1, None, NOW) == anywhere


@pytest.mark.parametrize(("source", "dimension"), [(Embedded("hills", 2), 1), (Remote("a.example"), None)])
def test_a_lost_world_is_joined_again_where_it_was_lost(source: Source, dimension: int | None) -> None:
    options = Options(radius=2, light=False, dimension=0, record=Path("a.cscope"))
    with VirtualSession("flat:1").connection(replace(options, record=None)) as connection:
        session = connection.session
        session.handle(Received(ChangeDimension(1, (7.0, 70.0, 7.0), respawn=False), session.now, 0, 0), session.now)
        connection.source, connection.options = source, options
        assert options_back(connection) == Options(radius=2, light=False, dimension=dimension)
