"""Build mode: buttons break, place and take blocks where the server allows it; off at first, and on foreign servers."""

from collections.abc import Iterator

import pytest

from client.connection.connection import Connection
from client.player import Eye, View
from client.session.config import SessionConfig
from client.source import Embedded, Remote
from net.space import BlockPos
from render.camera import Camera
from render.viewer.picking import FAR, FOREIGN, LEFT, MIDDLE, OFF, RECORDED, RIGHT, Builder, face_between
from tests.support.session.virtual import SWIFT, VirtualSession

GROUND = BlockPos(3, -61, 2)
ABOVE = BlockPos(3, -60, 2)
DOWN = Camera.of(View(Eye(3.5, -56.0, 2.5), 0.0, 90.0), 1.5)


@pytest.fixture
def virtual() -> VirtualSession:
    return VirtualSession("flat:1", config=SessionConfig(radius=2, player=SWIFT))


@pytest.fixture
def connection(virtual: VirtualSession) -> Iterator[Connection]:
    """At rest above a meadow."""
    with virtual.connection() as connection:
        assert connection.wait_settled()
        connection.look(View(Eye(3.5, -56.0, 2.5), 0.0, 90.0))
        rest(connection)
        yield connection


def rest(connection: Connection) -> None:
    """Some seconds of the clock that ``pump`` moves."""
    for _ in range(400):
        connection.pump()


def name_at(connection: Connection, block: BlockPos) -> str:
    return connection.session.dimension.store.block(block).name


def test_buttons_place_break_and_take_what_the_server_then_says(connection: Connection) -> None:
    builder = Builder(connection, allowed=True)
    assert "places stone" in builder.switch()
    assert builder.click(RIGHT, DOWN) == ""
    rest(connection)
    assert name_at(connection, ABOVE) == "minecraft:stone"
    assert builder.click(LEFT, DOWN) == ""
    rest(connection)
    assert name_at(connection, ABOVE) == "minecraft:air"
    taken = name_at(connection, GROUND)
    assert builder.click(MIDDLE, DOWN) == f"The right button places {taken.removeprefix('minecraft:')}."
    assert builder.click(RIGHT, DOWN) == ""
    rest(connection)
    assert name_at(connection, ABOVE) == taken
    assert builder.switch() == OFF


def test_what_is_far_or_sky_is_said_and_nothing_is_sent(connection: Connection) -> None:
    builder = Builder(connection, allowed=True)
    builder.switch()
    for eye, pitch in ((Eye(3.5, -40.0, 2.5), 90.0), (Eye(3.5, -56.0, 2.5), -90.0)):
        assert builder.click(LEFT, Camera.of(View(eye, 0.0, pitch), 1.5)) == FAR


class Foreign:
    """A connection to somebody's server, as far as a builder asks."""

    source = Remote("example.org")
    replay = None


def test_a_server_that_is_not_ours_needs_the_option(connection: Connection) -> None:
    builder = Builder(Foreign(), allowed=False)  # type: ignore[arg-type] # no more is asked of it
    assert builder.switch() == FOREIGN
    assert not builder.on
    assert Builder(Foreign(), allowed=True).switch().startswith("Build mode: ")  # type: ignore[arg-type] # as above
    assert isinstance(connection.source, Embedded), "the world of the other tests is ours"


def test_nothing_is_built_in_a_recording() -> None:
    recorded = Foreign()
    recorded.replay = object()  # type: ignore[assignment] # any will do
    assert Builder(recorded, allowed=True).switch() == RECORDED  # type: ignore[arg-type] # no more is asked of it


def test_faces_are_numbered_as_the_protocol_does() -> None:
    block = BlockPos(5, 5, 5)
    steps = [(0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (-1, 0, 0), (1, 0, 0)]
    found = [face_between(block, BlockPos(5 + x, 5 + y, 5 + z)) for x, y, z in steps]
    assert found == [0, 1, 2, 3, 4, 5]
