"""A world over a wire that loses 30 % of the datagrams each way and overtakes 20 %: nothing is asked twice in vain.

What the server sends is counted as packets the client takes, inflated, each time they come; what all of it is, as the
same for a wire that loses nothing. The time is compared with a client that never asks twice, so it is what the wire
takes. Seen over hills at radius 8, round trips of 0.2 s: 1,318 sub-chunks asked 1,318 times, 2.8 of 2.8 MB in 31.2 s;
while only whole answers counted as signs of life, 4,604 times, 9.5 MB in 83.2 s.
"""

import pytest

from client.session.config import SessionConfig
from client.streaming.limits import RequestLimits
from net.server.faults import ServerFaults
from net.server.options import ColumnMode, HostOptions
from net.transport.faulty import Wire, WireFaults
from tests.support.session.virtual import SWIFT, VirtualSession

EVEN = WireFaults(delay_s=0.05, jitter_s=0.1, reordering=0.2)
LOSSY = WireFaults(loss=0.3, delay_s=0.05, jitter_s=0.1, reordering=0.2)
NEVER_AGAIN = RequestLimits(silence_least_s=1e6, silence_longest_s=1e6)
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
    virtual = settled(LOSSY, RequestLimits(), mode, seed)
    alike = settled(EVEN, RequestLimits(), mode, seed)
    patient = settled(LOSSY, NEVER_AGAIN, mode, seed)
    ledger = virtual.session.ledger.stats()
    assert ledger.asked <= MOST_ASKED * ledger.settled
    assert virtual.link.stats().packet_bytes_in <= MOST_BYTES * alike.link.stats().packet_bytes_in
    assert virtual.now <= MOST_TIME * patient.now
    assert virtual.session.stats(virtual.now).states["data"] == alike.session.stats(alike.now).states["data"]


def test_what_is_really_not_answered_over_that_wire_is_asked_again() -> None:
    unanswered = ServerFaults(unanswered=0.1)
    virtual = settled(LOSSY, RequestLimits(), ColumnMode.LIMITED, 0, unanswered)
    ledger = virtual.session.ledger.stats()
    assert ledger.asked == ledger.settled + ledger.timed_out
    assert 0.05 * ledger.settled < ledger.timed_out < 0.2 * ledger.settled
    assert virtual.session.stats(virtual.now).states.get("requested", 0) == 0
