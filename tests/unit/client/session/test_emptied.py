"""When the last of many columns has gone, what grew with them goes, too, and the session begins anew where it is."""

import numpy as np
import pytest

from client.light.slots import DAYLIGHT_SLOT
from client.session.lighting import LightKeeper
from client.world.changes import Reader
from client.world.lifecycle import Knowledge
from client.world.places import FIRST_ROWS
from net.bedrock import NetworkChunkPublisherUpdate
from net.space.positions import BlockPos, ColumnPos
from tests.support.driven_session import Driven, asked, skeleton

SIDE = 24
"""Of a square with more columns than tables have rows at first."""
GROWING = "place tables", "height maps", "ledger", "sight"
CIRCLE = NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 1024)


def reserved(driven: Driven) -> dict[str, int]:
    session = driven.session
    return {pool.name: pool.reserved for pool in (*session.realm.memory(), session.ledger.entries.memory())}


def empty(driven: Driven) -> None:
    for column in list(driven.session.store.row_of):
        driven.session.store.forget(column)
    driven.tick()
    assert len(driven.session.store.columns) == FIRST_ROWS


def light_up(keeper: LightKeeper) -> None:
    while keeper.step(200):
        pass


@pytest.fixture
def driven() -> Driven:
    """Knows a square of columns around the player's."""
    assert SIDE * SIDE > FIRST_ROWS
    driven = Driven(radius=2)
    driven.join()
    driven.hear(CIRCLE, *(skeleton(ColumnPos(x - 12, z - 12)) for x in range(SIDE) for z in range(SIDE)))
    return driven


def test_tables_of_many_columns_are_given_back_when_all_have_gone(driven: Driven) -> None:
    alone = Driven(radius=2)
    alone.join()
    alone.hear(CIRCLE, skeleton())
    grown, least = reserved(driven), reserved(alone)
    assert all(grown[name] > least[name] for name in GROWING)
    empty(driven)
    left = reserved(driven)
    assert {name: left[name] for name in GROWING} == {name: least[name] for name in GROWING}
    assert len(driven.session.stale) == len(driven.session.store.columns)


def test_they_stay_while_a_column_is_left(driven: Driven) -> None:
    rows = len(driven.session.store.columns)
    for column in list(driven.session.store.row_of)[1:]:
        driven.session.store.forget(column)
    driven.tick()
    assert len(driven.session.store.columns) == rows > FIRST_ROWS


def test_readers_are_told_everything_and_columns_that_come_back_are_asked_for(driven: Driven) -> None:
    reader: Reader = driven.session.store.changes.subscribe()
    driven.tick(1.0)
    assert driven.state(0, 0, 0) is Knowledge.REQUESTED
    empty(driven)
    assert driven.session.ledger.outstanding == 0
    assert reader.drain().everything
    again = asked(driven.hear(CIRCLE, skeleton())) | asked(driven.tick(1.0)) | asked(driven.tick(1.0))
    assert not reader.drain().everything
    assert (0, 0, 0) in again
    assert {place[::2] for place in again} == {(0, 0)}
    assert driven.state(0, 10, 0) is Knowledge.KNOWN_AIR


def test_light_goes_with_them_and_is_made_anew(driven: Driven) -> None:
    keeper = LightKeeper(driven.session)
    light_up(keeper)
    light, store = driven.session.light, driven.session.store
    lit = light.slots_of(store.places_of(np.array([[0, 10, 0]], np.int32)))
    assert lit == DAYLIGHT_SLOT
    empty(driven)
    light_up(keeper)
    assert light.stats().slots == 0
    assert len(light.table) == len(store.state)
    driven.hear(CIRCLE, skeleton())
    light_up(keeper)
    assert light.slots_of(store.places_of(np.array([[0, 10, 0]], np.int32))) == DAYLIGHT_SLOT
