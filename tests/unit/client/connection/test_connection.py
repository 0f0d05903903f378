"""A joined connection over the loopback, in virtual time."""

import threading

import msgspec
import pytest

from client.connection.connection import Connection
from client.connection.stats import give_back_free_pages
from client.errors import SourceError
from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from client.world.lifecycle import SubChunkState
from net.palette import BlockState
from net.server.faults import ServerFaults
from net.server.options import HostOptions
from net.space.positions import BlockPos
from tests.support.session.virtual import SWIFT, VirtualSession

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
        assert connection.block(floor).name == virtual.host.block(floor).name
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
    assert not virtual.host.stats(), "the server has seen the player go"
    assert connection.states()["data"] == 49
    assert connection.statistics().session.states["data"] == 49
    connection.close()
    connection.close()


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
    assert len(memory) == len(statistics.memory) == 18
    assert memory["ledger"].committed == 28 * len(connection.session.dimension.store.state)
    assert {"light", "sight", "event log", "inbound queues", "outbound queue", "waiting for blobs"} <= set(memory)
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
