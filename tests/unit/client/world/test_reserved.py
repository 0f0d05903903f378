"""Address ranges: committed by touch, given back by rows."""

import mmap

import numpy as np
import pytest

from client.world.slots import Reserved

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
