"""Cursors: what integers look like, and that nothing but DecodeError comes out of bad bytes."""

import math

import pytest

from net.errors import DecodeError, LimitExceeded, LocalProtocolError
from net.wire.cursor import OBJECTS_BYTES, Reader, Writer
from tests.support.reference.wire import uv, zz

INTS = [0, 1, -1, 63, -64, 64, 300, -60, 2**31 - 1, -(2**31)]


def read(data: bytes) -> Reader:
    reader = Reader(data, "test")
    reader.field = "f"
    return reader


@pytest.mark.parametrize("value", INTS)
def test_zigzag_varints_look_as_the_book_says(value: int) -> None:
    writer = Writer("test")
    writer.zz32(value)
    writer.zz64(value)
    assert writer.take() == zz(value) * 2
    reader = read(writer.take())
    assert (reader.zz32(), reader.zz64(), reader.left) == (value, value, 0)


@pytest.mark.parametrize("value", [0, 127, 128, 16383, 16384, 0xFFFFFFFE, 0xFFFFFFFF])
def test_unsigned_varints_look_as_the_book_says(value: int) -> None:
    writer = Writer("test")
    writer.uv32(value)
    assert writer.take() == uv(value)
    assert read(uv(value)).uv32() == value


def test_the_marks_of_skeletons_are_five_bytes() -> None:
    assert uv(0xFFFFFFFF) == bytes.fromhex("ffffffff0f")
    assert uv(0xFFFFFFFE) == bytes.fromhex("feffffff0f")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "runs past the end"),
        (b"\x80\x80", "runs past the end"),
        (b"\x80\x80\x80\x80\x80\x01", "longer than 5 bytes"),
        (b"\xff\xff\xff\xff\x1f", "more than 32 bits"),
    ],
)
def test_a_bad_varint_names_packet_field_and_offset(data: bytes, words: str) -> None:
    with pytest.raises(DecodeError, match=words) as caught:
        read(data).uv32()
    assert (caught.value.packet, caught.value.field, caught.value.offset) == ("test", "f", 0)


def test_ten_bytes_hold_64_bits_and_no_more() -> None:
    assert read(b"\xff" * 9 + b"\x01").uv64() == 2**64 - 1
    with pytest.raises(DecodeError):
        read(b"\xff" * 9 + b"\x02").uv64()


@pytest.mark.parametrize("name", ["u8", "i8", "boolean", "u16le", "i32be", "u64le", "f32le", "f64le", "string", "vec3"])
def test_no_bytes_left_is_a_decode_error(name: str) -> None:
    with pytest.raises(DecodeError):
        getattr(read(b""), name)()


def test_fixed_integers_have_their_sign_and_order() -> None:
    data = b"\xfe\xff\xff\xff"
    assert (read(data).u16le(), read(data).i16le()) == (0xFFFE, -2)
    assert (read(data).u32le(), read(data).i32le(), read(data).i32be()) == (0xFFFFFFFE, -2, -16777217)
    assert (read(data).u8(), read(data).i8()) == (254, -2)


def test_a_length_is_believed_only_if_the_bytes_are_there() -> None:
    with pytest.raises(DecodeError, match="needs 4294967295 bytes, but 1 are left"):
        read(uv(0xFFFFFFFF) + b"x").byte_string()
    with pytest.raises(DecodeError, match="announces 3 elements in 2 bytes"):
        read(uv(3) + b"xy").count(Reader.uv32)
    with pytest.raises(DecodeError, match="announces -1 elements"):
        read(b"\xff\xff\xff\xff").count(Reader.i32le)


def test_text_that_is_no_utf8_is_a_decode_error() -> None:
    with pytest.raises(DecodeError, match="UTF-8"):
        read(b"\x02\xff\xfe").string()


def test_slices_are_copies_of_any_buffer() -> None:
    store = bytearray(b"\x03abc")
    taken = read(memoryview(store)).byte_string()
    store[1:] = b"xyz"
    assert taken == b"abc"
    assert isinstance(taken, bytes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("u8", 256),
        ("u8", -1),
        ("i8", 128),
        ("u16le", -1),
        ("u32le", 2**32),
        ("uv32", -1),
        ("uv32", 2**32),
        ("zz32", 2**31),
        ("zz64", -(2**63) - 1),
        ("f32le", 1e300),
        ("string", "\ud800"),
    ],
)
def test_what_has_no_wire_form_is_our_own_error(name: str, value: object) -> None:
    with pytest.raises(LocalProtocolError):
        getattr(Writer("test"), name)(value)


def test_floats_keep_infinity_and_nan() -> None:
    writer = Writer("test")
    writer.vec2((math.inf, math.nan))
    east, south = read(writer.take()).vec2()
    assert east == math.inf
    assert math.isnan(south)


def test_objects_that_are_refused_are_not_counted() -> None:
    reader = read(b"")
    reader.charge(10)
    before = reader.objects_bytes
    with pytest.raises(LimitExceeded):
        reader.charge(OBJECTS_BYTES)
    assert reader.objects_bytes == before > 0
