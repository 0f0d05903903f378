"""Build mode: buttons break, place and take blocks where the server allows it; off at first, and on foreign servers.

The keys of look-outs: what each pins, lists and lets go, and what it says.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from client.connection.connection import Connection
from client.errors import UsageError
from client.options import PinnedAnchor
from client.player import Eye, View
from client.session.config import SessionConfig
from client.source import Embedded, Remote
from net.space import BlockPos
from render.camera import Camera
from render.viewer.picking import FAR, FOREIGN, LEFT, MIDDLE, OFF, RECORDED, RIGHT, Builder, face_between
from render.viewer.shown_world import PinKeys, listed, looked_at
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


# --------------------------------------------------------------------- test pin keys


@pytest.fixture(scope="module")
def joined() -> Connection:
    joined = VirtualSession("flat:1", config=SessionConfig(radius=2, player=SWIFT)).connection()
    assert joined.wait_settled()
    return joined


@pytest.fixture
def pins(joined: Connection) -> PinKeys:
    for name in joined.pins:
        joined.unpin(name)
    return PinKeys(joined)


def view_of(joined: Connection, pitch_deg: float = 90.0) -> View:
    return View(joined.session.movement.view.eye, 0.0, pitch_deg)


def test_a_place_is_pinned_where_one_is(pins: PinKeys, joined: Connection) -> None:
    view = view_of(joined)
    said = pins.pin_here(view)
    assert said.startswith("pin 1: ")
    assert joined.pins["pin 1"].eye == view.eye
    assert joined.pins["pin 1"].anchor.centre == view.eye.column


def test_a_place_is_pinned_on_the_ground_one_looks_at(pins: PinKeys, joined: Connection) -> None:
    high = View(Eye(8.5, 0.0, 8.5), 0.0, 90.0)
    pins.pin_there(high)
    eye = joined.pins["pin 1"].eye
    assert eye is not None
    assert joined.block(eye.block).name == "minecraft:air"
    assert joined.block(BlockPos(8, eye.block.y - 1, 8)).name != "minecraft:air"
    assert pins.pin_there(View(high.eye, 0.0, -90.0)) == "No block within 256 blocks."


def test_names_are_the_lowest_free_number(pins: PinKeys, joined: Connection) -> None:
    for _ in range(3):
        pins.pin_here(view_of(joined))
    joined.unpin("pin 2")
    pins.pin_here(view_of(joined))
    assert sorted(joined.pins) == ["pin 1", "pin 2", "pin 3"]


def test_the_nearest_is_let_go(pins: PinKeys, joined: Connection) -> None:
    joined.pin("near", PinnedAnchor(20.0, 0.0))
    joined.pin("far", PinnedAnchor(900.0, 0.0, everything=True))
    eye = joined.session.movement.view.eye
    assert pins.unpin_nearest(eye) == "near is released."
    assert pins.unpin_nearest(eye) == "far is released."
    assert pins.unpin_nearest(eye) == "Nothing is pinned."


def test_the_list_says_where_how_large_and_of_which_kind(joined: Connection) -> None:
    for name in joined.pins:
        joined.unpin(name)
    assert listed(joined.pins) == "Nothing is pinned."
    joined.pin("tower", PinnedAnchor(20.0, -3.0, 1))
    joined.pin("field", PinnedAnchor(903.0, 0.0, 0, everything=True))
    assert listed(joined.pins) == (
        "2 pinned: tower at 20,-3, 5 x 5 columns, visible chunks; field at 904,8, 3 x 3 columns, all chunks."
    )
    for number in range(6):
        joined.pin(str(number), PinnedAnchor(0.0, 0.0))
    assert listed(joined.pins).endswith("and 3 more.")


def test_what_cannot_be_pinned_is_said(joined: Connection) -> None:
    class Full:
        def __init__(self) -> None:
            self.pins: dict[str, Any] = {}

        def pin(self, name: str, look_out: PinnedAnchor) -> None:
            raise UsageError("64 anchors are already pinned; release one first.")

    said = PinKeys(Full()).pin_here(view_of(joined))
    assert said == "64 anchors are already pinned; release one first."


@pytest.mark.parametrize(("yaw", "pitch"), [(0.0, 90.0), (37.0, 12.0), (-120.0, 45.0), (180.0, 0.0), (90.0, 60.0)])
def test_the_place_looked_at_is_free_and_beside_what_is_in_the_way(yaw: float, pitch: float) -> None:
    view = View(Eye(0.3, 5.7, 0.2), yaw, pitch)
    place = looked_at(view, lambda block: max(map(abs, block)) < 9)
    assert place is not None
    assert max(map(abs, place.block)) == 8


def test_an_eye_in_stone_looks_at_nothing() -> None:
    assert looked_at(View(Eye(0.0, 0.0, 0.0)), lambda _: False) is None
