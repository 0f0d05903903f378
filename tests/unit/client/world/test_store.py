"""The store keeps what the server said, and only what it may say.

Details: What a store keeps of blocks besides their ids, through all that can happen to them.

Forgetting: When the last column goes, so does what its sub-chunks lived through; the next ones begin afresh.
"""

import numpy as np
import pytest

from client.errors import OutOfSlots, WorldError
from client.world import answers
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.changes import ChangeKind
from client.world.height_maps import UNKNOWN_TOP, HeightVerdict
from client.world.lifecycle import SubChunkState
from net.nbt import Byte, Compound, Int
from net.palette import BlockState, Palette
from net.space import ABOVE_PLACE, BELOW_PLACE, DIRECTIONS, NETHER, UNLOADED_PLACE, BlockPos, ColumnPos, SubChunkPos
from net.subchunk.biomes import write_tail
from net.subchunk.block_entities import write_entity
from net.subchunk.heights import HeightAnswer
from net.subchunk.storage import HAS_OTHER
from tests.support.worlds import store as w
from tests.support.worlds.store import SEVEN, StoreWorld, mixed

# ---------------------------------------------------------------- store

DATA, ALL_AIR = 1, 6


def test_what_is_outside_has_places_of_its_own() -> None:
    world = StoreWorld()
    world.announce()
    place_of = world.store.place_of
    assert place_of(SubChunkPos(0, 5, 0)) == ABOVE_PLACE
    assert place_of(SubChunkPos(9, -3, 9)) == BELOW_PLACE
    assert place_of(SubChunkPos(9, 0, 9)) == UNLOADED_PLACE
    assert world.names((0, 5, 0)) == {"air"}
    assert world.names((0, -3, 0)) == {"air"}
    assert world.names((9, 0, 9)) == {"client_request_placeholder_block"}
    assert world.store.block(BlockPos(0, 200, 0)).knowledge is SubChunkState.OUTSIDE
    assert world.store.block(BlockPos(500, 0, 0)).knowledge is SubChunkState.UNKNOWN


def test_an_announced_column_is_placeholders_up_to_its_limit_and_known_air_above() -> None:
    world = StoreWorld()
    world.announce(limit=3)
    states = [world.state((0, y, 0)) for y in range(-2, 5)]
    assert states == [SubChunkState.UNKNOWN] * 4 + [SubChunkState.KNOWN_AIR] * 3
    assert world.names((0, 1, 0)) == {"client_request_placeholder_block"}
    assert world.names((0, 2, 0)) == {"air"}
    places = world.store.places_of(np.array([[0, 1, 0], [0, 2, 0]], np.int32))
    assert world.store.is_placeholder(places).tolist() == [True, False]


def test_an_answer_shows_its_blocks_in_both_layers() -> None:
    world = StoreWorld()
    world.announce()
    ids, water = mixed(w.SEAGRASS, w.STONE), np.zeros(4096, np.uint16)
    water[ids == w.SEAGRASS] = w.WATER
    report = world.answer(((0, 1, 0), DATA, world.payload(ids, water)))
    assert report.faults == ()
    assert len(report.accepted_places) == 1
    dense = world.store.blocks_of(SubChunkPos(0, 1, 0))
    np.testing.assert_array_equal(world.table.runtime_ids[dense], ids)
    np.testing.assert_array_equal(world.table.runtime_ids[world.store.layer1_of(SubChunkPos(0, 1, 0))], water)
    view = world.store.block(BlockPos(0, 16, 0))
    assert (view.name, view.layer1_name) == ("minecraft:seagrass", "minecraft:water")
    assert view.knowledge is SubChunkState.DATA


def test_an_unmarked_place_ignores_its_answer() -> None:
    world = StoreWorld()
    report = world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    assert (len(report.accepted_places), report.ignored) == (0, 1)
    world.announce()
    assert world.answer(((0, 99, 0), ALL_AIR, b"")).ignored == 1


def test_a_second_success_is_ignored_until_the_column_is_announced_again() -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    again = world.answer(((0, 0, 0), DATA, world.payload(mixed(w.GLASS, w.DIRT))))
    assert again.ignored == 1
    assert world.names((0, 0, 0)) == {"stone", "dirt"}
    world.announce()
    assert world.state((0, 0, 0)) == SubChunkState.RESET
    assert world.names((0, 0, 0)) == {"stone", "dirt"}
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.GLASS, w.DIRT))))
    assert world.names((0, 0, 0)) == {"glass", "dirt"}
    assert world.state((0, 0, 0)) == SubChunkState.DATA


def test_of_two_successes_in_one_packet_the_first_counts() -> None:
    world = StoreWorld()
    world.announce()
    report = world.answer(((0, 0, 0), ALL_AIR, b""), ((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    assert report.ignored == 1
    assert world.state((0, 0, 0)) == SubChunkState.ALL_AIR


def test_known_air_uses_a_success() -> None:
    world = StoreWorld()
    world.announce(limit=0)
    report = world.answer(((0, 3, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    assert (len(report.accepted_places), report.ignored) == (1, 0)
    assert world.names((0, 3, 0)) == {"stone", "dirt"}


def test_a_final_failure_closes_a_place_and_a_passing_one_does_not() -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), 5, b""), ((0, 1, 0), 2, b""), ((0, 2, 0), 77, b""))
    assert world.store.refusal[world.store.places_of(np.array([[0, 0, 0], [0, 2, 0]], np.int32))].tolist() == [5, 77]
    assert [world.state((0, y, 0)) for y in range(3)] == [
        SubChunkState.REFUSED,
        SubChunkState.UNKNOWN,
        SubChunkState.REFUSED,
    ]
    places = world.store.places_of(np.array([[0, y, 0] for y in range(3)], np.int32))
    assert world.store.refusal[places].tolist() == [5, 2, 77]
    world.announce()
    assert world.state((0, 0, 0)) == SubChunkState.UNKNOWN
    assert world.store.refusal[places].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("answer", "state"),
    [((5, b""), SubChunkState.REFUSED), ((DATA, b"\x09\x01\x00\x0f"), SubChunkState.UNDECODABLE)],
    ids=["refused", "undecodable"],
)
def test_what_is_reset_shows_its_older_blocks_until_it_is_answered_with_none(
    answer: tuple[int, bytes], state: SubChunkState
) -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    world.store.finish_drain()
    world.announce()
    assert world.names((0, 0, 0)) == {"stone", "dirt"}
    world.answer(((0, 0, 0), *answer))
    assert world.state((0, 0, 0)) == state
    assert world.names((0, 0, 0)) == {"client_request_placeholder_block"}
    world.store.finish_drain()
    assert world.pools.reclaim(world.pools.epoch) == 1


def test_what_is_given_up_shows_a_placeholder_whatever_it_showed() -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))), ((0, 1, 0), ALL_AIR, b""))
    places = world.store.places_of(np.array([[0, 0, 0], [0, 1, 0]], np.int32))
    world.store.refuse(places, np.array([2, 2], np.uint8), 5.0)
    assert world.state((0, 0, 0)) == SubChunkState.DATA
    world.announce()
    world.store.refuse(places, np.array([2, 0], np.uint8), 6.0)
    assert world.store.is_placeholder(places).all()
    assert world.store.refusal[places].tolist() == [2, 0]


def test_a_failure_beside_a_success_closes_nothing_in_any_order() -> None:
    world = StoreWorld()
    world.announce()
    payload = world.payload(mixed(w.STONE, w.DIRT))
    report = world.answer(
        ((0, 0, 0), 5, b""), ((0, 0, 0), DATA, payload), ((0, 1, 0), ALL_AIR, b""), ((0, 1, 0), 3, b"")
    )
    assert report.ignored == 2
    assert [world.state((0, y, 0)) for y in (0, 1)] == [SubChunkState.DATA, SubChunkState.ALL_AIR]
    assert world.answer(((0, 0, 0), 5, b"")).ignored == 1
    assert world.state((0, 0, 0)) == SubChunkState.DATA


def test_a_column_announced_again_keeps_what_is_under_way() -> None:
    world = StoreWorld()
    world.announce()
    world.store.mark(world.store.places_of(np.array([[0, 0, 0]], np.int32)), SubChunkState.REQUESTED, 1.0)
    world.announce()
    assert world.state((0, 0, 0)) == SubChunkState.REQUESTED


def test_a_broken_entry_costs_itself_and_names_its_place() -> None:
    world = StoreWorld()
    world.announce()
    good = world.payload(mixed(w.STONE, w.DIRT))
    bad = bytearray(world.payload(mixed(w.STONE, w.DIRT, w.GLASS)))
    bad[4:8] = b"\xff\xff\xff\xff"  # index 3 of a palette of three
    report = world.answer(((0, 0, 0), DATA, good[:100]), ((0, 1, 0), DATA, good), ((0, 2, 0), DATA, bytes(bad)))
    assert [fault.position for fault in report.faults] == [SubChunkPos(0, 0, 0), SubChunkPos(0, 2, 0)]
    assert report.faults[1].error.field == "payload.words"
    assert report.faults[1].error.offset == 4
    assert [world.state((0, y, 0)) for y in range(3)] == [
        SubChunkState.UNDECODABLE,
        SubChunkState.DATA,
        SubChunkState.UNDECODABLE,
    ]
    assert world.names((0, 2, 0)) == {"client_request_placeholder_block"}
    slots = world.pools.stats().slots
    world.answer(((0, 2, 0), DATA, good))
    assert world.state((0, 2, 0)) == SubChunkState.DATA
    assert world.pools.stats().slots == slots + 1


def test_a_sub_chunk_of_one_block_shares_a_slot() -> None:
    world = StoreWorld()
    world.announce()
    world.announce(1)
    stone = np.full(4096, w.STONE, np.uint16)
    bit, bits = (
        b"\x09\x01\x00" + bytes([2 * width + 1]) + bytes(512 * width) + b"\x02" + bytes([w.STONE * 2])
        for width in (1, 16)
    )  # one entry
    sent = world.payload(stone), bit, bits
    world.answer(*(((int(y == 3), y, 0), DATA, data) for y, data in zip((0, 3, 4), sent, strict=True)))
    slots = world.store.slot[world.store.places_of(np.array([[0, 0, 0], [1, 3, 0], [0, 4, 0]], np.int32))]
    assert (slots == world.pools.uniform(world.table.dense_of_id(w.STONE))).all()
    assert world.pools.stats().slots == 3


def test_a_second_layer_of_air_written_out_in_16_bits_takes_no_slot() -> None:
    world = StoreWorld()
    world.announce()
    layer = b"\x21" + bytes(8192) + b"\x02"
    world.answer(((0, 0, 0), DATA, b"\x09\x02\x00" + layer + bytes([w.STONE * 2]) + layer + bytes([w.AIR * 2])))
    assert world.pools.stats().layer1 == 0


def test_no_layers_at_all_are_air() -> None:
    world = StoreWorld()
    world.announce()
    assert world.answer(((0, 0, 0), DATA, b"\x08\x00")).faults == ()
    assert world.names((0, 0, 0)) == {"air"}


def test_ids_nobody_knows_join_the_table_as_opaque_blocks() -> None:
    world = StoreWorld()
    world.announce()
    assert world.answer(((0, 0, 0), DATA, b"\x08\x01\x01" + b"\x88\x9c\x01")).faults == ()
    view = world.store.block(BlockPos(0, 0, 0))
    assert (view.name, view.states) == ("minecraft:unknown", {"runtime_id": 9988})
    assert world.table.appended == 1
    assert view.dense >= world.table.first.opaque


def test_a_whole_column_is_read_from_the_floor_up() -> None:
    world = StoreWorld()
    payloads = [world.payload(mixed(w.STONE, w.DIRT, seed=i)) for i in range(3)]
    entity = {"id": Byte(0), "x": Int(40), "y": Int(70), "z": Int(50)}
    tail = write_tail(np.full(256, 9, np.uint16), 8)
    report = world.store.fill(ColumnPos(2, 3), b"".join(payloads) + tail + write_entity(entity), 3, 1.0)
    assert report.faults == ()
    assert [world.state((2, y, 3)) for y in (-2, 0, 1, 4)] == [SubChunkState.DATA] * 2 + [SubChunkState.ALL_AIR] * 2
    assert world.names((2, 0, 3)) == {"stone", "dirt"}
    assert (world.store.biomes_of(SubChunkPos(2, 0, 3)) == 9).all()
    assert world.store.block_entities(ColumnPos(2, 3)) == [entity]


def test_behind_a_broken_sub_chunk_of_a_whole_column_nothing_is_found() -> None:
    world = StoreWorld()
    good = world.payload(mixed(w.STONE, w.DIRT))
    report = world.store.fill(ColumnPos(0, 0), good + b"\x0c" + good, 3, 1.0)
    assert [fault.position.y for fault in report.faults] == [-1, 0]
    assert [world.state((0, y, 0)) for y in (-2, -1, 0, 1)] == [
        SubChunkState.DATA,
        SubChunkState.UNDECODABLE,
        SubChunkState.UNDECODABLE,
        SubChunkState.ALL_AIR,
    ]


def test_a_column_taller_than_the_dimension_leaves_no_slot_behind() -> None:
    world = StoreWorld()
    layers = np.stack([mixed(w.STONE, w.DIRT, w.SEAGRASS, seed=i) for i in range(9)])
    water = np.where(layers == w.SEAGRASS, w.WATER, 0).astype(np.uint16)
    payload = b"".join(world.encoder.encode(layers, water, -2))
    assert world.store.fill(ColumnPos(0, 0), payload + b"\x01\x02\x00", 9, 1.0).faults == ()
    stats = world.pools.stats()
    assert (stats.slots - stats.uniform, stats.layer1) == (7, 7)


def test_broken_biomes_cost_the_biomes() -> None:
    world = StoreWorld()
    faults = world.store.announce(ColumnPos(0, 0), None, b"\x05\x00", 1.0)
    assert [fault.error.field for fault in faults] == ["biomes[0].storage"]
    assert (world.store.biomes_of(SubChunkPos(0, 0, 0)) == 65535).all()
    assert len(world.store.announced_rows) == 1


def test_surface_biomes_are_those_at_the_top_of_the_highest_section_asked_for() -> None:
    world = StoreWorld()
    surface = np.arange(256, dtype=np.uint16)
    tail = b"\x01\x06" * 2 + write_tail(surface, 5)
    world.store.announce(ColumnPos(0, 0), 1, tail, 1.0)
    world.store.announce(ColumnPos(1, 0), None, tail, 1.0)
    assert (world.store.surface_biomes(ColumnPos(0, 0)) == 3).all()
    np.testing.assert_array_equal(world.store.surface_biomes(ColumnPos(1, 0)), surface)
    assert (world.store.surface_biomes(ColumnPos(8, 8)) == 65535).all()
    above = b"\x01\x06" * world.store.sections + b"\x01\x08\x00"  # up to protocol 486 one storage more is sent
    for x, limit in ((2, None), (3, world.store.sections)):
        world.store.announce(ColumnPos(x, 0), limit, above, 1.0)
        assert (world.store.surface_biomes(ColumnPos(x, 0)) == 3).all(), "above the roof is no section"


def test_neighbours_are_those_beside_and_what_lies_outside() -> None:
    world = StoreWorld()
    for x in range(3):
        for z in range(3):
            world.announce(x, z)
    world.store.forget(ColumnPos(2, 1))
    store = world.store
    for (x, z), row in store.row_of.items():
        for y in range(-2, 5):
            place = store.place_of(SubChunkPos(x, y, z))
            beside = [store.place_of(SubChunkPos(x + dx, y + dy, z + dz)) for dx, dy, dz in DIRECTIONS]
            assert store.neighbours[place].tolist() == beside
        around = [store.row_of.get(ColumnPos(x + dx, z + dz), 0) for dx in (-1, 0, 1) for dz in (-1, 0, 1)]
        assert store.column_neighbours[row].tolist() == around


def test_tables_grow_and_rows_are_used_again() -> None:
    world = StoreWorld()
    for x in range(600):
        world.announce(x)
    world.answer(((599, 0, 0), ALL_AIR, b""))
    assert world.state((599, 0, 0)) == SubChunkState.ALL_AIR
    rows = set(world.store.announced_rows.tolist())
    world.store.forget(ColumnPos(5, 0))
    world.announce(700)
    assert world.store.row_of[ColumnPos(700, 0)] not in rows
    world.store.finish_drain()
    world.announce(701)
    assert world.store.row_of[ColumnPos(701, 0)] in rows
    found = world.store.places_of(np.array([[x, 0, 0] for x in range(-5, 705)], np.int32))
    assert found.tolist() == [world.store.place_of(SubChunkPos(x, 0, 0)) for x in range(-5, 705)]
    assert world.state((701, 0, 0)) == SubChunkState.UNKNOWN


def test_planners_may_mark_what_they_do_and_nothing_else() -> None:
    world = StoreWorld()
    world.announce()
    places = world.store.places_of(np.array([[0, 0, 0], [0, 1, 0]], np.int32))
    world.store.mark(places, SubChunkState.WANTED, 2.0)
    world.store.mark(places, SubChunkState.REQUESTED, 3.0)
    assert world.store.since[places].tolist() == [3.0, 3.0]
    world.store.mark(places, SubChunkState.WANTED, 3.5)  # silence: it is wanted again
    world.store.mark(places, SubChunkState.REQUESTED, 3.6)
    with pytest.raises(WorldError, match="messages"):
        world.store.mark(places, SubChunkState.DATA, 4.0)
    world.answer(((0, 0, 0), ALL_AIR, b""))
    with pytest.raises(WorldError, match=r"sub-chunk 0,0,0 is ALL_AIR"):
        world.store.mark(places, SubChunkState.REQUESTED, 5.0)
    assert world.state((0, 0, 0)) == SubChunkState.ALL_AIR
    assert world.state((0, 1, 0)) == SubChunkState.REQUESTED, "nothing was changed"


def test_an_evicted_place_is_a_placeholder_that_can_be_asked_again() -> None:
    world = StoreWorld()
    world.announce()
    payload = world.payload(mixed(w.STONE, w.DIRT))
    world.answer(((0, 0, 0), DATA, payload))
    places = world.store.places_of(np.array([[0, 0, 0]], np.int32))
    world.store.mark(places, SubChunkState.EVICTED, 9.0)
    assert world.store.is_placeholder(places).all()
    world.store.mark(places, SubChunkState.WANTED, 10.0)
    world.store.mark(places, SubChunkState.REQUESTED, 11.0)
    assert len(world.answer(((0, 0, 0), DATA, payload)).accepted_places) == 1
    with pytest.raises(WorldError, match=r"sub-chunk 0,0,0 is DATA: REQUESTED is not possible in that state"):
        world.store.mark(places, SubChunkState.REQUESTED, 12.0)


def test_bytes_behind_the_border_blocks_of_a_skeleton_are_ignored_and_told() -> None:
    world = StoreWorld()
    tail = write_tail(np.full(256, 9, np.uint16), 7)
    assert world.store.announce(ColumnPos(0, 0), None, tail[:-1] + b"\x02\x11\x22" + b"rest", 1.0) == ()
    row = world.store.row_of[ColumnPos(0, 0)]
    assert world.store.excess_bytes[row] == 4
    assert (world.store.biomes_of(SubChunkPos(0, 0, 0)) == 9).all()
    world.store.announce(ColumnPos(0, 0), None, tail, 2.0)
    assert world.store.excess_bytes[row] == 0


def test_heights_open_the_top_of_a_sub_chunk_to_daylight() -> None:
    world = StoreWorld()
    world.announce()
    heights = np.full((16, 16), 16, np.int8)
    heights[3, 5] = 15  # z 3, x 5
    world.store.answer(
        np.array([[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]], np.int32),
        np.full(4, ALL_AIR, np.uint8),
        [b""] * 4,
        np.array([1, 3, 2, 0], np.uint8),
        [heights.tobytes(), None, None, None],
        1.0,
    )
    tops = world.store.sky_top[world.store.places_of(np.array([[0, y, 0] for y in range(4)], np.int32))]
    assert tops[0].tolist() == [0] * 5 + [1 << 3] + [0] * 10
    assert (tops[1] == 0xFFFF).all()
    assert not tops[2:].any()


def test_a_full_pool_is_said_and_leaves_nothing_half_done() -> None:
    world = StoreWorld(capacity=4)
    world.announce()
    payload = world.payload(mixed(w.STONE, w.DIRT))
    with pytest.raises(OutOfSlots):
        world.answer(*[((0, y, 0), DATA, payload) for y in range(3)])
    assert world.state((0, 0, 0)) == SubChunkState.UNKNOWN
    world.answer(((0, 0, 0), DATA, payload), ((0, 1, 0), DATA, payload))
    assert world.pools.stats().slots == 4


def test_a_full_pool_keeps_no_slot_for_what_it_refuses() -> None:
    world = StoreWorld(capacity=4)
    world.announce()
    ids = {-2: np.full(4096, w.STONE), -1: np.full(4096, w.DIRT), 0: mixed(w.STONE, w.DIRT), 1: np.full(4096, w.GLASS)}
    with pytest.raises(OutOfSlots):
        world.answer(*[((0, y, 0), DATA, world.payload(blocks.astype(np.uint16))) for y, blocks in ids.items()])
    assert world.pools.stats().slots == world.pools.stats().uniform == 4


def test_of_a_packet_that_is_too_large_for_the_pools_what_is_shown_has_its_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "SLICE", 2)
    world = StoreWorld(capacity=5)
    world.announce()
    for y in range(3):
        world.store.update_block(BlockPos(0, y * 16, 0), 0, w.TORCH)
    payload = world.payload(mixed(w.STONE, w.DIRT))
    with pytest.raises(OutOfSlots):
        world.answer(((0, 0, 0), ALL_AIR, b""), *[((0, y, 0), DATA, payload) for y in (1, 2, 3, 4)])
    assert [world.state((0, y, 0)) for y in range(5)] == [SubChunkState.DATA] * 3 + [SubChunkState.UNKNOWN] * 2
    assert [world.store.block(BlockPos(0, y * 16, 0)).name for y in range(3)] == ["minecraft:torch"] * 3
    assert len(world.store.kept_edits) == 0


# ---------------------------------------------------------------- edits


def test_an_edit_copies_once_a_drain_and_leaves_the_published_slot_alone() -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    world.store.finish_drain()
    place = world.store.place_of(SubChunkPos(0, 0, 0))
    before = int(world.store.slot[place])
    old = world.pools.blocks[before].copy()
    assert world.store.update_block(BlockPos(1, 2, 3), 0, w.TORCH)
    after = int(world.store.slot[place])
    assert world.store.update_block(BlockPos(1, 3, 3), 0, w.GLASS)
    assert world.store.slot[place] == after != before
    np.testing.assert_array_equal(world.pools.blocks[before], old)
    assert world.store.finish_drain().tolist() == [after]
    assert world.pools.kinds[after] & HAS_OTHER
    assert world.pools.flags[after] & 1
    assert world.store.block(BlockPos(1, 2, 3)).name == "minecraft:torch"
    assert world.pools.reclaim(world.pools.epoch) == 1


def test_an_edit_that_says_what_is_there_or_lies_nowhere_changes_nothing_and_is_counted() -> None:
    world = StoreWorld()
    world.announce(limit=3)
    world.answer(((0, 0, 0), 5, b""))
    assert not world.store.update_block(BlockPos(0, 0, 0), 0, w.STONE)  # refused: no blocks will come
    assert not world.store.update_block(BlockPos(0, 40, 0), 0, w.AIR)
    for outside in (BlockPos(0, 500, 0), BlockPos(0, -33, 0), BlockPos(90, 0, 0)):
        assert not world.store.update_block(outside, 0, w.STONE)
    assert not world.store.update_block(BlockPos(0, 40, 0), 2, w.STONE)
    assert len(world.store.kept_edits) == 0


@pytest.mark.parametrize("told", [False, True], ids=["known air", "all air"])
def test_an_edit_of_air_makes_it_data_at_once(told: bool) -> None:
    world = StoreWorld()
    world.announce(limit=None if told else 0)
    if told:
        world.answer(((0, 2, 0), ALL_AIR, b""))
    world.store.begin_packet(17, 40.0)
    assert world.store.update_block(BlockPos(0, 40, 0), 0, w.STONE)
    place = world.store.place_of(SubChunkPos(0, 2, 0))
    assert world.state((0, 2, 0)) == SubChunkState.DATA
    assert world.store.since[place] == 40.0
    assert world.names((0, 2, 0)) == {"air", "stone"}


def test_the_second_layer_is_edited_on_its_own() -> None:
    world = StoreWorld()
    world.announce(limit=0)
    world.store.finish_drain()
    assert world.store.update_block(BlockPos(0, 40, 0), 1, w.WATER)
    assert world.store.finish_drain().tolist() == []
    view = world.store.block(BlockPos(0, 40, 0))
    assert (view.name, view.layer1_name) == ("minecraft:air", "minecraft:water")
    assert world.store.update_block(BlockPos(0, 41, 0), 1, w.WATER)
    world.store.finish_drain()
    assert world.pools.stats().layer1 == 2  # the one shown, and the one it replaced
    world.pools.reclaim(world.pools.epoch)
    assert world.pools.stats().layer1 == 1


# ---------------------------------------------------------------- what readers are told


def test_readers_learn_of_columns_contents_edits_and_states() -> None:
    world = StoreWorld()
    world.announce(limit=2)
    world.store.finish_drain()
    batch = world.reader.drain()
    assert batch.kinds[0] == ChangeKind.ADDED
    assert batch.positions[0].tolist() == [0, -2, 0]
    assert batch.kinds[1:].tolist() == [ChangeKind.DATA] * 4  # known air
    places = world.store.places_of(np.array([[0, 0, 0]], np.int32))
    world.store.mark(places, SubChunkState.REQUESTED, 2.0)
    world.store.finish_drain()
    batch = world.reader.drain()
    assert batch.kinds.tolist() == [ChangeKind.STATE]
    assert batch.revisions.tolist() == [0]
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    world.store.finish_drain()
    assert world.reader.drain().kinds.tolist() == [ChangeKind.DATA]
    first = int(world.store.revision[places[0]])
    world.store.update_block(BlockPos(3, 4, 5), 0, w.GLASS)
    world.store.update_block(BlockPos(3, 9, 6), 0, w.GLASS)
    world.store.finish_drain()
    batch = world.reader.drain()
    assert batch.kinds.tolist() == [ChangeKind.EDIT]
    assert batch.boxes.tolist() == [[3, 5, 4, 4, 7, 10]]
    assert batch.edits.tolist() == [3 << 8 | 5 << 4 | 4, 3 << 8 | 6 << 4 | 9]
    assert batch.revisions[0] > first
    world.store.forget(ColumnPos(0, 0))
    world.store.finish_drain()
    batch = world.reader.drain()
    assert batch.kinds.tolist() == [ChangeKind.REMOVED]
    assert batch.positions.tolist() == [[0, -2, 0]]


def test_many_edits_are_told_by_their_box_alone() -> None:
    world = StoreWorld()
    world.announce(limit=0)
    world.store.finish_drain()
    world.reader.drain()
    for x in range(16):
        for z in range(5):
            world.store.update_block(BlockPos(x, 40, z), 0, w.STONE)
    world.store.finish_drain()
    batch = world.reader.drain()
    assert batch.boxes.tolist() == [[0, 0, 8, 16, 5, 9]]
    assert batch.edit_starts.tolist() == [0, 0]


def test_a_column_that_came_and_went_in_one_drain_is_not_told() -> None:
    world = StoreWorld()
    world.announce(limit=2)
    world.store.forget(ColumnPos(0, 0))
    world.store.finish_drain()
    assert len(world.reader.drain()) == 0
    world.store.forget(ColumnPos(0, 0))


def test_another_dimension_forgets_everything_and_gives_its_slots_back() -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    world.store.finish_drain()
    world.store.change_dimension(NETHER)
    assert world.store.place_of(SubChunkPos(0, 0, 0)) == UNLOADED_PLACE
    world.store.finish_drain()
    assert world.reader.drain().everything
    world.pools.reclaim(world.pools.epoch)
    assert world.pools.stats().slots == world.pools.stats().uniform == 2
    world.announce(limit=7)
    assert world.state((0, 7, 0)) == SubChunkState.UNKNOWN
    assert len(world.store.row_of) == 1


def test_slots_that_were_shown_wait_for_the_jobs_that_may_read_them() -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DATA, world.payload(mixed(w.STONE, w.DIRT))))
    world.store.finish_drain()
    running = world.pools.epoch
    world.store.forget(ColumnPos(0, 0))
    assert world.pools.reclaim(running) == 0
    world.store.finish_drain()
    assert world.pools.reclaim(running) == 0
    assert world.pools.reclaim(world.pools.epoch) == 1


def test_fresh_tables_show_air_and_placeholder_slots() -> None:
    world = StoreWorld()
    assert world.store.slot[[UNLOADED_PLACE, ABOVE_PLACE, BELOW_PLACE]].tolist() == [
        PLACEHOLDER_SLOT,
        AIR_SLOT,
        AIR_SLOT,
    ]


# ---------------------------------------------------------------- details

DETAILS_DATA, DETAILS_ALL_AIR, OUT_OF_BOUNDS = 1, 6, 5
HOME = ColumnPos(0, 0)
CHEST = BlockPos(3, 5, 7)


def entity(position: BlockPos = CHEST, number: int = 0) -> Compound:
    return {"number": Int(number), "x": Int(position.x), "y": Int(position.y), "z": Int(position.z)}


def ground(world: StoreWorld, *entities: Compound) -> bytes:
    """Section 0: stone up to y 5, torches at 6, and block entities."""
    ids = np.zeros((256, 16), np.uint16)
    ids[:, :6], ids[:, 6] = w.STONE, w.TORCH
    return world.payload(ids.reshape(4096)) + b"".join(map(write_entity, entities))


def numbers(world: StoreWorld) -> list[int]:
    return [int(found["number"]) for found in world.store.block_entities(HOME)]


def test_block_entities_come_with_sub_chunks_and_go_with_them() -> None:
    world = StoreWorld()
    world.announce()
    report = world.answer(((0, 0, 0), DETAILS_DATA, ground(world, entity(number=4), entity(CHEST._replace(y=99)))))
    assert numbers(world) == [4]
    assert world.store.block_entity(CHEST) == entity(number=4)
    assert len(report.faults) == 1
    world.announce()
    assert numbers(world) == [4], "what is shown keeps its own"
    world.answer(((0, 0, 0), DETAILS_DATA, ground(world, entity(number=5))))
    assert numbers(world) == [5]
    world.announce()
    world.answer(((0, 0, 0), DETAILS_ALL_AIR, b""))
    assert numbers(world) == []


@pytest.mark.parametrize("how", ["refused", "broken", "evicted", "forgotten", "another dimension"])
def test_no_block_entity_outlives_its_blocks(how: str) -> None:
    world = StoreWorld()
    world.announce()
    world.answer(((0, 0, 0), DETAILS_DATA, ground(world, entity())))
    if how == "evicted":
        world.store.mark(np.array([world.store.place_of(SubChunkPos(0, 0, 0))], np.int32), SubChunkState.EVICTED, 9.0)
    elif how == "forgotten":
        world.store.forget(HOME)
    elif how == "another dimension":
        world.store.change_dimension(SEVEN)
    else:
        world.announce()
        world.answer(((0, 0, 0), OUT_OF_BOUNDS if how == "refused" else DETAILS_DATA, b"\x63"))
    assert numbers(world) == []
    assert world.store.attached.entities.used_bytes == 0


def test_a_block_that_turns_keeps_its_entity_and_another_block_ends_it() -> None:
    names = [BlockState(f"minecraft:{name}", ()) for name in w.NAMES]
    turned = [BlockState("minecraft:chest", (("facing", facing),)) for facing in range(2)]
    world = StoreWorld(palette=Palette([*names, *turned]))
    world.announce()
    world.answer(((0, 0, 0), DETAILS_DATA, ground(world)))
    world.store.update_block(CHEST, 0, len(names))
    world.store.put_entity(CHEST, entity(number=1))
    world.store.update_block(CHEST, 0, len(names) + 1)
    world.store.update_block(CHEST, 1, w.WATER)
    assert numbers(world) == [1]
    world.store.update_block(CHEST, 0, w.STONE)
    world.store.update_block(CHEST, 0, len(names))
    assert numbers(world) == []


def test_an_entity_for_a_place_without_blocks_waits_for_them() -> None:
    world = StoreWorld()
    world.store.put_entity(CHEST, entity(number=1))
    assert world.store.attached.entities.waiting == 0, "nobody announced the column"
    world.announce()
    world.store.put_entity(CHEST, entity(number=2))
    world.store.put_entity(CHEST._replace(x=4), entity(CHEST._replace(x=4), 3))
    world.store.update_block(CHEST._replace(x=4), 0, w.GLASS)  # after it: what it was of is gone
    assert world.store.attached.entities.waiting == 1
    assert world.store.block_entity(CHEST) is None
    world.answer(((0, 0, 0), DETAILS_DATA, ground(world, entity(number=9))))
    assert numbers(world) == [2]
    world.announce()
    world.store.put_entity(CHEST, entity(number=5))
    assert numbers(world) == [5], "older blocks are shown"
    world.answer(((0, 0, 0), DETAILS_DATA, ground(world, entity(number=9))))
    assert numbers(world) == [5]
    assert world.store.attached.entities.waiting == 0


def test_cracks_go_on_until_their_block_changes() -> None:
    world = StoreWorld()
    world.store.crack(CHEST, 65535, 1.0)
    assert world.store.cracking(CHEST) is None, "nobody announced the column"
    world.announce()
    world.answer(((0, 0, 0), DETAILS_DATA, ground(world)))
    world.store.crack(CHEST, 65535 // 40, 1.0)
    cracking = world.store.cracking(CHEST)
    assert cracking is not None
    assert cracking.progress(2.0) == pytest.approx(0.5, abs=1e-2)
    world.store.crack(CHEST, 0, 2.0, again=True)
    world.store.update_block(CHEST, 1, w.WATER)
    cracking = world.store.cracking(CHEST)
    assert cracking is not None
    assert cracking.progress(9.0) == pytest.approx(0.5, abs=1e-2)
    world.store.update_block(CHEST, 0, w.AIR)
    assert world.store.cracking(CHEST) is None
    world.store.crack(CHEST, 9, 3.0)
    world.store.stop_cracking(CHEST)
    assert world.store.cracking(CHEST) is None


@pytest.mark.parametrize("version", [0, 2, 3, 4, 5, 6, 7])
def test_old_sub_chunks_keep_the_data_of_their_blocks(version: int) -> None:
    world = StoreWorld()
    world.announce()
    data = np.zeros(2048, np.uint8)
    data[0] = 0x9E  # cells 0 and 1: 14 and 9
    world.answer(((0, 0, 0), DETAILS_DATA, bytes([version]) + b"\x04" * 4096 + data.tobytes() + write_entity(entity())))
    assert world.state((0, 0, 0)) == SubChunkState.DATA
    assert numbers(world) == [0]
    small = world.store.small_values_of(SubChunkPos(0, 0, 0))
    assert (small.dtype, small[:3].tolist()) == (np.uint8, [14, 9, 0])
    view = world.store.block(BlockPos(0, 0, 0))
    assert (view.name, view.states) == ("minecraft:cobblestone", {})
    world.store.update_block(BlockPos(0, 0, 0), 0, w.STONE)
    assert world.store.small_values_of(SubChunkPos(0, 0, 0))[:3].tolist() == [0, 9, 0]
    world.announce()
    world.answer(((0, 0, 0), DETAILS_DATA, world.payload(mixed(w.STONE, w.DIRT))))
    assert len(world.store.attached.small_values) == 0


def test_a_sub_chunk_of_version_1_has_one_layer_and_no_small_values() -> None:
    world = StoreWorld()
    world.announce()
    layer = world.payload(mixed(w.STONE, w.DIRT))[3:]
    world.answer(((0, 0, 0), DETAILS_DATA, b"\x01" + layer + write_entity(entity(number=3))))
    assert world.names((0, 0, 0)) == {"stone", "dirt"}
    assert numbers(world) == [3]
    assert len(world.store.attached.small_values) == 0


@pytest.mark.parametrize("version", [1, 8])
def test_a_sub_chunk_that_names_its_blocks_has_both_layers_and_its_entities(version: int) -> None:
    world = StoreWorld()
    world.announce()
    stone, torch, water = (
        write_entity({"name": f"minecraft:{name}", "states": {}}) for name in ("stone", "torch", "water")
    )
    words = b"\x02" + b"\xaa" * 512  # one bit an index: 0, 1, 0, 1, ..., then a palette of two
    first = words + b"\x04" + stone + torch
    layers = first if version == 1 else b"\x02" + first + b"\x00" + water
    world.answer(((0, 0, 0), DETAILS_DATA, bytes([version]) + layers + write_entity(entity(number=8))))
    assert numbers(world) == [8]
    names = [world.store.block(BlockPos(0, y, 0)).name for y in range(3)]
    assert names == ["minecraft:stone", "minecraft:torch", "minecraft:stone"]
    second = world.store.block(BlockPos(0, 0, 0)).layer1_name
    assert second == ("minecraft:air" if version == 1 else "minecraft:water")
    assert len(world.store.attached.small_values) == 0


def height_answer(world: StoreWorld, y: int, payload: bytes, kind: HeightAnswer, heights: bytes | None = None) -> None:
    position = np.array([[0, y, 0]], np.int32)
    result = np.array([DETAILS_DATA if payload else DETAILS_ALL_AIR], np.uint8)
    world.store.answer(position, result, [payload], np.array([kind], np.uint8), [heights], world.tick())


def test_the_surface_follows_answers_and_edits() -> None:
    world = StoreWorld()
    world.announce()
    assert (world.store.height_map(HOME) == UNKNOWN_TOP).all()
    height_answer(world, 0, ground(world), HeightAnswer.DATA, bytes([6]) * 256)
    assert world.store.height_verdict_of(SubChunkPos(0, 0, 0)) is HeightVerdict.AGREES
    assert (world.store.height_map(HOME) == 6).all()
    at = CHEST.z << 4 | CHEST.x
    world.store.update_block(CHEST._replace(y=9), 0, w.LEAVES)
    assert world.store.height_map(HOME)[at] == 10
    world.store.update_block(CHEST._replace(y=9), 0, w.AIR)
    world.store.update_block(CHEST, 0, w.AIR)
    assert world.store.height_map(HOME)[at] == 5
    assert np.unique(np.delete(world.store.height_map(HOME), at)).tolist() == [6]


def test_a_change_that_waited_is_not_held_against_the_height_map() -> None:
    world = StoreWorld()
    world.announce()
    world.store.update_block(CHEST._replace(y=9), 0, w.STONE)
    height_answer(world, 0, ground(world), HeightAnswer.DATA, bytes([6]) * 256)
    assert world.store.height_verdict_of(SubChunkPos(0, 0, 0)) is HeightVerdict.AGREES
    assert world.store.height_map(HOME)[CHEST.z << 4 | CHEST.x] == 10


def test_contradictions_are_counted_and_said_of_their_sub_chunk() -> None:
    world = StoreWorld()
    world.announce()
    height_answer(world, 0, ground(world), HeightAnswer.ALL_TOO_LOW)
    height_answer(world, 1, b"", HeightAnswer.ALL_TOO_LOW)
    place = world.store.place_of(SubChunkPos(0, 0, 0))
    assert world.store.attached.heights.verdict[place : place + 2].tolist() == [
        HeightVerdict.CONTRADICTS,
        HeightVerdict.AGREES,
    ]
    counted = world.store.attached.heights.counted
    assert (counted[HeightVerdict.AGREES], counted[HeightVerdict.CONTRADICTS], counted.sum()) == (1, 1, 2)
    assert world.store.height_verdict_of(SubChunkPos(0, 99, 0)) is HeightVerdict.NONE_SAID


def test_a_whole_column_tells_its_surface_by_its_blocks() -> None:
    world = StoreWorld()
    solid = world.payload(np.full(4096, w.STONE, np.uint16))
    world.store.fill(HOME, solid + solid + ground(world) + b"\x01\x04\x00", 3, 1.0)
    assert (world.store.height_map(HOME) == 6).all()


# ---------------------------------------------------------------- forgetting


def test_positions_of_places_are_absolute() -> None:
    world = StoreWorld()
    world.announce()
    positions = np.array([(0, world.store.dimension.floor_section, 0), (0, 2, 0)], np.int32)
    assert (world.store.positions_of(world.store.places_of(positions)) == positions).all()
    place = world.store.place_of(SubChunkPos(0, 2, 0))
    assert world.store.position_of(place) == SubChunkPos(0, 2, 0)


def test_lives_end_with_the_last_column_and_begin_afresh() -> None:
    world = StoreWorld()
    for _ in range(2):
        world.announce()
        world.answer(((0, 0, 0), 1, world.payload(mixed(w.STONE, w.AIR))))
        world.store.finish_drain()
        place = world.store.place_of(SubChunkPos(0, 0, 0))
        history = world.store.history
        assert len(history.of(place)) == 2
        world.store.forget(ColumnPos(0, 0))
        world.store.finish_drain()
        assert history.of(place) == ()
        assert not history.times_s.any()
    world.pools.reclaim(world.pools.epoch)
    assert world.pools.stats().slots == world.pools.stats().uniform
