import numpy as np
import pytest

from client.connection.connection import Connection
from client.connection.tampering import Tampering
from client.connection.virtual_time import VirtualServer, open_virtual
from client.errors import SourceError
from client.options import Options
from client.player import Eye
from client.session.stats import states_of
from client.source import Embedded
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import SubChunkState
from net.space.positions import ColumnPos, SubChunkPos

FLAT = Embedded("flat", 1)
AT = Options(radius=2, light=False, at=Eye(100_000.5, -50.0, -8.5))
COLUMN = (100_000 >> 4, -1)


@pytest.fixture(scope="module")
def server() -> VirtualServer:
    return VirtualServer()


def lived(connection: Connection) -> tuple[list[int], list[list[int]], float]:
    assert connection.wait_settled()
    store = connection.session.dimension.store
    return store.state.tolist(), store.columns.tolist(), connection.now


def test_two_sessions_live_through_the_same_whatever_was_served_before(server: VirtualServer) -> None:
    first, _ = open_virtual(server, FLAT, AT)
    one = lived(first)
    hills, _ = open_virtual(server, Embedded("hills", 1), Options(radius=1, light=False))
    lived(hills)
    again, _ = open_virtual(server, FLAT, AT)
    assert lived(again) == one


def test_the_player_spawns_where_it_shall_be(server: VirtualServer) -> None:
    connection, _ = open_virtual(server, FLAT, AT)
    assert connection.session.movement.eye.x == pytest.approx(100_000.5)
    assert connection.session.movement.view.eye.y == pytest.approx(-50.0)


def test_tampering_is_counted(server: VirtualServer) -> None:
    asked = SubChunkPos(COLUMN[0], -4, COLUMN[1])
    beside = SubChunkPos(COLUMN[0] + 1, -4, COLUMN[1])
    connection, transport = open_virtual(server, FLAT, AT, tampering=Tampering({asked: 3}, {beside: 1}))
    lived(connection)
    assert transport.tamperer.touched == {asked, beside}
    store = connection.session.dimension.store
    states = [int(store.state[store.place_of(at)]) for at in (asked, beside)]
    assert states == [6, 4], "refused, and there at the second try"


def test_a_withheld_column_is_never_announced(server: VirtualServer) -> None:
    column = ColumnPos(COLUMN[0] + 1, COLUMN[1])
    connection, _ = open_virtual(server, FLAT, AT, tampering=Tampering(withheld=frozenset({column})))
    lived(connection)
    assert [tuple(one) for one in connection.session.unsent.tolist()] == [column]


def test_cut_bytes_do_not_decode_and_a_lie_about_heights_is_found(server: VirtualServer) -> None:
    cut = SubChunkPos(COLUMN[0], -4, COLUMN[1])
    belied = SubChunkPos(COLUMN[0] + 1, -4, COLUMN[1])
    tampering = Tampering(cut=frozenset({cut}), belied=frozenset({belied}))
    connection, transport = open_virtual(server, FLAT, AT, tampering=tampering)
    lived(connection)
    store = connection.session.dimension.store
    assert transport.tamperer.touched == {cut, belied}
    assert int(store.state[store.place_of(cut)]) == SubChunkState.UNDECODABLE
    assert int(store.state[store.place_of(belied)]) == SubChunkState.DATA
    assert store.height_verdict_of(belied) is HeightVerdict.CONTRADICTS


def test_a_trail_tells_of_each_place_what_was_asked_and_answered(server: VirtualServer) -> None:
    refused, lost, held = (SubChunkPos(COLUMN[0] + x, -4, COLUMN[1]) for x in (0, 1, -1))
    cut = SubChunkPos(COLUMN[0], -4, COLUMN[1] + 1)
    tampering = Tampering({refused: 5}, {lost: 1}, frozenset({held}), frozenset({cut}))
    connection, _ = open_virtual(server, FLAT, AT, tampering=tampering)
    assert not connection.wait_settled(timeout_s=2.5), "one is never answered"
    session = connection.session
    store = session.dimension.store
    places = np.array([store.place_of(at) for at in (refused, lost, held, cut)], np.int32)
    trail = session.trail(places)
    for number, place in enumerate(places.tolist()):
        entry = session.ledger.entries.entry(place)
        assert entry is not None
        assert trail.asked_s[number] == entry.asked_at - session.started_at
        assert (trail.asked[number], trail.waves[number]) == (entry.asked, entry.wave)
    assert trail.codes.tolist() == [5, 1, -1, 1]
    assert trail.asked[1] == 2
    assert (trail.answered_s[[0, 1, 3]] >= trail.asked_s[[0, 1, 3]]).all()
    assert np.isnan(trail.answered_s[2])
    assert trail.awaited.tolist() == [False, False, True, False]
    assert (trail.needs >= 0).all()
    assert list(trail.faults) == [3]
    assert trail.faults[3].startswith("SubChunk.payload")
    assert trail.now_s == session.now - session.started_at
    assert (trail.widths[1] > 0, trail.palettes[1] > 1) == (True, True)


def test_no_more_answers_come_through_than_were_allowed(server: VirtualServer) -> None:
    connection, transport = open_virtual(server, FLAT, AT, tampering=Tampering(most_answers=5))
    ended = connection.wait_settled(timeout_s=2.0)
    assert not ended
    assert transport.tamperer.over
    assert transport.tamperer.answers == 5
    assert int(np.isin(connection.session.dimension.store.state, (4, 5)).sum()) == 5


def test_what_cannot_be_served_is_one_sentence_and_the_server_goes_on(server: VirtualServer) -> None:
    edit = {"low": [0, -60, 0], "high": [0, -60, 0], "name": "minecraft:nix", "states": {}, "layer": 0}
    with pytest.raises(SourceError, match="embedded:flat:1: there is no block minecraft:nix"):
        open_virtual(server, FLAT, AT, [edit])
    with pytest.raises(SourceError, match="embedded:flat:1: flat:1 has no dimension nether"):
        open_virtual(server, FLAT, Options(radius=1, dimension=1))
    open_virtual(server, FLAT, AT)


def test_the_player_is_taken_into_other_dimensions_the_same_way_every_time(server: VirtualServer) -> None:
    found = []
    for _ in range(2):
        connection, transport = open_virtual(server, Embedded(), Options(radius=1, light=False))
        for number, feet in ((1, (8.5, 45.0, 8.5)), (2, None), (0, None)):
            (player,) = transport.host.stats()
            transport.host.cross(player.player, number, feet)
            while connection.session.dimension.store.dimension.number != number:
                connection.pump()
            assert connection.wait_settled()
        found.append(
            (transport.clock(), states_of(connection.session.dimension.store), connection.session.ledger.stats())
        )
        with pytest.raises(ValueError, match="hills:1 has no dimension 5"):
            transport.host.cross(player.player, 5)
    assert found[0] == found[1]
