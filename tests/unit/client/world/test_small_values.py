import numpy as np

from client.world.block_data import SmallValues


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
