"""The machine, fed with messages by hand.

What servers do: Orders and repetitions that real servers were seen to send (ecosystem.md 2.4), and ids of their own.

Recordings with delays: All that is visible of what foreign servers really sent is asked, and none of it left open,
whenever they answer.

The planner against recordings' contents, served when a script says. Seen, in virtual time (asked, of these again,
settled after):

    of nine columns, limited       36, 0, 0.50 s     uneven 37, 1, 1.62 s       stalling 56, 20, 1.29 s
    of nine columns, limitless    216, 0, 0.50 s     uneven 240, 24, 1.63 s     stalling 312, 96, 3.35 s
    dragonfly 527, limitless      864, 0, 0.51 s     uneven 864, 0, 2.73 s      stalling 1248, 384, 4.20 s
    dragonfly 2168, limited        72, 0, 0.51 s     uneven 72, 0, 2.89 s       stalling 107, 35, 3.94 s

Recorded server: A server made of a recording: says what the recorded server said, answers what it answered, when a
script says.

The recorded session's own requests play no part: who joins asks for itself, in its own order, and is answered place by
place with the recorded bytes. Columns that came after the recording's last answer are left out: nobody had asked for
them when it ended. The login is ours; everything goes over the loopback in virtual time.
"""

import heapq
from collections.abc import Callable
from itertools import count, cycle
from pathlib import Path

import msgspec
import numpy as np
import pytest

from client.errors import OutOfSlots
from client.player import Eye, View
from client.report.health import find_problems
from client.report.why import facts_of
from client.report.why_text import verdict
from client.session.config import SessionConfig
from client.session.publisher_area import Publisher
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.streaming.anchors import Anchor
from client.streaming.planner import ASKABLE
from client.visibility import Walk
from client.world.lifecycle import SubChunkState
from net.bedrock import (
    BlockChange,
    ChangeDimension,
    ChunkRadiusUpdated,
    CustomBlock,
    Disconnect,
    LevelChunk,
    Message,
    NetworkChunkPublisherUpdate,
    NetworkSettings,
    NetworkStackLatency,
    PlayerAction,
    PlayStatus,
    RequestChunkRadius,
    ResourcePacksInfo,
    ResourcePackStack,
    Respawn,
    ServerToClientHandshake,
    SetLocalPlayerAsInitialized,
    SetTime,
    SubChunk,
    SubChunkEntry,
    SubChunkRequest,
    SubChunkResult,
    Transfer,
    UpdateBlock,
    UpdateSubChunkBlocks,
)
from net.bedrock.codec import Codec
from net.bedrock.login import Identity
from net.errors import DecodeError
from net.palette import BlockState
from net.peer import ClientPeer, Closed, Faulty, Joined, PeerListener, Received, ServerPeer
from net.raknet import Address
from net.recording.file import Recording
from net.recording.records import ReceivedRecord
from net.releases import ProtocolRange
from net.server.virtual_host import even_entropy
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.transport.loopback import Loopback
from render.bench.rays import cast, sphere_rays
from tests.recordings import NAMES, RADIUS, recording
from tests.support.session.driven import HERE, TAIL, Driven, asked, skeleton, start_game
from tests.support.session.virtual import ADDRESS, SWIFT, UNIX_TIME, VirtualSession, palette

# ---------------------------------------------------------------- session

GRASS = BlockState("minecraft:grass")


def uniform(runtime_id: int) -> bytes:
    """A version 8 sub-chunk of one block."""
    zigzag, out = runtime_id << 1, bytearray(b"\x08\x01\x01")
    while zigzag > 127:
        out.append(zigzag & 127 | 128)
        zigzag >>= 7
    return bytes([*out, zigzag])


def grass() -> int:
    found = palette(486).runtime_id_of(GRASS)
    assert found is not None
    return found


def answer(*entries: SubChunkEntry, dimension: int = 0) -> SubChunk:
    return SubChunk(False, dimension, SubChunkPos(0, 0, 0), entries)


def kinds(messages: list[Message]) -> list[type]:
    return [type(message) for message in messages]


def test_nothing_is_said_before_the_game_starts() -> None:
    driven = Driven()
    assert driven.receive(PlayStatus(0), skeleton()) == []
    assert driven.session.spawn.phase is SpawnPhase.JOINING
    assert not driven.session.dimension.store.row_of


def test_the_game_starts_with_a_radius_and_ends_the_spawn_with_a_confirmation() -> None:
    driven = Driven()
    said = driven.receive(start_game(runtime_id=9, yaw=30.0))
    assert said[0] == RequestChunkRadius(3)
    assert driven.session.spawn.phase is SpawnPhase.SPAWNING
    assert driven.session.movement.view == View(Eye(8, 70, 8), 30.0, 0.0)
    assert SetLocalPlayerAsInitialized(9) in driven.receive(PlayStatus(3))
    assert driven.session.spawn.phase is SpawnPhase.PLAYING


def test_a_radius_is_requested_again_until_it_is_granted_or_the_player_spawns() -> None:
    driven, spawned = Driven(), Driven()
    driven.receive(start_game())
    requested = [RequestChunkRadius in kinds(driven.tick(elapsed_s)) for elapsed_s in (2.9, 0.1, 2.9, 0.2)]
    assert requested == [False, True, False, True]
    driven.receive(ChunkRadiusUpdated(3))
    assert RequestChunkRadius not in kinds(driven.tick(60.0))
    spawned.join()
    assert RequestChunkRadius not in kinds(spawned.tick(60.0))


def test_the_ticking_area_is_asked_as_soon_as_it_is_announced_also_before_the_spawn() -> None:
    driven = Driven()
    driven.receive(start_game())
    said = driven.receive(skeleton(limit=7))
    assert asked(said) == {(0, y, 0) for y in range(-4, 4)}
    assert driven.state(0, 3, 0) is SubChunkState.REQUESTED
    assert driven.state(0, 4, 0) is SubChunkState.KNOWN_AIR


def test_without_a_limit_the_whole_height_is_asked() -> None:
    driven = Driven()
    driven.join()
    assert len(asked(driven.receive(skeleton(limit=None)))) == 24


def test_results_lead_where_the_table_says() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton())
    driven.receive(
        answer(
            SubChunkEntry(0, -4, 0, 1, uniform(grass())),
            SubChunkEntry(0, -3, 0, 6),
            SubChunkEntry(0, -2, 0, 3),
            SubChunkEntry(0, -1, 0, 5),
            SubChunkEntry(0, 0, 0, 77),
            SubChunkEntry(0, 1, 0, 2),
            SubChunkEntry(0, 2, 0, 1, b"\x08\x01\x03rubbish"),
        )
    )
    found = [driven.state(0, y, 0) for y in range(-4, 4)]
    assert found == [
        SubChunkState.DATA,
        SubChunkState.ALL_AIR,
        SubChunkState.REFUSED,
        SubChunkState.REFUSED,
        SubChunkState.REFUSED,
        SubChunkState.REQUESTED,
        SubChunkState.UNDECODABLE,
        SubChunkState.REQUESTED,
    ]
    stats = driven.session.stats(driven.now)
    assert stats.terrain.faults == 1
    assert stats.ledger.waiting == 1
    assert driven.session.dimension.store.block(BlockPos(3, -60, 3)).name == "minecraft:grass"


def test_not_found_is_asked_again_a_quarter_of_a_second_later() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(limit=0))
    assert asked(driven.receive(answer(SubChunkEntry(0, -4, 0, 2)))) == set()
    assert asked(driven.tick(0.15)) == set()
    assert asked(driven.tick(0.1)) == {(0, -4, 0)}


def test_an_unknown_player_stops_all_requests_until_the_next_spawn() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(limit=0))
    assert asked(driven.receive(answer(SubChunkEntry(0, -4, 0, 4)), skeleton(ColumnPos(1, 0)))) == set()
    assert asked(driven.tick(5.0)) == set()
    held_back = "the server does not know the player (code 4), so requests wait until the player is spawned"
    assert driven.session.unsettled(driven.now) == held_back
    assert driven.session.unsettled(driven.now, Anchor.square(ColumnPos(0, 0), 0)) == held_back
    assert (0, -4, 0) in asked(driven.receive(PlayStatus(3)))


def test_silence_is_asked_again_and_no_place_is_asked_twice_meanwhile() -> None:
    driven = Driven()
    driven.join()
    assert len(asked(driven.receive(skeleton()))) == 8
    for _ in range(18):
        assert asked(driven.tick()) == set()
    driven.tick(0.2)
    assert driven.session.stats(driven.now).ledger.asked == 16


def test_an_answer_for_another_dimension_is_ignored() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton())
    driven.receive(answer(SubChunkEntry(0, -4, 0, 6), dimension=1))
    assert driven.state(0, -4, 0) is SubChunkState.REQUESTED
    assert driven.session.stats(driven.now).terrain.ignored == 1


def test_a_second_success_is_ignored_until_the_column_comes_again() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(limit=0))
    driven.receive(answer(SubChunkEntry(0, -4, 0, 1, uniform(grass()))))
    driven.receive(answer(SubChunkEntry(0, -4, 0, 6)))
    assert driven.state(0, -4, 0) is SubChunkState.DATA
    assert asked(driven.receive(skeleton(limit=0))) == {(0, -4, 0)}
    assert driven.state(0, -4, 0) is SubChunkState.RESET
    driven.receive(answer(SubChunkEntry(0, -4, 0, 6)))
    assert driven.state(0, -4, 0) is SubChunkState.ALL_AIR


def test_block_updates_change_what_is_known_and_leave_placeholders_alone() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(limit=1))
    driven.receive(answer(SubChunkEntry(0, -4, 0, 6)))
    driven.receive(
        UpdateBlock(BlockPos(1, -64, 1), grass()),
        UpdateSubChunkBlocks(
            BlockPos(0, -64, 0), (BlockChange(BlockPos(2, -64, 2), grass()), BlockChange(BlockPos(2, -40, 2), grass()))
        ),
    )
    store = driven.session.dimension.store
    assert store.block(BlockPos(1, -64, 1)).name == store.block(BlockPos(2, -64, 2)).name == "minecraft:grass"
    assert "placeholder" in store.block(BlockPos(2, -40, 2)).name


def test_columns_outside_the_publishers_circle_are_dropped() -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(), skeleton(ColumnPos(20, 0)))
    assert driven.session.dimension.terrain.staleness.publisher is None
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert driven.session.dimension.terrain.staleness.publisher == Publisher(BlockPos(8, 70, 8), 64)
    assert set(driven.session.dimension.store.row_of) == {HERE}
    assert driven.session.stats(driven.now).terrain.dropped_columns == 1


def test_a_pinned_column_is_kept_outside_the_circle_and_asked_unseen_within_the_radius_alone() -> None:
    driven = Driven(radius=6)
    driven.join()
    near, far = ColumnPos(5, 0), ColumnPos(20, 0)
    driven.session.pin("box", Anchor.square(far, 1))
    driven.session.pin("nearer box", Anchor.square(near, 1))
    said = driven.receive(skeleton(far), skeleton(near), NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert asked(said) == {(5, y, 0) for y in range(-4, 4)}
    assert set(driven.session.dimension.store.row_of) == {near, far}
    driven.session.unpin("box")
    driven.receive(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert set(driven.session.dimension.store.row_of) == {near}  # the player's own anchor holds it


def test_another_dimension_drops_everything_and_is_confirmed() -> None:
    driven = Driven()
    driven.join(runtime_id=9)
    driven.receive(skeleton())
    driven.receive(ChangeDimension(1, (100.0, 40.0, 8.0), False))
    session = driven.session
    assert session.spawn.phase is SpawnPhase.SPAWNING
    assert (
        session.dimension.store.dimension.number,
        len(session.dimension.store.row_of),
        session.movement.eye.x,
    ) == (1, 0, 100.0)
    assert session.ledger.outstanding == 0
    said = driven.receive(skeleton(ColumnPos(6, 0), None), PlayStatus(3))
    assert PlayerAction(9, 14) in said
    assert SetLocalPlayerAsInitialized not in kinds(said)  # that was said at the first spawn
    assert len(asked(said)) == 8  # the nether's height


def test_pings_and_respawns_are_answered() -> None:
    driven = Driven()
    driven.receive(start_game(runtime_id=9))
    assert NetworkStackLatency(77, False) in driven.receive(NetworkStackLatency(77, True))
    assert NetworkStackLatency not in kinds(driven.receive(NetworkStackLatency(77, False)))
    assert Respawn((1.0, 2.0, 3.0), 2, 9) in driven.receive(Respawn((1.0, 2.0, 3.0), 1, 9))


def test_time_is_what_the_server_said() -> None:
    driven = Driven()
    driven.join(time=30000)
    assert driven.session.environment.time_of_day == 6000
    driven.receive(SetTime(18000))
    assert driven.session.environment.time_of_day == 18000


def test_a_smaller_grant_shrinks_the_radius_and_a_larger_one_does_not_grow_it() -> None:
    driven = Driven(radius=6)
    driven.join()
    driven.receive(ChunkRadiusUpdated(4))
    assert driven.session.stats(driven.now).radius == 3
    driven.receive(ChunkRadiusUpdated(40))
    assert driven.session.stats(driven.now).radius == 6


def test_faulty_packets_are_counted_and_closing_keeps_the_first_reason() -> None:
    driven = Driven()
    driven.join()
    driven.session.handle(Faulty(DecodeError("SubChunk", "entries[0].payload", 3, "is cut off"), 5), 0.0)
    assert driven.session.spawn.closed_reason is None
    assert "entries[0].payload" in driven.session.stats(0.0).last_fault
    driven.receive(Disconnect(False, "disconnectionScreen.serverFull"))
    driven.session.handle(Closed("the peer is gone"), 0.0)
    assert driven.session.spawn.closed_reason == "the server is full"
    assert driven.receive(skeleton()) == []


def test_a_transfer_ends_the_session_and_names_the_other_server() -> None:
    driven = Driven()
    driven.join()
    driven.receive(Transfer("lobby.example.org", 19133))
    assert driven.session.spawn.closed_reason is not None
    assert "lobby.example.org:19133" in driven.session.spawn.closed_reason


def test_it_is_settled_when_nothing_is_wanted_outstanding_or_still_coming() -> None:
    driven = Driven(radius=1, quiet_s=0.5)
    assert "not spawned" in str(driven.session.unsettled(0.0))
    driven.join()
    assert "no column" in str(driven.session.unsettled(driven.now))
    driven.receive(skeleton(limit=0))
    assert "not answered" in str(driven.session.unsettled(driven.now))
    driven.receive(answer(SubChunkEntry(0, -4, 0, 6)))
    driven.tick()
    assert "may come" in str(driven.session.unsettled(driven.now))
    driven.tick(0.5)
    assert driven.session.unsettled(driven.now) is None
    driven.session.set_view(View(Eye(8, 90, 8)))
    assert "on its way to 8,90,8" in str(driven.session.unsettled(driven.now))


def test_a_whole_column_needs_no_request() -> None:
    driven = Driven()
    driven.join()
    column = LevelChunk(HERE, 0, 2, None, None, uniform(grass()) + uniform(0) + TAIL)
    assert asked(driven.receive(column)) == set()
    assert driven.state(0, -4, 0) is SubChunkState.DATA
    assert driven.state(0, 10, 0) is SubChunkState.ALL_AIR


def test_a_full_pool_is_a_counted_fault_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = Driven()
    driven.join()
    driven.receive(skeleton(limit=0))
    pools = driven.session.dimension.store.pools
    with monkeypatch.context() as full:
        full.setattr(pools, "take_many", no_space)
        full.setattr(type(pools), "crowded", True)
        assert asked(driven.receive(answer(SubChunkEntry(0, -4, 0, 1, uniform(grass()))))) == set()
        assert "in use" in driven.session.stats(driven.now).terrain.last_faults[0]
        assert driven.state(0, -4, 0) is SubChunkState.EVICTED
        assert asked(driven.tick(1.0)) == set(), "nothing is asked for in vain"
        why = verdict(facts_of(driven.session, BlockPos(0, -64, 0), driven.now))
        assert "the pool was full; it is requested again when there is space" in why
        (problem,) = [each for each in find_problems(driven.session, driven.now) if each.kind != "messages"]
        assert (problem.kind, problem.places) == ("no room", ((0, -4, 0),))
    assert asked(driven.tick(1.0)) == {(0, -4, 0)}
    driven.receive(answer(SubChunkEntry(0, -4, 0, 1, uniform(grass()))))
    assert driven.state(0, -4, 0) is SubChunkState.DATA


def test_a_whole_column_that_finds_no_room_is_asked_for_when_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = Driven()
    driven.join()
    column = LevelChunk(HERE, 0, 2, None, None, uniform(grass()) + uniform(0) + TAIL)
    pools = driven.session.dimension.store.pools
    with monkeypatch.context() as full:
        full.setattr(pools, "take_many", no_space)
        full.setattr(type(pools), "crowded", True)
        assert asked(driven.receive(column)) == set()
        assert driven.state(0, -4, 0) is SubChunkState.EVICTED
    assert (0, -4, 0) in asked(driven.tick(1.0))
    driven.receive(column)
    assert driven.state(0, -4, 0) is SubChunkState.DATA


def no_space(_count: int) -> None:
    raise OutOfSlots("block", 1)


# ---------------------------------------------------------------- what servers do

STONE = BlockState("minecraft:stone", (("stone_type", "granite"),))
BROKEN = Faulty(DecodeError("SubChunk", "entries[0].payload", 3, "is cut off"), 5)


def uniform_what_servers_do(runtime_id: int) -> bytes:
    """A version 8 sub-chunk of one block."""
    signed = int(np.int32(np.uint32(runtime_id)))
    zigzag, out = (signed << 1 ^ signed >> 31) & 0xFFFFFFFF, bytearray(b"\x08\x01\x01")
    while zigzag > 127:
        out.append(zigzag & 127 | 128)
        zigzag >>= 7
    return bytes([*out, zigzag])


def whole(*runtime_ids: int) -> LevelChunk:
    return LevelChunk(HERE, 0, len(runtime_ids), None, None, b"".join(map(uniform_what_servers_do, runtime_ids)) + TAIL)


def id_of(state: BlockState) -> int:
    found = palette(486).runtime_id_of(state)
    assert found is not None
    return found


def name_at(driven: Driven, y: int) -> str:
    return driven.session.dimension.store.block(BlockPos(1, y, 1)).name


def test_the_player_may_be_let_in_before_any_column() -> None:
    driven = Driven()
    driven.receive(start_game(runtime_id=9))
    assert SetLocalPlayerAsInitialized(9) in driven.receive(PlayStatus(3))
    assert asked(driven.receive(skeleton())) == {(0, y, 0) for y in range(-4, 4)}


def test_columns_that_come_before_the_radius_was_asked_are_kept() -> None:
    driven = Driven()
    said = driven.receive(start_game(), skeleton(), skeleton(ColumnPos(1, 0)))  # nothing was taken out in between
    assert RequestChunkRadius(3) in said
    assert set(driven.session.dimension.store.row_of) == {HERE, ColumnPos(1, 0)}
    assert (0, 3, 0) in asked(said)


def test_a_skeleton_that_comes_twice_is_asked_for_once_more_and_no_more() -> None:
    driven = Driven()
    driven.join()
    assert len(asked(driven.receive(skeleton(), skeleton(), skeleton()))) == 8
    assert driven.session.ledger.outstanding == 8
    driven.receive(SubChunk(False, 0, SubChunkPos(0, 0, 0), tuple(SubChunkEntry(0, y, 0, 6) for y in range(-4, 4))))
    assert driven.session.ledger.outstanding == 0
    assert driven.state(0, -4, 0) is SubChunkState.ALL_AIR


def test_a_whole_column_that_comes_twice_shows_the_second() -> None:
    driven = Driven()
    driven.join()
    driven.receive(whole(id_of(STONE)), whole(id_of(STONE)))
    assert name_at(driven, -64) == STONE.name
    driven.receive(whole(0, id_of(STONE)))
    assert name_at(driven, -64) == palette(486).states[0].name
    assert name_at(driven, -48) == STONE.name
    stats = driven.session.stats(driven.now)
    assert (stats.columns, stats.terrain.columns, stats.terrain.faults) == (1, 3, 0)


def test_packets_that_do_not_decode_may_stand_between_all_others() -> None:
    driven = Driven()
    answers = SubChunk(
        False, 0, SubChunkPos(0, 0, 0), (SubChunkEntry(0, -4, 0, 1, uniform_what_servers_do(id_of(STONE))),)
    )
    for message in (start_game(), skeleton(limit=0), PlayStatus(3), answers):
        driven.session.handle(BROKEN, driven.now)
        driven.receive(message)
    assert name_at(driven, -64) == STONE.name
    assert driven.session.stats(driven.now).faulty_packets == 4


# ------------------------------------------------------------ ids


@pytest.mark.parametrize("hashed", [False, True], ids=["by order", "by hash"])
def test_custom_blocks_take_part_in_the_ids_of_terrain(hashed: bool) -> None:
    own = BlockState("acme:anvil")
    blocks = (CustomBlock(own.name),)
    spoken = (palette(486).hashed() if hashed else palette(486)).with_custom(blocks)
    numbers = [spoken.runtime_id_of(state) for state in (own, STONE)]
    assert numbers[0] is not None
    assert numbers[1] is not None
    assert hashed or numbers[1] == id_of(STONE) + 1  # it is sorted in before
    driven = Driven()
    driven.join(custom_blocks=blocks, ids_are_hashes=hashed)
    driven.receive(whole(numbers[0], numbers[1]))
    assert (name_at(driven, -64), name_at(driven, -48)) == (own.name, STONE.name)
    assert driven.session.dimension.table.appended == 0


def test_unknown_ids_are_shown_as_unknown_blocks_and_counted() -> None:
    driven = Driven()
    driven.join()
    driven.receive(whole(60000, 60001, 60000, id_of(STONE)))
    first, second, again = (driven.session.dimension.store.block(BlockPos(1, y, 1)) for y in (-64, -48, -32))
    assert first.name == second.name == "minecraft:unknown"
    assert first.dense == again.dense != second.dense
    assert (first.runtime_id, second.runtime_id) == (60000, 60001)
    assert name_at(driven, -16) == STONE.name
    assert driven.session.dimension.table.appended == 2


# ---------------------------------------------------------------- recordings with delays

# ---------------------------------------------------------------- recorded server

LOGIN = (NetworkSettings, ServerToClientHandshake, ResourcePacksInfo, ResourcePackStack)
LOGGED_IN = 0
SUCCESSES = (SubChunkResult.SUCCESS, SubChunkResult.SUCCESS_ALL_AIR)


class Script(msgspec.Struct, frozen=True):
    """When a recorded server speaks."""

    name: str  # of the script, for tests
    packet_s: float  # between two packets of what it says unasked
    answers_s: tuple[float, ...]  # how long packets of answers wait, one after the other, over and over
    entries: int = 64  # answers in one packet, at most

    def __str__(self) -> str:
        return self.name


class RecordedServer:
    """The host's side."""

    def __init__(self, path: Path, script: Script) -> None:
        self.asked: dict[SubChunkPos, int] = {}  # how often each place was asked
        self.unknown: set[SubChunkPos] = set()  # places asked of which the recording has no answer; they are not found
        self._asked_until = 0  # of what is said, how much came before the last answer
        self._said: list[bytes] = []
        self._answers: dict[SubChunkPos, SubChunkEntry] = {}
        self._read(path)
        pong = f"MCPE;recorded;{self.codec.protocol};1;0;9;"
        self._listener = PeerListener(ProtocolRange.only(self.codec.protocol), pong, 0.0, UNIX_TIME, even_entropy(1))
        self._script = script
        self._waits = cycle(script.answers_s)
        self._peer: ServerPeer | None = None
        self._queue: list[tuple[float, int, bytes]] = []
        self._number = count()

    def _read(self, path: Path) -> None:
        with Recording.open(path) as recording:
            self.codec = Codec(recording.header.protocol)
            for entry in recording.entries():
                if isinstance(entry.record, ReceivedRecord):
                    self._take(entry.record.packet, self.codec.decode(entry.record.packet))
        if self._answers:
            del self._said[self._asked_until :]

    def _take(self, packet: bytes, message: Message) -> None:
        if isinstance(message, LOGIN) or (isinstance(message, PlayStatus) and message.status == LOGGED_IN):
            return
        if not isinstance(message, SubChunk):
            self._said.append(packet)
            return
        self._asked_until = len(self._said)
        for entry in message.entries:
            position = SubChunkPos(*(c + d for c, d in zip(message.centre, entry[:3], strict=True)))
            if position not in self._answers or entry.result in SUCCESSES:
                self._answers[position] = entry

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        self._listener.receive(address, datagram, now)
        self._listen(now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        while self._peer and self._queue and self._queue[0][0] <= now:
            self._peer.send_packet(heapq.heappop(self._queue)[2])
            self._peer.flush()
        out = self._listener.datagrams(now)
        self._listen(now)
        return out

    def next_timer(self) -> float | None:
        timers = [self._listener.next_timer(), self._queue[0][0] if self._queue else None]
        return min((timer for timer in timers if timer is not None), default=None)

    def _listen(self, now: float) -> None:
        self._peer = self._listener.accept() or self._peer
        while self._peer and (event := self._peer.next_event()) is not None:
            if isinstance(event, Joined):
                for index, packet in enumerate(self._said):
                    self._speak(packet, now + index * self._script.packet_s)
            elif isinstance(event, Received) and isinstance(event.message, SubChunkRequest):
                self._answer(event.message, now)

    def _speak(self, packet: bytes, at: float) -> None:
        heapq.heappush(self._queue, (at, next(self._number), packet))

    def _answer(self, request: SubChunkRequest, now: float) -> None:
        entries = [self._entry(request.centre, tuple(offset)) for offset in request.offsets.tolist()]
        for start in range(0, len(entries), self._script.entries):
            part = tuple(entries[start : start + self._script.entries])
            answers = SubChunk(False, request.dimension, request.centre, part)
            self._speak(self.codec.encode(answers), now + next(self._waits))

    def _entry(self, centre: SubChunkPos, offset: tuple[int, ...]) -> SubChunkEntry:
        position = SubChunkPos(*(c + d for c, d in zip(centre, offset, strict=True)))
        self.asked[position] = self.asked.get(position, 0) + 1
        recorded = self._answers.get(position)
        if recorded is None:
            self.unknown.add(position)
            return SubChunkEntry(*offset, SubChunkResult.CHUNK_NOT_FOUND)
        return SubChunkEntry(*offset, *recorded[3:])


class Revisited(VirtualSession):
    """A session that joins a server made of a recording."""

    def __init__(self, path: Path, script: Script, radius: int) -> None:
        self.server = RecordedServer(path, script)
        codec = self.server.codec
        identity = Identity("tester", "00000000-0000-0000-0000-000000000001")
        self.link = Loopback(ClientPeer(ADDRESS, codec, identity, 0.0, UNIX_TIME, even_entropy(2)), self.server)
        config = SessionConfig(radius=radius, player=SWIFT, protocol=codec.protocol)
        self.session = Session(config, palette(codec.protocol), 0.0)
        self.sent = []


# ---------------------------------------------------------------- recordings with delays

SCRIPTS = (
    Script("steady", 0.0, (0.2,)),
    Script("uneven", 0.02, (0.05, 1.4, 0.3, 0.0, 0.8), entries=24),
    Script("stalling", 0.01, (0.1, 0.1, 3.5), entries=16),
)
"""The second brings answers out of order and beyond the time-out; the third keeps every third packet for three."""
RAYS = sphere_rays(3000)
WHOLE = ("serenity-975", "jsprismarine-748")
"""Servers without sub-chunk requests: nothing is asked of them."""


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_all_that_is_visible_is_asked_and_none_of_it_stays_open(
    name: str, script: Script, record_property: Callable[[str, object], None]
) -> None:
    virtual = Revisited(recording(name), script, RADIUS)
    assert virtual.settle(120.0), virtual.session.unsettled(virtual.now)
    session, server = virtual.session, virtual.server
    store, ledger = session.dimension.store, session.stats(virtual.now).ledger
    reached = Walk().run(store, session.movement.eye, session.radius + 1)
    assert not np.isin(store.state[reached], ASKABLE).any()
    eye = session.movement.eye
    hits = cast(store, eye, RAYS)
    within = Anchor.square(eye.column, RADIUS).holds(store.columns[hits.places // store.dimension.sections])
    assert not (hits.in_holes & within).any()
    assert server.unknown == set()  # whatever the order of answers, it is the recorded session's places that are asked
    assert (ledger.outstanding, ledger.waiting, ledger.closed, ledger.failed) == (0, 0, 0, 0)
    assert ledger.settled == len(server.asked)
    assert ledger.asked == sum(server.asked.values()) == ledger.settled + ledger.timed_out
    if name in WHOLE:
        assert not server.asked
    else:
        assert (hits.on_terrain & within).any()
        assert ledger.timed_out > 0 or script.name != "stalling"
    for figure in ("asked", "timed_out", "unasked", "window"):
        record_property(figure, getattr(ledger, figure))
    record_property("settled_s", round(virtual.now, 2))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WHOLE])
def test_an_even_server_is_asked_once_for_each_place(name: str) -> None:
    virtual = Revisited(recording(name), SCRIPTS[0], RADIUS)
    assert virtual.settle()
    assert set(virtual.server.asked.values()) == {1}
    assert virtual.session.stats(virtual.now).warnings == ()
