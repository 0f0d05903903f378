"""What a peer's counters say of what has not come through."""

from random import Random

from net.transport.faulty import WireFaults
from tests.support.session.wires import PeerPair


def test_a_session_at_rest_has_nothing_under_way() -> None:
    pair = PeerPair(WireFaults(delay_s=0.1), WireFaults(delay_s=0.1)).join()
    pair.run(2.0)
    assert not pair.client.stats().under_way(pair.link.now)


def test_a_large_batch_is_under_way_until_it_is_whole_and_taken() -> None:
    down = WireFaults(delay_s=0.1)
    pair = PeerPair(WireFaults(delay_s=0.1), down).join()
    pair.run(2.0)
    before = len(pair.events)
    pair.server.send_packet(b"\x3a" + Random(1).randbytes(300_000))
    seen = []
    for _ in range(200):
        pair.link.now += 0.005
        pair.link.step(pair.link.now)
        seen.append(pair.client.stats().under_way(pair.link.now))
        pair.events += pair.link.events()
        if len(pair.events) > before:
            break
    assert len(pair.events) > before
    assert any(seen)
    assert not pair.client.stats().under_way(pair.link.now)


def test_what_is_lost_on_its_way_up_is_under_way_after_a_round_trip() -> None:
    pair = PeerPair(WireFaults(delay_s=0.05), WireFaults(delay_s=0.05)).join()
    pair.run(2.0)
    pair.up.faults = WireFaults(loss=1.0)
    pair.client.send_packet(b"\x0a" + bytes(8))
    pair.run(0.05)
    assert not pair.client.stats().under_way(pair.link.now)
    pair.run(0.4)
    assert pair.client.stats().under_way(pair.link.now)
    pair.up.faults = WireFaults(delay_s=0.05)
    pair.run(3.0)
    assert not pair.client.stats().under_way(pair.link.now)
