"""Writes NBT: the reverse of ``reading``, by the Python type of each value (``tags``)."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from net.nbt import tags
from net.nbt.flavours import NETWORK, Flavour
from net.nbt.reading import read_root
from net.nbt.tags import Compound, Tag
from net.wire.fields import Kind
from net.wire.reader import Reader
from net.wire.writer import Writer


def write_root(writer: Writer, compound: Mapping[str, Tag], flavour: Flavour, name: str = "") -> None:
    """One root compound.

    Raises:
        LocalProtocolError: for values of other types than tags, mixed lists and numbers out of range.
    """
    writer.u8(tags.COMPOUND_NUMBER)
    _write_text(writer, name, flavour)
    _write_compound(writer, compound, flavour)


def encode_root(compound: Mapping[str, Tag], flavour: Flavour, name: str = "") -> bytes:
    """One root compound as bytes."""
    writer = Writer("nbt")
    write_root(writer, compound, flavour, name)
    return writer.take()


def _number(writer: Writer, value: Tag) -> int:
    number = tags.NUMBERS.get(type(value))
    if number is None:
        raise writer.fault(f"holds {value!r}, a {type(value).__name__}, which is no tag")
    return number


def _write_value(writer: Writer, number: int, value: Any, flavour: Flavour) -> None:
    _WRITERS[number](writer, value, flavour)


def _write_text(writer: Writer, value: str, flavour: Flavour) -> None:
    data = value.encode(errors="surrogateescape")
    flavour.text_length.write(writer, len(data))
    writer.raw(data)


def _write_compound(writer: Writer, value: Mapping[str, Tag], flavour: Flavour) -> None:
    for name, member in value.items():
        number = _number(writer, member)
        writer.u8(number)
        _write_text(writer, name, flavour)
        _write_value(writer, number, member, flavour)
    writer.u8(tags.END_NUMBER)


def _write_list(writer: Writer, value: list[Tag], flavour: Flavour) -> None:
    numbers = {_number(writer, element) for element in value} or {tags.END_NUMBER}
    if len(numbers) > 1:
        raise writer.fault(f"holds a list of mixed tags {sorted(numbers)}")
    number = numbers.pop()
    writer.u8(number)
    flavour.length.write(writer, len(value))
    for element in value:
        _write_value(writer, number, element, flavour)


def _write_bytes(writer: Writer, value: bytes, flavour: Flavour) -> None:
    flavour.length.write(writer, len(value))
    writer.raw(value)


def _write_ints(writer: Writer, value: tuple[int, ...], flavour: Flavour) -> None:
    flavour.length.write(writer, len(value))
    for element in value:
        flavour.int32.write(writer, element)


_WRITERS: Final[dict[int, Callable[[Writer, Any, Flavour], None]]] = {
    tags.BYTE_NUMBER: lambda writer, value, _: writer.i8(value),
    tags.SHORT_NUMBER: lambda writer, value, _: writer.i16le(value),
    tags.INT_NUMBER: lambda writer, value, flavour: flavour.int32.write(writer, value),
    tags.LONG_NUMBER: lambda writer, value, flavour: flavour.int64.write(writer, value),
    tags.FLOAT_NUMBER: lambda writer, value, _: writer.f32le(value),
    tags.DOUBLE_NUMBER: lambda writer, value, _: writer.f64le(value),
    tags.BYTE_ARRAY_NUMBER: _write_bytes,
    tags.STRING_NUMBER: _write_text,
    tags.LIST_NUMBER: _write_list,
    tags.COMPOUND_NUMBER: _write_compound,
    tags.INT_ARRAY_NUMBER: _write_ints,
}


def _read_network_root(reader: Reader) -> Compound:
    return read_root(reader, NETWORK)


def _write_network_root(writer: Writer, compound: Compound) -> None:
    write_root(writer, compound, NETWORK)


ROOT: Final = Kind(_read_network_root, _write_network_root, 3)
"""A root compound as a packet's field."""
