"""Three hundred strangers who knock and say no more, at a server that has room for sixty-four.

Half of them open a session and leave it at that, half finish RakNet's handshake, keep the line alive and never log in.
All in virtual time, one address each.

Options: What a hostile client gets out of a server, in virtual time.
"""

import numpy as np
import pytest

from net.bedrock import (
    ChunkRadiusUpdated,
    LevelChunk,
    Message,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    NetworkStackLatency,
    RequestChunkRadius,
    SubChunk,
    SubChunkRequest,
    TickSync,
)
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.peer import ClientPeer, Received
from net.raknet import Address, ClientConnection
from net.raknet.handshake import OpenReply1, OpenRequest1, OpenRequest2, read_offline, write_offline
from net.raknet.limits import SERVER_LIMITS
from net.server import host_options, requests
from net.server.client_session import LOGIN_S
from net.server.host import MOST_PLAYERS, Host
from net.server.host_options import Bucket, ClientQuota, HostOptions
from net.space import ColumnPos, SubChunkPos
from tests.support.session.plain_client import UNIX_TIME, Talk, entropy, make_host
from tests.support.session.virtual import shared_world
from tests.support.worlds.server import WatchedWorld

# ---------------------------------------------------------------- strangers

SERVER: Address = ("127.0.0.1", 19132)
STRANGERS = 300
STEP_S = 0.05


class HalfOpen:
    """Opens a session and leaves it at that."""

    def __init__(self) -> None:
        self.replies = 0  # datagrams that it was sent
        self._out = [write_offline(OpenRequest1(10, 1492))]

    def receive(self, datagram: bytes, now: float) -> None:
        self.replies += 1
        if datagram[0] < 0x80 and isinstance(reply := read_offline(datagram), OpenReply1):
            self._out.append(write_offline(OpenRequest2(SERVER, reply.mtu_bytes, 77, reply.cookie)))

    def datagrams(self, now: float) -> list[bytes]:
        out, self._out = self._out, []
        return out


class Crowd:
    """A host and everybody who talks to it, each from an address of its own."""

    def __init__(self) -> None:
        self.host = make_host(shared_world("flat:1"))
        self.now = 0.0
        self.ends: dict[Address, HalfOpen | ClientConnection | ClientPeer] = {}
        self.most_connections = 0
        self.sent_bytes = self.taken_bytes = 0  # by strangers, and to them

    @property
    def connections(self) -> int:
        return self.host._listener._listener.connections

    def add(self, end: HalfOpen | ClientConnection | ClientPeer) -> None:
        self.ends[f"10.0.{len(self.ends) // 200}.{len(self.ends) % 200}", 4000] = end

    def honest(self, name: str) -> "Honest":
        identity = Identity(name, "00000000-0000-4000-8000-000000000001")
        peer = ClientPeer(SERVER, Codec(486), identity, self.now, UNIX_TIME + self.now, entropy(name))
        self.add(peer)
        return Honest(peer)

    def rest(self, seconds: float, *honest: "Honest") -> None:
        """Lets time pass, a tick after another."""
        for _ in range(round(seconds / STEP_S)):
            self.now += STEP_S
            for address, end in self.ends.items():
                for datagram in end.datagrams(self.now):
                    self.sent_bytes += len(datagram) * isinstance(end, HalfOpen)
                    self.host.receive(address, datagram, self.now)
            for address, datagram in self.host.datagrams(self.now):
                self.taken_bytes += len(datagram) * isinstance(self.ends[address], HalfOpen)
                self.ends[address].receive(datagram, self.now)
            self.most_connections = max(self.most_connections, self.connections)
            for each in honest:
                each.receive()


class Honest:
    """A client that means to play, and all that it heard."""

    def __init__(self, peer: ClientPeer) -> None:
        self.peer = peer
        self.heard: list[Message] = []

    def receive(self) -> None:
        while (event := self.peer.next_event()) is not None:
            if isinstance(event, Received):
                self.heard.append(event.message)

    def count(self, kind: type) -> int:
        return sum(isinstance(message, kind) for message in self.heard)


def test_three_hundred_idle_strangers_take_no_more_than_the_places_there_are_and_give_them_back() -> None:
    crowd = Crowd()
    player = crowd.honest("early")
    crowd.rest(1.0, player)
    player.peer.send(RequestChunkRadius(1))
    crowd.rest(1.0, player)
    assert player.count(LevelChunk) == 9
    for number in range(STRANGERS):
        crowd.add(ClientConnection(SERVER, 1000 + number, crowd.now, 10) if number % 2 else HalfOpen())
    crowd.rest(5.0, player)
    assert crowd.connections == crowd.most_connections == MOST_PLAYERS
    strangers = [end for end in crowd.ends.values() if isinstance(end, ClientConnection)]
    assert sum(end.connected for end in strangers) > 10
    refused = sum(end.closed is not None for end in strangers)
    assert refused == STRANGERS // 2 - sum(end.connected for end in strangers)
    assert crowd.taken_bytes < crowd.sent_bytes, "nobody is answered with more than was sent"

    late = crowd.honest("late")
    player.peer.send(SubChunkRequest(0, SubChunkPos(0, -4, 0), np.zeros((1, 3), np.int8)))
    crowd.rest(1.0, player, late)
    assert player.count(SubChunk) == 1, "who plays is served meanwhile"
    assert late.peer.closed == "the server is full"

    crowd.rest(max(LOGIN_S, SERVER_LIMITS.handshake_s) + SERVER_LIMITS.linger_s, player)
    assert crowd.connections == 1, "only who plays is left"
    assert player.peer.closed is None
    again = crowd.honest("again")
    crowd.rest(1.0, player, again)
    again.peer.send(RequestChunkRadius(1))
    crowd.rest(1.0, player, again)
    assert again.count(LevelChunk) == 9


# ---------------------------------------------------------------- options

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
    talk, world, _ = visit(ClientQuota(speed_blocks_s=100.0))
    for x in (29_000_000.0, -5e6, 1000.0):
        moved(talk, x)
    assert world.made == []
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
    talk, _, _ = visit(ClientQuota())
    for step in range(1, 41):
        moved(talk, 50.0 * step, wait_s=0.05)
    talk.rest(0.5)
    assert talk.of(MovePlayer) == []
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


def test_one_client_has_so_many_columns_made_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_options, "COLUMNS_WORTH_S", 1.5)
    quota = ClientQuota(columns_a_second=20.0)
    world = WatchedWorld()
    talk = Talk(make_host(world, HostOptions(quota=quota)))
    talk.join(1)
    talk.wire.send(RequestChunkRadius(6))
    talk.rest(2.0)
    assert 30 + 20 * 1.5 < len(world.made) <= 30 + 20 * talk.wire.now
    assert talk.run(lambda: len(talk.columns) == 169)  # nothing is refused for good


def test_a_second_client_is_served_while_the_first_has_used_up_its_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_options, "COLUMNS_WORTH_S", 12.0)
    quota = ClientQuota(columns_a_second=1.0)
    host = make_host(WatchedWorld(), HostOptions(quota=quota))
    greedy = Talk(host)
    greedy.join(1)
    greedy.wire.send(RequestChunkRadius(20))
    greedy.rest(1.0)
    modest = Talk(host, port=50002, now=greedy.wire.now)
    modest.join(1)
    assert len(modest.columns) == 9
    assert len(greedy.columns) < 20


def test_columns_that_are_made_again_for_answers_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_options, "COLUMNS_WORTH_S", 12.0)
    quota = ClientQuota(columns_a_second=5.0)
    talk, world, _ = visit(quota, radius=2, kept_columns=2)
    for _ in range(20):
        talk.ask(SubChunkPos(0, 0, 0), [(dx, -4, dz) for dx in (-2, 2) for dz in (-2, 2)])
    talk.rest(3.0)
    assert len(world.made) <= 60 - 25 + 5 * 4


# ---------------------------------------------------------------- requests


def test_entries_beyond_the_quota_wait_and_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_options, "ENTRIES_WORTH_S", 0.5)
    quota = ClientQuota(entries_a_second=100.0)
    talk, _, _ = visit(quota)
    start = talk.wire.now
    for _ in range(10):
        talk.ask(SubChunkPos(0, -4, 0), [(0, dy, 0) for dy in range(24)])
    talk.rest(1.0)
    answered = sum(len(packet.entries) for packet in talk.packets)
    assert 100 < answered <= 50 + 100 * (talk.wire.now - start) + 1
    assert talk.run(lambda: sum(len(packet.entries) for packet in talk.packets) == 240)


def test_refused_entries_count_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_options, "ENTRIES_WORTH_S", 2.0)
    talk, world, _ = visit(ClientQuota(entries_a_second=10.0))
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
    monkeypatch.setattr(host_options, "ENTRIES_WORTH_S", 1000000.0)
    monkeypatch.setattr(requests, "MOST_REQUESTS", 3)
    talk, _, host = visit(ClientQuota(entries_a_second=1e-6))
    for _ in range(8):
        talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0), (0, 1, 0)])
    talk.rest(0.2)
    assert sum(len(packet.entries) for packet in talk.packets) == 1
    assert host.sessions[0].flow.answers.waiting == 5


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


def test_a_used_up_quota_lets_the_server_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_options, "COLUMNS_WORTH_S", 9000000.0)
    monkeypatch.setattr(host_options, "ENTRIES_WORTH_S", 1000000.0)
    quota = ClientQuota(columns_a_second=1e-6, entries_a_second=1e-6)
    talk, _, host = visit(quota)
    talk.wire.send(RequestChunkRadius(4))
    talk.ask(SubChunkPos(0, -4, 0), [(0, 0, 0)] * 9)
    talk.rest(0.5)
    assert host.next_timer() not in {None, 0.0}
