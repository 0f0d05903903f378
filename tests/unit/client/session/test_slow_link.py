"""A world over a link that carries little, then much: the window follows, nothing is asked twice, all of it comes.

Seen over 150 kB/s and 100 ms each way, hills at radius 10 without a limit: the window falls from 4,096 to 686 in two
seconds and holds 870 (742 answers a second, of 0.34 s a round trip); with the link at 3 MB/s it is 4,096 again within a
second. 9,500 asked, none of them again.
"""

from client.session.config import SessionConfig
from net.server.options import ColumnMode, HostOptions
from net.transport.faulty import Wire, WireFaults
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.session.wires import Link, LinkWire

SLOW, FAST = 150e3, 3e6
DELAY_S = 0.1
MARGIN_S = 0.5
"""``RequestLimits.window_margin_s``: how long answers may queue."""


def joined(link: Link) -> VirtualSession:
    config, options = SessionConfig(radius=10, player=SWIFT), HostOptions(mode=ColumnMode.LIMITLESS)
    return VirtualSession("hills:1", options, config, up=Wire(WireFaults(delay_s=link.delay_s)), down=LinkWire(link))


def settled(virtual: VirtualSession) -> int:
    return virtual.session.ledger.stats().settled


def test_the_window_shrinks_to_what_the_link_carries_and_recovers_with_it() -> None:
    link = Link(SLOW, DELAY_S, 256 << 10)
    virtual = joined(link)
    ledger = virtual.session.ledger
    most = virtual.session.config.limits.outstanding
    assert virtual.run(lambda: ledger.stats().outstanding == most)  # a burst, before anything is known of the link
    assert virtual.run(lambda: ledger.stats().window < most / 4)
    before, began_at = settled(virtual), virtual.now
    assert virtual.run(lambda: ledger.stats().outstanding <= ledger.stats().window)  # the burst is over
    rate = (settled(virtual) - before) / (virtual.now - began_at)
    round_trip_s = virtual.link.stats().rtt_s or 0.0
    # Who turns now waits for about a round trip and the margin; answers without blocks make rates uneven.
    assert 0.5 < ledger.stats().window / (rate * (round_trip_s + MARGIN_S)) < 2.0
    carried, began_at = link.carried, virtual.now
    assert virtual.run(lambda: virtual.now >= began_at + 0.5)
    assert link.carried > carried + 0.9 * 0.5 * SLOW / 1500  # and the link is not idle
    link.rate_bytes_s = FAST
    assert virtual.run(lambda: ledger.stats().window == most, 5.0)
    assert virtual.settle()
    stats = ledger.stats()
    assert (stats.timed_out, stats.unasked, stats.asked) == (0, 0, stats.settled)


def test_a_link_that_loses_what_its_queue_cannot_hold_brings_all_the_same() -> None:
    link = Link(SLOW, DELAY_S, 24 << 10)
    virtual = joined(link)
    assert virtual.run(lambda: settled(virtual) > 5000)
    assert link.lost > 0
    assert virtual.session.ledger.stats().window < virtual.session.config.limits.outstanding
    link.rate_bytes_s = FAST
    assert virtual.settle()
    stats = virtual.session.ledger.stats()
    assert stats.asked == stats.settled + stats.timed_out
    assert stats.timed_out < stats.asked / 10
