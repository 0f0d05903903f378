"""Field descriptions: gates, conditions, lists, and the names that errors carry."""

from typing import Annotated, NamedTuple

import pytest

from net.errors import DecodeError, LocalProtocolError
from net.space import BlockPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    BLOCK_POS,
    BOOL,
    I32LE,
    SIGNED_BLOCK_POS,
    STRING,
    U8,
    UUID,
    UV32,
    ZZ32,
    Dialect,
    Field,
    Profile,
    Record,
    decode_fields,
    encode_fields,
    fields_of,
    listed,
    optional,
    select,
)

FIELDS = (
    Field("always", U8),
    Field("new", U8, since=500),
    Field("old", U8, until=500),
    Field("dimension", ZZ32, profile=Profile.BEDROCK),
    Field("dimension", I32LE, profile=Profile.DOCUMENTED),
)


class Pair(NamedTuple):
    name: str
    flags: tuple[bool, ...]


PAIR = Record(Pair, (Field("name", STRING), Field("flags", listed(BOOL, UV32)))).kind


@pytest.mark.parametrize(
    ("dialect", "names"),
    [
        (Dialect(486), ["always", "old", "dimension"]),
        (Dialect(499), ["always", "old", "dimension"]),
        (Dialect(500, Profile.DOCUMENTED), ["always", "new", "dimension"]),
    ],
)
def test_a_dialect_selects_its_fields(dialect: Dialect, names: list[str]) -> None:
    assert [field.name for field in select(FIELDS, dialect)] == names


class Declared:
    first: Annotated[int, U8]
    second: Annotated[int, U8]
    not_sent: int


def test_an_order_of_the_wire_names_every_field() -> None:
    assert [field.name for field in fields_of(Declared, ("second", "first"))] == ["second", "first"]
    with pytest.raises(ValueError, match="Declared: the order does not name"):
        fields_of(Declared, ("first",))


def test_profiles_write_one_value_in_two_ways() -> None:
    values = {"always": 1, "old": 2, "dimension": -1}
    written = []
    for profile in Profile:
        writer = Writer("test")
        chosen = select(FIELDS, Dialect(486, profile))
        encode_fields(chosen, writer, values)
        written.append(writer.take())
        assert decode_fields(chosen, Reader(writer.take(), "test")) == values
    assert written == [b"\x01\x02\x01", b"\x01\x02\xff\xff\xff\xff"]


def test_a_condition_leaves_a_field_out_in_both_directions() -> None:
    fields = (Field("hidden", BOOL), Field("text", STRING, when=lambda values: not values["hidden"]))
    writer = Writer("test")
    encode_fields(fields, writer, {"hidden": True, "text": "not said"})
    assert writer.take() == b"\x01"
    assert decode_fields(fields, Reader(b"\x01", "test")) == {"hidden": True}


def test_errors_name_the_way_into_lists_and_records() -> None:
    fields = select((Field("pairs", listed(PAIR, UV32)),), Dialect(486))
    data = b"\x02" + b"\x01a\x00" + b"\x01b\x02\x01"
    with pytest.raises(DecodeError) as caught:
        decode_fields(fields, Reader(data, "Test"))
    assert caught.value.field == "pairs[1].flags"
    assert caught.value.offset == 6
    with pytest.raises(LocalProtocolError, match=r"Test.pairs\[0\].name"):
        encode_fields(fields, Writer("Test"), {"pairs": (Pair("\ud800", ()),)})


def test_names_are_restored_after_a_list() -> None:
    reader = Reader(b"\x00\x01", "Test")
    fields = select((Field("pairs", listed(PAIR, UV32)), Field("after", U8)), Dialect(486))
    values = decode_fields(fields, reader)
    assert values == {"pairs": (), "after": 1}
    assert reader.field == ""


def test_a_list_cannot_announce_more_than_its_elements_least_bytes_allow() -> None:
    with pytest.raises(DecodeError, match="announces 3 elements in 5 bytes"):
        listed(PAIR, UV32).of(Dialect(486)).read(Reader(b"\x03" + b"\x00" * 5, "Test"))


def test_block_positions_before_944_have_an_unsigned_y() -> None:
    for protocol, text in ((943, "02 c4ffffff0f 01"), (944, "02 77 01")):
        kind = BLOCK_POS.of(Dialect(protocol))
        writer = Writer("Test")
        kind.write(writer, BlockPos(1, -60, -1))
        assert writer.take() == bytes.fromhex(text)
        assert kind.read(Reader(writer.take(), "Test")) == BlockPos(1, -60, -1)
    writer = Writer("Test")
    SIGNED_BLOCK_POS.write(writer, BlockPos(1, -60, -1))
    assert writer.take() == bytes.fromhex("02 77 01")


def test_gates_hold_inside_records_lists_and_optionals() -> None:
    pair = Record(dict, (Field("old", U8, until=500), Field("new", UUID, since=500)))
    kind = listed(optional(pair.kind), UV32)
    assert kind.of(Dialect(499)).read(Reader(b"\x02\x00\x01\x07", "Test")) == (None, {"old": 7})
    some = "00112233-4455-6677-8899-aabbccddeeff"
    writer = Writer("Test")
    UUID.write(writer, some)
    assert writer.take() == bytes.fromhex("7766554433221100 ffeeddccbbaa9988")
    data = b"\x01\x01" + writer.take()
    assert kind.of(Dialect(500)).read(Reader(data, "Test")) == ({"new": some},)
    with pytest.raises(LocalProtocolError, match="UUID"):
        UUID.write(writer, "nobody")


def test_an_optional_value_is_a_bool_and_the_value() -> None:
    kind = optional(U8)
    for value, data in ((None, b"\x00"), (7, b"\x01\x07")):
        writer = Writer("Test")
        kind.write(writer, value)
        assert writer.take() == data
        assert kind.read(Reader(data, "Test")) == value
