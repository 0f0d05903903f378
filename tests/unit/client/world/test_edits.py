"""Changes of single blocks, many in one call."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from net.space.positions import BlockPos, SubChunkPos
from tests.support.worlds import store as w
from tests.support.worlds.store import StoreWorld, mixed

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
    assert together.store.stats().edits == apart.store.stats().edits


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
    assert world.pools.is_shared(int(world.store.slot[world.store.place_of(SubChunkPos(0, 1, 0))]))
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
