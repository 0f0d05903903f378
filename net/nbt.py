"""NBT, the games' tagged binary format, in its network and disk flavours (wire.md 1).

Four encodings differ:

| field | network | disk |
|---|---|---|
| int, long | zz32, zz64 | i32le, i64le |
| string length | uv32 | u16le |
| list and array length | zz32 | i32le |

Everything else is little endian in both.

Reading:
1. A root is a compound with a name, which is usually empty and always dropped.
2. Compounds and lists nest at most ``NBT_DEPTH`` deep and a root holds at most ``NBT_TAGS`` values, otherwise
   LimitExceeded; all other errors are a DecodeError. All roots of one reader share ``OBJECTS_BYTES``.
3. The reader recurses, so the limit on depth is well below Python's own.

Tags as Python values: a string is ``str``, a list ``list``, a compound ``dict``; numbers and arrays are subclasses of
``int``, ``float``, ``bytes`` and ``tuple`` that store their width, so that they compare and compute as plain values and
are written as they were read.
1. A list holds values of one type, which determines how it is written; an empty one has no type.
2. Text that is not UTF-8 (it happens in old signs) is kept through surrogate escapes.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Union

import msgspec

from net.wire.cursor import NBT_DEPTH, NBT_TAGS, NBT_VALUE_BYTES, Reader, Writer, check_limit
from net.wire.fields import I32LE, I64LE, U16LE, UV32, ZZ32, ZZ64, Kind


class Flavour(msgspec.Struct, frozen=True):
    """One flavour of NBT."""

    name: str  # for errors
    int32: Kind[int]  # an int
    int64: Kind[int]  # a long
    text_length: Kind[int]  # of names and strings
    length: Kind[int]  # of lists and arrays


NETWORK: Final = Flavour("network", ZZ32, ZZ64, UV32, ZZ32)
DISK: Final = Flavour("disk", I32LE, I64LE, U16LE, I32LE)


class Byte(int):
    """Tag 1: -128..127."""


class Short(int):
    """Tag 2: 16 bits."""


class Int(int):
    """Tag 3: 32 bits."""


class Long(int):
    """Tag 4: 64 bits."""


class Float(float):
    """Tag 5: single precision."""


class Double(float):
    """Tag 6: double precision."""


class ByteArray(bytes):
    """Tag 7."""


class IntArray(tuple[int, ...]):
    """Tag 11."""

    __slots__ = ()


Tag = Union[Byte, Short, Int, Long, Float, Double, ByteArray, str, "list[Tag]", "dict[str, Tag]", IntArray]
Compound = dict[str, Tag]

END_NUMBER: Final = 0
LIST_NUMBER: Final = 9
COMPOUND_NUMBER: Final = 10


def read_root(reader: Reader, flavour: Flavour) -> Compound:
    """One root compound.

    Raises DecodeError: the bytes are not one; LimitExceeded: it is too deep or too large.
    """
    parse = _Parse(reader, flavour)
    root = parse.root()
    reader.charge(parse.values, NBT_VALUE_BYTES)
    return root


class _Parse:
    """One root being read; counts values so that a small packet cannot make millions of objects."""

    __slots__ = ("flavour", "reader", "values")

    def __init__(self, reader: Reader, flavour: Flavour) -> None:
        self.reader = reader
        self.flavour = flavour
        self.values = 0

    def root(self) -> Compound:
        start = self.reader.offset
        number = self.reader.u8()
        if number != COMPOUND_NUMBER:
            raise self.reader.fault(f"starts with tag {number}, not with a compound", start)
        self.text()
        return self.compound(1)

    def value(self, number: int, depth: int) -> Tag:
        self.values += 1
        if self.values > NBT_TAGS:
            check_limit("NBT values", self.values, NBT_TAGS)
        if number == COMPOUND_NUMBER:
            return self.compound(depth)
        if number == LIST_NUMBER:
            return self.list(depth)
        if number not in _SCALARS:
            raise self.reader.fault(f"contains the unknown tag {number}")
        return _SCALARS[number](self)

    def compound(self, depth: int) -> Compound:
        check_limit("NBT depth", depth, NBT_DEPTH)
        values: Compound = {}
        while number := self.reader.u8():
            name = self.text()
            values[name] = self.value(number, depth + 1)
        return values

    def list(self, depth: int) -> "list[Tag]":
        check_limit("NBT depth", depth, NBT_DEPTH)
        start = self.reader.offset
        number = self.reader.u8()
        if number == END_NUMBER:
            # Values of no type take no bytes, so any length could be announced: only 0 is accepted.
            if self.flavour.length.read(self.reader) > 0:
                raise self.reader.fault("is a non-empty list without an element type", start)
            return []
        length = self.length(1)
        return [self.value(number, depth + 1) for _ in range(length)]

    def length(self, element_bytes: int) -> int:
        return self.reader.count(self.flavour.length.read, element_bytes)

    def text(self) -> str:
        length = self.flavour.text_length.read(self.reader)
        return self.reader.take(length).decode(errors="surrogateescape")

    def int32(self) -> Int:
        return Int(self.flavour.int32.read(self.reader))

    def int64(self) -> Long:
        return Long(self.flavour.int64.read(self.reader))

    def int_array(self) -> IntArray:
        length = self.length(self.flavour.int32.least_bytes)
        self.values += length
        check_limit("NBT values", self.values, NBT_TAGS)
        return IntArray(self.flavour.int32.read(self.reader) for _ in range(length))


def write_root(writer: Writer, compound: Mapping[str, Tag], flavour: Flavour, name: str = "") -> None:
    """One root compound.

    Raises LocalProtocolError: for values of other types than tags, mixed lists and numbers out of range.
    """
    writer.u8(COMPOUND_NUMBER)
    _write_text(writer, name, flavour)
    _write_compound(writer, compound, flavour)


def encode_root(compound: Mapping[str, Tag], flavour: Flavour, name: str = "") -> bytes:
    """One root compound as bytes."""
    writer = Writer("nbt")
    write_root(writer, compound, flavour, name)
    return writer.take()


def _number(writer: Writer, value: Tag) -> int:
    number = _NUMBERS.get(type(value))
    if number is None:
        raise writer.fault(f"contains {value!r}, a {type(value).__name__}, which has no tag")
    return number


def _write_text(writer: Writer, value: str, flavour: Flavour) -> None:
    data = value.encode(errors="surrogateescape")
    flavour.text_length.write(writer, len(data))
    writer.raw(data)


def _write_compound(writer: Writer, value: Mapping[str, Tag], flavour: Flavour) -> None:
    for name, member in value.items():
        number = _number(writer, member)
        writer.u8(number)
        _write_text(writer, name, flavour)
        _WRITERS[number](writer, member, flavour)
    writer.u8(END_NUMBER)


def _write_list(writer: Writer, value: list[Tag], flavour: Flavour) -> None:
    numbers = {_number(writer, element) for element in value} or {END_NUMBER}
    if len(numbers) > 1:
        raise writer.fault(f"contains a list of mixed tags {sorted(numbers)}")
    number = numbers.pop()
    writer.u8(number)
    flavour.length.write(writer, len(value))
    for element in value:
        _WRITERS[number](writer, element, flavour)


def _write_bytes(writer: Writer, value: bytes, flavour: Flavour) -> None:
    flavour.length.write(writer, len(value))
    writer.raw(value)


def _write_ints(writer: Writer, value: tuple[int, ...], flavour: Flavour) -> None:
    flavour.length.write(writer, len(value))
    for element in value:
        flavour.int32.write(writer, element)


_TAGS: Final[tuple[tuple[int, type, Callable[[_Parse], Tag] | None, Callable[[Writer, Any, Flavour], None]], ...]] = (
    (1, Byte, lambda parse: Byte(parse.reader.i8()), lambda writer, value, _: writer.i8(value)),
    (2, Short, lambda parse: Short(parse.reader.i16le()), lambda writer, value, _: writer.i16le(value)),
    (3, Int, _Parse.int32, lambda writer, value, flavour: flavour.int32.write(writer, value)),
    (4, Long, _Parse.int64, lambda writer, value, flavour: flavour.int64.write(writer, value)),
    (5, Float, lambda parse: Float(parse.reader.f32le()), lambda writer, value, _: writer.f32le(value)),
    (6, Double, lambda parse: Double(parse.reader.f64le()), lambda writer, value, _: writer.f64le(value)),
    (7, ByteArray, lambda parse: ByteArray(parse.reader.take(parse.length(1))), _write_bytes),
    (8, str, _Parse.text, _write_text),
    (LIST_NUMBER, list, None, _write_list),
    (COMPOUND_NUMBER, dict, None, _write_compound),
    (11, IntArray, _Parse.int_array, _write_ints),
)
"""Number, Python type, how it is read (lists and compounds otherwise, by their depth) and written."""
_NUMBERS: Final = {kind: number for number, kind, _, _ in _TAGS}
_SCALARS: Final = {number: read for number, _, read, _ in _TAGS if read is not None}
_WRITERS: Final = {number: write for number, _, _, write in _TAGS}


def _read_network_root(reader: Reader) -> Compound:
    return read_root(reader, NETWORK)


def _write_network_root(writer: Writer, compound: Compound) -> None:
    write_root(writer, compound, NETWORK)


ROOT: Final = Kind(_read_network_root, _write_network_root, 3)
"""A root compound as a packet's field."""
