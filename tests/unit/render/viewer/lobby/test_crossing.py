"""When a world takes another's place, and when it does not: with worlds that draw nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from client.options import Options
from client.player import Eye, View
from render.viewer.connect.join import Visit
from render.viewer.connect.switch_world import LONGEST_S, PATIENCE_S, Crossing
from render.viewer.shown_world import World
from tests.support.virtual_session import VirtualSession

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
        self.visit = Visit(connection())
        self.crossing = Crossing(self.lobby, self.visit, self.make)

    def make(self, joined: Any) -> World:
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
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.crossing.close()
    made.visit.close()


def test_a_world_comes_when_nothing_of_it_is_missing_and_keeps_the_view(desk: Desk) -> None:
    coming = desk.begin()
    assert desk.lobby.arriving.words.startswith("waiting for terrain, 0.0 s; ")
    assert coming.connection.session.view == VIEW
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
    assert words == f"waiting for its picture, 1.0 s; {there} sub-chunks came, 0 render cells made of them"
    coming.connection.close()


def test_a_world_of_which_some_is_shown_need_not_be_complete(desk: Desk) -> None:
    coming = desk.begin()
    assert desk.frame(3.0) is None
    coming.cells_shown = 4
    assert desk.frame(4.0) is None
    assert desk.frame(4.0 + PATIENCE_S) is coming
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
    visit = Visit(connection())
    assert not visit.parted()
    visit.go_on(connection())
    while not visit.parted():
        assert visit.parts
    assert not visit.parted()
    visit.close()
