"""Who answers a ping, told once each: pure, and over the loopback of this machine."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from net.raknet.address import Address
from net.raknet.ping import Pong, pong_text, write_ping, write_pong
from net.transport.discovery import MOST_SERVERS, Sighting, Sightings, everywhere, scan
from net.transport.udp_server import UdpHost
from tests.support.servers.process import LONG_S, broadcast_address, end_when_heard
from tests.support.session.wires import GreetingHost

HERE: Address = ("192.168.0.7", 19132)


def answer(motd: str, guid: int, sent_ms: int = 1000) -> bytes:
    return write_pong(sent_ms, guid, pong_text(Pong(motd, 486, "1.18.12", 1, 10, guid)))


def test_an_answer_is_a_server_with_its_round_trip() -> None:
    found = Sightings()
    assert found.hear(HERE, answer("one; two", 5), 1025.0)
    (seen,) = found.all()
    assert (seen.address, seen.pong.motd, seen.latency_s, seen.answers) == (HERE, "one; two", 0.025, 1)


def test_one_server_at_several_addresses_is_told_once_where_it_is_nearest() -> None:
    found = Sightings()
    found.hear(HERE, answer("one", 5), 1025.0)
    found.hear(("127.0.0.1", 19132), answer("one", 5), 1001.0)
    found.hear(HERE, answer("one", 5), 1030.0)
    assert [(seen.address, seen.latency_s, seen.answers) for seen in found.all()] == [(("127.0.0.1", 19132), 0.001, 3)]


def test_servers_without_an_id_are_told_apart_by_address() -> None:
    found = Sightings()
    for last in range(3):
        found.hear((f"10.0.0.{last}", 19132), answer("one", 0), 1010.0)
    found.hear(("10.0.0.9", 19132), answer("another", 7), 1002.0)
    assert [seen.address[0] for seen in found.all()] == ["10.0.0.9", "10.0.0.0", "10.0.0.1", "10.0.0.2"]


def test_what_is_no_answer_is_ignored_and_crowds_are_bounded() -> None:
    found = Sightings()
    for odd in (b"", b"\x1c", write_ping(1, 2), write_pong(1, 2, "MCXX;nobody"), answer("cut", 5)[:40]):
        assert not found.hear(HERE, odd, 5.0)
    for guid in range(1, MOST_SERVERS + 10):
        found.hear(HERE, answer("many", guid), 5.0)
    assert len(found.all()) == MOST_SERVERS


def test_everywhere_is_the_lan_and_this_machine_in_both_families() -> None:
    assert set(everywhere((5,))) == {("255.255.255.255", 5), ("127.0.0.1", 5), ("ff02::1", 5), ("::1", 5)}


@contextmanager
def our_server(bind: str, seed: int = 1) -> Iterator[Address]:
    host = UdpHost(GreetingHost(time.monotonic(), seed), (bind, 0))
    thread = threading.Thread(target=host.run)
    thread.start()
    try:
        yield host.address
    finally:
        host.stop()
        thread.join(LONG_S)


def test_our_own_server_is_found_on_the_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    end_when_heard(monkeypatch)
    told: list[tuple[Sighting, ...]] = []
    with our_server("127.0.0.1") as address:
        found = scan([("::1", address[1]), address, ("127.0.0.1", 1)], LONG_S, told.append)
    assert [seen.address for seen in found] == [address]
    assert found[0].pong.protocol == 486
    assert 0.0 <= found[0].latency_s < LONG_S
    assert told[-1][0].address == address


def test_one_broadcast_reaches_all_servers_that_listen_to_the_lan(monkeypatch: pytest.MonkeyPatch) -> None:
    end_when_heard(monkeypatch, servers=2)
    to_all = broadcast_address()
    with our_server("0.0.0.0") as (_, first), our_server("0.0.0.0", seed=2) as (_, second):
        found = scan([(to_all, first), (to_all, second)], LONG_S)
    assert {seen.address[1] for seen in found} == {first, second}
    assert all(seen.address[0] not in {to_all, "0.0.0.0"} for seen in found)


def test_a_server_that_is_asked_twice_over_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    end_when_heard(monkeypatch, answers=2)
    with our_server("0.0.0.0") as (_, port):
        (seen,) = scan([(broadcast_address(), port), ("127.0.0.1", port)], LONG_S)
    assert seen.answers >= 2
