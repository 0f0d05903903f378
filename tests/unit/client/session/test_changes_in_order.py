"""Single blocks that change are applied together, and still in the order of the wire."""

import pytest

from client.session.config import SessionConfig
from client.session.session import Session
from net.bedrock import (
    BlockChange,
    LevelChunk,
    LevelEvent,
    LevelEventNumber,
    Message,
    PlayStatus,
    SetTime,
    UpdateBlock,
    UpdateSubChunkBlocks,
)
from net.palette import BlockState, Palette
from net.peer import Received
from net.space.positions import BlockPos, ColumnPos
from tests.support.session_messages import received, start_game

PALETTE = Palette(
    [BlockState("minecraft:air", ()), BlockState("minecraft:stone", ()), BlockState("minecraft:dirt", ())]
)
HERE = BlockPos(1, 70, 2)
ALL_AIR = LevelChunk(ColumnPos(0, 0), 0, 0, None, None, b"\x01\x04\x00")


WHERE = tuple(float(axis) for axis in HERE)


def told(*messages: Message) -> Session:
    session = Session(SessionConfig(), PALETTE, 0.0)
    for message in (start_game(), PlayStatus(3), *messages):
        session.handle(received(message), 0.0)
    session.end_drain()
    return session


def name(session: Session) -> str:
    return session.store.block(HERE).name.removeprefix("minecraft:")


def test_the_last_of_several_changes_stays() -> None:
    assert name(told(ALL_AIR, UpdateBlock(HERE, 1), UpdateBlock(HERE, 2))) == "dirt"


def test_a_column_that_comes_after_a_change_replaces_it() -> None:
    session = told(ALL_AIR, UpdateBlock(HERE, 1), ALL_AIR)
    assert name(session) == "air"
    assert session.stats(0.0).terrain.block_updates == 1


def test_a_change_that_comes_after_a_column_is_seen_in_it() -> None:
    assert name(told(UpdateBlock(HERE, 2), ALL_AIR, UpdateBlock(HERE, 1))) == "stone"


def test_changes_of_one_drain_are_dated_by_their_own_packets() -> None:
    session = told(ALL_AIR)
    higher = BlockPos(HERE.x, HERE.y + 16, HERE.z)
    for number, (at, position) in enumerate(((1.0, HERE), (1.5, higher), (2.0, HERE), (2.5, higher)), 7):
        message = UpdateBlock(position, 1 + number // 2 % 2)
        session.handle(Received(message, at, number, 0), at)
    session.handle(received(SetTime(6000)), 3.0)
    session.end_drain()
    for position, first_at, last in ((HERE, 1.0, (9, 2.0)), (higher, 1.5, (10, 2.5))):
        place = session.store.place_of(position.subchunk)
        event = session.store.history.of(place)[-1]
        assert (event.packet, event.time_s) == last
        assert session.store.since[place] == first_at  # when it became data


def applied(session: Session, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many changes each call applies from now on."""
    counts: list[int] = []
    update = session.store.update_blocks
    monkeypatch.setattr(session.store, "update_blocks", lambda p, *rest: counts.append(len(p)) or update(p, *rest))
    return counts


def test_particles_between_changes_do_not_part_them(monkeypatch: pytest.MonkeyPatch) -> None:
    session = told(ALL_AIR)
    counts = applied(session, monkeypatch)
    for y in range(70, 90):
        session.handle(received(UpdateBlock(BlockPos(1, y, 2), 1)), 0.0)
        session.handle(received(LevelEvent(LevelEventNumber.DESTROY_BLOCK, (1.0, float(y), 2.0), 1)), 0.0)
    session.handle(received(SetTime(6000)), 0.0)
    session.end_drain()
    assert counts == [20]
    assert session.events.seen == 20
    assert name(session) == "stone"


def test_an_event_between_does_not_claim_a_change_as_its_doing() -> None:
    session = told(ALL_AIR)
    session.handle(Received(UpdateBlock(HERE, 1), 0.0, 41, 0), 0.0)
    session.handle(Received(LevelEvent(LevelEventNumber.DESTROY_BLOCK, WHERE, 1), 0.0, 42, 0), 0.0)
    session.end_drain()
    assert session.store.history.of(session.store.place_of(HERE.subchunk))[-1].packet == 41


def test_each_place_names_the_packet_that_changed_it_though_they_are_applied_together() -> None:
    session = told(ALL_AIR)
    above = HERE._replace(y=HERE.y + 16)
    session.handle(Received(UpdateBlock(HERE, 1), 0.0, 41, 0), 0.0)
    several = UpdateSubChunkBlocks(above, tuple(BlockChange(at, 1) for at in (above, HERE._replace(x=3))))
    session.handle(Received(several, 0.0, 42, 0), 0.0)
    session.handle(Received(UpdateBlock(above, 2), 0.0, 43, 0), 0.0)
    session.handle(Received(UpdateBlock(HERE._replace(y=0), 2), 0.0, 44, 0), 0.0)
    session.end_drain()
    store = session.store
    packets = [store.history.of(store.place_of(at.subchunk))[-1].packet for at in (HERE, above, HERE._replace(y=0))]
    assert packets == [42, 43, 44]


def test_cracks_know_of_the_changes_before_them() -> None:
    session = told(ALL_AIR, UpdateBlock(HERE, 1), LevelEvent(LevelEventNumber.START_CRACKING, WHERE, 2000))
    assert session.store.cracking(HERE)
    session.handle(received(UpdateBlock(HERE, 0)), 0.0)
    session.end_drain()
    assert not session.store.cracking(HERE)
