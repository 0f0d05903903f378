"""What packets tell of blocks besides their ids, from the wire to the store: entities, cracks, events, height maps.

Changes in order: Single blocks that change are applied together, and still in the order of the wire.

Emptied: When the last of many columns has gone, what grew with them goes, too, and the session begins anew where it is.
"""

import numpy as np
import pytest

from client.connection.live import LightKeeper
from client.light.slots import DAYLIGHT_SLOT
from client.session.config import SessionConfig
from client.session.session import Session
from client.world.changes import ChangeReader
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import SubChunkState
from client.world.places import FIRST_ROWS
from net.bedrock import (
    BlockActorData,
    BlockChange,
    HeightKind,
    LevelChunk,
    LevelEvent,
    LevelEventNumber,
    LevelSoundEvent,
    Message,
    NetworkChunkPublisherUpdate,
    PlayStatus,
    SetTime,
    SoundNumber,
    SubChunk,
    SubChunkEntry,
    UpdateBlock,
    UpdateSubChunkBlocks,
)
from net.nbt import Int
from net.palette import BlockState, Palette
from net.peer import Received
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.encode import SubChunkEncoder
from tests.support.servers.hostile import Besieged
from tests.support.session.driven import Driven, asked, received, skeleton, start_game
from tests.support.session.virtual import palette

# ---------------------------------------------------------------- blocks besides ids

HERE = ColumnPos(0, 0)
CHEST = BlockPos(3, -62, 7)
EYE = (3.0, -62.0, 7.0)
SKELETON = LevelChunk(HERE, 0, None, 3, None, b"\x01\x02" * 25 + b"\x00")


def name_of(runtime_id: int) -> str:
    return palette(486).states[runtime_id].name


def full(runtime_id: int) -> bytes:
    ids = np.full((1, 4096), 1, np.uint16)
    return SubChunkEncoder(np.array([0, runtime_id], np.int64)).encode(ids, None, 0)[0]


def answer(entry: SubChunkEntry) -> SubChunk:
    return SubChunk(False, 0, SubChunkPos(0, 0, 0), (entry,))


def joined() -> Besieged:
    world = Besieged(SKELETON)
    world.rest()
    world.bear(answer(SubChunkEntry(0, -4, 0, 1, full(1), HeightKind.ALL_TOO_HIGH)))
    return world


def test_a_block_entity_comes_by_a_packet_and_ends_with_its_block() -> None:
    world = joined()
    store = world.session.dimension.store
    entity = {"id": "Chest", "x": Int(3), "y": Int(-62), "z": Int(7)}
    world.bear(BlockActorData(CHEST, entity))
    assert store.block_entity(CHEST) == entity
    world.bear(UpdateBlock(CHEST, 5000))
    assert store.block_entity(CHEST) is None


def test_somebody_digs_until_the_block_is_gone() -> None:
    world = joined()
    store = world.session.dimension.store
    world.bear(LevelEvent(LevelEventNumber.START_CRACKING, EYE, 65535 // 20))
    cracking = store.cracking(CHEST)
    assert cracking is not None
    assert 0.4 < cracking.progress(cracking.since_s + 0.5) < 0.6
    world.bear(LevelEvent(LevelEventNumber.UPDATE_CRACKING, EYE, 0))
    assert store.cracking(CHEST) is not None
    world.bear(UpdateBlock(CHEST, 5000), LevelEvent(LevelEventNumber.DESTROY_BLOCK, EYE, 5000))
    assert store.cracking(CHEST) is None
    world.bear(LevelEvent(LevelEventNumber.START_CRACKING, EYE, 9), LevelEvent(LevelEventNumber.STOP_CRACKING, EYE))
    assert store.cracking(CHEST) is None


def test_events_and_sounds_are_kept_with_the_name_of_their_block_and_their_packet() -> None:
    world = joined()
    world.bear(
        LevelEvent(LevelEventNumber.DESTROY_BLOCK, EYE, 5000),
        LevelSoundEvent(SoundNumber.PLACE, EYE, 6000),
        LevelEvent(3001, EYE, 9),
    )
    first, second = world.session.dimension.events.at(CHEST)
    assert (first.what, first.block) == ("destroy_block", name_of(5000))
    assert (second.what, second.block) == ("place", name_of(6000))
    assert second.packet == first.packet + 1 > 0
    assert world.session.stats(world.now).faulty_packets == 0


def test_a_height_map_that_is_a_copy_is_the_render_map() -> None:
    values = bytes([4]) * 256
    copied = SubChunkEntry(0, 0, 0, 1, b"", HeightKind.ALL_COPIED, render_kind=HeightKind.DATA, render_heights=values)
    assert (copied.surface_kind, copied.surface_heights) == (HeightKind.DATA, values)
    said = SubChunkEntry(0, 0, 0, 1, b"", HeightKind.ALL_TOO_LOW, render_kind=HeightKind.DATA, render_heights=values)
    assert (said.surface_kind, said.surface_heights) == (HeightKind.ALL_TOO_LOW, None)


def test_what_height_maps_say_of_their_blocks_is_counted() -> None:
    world = joined()
    world.bear(answer(SubChunkEntry(0, -3, 0, 1, full(5000), HeightKind.ALL_TOO_LOW)))
    counted = world.session.dimension.store.attached.heights.counted
    assert (counted[HeightVerdict.AGREES], counted[HeightVerdict.CONTRADICTS], counted.sum()) == (1, 1, 2)
    assert world.session.dimension.store.height_verdict_of(SubChunkPos(0, -3, 0)) is HeightVerdict.CONTRADICTS


# ---------------------------------------------------------------- changes in order

PALETTE = Palette(
    [BlockState("minecraft:air", ()), BlockState("minecraft:stone", ()), BlockState("minecraft:dirt", ())]
)
CHANGES_IN_ORDER_HERE = BlockPos(1, 70, 2)
ALL_AIR = LevelChunk(ColumnPos(0, 0), 0, 0, None, None, b"\x01\x04\x00")


WHERE = tuple(float(axis) for axis in CHANGES_IN_ORDER_HERE)


def told(*messages: Message) -> Session:
    session = Session(SessionConfig(), PALETTE, 0.0)
    for message in (start_game(), PlayStatus(3), *messages):
        session.handle(received(message), 0.0)
    session.dimension.end_drain()
    return session


def name(session: Session) -> str:
    return session.dimension.store.block(CHANGES_IN_ORDER_HERE).name.removeprefix("minecraft:")


def test_the_last_of_several_changes_stays() -> None:
    assert name(told(ALL_AIR, UpdateBlock(CHANGES_IN_ORDER_HERE, 1), UpdateBlock(CHANGES_IN_ORDER_HERE, 2))) == "dirt"


def test_a_column_that_comes_after_a_change_replaces_it() -> None:
    session = told(ALL_AIR, UpdateBlock(CHANGES_IN_ORDER_HERE, 1), ALL_AIR)
    assert name(session) == "air"
    assert session.stats(0.0).terrain.block_updates == 1


def test_a_change_that_comes_after_a_column_is_seen_in_it() -> None:
    assert name(told(UpdateBlock(CHANGES_IN_ORDER_HERE, 2), ALL_AIR, UpdateBlock(CHANGES_IN_ORDER_HERE, 1))) == "stone"


def test_changes_of_one_drain_are_dated_by_their_own_packets() -> None:
    session = told(ALL_AIR)
    higher = BlockPos(CHANGES_IN_ORDER_HERE.x, CHANGES_IN_ORDER_HERE.y + 16, CHANGES_IN_ORDER_HERE.z)
    for number, (at, position) in enumerate(
        ((1.0, CHANGES_IN_ORDER_HERE), (1.5, higher), (2.0, CHANGES_IN_ORDER_HERE), (2.5, higher)), 7
    ):
        message = UpdateBlock(position, 1 + number // 2 % 2)
        session.handle(Received(message, at, number, 0), at)
    session.handle(received(SetTime(6000)), 3.0)
    session.dimension.end_drain()
    for position, first_at, last in ((CHANGES_IN_ORDER_HERE, 1.0, (9, 2.0)), (higher, 1.5, (10, 2.5))):
        place = session.dimension.store.place_of(position.subchunk)
        event = session.dimension.store.history.of(place)[-1]
        assert (event.packet, event.time_s) == last
        assert session.dimension.store.since[place] == first_at  # when it became data


def applied(session: Session, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many changes each call applies from now on."""
    counts: list[int] = []
    update = session.dimension.store.update_blocks
    monkeypatch.setattr(
        session.dimension.store, "update_blocks", lambda p, *rest: counts.append(len(p)) or update(p, *rest)
    )
    return counts


def test_particles_between_changes_do_not_part_them(monkeypatch: pytest.MonkeyPatch) -> None:
    session = told(ALL_AIR)
    counts = applied(session, monkeypatch)
    for y in range(70, 90):
        session.handle(received(UpdateBlock(BlockPos(1, y, 2), 1)), 0.0)
        session.handle(received(LevelEvent(LevelEventNumber.DESTROY_BLOCK, (1.0, float(y), 2.0), 1)), 0.0)
    session.handle(received(SetTime(6000)), 0.0)
    session.dimension.end_drain()
    assert counts == [20]
    assert len(session.dimension.events.since(0.0)) == 20
    assert name(session) == "stone"


def test_an_event_between_does_not_claim_a_change_as_its_doing() -> None:
    session = told(ALL_AIR)
    session.handle(Received(UpdateBlock(CHANGES_IN_ORDER_HERE, 1), 0.0, 41, 0), 0.0)
    session.handle(Received(LevelEvent(LevelEventNumber.DESTROY_BLOCK, WHERE, 1), 0.0, 42, 0), 0.0)
    session.dimension.end_drain()
    assert (
        session.dimension.store.history.of(session.dimension.store.place_of(CHANGES_IN_ORDER_HERE.subchunk))[-1].packet
        == 41
    )


def test_each_place_names_the_packet_that_changed_it_though_they_are_applied_together() -> None:
    session = told(ALL_AIR)
    above = CHANGES_IN_ORDER_HERE._replace(y=CHANGES_IN_ORDER_HERE.y + 16)
    session.handle(Received(UpdateBlock(CHANGES_IN_ORDER_HERE, 1), 0.0, 41, 0), 0.0)
    several = UpdateSubChunkBlocks(
        above, tuple(BlockChange(at, 1) for at in (above, CHANGES_IN_ORDER_HERE._replace(x=3)))
    )
    session.handle(Received(several, 0.0, 42, 0), 0.0)
    session.handle(Received(UpdateBlock(above, 2), 0.0, 43, 0), 0.0)
    session.handle(Received(UpdateBlock(CHANGES_IN_ORDER_HERE._replace(y=0), 2), 0.0, 44, 0), 0.0)
    session.dimension.end_drain()
    store = session.dimension.store
    packets = [
        store.history.of(store.place_of(at.subchunk))[-1].packet
        for at in (CHANGES_IN_ORDER_HERE, above, CHANGES_IN_ORDER_HERE._replace(y=0))
    ]
    assert packets == [42, 43, 44]


def test_cracks_know_of_the_changes_before_them() -> None:
    session = told(
        ALL_AIR, UpdateBlock(CHANGES_IN_ORDER_HERE, 1), LevelEvent(LevelEventNumber.START_CRACKING, WHERE, 2000)
    )
    assert session.dimension.store.cracking(CHANGES_IN_ORDER_HERE)
    session.handle(received(UpdateBlock(CHANGES_IN_ORDER_HERE, 0)), 0.0)
    session.dimension.end_drain()
    assert not session.dimension.store.cracking(CHANGES_IN_ORDER_HERE)


# ---------------------------------------------------------------- emptied

SIDE = 24
"""Of a square with more columns than tables have rows at first."""
GROWING = "place tables", "height maps", "ledger", "sight"
CIRCLE = NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 1024)


def reserved(driven: Driven) -> dict[str, int]:
    session = driven.session
    return {pool.name: pool.reserved for pool in (*session.dimension.memory(), session.ledger.entries.memory())}


def empty(driven: Driven) -> None:
    for column in list(driven.session.dimension.store.row_of):
        driven.session.dimension.store.forget(column)
    driven.tick()
    assert len(driven.session.dimension.store.columns) == FIRST_ROWS


@pytest.fixture
def driven() -> Driven:
    """Knows a square of columns around the player's."""
    assert SIDE * SIDE > FIRST_ROWS
    driven = Driven(radius=2)
    driven.join()
    driven.receive(CIRCLE, *(skeleton(ColumnPos(x - 12, z - 12)) for x in range(SIDE) for z in range(SIDE)))
    return driven


def test_tables_of_many_columns_are_given_back_when_all_have_gone(driven: Driven) -> None:
    alone = Driven(radius=2)
    alone.join()
    alone.receive(CIRCLE, skeleton())
    grown, least = reserved(driven), reserved(alone)
    assert all(grown[name] > least[name] for name in GROWING)
    empty(driven)
    left = reserved(driven)
    assert {name: left[name] for name in GROWING} == {name: least[name] for name in GROWING}
    assert len(driven.session.dimension.terrain.staleness.rows) == len(driven.session.dimension.store.columns)


def test_they_stay_while_a_column_is_left(driven: Driven) -> None:
    rows = len(driven.session.dimension.store.columns)
    for column in list(driven.session.dimension.store.row_of)[1:]:
        driven.session.dimension.store.forget(column)
    driven.tick()
    assert len(driven.session.dimension.store.columns) == rows > FIRST_ROWS


def test_readers_are_told_everything_and_columns_that_come_back_are_asked_for(driven: Driven) -> None:
    reader: ChangeReader = driven.session.dimension.store.changes.subscribe()
    driven.tick(1.0)
    assert driven.state(0, 0, 0) is SubChunkState.REQUESTED
    empty(driven)
    assert driven.session.ledger.outstanding == 0
    assert reader.drain().everything
    again = asked(driven.receive(CIRCLE, skeleton())) | asked(driven.tick(1.0)) | asked(driven.tick(1.0))
    assert not reader.drain().everything
    assert (0, 0, 0) in again
    assert {place[::2] for place in again} == {(0, 0)}
    assert driven.state(0, 10, 0) is SubChunkState.KNOWN_AIR


def test_light_goes_with_them_and_is_made_anew(driven: Driven) -> None:
    keeper = LightKeeper(driven.session)
    keeper.light_up()
    light, store = driven.session.dimension.light, driven.session.dimension.store
    lit = light.slots_of(store.places_of(np.array([[0, 10, 0]], np.int32)))
    assert lit == DAYLIGHT_SLOT
    empty(driven)
    keeper.light_up()
    assert light.stats().slots == 0
    assert len(light.table) == len(store.state)
    driven.receive(CIRCLE, skeleton())
    keeper.light_up()
    assert light.slots_of(store.places_of(np.array([[0, 10, 0]], np.int32))) == DAYLIGHT_SLOT
