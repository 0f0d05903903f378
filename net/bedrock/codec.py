"""Packets to messages and back, in one dialect.

A packet is a uv32 header (number | sender << 10 | target << 12; both are 0 for us) and a body (wire.md 1).

Rules:
1. Every fault of the bytes is a DecodeError, a broken limit included, which names the field it was broken in; bytes
   behind the last field are ignored, as newer servers append fields.
2. A number outside the table is Unknown.
3. A codec holds no state of a session: one may serve many.
"""

from typing import Any, Final

import msgspec

from net.bedrock.packets.packet import Message, Unknown, packets
from net.bedrock.releases import release_of
from net.errors import DecodeError, LimitExceeded, LocalProtocolError
from net.wire.cursor import PACKET_BYTES, Buffer, Reader, Writer
from net.wire.fields import Dialect, Field, Profile, decode_fields, encode_fields, select

NUMBER_MASK: Final = 0x3FF


class _Entry(msgspec.Struct, frozen=True):
    """One packet in one dialect: its description and the fields of that dialect, split where faults stop mattering."""

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


class Codec:
    """Encodes and decodes packets of one protocol and profile."""

    def __init__(self, protocol: int = 486, profile: Profile = Profile.BEDROCK) -> None:
        """Selects each packet's fields.

        ``protocol``: any number from the oldest to the newest release; what Login will say. ``profile``: which layout
        of the terrain packets. Raises LocalProtocolError: the protocol is outside that range; the message names it.
        """
        self.release = release_of(protocol)  # whose packets these are: that of the protocol, or the nearest lower one
        self.dialect = Dialect(protocol, profile)  # both
        entries = [_entry(kind, self.dialect) for kind in packets(protocol)]
        self._by_number = {entry.kind.ID: entry for entry in entries}
        self._by_kind = {entry.kind: entry for entry in entries}

    @property
    def protocol(self) -> int:
        """The protocol number."""
        return self.dialect.protocol

    def encode(self, message: Message) -> bytes:
        """One packet, header and body. Raises LocalProtocolError: for a value that has no wire form."""
        entry = self._by_kind.get(type(message))
        if entry is None:
            raise LocalProtocolError(f"{type(message).__name__} is not a packet of protocol {self.protocol}")
        writer = Writer(entry.name)
        writer.uv32(entry.kind.ID)
        encode_fields(entry.fields, writer, message.to_values(self.dialect))
        return writer.take()

    def decode(self, packet: Buffer) -> Message:
        """One packet's message. Raises DecodeError: naming packet, field and offset."""
        return self.read(Reader(packet, "packet"))

    def read(self, reader: Reader) -> Message:
        """One packet's message; afterwards the reader's ``objects_bytes`` say what its lists cost.

        Raises DecodeError: naming packet, field and offset.
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


def _decode_tail(fields: tuple[Field, ...], reader: Reader, values: dict[str, Any]) -> None:
    """Reads fields that a session can do without, one by one, up to the first fault."""
    try:
        for field in fields:
            values.update(decode_fields((field,), reader))
    except (DecodeError, LimitExceeded) as error:
        values["tail_fault"] = str(reader.fault(str(error)) if isinstance(error, LimitExceeded) else error)
