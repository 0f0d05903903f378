"""The machine, fed with messages by hand."""

import pytest

from client.errors import OutOfSlots
from client.player import Eye, View
from client.report.why import facts_of
from client.report.why_text import verdict
from client.session.publisher_area import Publisher
from client.session.spawn import SpawnPhase
from client.streaming.anchors import Anchor
from client.world.lifecycle import SubChunkState
from net.bedrock import (
    BlockChange,
    ChangeDimension,
    ChunkRadiusUpdated,
    Disconnect,
    LevelChunk,
    Message,
    NetworkChunkPublisherUpdate,
    NetworkStackLatency,
    PlayerAction,
    PlayStatus,
    RequestChunkRadius,
    Respawn,
    SetLocalPlayerAsInitialized,
    SetTime,
    SubChunk,
    SubChunkEntry,
    Transfer,
    UpdateBlock,
    UpdateSubChunkBlocks,
)
from net.errors import DecodeError
from net.palette import BlockState
from net.peer import Closed, Faulty
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from tests.support.session.driven import HERE, TAIL, Driven, asked, skeleton, start_game
from tests.support.session.virtual import palette

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
    assert driven.hear(PlayStatus(0), skeleton()) == []
    assert driven.session.spawn.phase is SpawnPhase.JOINING
    assert not driven.session.dimension.store.row_of


def test_the_game_starts_with_a_radius_and_ends_the_spawn_with_a_confirmation() -> None:
    driven = Driven()
    said = driven.hear(start_game(runtime_id=9, yaw=30.0))
    assert said[0] == RequestChunkRadius(3)
    assert driven.session.spawn.phase is SpawnPhase.SPAWNING
    assert driven.session.movement.view == View(Eye(8, 70, 8), 30.0, 0.0)
    assert SetLocalPlayerAsInitialized(9) in driven.hear(PlayStatus(3))
    assert driven.session.spawn.phase is SpawnPhase.PLAYING


def test_the_ticking_area_is_asked_as_soon_as_it_is_announced_also_before_the_spawn() -> None:
    driven = Driven()
    driven.hear(start_game())
    said = driven.hear(skeleton(limit=7))
    assert asked(said) == {(0, y, 0) for y in range(-4, 4)}
    assert driven.state(0, 3, 0) is SubChunkState.REQUESTED
    assert driven.state(0, 4, 0) is SubChunkState.KNOWN_AIR


def test_without_a_limit_the_whole_height_is_asked() -> None:
    driven = Driven()
    driven.join()
    assert len(asked(driven.hear(skeleton(limit=None)))) == 24


def test_results_lead_where_the_table_says() -> None:
    driven = Driven()
    driven.join()
    driven.hear(skeleton())
    driven.hear(
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
    driven.hear(skeleton(limit=0))
    assert asked(driven.hear(answer(SubChunkEntry(0, -4, 0, 2)))) == set()
    assert asked(driven.tick(0.15)) == set()
    assert asked(driven.tick(0.1)) == {(0, -4, 0)}


def test_an_unknown_player_stops_all_requests_until_the_next_spawn() -> None:
    driven = Driven()
    driven.join()
    driven.hear(skeleton(limit=0))
    assert asked(driven.hear(answer(SubChunkEntry(0, -4, 0, 4)), skeleton(ColumnPos(1, 0)))) == set()
    assert asked(driven.tick(5.0)) == set()
    held_back = "the server does not know the player (code 4), so nothing is asked until it spawns it"
    assert driven.session.unsettled(driven.now) == held_back
    assert driven.session.unsettled_within(Anchor.square(ColumnPos(0, 0), 0), driven.now) == held_back
    assert (0, -4, 0) in asked(driven.hear(PlayStatus(3)))


def test_silence_is_asked_again_and_no_place_is_asked_twice_meanwhile() -> None:
    driven = Driven()
    driven.join()
    assert len(asked(driven.hear(skeleton()))) == 8
    for _ in range(18):
        assert asked(driven.tick()) == set()
    driven.tick(0.2)
    assert driven.session.stats(driven.now).ledger.asked == 16


def test_an_answer_for_another_dimension_is_ignored() -> None:
    driven = Driven()
    driven.join()
    driven.hear(skeleton())
    driven.hear(answer(SubChunkEntry(0, -4, 0, 6), dimension=1))
    assert driven.state(0, -4, 0) is SubChunkState.REQUESTED
    assert driven.session.stats(driven.now).terrain.ignored == 1


def test_a_second_success_is_ignored_until_the_column_comes_again() -> None:
    driven = Driven()
    driven.join()
    driven.hear(skeleton(limit=0))
    driven.hear(answer(SubChunkEntry(0, -4, 0, 1, uniform(grass()))))
    driven.hear(answer(SubChunkEntry(0, -4, 0, 6)))
    assert driven.state(0, -4, 0) is SubChunkState.DATA
    assert asked(driven.hear(skeleton(limit=0))) == {(0, -4, 0)}
    assert driven.state(0, -4, 0) is SubChunkState.RESET
    driven.hear(answer(SubChunkEntry(0, -4, 0, 6)))
    assert driven.state(0, -4, 0) is SubChunkState.ALL_AIR


def test_block_updates_change_what_is_known_and_leave_placeholders_alone() -> None:
    driven = Driven()
    driven.join()
    driven.hear(skeleton(limit=1))
    driven.hear(answer(SubChunkEntry(0, -4, 0, 6)))
    driven.hear(
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
    driven.hear(skeleton(), skeleton(ColumnPos(20, 0)))
    assert driven.session.dimension.terrain.staleness.publisher is None
    driven.hear(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert driven.session.dimension.terrain.staleness.publisher == Publisher(BlockPos(8, 70, 8), 64)
    assert set(driven.session.dimension.store.row_of) == {HERE}
    assert driven.session.stats(driven.now).terrain.dropped_columns == 1


def test_a_pinned_column_is_kept_outside_the_circle_and_asked_unseen_within_the_radius_alone() -> None:
    driven = Driven(radius=6)
    driven.join()
    near, far = ColumnPos(5, 0), ColumnPos(20, 0)
    driven.session.pin("box", Anchor.square(far, 1))
    driven.session.pin("nearer box", Anchor.square(near, 1))
    said = driven.hear(skeleton(far), skeleton(near), NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert asked(said) == {(5, y, 0) for y in range(-4, 4)}
    assert set(driven.session.dimension.store.row_of) == {near, far}
    driven.session.unpin("box")
    driven.hear(NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 64))
    assert set(driven.session.dimension.store.row_of) == {near}  # the player's own anchor holds it


def test_another_dimension_drops_everything_and_is_confirmed() -> None:
    driven = Driven()
    driven.join(runtime_id=9)
    driven.hear(skeleton())
    driven.hear(ChangeDimension(1, (100.0, 40.0, 8.0), False))
    session = driven.session
    assert session.spawn.phase is SpawnPhase.SPAWNING
    assert (
        session.dimension.store.dimension.number,
        len(session.dimension.store.row_of),
        session.movement.eye.x,
    ) == (1, 0, 100.0)
    assert session.ledger.outstanding == 0
    said = driven.hear(skeleton(ColumnPos(6, 0), None), PlayStatus(3))
    assert PlayerAction(9, 14) in said
    assert SetLocalPlayerAsInitialized not in kinds(said)  # that was said at the first spawn
    assert len(asked(said)) == 8  # the nether's height


def test_pings_and_respawns_are_answered() -> None:
    driven = Driven()
    driven.hear(start_game(runtime_id=9))
    assert NetworkStackLatency(77, False) in driven.hear(NetworkStackLatency(77, True))
    assert NetworkStackLatency not in kinds(driven.hear(NetworkStackLatency(77, False)))
    assert Respawn((1.0, 2.0, 3.0), 2, 9) in driven.hear(Respawn((1.0, 2.0, 3.0), 1, 9))


def test_time_is_what_the_server_said() -> None:
    driven = Driven()
    driven.join(time=30000)
    assert driven.session.environment.time_of_day == 6000
    driven.hear(SetTime(18000))
    assert driven.session.environment.time_of_day == 18000


def test_a_smaller_grant_shrinks_the_radius_and_a_larger_one_does_not_grow_it() -> None:
    driven = Driven(radius=6)
    driven.join()
    driven.hear(ChunkRadiusUpdated(4))
    assert driven.session.stats(driven.now).radius == 3
    driven.hear(ChunkRadiusUpdated(40))
    assert driven.session.stats(driven.now).radius == 6


def test_faulty_packets_are_counted_and_closing_keeps_the_first_reason() -> None:
    driven = Driven()
    driven.join()
    driven.session.handle(Faulty(DecodeError("SubChunk", "entries[0].payload", 3, "is cut off"), 5), 0.0)
    assert driven.session.spawn.closed_reason is None
    assert "entries[0].payload" in driven.session.stats(0.0).last_fault
    driven.hear(Disconnect(False, "disconnectionScreen.serverFull"))
    driven.session.handle(Closed("the peer is gone"), 0.0)
    assert driven.session.spawn.closed_reason == "disconnectionScreen.serverFull"
    assert driven.hear(skeleton()) == []


def test_a_transfer_ends_the_session_and_names_the_other_server() -> None:
    driven = Driven()
    driven.join()
    driven.hear(Transfer("lobby.example.org", 19133))
    assert driven.session.spawn.closed_reason is not None
    assert "lobby.example.org:19133" in driven.session.spawn.closed_reason


def test_it_is_settled_when_nothing_is_wanted_outstanding_or_still_coming() -> None:
    driven = Driven(radius=1, quiet_s=0.5)
    assert "let the player in" in str(driven.session.unsettled(0.0))
    driven.join()
    assert "no column" in str(driven.session.unsettled(driven.now))
    driven.hear(skeleton(limit=0))
    assert "not answered" in str(driven.session.unsettled(driven.now))
    driven.hear(answer(SubChunkEntry(0, -4, 0, 6)))
    driven.tick()
    assert "may still come" in str(driven.session.unsettled(driven.now))
    driven.tick(0.5)
    assert driven.session.unsettled(driven.now) is None
    driven.session.set_view(View(Eye(8, 90, 8)))
    assert "on its way" in str(driven.session.unsettled(driven.now))


def test_a_whole_column_needs_no_request() -> None:
    driven = Driven()
    driven.join()
    column = LevelChunk(HERE, 0, 2, None, None, uniform(grass()) + uniform(0) + TAIL)
    assert asked(driven.hear(column)) == set()
    assert driven.state(0, -4, 0) is SubChunkState.DATA
    assert driven.state(0, 10, 0) is SubChunkState.ALL_AIR


def test_a_full_pool_is_a_counted_fault_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = Driven()
    driven.join()
    driven.hear(skeleton(limit=0))
    pools = driven.session.dimension.store.pools
    with monkeypatch.context() as full:
        full.setattr(pools, "take_many", no_room)
        full.setattr(type(pools), "crowded", True)
        assert asked(driven.hear(answer(SubChunkEntry(0, -4, 0, 1, uniform(grass()))))) == set()
        assert "in use" in driven.session.stats(driven.now).terrain.last_faults[0]
        assert driven.state(0, -4, 0) is SubChunkState.EVICTED
        assert asked(driven.tick(1.0)) == set(), "nothing is asked for in vain"
        why = verdict(facts_of(driven.session, BlockPos(0, -64, 0), driven.now))
        assert "the pool was full; it is asked again when there is room" in why
    assert asked(driven.tick(1.0)) == {(0, -4, 0)}
    driven.hear(answer(SubChunkEntry(0, -4, 0, 1, uniform(grass()))))
    assert driven.state(0, -4, 0) is SubChunkState.DATA


def test_a_whole_column_that_finds_no_room_is_asked_for_when_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    driven = Driven()
    driven.join()
    column = LevelChunk(HERE, 0, 2, None, None, uniform(grass()) + uniform(0) + TAIL)
    pools = driven.session.dimension.store.pools
    with monkeypatch.context() as full:
        full.setattr(pools, "take_many", no_room)
        full.setattr(type(pools), "crowded", True)
        assert asked(driven.hear(column)) == set()
        assert driven.state(0, -4, 0) is SubChunkState.EVICTED
    assert (0, -4, 0) in asked(driven.tick(1.0))
    driven.hear(column)
    assert driven.state(0, -4, 0) is SubChunkState.DATA


def no_room(_count: int) -> None:
    raise OutOfSlots("block", 1)
