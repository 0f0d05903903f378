"""Real sockets of this machine: the thread, the host's loop, the ping. Waits end with what they wait for.

Discovery: Who answers a ping, told once each: pure, and over the loopback of this machine.
"""

import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from net.bedrock import Codec, NetworkStackLatency, SetTime
from net.errors import ConnectionClosed, LocalProtocolError
from net.peer import ClientPeer, Closed, Event, Joined, Received
from net.raknet.handshake import Address
from net.raknet.ping import Pong, pong_text, write_ping, write_pong
from net.transport.discovery import MOST_SERVERS, Sighting, Sightings, everywhere, ping, scan
from net.transport.udp import UdpTransport, address_of_socket, open_socket, resolve, socket_name
from net.transport.udp_server import UdpHost
from tests.support.servers.process import LONG_S, broadcast_address, end_when_heard
from tests.support.session.wires import ADA, UNIX_TIME, GreetingHost

# ---------------------------------------------------------------- udp

PATIENCE_S = 200.0


@contextmanager
def serving(
    bind: Address = ("127.0.0.1", 0), afterwards: Sequence[bytes] = ()
) -> Iterator[tuple[GreetingHost, UdpHost]]:
    """A host on a thread; tests look only at what it has kept."""
    host = GreetingHost(time.monotonic(), afterwards=afterwards)
    loop = UdpHost(host, bind)
    thread = threading.Thread(target=loop.run)
    thread.start()
    try:
        yield host, loop
    finally:
        loop.stop()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def peer(server: Address) -> ClientPeer:
    return ClientPeer(server, Codec(), ADA, time.monotonic(), UNIX_TIME, os.urandom)


@contextmanager
def joining(server: Address, **options: int) -> Iterator[UdpTransport]:
    transport = UdpTransport(peer(server), server, **options)
    try:
        yield transport
    finally:
        transport.close("test over")
        assert not transport._thread.is_alive()


def collect(transport: UdpTransport, until: Callable[[list[Event]], bool]) -> list[Event]:
    events: list[Event] = []
    end = time.monotonic() + PATIENCE_S
    while not until(events) and time.monotonic() < end:
        events += transport.events()
        select.select([], [], [], 0.002)
    assert until(events), events
    return events


def joined(events: list[Event]) -> bool:
    return any(isinstance(event, Joined) for event in events)


def until_closed(events: list[Event]) -> bool:
    return any(isinstance(event, Closed) for event in events)


def test_a_client_joins_talks_and_leaves() -> None:
    with serving() as (host, loop), joining(loop.address) as transport:
        collect(transport, joined)
        transport.send(NetworkStackLatency(5, False))
        transport.close("seen enough")
        assert transport.events()[-1] == Closed("seen enough")
        assert transport.stats().packets_out >= 5
        assert transport.receive_buffer_bytes > 0
        heard = [event.message for event in host.events if isinstance(event, Received)]
        assert NetworkStackLatency(5, False) in heard


def test_it_works_over_ipv6() -> None:
    try:
        probe = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        probe.bind(("::1", 0))
        probe.close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with serving(("::1", 0)) as (_, loop), joining(loop.address) as transport:
        collect(transport, joined)


def test_a_full_inbox_leaves_the_rest_with_the_server_until_it_is_emptied() -> None:
    flood = [b"\xe7\x07" + os.urandom(2200) for _ in range(300)]
    with serving(afterwards=flood) as (_, loop), joining(loop.address, inbox_bytes=20_000) as transport:
        end = time.monotonic() + PATIENCE_S
        while transport._inbox_bytes <= 20_000 and time.monotonic() < end:
            select.select([], [], [], 0.002)
        assert transport._inbox_bytes < 20_000 + 5_000, "one event over the bound, not all"
        events = collect(transport, lambda events: sum(isinstance(event, Received) for event in events) >= 305)
        numbers = [event.number for event in events if isinstance(event, Received)]
        assert numbers == list(range(305)), "five of the login, then the flood"


def test_a_message_without_a_wire_form_is_told_where_it_is_sent() -> None:
    with serving() as (_, loop), joining(loop.address) as transport, pytest.raises(LocalProtocolError):
        transport.send(SetTime(1 << 40))


def test_a_port_where_nobody_listens_is_told_soon() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with joining(("127.0.0.1", port)) as transport:
        events = collect(transport, until_closed)
        assert events[-1] == Closed(f"nothing listens at 127.0.0.1 port {port}")


def test_a_fault_of_our_own_on_the_thread_is_raised_where_the_owner_looks() -> None:
    with serving() as (_, loop), joining(loop.address) as transport:
        collect(transport, joined)

        def broken(_now: float) -> list[tuple[Address, bytes]]:
            raise ZeroDivisionError("a bug")

        transport._peer.outgoing = broken
        transport.send(SetTime(1))
        with pytest.raises(ZeroDivisionError):
            collect(transport, lambda _events: False)


def test_a_ping_is_answered_and_silence_is_none() -> None:
    with serving() as (_, loop):
        pong = ping(loop.address, PATIENCE_S)
        assert pong is not None
        assert (pong.motd, pong.protocol, pong.max_players) == ("pair", 486, 9)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        assert ping(mute.getsockname(), 0.05) is None


def test_a_host_says_goodbye_when_it_is_stopped() -> None:
    host = GreetingHost(time.monotonic())
    loop = UdpHost(host)

    def goodbye(now: float) -> None:
        for each in host.peers:
            each.close("closing time", now)

    thread = threading.Thread(target=loop.run, args=(goodbye,))
    thread.start()
    with joining(loop.address) as transport:
        collect(transport, joined)
        loop.stop()
        loop.stop()
        events = collect(transport, until_closed)
        assert events[-1] == Closed("the server ended the session: closing time")
    thread.join(PATIENCE_S)
    loop.stop()


def test_a_host_that_nobody_has_joined_ends_without_a_goodbye() -> None:
    loop = UdpHost(GreetingHost(time.monotonic()))
    loop.stop()
    told: list[float] = []
    thread = threading.Thread(target=loop.run, args=(told.append, 1e6))
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert len(told) == 1


def test_names_are_resolved_and_unknown_ones_are_said() -> None:
    assert resolve("127.0.0.1", 5) == ("127.0.0.1", 5)
    with pytest.raises(ConnectionClosed, match="has no address"):
        resolve("no-such-name.invalid", 5)
    with pytest.raises(ConnectionClosed):
        resolve("x" * 300, 5)


@pytest.mark.parametrize("host", ["255.255.255.255", "fe80::1%999999"])
def test_an_address_without_a_way_to_it_is_told_and_leaves_no_socket(host: str) -> None:
    for attempt in (lambda: UdpTransport(peer((host, 5)), (host, 5)), lambda: ping((host, 5), 0.1)):
        with pytest.raises(ConnectionClosed, match="cannot be reached from here"):
            attempt()


@pytest.mark.parametrize(
    ("answers", "chosen"),
    [
        (("::1", "127.0.0.1"), "127.0.0.1"),  # ``localhost`` on Debian, Fedora, macOS and Windows
        (("127.0.0.1", "::1"), "127.0.0.1"),
        (("::1",), "::1"),
        (("::1", "255.255.255.255"), "::1"),  # no system sends to the second without being told to broadcast
    ],
)
def test_a_name_with_both_kinds_of_addresses_is_a_server_that_listens_to_ipv4(
    monkeypatch: pytest.MonkeyPatch, answers: tuple[str, ...], chosen: str
) -> None:
    def names(*_about: object, **_more: object) -> list[tuple[object, ...]]:
        return [
            (socket.AF_INET6, socket.SOCK_DGRAM, 17, "", (host, 5, 0, 0))
            if ":" in host
            else (socket.AF_INET, socket.SOCK_DGRAM, 17, "", (host, 5))
            for host in answers
        ]

    monkeypatch.setattr(socket, "getaddrinfo", names)
    assert resolve("localhost", 5) == (chosen, 5)


def test_an_address_of_one_link_keeps_the_link() -> None:
    assert address_of_socket(("fe80::1", 19132, 0, 4)) == ("fe80::1%4", 19132)
    assert address_of_socket(("::1", 19132, 0, 0)) == ("::1", 19132)
    assert address_of_socket(("10.0.0.1", 19132)) == ("10.0.0.1", 19132)
    assert resolve("fe80::1%1", 5) == ("fe80::1%1", 5)
    with open_socket(("::1", 0)) as six, open_socket(("127.0.0.1", 0)) as four:
        assert socket_name(("fe80::1%4", 19132), six) == ("fe80::1", 19132, 0, 4)
        assert socket_name(("10.0.0.1", 19132), four) == ("10.0.0.1", 19132)
        assert socket_name(("10.0.0.1", 19132), six) == ("::ffff:10.0.0.1", 19132)
    assert address_of_socket(("::ffff:10.0.0.1", 19132, 0, 0)) == ("10.0.0.1", 19132)
    assert address_of_socket(("::ffff:a00:1", 19132, 0, 0)) == ("::ffff:a00:1", 19132)


# ---------------------------------------------------------------- discovery

HERE: Address = ("192.168.0.7", 19132)


def answer(motd: str, guid: int, sent_ms: int = 1000) -> bytes:
    return write_pong(sent_ms, guid, pong_text(Pong(motd, 486, "1.18.12", 1, 10, guid)))


def test_an_answer_is_a_server_with_its_round_trip() -> None:
    found = Sightings()
    assert found.receive(HERE, answer("one; two", 5), 1025.0)
    (seen,) = found.all()
    assert (seen.address, seen.pong.motd, seen.latency_s, seen.answers) == (HERE, "one; two", 0.025, 1)


def test_one_server_at_several_addresses_is_told_once_where_it_is_nearest() -> None:
    found = Sightings()
    found.receive(HERE, answer("one", 5), 1025.0)
    found.receive(("127.0.0.1", 19132), answer("one", 5), 1001.0)
    found.receive(HERE, answer("one", 5), 1030.0)
    assert [(seen.address, seen.latency_s, seen.answers) for seen in found.all()] == [(("127.0.0.1", 19132), 0.001, 3)]


def test_servers_without_an_id_are_told_apart_by_address() -> None:
    found = Sightings()
    for last in range(3):
        found.receive((f"10.0.0.{last}", 19132), answer("one", 0), 1010.0)
    found.receive(("10.0.0.9", 19132), answer("another", 7), 1002.0)
    assert [seen.address[0] for seen in found.all()] == ["10.0.0.9", "10.0.0.0", "10.0.0.1", "10.0.0.2"]


def test_what_is_no_answer_is_ignored_and_crowds_are_bounded() -> None:
    found = Sightings()
    for odd in (b"", b"\x1c", write_ping(1, 2), write_pong(1, 2, "MCXX;nobody"), answer("cut", 5)[:40]):
        assert not found.receive(HERE, odd, 5.0)
    for guid in range(1, MOST_SERVERS + 10):
        found.receive(HERE, answer("many", guid), 5.0)
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
