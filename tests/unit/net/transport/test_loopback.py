"""The loopback is a transport, runs in virtual time and comes to rest."""

import pytest

from net.peer import Closed, Joined
from net.transport.faulty import WireFaults
from net.transport.interface import Transport
from net.transport.loopback import CLIENT_ADDRESS
from tests.support.session.wires import PeerPair


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
