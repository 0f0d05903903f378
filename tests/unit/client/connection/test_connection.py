"""A joined connection over the loopback, in virtual time.

Live: Floods: what counts as one, and that it ends.
"""

import gc
import threading
import weakref

import msgspec
import numpy as np
import pytest

from client.connection.connection import Connection
from client.connection.live import COLUMN_CHANGES, MOST_CHANGES_S, SHORTEST_S, WINDOW_S, LightKeeper, RestlessSource
from client.connection.stats import give_back_free_pages
from client.connection.tampering import Tampering
from client.connection.virtual_time import VirtualServer, open_virtual
from client.errors import SourceError
from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.stats import states_of
from client.source import Embedded
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import SubChunkState
from net.bedrock import LevelChunk, SetTime, UpdateBlock, UpdateSubChunkBlocks
from net.bedrock.packets.blocks import BlockChange
from net.palette import BlockState
from net.server.faults import ServerFaults
from net.server.host_options import HostOptions, IdForm
from net.space import BlockPos, ColumnPos, SubChunkPos
from tests.support.session.plain_client import go_to
from tests.support.session.virtual import SWIFT, VirtualSession

# ---------------------------------------------------------------- connection

LAMP = BlockState("minecraft:glowstone")


def joined(world: str = "flat:1", options: Options | None = None) -> tuple[VirtualSession, Connection]:
    virtual = VirtualSession(world)
    return virtual, virtual.connection(options)


def test_it_settles_and_answers_questions() -> None:
    virtual, connection = joined()
    with connection:
        assert connection.wait_settled()
        spawn = virtual.world.spawn.feet
        floor = BlockPos.containing(spawn[0], spawn[1] - 1, spawn[2])
        assert connection.block(floor).name == virtual.host.dimensions.start.block(floor).name
        assert connection.block(floor).knowledge is SubChunkState.DATA
        above = connection.light((floor.x, floor.y + 1, floor.z))
        assert (above.daylight, above.red, above.lit) == (15, 0, True)
        assert connection.light(floor).daylight == 0
        assert connection.states()["data"] == 49


def test_what_is_known_stays_to_be_asked_after_leaving() -> None:
    virtual, connection = joined()
    assert connection.wait_settled()
    connection.leave()
    connection.leave()
    for _ in range(20):
        virtual.link.step(virtual.link.now)
        virtual.link.now += 0.05
    assert not virtual.host.sessions, "the server has seen the player go"
    assert connection.states()["data"] == 49
    assert connection.statistics().session.states["data"] == 49
    connection.close()
    connection.close()


@pytest.mark.parametrize("on", [False, True])
def test_a_keeper_of_light_holds_no_world_that_is_gone(on: bool) -> None:
    virtual = VirtualSession("flat:1")
    keeper = LightKeeper(virtual.session, on)
    assert not keeper.pending
    gone = weakref.ref(virtual.session.dimension.store)
    keeper.show(VirtualSession("flat:1").session)
    del virtual
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("light", [False, True])
def test_the_blocks_of_before_start_game_do_not_stay_in_memory(light: bool) -> None:
    virtual = VirtualSession("flat:1", HostOptions(ids=IdForm.HASH), protocol=582)
    gone = weakref.ref(virtual.session.dimension.store)
    with virtual.connection(Options(radius=2, light=light)) as connection:
        gc.collect()
        assert gone() is None
        assert connection.wait_settled()


def test_an_edit_reaches_blocks_and_light() -> None:
    virtual, connection = joined()
    with connection:
        connection.wait_settled()
        spawn = virtual.world.spawn.feet
        lamp = BlockPos.containing(spawn[0], spawn[1] + 2, spawn[2])
        virtual.host.set_block(lamp, LAMP)
        while connection.block(lamp).name != "minecraft:glowstone":
            connection.pump()
        assert connection.wait_settled()
        lit, near = connection.light(lamp), connection.light((lamp.x + 3, lamp.y, lamp.z))
        assert lit.red > 0
        assert near.red == lit.red - 3


def test_the_clock_stops_a_wait_and_the_reason_is_told() -> None:
    virtual = VirtualSession("flat:1", HostOptions(faults=ServerFaults(delay_s=9.0)))
    with virtual.connection() as connection:
        seen: list[str] = []
        ended = connection.wait_settled(2.0, lambda _share, what: seen.append(what))
        assert not ended
        assert "not answered" in ended.waiting_for
        assert 2.0 <= ended.seconds < 2.1
        assert ended.waiting_for in seen


def test_the_options_view_replaces_the_servers() -> None:
    virtual = VirtualSession("flat:1", config=SessionConfig(radius=1, player=SWIFT))
    with virtual.connection(Options(at=Eye(40.0, 0.0, 8.0), look_deg=(90.0, 20.0))) as connection:
        assert connection.session.movement.view == View(Eye(40.0, 0.0, 8.0), 90.0, 20.0)
        assert connection.wait_settled()
        assert connection.session.movement.eye == Eye(40.0, 0.0, 8.0)
        assert connection.block((40, -61, 8)).knowledge is SubChunkState.DATA


def test_it_belongs_to_the_thread_that_made_it() -> None:
    _, connection = joined()
    failures: list[BaseException] = []

    def use() -> None:
        try:
            connection.pump()
        except AssertionError as error:
            failures.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(failures) == 1
    connection.close()
    connection.close()


def test_a_server_that_ends_the_session_is_one_sentence() -> None:
    virtual, connection = joined()
    virtual.host.close("disconnectionScreen.serverFull", virtual.now)
    with pytest.raises(SourceError, match=r"embedded:hills:1 is full .*\.$"):
        connection.wait_settled(5.0)
    connection.close()


def test_a_budget_leaves_events_for_the_next_frame() -> None:
    virtual = VirtualSession("flat:1")
    connection = virtual.connection()
    before = connection.session.stats(virtual.now).columns
    for _ in range(400):
        connection.pump(budget_s=0.0)
    assert connection.wait_settled()
    assert connection.session.stats(virtual.now).columns == 49 >= before
    connection.close()


def test_statistics_are_a_frozen_snapshot_of_all_layers() -> None:
    _, connection = joined()
    with connection:
        connection.wait_settled()
        statistics = connection.statistics()
    assert statistics.settled
    assert statistics.session.states == {"data": 49, "known_air": 49 * 23}
    assert statistics.session.ledger.asked == statistics.session.terrain.answers == 49
    assert statistics.peer.packets_in > 49
    assert statistics.light_columns == 0
    assert msgspec.to_builtins(statistics)["session"]["phase"] == "playing"
    memory = {pool.name: pool for pool in statistics.memory}
    assert len(memory) == len(statistics.memory) == 20
    assert memory["ledger"].committed == 28 * len(connection.session.dimension.store.state)
    assert {"light", "sight", "event log", "entities", "inbound queues", "outbound queue", "waiting for blobs"} <= set(
        memory
    )
    assert set(statistics.pools.memory) | set(statistics.light.memory) <= set(statistics.memory)


def test_old_slots_are_given_back_when_nobody_else_works() -> None:
    virtual, connection = joined()
    with connection:
        connection.wait_settled()
        before = connection.session.dimension.store.pools.stats().slots
        spot = BlockPos.containing(*virtual.world.spawn.feet)
        for turn in range(30):
            virtual.host.set_block(spot, LAMP if turn % 2 else BlockState("minecraft:air"))
            for _ in range(10):
                connection.pump()
        assert connection.session.dimension.store.pools.stats().slots <= before + 2


def test_when_the_last_column_goes_memory_goes_back_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[int] = []
    _, connection = joined()
    with connection:
        connection.wait_settled()
        store = connection.session.dimension.store
        monkeypatch.setattr("client.connection.live.give_back_free_pages", lambda: given_back.append(1))
        for column in list(store.row_of):
            store.forget(column)
        for _ in range(3):
            connection.pump()
        statistics = connection.statistics()
    assert given_back == [1]
    assert statistics.pools.slots == statistics.pools.uniform
    assert statistics.light.slots == 0


def test_asking_for_free_pages_harms_nobody() -> None:
    kept = [bytes([n]) * 5000 for n in range(100)]
    give_back_free_pages()
    assert all(block == bytes([n]) * 5000 for n, block in enumerate(kept))


# ---------------------------------------------------------------- live

KNOWN = {ColumnPos(0, 0): 1}
UPDATE = UpdateBlock(BlockPos(0, 0, 0), 1, 0, 0)


def column(x: int) -> LevelChunk:
    return LevelChunk(ColumnPos(x, 0), 0, None, 3, None, b"")


def test_changes_count_by_block_and_repeated_columns_by_column() -> None:
    flood = RestlessSource()
    flood.receive(UPDATE, KNOWN, 1.0)
    change = BlockChange(BlockPos(0, 0, 0), 1, 0, 0, 0)
    flood.receive(UpdateSubChunkBlocks(BlockPos(0, 0, 0), (change,) * 5, (change,)), KNOWN, 1.0)
    flood.receive(SetTime(3), KNOWN, 1.0)
    flood.receive(column(1), KNOWN, 1.0)
    assert flood.changes(1.0) == (7, SHORTEST_S)
    flood.receive(column(0), KNOWN, 1.1)
    assert flood.changes(1.2)[0] == 7 + COLUMN_CHANGES


def test_what_is_older_than_the_window_counts_no_more() -> None:
    flood = RestlessSource()
    for turn in range(100):
        flood.receive(UPDATE, KNOWN, turn * 0.1)
    assert flood.changes(9.9) == (5, pytest.approx(0.4))
    assert flood.changes(9.9 + WINDOW_S)[0] == 0
    assert flood.words(99.0) is None


def test_a_flood_is_told_before_its_window_is_full_and_no_longer_than_that() -> None:
    flood = RestlessSource()
    for _ in range(int(MOST_CHANGES_S * SHORTEST_S) + 1):
        flood.receive(UPDATE, KNOWN, 1.0)
    assert flood.words(1.05) == "the world does not settle: 201 changes in the last 0.1 s"
    assert flood.words(1.0 + SHORTEST_S + 0.01) is None, "an edit, and over"
    for _ in range(5 * int(MOST_CHANGES_S * WINDOW_S)):
        flood.receive(UPDATE, KNOWN, 1.2)
    assert flood.words(1.2 + WINDOW_S - 0.01) is not None
    assert flood.words(1.2 + WINDOW_S) is None


# ---------------------------------------------------------------- virtual time

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
    tampering = Tampering(truncated=frozenset({cut}), contradicted=frozenset({belied}))
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
    with pytest.raises(SourceError, match="embedded:flat:1: unknown block minecraft:nix"):
        open_virtual(server, FLAT, AT, [edit])
    with pytest.raises(SourceError, match="embedded:flat:1: flat:1 has no dimension nether"):
        open_virtual(server, FLAT, Options(radius=1, dimension=1))
    open_virtual(server, FLAT, AT)


def test_the_player_is_taken_into_other_dimensions_the_same_way_every_time(server: VirtualServer) -> None:
    found = []
    for _ in range(2):
        connection, transport = open_virtual(server, Embedded(), Options(radius=1, light=False))
        for number, feet in ((1, (8.5, 45.0, 8.5)), (2, None), (0, None)):
            go_to(transport.host, 1, number, feet)
            while connection.session.dimension.store.dimension.number != number:
                connection.pump()
            assert connection.wait_settled()
        found.append(
            (transport.clock(), states_of(connection.session.dimension.store), connection.session.ledger.stats())
        )
        with pytest.raises(ValueError, match="hills:1 has no dimension 5"):
            go_to(transport.host, 1, 5)
    assert found[0] == found[1]
