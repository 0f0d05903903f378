"""Slot numbers: low and warm ones first; what holds memory is counted.

Reserved: Address ranges: committed by touch, given back by rows.
"""

import mmap

import numpy as np
import pytest

from client.errors import OutOfSlots
from client.world.slots import Reserved, SlotList

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
    """Keyframes pack all of its tables, which compress to nothing where nothing was written."""
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
