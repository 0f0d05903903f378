import numpy as np
import pytest

from client.world.block_data import FULL_ARGUMENT, Mining, SmallValues

# ---------------------------------------------------------------- small values


def places(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def test_values_are_there_only_for_those_who_have_any() -> None:
    small = SmallValues()
    assert small.take(4, np.zeros(4096, np.uint8)) is None
    assert len(small) == 0
    assert small.take(4, np.arange(4096) % 16) is None
    assert (len(small), small.of(4)[17], small.of(4).dtype) == (1, 1, np.uint8)
    assert not small.of(5).any()
    assert small.take(4, np.zeros(4096, np.uint8)) is None
    assert len(small) == 0, "others came"


def test_a_block_that_changes_has_none() -> None:
    small = SmallValues()
    small.take(4, np.full(4096, 9))
    small.changed(places(4, 5, 4), np.array([1, 1, 3]))
    assert small.of(4)[:5].tolist() == [9, 0, 9, 0, 9]


def test_values_go_with_their_sub_chunk() -> None:
    small = SmallValues()
    for place in (4, 5, 6):
        small.take(place, np.full(4096, 9))
    small.drop(places(4, 7))
    assert not small.of(4).any()
    assert small.of(5).all()
    small.clear()
    assert len(small) == 0


def test_what_finds_no_room_is_told() -> None:
    small = SmallValues(2)
    assert small.take(4, np.full(4096, 9)) is None
    assert small.take(5, np.full(4096, 9)) is None
    fault = small.take(6, np.full(4096, 9))
    assert fault is not None
    assert (fault.value, fault.limit) == (3, 2)
    assert small.take(5, np.full(4096, 8)) is None, "one that is there may change"


# ---------------------------------------------------------------- mining

SECOND = FULL_ARGUMENT // 20
"""Argument of a block that takes a second."""


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
    assert mining.of(5).keys() == {7, 8}, "a start nobody told is one"


def test_cracks_end_with_a_stop_with_their_block_and_with_their_sub_chunk() -> None:
    mining = Mining()
    for cell in range(4):
        mining.start(5, cell, SECOND, 10.0)
    mining.start(6, 0, SECOND, 10.0)
    mining.stop(5, 0)
    mining.stop(5, 99)
    mining.ending(np.array([5], np.int32), np.array([1]))
    assert mining.of(5).keys() == {2, 3}
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
    assert mining.of(5).keys() == {0, 2, 3}
    assert mining.dropped == 1


def test_progress_lists_every_block_that_cracks() -> None:
    mining = Mining()
    mining.start(7, 30, FULL_ARGUMENT // 20, 0.0)  # a second
    mining.start(9, 4, FULL_ARGUMENT // 40, 0.5)
    places, cells, shares = mining.progress(1.5)
    assert sorted(zip(places.tolist(), cells.tolist(), strict=True)) == [(7, 30), (9, 4)]
    assert shares[places == 7].tolist() == [1.0]
    assert abs(float(shares[places == 9][0]) - 0.5) < 0.01
    assert [len(part) for part in Mining().progress(1.0)] == [0, 0, 0]
