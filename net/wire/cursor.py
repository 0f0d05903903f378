"""Reads and writes bytes, and the limits of received data.

Rules:
1. Every fault in the bytes is a DecodeError with packet, field and offset: never an IndexError, a struct.error or a
   UnicodeDecodeError.
2. A length is checked against the available bytes before anything of that length is allocated.
3. Varints are LEB128, low group first; zigzag puts the sign into bit 0 (wire.md 1).

Names are the wire's: ``u32le`` fixed little endian, ``uv32`` unsigned varint, ``zz32`` zigzag varint; a vector is its
floats, x first. ``Writer`` has the same names. Writing a value without wire form is a LocalProtocolError: our bug.

Limits: all limits of the packet layer on memory that a peer can use. A length beyond the end of its packet is a
DecodeError, so the limits concern data that fits into a packet and still costs too much.
"""

import struct
from collections.abc import Callable
from struct import Struct
from typing import Any, Final, TypeVar
from uuid import UUID

from net.errors import DecodeError, LimitExceeded, LocalProtocolError

INFLATED_BATCH_BYTES: Final = 64 << 20
"""Limit of an inflated batch (wire.md 5.3)."""
PACKETS_PER_BATCH: Final = 8192
"""A real server packs some hundred; a malicious one could pack one packet a byte."""
NBT_DEPTH: Final = 128
"""Nesting of compounds and lists. Real ones nest a dozen deep; the reader takes up to three Python frames a level, and
must stay below the interpreter's limit of a thousand."""
NBT_TAGS: Final = 1 << 18
"""Values in one root: the largest real one (a creative inventory) has some ten thousand."""
PACKET_BYTES: Final = 16 << 20
"""Limit of a packet. The largest real ones, a server's items or creative inventory, take a few megabytes."""
OBJECTS_BYTES: Final = 64 << 20
"""Limit of objects made from one packet's lists and NBT: 7 bytes of a changed block become 260."""
ELEMENT_BYTES: Final = 384
"""Counted for a list element, besides its bytes. Measured: 40 to 270."""
NBT_VALUE_BYTES: Final = 160
"""Counted for a value of NBT, besides its bytes. Measured: 60 to 150."""
TOKEN_BYTES: Final = 8 << 20
"""Limit of a login's chain and client token; real ones with a large skin stay under 400 kB."""


def check_limit(what: str, value: int, limit: int) -> None:
    """Raises LimitExceeded if ``value`` is over ``limit``."""
    if value > limit:
        raise LimitExceeded(what, value, limit)


I8: Final = Struct("<b")
U16LE: Final = Struct("<H")
I16LE: Final = Struct("<h")
U32LE: Final = Struct("<I")
I32LE: Final = Struct("<i")
I32BE: Final = Struct(">i")
U64LE: Final = Struct("<Q")
I64LE: Final = Struct("<q")
F32LE: Final = Struct("<f")
F64LE: Final = Struct("<d")

Buffer = bytes | memoryview
"""Where they stand."""
Number = TypeVar("Number", int, float)


def _reads(form: Struct, _kind: type[Number]) -> Callable[[Any], Number]:
    """A reader's method for numbers of fixed size."""
    size, unpack = form.size, form.unpack_from

    def read(reader: "Reader") -> Number:
        start = reader.offset
        if start + size > reader.end:
            raise reader.fault(f"needs {size} bytes, but {reader.end - start} are left")
        reader.offset = start + size
        number: Number = unpack(reader.data, start)[0]
        return number

    return read


def _writes(form: Struct, _kind: type[Number]) -> Callable[[Any, Number], None]:
    """A writer's method for numbers of fixed size."""

    def write(writer: "Writer", value: Number) -> None:
        try:
            writer.buffer += form.pack(value)
        except (struct.error, OverflowError):
            raise writer.fault(f"cannot encode {value!r} in {form.size} bytes") from None

    return write


class Reader:
    """Reads one packet or structure from its start."""

    __slots__ = ("data", "end", "field", "objects_bytes", "offset", "packet")

    def __init__(self, data: Buffer, packet: str, offset: int = 0) -> None:
        self.data = data  # slices of it are copied out, never shared
        self.offset = offset  # of the next byte
        self.end = len(data)
        self.objects_bytes = 0  # counted for lists and NBT so far
        self.packet = packet  # name for errors, for example ``"SubChunk"``
        self.field = ""  # name for errors; set before a field is read

    @property
    def left(self) -> int:
        return self.end - self.offset

    def charge(self, count: int, each_bytes: int = ELEMENT_BYTES) -> None:
        """Counts objects before they are made. Raises LimitExceeded: together they would exceed ``OBJECTS_BYTES``."""
        objects_bytes = self.objects_bytes + count * each_bytes
        check_limit("bytes of objects", objects_bytes, OBJECTS_BYTES)
        self.objects_bytes = objects_bytes  # not counted if rejected: an optional tail may be left out

    def fault(self, reason: str, offset: int | None = None) -> DecodeError:
        """An error about the current field."""
        return DecodeError(self.packet, self.field, self.offset if offset is None else offset, reason)

    def take(self, count: int) -> bytes:
        start = self.offset
        stop = start + count
        if stop > self.end:
            raise self.fault(f"needs {count} bytes, but {self.end - start} are left")
        self.offset = stop
        return bytes(self.data[start:stop])

    def skip(self, count: int) -> None:
        if count > self.end - self.offset:
            raise self.fault(f"needs {count} bytes, but {self.end - self.offset} are left")
        self.offset += count

    def rest(self) -> bytes:
        """The bytes up to the end; may be empty."""
        return self.take(self.end - self.offset)

    def u8(self) -> int:
        if self.offset >= self.end:
            raise self.fault("needs 1 byte, but 0 are left")
        value = self.data[self.offset]
        self.offset += 1
        return value

    def i8(self) -> int:
        value = self.u8()
        return value - 256 if value > 127 else value

    def boolean(self) -> bool:
        """One byte; anything but 0 is true, as in the games."""
        return self.u8() != 0

    u16le = _reads(U16LE, int)
    i16le = _reads(I16LE, int)
    u32le = _reads(U32LE, int)
    i32le = _reads(I32LE, int)
    i32be = _reads(I32BE, int)
    u64le = _reads(U64LE, int)
    i64le = _reads(I64LE, int)
    f32le = _reads(F32LE, float)
    f64le = _reads(F64LE, float)

    def _varint(self, bits: int) -> int:
        start = at = self.offset
        value = shift = 0
        while True:
            if at >= self.end:
                raise self.fault("a varint runs past the end", start)
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift >= bits:
                raise self.fault(f"a varint is longer than {(bits + 6) // 7} bytes", start)
        if value >> bits:
            raise self.fault(f"a varint needs more than {bits} bits", start)
        self.offset = at
        return value

    def uv32(self) -> int:
        """Unsigned varint of at most 5 bytes and 32 bits."""
        at = self.offset
        if at < self.end:
            byte = self.data[at]
            if byte < 0x80:
                self.offset = at + 1
                return byte
        return self._varint(32)

    def uv64(self) -> int:
        """Unsigned varint of at most 10 bytes and 64 bits."""
        return self._varint(64)

    def uv128(self) -> int:
        """Unsigned varint of at most 19 bytes and 128 bits: a set of flags that no longer fits 64."""
        return self._varint(128)

    def zz32(self) -> int:
        value = self.uv32()
        return (value >> 1) ^ -(value & 1)

    def zz64(self) -> int:
        value = self._varint(64)
        return (value >> 1) ^ -(value & 1)

    def byte_string(self) -> bytes:
        """A uv32 length and that many bytes."""
        return self.take(self.uv32())

    def string(self) -> str:
        """A uv32 length and that many bytes of UTF-8."""
        start = self.offset
        try:
            return self.byte_string().decode()
        except UnicodeDecodeError as error:
            raise self.fault(f"is not UTF-8: {error.reason}", start) from None

    def uuid(self) -> str:
        """Sixteen bytes, each half little endian, as the usual text."""
        halves = self.take(16)
        return str(UUID(bytes=halves[7::-1] + halves[:7:-1]))

    def vec2(self) -> tuple[float, float]:
        return self.f32le(), self.f32le()

    def vec3(self) -> tuple[float, float, float]:
        return self.f32le(), self.f32le(), self.f32le()

    def count(self, read: "Callable[[Reader], int]", element_bytes: int = 1) -> int:
        """A list's length, accepted only if so many elements of at least ``element_bytes`` can follow."""
        start = self.offset
        count = read(self)
        if count < 0 or count * element_bytes > self.end - self.offset:
            raise self.fault(f"announces {count} elements in {self.end - self.offset} bytes", start)
        return count


class Writer:
    """Collects bytes. ``buffer`` may be read at any time; ``take`` returns it as bytes."""

    __slots__ = ("buffer", "field", "packet")

    def __init__(self, packet: str) -> None:
        self.buffer = bytearray()
        self.packet = packet
        self.field = ""

    def take(self) -> bytes:
        return bytes(self.buffer)

    def fault(self, reason: str) -> LocalProtocolError:
        """An error about the current field."""
        return LocalProtocolError(f"{self.packet}.{self.field} {reason}")

    def raw(self, data: Buffer) -> None:
        self.buffer += data

    def u8(self, value: int) -> None:
        if not 0 <= value <= 255:
            raise self.fault(f"cannot encode {value!r} in a byte")
        self.buffer.append(value)

    i8 = _writes(I8, int)

    def boolean(self, value: bool) -> None:
        self.buffer.append(1 if value else 0)

    u16le = _writes(U16LE, int)
    i16le = _writes(I16LE, int)
    u32le = _writes(U32LE, int)
    i32le = _writes(I32LE, int)
    i32be = _writes(I32BE, int)
    u64le = _writes(U64LE, int)
    i64le = _writes(I64LE, int)
    f32le = _writes(F32LE, float)
    f64le = _writes(F64LE, float)

    def _varint(self, value: int, bits: int) -> None:
        if 0 <= value <= 0x7F:  # most are
            self.buffer.append(value)
            return
        if value < 0 or value >> bits:
            raise self.fault(f"cannot encode {value!r} in {bits} bits")
        while value > 0x7F:
            self.buffer.append(value & 0x7F | 0x80)
            value >>= 7
        self.buffer.append(value)

    def uv32(self, value: int) -> None:
        self._varint(value, 32)

    def uv64(self, value: int) -> None:
        self._varint(value, 64)

    def uv128(self, value: int) -> None:
        self._varint(value, 128)

    def zz32(self, value: int) -> None:
        self._varint(value << 1 if value >= 0 else (~value << 1) | 1, 32)

    def zz64(self, value: int) -> None:
        self._varint(value << 1 if value >= 0 else (~value << 1) | 1, 64)

    def byte_string(self, value: Buffer) -> None:
        size = len(value)
        if 0x80 <= size < 0x4000:  # as sub-chunks are
            self.buffer += bytes((size & 0x7F | 0x80, size >> 7))
        else:
            self._varint(size, 32)
        self.buffer += value

    def string(self, value: str) -> None:
        try:
            self.byte_string(value.encode())
        except UnicodeEncodeError:
            raise self.fault(f"cannot encode {value!r} in UTF-8") from None

    def uuid(self, value: str) -> None:
        try:
            whole = UUID(value).bytes
        except ValueError:
            raise self.fault(f"cannot encode {value!r} as a UUID") from None
        self.buffer += whole[7::-1] + whole[:7:-1]

    def vec2(self, value: tuple[float, float]) -> None:
        for part in value:
            self.f32le(part)

    def vec3(self, value: tuple[float, float, float]) -> None:
        for part in value:
            self.f32le(part)
