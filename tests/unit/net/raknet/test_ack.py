"""RangeSet against a plain set."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from net.raknet.ack import RangeSet


def members(ranges: RangeSet) -> set[int]:
    copy = [(first, last) for first, last in zip(ranges._firsts, ranges._lasts, strict=True)]
    return {number for first, last in copy for number in range(first, last + 1)}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30))))
def test_adds_and_discards_as_a_set_does(steps: list[tuple[bool, int]]) -> None:
    ranges, twin = RangeSet(), set[int]()
    for adding, number in steps:
        if adding:
            ranges.add(number)
            twin.add(number)
        else:
            assert ranges.discard(number) == (number in twin)
            twin.discard(number)
        assert members(ranges) == twin
        assert all((n in ranges) == (n in twin) for n in range(32))
        assert ranges.lowest() == min(twin, default=None)
    drained = ranges.drain()
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(drained))
    assert not ranges


def test_a_wide_gap_is_one_range() -> None:
    ranges = RangeSet()
    ranges.append_range(0, 1_000_000)
    ranges.discard(500_000)
    assert len(ranges) == 2


def test_only_the_newest_ranges_are_kept() -> None:
    ranges = RangeSet()
    for number in range(0, 100, 2):
        ranges.add(number)
    ranges.keep_newest(3)
    assert ranges.drain() == [(94, 94), (96, 96), (98, 98)]
