"""A step's budget ends with its time or its bytes, and lets one slice pass in any case."""

import numpy as np

from render.scene.budget import SLICE, Budget

PLACES = np.arange(3 * SLICE + 1, dtype=np.int32)


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 7.0

    def __call__(self) -> float:
        return self.now


def test_without_limits_everything_passes_at_once() -> None:
    left = Budget(None, None, Clock())
    assert [part.tolist() for part in left.slices(PLACES)] == [PLACES.tolist()]
    assert not left.over
    assert not left.timed


def test_places_pass_slice_by_slice_until_the_time_is_up() -> None:
    clock = Clock()
    left, passed = Budget(0.002, None, clock), 0
    for part in left.slices(PLACES):
        passed += len(part)
        clock.now += 0.0015
    assert passed == 2 * SLICE
    assert left.over
    assert [len(part) for part in left.slices(PLACES)] == [SLICE], "one in any case"
    assert list(left.part(0.5).slices(PLACES)) == []
    assert [len(part) for part in left.part(0.5, must=True).slices(PLACES)] == [SLICE], "whose turn it is"
    assert list(left.slices(PLACES[:0])) == []


def test_bytes_end_it_too() -> None:
    left, passed = Budget(1.0, 100, Clock()), 0
    for part in left.slices(PLACES):
        passed += len(part)
        left.send(60)
    assert passed == 3 * SLICE, "the second is twice as long: the first took no time"
    assert left.bytes_left == -20


def test_parts_grow_while_they_are_quick() -> None:
    clock = Clock()
    left, sizes = Budget(0.1, None, clock), []
    for part in left.slices(np.arange(40 * SLICE, dtype=np.int32)):
        sizes.append(len(part))
        clock.now += len(part) * 1e-4  # a brick
    assert sizes[:4] == [SLICE, 2 * SLICE, 4 * SLICE, 8 * SLICE]
    assert sizes[5] < sizes[4], "half of what is left"
    assert sum(sizes) * 1e-4 <= 0.11


def test_parts_share_the_time_and_the_bytes() -> None:
    clock = Clock()
    whole = Budget(1.0, 100, clock)
    first = whole.part(0.25)
    clock.now += 0.24
    assert not first.over
    clock.now += 0.02
    assert first.over
    assert not whole.over
    first.send(60)
    assert whole.bytes_left == 40
    second = whole.part(1.0)
    assert second.bytes_left == 40
    assert not second.over
    clock.now += 0.75
    assert second.over
    assert whole.over
    assert not Budget(None, None, clock).part(0.1).timed
