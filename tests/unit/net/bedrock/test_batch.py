"""Batches: deflated, raw, too large, encrypted."""

import zlib
from hashlib import sha256

import cramjam
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR, GCM

from net.bedrock.batch import BatchReader, BatchWriter
from net.bedrock.packets.login import Algorithm, NetworkSettings
from net.errors import ConnectionClosed, DecodeError, LimitExceeded
from tests.support.reference.wire import sized

KEY = bytes(range(32))
PACKETS = [b"one", b"two" * 100, b""]


def deflated(body: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"\xfe" + deflate.compress(body) + deflate.flush()


def test_a_batch_is_a_mark_and_raw_deflate_of_sized_packets() -> None:
    payload = BatchWriter().pack(PACKETS)
    assert payload[0] == 0xFE
    assert zlib.decompress(payload[1:], -15) == b"".join(map(sized, PACKETS))


def test_a_body_that_does_not_inflate_is_taken_as_it_is() -> None:
    for packets in ([b"\x02\x00\x00\x00\x00"], PACKETS, [bytes([n]) * n for n in range(1, 200)]):
        assert BatchReader().unpack(b"\xfe" + b"".join(map(sized, packets))) == packets


def test_an_empty_batch_holds_nothing() -> None:
    assert BatchReader().unpack(BatchWriter().pack([])) == []
    assert BatchReader().unpack(b"\xfe") == []


@pytest.mark.parametrize("payload", [b"", b"\xff\x00"])
def test_what_has_no_mark_is_no_batch(payload: bytes) -> None:
    with pytest.raises(DecodeError, match="not fe"):
        BatchReader().unpack(payload)


def test_lengths_that_do_not_add_up_are_a_decode_error() -> None:
    with pytest.raises(DecodeError, match="needs 9 bytes") as caught:
        BatchReader().unpack(deflated(sized(b"ok") + b"\x09abc"))
    assert (caught.value.packet, caught.value.offset) == ("batch", 4)


def test_a_deflate_bomb_stops_at_the_limit() -> None:
    bomb = deflated(bytes(100 << 20))
    assert len(bomb) < 200_000
    with pytest.raises(LimitExceeded, match="inflated batch bytes"):
        BatchReader().unpack(bomb)


def test_a_batch_may_reach_the_limit_exactly() -> None:
    body = sized(bytes(1000))
    assert BatchReader(inflated_bytes=len(body)).unpack(deflated(body)) == [bytes(1000)]
    with pytest.raises(LimitExceeded):
        BatchReader(inflated_bytes=len(body) - 1).unpack(deflated(body))


def test_the_number_of_packets_is_limited() -> None:
    assert len(BatchReader(packets=5).unpack(deflated(b"\x00" * 5))) == 5
    with pytest.raises(LimitExceeded, match="packets in a batch: 6"):
        BatchReader(packets=5).unpack(deflated(b"\x00" * 6))


@pytest.mark.parametrize("size", [0, 1, 0xFFFF - 3, 0xFFFF - 2, 0x10000, 3 * 0xFFFF - 3, 200_000])
def test_level_0_stores_in_blocks_that_zlib_reads(size: int) -> None:
    packet = bytes(range(256)) * (size // 256) + bytes(size % 256)
    payload = BatchWriter(level=0).pack([packet])
    assert zlib.decompress(payload[1:], -15) == sized(packet)
    blocks = -(-len(sized(packet)) // 0xFFFF)
    assert len(payload) == 1 + len(sized(packet)) + 5 * blocks
    assert BatchReader().unpack(payload) == [packet]


def test_a_batch_is_sound_before_its_first_packet_is_cut() -> None:
    with pytest.raises(DecodeError):
        BatchReader().packets(deflated(sized(b"ok") + b"\x09abc"))
    packets = BatchReader().packets(deflated(sized(b"ok") + sized(b"also")))
    assert not isinstance(packets, list)
    assert list(packets) == [b"ok", b"also"]


def test_encryption_is_gcms_key_stream_with_a_counted_tag() -> None:
    writer, plain = BatchWriter(), BatchWriter()
    writer.encrypt_with(KEY)
    # The independent way: GCM itself, never finalised.
    stream = Cipher(AES(KEY), GCM(KEY[:12])).encryptor()
    for counter in range(3):
        body = plain.pack(PACKETS)[1:]
        tag = sha256(counter.to_bytes(8, "little") + body + KEY).digest()[:8]
        assert writer.pack(PACKETS) == b"\xfe" + stream.update(body + tag)


def test_encryption_begins_where_it_is_switched_on() -> None:
    writer, reader = BatchWriter(), BatchReader()
    assert reader.unpack(writer.pack(PACKETS)) == PACKETS
    writer.encrypt_with(KEY)
    reader.encrypt_with(KEY)
    for _ in range(3):
        assert reader.unpack(writer.pack(PACKETS)) == PACKETS


def test_a_repeated_batch_breaks_the_stream() -> None:
    writer, reader = BatchWriter(), BatchReader()
    writer.encrypt_with(KEY)
    reader.encrypt_with(KEY)
    payload = writer.pack(PACKETS)
    reader.unpack(payload)
    with pytest.raises(ConnectionClosed, match="checksum of a received batch is wrong") as caught:
        reader.unpack(payload)
    assert "encrypted stream" in caught.value.reason


@pytest.mark.parametrize("size", range(9))
def test_an_encrypted_batch_without_room_for_a_tag_breaks_the_stream(size: int) -> None:
    reader = BatchReader()
    reader.encrypt_with(KEY)
    with pytest.raises(ConnectionClosed):
        reader.unpack(b"\xfe" + bytes(size))


def test_a_raw_body_may_be_encrypted_too() -> None:
    body = sized(b"small")
    stream = Cipher(AES(KEY), CTR(KEY[:12] + b"\0\0\0\2")).encryptor()
    reader = BatchReader()
    reader.encrypt_with(KEY)
    tag = sha256(bytes(8) + body + KEY).digest()[:8]
    assert reader.unpack(b"\xfe" + stream.update(body + tag)) == [b"small"]


def settled(protocol: int, algorithm: Algorithm, threshold: int = 1) -> tuple[BatchWriter, BatchReader]:
    writer, reader = BatchWriter(protocol=protocol), BatchReader(protocol=protocol)
    for end in (writer, reader):
        end.compress_with(NetworkSettings(threshold, algorithm))
    return writer, reader


PLAIN = b"".join(map(sized, PACKETS))


@pytest.mark.parametrize("protocol", [554, 649, 2193])
def test_from_554_on_nothing_is_compressed_before_the_settings(protocol: int) -> None:
    assert BatchWriter(protocol=protocol).pack(PACKETS) == b"\xfe" + PLAIN
    assert BatchReader(protocol=protocol).unpack(b"\xfe" + PLAIN) == PACKETS


@pytest.mark.parametrize("algorithm", Algorithm)
@pytest.mark.parametrize("protocol", [486, 554, 630, 649, 2193])
def test_batches_of_every_algorithm_come_back(protocol: int, algorithm: Algorithm) -> None:
    writer, reader = settled(protocol, algorithm)
    for key in (None, KEY):
        if key is not None:
            writer.encrypt_with(key)
            reader.encrypt_with(key)
        for packets in (PACKETS, [], [b"x" * 5000]):
            assert reader.unpack(writer.pack(packets)) == packets


def test_before_554_settings_change_nothing() -> None:
    writer, _ = settled(545, Algorithm.NONE)
    assert writer.pack(PACKETS) == BatchWriter().pack(PACKETS)


@pytest.mark.parametrize(("algorithm", "name"), [(Algorithm.DEFLATE, 0), (Algorithm.SNAPPY, 1), (Algorithm.NONE, 255)])
def test_from_649_on_a_byte_names_the_algorithm_of_each_batch(algorithm: Algorithm, name: int) -> None:
    writer, reader = settled(649, algorithm, threshold=100)
    assert writer.pack(PACKETS)[1] == name
    assert writer.pack([b"small"]) == b"\xfe\xff" + sized(b"small")
    assert reader.unpack(b"\xfe\xff" + PLAIN) == PACKETS
    assert reader.unpack(b"\xfe\x00" + deflated(PLAIN)[1:]) == PACKETS
    assert reader.unpack(b"\xfe\x01" + cramjam.snappy.compress_raw(PLAIN)) == PACKETS
    assert reader.unpack(b"\xfe") == []


@pytest.mark.parametrize(("body", "said"), [(b"\x02", "unknown"), (b"\x00" + PLAIN, "cannot be inflated")])
def test_a_named_algorithm_is_believed(body: bytes, said: str) -> None:
    with pytest.raises(DecodeError, match=said):
        settled(649, Algorithm.DEFLATE)[1].unpack(b"\xfe" + body)


@pytest.mark.parametrize(
    ("block", "error", "said"),
    [
        (b"\xff\xff\xff\xff\x0f" + bytes(9), LimitExceeded, "inflated batch bytes"),
        (b"\x80\x80\x80\x10" + bytes(100), DecodeError, "announces 33554432 bytes, but 100 are left"),
        (b"\x40" + b"\x00a", DecodeError, "not a snappy block"),
        (b"\xff\xff\xff\xff\xff", DecodeError, "varint"),
        (b"", DecodeError, "varint"),
    ],
)
def test_a_snappy_block_that_lies_about_its_size_is_refused_unread(
    block: bytes, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        settled(649, Algorithm.SNAPPY)[1].unpack(b"\xfe\x01" + block)


def test_a_named_deflate_bomb_stops_at_the_limit() -> None:
    with pytest.raises(LimitExceeded):
        settled(649, Algorithm.DEFLATE)[1].unpack(b"\xfe\x00" + deflated(bytes(100 << 20))[1:])
