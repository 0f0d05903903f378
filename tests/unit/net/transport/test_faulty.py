"""The faulty wire does what it is told, and the same for the same seed."""

from bisect import bisect_left

from net.transport.faulty import Faults, Wire


def run(faults: Faults, seed: int = 0, count: int = 1000) -> list[bytes]:
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
    faults = Faults(loss=0.3, repetition=0.2, delay_s=0.1, jitter_s=0.1)
    assert run(faults, 5) == run(faults, 5) != run(faults, 6)


def test_shares_are_about_those_asked_for() -> None:
    assert 600 < len(run(Faults(loss=0.3))) < 800
    assert 1200 < len(run(Faults(repetition=0.3))) < 1400
    assert run(Faults(loss=1.0)) == []


def test_jitter_lets_later_ones_overtake() -> None:
    out = run(Faults(jitter_s=0.05))
    assert out != sorted(out)
    assert sorted(out) == run(Faults())


def test_only_the_share_asked_for_is_out_of_order() -> None:
    assert run(Faults(delay_s=0.05, jitter_s=0.25, reordering=0.0)) == run(Faults())
    rare, all_of_them = (in_order(run(Faults(jitter_s=0.25, reordering=share))) for share in (0.2, 1.0))
    assert rare > 750  # out of order are at most those drawn on their own
    assert all_of_them < 200


def test_a_narrow_path_loses_what_is_large_and_a_full_one_what_is_late() -> None:
    wire = Wire(Faults(largest_bytes=10, queue_datagrams=2))
    for size in (11, 10, 9, 8):
        wire.push(bytes(size), 0.0)
    assert [len(datagram) for datagram in wire.pop(0.0)] == [10, 9]
    assert wire.lost == 2
