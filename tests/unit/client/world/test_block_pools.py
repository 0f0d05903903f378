"""Block pools: reserved once, shared for uniform content, reused when no job reads any more."""

import copy
import gc
import weakref

import numpy as np
import pytest

from client.errors import OutOfSlots
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT, SEE_THROUGH, BlockPools
from net.subchunk.storage import HAS_LIQUID
from tests.support.worlds import store as w
from tests.support.worlds.store import small_table


def test_the_first_slots_are_air_and_the_placeholder() -> None:
    table = small_table()
    pools = BlockPools(table, 16, 4)
    assert not pools.blocks[AIR_SLOT].any()
    assert (pools.blocks[PLACEHOLDER_SLOT] == table.placeholder).all()
    assert (pools.opaque[PLACEHOLDER_SLOT] == 0xFFFF).all()
    assert pools.connectivity[AIR_SLOT] == SEE_THROUGH
    assert pools.connectivity[PLACEHOLDER_SLOT] == 0


def test_a_uniform_slot_has_the_masks_of_its_block() -> None:
    table = small_table()
    pools = BlockPools(table, 16, 4)
    water = table.dense_of_id(w.WATER)
    slot = pools.uniform(water)
    assert pools.uniform(water) == slot
    assert pools.is_shared(slot)
    assert (pools.liquid[slot] == 0xFFFF).all()
    assert not pools.opaque[slot].any()
    assert not pools.other[slot].any()
    assert pools.kinds[slot] == HAS_LIQUID
    assert pools.flags[slot] == table.flags[water]
    pools.retire(np.array([slot]), 0)
    assert pools.reclaim(99) == 0


def test_pools_go_with_their_last_holder_and_do_not_wait_for_garbage_to_be_looked_for() -> None:
    gc.disable()
    try:
        pools = BlockPools(small_table(), 16, 4)
        pools.uniform(small_table().dense_of_id(w.WATER))
        copied = copy.deepcopy(pools)
        told = weakref.ref(pools), weakref.ref(copied)
        del pools, copied
        assert [each() for each in told] == [None, None]
    finally:
        gc.enable()


def test_retired_slots_are_free_when_the_oldest_job_began_later() -> None:
    pools = BlockPools(small_table(), 16, 4)
    old, new = pools.take(), pools.take()
    pools.retire(np.array([old]), pools.epoch)
    pools.next_epoch()
    pools.retire(np.array([new]), pools.epoch)
    assert pools.reclaim(0) == 0
    assert pools.reclaim(1) == 1
    assert pools.take() == old
    assert pools.stats().retired == 1


def test_slots_are_taken_all_or_none() -> None:
    pools = BlockPools(small_table(), 6, 3)
    with pytest.raises(OutOfSlots, match="all 6 slots of the block pool"):
        pools.take_many(5)
    assert pools.take_many(4).tolist() == [2, 3, 4, 5]
    with pytest.raises(OutOfSlots):
        pools.take()
    assert pools.take_layer1(2).tolist() == [1, 2]
    with pytest.raises(OutOfSlots, match="second layer"):
        pools.take_layer1(1)


def test_a_big_pool_costs_only_what_is_touched() -> None:
    pools = BlockPools(small_table())
    assert pools.blocks.shape == (131_072, 4096)
    pools.blocks[pools.take()] = np.uint16(7)
    assert pools.stats().bytes < 100_000


def test_many_idle_slots_give_their_memory_back_and_work_again() -> None:
    pools = BlockPools(small_table(), 8192, 4)
    slots = pools.take_many(6000)
    pools.blocks[slots] = 9
    pools.retire(slots[1:], pools.epoch)
    before = pools.stats().bytes
    assert pools.reclaim(pools.epoch + 1) == 5999
    assert pools.stats().bytes < before / 100
    assert (pools.blocks[slots[0]] == 9).all()
    again = pools.take_many(10)
    pools.blocks[again] = 4
    assert again.tolist() == list(range(3, 13))
    assert pools.stats().slots == 13


def test_memory_can_be_made_ready_ahead() -> None:
    pools = BlockPools(small_table(), 64, 4)
    pools.prepare(1000)
    assert pools.stats().slots == 2
    assert not pools.blocks[2:].any()
