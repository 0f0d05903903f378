"""The faulty wire does what it is told, and the same for the same seed.

Delayed: Messages that take longer, in order and without loss.
"""

from bisect import bisect_left

from msgspec.structs import replace

from net.bedrock import Codec, Message, RequestChunkRadius
from net.peer import Closed, Event, PeerStats
from net.transport.faulty import Delayed, Wire, WireFaults

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
        self.measured = PeerStats(*([0] * 12), {}, None, 0, 0)

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
