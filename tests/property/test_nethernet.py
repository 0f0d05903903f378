"""NetherNet keeps its promise: what is written reads the same, whatever wire is between, and any bytes are borne."""

import contextlib
import socket
import struct

import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import given, settings
from hypothesis import strategies as st

from net.bedrock.login.tokens import new_key
from net.errors import DecodeError
from net.nethernet import sctp, stun
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
from net.nethernet.identity import check_identity, pin_of, write_identity
from net.nethernet.sctp_association import PART_OVERHEAD_BYTES, WINDOW_BYTES, SctpAssociation
from net.nethernet.sdp import DtlsRole, SessionDescription, read_candidate, read_description, write_description
from net.nethernet.stun import StunKind, read_stun, write_stun, xor_address
from net.raknet import Limits
from net.transport.faulty import WireFaults
from tests.support.session.nethernet_pair import UNIX_TIME, AssociationPair, LanPair, NetherNetPair, sealed
from tests.support.session.wires import entropy

# ---------------------------------------------------------------- descriptions

ICE_TEXT = st.text("ABCXYZabcxyz0189+/", min_size=22, max_size=256)
ADDRESSES = st.tuples(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str), st.integers(1, 65535))
DIGESTS = st.builds(
    lambda digest, upper: digest.hex(":").upper() if upper else digest.hex(":"),
    st.binary(min_size=2, max_size=64),
    st.booleans(),
)
DESCRIPTIONS = st.builds(
    SessionDescription,
    ufrag=ICE_TEXT,
    password=ICE_TEXT,
    fingerprints=st.lists(st.tuples(st.just("sha-256"), DIGESTS), min_size=1, max_size=4).map(tuple),
    role=st.sampled_from(DtlsRole),
    candidates=st.lists(ADDRESSES, max_size=8, unique=True).map(tuple),
    identity=st.none() | st.text("abcXYZ019+/=", min_size=1),
    message_bytes=st.integers(2, 262_144),
)


@given(DESCRIPTIONS, st.integers(0, (1 << 64) - 1))
def test_a_description_reads_as_it_was_written(description: SessionDescription, number: int) -> None:
    text = write_description(description, number)
    assert read_description(text) == description
    assert read_description(text.replace("\r\n", "\n")) == description


@given(
    st.text() | st.lists(st.sampled_from(["a=", "m=application 9", "setup:", "candidate:", "\r\n", ":"])).map("".join)
)
def test_any_text_is_a_description_or_none(text: str) -> None:
    with contextlib.suppress(DecodeError):
        read_description(text)
    read_candidate(text)


# ---------------------------------------------------------------- STUN

ATTRIBUTES = st.lists(
    st.tuples(st.integers(0, 0x7FFF).filter(lambda number: number != stun.MESSAGE_INTEGRITY), st.binary(max_size=40)),
    max_size=8,
    unique_by=lambda attribute: attribute[0],
)


@given(st.sampled_from(StunKind), st.binary(min_size=12, max_size=12), ATTRIBUTES, st.binary(min_size=1), st.data())
def test_a_stun_message_is_its_signers_and_nobody_elses(
    kind: StunKind, transaction: bytes, attributes: list[tuple[int, bytes]], key: bytes, data: st.DataObject
) -> None:
    text = write_stun(kind, transaction, attributes, key)
    message = read_stun(text)
    assert (message.kind, message.transaction) == (kind, transaction)
    assert {number: message.attributes[number] for number, _ in attributes} == dict(attributes)
    assert message.is_signed_by(key)
    assert not message.is_signed_by(key + b"x")
    at = data.draw(st.integers(0, len(text) - 9))  # the fingerprint behind it is not signed
    spoiled = text[:at] + bytes((text[at] ^ data.draw(st.integers(1, 255)),)) + text[at + 1 :]
    with contextlib.suppress(DecodeError):
        assert not read_stun(spoiled).is_signed_by(key)


@given(ADDRESSES, st.binary(min_size=12, max_size=12))
def test_a_mapped_address_is_masked_by_cookie_and_transaction(address: tuple[str, int], transaction: bytes) -> None:
    value = xor_address(address, transaction)
    mask = stun.COOKIE.to_bytes(4, "big") + transaction
    family = {1: socket.AF_INET, 2: socket.AF_INET6}[value[1]]
    host = bytes(byte ^ other for byte, other in zip(value[4:], mask, strict=False))
    assert socket.inet_ntop(family, host) == socket.inet_ntop(family, socket.inet_pton(family, address[0]))
    assert struct.unpack(">H", value[2:4])[0] ^ (stun.COOKIE >> 16) == address[1]


# ---------------------------------------------------------------- SCTP


def plain_crc32c(text: bytes) -> int:
    found = 0xFFFFFFFF
    for byte in text:
        found ^= byte
        for _ in range(8):
            found = (found >> 1) ^ (0x82F63B78 if found & 1 else 0)
    return found ^ 0xFFFFFFFF


@given(st.binary(min_size=4, max_size=1500))
def test_the_checksum_is_the_plain_one(text: bytes) -> None:
    assert sctp.crc32c(text) == plain_crc32c(text)


@given(
    st.integers(0, 15), st.integers(0, 1 << 40), st.integers(0, 0xFFFF), st.integers(0, (1 << 32) - 1),
    st.binary(min_size=1, max_size=1135),
)  # fmt: skip
def test_a_data_chunk_reads_as_it_was_written(flags: int, tsn: int, stream: int, protocol: int, body: bytes) -> None:
    packet = sctp.write_packet(7, sctp.write_data(flags, tsn, stream, 3, protocol, body))
    assert sctp.read_header(packet) == 7
    ((kind, read_flags, value),) = sctp.chunks(packet)
    assert kind == sctp.DATA
    assert sctp.read_data(read_flags, value) == sctp.DataChunk(flags, tsn & sctp.MASK, stream, protocol, body)


@given(st.integers(0, (1 << 32) - 1), st.integers(0, (1 << 32) - 1), st.sets(st.integers(1, 0xFFFF), max_size=40))
def test_an_acknowledgement_reads_as_it_was_written(cumulative: int, window: int, numbers: set[int]) -> None:
    gaps = [(number, number) for number in sorted(numbers)]
    ((_, _, value),) = sctp.chunks(sctp.write_packet(7, sctp.write_sack(cumulative, window, gaps)))
    assert sctp.read_sack(value) == sctp.SackChunk(cumulative, window, tuple(gaps))


BAD_WIRES = st.builds(
    WireFaults,
    loss=st.floats(0, 0.25),
    repetition=st.floats(0, 0.25),
    delay_s=st.floats(0, 0.1),
    jitter_s=st.floats(0, 0.08),
    reordering=st.floats(0, 1),
)
SIZES = st.lists(
    st.one_of(st.integers(1, 200), st.integers(1100, 1200), st.integers(1, 60_000)), min_size=1, max_size=12
)


@settings(max_examples=40, deadline=None)
@given(BAD_WIRES, BAD_WIRES, SIZES, SIZES, st.integers(0, 1 << 20))
def test_messages_arrive_once_and_in_order(
    up: WireFaults, down: WireFaults, there: list[int], back: list[int], seed: int
) -> None:
    pair = AssociationPair(up, down, seed)
    # eight unanswered requests in a row may happen on such a wire
    if not pair.run(lambda: all(end.is_up for end in pair.ends)):
        assert any(end.ended for end in pair.ends)
        return
    sent = [[bytes(((index * 7 + size) & 0xFF,)) * size for index, size in enumerate(sizes)] for sizes in (there, back)]
    for end, bodies in zip(pair.ends, sent, strict=True):
        for at, body in enumerate(bodies):
            end.send(at % 2, 53, body)
    done = pair.run(lambda: len(pair.received[1]) == len(there) and len(pair.received[0]) == len(back))
    assert done, [end.ended for end in pair.ends]
    assert [[message.body for message in messages] for messages in reversed(pair.received)] == sent
    assert pair.run(lambda: all(end.is_idle for end in pair.ends))
    assert all(end.held_bytes == 0 for end in pair.ends)
    assert all(end.queued_bytes == 0 for end in pair.ends)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=400) | st.tuples(st.integers(0, 255), st.binary(max_size=60)), max_size=30))
def test_an_association_bears_any_packet_and_holds_no_more_than_its_window(
    said: list[bytes | tuple[int, bytes]],
) -> None:
    end = SctpAssociation(entropy("end"), Limits(), 0.0)
    end.start(0.0)
    end.receive(sctp.write_packet(0, sctp.write_init(sctp.INIT, 9, 1 << 20, 1, b"")), 0.0)
    tag = end._tag
    for at, each in enumerate(said):
        packet = each if isinstance(each, bytes) else sctp.write_packet(tag, sctp.write_chunk(each[0], 3, each[1]))
        end.receive(packet, at * 0.1)
        end.packets(at * 0.1)
        end.next_timer()
        assert 0 <= end.held_bytes <= 2 * WINDOW_BYTES + PART_OVERHEAD_BYTES


# ---------------------------------------------------------------- identity


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.just("sha-256"), DIGESTS), min_size=1, max_size=3), st.data())
def test_an_identity_is_of_its_fingerprints_alone(prints: list[tuple[str, str]], data: st.DataObject) -> None:
    key = new_key(entropy("identity"))
    text = write_identity(key, prints, UNIX_TIME, "somebody")
    found = check_identity(text, prints, UNIX_TIME)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    assert found.key.public_bytes(serialization.Encoding.DER, form) == key.public_key().public_bytes(
        serialization.Encoding.DER, form
    )
    assert found.pin == pin_of(key.public_key())
    other = data.draw(st.lists(st.tuples(st.just("sha-256"), DIGESTS), min_size=1).filter(lambda each: each != prints))
    with contextlib.suppress(DecodeError):
        check_identity(text, other, UNIX_TIME)
        raise AssertionError("it was taken for other fingerprints")


# ---------------------------------------------------------------- discovery

IDS = st.integers(0, (1 << 64) - 1)
PACKETS = st.one_of(
    st.builds(DiscoveryPacket, st.just(DiscoveryKind.REQUEST), IDS),
    st.builds(DiscoveryPacket, st.just(DiscoveryKind.RESPONSE), IDS, st.binary(max_size=574)),
    st.builds(DiscoveryPacket, st.just(DiscoveryKind.MESSAGE), IDS, st.binary(max_size=2000), IDS),
)
NAMES = st.text(max_size=30)
COUNTS = st.integers(0, (1 << 31) - 1)
WORLDS = st.builds(
    HostedWorld, st.just(7), NAMES, COUNTS, NAMES, NAMES, COUNTS, COUNTS, COUNTS, st.booleans(), NAMES
)  # fmt: skip
SIGNALS = st.builds(Signal, st.sampled_from(SignalKind), IDS, st.text().filter(lambda text: not text.endswith("\0")))


@given(PACKETS)
def test_a_packet_of_discovery_reads_as_it_was_written(packet: DiscoveryPacket) -> None:
    assert read_discovery(write_discovery(packet)) == packet


@given(PACKETS, st.data())
def test_a_packet_of_discovery_of_which_a_bit_is_wrong_is_none(packet: DiscoveryPacket, data: st.DataObject) -> None:
    text = bytearray(write_discovery(packet))
    text[data.draw(st.integers(0, len(text) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(DecodeError):
        read_discovery(bytes(text))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_packet_of_discovery_or_none(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        read_discovery(data)
    with contextlib.suppress(DecodeError):
        read_discovery(sealed(data))
    with contextlib.suppress(DecodeError):
        read_world(data)
    with contextlib.suppress(DecodeError):
        read_signal(data)


@given(WORLDS)
def test_a_hosted_world_reads_as_it_was_written(world: HostedWorld) -> None:
    assert read_world(write_world(world)) == world


@given(SIGNALS)
def test_a_signal_reads_as_it_was_written(signal: Signal) -> None:
    assert read_signal(write_signal(signal)) == signal


@settings(max_examples=20, deadline=None)
@given(st.sets(st.integers(0, 8)), st.integers(0, 1000))
def test_a_join_by_discovery_bears_lost_signals(lost: set[int], seed: int) -> None:
    pair = LanPair(seed, frozenset(lost))
    done = pair.run(lambda: pair.client.connected and pair.server is not None)
    assert done or "did not answer the offer" in str(pair.client.closed), pair.client.closed
    assert pair.listener.connections <= 1


# ---------------------------------------------------------------- the whole stack


@settings(max_examples=6, deadline=None)
@given(BAD_WIRES, st.lists(st.integers(1, 300_000), min_size=1, max_size=3), st.integers(0, 1000))
def test_packets_arrive_once_and_in_order(wire: WireFaults, sizes: list[int], seed: int) -> None:
    pair = NetherNetPair(seed)
    server = pair.join()
    pair.spoil(wire)
    packets = [entropy(str(at))(size) for at, size in enumerate(sizes)]
    for packet in packets:
        server.send(packet)
        pair.client.send(packet[:500])
    assert pair.run(lambda: len(pair.from_server) == len(pair.from_client) == len(packets), 300.0), pair.client.closed
    assert pair.from_server == packets
    assert pair.from_client == [packet[:500] for packet in packets]
