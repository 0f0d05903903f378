"""Encodes and decodes packets in one dialect.

A packet is a uv32 header (number | sender << 10 | target << 12; both are 0 for us) and a body (wire.md 1).

Rules:
1. Every fault in the bytes, exceeded limits included, is a DecodeError that names the field. Bytes after the last field
   are ignored, as newer servers append fields.
2. A number that is not in the table gives Unknown.
3. A codec holds no state of a session: several sessions may share one.
4. ``trace`` reads a packet as ``read`` does, and reports which bytes each field took; it serves diagnostics and may be
   slow.
"""

from contextlib import suppress
from typing import Any, Final, NamedTuple

import msgspec

from net.bedrock.packets.packet import Message, Unknown, packets
from net.errors import DecodeError, LimitExceeded, LocalProtocolError
from net.releases import release_of
from net.wire.cursor import PACKET_BYTES, Buffer, Reader, Writer
from net.wire.fields import Dialect, Field, Profile, Values, decode_fields, encode_fields, select

NUMBER_MASK: Final = 0x3FF


class _Entry(msgspec.Struct, frozen=True):
    """One packet in one dialect: its class and its fields, split into required ones and the optional tail."""

    kind: type[Message]
    name: str
    fields: tuple[Field, ...]
    required: tuple[Field, ...]
    tail: tuple[Field, ...]


def _entry(kind: type[Message], dialect: Dialect) -> _Entry:
    fields = select(kind.FIELDS, dialect)
    names = [field.name for field in fields]
    cut = names.index(kind.REQUIRED) + 1 if kind.REQUIRED else len(fields)
    return _Entry(kind, kind.__name__, fields, fields[:cut], fields[cut:])


class FieldBytes(NamedTuple):
    """The bytes of a packet that a field took; its parts may follow under their own names."""

    name: str  # as in errors; empty: bytes after the last field
    start: int  # offset of its first byte in the packet
    end: int  # one past its last


class PacketTrace(msgspec.Struct, frozen=True):
    """One packet, field by field."""

    packet_id: int | None  # its number; None where the header makes no sense
    name: str  # of the packet; empty where the number is not on the list
    message: Message | None  # decoded values by wire field; of a packet that fails, those before the fault
    values: Values  # what was read, by field as on the wire; of a packet that does not decode what came before
    fields: tuple[FieldBytes, ...]  # in the order of the bytes, the header first
    fault: DecodeError | None  # None where it decodes


class TracingReader(Reader):
    """A reader that records where each field began."""

    __slots__ = ("_field", "begun")

    def __init__(self, data: Buffer, packet: str) -> None:
        self.begun: list[tuple[str, int]] = []  # names and offsets, in reading order
        super().__init__(data, packet)

    @property
    def field(self) -> str:
        """Name for errors."""
        return self._field

    @field.setter
    def field(self, name: str) -> None:
        self._field = name
        self.begun.append((name, self.offset))

    def fields(self) -> tuple[FieldBytes, ...]:
        """The fields that took bytes."""
        ends = [start for _, start in self.begun[1:]] + [self.end]
        spans = [FieldBytes(name, start, end) for (name, start), end in zip(self.begun, ends, strict=True)]
        return tuple(span for span in spans if span.end > span.start)


class Codec:
    """Encodes and decodes packets of one protocol and profile."""

    def __init__(self, protocol: int = 486, profile: Profile = Profile.BEDROCK) -> None:
        """Selects each packet's fields.

        ``protocol``: any number from the oldest to the newest release, which Login will name. ``profile``: layout of
        the terrain packets. Raises LocalProtocolError: the protocol is outside that range; the message names it.
        """
        self.release = release_of(protocol)  # the release of the protocol, or the nearest lower one
        self.dialect = Dialect(protocol, profile)  # protocol and profile
        entries = [_entry(kind, self.dialect) for kind in packets(protocol)]
        self._by_number = {entry.kind.ID: entry for entry in entries}
        self._by_kind = {entry.kind: entry for entry in entries}

    @property
    def protocol(self) -> int:
        return self.dialect.protocol

    def encode(self, message: Message) -> bytes:
        """One packet, header and body. Raises LocalProtocolError: a value has no wire form."""
        entry = self._by_kind.get(type(message))
        if entry is None:
            raise LocalProtocolError(f"{type(message).__name__} is not a packet of protocol {self.protocol}")
        writer = Writer(entry.name)
        writer.uv32(entry.kind.ID)
        encode_fields(entry.fields, writer, message.to_values(self.dialect))
        return writer.take()

    def decode(self, packet: Buffer) -> Message:
        """The message of one packet. Raises DecodeError: it names packet, field and offset."""
        return self.read(Reader(packet, "packet"))

    def read(self, reader: Reader) -> Message:
        """The message of one packet; afterwards the reader's ``objects_bytes`` is the memory that its lists use.

        Raises DecodeError: it names packet, field and offset.
        """
        packet = reader.data
        reader.field = "header"
        number = reader.uv32() & NUMBER_MASK
        entry = self._by_number.get(number)
        if entry is None:
            return Unknown(number, len(packet))
        if len(packet) > PACKET_BYTES:
            raise reader.fault(str(LimitExceeded(f"bytes of {entry.name}", len(packet), PACKET_BYTES)), 0)
        reader.packet, reader.field = entry.name, ""
        try:
            values = decode_fields(entry.required, reader)
        except LimitExceeded as error:
            raise reader.fault(str(error)) from None
        if entry.tail:
            _decode_tail(entry.tail, reader, values)
        return entry.kind.from_values(values, self.dialect)

    def trace(self, packet: Buffer) -> PacketTrace:
        """Reads one packet field by field, whether it decodes or not."""
        reader = TracingReader(packet, "packet")
        number, name, values = None, "", dict[str, Any]()
        message, fault = None, None
        try:
            reader.field = "header"
            number = reader.uv32() & NUMBER_MASK
            entry = self._by_number.get(number)
            if entry is not None:
                reader.packet = name = entry.name
                for field in entry.fields:
                    if field.when is None or field.when(values):
                        reader.field = field.name
                        values[field.name] = field.kind.read(reader)
            reader.field = ""
            message = self.decode(packet)
        except LimitExceeded as error:
            fault = reader.fault(str(error))
        except DecodeError as error:
            fault = error
            with suppress(DecodeError):
                message = self.decode(packet)  # a fault in the optional tail loses only the tail
        return PacketTrace(number, name, message, values, reader.fields(), fault)


def _decode_tail(fields: tuple[Field, ...], reader: Reader, values: dict[str, Any]) -> None:
    """Reads fields that a session does not need, one by one, up to the first fault."""
    try:
        for field in fields:
            values.update(decode_fields((field,), reader))
    except (DecodeError, LimitExceeded) as error:
        values["tail_fault"] = str(reader.fault(str(error)) if isinstance(error, LimitExceeded) else error)
