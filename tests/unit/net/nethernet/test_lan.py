"""LAN discovery by example: vectors, a join by signals, each of them lost, and what strangers send."""

from collections.abc import Callable

import pytest

from net.errors import DecodeError
from net.nethernet.connection import NetherNetConnection
from net.nethernet.discovery import (
    DiscoveryKind,
    DiscoveryPacket,
    HostedWorld,
    Signal,
    SignalKind,
    read_discovery,
    read_signal,
    read_world,
    write_discovery,
    write_signal,
    write_world,
)
from net.nethernet.ice import FAILED_S, MOST_ADDRESSES
from net.nethernet.lan import ANSWER_S, MOST_ANSWERS, OFFER_AGAIN_S, LanHost, LanLink
from net.nethernet.listener import MOST_UNOPENED_A_HOST, OfferRefused
from net.nethernet.sdp import INCOMING_IGNORED, RESPONSE_TIMEOUT, read_description
from net.raknet.handshake import Address
from net.raknet.ping import MOST_A_SECOND
from tests.support.session.nethernet_pair import CLIENT, HOST, HOST_ID, SERVER, WORLD, LanPair

MOST_TEXT_BYTES = 1140
"""Limit of a message's text in the game."""

REQUEST = write_discovery(DiscoveryPacket(DiscoveryKind.REQUEST, 5))

# ---------------------------------------------------------------- vectors of the design


def test_a_request_and_an_empty_message_of_the_design() -> None:
    request = (
        "d9cdc0ee7d91a5dd1849e0febcb0c3cb441cad8301cedd837d79de311a2f98890897653771e731b43266d7f0dde16ca1ff0f8709e13bf685"
        "8e2051c321db615e"
    )
    empty = (
        "a51b65d2969c4e89861d6af9c7cbc74de299b1a26a42416600dc3471b24655f2960a727872c6d638e2c546a0f35d8c2797f33f00815640bd"
        "54cceb57c19eadce16b068801060a3aa8ddf5c00d45f5592"
    )
    asked = DiscoveryPacket(DiscoveryKind.REQUEST, 0x1122334455667788)
    said = DiscoveryPacket(DiscoveryKind.MESSAGE, 1, b"", 777)
    assert (write_discovery(asked).hex(), write_discovery(said).hex()) == (request, empty)
    assert (read_discovery(bytes.fromhex(request)), read_discovery(bytes.fromhex(empty))) == (asked, said)


def test_the_world_of_a_dedicated_server_reads_and_is_written_as_it_was_captured() -> None:
    captured = bytes.fromhex(
        "0712707269736d6172696e652d6861726e657373a22207312e32362e35310d426564726f636b206c6576656c00140000000001103161633565"
        "343831393932633235613008"
    )
    world = read_world(captured)
    assert world == HostedWorld(
        7, "prismarine-harness", 2193, "1.26.51", "Bedrock level", 0, 10, 0, True, "1ac5e481992c25a0"
    )
    assert write_world(world) == captured
    assert (world.pong.motd, world.pong.protocol, world.pong.game_mode) == ("prismarine-harness", 2193, "Survival")


def test_older_forms_of_a_world_read_and_say_no_protocol() -> None:
    of_go = b"\x06\x0aprobe name\x09the level\x00" + bytes.fromhex("03000000 0a000000 00 00 01 01 00 04 08")
    assert read_world(of_go) == HostedWorld(6, "probe name", 0, "", "the level", 3, 10)
    oldest = b"\x04\x04name\x05level\x02" + bytes.fromhex("01000000 08000000")
    for more in (b"", b"\x00\x00\x08\x10"):
        assert read_world(oldest + more) == HostedWorld(4, "name", 0, "", "level", 1, 8, 1)
    assert read_world(b"\x09\x03newest") == HostedWorld(9, "new")
    for broken in (b"", b"\x07", b"\x07\xff\xff\xff\xff\x0f", of_go[:9], b"\x04\xff"):
        with pytest.raises(DecodeError):
            read_world(broken)


def test_a_name_that_is_too_long_is_cut_between_letters() -> None:
    world = HostedWorld(name="ü" * 300, level="x" * 300, nonce="0" * 300)
    assert read_world(write_world(world)).name == "ü" * 64
    assert len(write_world(world)) < 574


def test_signals_are_split_at_the_first_two_blanks() -> None:
    signal = Signal(SignalKind.CANDIDATE, (1 << 64) - 1, "candidate:1 1 udp 5 127.0.0.1 5 typ host")
    assert write_signal(signal) == b"CANDIDATEADD 18446744073709551615 candidate:1 1 udp 5 127.0.0.1 5 typ host"
    assert read_signal(write_signal(signal)) == signal
    assert read_signal(b"") is read_signal(b"Ping") is None
    for text in (b"Pong", b"CONNECTERROR 5", b"CONNECTERROR x 5", b"HELLO 5 x", b"CONNECTERROR 18446744073709551616 5"):
        with pytest.raises(DecodeError):
            read_signal(text)


# ---------------------------------------------------------------- joins


def joined(pair: LanPair) -> NetherNetConnection:
    server = pair.join()
    pair.client.send(b"hello")
    server.send(b"welcome")
    assert pair.run(lambda: bool(pair.from_client and pair.from_server)), pair.client.closed
    assert (pair.from_client, pair.from_server) == ([b"hello"], [b"welcome"])
    return server


def test_a_client_joins_by_signals_of_a_datagrams_size() -> None:
    pair = LanPair()
    assert len(pair.offer.text) <= MOST_TEXT_BYTES - len(f"{SignalKind.OFFER} {1 << 64} ")
    assert read_description(pair.offer.text).candidates == ()
    joined(pair)
    assert pair.listener.connections == 1
    assert (pair.client.batch_header, pair.client.encrypts) == (b"", False)


@pytest.mark.parametrize("lost", [frozenset({at}) for at in range(4)] + [frozenset(range(3))])
def test_a_signal_that_is_lost_is_said_again(lost: frozenset[int]) -> None:
    pair = LanPair(lost=lost)
    joined(pair)
    assert pair.listener.connections == 1
    assert pair.now < ANSWER_S


def test_a_host_that_wants_to_know_who_offers_is_told() -> None:
    pair = LanPair(signed=True)
    server = joined(pair)
    form = server.login_key
    assert form is not None
    assert form.public_numbers() == pair.offer.key.public_key().public_numbers()


# ---------------------------------------------------------------- what fails


def link(pair: LanPair) -> LanLink:
    assert isinstance(pair.client, LanLink)
    return pair.client


def said(client: LanLink, now: float) -> list[Signal | None]:
    return [read_signal(read_discovery(datagram).body) for _, datagram in client.outgoing(now)]


def from_host(client: LanLink, kind: SignalKind, data: str, **other: int) -> bytes:
    signal = Signal(kind, other.get("connection", client._number), data)
    sender, recipient = other.get("sender", HOST_ID), other.get("recipient", client._offer.network_id)
    return write_discovery(DiscoveryPacket(DiscoveryKind.MESSAGE, sender, write_signal(signal), recipient))


def test_a_host_that_does_not_answer_is_given_up_and_told_so() -> None:
    client = link(LanPair())
    assert [each.kind for each in said(client, 0.0) if each] == [SignalKind.OFFER]
    assert client.next_timer() == OFFER_AGAIN_S
    (again,) = said(client, OFFER_AGAIN_S)
    assert again is not None
    assert again.kind is SignalKind.OFFER
    (last,) = said(client, ANSWER_S)
    assert last == Signal(SignalKind.ERROR, again.connection, str(RESPONSE_TIMEOUT))
    assert client.closed == "the host did not answer the offer within 10 s (LAN signalling)"
    assert client.next_timer() is None


@pytest.mark.parametrize(
    ("kind", "data", "wanted"),
    [
        (SignalKind.ERROR, "16", "refuses the offer: it ignores join requests (code 16)"),
        (SignalKind.ERROR, "no", "refuses the offer: the error code is not a number"),
        (SignalKind.ANSWER, "v=0", "the server's answer is not a session description"),
        (SignalKind.ANSWER, "16", "the server refuses the offer"),
    ],
)
def test_what_a_host_answers_instead_is_one_sentence(kind: SignalKind, data: str, wanted: str) -> None:
    client = link(LanPair())
    client.receive(from_host(client, kind, data), 0.1, HOST)
    assert client.closed is not None
    assert wanted in client.closed
    assert client.outgoing(0.2) == []


def test_a_second_refusal_for_the_signature_is_the_end() -> None:
    client = link(LanPair())
    said(client, 0.0)
    client.receive(from_host(client, SignalKind.ERROR, "37"), 0.1, HOST)
    (again,) = said(client, 0.1)
    assert again is not None
    assert "a=identity" in again.data
    client.receive(from_host(client, SignalKind.ERROR, "37"), 0.2, HOST)
    assert client.closed is not None
    assert "(code 37)" in client.closed


def test_signals_of_others_are_counted_and_nothing_else() -> None:
    client = link(LanPair())
    refusal = str(INCOMING_IGNORED)
    strangers = [
        (from_host(client, SignalKind.ERROR, refusal, sender=9), HOST),
        (from_host(client, SignalKind.ERROR, refusal, recipient=9), HOST),
        (from_host(client, SignalKind.ERROR, refusal, connection=9), HOST),
        (from_host(client, SignalKind.ERROR, refusal), ("127.0.0.1", 7552)),
        (b"x" * 64, HOST),
        (write_discovery(DiscoveryPacket(DiscoveryKind.RESPONSE, 9, write_world(WORLD))), HOST),
    ]
    for datagram, sender in strangers:
        client.receive(datagram, 0.1, sender)
    assert client.closed is None
    assert client.stats().datagrams_malformed == client.stats().datagrams_in == len(strangers)


def test_a_join_that_is_replayed_to_both_ends_changes_nothing() -> None:
    pair = LanPair()
    to_host, to_client = list[bytes](), list[bytes]()
    receive, client = pair.host.receive, link(pair)

    def heard(address: Address, datagram: bytes, own: Callable[[], tuple[Address, ...]], now: float) -> list[bytes]:
        to_host.append(datagram)
        answers = receive(address, datagram, own, now)
        to_client.extend(answers)
        return answers

    pair.host.receive = heard  # type: ignore[method-assign]
    server = joined(pair)
    assert to_host
    assert to_client
    stranger, answered = ("192.168.0.66", 5), list[bytes]()
    for datagram in to_host:
        answered += receive(CLIENT, datagram, lambda: (SERVER,), pair.now)
        answered += receive(stranger, datagram, lambda: (SERVER,), pair.now)
    for datagram in to_client:
        client.receive(datagram, pair.now, HOST)
    assert pair.listener.connections <= 1 + len(to_host), "a session a stranger and offer, until it is given up"
    assert sum(map(len, answered)) <= 2 * sum(map(len, to_client))
    pair.client.send(b"still here")
    assert pair.run(lambda: pair.from_client[1:] == [b"still here"])
    assert (pair.client.closed, server.closed) == (None, None)


def test_no_more_candidates_are_kept_than_are_tried() -> None:
    client = link(LanPair())
    for port in range(1, 1000):
        text = f"candidate:1 1 udp 5 127.0.0.1 {port} typ host"
        client.receive(from_host(client, SignalKind.CANDIDATE, text), 0.1, HOST)
    assert len(client._early) == MOST_ADDRESSES


# ---------------------------------------------------------------- what strangers send to a host


class Answerer:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.offers = 0

    def answer(self, offer: str, host: str, own: tuple[Address, ...], now: float, *, lan: bool) -> str:
        self.offers += 1
        if offer == "full":
            raise OfferRefused(503, "the server is full", INCOMING_IGNORED)
        return f"v=0\r\na=candidate:1 1 udp 5 {own[0][0]} {own[0][1]} typ host\r\n"

    def hosted_world(self) -> HostedWorld:
        return WORLD


def offer(connection: int, sender: int = 5, text: str = "v=0", recipient: int = HOST_ID) -> bytes:
    signal = write_signal(Signal(SignalKind.OFFER, connection, text))
    return write_discovery(DiscoveryPacket(DiscoveryKind.MESSAGE, sender, signal, recipient))


def asked(host: LanHost, datagram: bytes, now: float = 0.0, address: Address = CLIENT) -> list[DiscoveryPacket]:
    return [read_discovery(answer) for answer in host.receive(address, datagram, lambda: (SERVER,), now)]


def test_a_host_says_its_world_and_what_to_repeat() -> None:
    host = LanHost(Answerer(), HOST_ID, "abc")
    (answer,) = asked(host, REQUEST)
    assert (answer.kind, answer.sender) == (DiscoveryKind.RESPONSE, HOST_ID)
    assert (read_world(answer.body).name, read_world(answer.body).nonce) == ("a host", "abc")


def test_an_offer_that_comes_again_is_answered_by_the_same_and_costs_nothing() -> None:
    answerer = Answerer()
    host = LanHost(answerer, HOST_ID)
    first = asked(host, offer(1))
    assert [packet.recipient for packet in first] == [5, 5]
    assert [str(packet.body[:12], "ascii") for packet in first] == ["CONNECTRESPO", "CANDIDATEADD"]
    assert asked(host, offer(1), 1.0) == first
    assert answerer.offers == 1
    asked(host, offer(1), FAILED_S)
    asked(host, offer(1, sender=6), FAILED_S)
    asked(host, offer(2), FAILED_S)
    assert answerer.offers == 4
    (refusal,) = asked(host, offer(3, text="full"), FAILED_S)
    assert refusal.body == b"CONNECTERROR 3 16"


def test_what_is_not_for_a_host_is_not_answered() -> None:
    host = LanHost(Answerer(), HOST_ID)
    ignored = [
        write_discovery(DiscoveryPacket(DiscoveryKind.REQUEST, HOST_ID)),  # its own
        write_discovery(DiscoveryPacket(DiscoveryKind.RESPONSE, 5, write_world(WORLD))),
        write_discovery(DiscoveryPacket(DiscoveryKind.MESSAGE, 0, b"", HOST_ID)),
        write_discovery(DiscoveryPacket(DiscoveryKind.MESSAGE, 5, b"Ping", HOST_ID)),
        write_discovery(DiscoveryPacket(DiscoveryKind.MESSAGE, 5, b"CANDIDATEADD 1 x", HOST_ID)),
        offer(1, recipient=9),
    ]
    assert [asked(host, datagram) for datagram in ignored] == [[]] * len(ignored)
    assert (host.malformed, host.unanswered) == (0, 0)
    broken = [b"", b"x" * 31, b"x" * 80, b"x" * 20_000, REQUEST[:-1], REQUEST[:-16], bytes(32) + REQUEST[32:]]
    broken.append(write_discovery(DiscoveryPacket(DiscoveryKind.MESSAGE, 5, b"no signal", HOST_ID)))
    assert [asked(host, datagram) for datagram in broken] == [[]] * len(broken)
    assert host.malformed == len(broken)


def test_one_machine_is_answered_so_often_a_second_and_strangers_of_the_internet_never() -> None:
    host = LanHost(Answerer(), HOST_ID)
    answers = [asked(host, REQUEST, 0.5, ("127.0.0.1", port)) for port in range(1, 100)]
    assert sum(map(len, answers)) == MOST_A_SECOND
    assert host.unanswered == 99 - MOST_A_SECOND
    assert asked(host, REQUEST, 1.5)
    for public in ("8.8.8.8", "::ffff:8.8.8.8", "2001:4860:4860::8888", "nowhere"):
        assert asked(host, REQUEST, 1.5, (public, 5)) == []
    for near in ("192.168.0.7", "10.0.0.1", "fe80::1%2", "::1", "::ffff:192.168.0.7"):
        assert asked(host, REQUEST, 1.5, (near, 5))


def test_a_flood_of_offers_costs_a_bounded_number_of_sessions_and_answers() -> None:
    pair = LanPair()
    text = pair.offer.text
    for second in range(20):
        for connection in range(MOST_A_SECOND):
            pair.host.receive(CLIENT, offer(connection, second, text), lambda: (SERVER,), second / 2)
    assert pair.listener.connections == MOST_UNOPENED_A_HOST
    assert len(pair.host._answers) == MOST_ANSWERS
