"""An other end that means harm: memory stays under the limits, work under what was asked for, one clear reason."""

import tracemalloc
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from net.raknet.connection import RaknetSession
from net.raknet.datagram import ACK, NACK, Fragment, Frame, Reliability, write_acks, write_frame
from net.raknet.handshake import CONNECTED_PING, ConnectionRequest, write_connection_request, write_ping
from net.raknet.limits import Limits
from tests.support.session.wires import CLIENT, Pair

MB = 1 << 20
SMALL = replace(Limits(), order_bytes=MB, partial_bytes=MB, inbox_bytes=MB, partial_payloads=64, fragments=1 << 14)


def datagram(number: int, *frames: Frame) -> bytes:
    return b"\x84" + (number & 0xFFFFFF).to_bytes(3, "little") + b"".join(map(write_frame, frames))


def ordered(index: int, payload: bytes, fragment: Fragment | None = None, order: int | None = None) -> Frame:
    return Frame(payload, Reliability.RELIABLE_ORDERED, index, 0, index if order is None else order, 0, fragment)


def grown_by(work: Callable[[], object]) -> tuple[int, int]:
    """Bytes that are held after some work, and at its worst."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = work()
        now, worst = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return now - before, worst - before


def flood(session: RaknetSession, make: Callable[[int], bytes], count: int) -> RaknetSession:
    """So many datagrams a tenth of a millisecond apart; the session answers as it would on a wire."""
    for number in range(count):
        session.receive(make(number), number * 1e-4)
        session.datagrams(number * 1e-4)
        if session.ended is not None:
            break
    return session


@pytest.mark.parametrize("size", [1, 100, 1400])
def test_payloads_that_never_end_are_held_to_the_limit_and_end_the_session(size: int) -> None:
    session = RaknetSession(SMALL, 1492, 0.0)

    def make(number: int) -> bytes:
        fragment = Fragment(1 << 14, number % 60, number // 60)
        return datagram(number, ordered(number, b"\xfe" * size, fragment, number % 60))

    held, _ = grown_by(lambda: flood(session, make, 20_000))
    assert session.ended is not None
    assert "bytes of incomplete payloads" in session.ended
    assert held <= 1.3 * MB


@pytest.mark.parametrize("size", [1, 100, 1400])
def test_payloads_that_wait_for_one_that_never_comes_are_held_to_the_limit(size: int) -> None:
    session = RaknetSession(SMALL, 1492, 0.0)
    held, _ = grown_by(
        lambda: flood(session, lambda number: datagram(number, ordered(number + 1, b"\xfe" * size)), 60_000)
    )
    assert session.ended is not None
    assert "waiting for an earlier payload" in session.ended
    assert held <= 1.3 * MB


def test_sequenced_payloads_far_ahead_are_held_to_the_limit() -> None:
    session = RaknetSession(SMALL, 1492, 0.0)

    def make(number: int) -> bytes:
        return datagram(number, Frame(b"\xfe", Reliability.UNRELIABLE_SEQUENCED, 0, 0, number + 1, number % 32))

    held, _ = grown_by(lambda: flood(session, make, 60_000))
    assert session.ended is not None
    assert held <= 1.3 * MB


def test_four_gigabytes_are_not_made_room_for() -> None:
    session = RaknetSession(Limits(), 1492, 0.0)
    payload = datagram(0, ordered(0, b"x", Fragment(0xFFFFFFFF, 0, 0)))
    _, worst = grown_by(lambda: session.receive(payload, 0.0))
    assert (
        session.ended == "the other side exceeded a limit: pieces of one payload: 4294967295 is over the limit of 16384"
    )
    assert worst < 1 << 16


def test_datagrams_with_gaps_everywhere_cost_a_bounded_memory() -> None:
    session = RaknetSession(SMALL, 1492, 0.0)
    held, _ = grown_by(
        lambda: flood(session, lambda number: datagram(2 * number, Frame(b"\x03" * 9, Reliability.UNRELIABLE)), 5_000)
    )
    assert session.ended is None
    assert held < 1 << 19


def test_a_million_ranges_that_say_nothing_change_nothing() -> None:
    session = RaknetSession(Limits(), 1492, 0.0)
    session.send(b"\xfe" + bytes(100_000))
    session.datagrams(0.0)
    on_the_way = session.sender.in_flight_bytes
    ranges = [(0x400000 + 7 * at, 0x400000 + 7 * at + 3) for at in range(200)]
    empty = bytes((ACK,)) + (200).to_bytes(2, "big") + b"\x00\x05\x00\x00\x04\x00\x00" * 200
    (nowhere,) = write_acks(ACK, ranges, 1464)
    for _ in range(2_500):
        session.receive(nowhere, 0.1)
        session.receive(empty, 0.1)
    assert session.sender.in_flight_bytes == on_the_way
    assert session.malformed == 2_500  # ranges that end before they begin are no ranges
    assert session.ended is None
    assert session.held_bytes == 0


def test_a_nack_storm_is_answered_no_faster_than_the_pace() -> None:
    session = RaknetSession(Limits(), 1492, 0.0)
    session.send(b"\xfehello")
    session.datagrams(0.0)
    session.receive(b"".join(write_acks(ACK, [(0, 0)], 1464)), 0.05)
    session.send(b"\xfe" * 200_000)
    (everything,) = write_acks(NACK, [(0, 0x7FFFFE)], 1464)
    sent = 0
    for millisecond in range(50, 1050):
        sent += sum(map(len, session.datagrams(millisecond / 1000)))
        session.receive(everything, millisecond / 1000)
    smallest_window = 8 * 1464
    assert sent < 1.25 * smallest_window / 0.05 * 1.0 + 3 * Limits().first_window_bytes
    assert session.ended is None


def test_requests_to_connect_without_end_are_answered_once() -> None:
    pair = Pair()
    while not pair.listener.connections:
        pair.exchange()
        pair.now += 0.01
    request = write_connection_request(ConnectionRequest(9, 5))
    for number in range(200):
        frames = [Frame(request, Reliability.RELIABLE, number * 40 + at) for at in range(40)]
        pair.listener.receive(CLIENT, datagram(number, *frames), pair.now)
    (connection,) = pair.listener._connections.values()
    assert connection.backlog.queued_bytes < 1000


def test_replayed_datagrams_are_heard_once() -> None:
    session = RaknetSession(Limits(), 1492, 0.0)
    stream = [datagram(number, ordered(number, b"\xfe" + bytes((number,)))) for number in range(50)]
    for _ in range(20):
        for each in stream:
            session.receive(each, 0.0)
            session.datagrams(0.0)
    payloads = []
    while (payload := session.next_payload()) is not None:
        payloads.append(payload)
    assert payloads == [b"\xfe" + bytes((number,)) for number in range(50)]
    assert session.arrivals.repeated == 19 * 50


def test_a_server_that_lost_its_memory_is_given_up_with_one_reason() -> None:
    pair = Pair()
    pair.connect()
    pair.listener = Pair(seed=5).listener  # restarted: it has never heard of the client
    assert pair.run(lambda: pair.client.closed is not None, 20.0)
    assert pair.client.closed == "the other side has been silent for 10 s"


def test_a_client_whose_port_changes_is_a_stranger_and_may_come_again() -> None:
    pair = Pair()
    server = pair.connect()
    elsewhere = (CLIENT[0], CLIENT[1] + 1)
    pair.client.send(b"\xfelost")
    for each in pair.client.datagrams(pair.now):
        pair.listener.receive(elsewhere, each, pair.now)
    assert pair.listener.strangers_malformed >= 1
    assert server.next_payload() is None
    assert all(address == CLIENT for address, _ in pair.listener.datagrams(pair.now + 3.0))
    assert pair.listener.connections == 1


def test_pings_without_a_time_are_not_answered_with_five_times_their_size() -> None:
    session = RaknetSession(Limits(), 1492, 0.0)
    session.receive(datagram(0, *[Frame(bytes((CONNECTED_PING,)), Reliability.UNRELIABLE)] * 300), 0.1)
    assert sum(map(len, session.datagrams(0.2))) < 20  # the acknowledgement
    session.receive(datagram(1, Frame(write_ping(77), Reliability.UNRELIABLE)), 0.3)
    assert any((77).to_bytes(8, "big") in out for out in session.datagrams(0.4))
