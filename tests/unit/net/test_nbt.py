"""NBT: both flavours byte by byte, real files, and the limits."""

import gzip

import pytest

from net.errors import DecodeError, LimitExceeded, LocalProtocolError
from net.nbt import (
    DISK,
    NETWORK,
    Byte,
    ByteArray,
    Compound,
    Double,
    Flavour,
    Float,
    Int,
    IntArray,
    Long,
    Short,
    encode_root,
    read_root,
)
from net.wire.cursor import NBT_DEPTH, Reader
from tests.support.data.shared import shared_data
from tests.support.reference.wire import buffer, capture, read_roots, zz

EVERYTHING: Compound = {
    "byte": Byte(-1),
    "short": Short(-300),
    "int": Int(-70000),
    "long": Long(-(2**40)),
    "float": Float(0.5),
    "double": Double(0.1),
    "bytes": ByteArray(b"\x00\xff"),
    "text": "grün",
    "list": [Int(1), Int(-1)],
    "empty": [],
    "nested": [[Byte(1)], [Byte(2)]],
    "compound": {"inner": {"deep": Long(7)}},
    "ints": IntArray((1, -1)),
}


def read(data: bytes, flavour: Flavour = NETWORK) -> Compound:
    return read_root(Reader(data, "nbt"), flavour)


@pytest.mark.parametrize("flavour", [NETWORK, DISK], ids=["network", "disk"])
def test_every_tag_comes_back_with_its_type(flavour: Flavour) -> None:
    back = read(encode_root(EVERYTHING, flavour), flavour)
    assert back == EVERYTHING
    assert {name: type(tag) for name, tag in back.items()} == {name: type(tag) for name, tag in EVERYTHING.items()}


def test_network_ints_and_lengths_are_varints() -> None:
    data = encode_root({"a": Int(-1), "s": "x", "l": [Long(1)]}, NETWORK)
    assert data == bytes.fromhex("0a00 03 0161 01 08 0173 0178 09 016c 04 02 02 00")


def test_disk_ints_and_lengths_are_fixed() -> None:
    data = encode_root({"a": Int(-1), "s": "x", "l": [Long(1)]}, DISK)
    expected = "0a0000 03 010061 ffffffff 08 010073 010078 09 01006c 04 01000000 0100000000000000 00"
    assert data == bytes.fromhex(expected)


def test_a_root_may_have_a_name_which_is_dropped() -> None:
    assert read(b"\x0a\x02hi\x00") == {}


def test_text_that_is_no_utf8_survives() -> None:
    data = bytes.fromhex("0a00 08 0161 02fffe 00")
    assert encode_root(read(data), NETWORK) == data


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "needs 1 byte"),
        (b"\x08\x00", "starts with tag 8"),
        (b"\x0a\x00\x0c\x01a", "contains the unknown tag 12"),
        (b"\x0a\x00\x09\x01a\x00\x02", "without an element type"),
        (b"\x0a\x00\x09\x01a\x01\xfe\xff\xff\xff\x0f", "announces 2147483647 elements"),
        (b"\x0a\x00\x07\x01a\x01", "announces -1 elements"),
        (b"\x0a\x00\x08\x01a\x05ab", "needs 5 bytes"),
    ],
)
def test_bad_bytes_are_decode_errors(data: bytes, words: str) -> None:
    with pytest.raises(DecodeError, match=words):
        read(data)


@pytest.mark.parametrize("layer", [b"\x0a\x00", b"\x09\x00\x0a\x02"], ids=["compounds", "lists"])
def test_depth_is_limited(layer: bytes) -> None:
    with pytest.raises(LimitExceeded, match="NBT depth"):
        read(b"\x0a\x00" + layer * 5000)


def test_depth_up_to_the_limit_is_read() -> None:
    depth = NBT_DEPTH - 1
    compound = read(b"\x0a\x00" + b"\x0a\x00" * depth + b"\x00" * (depth + 1))
    for _ in range(depth):
        inner = compound[""]
        assert isinstance(inner, dict)
        compound = inner
    assert compound == {}


def test_the_number_of_values_is_limited() -> None:
    size = (1 << 20) + 1
    data = b"\x0a\x00\x09\x00\x01" + zz(size) + b"\x00" * (size + 1)
    with pytest.raises(LimitExceeded, match="NBT values"):
        read(data)


@pytest.mark.parametrize("bad", [{"a": 1}, {"a": [Int(1), Byte(1)]}, {"a": Byte(128)}, {"a": True}])
def test_what_is_no_tag_is_our_own_error(bad: Compound) -> None:
    with pytest.raises(LocalProtocolError):
        encode_root(bad, NETWORK)


def test_roots_are_read_to_the_end_and_faults_name_the_root() -> None:
    data = encode_root({"id": "Chest"}, NETWORK) + encode_root({"id": "Sign"}, NETWORK)
    assert read_roots(data, NETWORK) == [{"id": "Chest"}, {"id": "Sign"}]
    with pytest.raises(DecodeError) as caught:
        read_roots(data[:-1], NETWORK, "entities")
    assert (caught.value.packet, caught.value.field) == ("entities", "[1]")


def test_a_captured_block_entity_is_read_and_written_alike() -> None:
    path = shared_data("captures/bedrock_1.18.0/subchunk cached 0,4,3.json")
    data = buffer(capture(path)["data"])
    (chest,) = read_roots(data, NETWORK)
    assert chest["id"] == "Chest"
    assert (chest["x"], chest["y"], chest["z"]) == (13, 48, 76)
    assert encode_root(chest, NETWORK) == data


def test_a_real_palette_is_read_and_written_alike() -> None:
    data = gzip.decompress(shared_data("palettes/canonical_block_states-1.18.10.nbt.gz").read_bytes())
    roots = read_roots(data, NETWORK)
    assert len(roots) == 7946
    assert b"".join(encode_root(root, NETWORK) for root in roots) == data
