"""What a hostile client gets out of a server, in virtual time."""

import pytest
from msgspec.structs import replace

from net.bedrock import (
    ChunkRadiusUpdated,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    NetworkStackLatency,
    RequestChunkRadius,
    TickSync,
)
from net.server import requests
from net.server.host import Host
from net.server.options import Bucket, ClientQuota, HostOptions
from net.space.positions import ColumnPos, SubChunkPos
from tests.support.session.plain_client import Talk, make_host
from tests.support.worlds.server import WatchedWorld

EYE = 1.62


def visit(quota: ClientQuota, radius: int = 1, kept_columns: int = 2048) -> tuple[Talk, WatchedWorld, Host]:
    world = WatchedWorld()
    host = make_host(world, HostOptions(quota=quota, kept_columns=kept_columns))
    talk = Talk(host)
    talk.join(radius)
    world.made.clear()
    return talk, world, host


def moved(talk: Talk, x: float, z: float = 0.0, wait_s: float = 0.1) -> None:
    talk.wire.send(MovePlayer(1, (x, -60 + EYE, z), 0.0, 0.0, 0.0))
    talk.rest(wait_s)


# ---------------------------------------------------------------- buckets


def test_a_bucket_holds_what_it_gained_and_no_more() -> None:
    bucket = Bucket(gain=10.0, most=5.0, now=100.0)
    assert bucket.take(5, 100.0)
    assert not bucket.take(1, 100.05)
    assert bucket.take(1, 100.15)
    assert bucket.held(1000.0) == 5.0


def test_a_bucket_gives_all_or_nothing_and_nothing_for_a_clock_that_goes_back() -> None:
    bucket = Bucket(gain=1.0, most=4.0, now=10.0)
    assert not bucket.take(5, 10.0)
    assert bucket.take(4, 10.0)
    assert bucket.held(0.0) == 0.0
    assert bucket.held(12.0) == 2.0


# ---------------------------------------------------------------- positions


def test_who_jumps_is_held_and_nothing_is_made_at_the_other_end_of_the_world() -> None:
    talk, world, host = visit(ClientQuota(speed_blocks_s=100.0))
    for x in (29_000_000.0, -5e6, 1000.0):
        moved(talk, x)
    assert world.made == []
    assert host.stats()[0].jumps == 3
    held = talk.of(MovePlayer)
    assert len(held) == 3
    assert all(message.position == pytest.approx((0.5, -60 + EYE, 0.5)) for message in held)
    assert {message.mode for message in held} == {1}


def test_many_short_jumps_lead_no_further_than_the_speed_that_is_believed() -> None:
    talk, world, _ = visit(ClientQuota(speed_blocks_s=100.0))
    start, x = talk.wire.now, 0.0
    for _ in range(100):
        x += 90.0
        moved(talk, x, wait_s=0.05)
    farthest = max((column.x for column in world.made), default=0) * 16
    assert farthest <= 100.0 * (talk.wire.now - start) + 200.0 + 48
    assert talk.closed is None


def test_who_flies_as_fast_as_our_viewer_is_followed() -> None:
    talk, _, host = visit(ClientQuota())
    for step in range(1, 41):
        moved(talk, 50.0 * step, wait_s=0.05)
    talk.rest(0.5)
    assert host.stats()[0].jumps == 0
    assert ColumnPos(2000 // 16 + 1, 0) in talk.columns


def test_who_goes_to_and_fro_moves_the_publisher_so_often_and_in_the_end_to_where_it_is() -> None:
    talk, _, _ = visit(ClientQuota(moves_a_second=5.0))
    start = talk.wire.now
    for step in range(200):
        moved(talk, 8.0 + 16 * (step % 2), wait_s=0.01)
    moved(talk, 8.0 + 16 * 6, wait_s=1.0)
    told = talk.of(NetworkChunkPublisherUpdate)
    assert len(told) <= 5 * (talk.wire.now - start) + 5 + 2
    assert told[-1].position.x == 8 + 16 * 6
    assert ColumnPos(7, 0) in talk.columns


# ---------------------------------------------------------------- columns


def test_one_client_has_so_many_columns_made_a_second() -> None:
    quota = ClientQuota(columns_a_second=20.0, columns_at_once=30.0)
    world = WatchedWorld()
    talk = Talk(make_host(world, HostOptions(quota=quota)))
    talk.join(1)
    talk.wire.send(RequestChunkRadius(6))
    talk.rest(2.0)
    assert 30 + 20 * 1.5 < len(world.made) <= 30 + 20 * talk.wire.now
    assert talk.run(lambda: len(talk.columns) == 169)  # nothing is refused for good


def test_a_second_client_is_served_while_the_first_has_used_up_its_quota() -> None:
    quota = ClientQuota(columns_a_second=1.0, columns_at_once=12.0)
    host = make_host(WatchedWorld(), HostOptions(quota=quota))
    greedy = Talk(host)
    greedy.join(1)
    greedy.wire.send(RequestChunkRadius(20))
    greedy.rest(1.0)
    modest = Talk(host, port=50002, now=greedy.wire.now)
    modest.join(1)
    assert len(modest.columns) == 9
    assert len(greedy.columns) < 20


def test_columns_that_are_made_again_for_answers_count() -> None:
    quota = ClientQuota(columns_a_second=5.0, columns_at_once=60.0)
    talk, world, _ = visit(quota, radius=2, kept_columns=2)
    for _ in range(20):
        talk.ask(SubChunkPos(0, 0, 0), [(dx, -4, dz) for dx in (-2, 2) for dz in (-2, 2)])
    talk.rest(3.0)
    assert len(world.made) <= 60 - 25 + 5 * 4


# ---------------------------------------------------------------- requests


def test_entries_beyond_the_quota_wait_and_come() -> None:
    quota = ClientQuota(entries_a_second=100.0, entries_at_once=50.0)
    talk, _, _ = visit(quota)
    start = talk.wire.now
    for _ in range(10):
        talk.ask(SubChunkPos(0, -4, 0), [(0, dy, 0) for dy in range(24)])
    talk.rest(1.0)
    answered = sum(len(packet.entries) for packet in talk.packets)
    assert 100 < answered <= 50 + 100 * (talk.wire.now - start) + 1
    assert talk.run(lambda: sum(len(packet.entries) for packet in talk.packets) == 240)


def test_refused_entries_count_as_well() -> None:
    talk, world, _ = visit(ClientQuota(entries_a_second=10.0, entries_at_once=20.0))
    for _ in range(30):
        talk.ask(SubChunkPos(2_000_000_000, 0, -2_000_000_000), [(127, 127, -128)] * 4, dimension=77)
    talk.rest(1.0)
    entries = [entry.result for packet in talk.packets for entry in packet.entries]
    assert 20 <= len(entries) <= 20 + 10 * 1.5
    assert set(entries) == {3}
    assert world.made == []


def test_requests_for_what_was_not_sent_make_nothing() -> None:
    talk, world, _ = visit(ClientQuota())
    talk.ask(SubChunkPos(0, 0, 0), [(dx, 0, dz) for dx in range(-128, 128, 16) for dz in range(-128, 128, 16)])
    talk.rest(0.5)
    results = [entry.result for packet in talk.packets for entry in packet.entries]
    assert sorted(set(results)) == [2, 6]
    assert results.count(6) == 1
    assert world.made == []


def test_more_requests_than_are_kept_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MOST_REQUESTS", 3)
    talk, _, host = visit(ClientQuota(entries_a_second=1e-6, entries_at_once=1.0))
    for _ in range(8):
        talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0), (0, 1, 0)])
    talk.rest(0.2)
    stats = host.stats()[0]
    assert (stats.entries_sent, stats.entries_dropped, stats.entries_waiting) == (1, 10, 5)


# ---------------------------------------------------------------- small things


def test_a_flood_of_radii_is_granted_now_and_then_and_the_last_one_counts() -> None:
    talk, _, _ = visit(ClientQuota(radius_a_second=2.0))
    for radius in (3, 1) * 100:
        talk.wire.send(RequestChunkRadius(radius))
    talk.wire.send(RequestChunkRadius(2))
    talk.rest(2.0)
    granted = [message.radius for message in talk.of(ChunkRadiusUpdated)]
    assert len(granted) <= 2 * 3 + 4
    assert granted[-1] == 2
    assert len(talk.columns) >= 25


@pytest.mark.parametrize("message", [TickSync(5, 0), NetworkStackLatency(7, True)])
def test_a_flood_of_small_questions_is_not_answered_alike(message: TickSync | NetworkStackLatency) -> None:
    talk, _, _ = visit(ClientQuota(replies_a_second=10.0))
    before = len(talk.heard)
    for _ in range(500):
        talk.wire.send(message)
    talk.rest(1.0)
    replies = [heard for heard in talk.heard[before:] if isinstance(heard, type(message))]
    assert 20 <= len(replies) <= 20 + 10 * 2 + 2
    assert talk.closed is None


def test_a_used_up_quota_lets_the_server_rest() -> None:
    quota = replace(
        ClientQuota(), columns_a_second=1e-6, columns_at_once=9.0, entries_a_second=1e-6, entries_at_once=1.0
    )
    talk, _, host = visit(quota)
    talk.wire.send(RequestChunkRadius(4))
    talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)] * 9)
    talk.rest(0.5)
    assert host.next_timer() not in {None, 0.0}
