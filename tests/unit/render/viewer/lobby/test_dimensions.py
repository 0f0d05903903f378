"""Which sources take one into another dimension, and how they are joined for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.errors import UsageError
from client.options import Moment, Options
from client.player import Eye, View
from client.source import Embedded, Remote, Source, WorldFile
from net.bedrock import ChangeDimension
from net.peer.events import Received
from render.view_line import ViewLine
from render.viewer.connect.switch_world import options_back, options_towards, source_with
from tests.support.remembered import remembering
from tests.support.virtual_session import VirtualSession

NOW = View(Eye(5.0, 80.0, 5.0), 30.0, 10.0, 50.0)


def shown(source: Source, options: Options | None = None) -> Connection:
    connection = VirtualSession("flat:1").connection(options or Options(radius=2, light=False))
    connection.source = source
    return connection


def test_a_saved_world_is_joined_again(tmp_path: Path) -> None:
    with shown(WorldFile(tmp_path)) as connection:
        assert source_with(connection, 1) == WorldFile(tmp_path)
        with pytest.raises(
            UsageError, match=r"dimension 7, and you are in overworld: a saved world has no such one\.$"
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
    [(Embedded("hills", 2), "alone decides who goes there."), (Remote("a.example"), "alone decides who goes there.")],
)
def test_who_has_no_such_one_or_decides_alone_is_named(source: Source, said: str) -> None:
    with shown(source) as connection, pytest.raises(UsageError) as raised:
        source_with(connection, 7)
    assert str(raised.value).startswith("That view is of dimension 7, and you are in overworld: ")
    assert str(raised.value).endswith(said)


def test_who_looks_back_at_a_servers_past_is_still_the_servers() -> None:
    with remembering(VirtualSession("flat:1")) as connection:
        connection.source = Remote("a.example")
        connection.wait_settled()
        assert connection.past
        connection.past.look_back(0.1)
        assert connection.replay
        with pytest.raises(UsageError, match="alone decides"):
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
