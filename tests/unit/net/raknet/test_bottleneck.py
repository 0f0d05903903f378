"""A link of 2 MB/s with 50 ms and a queue of 64 KB: filled, hardly overrun, shared."""

import pytest

from tests.support.session.wires import Bottleneck, Flow, Link

RATE = 2e6
LEAST_GOODPUT = 0.85
MOST_LOSS = 0.02
SHARES = (0.40, 0.60)
ONE_WAY = pytest.mark.parametrize("delay_s", [0.025, 0.050], ids=["50 ms there and back", "50 ms each way"])


@ONE_WAY
def test_one_session_fills_the_link_and_hardly_overruns_it(delay_s: float) -> None:
    link = Link(RATE, delay_s)
    (delivered,) = Bottleneck(link, Flow(0.0)).run(10.0)  # slow start included
    assert delivered >= LEAST_GOODPUT * RATE * 10.0
    assert link.loss <= MOST_LOSS


@pytest.mark.parametrize(("delay_s", "second_starts_at"), [(0.025, 0.0), (0.025, 3.0), (0.050, 0.37)])
def test_two_sessions_share_the_link(delay_s: float, second_starts_at: float) -> None:
    link = Link(RATE, delay_s)
    bottleneck = Bottleneck(link, Flow(0.0), Flow(second_starts_at))
    bottleneck.run(10.0)
    delivered = bottleneck.run(10.0)
    assert sum(delivered) >= LEAST_GOODPUT * RATE * 10.0
    assert SHARES[0] <= delivered[0] / sum(delivered) <= SHARES[1]
    assert link.loss <= MOST_LOSS


def test_nothing_is_sent_twice_that_was_not_lost() -> None:
    link = Link(RATE, 0.025)
    flow = Flow(0.0)
    Bottleneck(link, flow).run(10.0)
    sender = flow.sender.sender
    assert sender.found == 0
    assert sender.resends == link.lost


@pytest.mark.parametrize(("rate", "delay_s", "queue_bytes"), [(2e5, 0.1, 32 << 10), (2e7, 0.005, 128 << 10)])
def test_other_links_are_filled_too(rate: float, delay_s: float, queue_bytes: int) -> None:
    link = Link(rate, delay_s, queue_bytes)
    bottleneck = Bottleneck(link, Flow(0.0))
    bottleneck.run(3.0)
    (delivered,) = bottleneck.run(4.0)
    assert delivered >= LEAST_GOODPUT * rate * 4.0
    assert link.loss <= MOST_LOSS
