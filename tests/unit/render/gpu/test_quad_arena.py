"""The page allocator never gives a page twice, and joins what is given back.

Page table: Whether nobody is elsewhere on the torus: the quick answer is never wrong, and exact when some went.

Draw command kernels: Both ways of drawing are told the same runs.
"""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from render.errors import OutOfPages
from render.gpu.draw_command_kernels import COMMAND_WORDS, write_commands, write_runs
from render.gpu.page_table import Torus
from render.gpu.quad_arena import PageAllocator

# ---------------------------------------------------------------- quad arena

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


# ---------------------------------------------------------------- page table

SIDE = 8


def torus_of() -> Torus:
    return Torus(np.full(3, SIDE))


def at(*positions: np.ndarray) -> np.ndarray:
    return np.array(positions, np.int64)


def fits(positions: list[np.ndarray]) -> bool:
    """Whether these, and one more to each side of them, lie at different places of the torus."""
    return bool((np.ptp(at(*positions), axis=0) + 3 <= SIDE).all())


@pytest.mark.parametrize("seed", range(6))
def test_a_box_is_held_only_where_nobody_is_elsewhere_on_the_torus(seed: int) -> None:
    rng = np.random.default_rng(seed)
    torus, present, held = torus_of(), list[np.ndarray](), 0
    fresh = True  # some went since the last question, or there were none: the box is looked at anew
    for _ in range(300):
        if present and rng.random() < 0.3:
            gone = present.pop(int(rng.integers(len(present))))
            torus.forget(torus.index(at(gone)))
            fresh = True
        low = rng.integers(-40, -38 + 2 * SIDE, 3) if rng.random() < 0.2 else rng.integers(-4, 3, 3)
        high = low + rng.integers(0, 3, 3)
        answer, true = torus.may_hold(low, high), fits([*present, low, high])
        assert not answer or true, "never held wrongly"
        assert answer == true or not fresh, "and exact where the box is new"
        fresh = False
        held += answer
        if answer:
            torus.own(at(low))
            if not any((low == other).all() for other in present):
                present.append(low)
        assert torus.count == len(present)
    assert 20 < held < 300


def test_who_stays_away_is_forgotten_when_somebody_goes() -> None:
    torus = torus_of()
    here, far, beside = np.array([1, 1, 1]), np.array([1, 1, 40]), np.array([2, 1, 1])
    assert torus.may_hold(here, here)
    torus.own(at(here, beside))
    assert not torus.may_hold(far, far), "here and there are the same entry, or beside it"
    assert not torus.may_hold(here, here), "the box has taken in who was asked about: nobody looks who came"
    torus.forget(torus.index(at(beside)))
    assert torus.may_hold(here, here), "it is made anew of those who are present"
    torus.forget(torus.index(torus.positions))
    assert torus.may_hold(far, far), "an empty torus holds whatever fits"
    assert not torus.may_hold(far, far + SIDE - 2), "but no box as long as the torus less what lies beside"


def test_a_larger_torus_keeps_who_is_there_and_goes_back_when_they_went() -> None:
    torus, least = torus_of(), np.full(3, SIDE)
    near, far = at([1, -2, 3], [2, -2, 3]), at([25, -2, 3])
    assert torus.fits(near)
    torus.own(near)
    assert not torus.fits(far)
    size = torus.size_with(far)
    assert size.tolist() == [32, SIDE, SIDE], "the one axis, to hold 1 to 25 and one more at each end"
    wide = torus.resized(size)
    assert sorted(wide.positions.tolist()) == sorted(near.tolist())
    assert wide.fits(far)
    wide.own(far)
    assert wide.has(np.concatenate([near, far])).all()
    assert wide.size_without_space(least).tolist() == [32, SIDE, SIDE]
    wide.forget(wide.index(far))
    assert wide.size_without_space(least).tolist() == [16, SIDE, SIDE], "by halves"


def test_where_there_is_no_room_for_all_the_first_are_placed() -> None:
    torus = torus_of()
    assert torus.fits(at([0, 0, 0]))
    torus.own(at([0, 0, 0]))
    wanted = at([1, 0, 0], [SIDE, 0, 0], [2, 0, 0], [0, 0, 0], [0, 50, 0])
    assert torus.first_that_fit(wanted).tolist() == [True, False, True, True, False]


# ---------------------------------------------------------------- draw command kernels

STARTS = np.array([600, 900], np.int32)
"""First indices of two patterns."""


@pytest.mark.parametrize(
    ("said", "firsts"), [([], [600, 600, 600]), ([-1, -2, -1], [600, 900, 600]), ([-2, 0, 36], [900, 0, 36])]
)
def test_runs_are_told_alike_in_both_ways(said: list[int], firsts: list[int]) -> None:
    units, quads = np.array([3, 64, 1 << 20], np.int32), np.array([1, 5, 7], np.int32)
    commands, offsets = np.full((3, COMMAND_WORDS), -1, np.int32), np.full(3, -1, np.int64)
    counts_and_bases = np.full((2, 3), -1, np.int32)
    told = units, quads, np.array(said, np.int32), STARTS, 8
    write_commands(*told, commands)
    write_runs(*told, counts_and_bases, offsets)
    wanted = [[6, 1, firsts[0], 24, 0], [30, 1, firsts[1], 512, 0], [42, 1, firsts[2], 8 << 20, 0]]
    assert commands.tolist() == wanted
    assert counts_and_bases.T.tolist() == [[row[0], row[3]] for row in wanted]
    assert offsets.tolist() == [4 * first for first in firsts]
