"""NetherNet by example: vectors, the whole stack, and each step that may go wrong with the words for it."""

import base64
import json

import pytest
from msgspec.structs import replace

from net.bedrock.login.tokens import lenient_base64, new_key
from net.errors import ConnectionClosed, DecodeError, LocalProtocolError
from net.nethernet import sctp, stun
from net.nethernet.connection import OPEN_S, NetherNetConnection
from net.nethernet.dtls import DtlsCertificate, is_dtls
from net.nethernet.ice import MOST_ADDRESSES
from net.nethernet.identity import check_identity, write_identity
from net.nethernet.listener import MOST_UNOPENED, MOST_UNOPENED_A_HOST, NetherNetListener, OfferRefused
from net.nethernet.offer import ClientOffer
from net.nethernet.sctp_association import WINDOW_BYTES, SctpAssociation
from net.nethernet.sdp import MESSAGE_BYTES, MOST_BYTES, DtlsRole, read_description, write_description
from net.nethernet.stun import StunKind, is_stun, read_stun, write_stun
from net.raknet import Limits
from net.raknet.handshake import Address
from net.transport.faulty import PERFECT, WireFaults
from tests.support.session.nethernet_pair import CLIENT, SERVER, UNIX_TIME, AssociationPair, NetherNetPair
from tests.support.session.wires import AssociationFlow, Bottleneck, Link, entropy

PRINTS = (("sha-256", "AA:BB"),)


def test_the_checksum_of_the_standard() -> None:
    assert sctp.crc32c(b"123456789") == 0xE3069283


def test_a_stun_message_of_the_design() -> None:
    wanted = (
        "000100302112a442000102030405060708090a0b0006000c72656d6f74653a6c6f63616c000800147e5f224ec59960fad1c35c9d96c4d0"
        "3222156e7480280004030c4e12"
    )
    said = write_stun(StunKind.REQUEST, bytes(range(12)), [(stun.USERNAME, b"remote:local")], b"password")
    assert said.hex() == wanted
    assert read_stun(said).is_signed_by(b"password")


def test_raknet_is_taken_for_nothing_of_it() -> None:
    ping = b"\x01" + bytes(8) + bytes.fromhex("00ffff00fefefefefdfdfdfd12345678") + bytes(8)
    assert not is_stun(ping)
    assert not is_dtls(ping)
    assert not is_stun(b"\x05" + bytes(1400))


# ---------------------------------------------------------------- the whole stack


def test_packets_of_all_sizes_pass_both_ways() -> None:
    pair = NetherNetPair()
    server = pair.join()
    assert (pair.client.batch_header, pair.client.encrypts) == (b"", False)
    packets = [entropy(str(size))(size) for size in (1, 15, 262_143, 262_144, 700_000)]
    for packet in packets:
        pair.client.send(packet)
        server.send(packet)
    assert pair.run(lambda: len(pair.from_server) == len(pair.from_client) == len(packets))
    assert pair.from_server == pair.from_client == packets
    assert server.stats().resends == pair.client.stats().resends == 0
    pair.client.close("enough", pair.now)
    assert pair.run(lambda: server.closed is not None)
    assert (pair.client.closed, server.closed) == ("enough", "the other side closed the connection")
    assert pair.run(lambda: not pair.listener.connections)


def test_an_end_that_falls_silent_is_noticed() -> None:
    pair = NetherNetPair()
    server = pair.join()
    pair.spoil(WireFaults(loss=1.0))
    assert pair.run(lambda: pair.client.closed is not None and server.closed is not None)
    assert pair.client.closed == "the other side has been silent for 15 s (ICE consent)"


def test_a_reader_that_stops_stops_the_other_end() -> None:
    pair = AssociationPair(PERFECT, PERFECT)
    assert pair.run(lambda: all(end.is_up for end in pair.ends))
    sender, reader = pair.ends
    reader.set_hold(True)
    for _ in range(20):
        sender.send(0, 53, bytes(200_000))
    assert not pair.run(lambda: bool(pair.received[1]), 5.0)
    assert reader.held_bytes <= WINDOW_BYTES
    reader.set_hold(False)
    assert pair.run(lambda: len(pair.received[1]) == 20)


def test_a_message_larger_than_announced_ends_it() -> None:
    pair = AssociationPair(PERFECT, PERFECT)
    assert pair.run(lambda: all(end.is_up for end in pair.ends))
    pair.ends[0].send(0, 53, bytes(MESSAGE_BYTES + 1))
    assert pair.run(lambda: pair.ends[1].ended is not None)
    assert pair.ends[1].ended == f"the other side sent a message of over {MESSAGE_BYTES} bytes"


def test_parts_that_are_given_up_are_not_waited_for() -> None:
    pair = AssociationPair(PERFECT, PERFECT)
    assert pair.run(lambda: all(end.is_up for end in pair.ends))
    reader = pair.ends[1]
    assert reader._cumulative is not None
    first = reader._cumulative + 1
    whole, unordered = sctp.BEGIN | sctp.END, 4

    def give(chunk: bytes) -> None:
        reader.receive(sctp.write_packet(reader._tag, chunk), pair.now)

    give(sctp.write_data(sctp.BEGIN, first, 2, 0, 53, b"a beginning"))
    give(sctp.write_data(whole | unordered, first + 2, 2, 0, 53, b"whole"))
    assert reader.next_message() is None
    give(sctp.write_chunk(sctp.FORWARD_TSN, 0, (first + 1 & sctp.MASK).to_bytes(4, "big")))
    message = reader.next_message()
    assert message is not None
    assert message.body == b"whole"
    assert reader.held_bytes == 0


def test_goodput_of_a_wide_long_way() -> None:
    pair = AssociationPair(WireFaults(delay_s=0.025), WireFaults(delay_s=0.025))
    assert pair.run(lambda: all(end.is_up for end in pair.ends))
    for _ in range(16):
        pair.ends[0].send(1, 53, bytes(250_000))
    start = pair.now
    assert pair.run(lambda: len(pair.received[1]) == 16)
    assert 4_000_000 / (pair.now - start) > 4e6  # a round trip of 50 ms keeps it from little


def test_the_handshake_times_the_way_unless_it_had_to_be_said_again() -> None:
    pair = AssociationPair(WireFaults(delay_s=0.05), WireFaults(delay_s=0.05))
    assert pair.run(lambda: all(end.is_up for end in pair.ends))
    assert [end.rtt_s for end in pair.ends] == pytest.approx([0.1, 0.1], abs=0.001)
    late = AssociationPair(WireFaults(delay_s=0.4), WireFaults(delay_s=0.4))
    assert late.run(lambda: all(end.is_up for end in late.ends))
    assert [end.rtt_s for end in late.ends] == [None, None]


@pytest.mark.parametrize("delay_s", [0.025, 0.050], ids=["50 ms there and back", "50 ms each way"])
def test_one_session_fills_a_link_of_2_mb_a_second(delay_s: float) -> None:
    """With the headers of IP, UDP and DTLS; no more than 92 % of it could be the game's."""
    link = Link(2e6, delay_s)
    (delivered,) = Bottleneck(link, AssociationFlow(0.0)).run(10.0)  # handshake and slow start included
    assert delivered >= 0.85 * 2e6 * 10.0
    assert link.loss <= 0.02


# ---------------------------------------------------------------- what may go wrong


def offer_and_listener() -> tuple[ClientOffer, NetherNetListener]:
    return ClientOffer((CLIENT,), "x", entropy("offer"), UNIX_TIME), NetherNetListener(entropy("l"), UNIX_TIME, 0.0)


def refused(answer: str) -> str:
    offer, _ = offer_and_listener()
    with pytest.raises(ConnectionClosed) as raised:
        offer.answered(answer, UNIX_TIME, 0.0)
    return raised.value.reason


def test_answers_that_are_none() -> None:
    offer, listener = offer_and_listener()
    answer = listener.answer(offer.text, CLIENT[0], (SERVER,), 0.0)
    read = read_description(answer)
    assert "code 37" in refused("37")
    assert "identity" in refused("37\n")
    assert "code 99" in refused("99")
    assert "SDP.m" in refused("<html>no</html>")
    assert "SDP.size" in refused("a" * (MOST_BYTES + 1))
    assert "(identity)" in refused(write_description(replace(read, identity=None), 1))
    assert "(identity)" in refused(write_description(replace(read, identity="bm9uZQ=="), 1))
    assert "invalid signature" in refused(write_description(replace(read, fingerprints=PRINTS), 1))
    assert "(SDP setup)" in refused(write_description(replace(read, role=DtlsRole.EITHER), 1))


def test_identities_that_prove_nothing() -> None:
    key = new_key(entropy("key"))
    text = write_identity(key, PRINTS, UNIX_TIME, life_s=60)
    assert check_identity(text, PRINTS, UNIX_TIME + 80).domain == "self"
    with pytest.raises(DecodeError, match="expired"):
        check_identity(text, PRINTS, UNIX_TIME + 100)
    with pytest.raises(DecodeError, match="invalid signature"):
        check_identity(text, (("sha-256", "AA:BC"),), UNIX_TIME)
    outer = json.loads(lenient_base64(text))
    inner = json.loads(outer["assertion"])
    foreign = json.loads(
        json.loads(lenient_base64(write_identity(new_key(entropy("b")), PRINTS, UNIX_TIME)))["assertion"]
    )
    for mixed in (
        {**inner, "token": foreign["token"]},
        {**inner, "fingerprints": foreign["fingerprints"]},
        {},
        {"token": 1},
    ):
        said = json.dumps({**outer, "assertion": json.dumps(mixed)}).encode().hex()
        with pytest.raises(DecodeError):
            check_identity(_base64(bytes.fromhex(said)), PRINTS, UNIX_TIME)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_another_certificate_than_the_one_that_was_signed_ends_it() -> None:
    pair = NetherNetPair()
    pair.listener._certificate = DtlsCertificate(UNIX_TIME)
    answer = pair.listener.answer(pair.offer.text, CLIENT[0], (SERVER,), 0.0)
    signed = read_description(pair.listener.answer(pair.offer.text, CLIENT[0], (SERVER,), 0.0))
    other = replace(read_description(answer), fingerprints=PRINTS, identity=signed.identity)
    pair.client, _ = _unchecked(pair.offer, write_description(other, 1))
    pair.run(lambda: pair.client.closed is not None, 3.0)
    assert pair.client.closed is not None
    assert "(DTLS fingerprint)" in pair.client.closed


def _unchecked(offer: ClientOffer, answer: str) -> tuple["object", None]:
    """As ``answered``, of a client that looks at no identity."""
    without = "".join(line for line in answer.splitlines(keepends=True) if not line.startswith("a=identity"))
    connection, _ = offer.answered(without, UNIX_TIME, 0.0, signed=False)
    return connection, None


def test_nobody_answers_at_the_addresses_of_the_answer() -> None:
    pair = NetherNetPair()
    pair.spoil(WireFaults(loss=1.0))
    assert pair.run(lambda: pair.client.closed is not None)
    assert pair.client.closed == "no address in the server's answer responds (ICE; tried: 127.0.0.1 port 19132)"
    assert pair.run(lambda: not pair.listener.connections)


def test_an_end_that_proves_itself_and_never_encrypts_is_given_up_by_its_step() -> None:
    """Half open: STUN passes, and nothing else does."""
    pair = NetherNetPair()
    receive = pair.listener.receive

    def stun_alone(address: Address, datagram: bytes, now: float) -> None:
        if is_stun(datagram):
            receive(address, datagram, now)

    pair.listener.receive = stun_alone  # type: ignore[method-assign]
    assert pair.run(lambda: pair.client.closed is not None)
    wanted = "the connection was not open after 20 s: it was waiting for the encryption (DTLS)"
    assert pair.client.closed == wanted
    assert pair.run(lambda: not pair.listener.connections)


def test_an_association_that_nobody_answers_is_given_up_by_its_step() -> None:
    pair = AssociationPair(PERFECT, WireFaults(loss=1.0))
    assert pair.run(lambda: pair.ends[0].ended is not None)
    assert pair.ends[0].ended == "the other side does not start an SCTP association"
    assert pair.now < OPEN_S


def test_an_answer_from_another_address_than_the_one_asked_is_none() -> None:
    pair = NetherNetPair()
    assert isinstance(pair.client, NetherNetConnection)
    questions = [datagram for _, datagram in pair.client.outgoing(0.0)]
    for question in questions:
        pair.listener.receive(CLIENT, question, 0.0)
    answers = [datagram for _, datagram in pair.listener.datagrams(0.0)]
    assert answers
    for answer in answers:
        if (
            is_stun(answer) and read_stun(answer).kind is not StunKind.REQUEST
        ):  # a signed question may come from anywhere
            pair.client.receive(answer, 0.0, ("192.0.2.7", 19132))
    pair.client.receive(b"\x16\xfe\xfd" + bytes(60), 0.0, ("192.0.2.7", 19132))
    assert pair.client.ice.pair is None
    assert pair.client.stats().datagrams_malformed == pair.client.stats().datagrams_in > 1
    for answer in answers:
        pair.client.receive(answer, 0.0, SERVER)
    assert pair.client.ice.pair == SERVER, "the right answers still count"


def test_a_stranger_is_answered_nothing_and_costs_nothing() -> None:
    pair = NetherNetPair()
    server = pair.join()
    stranger = ("192.0.2.9", 5)
    before = server.stats()
    for datagram in (
        write_stun(StunKind.REQUEST, bytes(12), [(stun.USERNAME, b"a:b")], b"guess"),
        write_stun(StunKind.REQUEST, bytes(12), [], b"guess"),
        b"\x16\xfe\xfd" + bytes(60),
        b"\x17\xfe\xfd" + bytes(60),
    ):
        pair.listener.receive(stranger, datagram, pair.now)
    assert [each for each in pair.listener.datagrams(pair.now) if each[0] == stranger] == []
    assert server.stats().held_bytes == before.held_bytes


def test_offers_are_bounded_and_refused_in_words() -> None:
    offer, listener = offer_and_listener()
    for text, status in (("nonsense", 400), ("a" * (MOST_BYTES + 1), 400)):
        with pytest.raises(OfferRefused) as raised:
            listener.answer(text, "a", (SERVER,), 0.0)
        assert raised.value.status == status
    unsigned = ClientOffer((CLIENT,), "x", entropy("offer"), UNIX_TIME, with_identity=False)
    listener.answer(unsigned.text, "c", (SERVER,), 0.0)
    wrong = write_description(replace(offer.description, fingerprints=PRINTS), 1)
    with pytest.raises(OfferRefused, match="37") as raised:
        listener.answer(wrong, "a", (SERVER,), 0.0)
    assert raised.value.status == 200
    for _ in range(MOST_UNOPENED_A_HOST):
        listener.answer(offer.text, "a", (SERVER,), 0.0)
    with pytest.raises(OfferRefused, match="full"):
        listener.answer(offer.text, "a", (SERVER,), 0.0)
    listener.answer(offer.text, "b", (SERVER,), 0.0)
    listener.datagrams(16.0)
    assert listener.connections == 0


def test_sessions_of_all_hosts_together_are_bounded() -> None:
    offer, listener = offer_and_listener()
    for number in range(MOST_UNOPENED):
        listener.answer(offer.text, f"host {number // MOST_UNOPENED_A_HOST}", (SERVER,), 0.0)
    with pytest.raises(OfferRefused, match="full") as raised:
        listener.answer(offer.text, "somebody else", (SERVER,), 0.0)
    assert (raised.value.status, raised.value.code, listener.connections) == (503, 16, MOST_UNOPENED)
    few = NetherNetListener(entropy("l"), UNIX_TIME, 0.0, most_connections=1)
    few.answer(offer.text, "a", (SERVER,), 0.0)
    with pytest.raises(OfferRefused, match="full"):
        few.answer(offer.text, "b", (SERVER,), 0.0)


def test_no_more_addresses_are_kept_than_are_tried_however_many_prove_themselves() -> None:
    pair = NetherNetPair()
    server = pair.join()
    assert isinstance(pair.client, NetherNetConnection)
    pair.client.ice._asked.clear()
    for port in range(1, 200):
        pair.client.ice._ask(SERVER, pair.now)
        ((_, question),) = pair.client.ice._replies
        pair.client.ice._replies.clear()
        pair.listener.receive(("127.0.0.2", port), question, pair.now)
    assert len(server.ice._valid) == MOST_ADDRESSES == len(pair.listener._by_address)
    answered = {address for address, _ in pair.listener.datagrams(pair.now) if address[0] == "127.0.0.2"}
    assert len(answered) == MOST_ADDRESSES - 1


def test_what_waits_to_be_sent_is_bounded() -> None:
    sender, reader = SctpAssociation(entropy("s"), Limits(outbox_bytes=10_000), 0.0), AssociationPair(PERFECT, PERFECT)
    for _ in range(9):
        sender.send(0, 53, bytes(1100))
    with pytest.raises(LocalProtocolError, match="cannot be queued after 9900 bytes"):
        sender.send(0, 53, bytes(1100))
    assert sender.queued_bytes == 9900
    reader.ends[0].send(0, 53, bytes(5000))
    assert reader.run(lambda: bool(reader.received[1]))
    assert reader.run(lambda: reader.ends[0].queued_bytes == 0)


def test_a_packet_of_too_many_pieces_has_no_wire_form() -> None:
    pair = NetherNetPair()
    server = pair.join()
    limits = Limits()
    server._channels._partial_limit = 1000
    pair.client._channels._piece_bytes = 500
    pair.client.send(bytes(1500))
    assert pair.run(lambda: server.closed is not None)
    assert server.closed == "the other side exceeded a limit: a packet of over 1000 bytes"
    assert limits.partial_bytes < 67 << 20
