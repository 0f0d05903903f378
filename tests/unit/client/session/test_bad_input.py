"""What a server may send instead of the truth, end to end: over the real login, encryption and batches.

Each test says something broken between things that are right, and looks at four promises: the state is right, the fault
is named (packet, field, offset) where a user finds it, nothing else is lost, and memory is bounded.
"""

import zlib
from math import inf, nan

import numpy as np
import pytest
from msgspec.structs import replace

from client.errors import OutOfSlots
from client.session.spawn import SpawnPhase
from client.session.stats import states_of
from client.session.terrain import MOST_PLACES
from client.world.lifecycle import SubChunkState
from net.bedrock import (
    BlockChange,
    ChangeDimension,
    ChunkRadiusUpdated,
    CorrectPlayerMovePrediction,
    CustomBlock,
    DimensionData,
    DimensionDefinition,
    Disconnect,
    LevelChunk,
    Message,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayStatus,
    ServerToClientHandshake,
    SetTime,
    SubChunk,
    SubChunkEntry,
    SubChunkResult,
    UpdateBlock,
    UpdateSubChunkBlocks,
)
from net.bedrock.codec import Codec
from net.bedrock.login import LoginStep, ServerLogin
from net.nbt import Byte, Int
from net.palette import BlockState
from net.space import OVERWORLD, BlockPos, ColumnPos, SubChunkPos
from net.subchunk.block_entities import write_entity
from net.subchunk.encode import SubChunkEncoder
from net.wire.cursor import Writer
from net.wire.fields import Profile
from tests.support.servers.hostile import Besieged
from tests.support.session.driven import Driven, start_game
from tests.support.session.virtual import palette

HERE = ColumnPos(0, 0)
MIDDLE = SubChunkPos(0, 0, 0)
TAIL = b"\x01\x02" * 25 + b"\x00"
STONE = palette(486).runtime_id_of(BlockState("minecraft:stone", (("stone_type", "stone"),))) or 0
CODEC = Codec(486)
AIR = int(SubChunkResult.SUCCESS_ALL_AIR)
DATA = int(SubChunkResult.SUCCESS)


def uniform(runtime_id: int) -> bytes:
    """A sound version-8 sub-chunk of one block."""
    writer = Writer("payload")
    writer.raw(b"\x08\x01\x01")
    writer.zz32(runtime_id)
    return writer.take()


def mixed(seed: int = 0) -> bytes:
    """A sound version-9 sub-chunk of five blocks; its words begin at byte 4, four bits each."""
    ids = np.random.default_rng(seed).integers(1, 6, (1, 4096)).astype(np.uint16)
    return SubChunkEncoder(np.arange(6, dtype=np.int64)).encode(ids, None, 0)[0]


def skeleton(x: int = 0, z: int = 0, limit: int | None = 3, tail: bytes = TAIL) -> LevelChunk:
    return LevelChunk(ColumnPos(x, z), 0, None, limit, None, tail)


def answers(*entries: SubChunkEntry, dimension: int = 0, centre: SubChunkPos = MIDDLE) -> SubChunk:
    return SubChunk(False, dimension, centre, entries)


def state(world: Besieged, x: int, y: int, z: int) -> SubChunkState:
    store = world.session.dimension.store
    return SubChunkState(int(store.state[store.place_of(SubChunkPos(x, y, z))]))


def alive(world: Besieged) -> bool:
    """Whether the session still takes a column and its answers, and shows the block it was told."""
    if world.session.spawn.phase is not SpawnPhase.PLAYING:
        return False
    world.bear(skeleton(1, 1, limit=0))
    world.until(lambda: SubChunkPos(1, -4, 1) in world.server.asked(), 5.0)
    world.bear(answers(SubChunkEntry(1, -4, 1, DATA, uniform(STONE))))
    return world.session.dimension.store.block(BlockPos(20, -60, 20)).name == "minecraft:stone"


def fault(world: Besieged) -> str:
    """The last faulty packet's text."""
    return world.session.stats(world.now).last_fault


def entry_faults(world: Besieged) -> tuple[str, ...]:
    return world.session.stats(world.now).terrain.last_faults


# ---------------------------------------------------------------- packets


@pytest.mark.parametrize(
    ("packet", "named"),
    [
        (b"\x0a", "SetTime.time at byte 1"),
        (CODEC.encode(skeleton())[:-5], "LevelChunk.payload at byte"),
        (CODEC.encode(answers(SubChunkEntry(0, -4, 0, DATA, mixed())))[:-9], "SubChunk.entries[0].payload at byte"),
        (
            b"\xae\x01" + bytes(8) + b"\x40",
            "SubChunk.entries at byte 7: announces 1073741824",
        ),
        (CODEC.encode(skeleton())[:-52] + b"\xff\xff\xff\xff\x0f" + TAIL, "LevelChunk.payload at byte"),
        (b"\xac\x01\x00\x00\x00\xff\xff\xff\xff\x0f", "UpdateSubChunkBlocks.layer0 at byte"),
        (b"\x15\xff\xff\xff\xff\xff\xff", "UpdateBlock.position at byte 1: a varint is longer than 5 bytes"),
        (b"\x3a\x00\x00\xfe\xff\xff\xff\x0f\x01", "LevelChunk.extent at byte 8"),
        (b"", "packet.header at byte 0"),
        (b"\x80", "packet.header at byte 0"),
        (b"\x05\x00\x02\xff\xfe", "Disconnect.message at byte 2: is not UTF-8"),
    ],
)
def test_a_packet_with_lying_lengths_is_named_and_skipped(packet: bytes, named: str) -> None:
    world = Besieged()
    world.bear(packet)
    assert named in fault(world)
    assert world.session.stats(world.now).faulty_packets == world.link.stats().decode_errors == 1
    assert alive(world)


def test_one_bad_packet_of_a_batch_does_not_lose_the_others() -> None:
    world = Besieged()
    for packet in (CODEC.encode(SetTime(7000)), b"\x0a", CODEC.encode(skeleton())):
        world.server.peer.send_packet(packet)
    world.rest()
    assert world.session.environment.time_of_day == 7000
    assert HERE in world.session.dimension.store.row_of
    assert world.session.stats(world.now).faulty_packets == 1


def test_unknown_packets_are_counted_by_number_and_do_no_harm() -> None:
    world = Besieged()
    world.bear(b"\xe7\x07rubbish", b"\xe7\x07", b"\xff\x07" + bytes(5000))
    assert world.link.stats().unknown == {999: 2, 1023: 1}
    assert world.session.stats(world.now).faulty_packets == 0
    assert alive(world)


def test_headers_of_a_second_player_on_the_same_screen_are_read() -> None:
    world = Besieged()
    header = 10 | 1 << 10 | 2 << 12  # SetTime, from sub-client 1 to sub-client 2
    world.bear(bytes([header & 127 | 128, header >> 7]) + b"\x90\x03")
    assert world.session.environment.time_of_day == 200


# ---------------------------------------------------------------- batches


@pytest.mark.parametrize("payload", [b"\xfdrubbish", b"\x99", b"\xff\xfe\xfe"])
def test_a_payload_that_is_no_batch_is_named_and_skipped(payload: bytes) -> None:
    world = Besieged()
    world.server.say_raw(payload)
    world.rest()
    assert fault(world).startswith("batch.mark at byte 0")
    assert alive(world)


@pytest.mark.parametrize("body", [b"\x07abc", b"\xff" * 6, zlib.compress(b"\x02\x0a\x00", wbits=-15)[:-1]])
def test_a_batch_whose_lengths_do_not_add_up_is_lost_alone(body: bytes) -> None:
    world = Besieged()
    world.server.say_body(body)
    world.rest()
    assert fault(world).startswith("batch.packets at byte")
    assert alive(world)


def test_a_deflate_bomb_costs_its_batch_and_nothing_else() -> None:
    world = Besieged()
    world.bear(bytes(65 << 20))
    assert fault(world).startswith("batch.body at byte 1: inflated batch bytes")
    assert alive(world)


def test_a_batch_of_countless_packets_costs_itself() -> None:
    world = Besieged()
    world.server.say_body(zlib.compress(b"\x01\x00" * 9000, wbits=-15))
    world.rest()
    assert fault(world) == "batch.body at byte 1: packets in a batch: 8193 is over the limit of 8192"
    assert alive(world)


def test_a_wrong_checksum_closes_the_session_with_the_reason() -> None:
    world = Besieged(skeleton())
    world.rest()
    world.server.say_raw(b"\xfe" + bytes(40))
    world.rest()
    assert world.session.spawn.phase is SpawnPhase.CLOSED
    assert "checksum" in str(world.session.spawn.closed_reason)
    assert HERE in world.session.dimension.store.row_of  # what was known stays readable


# ---------------------------------------------------------------- columns


@pytest.mark.parametrize(
    ("tail", "named"),
    [
        (b"\x05" + bytes(9), "LevelChunk.biomes[0].storage at byte 0: needs 1025 bytes, but 10 are left"),
        (b"\x01\x02\x0f\x00", "LevelChunk.biomes[1]"),  # seven bits an index
        (b"\xff\x00", "LevelChunk.biomes[0].header at byte 0: copies the section below"),
        (b"\x03" + bytes(512) + b"\x01\x00", "LevelChunk.biomes[0].palette"),  # a count below zero
        (b"\x01\x02\x09", "LevelChunk.biomes[1]"),
        (b"\x01\x02\x40ab", "LevelChunk.border at byte 2: needs 65 bytes, but 3 are left"),
    ],
)
def test_a_broken_biome_tail_costs_the_biomes(tail: bytes, named: str) -> None:
    world = Besieged(skeleton(tail=tail))
    world.rest()
    assert HERE in world.session.dimension.store.row_of
    assert len(entry_faults(world)) == 1
    assert named in entry_faults(world)[0]
    assert (world.session.dimension.store.biomes_of(SubChunkPos(0, 0, 0)) == 65535).all()
    assert SubChunkPos(0, -4, 0) in world.server.asked()


def test_a_biome_index_beyond_its_palette_makes_that_section_unknown() -> None:
    tail = b"\x03" + b"\xff" * 512 + b"\x02\x04" + b"\x01\x06" * 24 + b"\x00"  # index 1 of a palette of one
    world = Besieged(skeleton(tail=tail))
    world.rest()
    store = world.session.dimension.store
    assert (store.biomes_of(SubChunkPos(0, -4, 0)) == 65535).all()
    assert (store.biomes_of(SubChunkPos(0, -3, 0)) == 3).all()


@pytest.mark.parametrize("limit", [24, 500, 65535])
def test_an_absurd_limit_asks_no_more_than_the_world_is_high(limit: int) -> None:
    world = Besieged(skeleton(limit=limit))
    world.rest()
    assert world.server.asked() == {SubChunkPos(0, y, 0) for y in range(-4, 20)}
    assert (world.session.dimension.store.surface_biomes(HERE) == 1).all()


def test_a_whole_column_that_has_less_than_it_says_keeps_what_is_there() -> None:
    world = Besieged(LevelChunk(HERE, 0, 24, None, None, mixed(1) + mixed(2) + TAIL))
    world.rest()
    assert [state(world, 0, y, 0) for y in (-4, -3, -2, -1, 19)] == [SubChunkState.DATA] * 2 + [
        SubChunkState.UNDECODABLE
    ] * 3
    assert world.session.stats(world.now).terrain.faults == 22
    assert entry_faults(world)[-1].startswith("sub-chunk 0,19,0: LevelChunk.subchunks[23]")
    assert alive(world)


@pytest.mark.parametrize("count", [65, 4_000_000_000])
def test_a_whole_column_of_countless_sub_chunks_is_told(count: int) -> None:
    world = Besieged(LevelChunk(HERE, 0, count, None, None, b"".join(mixed(i) for i in range(24)) + TAIL))
    world.rest()
    assert state(world, 0, -4, 0) is SubChunkState.DATA
    assert f"inline sub-chunks: {count} is over the limit of 64" in entry_faults(world)[-1]
    assert alive(world)


def test_columns_outside_any_world_are_named_and_not_kept() -> None:
    world = Besieged(skeleton(1 << 27), skeleton(0, -(1 << 31)), skeleton((1 << 31) - 1, 5))
    world.rest()
    assert not world.session.dimension.store.row_of
    assert entry_faults(world)[0] == "LevelChunk.column 134217728,0: lies outside every world"
    assert len(entry_faults(world)) == 3
    assert alive(world)


def test_a_server_cannot_make_us_keep_columns_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_PLACES // OVERWORLD.sections >= 4 * 65**2
    monkeypatch.setattr("client.session.terrain.MOST_PLACES", 20 * OVERWORLD.sections + 5)
    world = Besieged(*(skeleton(x, 3, limit=0) for x in range(30)))
    world.until(lambda: world.session.stats(world.now).terrain.columns == 30)
    assert len(world.session.dimension.store.row_of) == 20
    assert entry_faults(world)[-1] == "LevelChunk.column 29,3: 20 columns are already stored, which is the maximum"
    world.bear(skeleton(3, 3, limit=9))  # one that is kept may come again
    assert world.session.dimension.store.limit[world.session.dimension.store.row_of[ColumnPos(3, 3)]] == 9


def test_columns_of_a_tall_dimension_count_for_as_much_as_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.session.terrain.MOST_PLACES", 54 * OVERWORLD.sections)
    tall = DimensionData((DimensionDefinition("minecraft:overworld", -2048, 2048, 1),))
    driven = Driven()
    driven.receive(tall, start_game(), *(skeleton(x, 3, limit=0) for x in range(8)))
    assert driven.session.dimension.store.dimension.sections == 256
    assert len(driven.session.dimension.store.row_of) == 5
    assert (
        driven.session.stats(driven.now)
        .terrain.last_faults[-1]
        .endswith(": 5 columns are already stored, which is the maximum")
    )


def entity(y: int, number: int = 0) -> bytes:
    """The block entity of block 0, y, 0 in the column 0, 0."""
    return write_entity({"id": Byte(2), "x": Int(0), "y": Int(y), "z": Int(0), "number": Int(number)})


def test_a_server_cannot_fill_the_memory_with_block_entities(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Besieged(skeleton())
    world.rest()
    monkeypatch.setattr(world.session.dimension.store.attached.entities, "_most_bytes", 5_000)
    sections = {y: b"".join(entity(16 * y + cell) for cell in range(16)) for y in range(-4, 0)}
    world.bear(answers(*(SubChunkEntry(0, y, 0, DATA, mixed(y + 9) + data) for y, data in sections.items())))
    assert [state(world, 0, y, 0) for y in range(-4, 0)] == [SubChunkState.DATA] * 4
    assert "bytes of block entities" in entry_faults(world)[-1]
    assert 16 <= len(world.session.dimension.store.block_entities(HERE)) < 32
    assert alive(world)


def test_thousands_of_block_entities_without_a_position_are_one_fault() -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(answers(SubChunkEntry(0, -4, 0, DATA, mixed(1) + b"\x0a\x00\x00" * 15_000)))
    assert state(world, 0, -4, 0) is SubChunkState.DATA
    told = entry_faults(world)
    assert "block entities: 4097 is over the limit of 4096" in told[-2]
    assert "has no position, and 4095 others do, too" in told[-1]
    assert alive(world)


def test_what_follows_the_biomes_of_a_skeleton_is_not_kept() -> None:
    world = Besieged(skeleton(tail=TAIL + bytes(1 << 20)))
    world.rest()
    biomes = world.session.dimension.store.biomes
    assert biomes.memory().used < 10_000
    world.session.dimension.store.forget(HERE)
    assert biomes.memory().used == 0


def test_blobs_that_nobody_asked_for_are_told() -> None:
    world = Besieged(LevelChunk(HERE, 0, None, 3, (77,), b"\x00"), skeleton(1, 0))
    world.rest()
    assert "blobs" in entry_faults(world)[0]
    world.bear(SubChunk(True, 0, SubChunkPos(0, 0, 0), (SubChunkEntry(0, -4, 0, DATA, b"", blob_id=5),)))
    assert state(world, 0, -4, 0) is SubChunkState.UNDECODABLE
    assert any("SubChunk.cache_enabled" in text for text in entry_faults(world))
    assert alive(world)


# ---------------------------------------------------------------- answers


def spoilt(at: int, value: int) -> bytes:
    payload = bytearray(mixed())
    payload[at] = value
    return bytes(payload)


BROKEN_PAYLOADS = {
    "nothing": (b"", "payload"),
    "cut in its words": (mixed()[:100], "payload.storage"),
    "cut in its palette": (mixed()[:-1], "payload.storage"),
    "an unknown version": (spoilt(0, 12), "payload.version at byte 0"),
    "a width of 7": (spoilt(3, 7 << 1 | 1), "payload.header at byte 3"),
    "a width of 9": (spoilt(3, 9 << 1 | 1), "payload.header at byte 3"),
    "a width of 127": (spoilt(3, 255), "payload.header at byte 3"),
    "an index out of the palette": (spoilt(200, 0xFF), "payload.words at byte 4"),
    "a palette of none": (b"\x08\x01\x09" + bytes(2048) + b"\x00", "payload.palette"),
    "a palette of -3": (b"\x08\x01\x09" + bytes(2048) + b"\x05", "payload.palette"),
    "a palette of 65537": (b"\x08\x01\x09" + bytes(2048) + b"\x82\x80\x08" + bytes(9000), "payload.palette"),
    "a varint without end": (b"\x08\x01\x01" + b"\xff" * 9, "payload.palette"),
    "layers that are not there": (b"\x08\xff" + mixed()[3:], "payload"),
    "a broken second layer": (b"\x08\x02" + mixed()[3:] + b"\x09" + b"\xff" * 2048 + b"\x02\x02", "payload.words"),
    "a palette of broken names": (
        b"\x08\x01\x08" + bytes(2048) + b"\x02\x0a\x00\x63",
        "payload.layers[0].palette",
    ),
    "names nested without end": (b"\x08\x01\x08" + bytes(2048) + b"\x02\x0a\x00" + b"\x0a\x00" * 5000, "NBT depth"),
}


@pytest.mark.parametrize("what", BROKEN_PAYLOADS)
def test_a_broken_entry_in_the_middle_costs_itself(what: str) -> None:
    payload, named = BROKEN_PAYLOADS[what]
    world = Besieged(skeleton())
    world.rest()
    slots = world.session.dimension.store.pools.stats().slots
    world.bear(
        answers(
            SubChunkEntry(0, -4, 0, DATA, mixed(1)),
            SubChunkEntry(0, -3, 0, DATA, payload),
            SubChunkEntry(0, -2, 0, AIR),
            SubChunkEntry(0, -1, 0, DATA, mixed(2)),
        )
    )
    found = [state(world, 0, y, 0) for y in range(-4, 0)]
    assert found == [SubChunkState.DATA, SubChunkState.UNDECODABLE, SubChunkState.ALL_AIR, SubChunkState.DATA]
    assert len(entry_faults(world)) == 1
    assert entry_faults(world)[0].startswith("sub-chunk 0,-3,0: ")
    assert named in entry_faults(world)[0]
    assert "placeholder" in world.session.dimension.store.block(BlockPos(0, -48, 0)).name
    assert world.session.dimension.store.pools.stats().slots == slots + 2
    assert world.session.unsettled(world.now + 1) is None  # nobody waits for it
    assert alive(world)


def test_an_undecodable_place_is_asked_again_when_its_column_comes_again() -> None:
    world = Besieged(skeleton(limit=0))
    world.rest()
    world.bear(answers(SubChunkEntry(0, -4, 0, DATA, b"\x0c")), skeleton(limit=0))
    assert state(world, 0, -4, 0) is SubChunkState.REQUESTED
    world.bear(answers(SubChunkEntry(0, -4, 0, DATA, mixed())))
    assert state(world, 0, -4, 0) is SubChunkState.DATA


def test_a_height_map_of_an_unknown_kind_costs_its_packet_and_its_places_are_asked_again() -> None:
    world = Besieged(skeleton(limit=0))
    world.rest()
    packet = bytearray(CODEC.encode(answers(SubChunkEntry(0, -4, 0, AIR))))
    packet[-1] = 9
    world.bear(bytes(packet))
    assert "SubChunk.entries[0].height_kind at byte" in fault(world)
    assert state(world, 0, -4, 0) is SubChunkState.REQUESTED
    world.rest(1.5)
    assert world.session.ledger.stats().asked == 2
    world.bear(answers(SubChunkEntry(0, -4, 0, AIR)))
    assert state(world, 0, -4, 0) is SubChunkState.ALL_AIR


def test_answers_nobody_asked_for_are_ignored_and_counted() -> None:
    world = Besieged(skeleton())
    world.rest()
    before = states_of(world.session.dimension.store)
    world.bear(
        answers(
            SubChunkEntry(50, 0, 0, DATA, mixed()),  # no such column
            SubChunkEntry(0, 100, 0, DATA, mixed()),  # above the world
            SubChunkEntry(0, -100, 0, AIR),  # below it
            SubChunkEntry(50, 0, 0, 5),
        ),
        answers(SubChunkEntry(0, -4, 0, DATA, mixed()), dimension=1),
        answers(SubChunkEntry(127, 127, 127, AIR), centre=SubChunkPos(2**31 - 1, 2**31 - 1, 2**31 - 1)),
        answers(SubChunkEntry(-128, -128, -128, DATA, b""), centre=SubChunkPos(-(2**31), -(2**31), -(2**31))),
        answers(),
    )
    assert states_of(world.session.dimension.store) == before
    stats = world.session.stats(world.now).terrain
    assert (stats.accepted, stats.faults) == (0, 0)
    assert stats.ignored >= 6
    assert alive(world)


def test_every_result_code_there_could_be_is_borne() -> None:
    world = Besieged(*(skeleton(x, 0, limit=None) for x in range(11)))
    world.rest(1.0)
    codes = [code for code in range(256) if code not in (DATA, 4)]
    places = [(x, y) for x in range(11) for y in range(-4, 20)]
    entries = [SubChunkEntry(x, y, 0, code) for (x, y), code in zip(places, codes, strict=False)]
    world.bear(answers(*entries))
    assert set(world.session.stats(world.now).terrain.results) == set(codes)
    assert state(world, 10, 0, 0) is SubChunkState.REFUSED
    assert alive(world)


def test_broken_block_entities_cost_themselves() -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(
        answers(
            SubChunkEntry(0, -4, 0, DATA, mixed(1) + entity(-64, 1)),
            SubChunkEntry(0, -3, 0, DATA, mixed(2) + entity(-48, 2) + b"\x0a\x00\x08\x01xzzzz"),
            SubChunkEntry(0, -2, 0, DATA, mixed(3) + b"\x0a\x00" + b"\x09\x00" * 500),
            SubChunkEntry(0, -1, 0, DATA, mixed(4) + entity(-32, 4)),
        )
    )
    assert [state(world, 0, y, 0) for y in (-4, -3, -2, -1)] == [SubChunkState.DATA] * 4
    store = world.session.dimension.store
    assert [found["number"] for found in store.block_entities(HERE)] == [1, 2]
    told = entry_faults(world)
    assert len(told) == 3
    assert told[0].startswith("sub-chunk 0,-3,0: SubChunk.entities[1] at byte")
    assert told[1].startswith("sub-chunk 0,-2,0: SubChunk.entities[0] at byte 1002: needs")
    assert told[2].startswith("sub-chunk 0,-1,0: SubChunk.entities[0] at byte 0: lies at block 0,-32,0, outside")
    assert alive(world)


def test_a_full_second_layer_pool_gives_back_the_first_layers_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Besieged(skeleton(limit=0))
    world.rest()
    pools = world.session.dimension.store.pools

    def full(_count: int = 1) -> None:
        raise OutOfSlots("second layer", 1)

    before = pools.stats().slots
    monkeypatch.setattr(pools.layer1_slots, "take_many", full)
    world.bear(answers(SubChunkEntry(0, -4, 0, DATA, mixed())))
    assert pools.stats().slots == before
    assert "second layer" in entry_faults(world)[0]


def test_ids_without_end_share_one_and_are_not_remembered_one_by_one() -> None:
    world = Besieged(skeleton())
    world.rest()
    table = world.session.dimension.table
    ids = np.arange(8000, 8000 + 70_000, dtype=np.int64)
    table.dense_of(ids)
    table.dense_of(ids + 1_000_000)
    assert len(table._dense_of_foreign) < 65_536
    assert len(table) <= 65_536
    assert alive(world)


def test_the_documented_profile_bears_broken_entries_too() -> None:
    world = Besieged(skeleton(), profile=Profile.DOCUMENTED)
    world.rest()
    world.bear(
        answers(
            SubChunkEntry(0, -4, 0, DATA, mixed(1)),
            SubChunkEntry(0, -3, 0, DATA, mixed(2)[:300]),
            SubChunkEntry(0, -2, 0, DATA, spoilt(200, 0xFF)),
            SubChunkEntry(0, -1, 0, DATA, b"\x08\x00"),
        )
    )
    found = [state(world, 0, y, 0) for y in range(-4, 0)]
    assert found == [SubChunkState.DATA, SubChunkState.UNDECODABLE, SubChunkState.UNDECODABLE, SubChunkState.DATA]


# ---------------------------------------------------------------- blocks, players, time


def test_block_updates_outside_what_is_known_are_ignored() -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(answers(SubChunkEntry(0, -4, 0, AIR)))
    far = 2**31 - 1
    world.bear(
        UpdateBlock(BlockPos(0, 400, 0), STONE),
        UpdateBlock(BlockPos(0, -100, 0), STONE),
        UpdateBlock(BlockPos(far, -far - 1, -far - 1), STONE),
        UpdateBlock(BlockPos(3, -20, 3), STONE),  # a placeholder
        UpdateBlock(BlockPos(3, -60, 3), STONE, 3, 200),  # no such layer
        UpdateSubChunkBlocks(BlockPos(far, far, far), (BlockChange(BlockPos(far, 0, far), STONE),)),
        UpdateBlock(BlockPos(3, -60, 3), 0xFFFFFFFF),
    )
    store = world.session.dimension.store
    assert len(store.waiting_changes(SubChunkPos(0, -2, 0))) == len(store.kept_edits) == 1
    assert store.block(BlockPos(3, -60, 3)).name == "minecraft:unknown"
    assert alive(world)


@pytest.mark.parametrize("bad", [nan, inf, -inf, 3e38])
@pytest.mark.parametrize("kind", ["move", "correct", "change"])
def test_a_position_that_is_no_place_is_named_and_ignored(kind: str, bad: float) -> None:
    world = Besieged(skeleton())
    world.rest()
    before = world.session.movement.eye
    messages: dict[str, Message] = {
        "move": MovePlayer(1, (8.0, bad, 8.0), 0.0, 0.0, 0.0, mode=2),
        "correct": CorrectPlayerMovePrediction((bad, 70.0, 8.0), (0.0, 0.0, 0.0), False, 1),
        "change": ChangeDimension(1, (8.0, 70.0, bad), False),
    }
    world.bear(messages[kind])
    assert f"{type(messages[kind]).__name__}.position at byte" in fault(world)
    assert "is not a position in a world" in fault(world)
    assert world.session.movement.eye == before
    assert world.session.dimension.store.dimension.number == 0
    assert alive(world)


@pytest.mark.parametrize("x", [1.0e9, -1.0e9])
def test_a_place_far_out_is_borne(x: float) -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(MovePlayer(1, (x, x, -x), 1e30, -1e30, 0.0, mode=2))
    world.rest(1.0)
    assert world.session.movement.eye.x == x
    world.bear(MovePlayer(1, (8.0, 70.0, 8.0), 0.0, 0.0, 0.0, mode=2))
    assert alive(world)


def test_a_start_whose_position_is_no_place_is_named() -> None:
    world = Besieged(join=False)
    world.server._first = (start_game(position=(nan, 0.0, 0.0)), PlayStatus(3))
    world.until(lambda: world.session.spawn.phase is SpawnPhase.CLOSED)
    assert "StartGame.position at byte" in fault(world)
    assert "the session cannot continue after a StartGame that cannot be decoded: StartGame.position" in str(
        world.session.spawn.closed_reason
    )
    assert world.link.now < 3.0


def test_a_start_whose_tail_is_broken_starts_the_game_and_says_so() -> None:
    world = Besieged(join=False)
    deep: dict[str, object] = {}
    for _ in range(200):
        deep = {"a": deep}
    world.server._first = (start_game(custom_blocks=(CustomBlock("own:deep", deep),)), PlayStatus(3))
    world.until(lambda: world.session.spawn.phase is SpawnPhase.PLAYING)
    assert "StartGame.custom_blocks[0]" in fault(world)
    assert "NBT depth" in fault(world)
    assert alive(world)


@pytest.mark.parametrize(
    "names",
    [("air",), ("client_request_placeholder_block",), ("minecraft:air", ""), ("own:a", "own:a", "OWN:A")],
)
def test_custom_blocks_with_stolen_names_do_not_end_the_session(names: tuple[str, ...]) -> None:
    world = Besieged(start=start_game(custom_blocks=tuple(CustomBlock(name) for name in names)))
    assert world.session.spawn.phase is SpawnPhase.PLAYING
    world.bear(skeleton(1, 1))
    assert ColumnPos(1, 1) in world.session.dimension.store.row_of


def test_more_custom_states_than_there_are_numbers_are_told() -> None:
    many = {"properties": [{"name": f"own:p{i}", "enum": [f"{v}" for v in range(8)]} for i in range(4)]}
    blocks = tuple(CustomBlock(f"own:b{i}", many) for i in range(20))
    world = Besieged(start=start_game(custom_blocks=blocks))
    assert "StartGame.custom_blocks" in fault(world)
    assert "dense ids" in fault(world)
    assert alive(world)


def test_a_change_of_dimension_before_the_game_is_ignored() -> None:
    world = Besieged(join=False)
    world.server._first = (ChangeDimension(1, (0.0, 0.0, 0.0), False), PlayStatus(3))
    world.rest(2.0)
    assert world.session.spawn.phase is SpawnPhase.JOINING
    assert world.server.heard[-1].__class__.__name__ == "ResourcePackClientResponse"


@pytest.mark.parametrize("number", [-1, 3, 2**31 - 1, -(2**31)])
def test_a_dimension_nobody_knows_is_taken_as_tall_as_the_overworld(number: int) -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(ChangeDimension(number, (8.0, 70.0, 8.0), False), skeleton(), PlayStatus(3))
    store = world.session.dimension.store
    assert (store.dimension.number, store.dimension.sections, len(store.row_of)) == (number, 24, 1)
    world.bear(answers(SubChunkEntry(0, -4, 0, AIR), dimension=number))
    assert state(world, 0, -4, 0) is SubChunkState.ALL_AIR


def test_absurd_radii_circles_and_times_are_borne() -> None:
    world = Besieged(skeleton())
    far = 2**31 - 1
    world.bear(
        ChunkRadiusUpdated(-(2**31)),
        ChunkRadiusUpdated(far),
        NetworkChunkPublisherUpdate(BlockPos(8, 70, 8), 2**32 - 1),
        SetTime(-(2**31)),
        SetTime(-1),
    )
    assert world.session.stats(world.now).radius == 2
    assert world.session.environment.time_of_day == 23_999
    assert HERE in world.session.dimension.store.row_of
    world.bear(NetworkChunkPublisherUpdate(BlockPos(far, -far - 1, -far - 1), 0))
    assert HERE in world.session.dimension.store.row_of  # the player's anchor holds it
    assert alive(world)


# ---------------------------------------------------------------- ends


@pytest.mark.parametrize("joined", [False, True])
def test_a_server_that_dies_is_told_in_a_sentence(joined: bool) -> None:
    world = Besieged(join=joined)
    world.until(lambda: bool(world.server._peers))
    world.server.silent = True
    world.rest(15.0)
    assert world.session.spawn.closed_reason == "the other side has been silent for 10 s"


def test_a_server_that_is_not_there_is_told_in_a_sentence() -> None:
    world = Besieged(join=False)
    world.server.silent = True
    world.rest(30.0)
    assert world.session.spawn.phase is SpawnPhase.CLOSED
    assert str(world.session.spawn.closed_reason).endswith("does not answer")


@pytest.mark.parametrize("during", ["login", "loading", "playing"])
def test_a_disconnect_gives_the_servers_words(during: str) -> None:
    world = Besieged(join=during != "login")
    if during == "login":
        world.until(lambda: bool(world.server._peers))
    elif during == "playing":
        world.bear(skeleton())
    else:
        world.server.say(*(skeleton(x, 0) for x in range(3)))
    world.server.peer.send(Disconnect(False, "the house burns"))
    world.rest(2.0)
    assert "the house burns" in str(world.session.spawn.closed_reason)
    assert not world.session.outbox.take()
    if during != "login":
        assert world.session.dimension.store.row_of  # what was known stays readable


def test_a_broken_handshake_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = ServerLogin.handle

    def forged(login: ServerLogin, message: Message) -> LoginStep:
        step = sound(login, message)
        return replace(step, send=tuple(forge(each) for each in step.send))

    def forge(message: Message) -> Message:
        if not isinstance(message, ServerToClientHandshake):
            return message
        return ServerToClientHandshake(message.token[:-8] + "AAAAAAAA")

    monkeypatch.setattr(ServerLogin, "handle", forged)
    world = Besieged(join=False)
    world.rest(3.0)
    assert "handshake is invalid: token.handshake at byte 0: has an invalid signature" in str(
        world.session.spawn.closed_reason
    )
