"""A world over a wire that loses 30 % of the datagrams each way and overtakes 20 %: nothing is asked twice in vain.

What the server sends is counted as packets the client takes, inflated, each time they come; what all of it is, as the
same for a wire that loses nothing. The time is compared with a client that never asks twice, so it is what the wire
takes. Seen over hills at radius 8, round trips of 0.2 s: 1,318 sub-chunks asked 1,318 times, 2.8 of 2.8 MB in 31.2 s;
while only whole answers counted as signs of life, 4,604 times, 9.5 MB in 83.2 s.

Slow link: A world over a link that carries little, then much: the window follows, nothing is asked twice, all of it
comes.

Seen over 150 kB/s and 100 ms each way, hills at radius 10 without a limit: the window falls from 4,096 to 686 in two
seconds and holds 870 (742 answers a second, of 0.34 s a round trip); with the link at 3 MB/s it is 4,096 again within a
second. 9,500 asked, none of them again.
"""

import pytest

from client.session.config import SessionConfig
from client.streaming.limits import RequestLimits
from net.server.faults import ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.transport.faulty import Wire, WireFaults
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.session.wires import Link, LinkWire

# ---------------------------------------------------------------- lossy wire

EVEN = WireFaults(delay_s=0.05, jitter_s=0.1, reordering=0.2)
LOSSY = WireFaults(loss=0.3, delay_s=0.05, jitter_s=0.1, reordering=0.2)
USUAL = RequestLimits(ticking_radius=9)  # all is requested, seen or not: what is asked unseen depends on the round trip
NEVER_AGAIN = RequestLimits(silence_least_s=1e6, silence_longest_s=1e6, ticking_radius=9)
MOST_BYTES = MOST_TIME = 1.1
MOST_ASKED = 1.01
"""An answer of one datagram may be lost several times, and nothing tells that it is on its way."""


def settled(
    wire: WireFaults, limits: RequestLimits, mode: ColumnMode, seed: int, faults: ServerFaults | None = None
) -> VirtualSession:
    config = SessionConfig(radius=8, player=SWIFT, limits=limits)
    options = HostOptions(mode=mode, faults=faults or ServerFaults())
    virtual = VirtualSession("hills:1", options, config, up=Wire(wire, seed), down=Wire(wire, seed + 1))
    assert virtual.settle(400.0)
    return virtual


@pytest.mark.parametrize(("mode", "seed"), [(ColumnMode.LIMITED, 0), (ColumnMode.LIMITLESS, 7)])
def test_a_wire_that_loses_a_third_brings_all_once_and_as_soon_as_it_can(mode: ColumnMode, seed: int) -> None:
    virtual = settled(LOSSY, USUAL, mode, seed)
    alike = settled(EVEN, USUAL, mode, seed)
    patient = settled(LOSSY, NEVER_AGAIN, mode, seed)
    ledger = virtual.session.ledger.stats()
    assert ledger.asked <= MOST_ASKED * ledger.settled
    assert virtual.link.stats().packet_bytes_in <= MOST_BYTES * alike.link.stats().packet_bytes_in
    assert virtual.now <= MOST_TIME * patient.now
    data, alike_data = (each.session.stats(each.now).states["data"] for each in (virtual, alike))
    assert data == alike_data


def test_what_is_really_not_answered_over_that_wire_is_asked_again() -> None:
    unanswered = ServerFaults(unanswered=0.1)
    virtual = settled(LOSSY, RequestLimits(), ColumnMode.LIMITED, 0, unanswered)
    ledger = virtual.session.ledger.stats()
    assert ledger.asked == ledger.settled + ledger.timed_out
    assert 0.05 * ledger.settled < ledger.timed_out < 0.2 * ledger.settled
    assert virtual.session.stats(virtual.now).states.get("requested", 0) == 0


# ---------------------------------------------------------------- slow link

SLOW, FAST = 150e3, 3e6
DELAY_S = 0.1
MARGIN_S = 0.5
"""``RequestLimits.window_margin_s``: how long answers may queue."""


def joined(link: Link) -> VirtualSession:
    config, options = SessionConfig(radius=10, player=SWIFT), HostOptions(mode=ColumnMode.LIMITLESS)
    return VirtualSession("hills:1", options, config, up=Wire(WireFaults(delay_s=link.delay_s)), down=LinkWire(link))


def settled_slow_link(virtual: VirtualSession) -> int:
    return virtual.session.ledger.stats().settled


def test_the_window_shrinks_to_what_the_link_carries_and_recovers_with_it() -> None:
    link = Link(SLOW, DELAY_S, 256 << 10)
    virtual = joined(link)
    ledger = virtual.session.ledger
    most = virtual.session.config.limits.outstanding
    assert virtual.run(lambda: ledger.stats().outstanding == most)  # a burst, before anything is known of the link
    assert virtual.run(lambda: ledger.stats().window < most / 4)
    before, began_at = settled_slow_link(virtual), virtual.now
    assert virtual.run(lambda: ledger.stats().outstanding <= ledger.stats().window)  # the burst is over
    rate = (settled_slow_link(virtual) - before) / (virtual.now - began_at)
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
    assert virtual.run(lambda: settled_slow_link(virtual) > 5000)
    assert link.lost > 0
    assert virtual.session.ledger.stats().window < virtual.session.config.limits.outstanding
    link.rate_bytes_s = FAST
    assert virtual.settle()
    stats = virtual.session.ledger.stats()
    assert stats.asked == stats.settled + stats.timed_out
    assert stats.timed_out < stats.asked / 10
