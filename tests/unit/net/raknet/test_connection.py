"""Two ends on a wire: how they find each other, keep each other and part.

Bottleneck: A link of 2 MB/s with 50 ms and a queue of 64 KB: filled, hardly overrun, shared.
"""

import pytest
from msgspec.structs import replace

from net.raknet import ClientConnection, Limits, ping
from net.raknet import handshake as off
from net.raknet.client import ConnectPhase
from net.raknet.connection import RaknetSession
from net.raknet.datagram import ACK, Fragment, Frame, Reliability, write_frame
from net.raknet.listener import Listener
from net.raknet.ping import MOST_A_SECOND, read_pong, write_ping
from net.transport.faulty import WireFaults
from tests.support.session.wires import CLIENT, SERVER, Bottleneck, Flow, Link, Pair, entropy

# ---------------------------------------------------------------- connection

LIMITS = Limits()


def datagram(number: int, *frames: Frame) -> bytes:
    return b"\x84" + number.to_bytes(3, "little") + b"".join(map(write_frame, frames))


def test_a_perfect_wire_connects_at_once_with_the_largest_size() -> None:
    pair = Pair()
    pair.connect()
    assert pair.client.stats().mtu_bytes == 1492
    assert pair.now < 100.1


@pytest.mark.parametrize(("largest", "mtu", "after_s"), [(1200, 1200, 2.0), (600, 576, 4.0)])
def test_a_narrow_path_is_probed_down(largest: int, mtu: int, after_s: float) -> None:
    narrow = WireFaults(largest_bytes=largest - 28)
    pair = Pair(up=narrow, down=narrow)
    server = pair.connect()
    assert pair.client.stats().mtu_bytes == server.mtu_bytes == mtu
    assert pair.now == pytest.approx(100 + after_s, abs=0.1)
    server.send(b"\xfe" + bytes(5000))
    assert pair.run(lambda: bool(pair.from_server))


def test_a_client_of_another_version_tries_the_one_the_server_names() -> None:
    pair = Pair(version=11)
    pair.listener = Listener(7, "", entropy(1), versions=(10,))
    pair.connect()


def test_a_server_of_a_strange_version_is_named() -> None:
    pair = Pair()
    pair.listener = Listener(7, "", entropy(1), versions=(99,))
    assert pair.run(lambda: pair.client.closed is not None)
    assert pair.client.closed == "the server speaks RakNet 99, but this client tried 10"


def test_nobody_there_is_said_after_all_tries() -> None:
    client = ClientConnection(SERVER, 1, 0.0)
    sizes = []
    while (timer := client.next_timer()) is not None:
        sizes += [len(request) + 28 for request in client.datagrams(timer)]
    assert sizes == [1492] * 4 + [1200] * 4 + [576] * 4
    assert client.closed == "127.0.0.1 port 19132 does not answer"


@pytest.mark.parametrize("kind", list(off.REFUSALS))
def test_a_refusal_ends_the_attempt_with_its_meaning(kind: int) -> None:
    client = ClientConnection(SERVER, 1, 0.0)
    client.datagrams(0.0)
    client.receive(off.write_offline(off.HandshakeRefusal(kind, 5)), 0.1)
    assert client.closed == off.REFUSALS[kind]
    assert client.datagrams(10.0) == []


def test_a_full_server_says_so() -> None:
    pair = Pair()
    pair.listener = Listener(7, "", entropy(1), most_connections=0)
    assert pair.run(lambda: pair.client.closed is not None)
    assert pair.client.closed == "the server is full"


def test_cookies_are_repeated_and_strangers_without_them_cost_nothing() -> None:
    pair = Pair()
    pair.listener = Listener(7, "", entropy(1), cookies_from=10)
    forged = off.write_offline(off.OpenRequest2(SERVER, 1492, 5, 1234))
    pair.listener.receive(("10.0.0.1", 1), forged, 0.0)
    assert pair.listener.connections == 0
    pair.connect()


def test_a_ping_is_answered_without_a_connection() -> None:
    listener = Listener(7, "MCPE;name;486;1.18.11;0;1;", entropy(1))
    listener.receive(CLIENT, write_ping(55, 1), 0.0)
    ((address, answer),) = listener.datagrams(0.0)
    pong = read_pong(answer)
    assert pong is not None
    assert (address, pong.motd, pong.sent_ms) == (CLIENT, "name", 55)


def test_an_address_is_answered_so_many_pings_a_second_and_keeps_nobody_else_from_an_answer() -> None:
    listener = Listener(7, "MCPE;name;486;1.18.11;0;1;", entropy(1))
    for port in range(100):
        listener.receive(("10.0.0.1", port), write_ping(55, 1), 0.5)
    listener.receive(CLIENT, write_ping(55, 1), 0.5)
    answered = [address[0] for address, _ in listener.datagrams(0.5)]
    assert answered == ["10.0.0.1"] * MOST_A_SECOND + [CLIENT[0]]
    listener.receive(("10.0.0.1", 1), write_ping(55, 1), 1.5)
    assert len(listener.datagrams(1.5)) == 1


def test_a_flood_of_forged_pings_is_answered_and_remembered_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ping, "MOST_ADDRESSES", 50)
    listener = Listener(7, "MCPE;name;486;1.18.11;0;1;", entropy(1))
    for forged in range(1000):
        listener.receive((f"10.0.{forged // 256}.{forged % 256}", 1), write_ping(55, 1), 0.0)
    assert len(listener.datagrams(0.0)) == 50


def test_a_lost_reply_2_is_asked_for_again() -> None:
    pair = Pair()
    pair.exchange()
    pair.exchange()  # request 1, reply 1
    while pair.client.phase is not ConnectPhase.CONNECTING:
        pair.exchange()
        if pair.client.phase is ConnectPhase.OPENING and pair.listener.connections:
            pair.down.pop(pair.now)  # every reply 2 until the client's timer
            break
    pair.connect()


@pytest.mark.parametrize("side", ["client", "server"])
def test_a_goodbye_reaches_the_other_side_after_what_was_sent(side: str) -> None:
    wire = WireFaults(loss=0.2, delay_s=0.03)
    pair = Pair(wire, wire, seed=3)
    server = pair.connect()
    first, second, came = (
        (pair.client, server, pair.from_client) if side == "client" else (server, pair.client, pair.from_server)
    )
    first.send(b"\xfelast words" + bytes(5000))
    first.close("done here", pair.now)
    assert pair.run(lambda: first.closed is not None and second.closed is not None, 20.0)
    assert first.closed == "done here"
    assert second.closed == "the other side closed the connection"
    assert came == [b"\xfelast words" + bytes(5000)]
    assert pair.run(lambda: not pair.listener.connections, 1.0)


def test_silence_ends_both_sides() -> None:
    pair = Pair()
    server = pair.connect()
    pair.up.faults = pair.down.faults = WireFaults(loss=1.0)
    assert pair.run(lambda: bool(pair.client.closed and server.closed), 15.0)
    assert pair.client.closed == server.closed == "the other side has been silent for 10 s"


def test_an_idle_connection_lives() -> None:
    pair = Pair()
    server = pair.connect()
    assert not pair.run(lambda: bool(pair.client.closed or server.closed), 120.0)
    pair.client.send(b"\xfestill here")
    assert pair.run(lambda: pair.from_client == [b"\xfestill here"], 1.0)


def test_a_client_that_never_finishes_is_forgotten() -> None:
    listener = Listener(7, "", entropy(1))
    listener.receive(CLIENT, off.write_offline(off.OpenRequest2(SERVER, 1492, 5, None)), 0.0)
    assert listener.connections == 1
    listener.datagrams(10.0)
    assert listener.connections == 0


def test_held_back_data_are_neither_stored_nor_acknowledged_and_come_later() -> None:
    pair = Pair()
    server = pair.connect()
    pair.run(lambda: False, 1.0)
    pair.client.set_hold(True)
    for _ in range(100):
        server.send(b"\xfe" + bytes(3000))
    pair.run(lambda: False, 30.0)
    assert pair.from_server == []
    assert server.closed is None
    assert pair.client.stats().held_back > 0
    pair.client.set_hold(False)
    assert pair.run(lambda: len(pair.from_server) == 100, 10.0)


def test_a_stream_of_megabytes_through_a_small_buffer_arrives() -> None:
    path = WireFaults(delay_s=0.02, queue_datagrams=92)
    pair = Pair(path, path)
    server = pair.connect()
    start = pair.now
    for index in range(100):
        server.send(bytes((0xFE, index)) + bytes(40_000))
    assert pair.run(lambda: len(pair.from_server) == 100)
    assert [payload[1] for payload in pair.from_server] == list(range(100))
    assert pair.now - start < 3.0  # 4 MB at 92 datagrams every 20 ms are 0.6 s


def test_noise_is_counted_and_changes_nothing() -> None:
    pair = Pair()
    pair.connect()
    for noise in (b"", b"\x00", b"\x84", b"\x84\0\0\0", b"\x84\0\0\0\x60\xff\xff", b"\xc0\0\1", b"\x05" + off.MAGIC):
        pair.client.receive(noise, pair.now)
        pair.listener.receive(CLIENT, noise, pair.now)
    assert pair.client.stats().datagrams_malformed == 7
    pair.client.send(b"\xfefine")
    assert pair.run(lambda: pair.from_client == [b"\xfefine"], 1.0)


def test_a_broken_limit_ends_only_that_session() -> None:
    session = RaknetSession(replace(LIMITS, fragments=10), 1492, 0.0)
    session.receive(datagram(0, Frame(b"x", Reliability.RELIABLE, fragment=Fragment(11, 0, 0))), 0.0)
    assert session.ended == "the other side exceeded a limit: pieces of one payload: 11 is over the limit of 10"
    assert session.datagrams(0.0)[0][0] == ACK
    assert session.next_timer() is None


def test_a_session_holds_no_more_than_its_limits() -> None:
    limits = replace(LIMITS, order_bytes=10_000, partial_bytes=10_000, inbox_bytes=10_000)
    floods = [
        lambda n: Frame(bytes(500), Reliability.RELIABLE_ORDERED, n, 0, n + 1, 0),
        lambda n: Frame(bytes(500), Reliability.RELIABLE, n, fragment=Fragment(9999, 0, n)),
        lambda n: Frame(b"\xfe" + bytes(500), Reliability.RELIABLE, n),
    ]
    for flood in floods:
        session = RaknetSession(limits, 1492, 0.0)
        for number in range(1000):
            session.receive(datagram(number, flood(number)), 0.0)
            assert session.held_bytes <= 10_000 + 600
        assert session.ended is not None


# ---------------------------------------------------------------- bottleneck

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
