"""The keys of look-outs: what each pins, lists and lets go, and what it says."""

from typing import Any

import pytest

from client.connection.connection import Connection
from client.errors import UsageError
from client.options import PinnedAnchor
from client.player import Eye, View
from client.session.config import SessionConfig
from net.space import BlockPos
from render.viewer.shown_world import PinKeys, listed, looked_at
from tests.support.session.virtual import SWIFT, VirtualSession


@pytest.fixture(scope="module")
def connection() -> Connection:
    connection = VirtualSession("flat:1", config=SessionConfig(radius=2, player=SWIFT)).connection()
    assert connection.wait_settled()
    return connection


@pytest.fixture
def pins(connection: Connection) -> PinKeys:
    for name in connection.pins:
        connection.unpin(name)
    return PinKeys(connection)


def view_of(connection: Connection, pitch_deg: float = 90.0) -> View:
    return View(connection.session.movement.view.eye, 0.0, pitch_deg)


def test_a_place_is_pinned_where_one_is(pins: PinKeys, connection: Connection) -> None:
    view = view_of(connection)
    said = pins.pin_here(view)
    assert said.startswith("pin 1: ")
    assert connection.pins["pin 1"].eye == view.eye
    assert connection.pins["pin 1"].anchor.centre == view.eye.column


def test_a_place_is_pinned_on_the_ground_one_looks_at(pins: PinKeys, connection: Connection) -> None:
    high = View(Eye(8.5, 0.0, 8.5), 0.0, 90.0)
    pins.pin_there(high)
    eye = connection.pins["pin 1"].eye
    assert eye is not None
    assert connection.block(eye.block).name == "minecraft:air"
    assert connection.block(BlockPos(8, eye.block.y - 1, 8)).name != "minecraft:air"
    assert pins.pin_there(View(high.eye, 0.0, -90.0)) == "No block within 256 blocks."


def test_names_are_the_lowest_free_number(pins: PinKeys, connection: Connection) -> None:
    for _ in range(3):
        pins.pin_here(view_of(connection))
    connection.unpin("pin 2")
    pins.pin_here(view_of(connection))
    assert sorted(connection.pins) == ["pin 1", "pin 2", "pin 3"]


def test_the_nearest_is_let_go(pins: PinKeys, connection: Connection) -> None:
    connection.pin("near", PinnedAnchor(20.0, 0.0))
    connection.pin("far", PinnedAnchor(900.0, 0.0, everything=True))
    eye = connection.session.movement.view.eye
    assert pins.unpin_nearest(eye) == "near is released."
    assert pins.unpin_nearest(eye) == "far is released."
    assert pins.unpin_nearest(eye) == "Nothing is pinned."


def test_the_list_says_where_how_large_and_of_which_kind(connection: Connection) -> None:
    for name in connection.pins:
        connection.unpin(name)
    assert listed(connection.pins) == "Nothing is pinned."
    connection.pin("tower", PinnedAnchor(20.0, -3.0, 1))
    connection.pin("field", PinnedAnchor(903.0, 0.0, 0, everything=True))
    assert listed(connection.pins) == (
        "2 pinned: tower at 20 -3, 5 x 5 columns, visible chunks; field at 904 8, 3 x 3 columns, all chunks."
    )
    for number in range(6):
        connection.pin(str(number), PinnedAnchor(0.0, 0.0))
    assert listed(connection.pins).endswith("and 3 more.")


def test_what_cannot_be_pinned_is_said(connection: Connection) -> None:
    class Full:
        def __init__(self) -> None:
            self.pins: dict[str, Any] = {}

        def pin(self, name: str, look_out: PinnedAnchor) -> None:
            raise UsageError("64 anchors are already pinned; release one first.")

    said = PinKeys(Full()).pin_here(view_of(connection))
    assert said == "64 anchors are already pinned; release one first."


@pytest.mark.parametrize(("yaw", "pitch"), [(0.0, 90.0), (37.0, 12.0), (-120.0, 45.0), (180.0, 0.0), (90.0, 60.0)])
def test_the_place_looked_at_is_free_and_beside_what_is_in_the_way(yaw: float, pitch: float) -> None:
    view = View(Eye(0.3, 5.7, 0.2), yaw, pitch)
    place = looked_at(view, lambda block: max(map(abs, block)) < 9)
    assert place is not None
    assert max(map(abs, place.block)) == 8


def test_an_eye_in_stone_looks_at_nothing() -> None:
    assert looked_at(View(Eye(0.0, 0.0, 0.0)), lambda _: False) is None
