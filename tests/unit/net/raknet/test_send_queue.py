"""What goes out: packed, paced, resent under new numbers, within the window.

Outgoing: A payload on its way out is cut into the frames that the plain way of writing them gives.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.errors import LocalProtocolError
from net.raknet.congestion import LARGEST_TIMEOUT_S, CongestionWindow, RoundTrip
from net.raknet.datagram import FRAGMENT_HEADER_BYTES, Fragment, Frame, Reliability, read_frames, write_frame
from net.raknet.limits import Limits
from net.raknet.send_queue import Outgoing, SendQueue

# ---------------------------------------------------------------- sender

LIMITS = Limits()


def number_of(datagram: bytes) -> int:
    return int.from_bytes(datagram[1:4], "little")


def put(sender: SendQueue, *payloads: bytes, kind: Reliability = Reliability.RELIABLE_ORDERED) -> None:
    for payload in payloads:
        sender.put(payload, kind, 0)


def test_small_payloads_share_a_datagram() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a", b"b", b"c")
    (datagram,) = sender.datagrams(0.0)
    assert [(frame.payload, frame.order_index, frame.reliable_index) for frame in read_frames(datagram)] == [
        (b"a", 0, 0),
        (b"b", 1, 1),
        (b"c", 2, 2),
    ]


@pytest.mark.parametrize("mtu", [576, 1200, 1492])
@pytest.mark.parametrize("size", [1, 500, 1460, 5000])
def test_no_datagram_is_larger_than_the_mtu(mtu: int, size: int) -> None:
    sender = SendQueue(LIMITS, mtu, 0.0)
    put(sender, bytes(size))
    datagrams = sender.datagrams(0.0)
    assert all(len(datagram) <= mtu - 28 for datagram in datagrams)
    assert sum(len(frame.payload) for datagram in datagrams for frame in read_frames(datagram)) == size


def test_a_large_unreliable_payload_becomes_reliable() -> None:
    sender = SendQueue(LIMITS, 576, 0.0)
    put(sender, bytes(2000), kind=Reliability.UNRELIABLE)
    frames = [frame for datagram in sender.datagrams(0.0) for frame in read_frames(datagram)]
    assert {frame.reliability for frame in frames} == {Reliability.RELIABLE}


def test_a_reported_loss_goes_again_under_a_new_number_with_its_old_index() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a")
    (first,) = sender.datagrams(0.0)
    sender.missing([(0, 0)])
    (second,) = sender.datagrams(0.1)
    assert (number_of(first), number_of(second)) == (0, 1)
    assert read_frames(first) == read_frames(second)
    assert sender.resends == 1


def test_silence_resends_once_the_time_out_is_over_and_waits_longer_after_that() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a")
    sender.datagrams(0.0)
    first_timer = sender.next_timer()
    assert first_timer is not None
    assert sender.datagrams(first_timer - 0.01) == []
    assert len(sender.datagrams(first_timer)) == 1
    second_timer = sender.next_timer()
    assert second_timer is not None
    assert second_timer - first_timer == pytest.approx(2 * first_timer)


def test_an_acknowledged_datagram_is_forgotten_and_times_the_way() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a")
    sender.datagrams(0.0)
    sender.acknowledged([(0, 0)], 0.08)
    assert sender.idle
    assert sender.next_timer() is None
    assert sender.round_trip.smoothed_s == pytest.approx(0.08)


def test_a_range_that_claims_everything_costs_only_what_is_on_the_way() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, *(b"x" * 1400 for _ in range(20)))
    sender.datagrams(0.0)
    sender.acknowledged([(0, 0xFFFFFF)] * 200, 0.1)
    assert sender.in_flight_bytes == 0


def test_an_unreliable_payload_is_not_sent_again() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a", kind=Reliability.UNRELIABLE)
    sender.datagrams(0.0)
    sender.missing([(0, 0)])
    assert sender.datagrams(0.1) == []
    assert sender.idle


def test_no_more_than_the_window_is_on_the_way() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, bytes(1 << 20))
    sent = sum(map(len, sender.datagrams(0.0)))
    assert LIMITS.first_window_bytes <= sent <= LIMITS.first_window_bytes + 1492
    assert sender.datagrams(0.01) == []


def test_keep_alive_waits_for_no_window() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, bytes(1 << 20))
    sender.datagrams(0.0)
    sender.put_urgent(b"ping")
    (datagram,) = sender.datagrams(0.01)
    assert read_frames(datagram)[0].payload == b"ping"


def test_a_known_round_trip_spreads_the_window_over_it() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a")
    sender.datagrams(0.0)
    sender.acknowledged([(0, 0)], 0.1)
    put(sender, bytes(1 << 20))
    at_once = sum(map(len, sender.datagrams(0.1)))
    assert at_once < LIMITS.first_window_bytes
    opens_at = sender.next_timer()
    assert opens_at is not None
    assert 0.1 < opens_at < 0.2


def test_what_has_no_wire_form_is_refused() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    with pytest.raises(LocalProtocolError):
        put(sender, b"")
    with pytest.raises(LocalProtocolError):
        sender.put(b"x", Reliability.RELIABLE, 32)
    with pytest.raises(LocalProtocolError, match="are queued"):
        put(sender, *[bytes(64 << 20)] * 5)


def test_the_window_shrinks_once_for_one_burst_of_losses() -> None:
    window = CongestionWindow(100_000, 1 << 20, 1464)
    for number in range(10):
        window.lost(number, next_number=50)
    assert window.window_bytes == pytest.approx(70_000)
    window.timed_out(50, next_number=60)
    assert window.window_bytes == pytest.approx(35_000)


def test_the_window_grows_by_half_in_slow_start_then_by_a_sixteenth_and_creeps_once_there_is_a_queue() -> None:
    window = CongestionWindow(100_000, 1 << 20, 1464)
    window.acknowledged(100_000, 100_000)
    assert window.window_bytes == 150_000
    window.acknowledged(10_000, 10_000)  # hardly used: says nothing about the path
    assert window.window_bytes == 150_000
    window.lost(0, 1)
    window.acknowledged(105_000, 105_000)
    assert window.window_bytes == pytest.approx(105_000 * (1 + 1 / 16))  # no queue was ever seen
    trip = RoundTrip()
    for seconds in (0.05, 0.08):
        trip.sample(seconds)
        window.timed(trip)
    size = window.window_bytes
    window.acknowledged(int(size), int(size))
    assert window.window_bytes == pytest.approx(size + 2 * 1464, abs=1)


def test_slow_start_ends_when_round_trips_in_a_row_show_a_queue() -> None:
    window, trip = CongestionWindow(100_000, 1 << 20, 1464), RoundTrip()
    trip.sample(0.050)
    for seconds in (0.062, 0.051, 0.062):
        trip.sample(seconds)
        window.timed(trip)
    assert window.in_slow_start
    trip.sample(0.0625)
    window.timed(trip)
    assert not window.in_slow_start
    assert window.window_bytes == pytest.approx(80_000)


def test_a_window_comes_back_when_all_that_was_lost_turns_up() -> None:
    window = CongestionWindow(100_000, 1 << 20, 1464)
    window.lost(3, next_number=50)
    window.lost(5, next_number=50)
    window.found(3)
    assert window.window_bytes == pytest.approx(70_000)
    window.found(5)
    assert window.window_bytes == 100_000
    assert window.in_slow_start


def test_a_frame_that_turns_up_is_not_sent_again() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a" * 1000, b"b" * 1000)
    sender.datagrams(0.0)
    sender.missing([(0, 1)])
    sender.acknowledged([(1, 1)], 0.1)
    assert sender.found == 1
    (again,) = sender.datagrams(0.1)
    assert [frame.payload for frame in read_frames(again)] == [b"a" * 1000]


def test_a_datagram_that_later_ones_have_overtaken_long_ago_is_lost() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    for number in range(3):
        put(sender, bytes((65 + number,)) * 1000)
        sender.datagrams(0.1 * number)
        if number != 1:
            sender.acknowledged([(number, number)], 0.1 * number + 0.02)
    assert sender.resends == 1
    (again,) = sender.datagrams(0.23)
    assert read_frames(again)[0].payload == b"B" * 1000


def test_taking_ranges_out_costs_nothing_for_what_is_not_there() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    for _ in range(20):
        put(sender, b"x" * 1000)
        sender.datagrams(0.0)
    sender.acknowledged([(1, 19)], 0.1)  # a span with a single member left
    for _ in range(1000):
        sender.acknowledged([(1, 0x7FFFFF)], 0.1)
    assert not sender.idle


def test_the_time_out_follows_the_round_trip_and_has_bounds() -> None:
    trip = RoundTrip()
    for _ in range(100):
        trip.sample(0.001)
    assert trip.timeout_s == pytest.approx(0.101)
    for _ in range(10):
        trip.timed_out()
    assert trip.timeout_s == pytest.approx(0.808)
    trip.sample(10.0)
    assert trip.timeout_s == LARGEST_TIMEOUT_S


def test_the_oldest_that_is_not_acknowledged_is_told_until_it_is_however_often_it_was_sent() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    assert sender.unheard_since is None
    put(sender, b"a" * 1000)
    sender.datagrams(1.0)
    put(sender, b"b" * 1000)
    sender.datagrams(1.1)
    assert sender.unheard_since == 1.0
    sender.missing([(0, 0)])
    sender.datagrams(1.2)
    sender.acknowledged([(1, 1)], 1.3)
    assert sender.unheard_since == 1.0, "it went again, and has not arrived"
    sender.acknowledged([(2, 2)], 1.4)
    assert sender.unheard_since is None


def test_what_turns_up_after_it_was_given_up_is_heard() -> None:
    sender = SendQueue(LIMITS, 1492, 0.0)
    put(sender, b"a" * 1000)
    sender.datagrams(1.0)
    sender.missing([(0, 0)])
    sender.acknowledged([(0, 0)], 1.3)
    assert sender.unheard_since is None
    assert sender.idle


# ---------------------------------------------------------------- outgoing

FRAME_BYTES = 60


def taken(waiting: Outgoing) -> list[bytes]:
    frames = []
    while waiting.frames:
        size_bytes, all_bytes = waiting.frame_bytes, waiting.all_bytes
        head, body, _ = waiting.take()
        frames.append(bytes(head) + body)
        assert len(frames[-1]) == size_bytes
        assert waiting.all_bytes == all_bytes - size_bytes
    return frames


def plainly(payload: bytes, kind: Reliability, order: int, sequence: int, channel: int, first: int) -> list[bytes]:
    if len(payload) + kind.header_bytes <= FRAME_BYTES:
        return [write_frame(Frame(payload, kind, max(first, 0), sequence, order, channel))]
    room = FRAME_BYTES - kind.header_bytes - FRAGMENT_HEADER_BYTES
    pieces = [payload[at : at + room] for at in range(0, len(payload), room)]
    return [
        write_frame(Frame(piece, kind, first + at, sequence, order, channel, Fragment(len(pieces), 77, at)))
        for at, piece in enumerate(pieces)
    ]


@given(
    payload=st.binary(min_size=1, max_size=400),
    kind=st.sampled_from([kind for kind in Reliability if kind.reliable]),
    order=st.integers(0, 1 << 25),
    channel=st.integers(0, 31),
    first=st.integers(0, 1 << 25),
)
def test_pieces_are_the_frames_the_plain_way_writes(
    payload: bytes, kind: Reliability, order: int, channel: int, first: int
) -> None:
    order, channel = (order, channel) if kind.ordered else (0, 0)
    sequence = order // 2 if kind.sequenced else 0
    waiting = Outgoing(payload, kind, order, sequence, channel, first, 77, FRAME_BYTES)
    expected = plainly(payload, kind, order, sequence, channel, first)
    assert waiting.all_bytes == sum(map(len, expected))
    assert taken(waiting) == expected
    assert waiting.all_bytes == 0


def test_reliable_indices_count_up_from_the_first() -> None:
    waiting = Outgoing(bytes(200), Reliability.RELIABLE_ORDERED, 0, 0, 0, 0xFFFFFE, 0, FRAME_BYTES)
    assert [waiting.take()[2] for _ in range(waiting.frames)] == list(range(0xFFFFFE, 0xFFFFFE + 5))


@pytest.mark.parametrize("kind", [Reliability.UNRELIABLE, Reliability.UNRELIABLE_SEQUENCED])
def test_an_unreliable_payload_is_one_frame_without_a_reliable_index(kind: Reliability) -> None:
    waiting = Outgoing(b"once", kind, 0, 0, 0, -1, 0, FRAME_BYTES)
    head, body, index = waiting.take()
    assert (bytes(head) + body, index) == (write_frame(Frame(b"once", kind)), -1)
