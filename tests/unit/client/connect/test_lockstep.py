from collections.abc import Iterator

import numpy as np
import pytest

from client.connect.connection import Connection
from client.connect.errors import SourceError
from client.connect.lockstep import LockstepServer, open_lockstep
from client.connect.options import Options
from client.connect.source import Embedded
from client.connect.tampering import Tampering
from client.player import Eye
from net.space.positions import SubChunkPos

FLAT = Embedded("flat", 1)
AT = Options(radius=2, light=False, at=Eye(100_000.5, -50.0, -8.5))
COLUMN = (100_000 >> 4, -1)


@pytest.fixture(scope="module")
def server() -> Iterator[LockstepServer]:
    one = LockstepServer()
    yield one
    one.close()
    assert one.ended


def lived(connection: Connection) -> tuple[list[int], list[list[int]], float]:
    assert connection.wait_settled()
    store = connection.session.store
    return store.state.tolist(), store.columns.tolist(), connection.now


def test_two_sessions_live_through_the_same_whatever_was_served_before(server: LockstepServer) -> None:
    first, _ = open_lockstep(server, FLAT, AT)
    one = lived(first)
    hills, _ = open_lockstep(server, Embedded("hills", 1), Options(radius=1, light=False))
    lived(hills)
    again, _ = open_lockstep(server, FLAT, AT)
    assert lived(again) == one


def test_the_player_spawns_where_it_shall_be(server: LockstepServer) -> None:
    connection, _ = open_lockstep(server, FLAT, AT)
    assert connection.session.player.x == pytest.approx(100_000.5)
    assert connection.session.view.eye.y == pytest.approx(-50.0)


def test_tampering_is_counted(server: LockstepServer) -> None:
    asked = SubChunkPos(COLUMN[0], -4, COLUMN[1])
    beside = SubChunkPos(COLUMN[0] + 1, -4, COLUMN[1])
    connection, transport = open_lockstep(server, FLAT, AT, tampering=Tampering({asked: 3}, {beside: 1}))
    lived(connection)
    assert transport.tamperer.touched == {asked, beside}
    store = connection.session.store
    states = [int(store.state[store.place_of(at)]) for at in (asked, beside)]
    assert states == [6, 4], "refused, and there at the second try"


def test_no_more_answers_come_through_than_were_allowed(server: LockstepServer) -> None:
    connection, transport = open_lockstep(server, FLAT, AT, tampering=Tampering(most_answers=5))
    ended = connection.wait_settled(timeout_s=2.0)
    assert not ended
    assert transport.tamperer.over
    assert transport.tamperer.answers == 5
    assert int(np.isin(connection.session.store.state, (4, 5)).sum()) == 5


def test_what_cannot_be_served_is_one_sentence_and_the_server_goes_on(server: LockstepServer) -> None:
    edit = {"low": [0, -60, 0], "high": [0, -60, 0], "name": "minecraft:nix", "states": {}, "layer": 0}
    with pytest.raises(SourceError, match="embedded:flat:1: there is no block minecraft:nix"):
        open_lockstep(server, FLAT, AT, [edit])
    with pytest.raises(SourceError, match="dimension overworld, not 1"):
        open_lockstep(server, FLAT, Options(radius=1, dimension=1))
    open_lockstep(server, FLAT, AT)


def test_a_server_that_is_gone_is_one_sentence() -> None:
    server = LockstepServer()
    server.close()
    server.close()
    with pytest.raises(SourceError, match="the server process is gone"):
        open_lockstep(server, FLAT, AT)
