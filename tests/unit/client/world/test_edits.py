"""Changes of single blocks, many in one call.

Block entities: Block entities by themselves: where they belong, what they end with, what is told of broken ones.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.world.block_entities import EACH_BYTES, BlockEntities
from client.world.places import PlaceTables
from net.nbt import NETWORK, Compound, Int, encode_root
from net.space import BlockPos, ColumnPos, SubChunkPos
from tests.support.worlds import store as w
from tests.support.worlds.store import SEVEN, StoreWorld, mixed

# ---------------------------------------------------------------- edits

BLOCK = st.tuples(st.integers(-1, 2), st.sampled_from([-33, -32, 0, 1, 17, 40, 79, 80]), st.integers(0, 1))
CHANGE = st.tuples(BLOCK, st.integers(0, 2), st.sampled_from([w.AIR, w.STONE, w.WATER, w.TORCH]))


def known_world() -> StoreWorld:
    """A column of blocks, water in the second layer, and told air; nothing else."""
    world = StoreWorld()
    world.announce()
    some = world.payload(mixed(w.STONE, w.AIR), mixed(w.WATER, w.AIR))
    world.answer(((0, 0, 0), 1, some), ((0, 1, 0), 6, b""))
    world.store.finish_drain()
    return world


def apply(world: StoreWorld, changes: list) -> list[bool]:
    positions = np.array([change[0] for change in changes], np.int32).reshape(-1, 3)
    layers = np.array([change[1] for change in changes], np.int64)
    return world.store.update_blocks(positions, layers, np.array([change[2] for change in changes], np.int64)).tolist()


@given(st.lists(CHANGE, max_size=12))
def test_many_in_one_call_are_the_same_one_after_another(changes: list) -> None:
    together, apart = known_world(), known_world()
    together.reader.drain()
    apart.reader.drain()
    one_by_one = [apart.store.update_block(BlockPos(*at), layer, block) for at, layer, block in changes]
    assert apply(together, changes) == one_by_one
    slots = [world.store.finish_drain() for world in (together, apart)]
    assert len(slots[0]) == len(slots[1])
    for y in range(-2, 5):
        at = SubChunkPos(0, y, 0)
        assert (together.store.blocks_of(at) == apart.store.blocks_of(at)).all()
        assert (together.store.layer1_of(at) == apart.store.layer1_of(at)).all()
        assert together.state(at) == apart.state(at)
    batches = [world.reader.drain() for world in (together, apart)]
    for name in ("places", "kinds", "boxes", "edit_starts", "edits", "revisions"):
        assert getattr(batches[0], name).tolist() == getattr(batches[1], name).tolist(), name


def test_blocks_changed_back_in_one_call_are_both_counted() -> None:
    world = known_world()
    there = (1, 17, 1)
    assert apply(world, [(there, 0, w.STONE), (there, 0, w.STONE), (there, 0, w.AIR)]) == [True, False, True]
    assert world.store.block(BlockPos(*there)).name == "minecraft:air"


def test_a_place_whose_edits_leave_one_block_has_no_slot_of_its_own() -> None:
    world = known_world()
    in_use = world.pools.stats().slots
    apply(world, [((1, 17, 1), 0, w.STONE)])
    world.store.finish_drain()
    assert world.pools.stats().slots == in_use + 1
    apply(world, [((1, 17, 1), 0, w.AIR)])
    world.store.finish_drain()
    world.pools.reclaim(world.pools.epoch)
    assert world.pools.stats().slots == in_use
    assert world.pools.shared[world.store.slot[world.store.place_of(SubChunkPos(0, 1, 0))]]
    assert world.names((0, 1, 0)) == {"air"}


def test_placeholders_that_a_server_sent_as_blocks_are_changed_like_others() -> None:
    world = known_world()
    world.answer(((0, 2, 0), 1, world.payload(np.full(4096, w.PLACEHOLDER, np.uint16))))
    world.store.finish_drain()
    assert apply(world, [((0, 40, 0), 0, w.STONE), ((1, 40, 0), 0, w.PLACEHOLDER)]) == [True, False]
    world.store.finish_drain()
    assert world.names((0, 2, 0)) == {"client_request_placeholder_block", "stone"}
    assert apply(world, [((0, 40, 0), 0, w.PLACEHOLDER)]) == [True]
    world.store.finish_drain()
    assert apply(world, [((5, 40, 5), 0, w.TORCH)]) == [True]
    assert apply(world, [((5, 50, 5), 0, w.TORCH)]) == [False], "nothing was sent there"


def test_a_second_layer_that_is_emptied_gives_its_slot_back() -> None:
    world = known_world()
    in_use = world.pools.stats().layer1
    apply(world, [((1, 17, 1), 1, w.WATER)])
    world.store.finish_drain()
    assert world.pools.stats().layer1 == in_use + 1
    apply(world, [((1, 17, 1), 1, w.AIR)])
    world.store.finish_drain()
    world.pools.reclaim(world.pools.epoch)
    assert world.pools.stats().layer1 == in_use
    assert world.store.block(BlockPos(1, 17, 1)).layer1_name == "minecraft:air"


def test_liquid_of_the_second_layer_is_marked_from_the_drain_on_that_brings_it() -> None:
    world = known_world()
    place, cell = world.store.place_of(SubChunkPos(0, 1, 0)), 1 << 8 | 1 << 4 | 1

    def is_wet() -> bool:
        return bool(world.pools.wet[world.store.layer1_slot[place], cell >> 4] >> (cell & 15) & 1)

    apply(world, [((1, 17, 1), 1, w.WATER), ((2, 17, 1), 1, w.STONE)])
    world.store.finish_drain()
    assert is_wet()
    assert world.pools.wet[world.store.layer1_slot[place]].sum() == 2
    apply(world, [((1, 17, 1), 1, w.AIR)])
    world.store.finish_drain()
    assert not is_wet()


def test_the_ledger_of_bytes_says_what_is_held() -> None:
    world = known_world()
    ids, masks, second = world.pools.stats().memory
    assert (ids.name, masks.name, second.name) == ("block ids", "block masks", "second layer")
    assert ids.used == ids.committed == ids.peak == 3 * 8192
    assert ids.reserved == 4096 * 8192
    assert second.used == 2 * (8192 + 512)
    assert world.pools.stats().bytes == ids.committed + masks.committed + second.committed


# ---------------------------------------------------------------- block entities

COLUMN = ColumnPos(2, -1)
SIGN = BlockPos(33, 5, -3)
"""In section 0 of the column."""


class Room:
    """Block entities of one column."""

    def __init__(self, most_bytes: int = 1 << 20) -> None:
        self.tables = PlaceTables(SEVEN, 4)
        self.row = self.tables.add(COLUMN)
        self.entities = BlockEntities(self.tables, most_bytes)
        self.place = self.tables.place_of(SIGN.subchunk)
        self.places = self.tables.places_of_row(self.row)

    def texts(self) -> list[object]:
        return [entity.get("text") for entity in self.entities.of(self.places)]


def sign(position: BlockPos = SIGN, text: str = "") -> Compound:
    return {"id": "Sign", "text": text, "x": Int(position.x), "y": Int(position.y), "z": Int(position.z)}


def raw(*entities: Compound) -> bytes:
    return b"".join(encode_root(entity, NETWORK) for entity in entities)


def test_they_come_with_their_sub_chunk_and_are_found_at_their_block() -> None:
    room = Room()
    other = SIGN._replace(y=6)
    assert room.entities.take(room.place, raw(sign(text="a"), sign(other, "b"))) == ()
    assert room.entities.at(room.place, SIGN.in_subchunk) == sign(text="a")
    assert room.entities.at(room.place, SIGN.in_subchunk + 2) is None
    assert len(room.entities) == 2
    cells = np.array([SIGN.in_subchunk, 0])
    assert room.entities.stands_at(np.array([room.place] * 2, np.int32), cells).tolist() == [True, False]


def test_the_later_of_two_at_one_block_stands() -> None:
    room = Room()
    room.entities.take(room.place, raw(sign(text="a"), sign(text="b")))
    assert room.texts() == ["b"]


def test_those_of_other_sub_chunks_are_dropped_and_told_once() -> None:
    room = Room()
    astray = [sign(SIGN._replace(y=16)), sign(SIGN._replace(x=0)), sign(SIGN._replace(y=9999)), {"id": "Sign"}]
    (fault,) = room.entities.take(room.place, raw(sign(text="a"), *astray))
    assert room.texts() == ["a"]
    assert fault.position == SIGN.subchunk
    assert "entities[1]" in str(fault)
    assert "block 33,16,-3" in str(fault)
    assert "3 others" in str(fault)


def test_those_of_a_whole_column_may_lie_anywhere_in_it() -> None:
    room = Room()
    top, below = SIGN._replace(y=79), SIGN._replace(y=-33)
    (fault,) = room.entities.take_column(room.row, raw(sign(text="a"), sign(top, "b"), sign(below)))
    assert room.texts() == ["a", "b"]
    assert "LevelChunk.entities[2]" in str(fault)


def test_of_broken_nbt_what_comes_before_it_stands() -> None:
    room = Room()
    data = raw(sign(text="a"))
    (fault,) = room.entities.take(room.place, data + b"\x0a\x00\x63" + data)
    assert room.texts() == ["a"]
    assert "SubChunk.entities[1]" in str(fault)


def test_a_block_of_another_name_ends_it_and_another_state_does_not() -> None:
    room = Room()
    room.entities.take(room.place, raw(sign()))
    where, cell = np.array([room.place], np.int32), np.array([SIGN.in_subchunk])
    room.entities.ending(where, cell, np.array([False]))
    assert len(room.entities) == 1
    room.entities.ending(where, cell, np.array([True]))
    assert (len(room.entities), room.entities.used_bytes) == (0, 0)


def test_one_for_a_place_without_blocks_waits_for_them() -> None:
    room = Room()
    where = np.array([room.place], np.int32)
    assert room.entities.hold(room.place, SIGN.in_subchunk, sign(text="held")) == ()
    assert (len(room.entities), room.entities.waiting) == (0, 1)
    room.entities.take(room.place, raw(sign(text="came")))
    room.entities.release(where)
    assert room.texts() == ["held"]
    room.entities.hold(room.place, SIGN.in_subchunk, sign(text="late"))
    room.entities.ending_unseen(where, np.array([SIGN.in_subchunk]))
    room.entities.release(where)
    assert room.texts() == ["held"]
    room.entities.hold(room.place, SIGN.in_subchunk, sign())
    room.entities.drop_waiting(where)
    room.entities.drop(where)
    assert (len(room.entities), room.entities.waiting, room.entities.used_bytes) == (0, 0, 0)


def test_they_cannot_fill_the_memory() -> None:
    size = len(raw(sign())) + EACH_BYTES
    room = Room(3 * size)
    cells = [SIGN._replace(y=y) for y in range(5)]
    (fault,) = room.entities.take(room.place, raw(*(sign(position) for position in cells)))
    assert "bytes of block entities" in str(fault)
    assert (len(room.entities), room.entities.used_bytes) == (3, 3 * size)
    assert room.entities.put(room.place, cells[0].in_subchunk, sign(cells[0])) == ()
    (fault,) = room.entities.hold(room.place, cells[4].in_subchunk, sign(cells[4]))
    assert fault.position == SubChunkPos(2, 0, -1)


def test_a_dimension_takes_all_of_them_along() -> None:
    room = Room()
    room.entities.take(room.place, raw(sign()))
    room.entities.hold(room.place, 0, sign())
    room.entities.reset()
    assert (len(room.entities), room.entities.waiting, room.entities.used_bytes) == (0, 0, 0)
