"""Block pools: reserved once, shared for uniform content, reused when no job reads any more.

Slots: Slot numbers: low and warm ones first; what holds memory is counted.

Reserved: Address ranges: committed by touch, given back by rows.
"""

import copy
import gc
import mmap
import weakref

import numpy as np
import pytest

from client.errors import OutOfSlots
from client.world.block_data import FULL_ARGUMENT, NO_VALUES, LimitedMap, Mining
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT, SEE_THROUGH, BlockPools
from client.world.slots import Reserved, SlotList
from net.subchunk.storage import HAS_LIQUID
from tests.support.worlds import store as w
from tests.support.worlds.store import small_table

# ---------------------------------------------------------------- block data

# ---------------------------------------------------------------- small values


def places(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def test_values_go_with_their_sub_chunk() -> None:
    small = LimitedMap("small values", 1 << 20, NO_VALUES)
    for place in (4, 5, 6):
        assert small.take(place, np.full(4096, 9, np.uint8)) is None
    small.drop(places(4, 7))
    assert 4 not in small
    assert not small.of(4).any()
    assert small.of(5).all()
    assert small.memory().used == 2 * 4096
    small.clear()
    assert (len(small), small.memory().used, small.memory().peak) == (0, 0, 3 * 4096)


def test_what_finds_no_room_is_told() -> None:
    small = LimitedMap("small values", 2 * 4096, NO_VALUES)
    assert small.take(4, np.full(4096, 9, np.uint8)) is None
    assert small.take(5, np.full(4096, 9, np.uint8)) is None
    fault = small.take(6, np.full(4096, 9, np.uint8))
    assert fault is not None
    assert (fault.what, fault.value, fault.limit) == ("bytes of small values", 3 * 4096, 2 * 4096)
    assert small.take(5, np.full(4096, 8, np.uint8)) is None, "one that is there may change"


# ---------------------------------------------------------------- mining

SECOND = FULL_ARGUMENT // 20
"""Argument of a block that takes a second."""


def cracked_cells(mining: Mining, place: int = 5) -> set[int]:
    where, cells, _ = mining.progress(0.0)
    return set(cells[where == place].tolist())


def test_a_block_breaks_at_the_speed_it_was_told() -> None:
    mining = Mining()
    mining.start(5, 7, SECOND, 10.0)
    cracking = mining.at(5, 7)
    assert cracking is not None
    assert cracking.progress(10.0) == 0
    assert cracking.progress(10.5) == pytest.approx(0.5, abs=1e-3)
    assert cracking.progress(99.0) == 1
    assert cracking.progress(9.0) == 0, "time that runs back breaks nothing"


def test_another_speed_keeps_what_is_broken() -> None:
    mining = Mining()
    mining.start(5, 7, SECOND, 10.0)
    mining.update(5, 7, 0, 10.5)
    cracking = mining.at(5, 7)
    assert cracking is not None
    assert cracking.progress(20.0) == pytest.approx(0.5, abs=1e-3)
    mining.update(5, 8, SECOND, 20.0)
    assert cracked_cells(mining) == {7, 8}, "a start nobody told is one"


def test_cracks_end_with_a_stop_with_their_block_and_with_their_sub_chunk() -> None:
    mining = Mining()
    for cell in range(4):
        mining.start(5, cell, SECOND, 10.0)
    mining.start(6, 0, SECOND, 10.0)
    mining.stop(5, 0)
    mining.stop(5, 99)
    mining.ending(np.array([5], np.int32), np.array([1]))
    assert cracked_cells(mining) == {2, 3}
    mining.drop(np.array([5], np.int32))
    assert len(mining) == 1
    mining.clear()
    assert mining.at(6, 0) is None


def test_a_server_that_never_stops_drops_its_oldest() -> None:
    mining = Mining(3)
    for cell in range(3):
        mining.start(5, cell, SECOND, 10.0)
    mining.start(5, 0, SECOND, 11.0)  # begins anew, and is the youngest now
    mining.start(5, 3, SECOND, 12.0)
    assert cracked_cells(mining) == {0, 2, 3}


def test_progress_lists_every_block_that_cracks() -> None:
    mining = Mining()
    mining.start(7, 30, FULL_ARGUMENT // 20, 0.0)  # a second
    mining.start(9, 4, FULL_ARGUMENT // 40, 0.5)
    places, cells, shares = mining.progress(1.5)
    assert sorted(zip(places.tolist(), cells.tolist(), strict=True)) == [(7, 30), (9, 4)]
    assert shares[places == 7].tolist() == [1.0]
    assert abs(float(shares[places == 9][0]) - 0.5) < 0.01
    assert [len(part) for part in Mining().progress(1.0)] == [0, 0, 0]


# ---------------------------------------------------------------- block pools


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
    assert pools.shared[slot]
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
    assert pools.layer1_slots.take_many(2).tolist() == [1, 2]
    with pytest.raises(OutOfSlots, match="second layer"):
        pools.layer1_slots.take_many(1)


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


# ---------------------------------------------------------------- slots

# ---------------------------------------------------------------- slots


def test_what_was_given_back_last_is_taken_first() -> None:
    slots = SlotList("some", 8)
    assert slots.take_many(5).tolist() == [0, 1, 2, 3, 4]
    slots.give_back(np.array([1, 3], np.int32))
    assert slots.take() == 1
    assert slots.take_many(3).tolist() == [3, 5, 6]
    assert slots.in_use == 7


def test_nothing_is_taken_where_not_all_are_left() -> None:
    slots = SlotList("some", 4)
    slots.take_many(2)
    slots.give_back(np.array([0], np.int32))
    with pytest.raises(OutOfSlots, match="all 4 slots of the some pool"):
        slots.take_many(4)
    assert slots.take_many(3).tolist() == [0, 2, 3]


def test_retired_slots_wait_for_their_epoch() -> None:
    slots = SlotList("some", 8)
    slots.take_many(4)
    slots.retire(np.array([1, 2], np.int32), 5)
    slots.retire(np.array([0], np.int32), 6)
    assert slots.reclaim(5) == 0
    assert slots.reclaim(6) == 2
    assert (slots.retired, slots.in_use) == (1, 2)


def test_cooled_slots_hold_no_memory_until_they_are_taken() -> None:
    slots = SlotList("some", 16)
    slots.take_many(10)
    slots.give_back(np.array([7, 2, 3, 9, 4], np.int32))
    assert slots.cool() == [(2, 5), (7, 8), (9, 10)]
    assert (slots.committed, slots.idle, slots.peak) == (5, 0, 10)
    assert slots.cool() == []
    assert slots.take() == 2
    assert slots.take_many(2).tolist() == [3, 4]
    assert (slots.committed, slots.idle) == (8, 0)
    slots.give_back(np.array([3], np.int32))
    assert slots.idle == 1
    assert slots.cool() == [(3, 4)]


def test_a_new_pool_brings_nothing_of_what_its_memory_held_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints pack all of its tables, which compress to nothing where nothing was written."""
    monkeypatch.setattr(np, "empty", lambda shape, dtype: np.full(shape, 0x5A, dtype))
    tables = [table for table in vars(SlotList("some", 1000)).values() if isinstance(table, np.ndarray)]
    assert tables
    assert not any(table.any() for table in tables)


# ---------------------------------------------------------------- reserved

ROW = 4096


@pytest.fixture
def rows() -> Reserved:
    made = Reserved((8, ROW // 2), np.uint16)
    made.array[:] = 7
    return made


def test_a_range_is_zeros_at_first_and_costs_what_it_says() -> None:
    made = Reserved((4, 3), np.uint32)
    assert made.nbytes == 48
    assert not made.array.any()


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="the system keeps what was touched")
def test_rows_given_back_are_zeros_and_others_stay(rows: Reserved) -> None:
    rows.give_back(2, 5)
    whole_pages = ROW % mmap.PAGESIZE == 0
    assert rows.array[2:5].any() != whole_pages
    assert (rows.array[[0, 1, 5, 6, 7]] == 7).all()
    rows.array[3] = 9
    assert (rows.array[3] == 9).all()


def test_parts_of_pages_are_kept() -> None:
    made = Reserved((64, 8), np.uint16)
    made.array[:] = 5
    made.give_back(3, 9)
    assert (made.array == 5).all()
