"""Reads NBT.

Rules:
1. A root is a compound with a name, which is mostly empty and always dropped.
2. Compounds and lists nest at most ``NBT_DEPTH`` deep and a root holds at most ``NBT_TAGS`` values: beyond that
   LimitExceeded; everything else that is wrong is a DecodeError. All roots of one reader share ``OBJECTS_BYTES``.
3. The reader recurses, so the limit on depth stays well below Python's own.
"""

from collections.abc import Callable
from typing import Final

from net.nbt import tags
from net.nbt.flavours import Flavour
from net.nbt.tags import Byte, ByteArray, Compound, Double, Float, Int, IntArray, Long, Short, Tag
from net.wire.fixed import Buffer
from net.wire.limits import NBT_DEPTH, NBT_TAGS, NBT_VALUE_BYTES, check_limit
from net.wire.reader import Reader


def read_root(reader: Reader, flavour: Flavour) -> Compound:
    """One root compound.

    Raises:
        DecodeError: for bytes that are none.
        LimitExceeded: for one that is too deep or too large.
    """
    parse = _Parse(reader, flavour)
    root = parse.root()
    reader.charge(parse.values, NBT_VALUE_BYTES)
    return root


def read_roots(data: Buffer, flavour: Flavour, packet: str = "nbt", field: str = "") -> list[Compound]:
    """Root compounds one after the other to the end of ``data``: block entities, palettes.

    Raises:
        DecodeError: for bytes that are none, naming ``packet``, ``field`` with the root's index, and offset.
        LimitExceeded: for one that is too deep or too large.
    """
    reader = Reader(data, packet)
    roots: list[Compound] = []
    while reader.left:
        reader.field = f"{field}[{len(roots)}]"
        roots.append(read_root(reader, flavour))
    return roots


class _Parse:
    """One root being read: counts values so that a small packet cannot make millions of objects."""

    __slots__ = ("flavour", "reader", "values")

    def __init__(self, reader: Reader, flavour: Flavour) -> None:
        self.reader = reader
        self.flavour = flavour
        self.values = 0

    def root(self) -> Compound:
        start = self.reader.offset
        number = self.reader.u8()
        if number != tags.COMPOUND_NUMBER:
            raise self.reader.fault(f"starts with tag {number}, not with a compound", start)
        self.text()
        return self.compound(1)

    def value(self, number: int, depth: int) -> Tag:
        self.values += 1
        if self.values > NBT_TAGS:
            check_limit("NBT values", self.values, NBT_TAGS)
        if number == tags.COMPOUND_NUMBER:
            return self.compound(depth)
        if number == tags.LIST_NUMBER:
            return self.list(depth)
        if number not in _SCALARS:
            raise self.reader.fault(f"knows no tag {number}")
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
        if number == tags.END_NUMBER:
            # Values of no type take no bytes, so a length here could announce anything: only 0 is believed.
            if self.flavour.length.read(self.reader) > 0:
                raise self.reader.fault("is a list of values without a type", start)
            return []
        length = self.length(1)
        return [self.value(number, depth + 1) for _ in range(length)]

    def length(self, element_bytes: int) -> int:
        return self.reader.count(self.flavour.length.read, element_bytes)

    def text(self) -> str:
        length = self.flavour.text_length.read(self.reader)
        return self.reader.take(length).decode(errors="surrogateescape")

    def byte(self) -> Byte:
        return Byte(self.reader.i8())

    def short(self) -> Short:
        return Short(self.reader.i16le())

    def int32(self) -> Int:
        return Int(self.flavour.int32.read(self.reader))

    def int64(self) -> Long:
        return Long(self.flavour.int64.read(self.reader))

    def float32(self) -> Float:
        return Float(self.reader.f32le())

    def float64(self) -> Double:
        return Double(self.reader.f64le())

    def byte_array(self) -> ByteArray:
        return ByteArray(self.reader.take(self.length(1)))

    def int_array(self) -> IntArray:
        length = self.length(self.flavour.int32.least_bytes)
        self.values += length
        check_limit("NBT values", self.values, NBT_TAGS)
        return IntArray(self.flavour.int32.read(self.reader) for _ in range(length))


_SCALARS: Final[dict[int, Callable[[_Parse], Tag]]] = {
    tags.BYTE_NUMBER: _Parse.byte,
    tags.SHORT_NUMBER: _Parse.short,
    tags.INT_NUMBER: _Parse.int32,
    tags.LONG_NUMBER: _Parse.int64,
    tags.FLOAT_NUMBER: _Parse.float32,
    tags.DOUBLE_NUMBER: _Parse.float64,
    tags.BYTE_ARRAY_NUMBER: _Parse.byte_array,
    tags.STRING_NUMBER: _Parse.text,
    tags.INT_ARRAY_NUMBER: _Parse.int_array,
}
