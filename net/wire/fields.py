"""One description of a packet's fields for both directions, and its dialects.

A class declares a field's wire form in the annotation of its attribute, in the order of the wire or with that order
beside it (``fields_of``):

    dimension: Annotated[int, ZZ32]
    seed: Annotated[int, wire(ZZ32, until=503), wire(U64LE, since=503)]  # another form from protocol 503 on
    radius_limit: Annotated[int, wire(U8, since=582)] = 0

A class whose wire has what no attribute holds, or an attribute at several places, lists ``Field`` objects.

Rules:
1. ``select`` returns the fields of one dialect; each name occurs at most once in it. Kinds that differ between dialects
   (``by_dialect``: block positions, records with gates) are resolved there, not while reading.
2. A field that this dialect or the values before it (``when``) leave out is absent while decoding, so its attribute in
   the message needs a default, and is not written while encoding.
3. While a field is read or written the cursor holds its name, list indices and dots included, for errors.
4. A list's count is accepted only if that many elements can follow (``Reader.count``).

Dialects: ``BEDROCK`` is what real servers of a protocol send. ``DOCUMENTED`` is the literal layout of the vendor's
documentation of the SubChunk Request System (seed 000): little-endian fixed integers where real servers send varints,
unsigned varints in palettes, a payload only where it is needed, and height values that are the y of the top block. Only
LevelChunk, SubChunk and SubChunkRequest differ, and messages are the same in both: a profile ends at the codec.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from net.space import BlockPos, ColumnPos, SubChunkPos
from net.wire.cursor import Reader, Writer


class Profile(Enum):
    """The wire profile. The value is the word users type after ``--profile``."""

    BEDROCK = "bedrock"  # what servers really send
    DOCUMENTED = "documented"  # what the vendor's documentation says they send


class Dialect(msgspec.Struct, frozen=True):
    """Protocol and profile of packets."""

    protocol: int  # the protocol number, 486 for 1.18.10
    profile: Profile = Profile.BEDROCK


FARTHEST_BLOCKS: Final = float(1 << 30)
"""Limit of positions: the games end at 30 million blocks, and beyond this sums of int32 positions overflow."""

Value = TypeVar("Value")
Values = Mapping[str, Any]  # a packet's fields are of any kind


class Kind(msgspec.Struct, Generic[Value], frozen=True):
    """The wire form of one value."""

    read: Callable[[Reader], Value]  # reads it from a reader
    write: Callable[[Writer, Value], None]  # writes it to a writer
    least_bytes: int = 1  # its shortest form, which bounds the length of lists
    # returns the kind for a dialect if dialects differ; such a kind can neither read nor write itself
    settle: "Callable[[Dialect], Kind[Value]] | None" = None

    def of(self, dialect: Dialect) -> "Kind[Value]":
        return self if self.settle is None else self.settle(dialect)


def by_dialect(settle: Callable[[Dialect], Kind[Value]]) -> Kind[Value]:
    """A kind that differs between dialects; ``select`` resolves it."""

    def read(reader: Reader) -> Value:
        raise AssertionError(f"{reader.packet}.{reader.field} was not settled for a dialect")

    def write(writer: Writer, _value: Value) -> None:
        raise AssertionError(f"{writer.packet}.{writer.field} was not settled for a dialect")

    return Kind(read, write, settle=settle)


class Field(msgspec.Struct, frozen=True):
    """One field of a packet."""

    name: str  # of the message's attribute
    kind: Kind[Any]  # its wire form
    since: int = 0  # first protocol that has it
    until: int = 0  # first protocol that no longer has it; 0 = all later ones have it
    profile: Profile | None = None  # the only profile that has it, or None
    # whether it is present, from the values of the packet's other fields; while decoding, only of those before it
    when: Callable[[Values], bool] | None = None

    def spoken_in(self, dialect: Dialect) -> bool:
        protocol = dialect.protocol
        in_time = protocol >= self.since and (self.until == 0 or protocol < self.until)
        return in_time and self.profile in {None, dialect.profile}


def wire(kind: Kind[Any], *, since: int = 0, until: int = 0, when: Callable[[Values], bool] | None = None) -> Field:
    """A form that not every dialect or value has, for an annotation; the attribute names the field."""
    return Field("", kind, since, until, None, when)


def fields_of(declared: type, order: tuple[str, ...] = ()) -> tuple[Field, ...]:
    """The fields that the annotations of a class declare.

    ``order``: all of their names in the order of the wire, where the attributes have another one.
    Raises ValueError: a name is missing in it; that field would never be sent.
    """
    said = {name for name, annotation in declared.__annotations__.items() if hasattr(annotation, "__metadata__")}
    if order and said != set(order):
        raise ValueError(
            f"{declared.__name__}: the order does not name {sorted(said ^ set(order))}, or no field has that name"
        )
    return tuple(
        Field(name, form) if isinstance(form, Kind) else replace(form, name=name)
        for name in order or declared.__annotations__
        for form in getattr(declared.__annotations__[name], "__metadata__", ())
    )


def select(fields: Sequence[Field], dialect: Dialect) -> tuple[Field, ...]:
    """The fields of one dialect, in wire order."""
    return tuple(replace(field, kind=field.kind.of(dialect)) for field in fields if field.spoken_in(dialect))


def decode_fields(fields: Sequence[Field], reader: Reader) -> dict[str, Any]:
    """Reads selected fields; absent ones are missing from the result."""
    values: dict[str, Any] = {}
    prefix = reader.field
    for field in fields:
        if field.when is None or field.when(values):
            reader.field = prefix + field.name
            values[field.name] = field.kind.read(reader)
    reader.field = prefix
    return values


def encode_fields(fields: Sequence[Field], writer: Writer, values: Values) -> None:
    """Writes selected fields from a mapping that holds them all."""
    prefix = writer.field
    for field in fields:
        if field.when is None or field.when(values):
            writer.field = prefix + field.name
            field.kind.write(writer, values[field.name])
    writer.field = prefix


U8: Final = Kind(Reader.u8, Writer.u8)
I8: Final = Kind(Reader.i8, Writer.i8)
BOOL: Final = Kind(Reader.boolean, Writer.boolean)
U16LE: Final = Kind(Reader.u16le, Writer.u16le, 2)
I16LE: Final = Kind(Reader.i16le, Writer.i16le, 2)
U32LE: Final = Kind(Reader.u32le, Writer.u32le, 4)
I32LE: Final = Kind(Reader.i32le, Writer.i32le, 4)
I32BE: Final = Kind(Reader.i32be, Writer.i32be, 4)
U64LE: Final = Kind(Reader.u64le, Writer.u64le, 8)
I64LE: Final = Kind(Reader.i64le, Writer.i64le, 8)
F32LE: Final = Kind(Reader.f32le, Writer.f32le, 4)
UV32: Final = Kind(Reader.uv32, Writer.uv32)
UV64: Final = Kind(Reader.uv64, Writer.uv64)
UV128: Final = Kind(Reader.uv128, Writer.uv128)
ZZ32: Final = Kind(Reader.zz32, Writer.zz32)
ZZ64: Final = Kind(Reader.zz64, Writer.zz64)
STRING: Final = Kind(Reader.string, Writer.string)
BYTE_STRING: Final = Kind(Reader.byte_string, Writer.byte_string)
REST: Final = Kind(Reader.rest, Writer.raw, 0)
"""All bytes to the end of the packet."""
UUID: Final = Kind(Reader.uuid, Writer.uuid, 16)
"""As text; on the wire two halves, each little endian."""
NO_UUID: Final = "00000000-0000-0000-0000-000000000000"
VEC2: Final = Kind(Reader.vec2, Writer.vec2, 8)
VEC3: Final = Kind(Reader.vec3, Writer.vec3, 12)


def _read_position(reader: Reader) -> tuple[float, float, float]:
    start = reader.offset
    position = reader.vec3()
    if not all(abs(part) <= FARTHEST_BLOCKS for part in position):  # written so that NaN fails, too
        raise reader.fault(f"{position} is not a position in a world", start)
    return position


def _read_angle(reader: Reader) -> float:
    start = reader.offset
    angle = reader.f32le()
    if not math.isfinite(angle):
        raise reader.fault(f"{angle} degrees is not an angle", start)
    return angle


POSITION: Final = Kind(_read_position, Writer.vec3, 12)
"""Three floats that are a valid position: it can be converted to blocks and columns without another check."""
ANGLE: Final = Kind(_read_angle, Writer.f32le, 4)
"""A float in degrees."""


def _read_block(reader: Reader) -> BlockPos:
    x, y, z = reader.zz32(), reader.uv32(), reader.zz32()
    return BlockPos(x, y - (1 << 32) if y >> 31 else y, z)


def _write_block(writer: Writer, position: BlockPos) -> None:
    writer.zz32(position.x)
    writer.uv32(position.y & 0xFFFFFFFF)
    writer.zz32(position.z)


def _read_signed_block(reader: Reader) -> BlockPos:
    return BlockPos(reader.zz32(), reader.zz32(), reader.zz32())


def _read_column(reader: Reader) -> ColumnPos:
    return ColumnPos(reader.zz32(), reader.zz32())


def _read_subchunk(reader: Reader) -> SubChunkPos:
    return SubChunkPos(reader.zz32(), reader.zz32(), reader.zz32())


def _read_fixed_subchunk(reader: Reader) -> SubChunkPos:
    return SubChunkPos(reader.i32le(), reader.i32le(), reader.i32le())


def _write_each(write: Callable[[Writer, int], None]) -> Callable[[Writer, tuple[int, ...]], None]:
    def each(writer: Writer, position: tuple[int, ...]) -> None:
        for coordinate in position:
            write(writer, coordinate)

    return each


UNSIGNED_BLOCK_POS: Final = Kind(_read_block, _write_block, 3)
"""zz32 x, uv32 y (two's complement of the int32), zz32 z: block positions before protocol 944."""
SIGNED_BLOCK_POS: Final = Kind(_read_signed_block, _write_each(Writer.zz32), 3)
"""zz32 x, y, z: all block positions from protocol 944, publisher positions at every protocol."""
SIGNED_SINCE: Final = 944
BLOCK_POS: Final = by_dialect(lambda d: SIGNED_BLOCK_POS if d.protocol >= SIGNED_SINCE else UNSIGNED_BLOCK_POS)
"""A block position as the dialect writes it."""
COLUMN_POS: Final = Kind(_read_column, _write_each(Writer.zz32), 2)
SUBCHUNK_POS: Final = Kind(_read_subchunk, _write_each(Writer.zz32), 3)
FIXED_SUBCHUNK_POS: Final = Kind(_read_fixed_subchunk, _write_each(Writer.i32le), 12)


def listed(kind: Kind[Value], count: Kind[int]) -> Kind[tuple[Value, ...]]:
    """A list: its length in ``count``, then that many values of ``kind``."""
    if (settle := kind.settle) is not None:
        return by_dialect(lambda dialect: listed(settle(dialect), count))

    def read(reader: Reader) -> tuple[Value, ...]:
        name = reader.field
        length = reader.count(count.read, kind.least_bytes)
        reader.charge(length)
        values = []
        for index in range(length):
            reader.field = f"{name}[{index}]"
            values.append(kind.read(reader))
        reader.field = name
        return tuple(values)

    def write(writer: Writer, values: tuple[Value, ...]) -> None:
        name = writer.field
        count.write(writer, len(values))
        for index, value in enumerate(values):
            writer.field = f"{name}[{index}]"
            kind.write(writer, value)
        writer.field = name

    return Kind(read, write, count.least_bytes)


def optional(kind: Kind[Value]) -> Kind[Value | None]:
    """A bool, then the value if it is true."""
    if (settle := kind.settle) is not None:
        return by_dialect(lambda dialect: optional(settle(dialect)))

    def read(reader: Reader) -> Value | None:
        return kind.read(reader) if reader.boolean() else None

    def write(writer: Writer, value: Value | None) -> None:
        writer.boolean(value is not None)
        if value is not None:
            kind.write(writer, value)

    return Kind(read, write)


class Record(msgspec.Struct, Generic[Value], frozen=True):
    """A structure inside a packet: fields in order, combined into one value, or a dict."""

    make: Callable[..., Value]  # takes the fields by name; fields that a dialect lacks are missing
    fields: tuple[Field, ...]  # of all dialects, gated like a packet's

    @property
    def kind(self) -> Kind[Value]:
        """This structure as a field's kind."""
        return by_dialect(self._settled)

    def _settled(self, dialect: Dialect) -> Kind[Value]:
        fields = select(self.fields, dialect)

        def read(reader: Reader) -> Value:
            name = reader.field
            reader.field = name + "."
            values = decode_fields(fields, reader)
            reader.field = name
            return self.make(**values)

        def write(writer: Writer, value: Value) -> None:
            name = writer.field
            writer.field = name + "."
            given = value if isinstance(value, dict) else {field.name: getattr(value, field.name) for field in fields}
            encode_fields(fields, writer, given)
            writer.field = name

        return Kind(read, write, sum(field.kind.least_bytes for field in fields if field.when is None))


def record(made: type[Value], order: tuple[str, ...] = ()) -> Kind[Value]:
    """The kind of a class whose annotations declare its fields; ``order`` as for ``fields_of``."""
    return Record(made, fields_of(made, order)).kind
