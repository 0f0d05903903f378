"""What arrives: once, in order, whole, and never more than the limits allow.

Ack: RangeSet against a plain set.
"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from net.errors import DecodeError, LimitExceeded
from net.raknet.datagram import Fragment, Frame, RangeSet, Reliability
from net.raknet.limits import Limits
from net.raknet.receive_window import PIECE_OVERHEAD_BYTES, Arrivals, Fragments, OrderedChannels, ReliableIndices

# ---------------------------------------------------------------- receive window

LIMITS = Limits()


def ordered(index: int, payload: bytes = b"x", channel: int = 0) -> Frame:
    return Frame(payload, Reliability.RELIABLE_ORDERED, 0, 0, index, channel)


def sequenced(order: int, sequence: int, payload: bytes) -> Frame:
    return Frame(payload, Reliability.UNRELIABLE_SEQUENCED, 0, sequence, order, 0)


def test_a_gap_is_reported_once_as_a_range() -> None:
    arrivals = Arrivals(LIMITS)
    assert [arrivals.accept(number, 0.0) for number in (0, 1, 1000)] == [True, True, True]
    assert arrivals.drain(0.0) == ([(0, 1), (1000, 1000)], [(2, 999)])
    assert arrivals.accept(500, 0.0)
    assert arrivals.drain(0.0) == ([(0, 1), (500, 500), (1000, 1000)], [])


def test_an_acknowledgement_says_again_what_the_one_before_said() -> None:
    arrivals = Arrivals(LIMITS)
    drained = []
    for number in range(3):
        arrivals.accept(number, 0.0)
        drained.append(arrivals.drain(0.0)[0])
    assert drained == [[(0, 0)], [(0, 1)], [(1, 2)]]


def test_a_path_that_reorders_is_given_time_before_a_gap_is_reported() -> None:
    arrivals = Arrivals(LIMITS)
    arrivals.accept(0, 0.0)
    arrivals.accept(2, 0.0)
    assert arrivals.due() == 0.0
    assert arrivals.drain(0.0)[1] == [(1, 1)]
    arrivals.accept(1, 0.020)  # it was on its way
    assert arrivals.gap_wait_s == pytest.approx(0.025)
    arrivals.accept(4, 1.0)
    assert arrivals.drain(1.010)[1] == []
    arrivals.accept(3, 1.020)  # late again, and this time nobody complained
    assert arrivals.drain(2.0)[1] == []
    arrivals.accept(6, 3.0)
    assert arrivals.drain(3.02)[1] == []
    assert arrivals.due() == pytest.approx(3.025)
    assert arrivals.drain(3.025)[1] == [(5, 5)]


def test_a_repeated_datagram_is_acknowledged_again_and_not_looked_at() -> None:
    arrivals = Arrivals(LIMITS)
    assert arrivals.accept(0, 0.0)
    arrivals.drain(0.0)
    assert not arrivals.accept(0, 1.0)
    assert arrivals.drain(0.0) == ([(0, 0)], [])
    assert arrivals.repeated == 1


def test_acknowledgements_wait_a_little_for_company() -> None:
    arrivals = Arrivals(LIMITS)
    assert arrivals.due() is None
    arrivals.accept(0, 5.0)
    assert arrivals.due() == pytest.approx(5.010)
    for number in range(1, LIMITS.ack_count):
        arrivals.accept(number, 5.001)
    assert arrivals.due() == 0.0


def test_a_number_out_of_reach_is_no_datagram() -> None:
    arrivals = Arrivals(LIMITS)
    assert not arrivals.accept(LIMITS.datagram_jump + 1, 0.0)
    assert arrivals.drain(0.0) == ([], [])


def test_datagram_numbers_go_on_over_the_24_bit_border() -> None:
    arrivals = Arrivals(replace(LIMITS, datagram_jump=1 << 22))
    step = 1 << 22
    for number in range(0, 5 * step, step):
        assert arrivals.accept(number & 0xFFFFFF, 0.0)
    assert arrivals.drain(0.0)[0][-1] == (4 * step, 4 * step)


def test_a_reliable_frame_is_new_once() -> None:
    indices = ReliableIndices(LIMITS)
    assert [indices.accept(index) for index in (0, 2, 1, 2, 1, 0, 3)] == [True, True, True, False, False, False, True]


def test_reliable_frames_too_far_ahead_of_a_hole_are_refused() -> None:
    indices = ReliableIndices(replace(LIMITS, reliable_ahead=10))
    indices.accept(1)
    assert indices.accept(10)
    with pytest.raises(LimitExceeded, match="ahead of a missing one"):
        indices.accept(11)


def test_order_holds_back_what_is_early() -> None:
    order = OrderedChannels(LIMITS)
    assert order.accept(ordered(1), b"b") == []
    assert order.accept(ordered(2), b"c") == []
    assert order.accept(ordered(0), b"a") == [b"a", b"b", b"c"]
    assert order.accept(ordered(1), b"b") == []
    assert order.held_bytes == 0


def test_channels_do_not_wait_for_each_other() -> None:
    order = OrderedChannels(LIMITS)
    assert order.accept(ordered(1, channel=3), b"early") == []
    assert order.accept(ordered(0, channel=4), b"due") == [b"due"]


def test_a_late_sequenced_payload_is_dropped() -> None:
    order = OrderedChannels(LIMITS)
    assert order.accept(sequenced(0, 1, b"new"), b"new") == [b"new"]
    assert order.accept(sequenced(0, 0, b"old"), b"old") == []
    assert order.accept(sequenced(1, 0, b"after"), b"after") == []
    assert order.accept(ordered(0), b"ordered") == [b"ordered", b"after"]
    assert order.held_bytes == 0


def test_order_holds_only_so_many_bytes() -> None:
    order = OrderedChannels(replace(LIMITS, order_bytes=8 * (50 + PIECE_OVERHEAD_BYTES)))
    for index in range(1, 9):
        order.accept(ordered(index), b"x" * 50)
    with pytest.raises(LimitExceeded, match="waiting for an earlier"):
        order.accept(ordered(9), b"x" * 50)
    assert order.held_bytes == 9 * (50 + PIECE_OVERHEAD_BYTES)


def test_fragments_join_in_any_order() -> None:
    fragments = Fragments(LIMITS)
    assert fragments.accept(Fragment(3, 7, 2), b"c") is None
    assert fragments.accept(Fragment(3, 7, 0), b"a") is None
    assert fragments.accept(Fragment(3, 7, 0), b"a") is None
    assert fragments.accept(Fragment(3, 7, 1), b"b") == b"abc"
    assert fragments.held_bytes == 0


@pytest.mark.parametrize(
    ("limits", "allowed", "refused"),
    [
        (replace(LIMITS, fragments=10), [Fragment(10, 0, 0)], Fragment(11, 1, 0)),
        (replace(LIMITS, partial_payloads=5), [Fragment(2, index, 0) for index in range(5)], Fragment(2, 5, 0)),
        (
            replace(LIMITS, partial_bytes=15 * (1 + PIECE_OVERHEAD_BYTES)),
            [Fragment(99, 0, index) for index in range(15)],
            Fragment(99, 0, 15),
        ),
    ],
)
def test_fragments_beyond_a_limit_are_refused(limits: Limits, allowed: list[Fragment], refused: Fragment) -> None:
    fragments = Fragments(limits)
    for fragment in allowed:
        fragments.accept(fragment, b"x")
    with pytest.raises(LimitExceeded):
        fragments.accept(refused, b"x")


def test_fragments_that_disagree_are_refused() -> None:
    fragments = Fragments(LIMITS)
    fragments.accept(Fragment(3, 7, 2), b"c")
    with pytest.raises(DecodeError, match="an earlier fragment announced 3"):
        fragments.accept(Fragment(4, 7, 0), b"a")


# ---------------------------------------------------------------- ack


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
