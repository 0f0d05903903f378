"""What packets tell of blocks besides their ids, from the wire to the store: entities, cracks, events, height maps."""

import numpy as np

from client.world.height_maps import HeightVerdict
from net.bedrock import (
    BlockActorData,
    HeightKind,
    LevelChunk,
    LevelEvent,
    LevelEventNumber,
    LevelSoundEvent,
    SoundNumber,
    SubChunk,
    SubChunkEntry,
    UpdateBlock,
)
from net.nbt import Int
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.encode import SubChunkEncoder
from tests.support.hostile_server import Besieged
from tests.support.virtual_session import palette

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
    store = world.session.store
    entity = {"id": "Chest", "x": Int(3), "y": Int(-62), "z": Int(7)}
    world.bear(BlockActorData(CHEST, entity))
    assert store.block_entity(CHEST) == entity
    world.bear(UpdateBlock(CHEST, 5000))
    assert store.block_entity(CHEST) is None


def test_somebody_digs_until_the_block_is_gone() -> None:
    world = joined()
    store = world.session.store
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
    first, second = world.session.events.at(CHEST)
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
    verdicts = world.session.store.attachment_stats().height_verdicts
    assert verdicts == {HeightVerdict.AGREES: 1, HeightVerdict.CONTRADICTS: 1}
    assert world.session.store.height_verdict_of(SubChunkPos(0, -3, 0)) is HeightVerdict.CONTRADICTS
