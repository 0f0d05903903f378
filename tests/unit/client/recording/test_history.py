"""The last minutes of a live session: lived through again beside it, bounded, and saved as a recording.

Long past: Ten minutes of flying, with time passed in: the past stays within its room, and is gone back to as cheaply as
ever.

Two hours of it are ``python -m tests.support.session.past`` (figures in docs/develop/decisions/client.md).

Recorder: Which columns a message was about, as far as a past may forget it.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.errors import SourceError, UsageError
from client.options import LEAST_BYTES, Moment, Options, PastOptions
from client.recording.checkpoints import OBJECTS_BYTES
from client.recording.recorder import MARK_S
from client.session.config import SessionConfig
from client.source import Embedded, WorldFile
from net.bedrock import (
    CommandOrigin,
    CommandOutput,
    Disconnect,
    LevelChunk,
    LevelSoundEvent,
    Message,
    SetTime,
    Text,
    Unknown,
)
from net.blobs import MemoryBlobs
from net.palette import BlockState
from net.peer import Received
from net.recording.file import Recording
from net.recording.records import OmittedRecord
from net.server.host_options import HostOptions
from net.space import BlockPos, ColumnPos
from tests.support.session.driven import shown
from tests.support.session.past import arrive, fly, flying, jump, past_of, remembering, stands
from tests.support.session.past import fly_long_past as long_past_fly
from tests.support.session.virtual import SWIFT, VirtualSession, VirtualTransport

# ---------------------------------------------------------------- history

# ---------------------------------------------------------------- hindsight

GLOWSTONE = BlockState("minecraft:glowstone")


def world_of(session: Any) -> dict[str, Any]:
    """What one sees, and what cannot depend on what was left out."""
    facts = shown(session)
    del facts["ledger"]
    return facts


def test_the_past_is_shown_while_the_session_goes_on_and_the_present_after_it() -> None:
    virtual = VirtualSession("hills:1")
    with remembering(virtual) as connection:
        assert connection.wait_settled()
        assert connection.past is not None
        spot = BlockPos.containing(*virtual.world.spawn.feet)
        before = connection.block(spot).name
        then = world_of(connection.session)
        fly(connection, 5, 0.0)
        virtual.host.set_block(spot, GLOWSTONE)
        fly(connection, 100, 0.0)
        live = connection.session
        assert connection.block(spot).name == GLOWSTONE.name

        connection.past.look_back(1.0)
        assert connection.session is live, "until the past is there"
        arrive(connection)
        assert connection.session is not live
        assert connection.replay is not None
        assert connection.replay.paused
        assert connection.replay.speed == 1.0, "it goes on as the session did"
        assert connection.block(spot).name == before
        assert world_of(connection.session) == then

        other = BlockPos(spot.x, spot.y + 3, spot.z)
        virtual.host.set_block(other, GLOWSTONE)
        for _ in range(20):
            connection.pump()
        assert live.dimension.store.block(other).name == GLOWSTONE.name, "told while nobody looks"
        assert connection.block(other).name != GLOWSTONE.name

        connection.past.to_present()
        connection.pump()
        assert connection.session is live
        assert connection.replay is None
        assert connection.block(other).name == GLOWSTONE.name


def test_what_the_past_takes_is_told_beside_the_other_pools() -> None:
    with remembering(VirtualSession("flat:1")) as connection:
        connection.wait_settled()
        assert connection.past is not None
        assert connection.past.buffer.tape().readable()
        used = {pool.name: pool.used for pool in connection.statistics().memory}
        assert used["the last minutes"] == connection.past.buffer.size_bytes > 1000
    with VirtualSession("flat:1").connection(Options(radius=2)) as other:
        assert "the last minutes" not in {pool.name for pool in other.statistics().memory}


def test_a_step_back_and_on_is_the_same_place() -> None:
    with remembering(VirtualSession("hills:1")) as connection:
        assert connection.wait_settled()
        fly(connection, 60)
        assert connection.past is not None
        connection.past.look_back()
        arrive(connection)
        here = world_of(connection.session)
        assert connection.replay is not None
        for step in (-1, 1):
            connection.replay.step_ticks(step)
            arrive(connection)
        assert world_of(connection.session) == here


@pytest.fixture(scope="module")
def far() -> tuple[Connection, dict[float, dict[str, Any]]]:
    """A long flight through what little room there is, with what was to be seen at some times of it."""
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=2, player=SWIFT))
    connection = remembering(virtual, PastOptions(kept_s=10.0, most_bytes=4 * LEAST_BYTES))
    seen = {}
    for _ in range(11):
        fly(connection, 150, 0.6)
        fly(connection, 30, 0.0)
        seen[connection.now - connection.session.started_at] = world_of(connection.session)
    return connection, seen


def test_what_is_too_old_is_thinned_and_the_rest_is_as_it_was(far: tuple[Connection, Any]) -> None:
    connection, seen = far
    assert connection.past is not None
    buffer, now = connection.past.buffer, connection.now - connection.session.started_at
    assert buffer.tape().readable()
    assert now - buffer.whole_from_us / 1e6 < 1.25 * 10.0 + 5.1, "no longer than asked for, and till the next mark"
    assert buffer.size_bytes <= buffer.most_bytes
    compared = 0
    for time_s, facts in seen.items():
        if time_s < buffer.whole_from_us / 1e6:  # it is thinned on, while one looks back
            continue
        connection.past.look_back(now - time_s)
        arrive(connection)
        assert connection.replay is not None
        assert connection.replay.position.time_s == pytest.approx(time_s, abs=0.2)  # turns without news are left out
        assert world_of(connection.session) == facts
        connection.past.to_present()
        connection.pump()
        compared += 1
        now = connection.now - connection.session.started_at
    assert compared >= 4


@pytest.fixture(scope="module")
def framed() -> tuple[Connection, dict[float, dict[str, Any]]]:
    """A flight of twenty seconds with room for checkpoints, with what was to be seen at some times of it."""
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=2, player=SWIFT))
    connection = remembering(virtual, PastOptions(kept_s=10.0, most_bytes=128 << 20))
    connection.session.dimension.store.changes.subscribe()  # as a scene does
    seen = {}
    for _ in range(9):
        fly(connection, 150, 0.6)
        fly(connection, 50, 0.0)
        seen[connection.now - connection.session.started_at] = world_of(connection.session)
    return connection, seen


def test_a_way_back_begins_at_the_last_checkpoint_and_ends_in_the_same_place(framed: tuple[Connection, Any]) -> None:
    connection, seen = framed
    assert connection.past is not None
    _, starts = connection.past.buffer.tape_with_starts()
    first_s = starts[0].time_us / 1e6
    assert len(starts) >= 3
    assert connection.past.buffer.whole_from_us == starts[0].time_us, "it is cut where one stands"
    compared = 0
    for time_s, facts in reversed([*seen.items()]):
        if time_s < first_s:
            continue
        connection.past.look_back(connection.now - connection.session.started_at - time_s)
        arrive(connection)
        assert connection.replay is not None
        assert world_of(connection.session) == facts
        connection.past.to_present()
        connection.pump()
        compared += 1
    assert compared >= 6


def test_steps_end_where_the_past_is_whole(framed: tuple[Connection, Any]) -> None:
    connection, _ = framed
    assert connection.past is not None
    connection.past.look_back(5.0)
    arrive(connection)
    replay = connection.replay
    assert replay is not None
    for step_back in (lambda: replay.step(-100_000), lambda: replay.step_ticks(-100_000)):
        replay.seek(replay.duration_s)
        arrive(connection)
        step_back()
        arrive(connection)
        assert replay.position.time_s == pytest.approx(replay.whole_from_s, abs=0.1)
        assert replay.position.ticks > 0
    ticks, packets = replay.position.ticks, replay.position.packets
    replay.step_ticks(3)
    arrive(connection)
    assert (replay.position.ticks, replay.position.packets >= packets) == (ticks + 3, True)
    connection.past.to_present()
    connection.pump()


def test_checkpoints_take_half_of_the_room_at_most(framed: tuple[Connection, Any]) -> None:
    connection, _ = framed
    assert connection.past is not None
    buffer = connection.past.buffer
    assert (
        3 * OBJECTS_BYTES
        < buffer.checkpoint_bytes
        <= buffer.most_bytes // 2
        < buffer.size_bytes + buffer.most_bytes // 2
    )
    buffer.most_bytes = buffer.checkpoint_bytes
    fly(connection, 600, 0.0)
    assert buffer.tape().readable()
    assert 0 < buffer.checkpoint_bytes <= buffer.most_bytes // 2


def test_packets_keep_their_numbers_where_others_were_left_out(far: tuple[Connection, Any]) -> None:
    connection, _ = far
    assert connection.past is not None
    with Recording(connection.past.buffer.tape()) as recording:
        left_out = sum(entry.record.packets for entry in recording.entries() if isinstance(entry.record, OmittedRecord))
    assert left_out > 60, "else what is tolerated below could hide it"
    connection.past.look_back()
    arrive(connection)
    assert connection.replay is not None
    assert connection.replay.position.packets == pytest.approx(connection.statistics().peer.packets_in, abs=30)
    connection.past.to_present()
    connection.pump()


def test_nobody_goes_back_before_what_is_whole(far: tuple[Connection, Any]) -> None:
    connection, _ = far
    assert connection.past is not None
    connection.past.look_back(1e6)
    arrive(connection)
    assert connection.replay is not None
    assert connection.replay.position.time_s == pytest.approx(connection.replay.whole_from_s, abs=0.1)
    connection.past.to_present()
    connection.pump()


def test_the_past_is_saved_as_a_recording_that_opens_where_it_is_whole(
    far: tuple[Connection, Any], tmp_path: Path
) -> None:
    connection, _ = far
    assert connection.past is not None
    path = tmp_path / "past.cscope"
    assert connection.past.save(path) == path.stat().st_size
    whole_from_s = connection.past.buffer.whole_from_us / 1e6
    live = world_of(connection.session)
    with open_connection(WorldFile(path), Options(light=False, speed=1.0)) as again:
        assert again.replay is not None
        assert again.replay.position.time_s == pytest.approx(whole_from_s, abs=0.1)
        again.replay.play(None)
        again.wait_settled()
        assert world_of(again.session) == live
        assert again.replay.damages == ()
    with pytest.raises(UsageError, match="is readable only from"):
        open_connection(WorldFile(path), Options(still=Moment(0.5)))


def test_a_room_too_small_for_what_is_shown_ends_the_past_in_words() -> None:
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=2, player=SWIFT))
    with remembering(virtual, PastOptions(kept_s=1.0)) as connection:
        assert connection.past is not None
        connection.past.buffer.most_bytes = 1000
        fly(connection, 700, 0.0)
        with pytest.raises(UsageError, match="Rewinding is not possible: the world takes"):
            connection.past.look_back()
        with pytest.raises(UsageError, match="Rewinding is not possible: the world takes"):
            connection.past.save(Path("nowhere.cscope"))
        assert connection.past.buffer.size_bytes == 0
        fly(connection, 5)
        assert connection.replay is None


def test_a_past_that_is_behind_is_no_lost_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with remembering(VirtualSession("flat:1")) as connection:
        assert connection.wait_settled()
        fly(connection, 10, 0.0)
        assert connection.past is not None
        with monkeypatch.context() as busy:
            busy.setattr(connection.past.buffer._turns, "flushed", lambda _seconds: False)
            with pytest.raises(UsageError, match="still being written; try again in a moment"):
                connection.past.look_back()
        connection.past.look_back()
        arrive(connection)
        assert connection.replay is not None


def test_a_connection_that_is_lost_has_its_past_still() -> None:
    virtual = VirtualSession("flat:1")
    with remembering(virtual) as connection:
        assert connection.wait_settled()
        there = world_of(connection.session)
        fly(connection, 100, 0.0)
        virtual.session.handle(_disconnected(), virtual.link.now)
        with pytest.raises(SourceError, match="thrown out"):
            connection.pump()
        assert connection.past is not None
        connection.past.look_back(0.5)
        arrive(connection)
        assert world_of(connection.session) == there
        assert connection.replay is not None


def _disconnected() -> Received:
    return Received(Disconnect(hidden=False, message="thrown out"), 0.0, 10_000, 0, b"")


def test_terrain_that_came_by_the_blob_cache_is_in_the_past() -> None:
    blobs = MemoryBlobs()
    virtual = VirtualSession("hills:1", HostOptions(), blobs=blobs)
    with remembering(virtual) as connection:
        assert connection.wait_settled()
        assert connection.statistics().peer.blobs is not None
        there = world_of(connection.session)
        fly(connection, 10, 0.0)
        assert connection.past is not None
        connection.past.look_back()
        arrive(connection)
        assert world_of(connection.session) == there


def test_a_file_is_written_beside_the_past(tmp_path: Path) -> None:
    virtual = VirtualSession("flat:1")
    connection = Connection(
        Embedded(), Options(radius=2, light=False), virtual.session, VirtualTransport(virtual.link),
        clock=lambda: virtual.link.now, rest=lambda _seconds: None,
    )  # fmt: skip
    connection.record(tmp_path / "a.cscope")
    connection.remember(PastOptions())
    with connection:
        assert connection.wait_settled()
        there = world_of(connection.session)
        fly(connection, 3, 0.0)
    with open_connection(WorldFile(tmp_path / "a.cscope"), Options(light=False)) as again:
        again.wait_settled()
        assert world_of(again.session) == there


def test_a_past_begins_with_its_session_and_must_hold_something() -> None:
    with VirtualSession("flat:1").connection(Options(radius=2)) as connection:
        with pytest.raises(UsageError, match="rewinding must be enabled when the session starts"):
            connection.remember(PastOptions())
        assert connection.past is None
    with pytest.raises(UsageError, match="is too little to rewind"):
        PastOptions(most_bytes=10)
    assert msgspec.structs.replace(PastOptions(), kept_s=1.0).kept_s == 1.0


# ---------------------------------------------------------------- long past

KEPT_S = 50.0
FLOWN_S = 300.0
FRAME_S = 0.2


def test_what_is_kept_of_a_long_flight_does_not_grow_with_it() -> None:
    connection = flying("flat:1", 2, PastOptions(KEPT_S, 8 << 20), FRAME_S)
    past = past_of(connection)
    taken = {}
    for flown in long_past_fly(connection, FLOWN_S):
        at = stands(past)
        taken[flown] = at["mb"]
        assert past.buffer.size_bytes <= past.buffer.most_bytes
        assert min(flown, KEPT_S) <= at["whole_s"] <= 2 * KEPT_S
    half = [mb for flown, mb in taken.items() if KEPT_S * 2 < flown <= FLOWN_S / 2]
    assert max(taken.values()) < 1.5 * max(half)

    now_s = past.live.now - past.live.started_at
    starts_s = [start.time_us / 1e6 for start in past.buffer.tape_with_starts()[1]]
    for back_s in (1.0, 10.0, 30.0, KEPT_S):
        assert jump(connection, back_s)["ago_s"] == pytest.approx(back_s, abs=2 * FRAME_S)
        lived_through_s = min(now_s - back_s - at_s for at_s in starts_s if at_s <= now_s - back_s)
        assert lived_through_s <= max(3 * MARK_S, back_s), "the younger, the nearer to a checkpoint"
    first_s = past.buffer.whole_from_us / 1e6
    assert jump(connection, 10 * FLOWN_S)["ago_s"] == pytest.approx(now_s - first_s, abs=2 * FRAME_S)
    connection.close()


# ---------------------------------------------------------------- recorder


@pytest.mark.parametrize(
    "message",
    [Text("tip", "10 coins"), Text("chat", "hi", source="Ada"), LevelSoundEvent(1, (0.5, 64.0, 0.5)), Unknown(77, 9)],
)
def test_what_changes_no_world_is_forgotten_however_often_it_comes(message: Message) -> None:
    assert message.columns() == ()


def test_what_may_change_anything_stays_and_a_column_as_long_as_it_is_known() -> None:
    assert SetTime(5).columns() is None
    assert CommandOutput(CommandOrigin(), ()).columns() is None
    assert LevelChunk(ColumnPos(3, -4), 0, 0, None, None, b"").columns() == (ColumnPos(3, -4),)
