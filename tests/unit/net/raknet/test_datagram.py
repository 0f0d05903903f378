"""Bytes of RakNet: against the layouts of wire.md 5 written out by hand, and there and back."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from net.errors import DecodeError, LocalProtocolError
from net.raknet import handshake, ping
from net.raknet.datagram import (
    ACK,
    DATAGRAM_HEADER_BYTES,
    MASK,
    NACK,
    Fragment,
    Frame,
    Reliability,
    extend,
    read_acks,
    read_frames,
    write_acks,
    write_frame,
)
from net.raknet.handshake import read_address, write_address

HEADER = bytes(DATAGRAM_HEADER_BYTES)
SHORT = st.integers(0, MASK)


def test_an_ipv4_address_is_complemented() -> None:
    assert write_address(("127.0.0.1", 19132)) == bytes.fromhex("04 80ffff fe 4abc")
    assert read_address(b"xx" + write_address(("1.2.3.4", 5)), 2, "p") == (("1.2.3.4", 5), 9)


def test_an_ipv6_address_takes_29_bytes() -> None:
    written = write_address(("fe80::1%eth0", 19133))
    assert written == bytes.fromhex("06 1700 4abd 00000000 fe80000000000000 0000000000000001 00000000")
    assert read_address(written, 0, "p") == (("fe80::1", 19133), 29)


def test_a_name_is_no_address() -> None:
    with pytest.raises(LocalProtocolError, match="not an IP address"):
        write_address(("localhost", 1))


@pytest.mark.parametrize("text", ["", "04ffff", "05aabbccddeeff", "06" + "00" * 20])
def test_a_broken_address_names_its_packet(text: str) -> None:
    with pytest.raises(DecodeError, match=r"OpenRequest2\.server"):
        read_address(bytes.fromhex(text), 0, "OpenRequest2", "server")


def test_an_ordered_frame_by_hand() -> None:
    frame = Frame(b"\xfe\x01", Reliability.RELIABLE_ORDERED, 0x010203, 0, 5, 0)
    assert write_frame(frame) == bytes.fromhex("60 0010 030201 050000 00 fe01")


def test_a_fragment_by_hand() -> None:
    frame = Frame(b"\x01", Reliability.RELIABLE, 1, fragment=Fragment(3, 0x0102, 2))
    assert write_frame(frame) == bytes.fromhex("50 0008 010000 00000003 0102 00000002 01")


FRAMES = st.builds(
    lambda payload, kind, reliable, sequence, order, channel, fragment: Frame(
        payload,
        kind,
        reliable if kind.reliable else 0,
        sequence if kind.sequenced else 0,
        order if kind.ordered else 0,
        channel if kind.ordered else 0,
        fragment if kind.reliable else None,
    ),
    st.binary(min_size=1, max_size=40),
    st.sampled_from(Reliability),
    SHORT,
    SHORT,
    SHORT,
    st.integers(0, 31),
    st.none() | st.builds(Fragment, st.integers(5, 9), st.integers(0, 0xFFFF), st.integers(0, 4)),
)


@given(st.lists(FRAMES, min_size=1, max_size=6))
def test_frames_read_back_as_written(frames: list[Frame]) -> None:
    assert read_frames(HEADER + b"".join(map(write_frame, frames))) == frames


@given(st.binary(max_size=60))
def test_any_bytes_read_as_frames_or_are_refused(noise: bytes) -> None:
    try:
        frames = read_frames(HEADER + noise)
    except DecodeError:
        return
    assert sum(len(frame.payload) for frame in frames) < len(noise)


@pytest.mark.parametrize("number", [5, 6, 7])
def test_reliabilities_with_a_receipt_are_read_as_those_without(number: int) -> None:
    plain = {5: Reliability.UNRELIABLE, 6: Reliability.RELIABLE, 7: Reliability.RELIABLE_ORDERED}[number]
    written = bytearray(write_frame(Frame(b"x", plain)))
    written[0] = number << 5
    assert read_frames(HEADER + written)[0].reliability is plain


@given(st.lists(st.tuples(SHORT, SHORT).map(sorted), max_size=300), st.sampled_from([ACK, NACK]))
def test_acks_read_back_as_written_in_datagrams_of_the_limit(ranges: list[list[int]], kind: int) -> None:
    datagrams = write_acks(kind, [(first, last) for first, last in ranges], 500)
    assert all(len(datagram) <= 500 and datagram[0] == kind for datagram in datagrams)
    assert [pair for datagram in datagrams for pair in read_acks(datagram)] == [tuple(pair) for pair in ranges]


def test_a_range_over_the_24_bit_border_becomes_two() -> None:
    (datagram,) = write_acks(ACK, [(MASK - 1, MASK + 3)], 100)
    assert read_acks(datagram) == [(MASK - 1, MASK), (0, 2)]


@pytest.mark.parametrize("text", ["c0", "c00001", "c0000101aabb", "c0000100050000040000"])
def test_broken_acks_are_refused(text: str) -> None:
    with pytest.raises(DecodeError, match="Acknowledge"):
        read_acks(bytes.fromhex(text))


@given(st.integers(0, 1 << 30), st.integers(-(1 << 23) + 1, (1 << 23) - 1))
def test_a_short_number_is_the_nearest_whole_one(near: int, delta: int) -> None:
    assert extend((near + delta) & MASK, near) == near + delta


GUID = st.integers(0, (1 << 64) - 1)
ADDRESS = st.tuples(st.sampled_from(["10.0.0.255", "::1"]), st.integers(0, 65535))
OFFLINE = st.one_of(
    st.builds(handshake.OpenRequest1, st.integers(0, 255), st.integers(46, 1500)),
    st.builds(handshake.OpenReply1, GUID, st.none() | st.integers(0, (1 << 32) - 1), st.integers(0, 65535)),
    st.builds(handshake.OpenReply2, GUID, ADDRESS, st.integers(0, 65535)),
    st.builds(handshake.IncompatibleVersion, st.integers(0, 255), GUID),
    st.builds(handshake.HandshakeRefusal, st.sampled_from(list(handshake.REFUSALS)), GUID),
)


@given(OFFLINE)
def test_offline_messages_read_back_as_written(message: handshake.OfflineMessage) -> None:
    assert handshake.read_offline(handshake.write_offline(message)) == message


@given(ADDRESS, st.integers(0, 65535), GUID, st.none() | st.integers(0, (1 << 32) - 1))
def test_open_request_2_reads_back_with_and_without_a_cookie(
    server: tuple[str, int], mtu_bytes: int, guid: int, cookie: int | None
) -> None:
    message = handshake.OpenRequest2(server, mtu_bytes, guid, cookie)
    assert handshake.read_offline(handshake.write_offline(message), cookies=cookie is not None) == message


def test_open_request_1_is_padded_to_the_mtu_it_asks_for() -> None:
    written = handshake.write_offline(handshake.OpenRequest1(10, 1492))
    assert len(written) == 1492 - 28
    assert written.startswith(bytes.fromhex("05 00ffff00fefefefefdfdfdfd12345678 0a 00"))


@given(st.sampled_from([5, 6, 7, 8, 0x12, 0x19]), st.binary(max_size=40))
def test_a_cut_offline_message_is_refused_or_no_message(kind: int, rest: bytes) -> None:
    head = bytes((kind,)) + (b"\x0a" if kind == 0x19 else b"") + handshake.MAGIC
    with contextlib.suppress(DecodeError):
        assert handshake.read_offline(head + rest) is not None


@pytest.mark.parametrize("own_addresses", [10, 20])
def test_an_acceptance_reads_with_10_and_with_20_addresses(own_addresses: int) -> None:
    message = handshake.ConnectionAccepted(("127.0.0.1", 5), 6, 7)
    written = handshake.write_accepted(message)
    address = write_address(("255.255.255.255", 19132))
    start = 1 + 7 + 2
    cut = written[:start] + address * own_addresses + written[-16:]
    assert (cut == written) == (own_addresses == 20)
    assert handshake.read_accepted(cut) == message


def test_an_acceptance_with_more_addresses_than_anybody_has_is_refused() -> None:
    written = handshake.write_accepted(handshake.ConnectionAccepted(("127.0.0.1", 5), 6, 7))
    address = write_address(("255.255.255.255", 19132))
    with pytest.raises(DecodeError, match="times"):
        handshake.read_accepted(written[:10] + address * 100_000 + written[-16:])


def test_a_cut_acceptance_is_refused() -> None:
    written = handshake.write_accepted(handshake.ConnectionAccepted(("127.0.0.1", 5), 6, 7))
    for size in range(1, len(written)):
        if size not in {26 + 7 * count for count in range(20)}:
            with pytest.raises(DecodeError):
                handshake.read_accepted(written[:size])


def test_a_pong_says_what_the_server_is() -> None:
    pong = ping.Pong("a;b", 486, "1.18.11", 3, 20, 77, "level", "Creative", 19132, 19133, 123)
    assert ping.read_pong(ping.write_pong(123, 77, ping.pong_text(pong))) == pong
    assert ping.read_ping(ping.write_ping(123, 5)) == 123


@pytest.mark.parametrize("ports", [(0, 0), (19132, 0), (0, 19133), (19132, 19133)])
def test_a_port_that_is_not_known_is_not_told_where_it_can_be_left_out(ports: tuple[int, int]) -> None:
    text = ping.pong_text(ping.Pong("a", 486, "1.18.11", 0, 20, 77, "b", "Creative", *ports))
    told = text.split(";")[10:-1]  # clients of gophertunnel join the port that stands there, 0 included
    assert told == list(map(str, ports))[: 2 if ports[1] else 1 if ports[0] else 0]
    read = ping.read_pong(ping.write_pong(123, 77, text))
    assert read is not None
    assert (read.port_v4, read.port_v6) == ports


@pytest.mark.parametrize("name", ["ends with a backslash\\", "\\", "long" * 500, ";" * 2000, "\u20ac" * 500, "a\\;b"])
def test_no_name_takes_the_fields_behind_it(name: str) -> None:
    pong = ping.Pong(name, 486, "1.18.11", 3, 20, 77, name, "Creative", 19132, 19133, 123)
    read = ping.read_pong(ping.write_pong(123, 77, ping.pong_text(pong)))
    assert read is not None
    assert name.startswith(read.motd)
    assert replace(read, motd="", level_name="") == replace(pong, motd="", level_name="")


def test_a_number_without_end_is_none() -> None:
    read = ping.read_pong(ping.write_pong(1, 2, f"MCPE;name;{'9' * 900};1.2;3;10"))
    assert read is not None
    assert (read.protocol, read.players) == (0, 3)


def test_a_short_pong_reads_as_far_as_it_goes() -> None:
    read = ping.read_pong(ping.write_pong(1, 2, "MCPE;name;x;1.2"))
    assert read is not None
    assert (read.motd, read.protocol, read.version, read.players) == ("name", 0, "1.2", 0)


def test_a_pong_of_something_else_is_refused() -> None:
    with pytest.raises(DecodeError, match="not the answer of a Bedrock server"):
        ping.read_pong(ping.write_pong(1, 2, "hello"))
    assert ping.read_pong(b"\x1c123") is None
