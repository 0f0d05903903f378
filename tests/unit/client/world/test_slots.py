"""Slot numbers: low and warm ones first; what holds memory is counted."""

import numpy as np
import pytest

from client.errors import OutOfSlots
from client.world.slots import SlotList


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
