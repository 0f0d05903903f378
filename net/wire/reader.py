"""A place in bytes being read.

Rules:
1. Whatever is wrong with the bytes is a DecodeError with packet, field and offset: never an IndexError, a
   struct.error or a UnicodeDecodeError.
2. A length is checked against the bytes that are there before anything of that length is made.
3. Varints are LEB128, low group first; zigzag puts the sign into bit 0 (wire.md 1).

Names are the wire's: ``u32le`` fixed little endian, ``uv32`` unsigned varint, ``zz32`` zigzag varint. ``Writer`` has
the same.
"""

import struct
from collections.abc import Callable
from typing import Any
from uuid import UUID

from net.errors import DecodeError
from net.wire.fixed import F32LE, F64LE, I16LE, I32BE, I32LE, I64LE, U16LE, U32LE, U64LE, Buffer
from net.wire.limits import ELEMENT_BYTES, OBJECTS_BYTES, check_limit


class Reader:
    """Reads one packet or structure from its beginning.

    Attributes:
        data: the bytes; slices of it are copied out, never shared.
        offset: of the next byte.
        packet: name for errors, for example ``"SubChunk"``.
        field: name for errors; whoever reads a field sets it first.
        objects_bytes: what was charged for lists and NBT so far.
    """

    __slots__ = ("data", "end", "field", "objects_bytes", "offset", "packet")

    def __init__(self, data: Buffer, packet: str, offset: int = 0) -> None:
        self.data = data
        self.offset = offset
        self.end = len(data)
        self.objects_bytes = 0
        self.packet = packet
        self.field = ""

    @property
    def left(self) -> int:
        """How many bytes are still to be read."""
        return self.end - self.offset

    def charge(self, count: int, each_bytes: int = ELEMENT_BYTES) -> None:
        """Counts objects before they are made.

        Raises:
            LimitExceeded: they would cost more than ``OBJECTS_BYTES``.
        """
        objects_bytes = self.objects_bytes + count * each_bytes
        check_limit("bytes of objects", objects_bytes, OBJECTS_BYTES)
        self.objects_bytes = objects_bytes  # what is refused is not made, and a tail may be refused and left out

    def fault(self, reason: str, offset: int | None = None) -> DecodeError:
        """The error to raise about the current field."""
        return DecodeError(self.packet, self.field, self.offset if offset is None else offset, reason)

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes."""
        start = self.offset
        stop = start + count
        if stop > self.end:
            raise self.fault(f"needs {count} bytes, {self.end - start} are left")
        self.offset = stop
        return bytes(self.data[start:stop])

    def skip(self, count: int) -> None:
        """Passes over the next ``count`` bytes."""
        if count > self.end - self.offset:
            raise self.fault(f"needs {count} bytes, {self.end - self.offset} are left")
        self.offset += count

    def rest(self) -> bytes:
        """Everything up to the end; may be empty."""
        return self.take(self.end - self.offset)

    def _fixed(self, form: struct.Struct) -> Any:
        start = self.offset
        if start + form.size > self.end:
            raise self.fault(f"needs {form.size} bytes, {self.end - start} are left")
        self.offset = start + form.size
        return form.unpack_from(self.data, start)[0]

    def u8(self) -> int:
        """One byte, 0..255."""
        if self.offset >= self.end:
            raise self.fault("needs 1 byte, 0 are left")
        value = self.data[self.offset]
        self.offset += 1
        return value

    def i8(self) -> int:
        """One byte, -128..127."""
        value = self.u8()
        return value - 256 if value > 127 else value

    def boolean(self) -> bool:
        """One byte; anything but 0 is true, as in the games."""
        return self.u8() != 0

    def u16le(self) -> int:
        """Two bytes."""
        return int(self._fixed(U16LE))

    def i16le(self) -> int:
        """Two bytes, signed."""
        return int(self._fixed(I16LE))

    def u32le(self) -> int:
        """Four bytes."""
        return int(self._fixed(U32LE))

    def i32le(self) -> int:
        """Four bytes, signed."""
        return int(self._fixed(I32LE))

    def i32be(self) -> int:
        """Four bytes, signed, high byte first."""
        return int(self._fixed(I32BE))

    def u64le(self) -> int:
        """Eight bytes."""
        return int(self._fixed(U64LE))

    def i64le(self) -> int:
        """Eight bytes, signed."""
        return int(self._fixed(I64LE))

    def f32le(self) -> float:
        """A single-precision float."""
        return float(self._fixed(F32LE))

    def f64le(self) -> float:
        """A double-precision float."""
        return float(self._fixed(F64LE))

    def _varint(self, bits: int) -> int:
        start = at = self.offset
        value = shift = 0
        while True:
            if at >= self.end:
                raise self.fault("a varint runs over the end", start)
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
        """Unsigned varint of at most 19 bytes and 128 bits: a set of flags that outgrew 64."""
        return self._varint(128)

    def zz32(self) -> int:
        """Zigzag varint of 32 bits."""
        value = self.uv32()
        return (value >> 1) ^ -(value & 1)

    def zz64(self) -> int:
        """Zigzag varint of 64 bits."""
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
            raise self.fault(f"is no UTF-8: {error.reason}", start) from None

    def uuid(self) -> str:
        """Sixteen bytes, each half little endian, as the usual text."""
        halves = self.take(16)
        return str(UUID(bytes=halves[7::-1] + halves[:7:-1]))

    def vec2(self) -> tuple[float, float]:
        """Two floats."""
        return self.f32le(), self.f32le()

    def vec3(self) -> tuple[float, float, float]:
        """Three floats: x, y, z."""
        return self.f32le(), self.f32le(), self.f32le()

    def count(self, read: "Callable[[Reader], int]", element_bytes: int = 1) -> int:
        """A list's length, believed only if so many elements of at least ``element_bytes`` can follow."""
        start = self.offset
        count = read(self)
        if count < 0 or count * element_bytes > self.end - self.offset:
            raise self.fault(f"announces {count} elements in {self.end - self.offset} bytes", start)
        return count
