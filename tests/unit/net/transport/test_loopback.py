"""The loopback is a transport, runs in virtual time and comes to rest.

Faulty: The faulty wire does what it is told, and the same for the same seed.

Delayed: Messages that take longer, in order and without loss.

Bad wire join: The worst wire that has to be borne delivers a radius-8 join of the bench world complete and in order.
"""

from bisect import bisect_left

import pytest
from msgspec.structs import replace

from net.bedrock import Codec, Message, RequestChunkRadius
from net.peer import Closed, Event, Joined, PeerStats
from net.space import ColumnPos
from net.transport.faulty import Delayed, Wire, WireFaults
from net.transport.interface import Transport
from net.transport.loopback import CLIENT_ADDRESS
from tests.support.session.plain_client import COLUMNS, BenchJoin, bench_host
from tests.support.session.wires import PeerPair

# ---------------------------------------------------------------- loopback


def test_it_is_a_transport() -> None:
    transport: Transport = PeerPair().link
    assert transport.events() == []
    assert transport.stats().packets_in == 0


def test_a_login_over_a_perfect_wire_needs_no_time_but_the_acknowledgements() -> None:
    pair = PeerPair().join()
    assert pair.link.now < 0.1


def test_time_passes_only_by_the_wires_and_the_timers() -> None:
    pair = PeerPair(up=WireFaults(delay_s=1.0), down=WireFaults(delay_s=1.0))
    pair.join()
    assert 8.0 < pair.link.now < 30.0


def test_events_come_out_once() -> None:
    pair = PeerPair()
    pair.link.run(lambda: pair.client.joined, 10.0)
    assert any(isinstance(event, Joined) for event in pair.link.events())
    assert pair.link.events() == []


def test_what_goes_between_is_called_with_the_time() -> None:
    pair = PeerPair()
    times: list[float] = []
    assert not pair.link.run(lambda: False, 6.0, between=times.append)
    assert times == sorted(times)
    assert times[-1] == pytest.approx(6.0, abs=0.01)


def test_the_end_is_told() -> None:
    pair = PeerPair().join()
    pair.link.close("enough")
    assert Closed("enough") in pair.link.events()


def test_a_host_that_never_rests_is_reported() -> None:
    pair = PeerPair()
    pair.host.datagrams = lambda _now: [(CLIENT_ADDRESS, b"\x84")]
    with pytest.raises(RuntimeError, match="do not come to rest"):
        pair.link.step(0.0)


# ---------------------------------------------------------------- faulty

# ---------------------------------------------------------------- faulty


def run(faults: WireFaults, seed: int = 0, count: int = 1000) -> list[bytes]:
    wire = Wire(faults, seed)
    for index in range(count):
        wire.push(index.to_bytes(2, "big"), index * 0.001)
    return wire.pop(1e9)


def in_order(out: list[bytes]) -> int:
    """Length of the longest ascending run of picks: how many datagrams kept their order."""
    ends: list[bytes] = []
    for datagram in out:
        at = bisect_left(ends, datagram)
        ends[at : at + 1] = [datagram]
    return len(ends)


def test_a_perfect_wire_delivers_at_once_and_in_order() -> None:
    wire = Wire()
    wire.push(b"a", 1.0)
    wire.push(b"b", 1.0)
    assert wire.next_timer() == 1.0
    assert wire.pop(1.0) == [b"a", b"b"]
    assert wire.next_timer() is None


def test_the_same_seed_gives_the_same_faults() -> None:
    faults = WireFaults(loss=0.3, repetition=0.2, delay_s=0.1, jitter_s=0.1)
    assert run(faults, 5) == run(faults, 5) != run(faults, 6)


def test_shares_are_about_those_asked_for() -> None:
    assert 600 < len(run(WireFaults(loss=0.3))) < 800
    assert 1200 < len(run(WireFaults(repetition=0.3))) < 1400
    assert run(WireFaults(loss=1.0)) == []


def test_jitter_lets_later_ones_overtake() -> None:
    out = run(WireFaults(jitter_s=0.05))
    assert out != sorted(out)
    assert sorted(out) == run(WireFaults())


def test_only_the_share_asked_for_is_out_of_order() -> None:
    assert run(WireFaults(delay_s=0.05, jitter_s=0.25, reordering=0.0)) == run(WireFaults())
    rare, all_of_them = (in_order(run(WireFaults(jitter_s=0.25, reordering=share))) for share in (0.2, 1.0))
    assert rare > 750  # out of order are at most those drawn on their own
    assert all_of_them < 200


def test_a_narrow_path_loses_what_is_large_and_a_full_one_what_is_late() -> None:
    wire = Wire(WireFaults(largest_bytes=10, queue_datagrams=2))
    for size in (11, 10, 9, 8):
        wire.push(bytes(size), 0.0)
    assert [len(datagram) for datagram in wire.pop(0.0)] == [10, 9]
    assert wire.lost == 2


# ---------------------------------------------------------------- delayed


class Wireless:
    """A transport that keeps what it is told to send."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.arriving: list[Event] = []
        self.reason = ""
        self.measured = PeerStats()

    @property
    def codec(self) -> Codec:
        return Codec(486)

    def send(self, message: Message) -> None:
        self.sent.append(message)

    def events(self) -> list[Event]:
        arrived, self.arriving = self.arriving, []
        return arrived

    def close(self, reason: str) -> None:
        self.reason = reason

    def stats(self) -> PeerStats:
        return self.measured


def test_messages_take_half_a_round_trip_each_way() -> None:
    inner, clock = Wireless(), [10.0]
    far = Delayed(inner, 0.2, lambda: clock[0])
    first, second = RequestChunkRadius(4), RequestChunkRadius(5)
    far.send(first)
    clock[0] = 10.05
    far.send(second)
    inner.arriving = [Closed("bye")]
    assert far.events() == []
    assert inner.sent == []
    clock[0] = 10.11
    assert far.events() == []
    assert inner.sent == [first]
    clock[0] = 10.16
    assert far.events() == [Closed("bye")]
    assert inner.sent == [first, second]


def test_the_round_trip_it_tells_holds_the_delay() -> None:
    inner = Wireless()
    far = Delayed(inner, 0.2, lambda: 0.0)
    assert far.stats().rtt_s is None
    inner.measured = replace(inner.measured, rtt_s=0.03)
    assert far.stats().rtt_s == 0.23


def test_closing_is_passed_on() -> None:
    inner = Wireless()
    Delayed(inner, 0.2, lambda: 0.0).close("enough")
    assert inner.reason == "enough"


# ---------------------------------------------------------------- bad wire join

BAD = WireFaults(loss=0.30, repetition=0.10, delay_s=0.050, jitter_s=0.250, reordering=0.20)


def test_a_join_over_a_bad_wire_is_complete_and_in_order() -> None:
    clean = BenchJoin(bench_host())
    assert clean.run()
    join = BenchJoin(bench_host(), Wire(BAD, seed=11), Wire(BAD, seed=12))
    assert join.run(limit_s=900.0), (join.closed, len(join.columns), len(join.entries))
    assert join.closed is None
    assert len(join.columns) == COLUMNS
    assert join.columns == clean.columns
    assert join.entries == clean.entries
    assert join.numbers == list(range(len(join.numbers)))
    announced: set[ColumnPos] = set()
    for place in join.order:
        if isinstance(place, ColumnPos):
            announced.add(place)
        else:
            assert place.column in announced
    stats = join.peer.stats()
    assert stats.decode_errors == 0
    assert stats.datagrams_repeated > 100
