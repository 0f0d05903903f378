"""The page allocator never gives a page twice, and joins what is given back."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from render.gpu.errors import OutOfPages
from render.gpu.quad_arena import PageAllocator

OPERATIONS = st.lists(st.tuples(st.booleans(), st.integers(1, 40)), max_size=80)


@given(OPERATIONS)
def test_runs_never_overlap_and_all_pages_come_back(operations: list[tuple[bool, int]]) -> None:
    allocator = PageAllocator("test", 64, 1024)
    held: dict[int, int] = {}
    for give_back, size in operations:
        if give_back and held:
            start = sorted(held)[size % len(held)]
            allocator.free(start, held.pop(start))
            continue
        start = allocator.take(size)
        if start is None:
            if allocator.used + size > 900:
                continue
            allocator.extend(allocator.grown(size))
            start = allocator.take(size)
        assert start is not None
        mine = set(range(start, start + size))
        assert all(mine.isdisjoint(range(s, s + n)) for s, n in held.items())
        assert start + size <= allocator.capacity
        held[start] = size
        assert allocator.used == sum(held.values())
    for start, size in held.items():
        allocator.free(start, size)
    assert allocator.runs == 1
    assert allocator.take(allocator.capacity) == 0


def test_the_smallest_hole_that_fits_is_taken_lowest_first() -> None:
    allocator = PageAllocator("test", 100, 100)
    starts = [allocator.take(size) for size in (10, 1, 5, 1, 5, 1)]
    for start, size in ((0, 10), (11, 5), (17, 5)):
        assert start in starts
        allocator.free(start, size)
    assert allocator.take(4) == 11


@given(OPERATIONS, st.integers(1, 90))
def test_what_fits_can_be_taken_and_nothing_else_can(operations: list[tuple[bool, int]], wanted: int) -> None:
    allocator = PageAllocator("test", 16, 64)
    held: dict[int, int] = {}
    for give_back, size in operations:
        if give_back and held:
            start = sorted(held)[size % len(held)]
            allocator.free(start, held.pop(start))
        elif (taken := allocator.take(size)) is not None:
            held[taken] = size
    fits = allocator.fits(wanted)
    if allocator.take(wanted) is None:
        try:
            allocator.extend(allocator.grown(wanted))
        except OutOfPages:
            assert not fits
            return
        assert allocator.take(wanted) is not None
    assert fits


def test_growth_stops_at_the_limit() -> None:
    allocator = PageAllocator("quads", 8, 20)
    assert allocator.take(6) == 0
    assert allocator.grown(8) == 16
    assert allocator.grown(14) == 20
    with pytest.raises(OutOfPages) as caught:
        allocator.grown(15)
    assert (caught.value.pool, caught.value.wanted, caught.value.limit) == ("quads", 15, 20)
