"""Bytes being written: what ``Reader`` reads, under the same names.

Rule: what cannot be said is a LocalProtocolError, since the bug is ours.
"""

import struct
from uuid import UUID

from net.errors import LocalProtocolError
from net.wire.fixed import F32LE, F64LE, I8, I16LE, I32BE, I32LE, I64LE, U16LE, U32LE, U64LE, Buffer


class Writer:
    """Collects bytes. ``buffer`` may be read at any time; ``take`` gives it as bytes."""

    __slots__ = ("buffer", "field", "packet")

    def __init__(self, packet: str) -> None:
        self.buffer = bytearray()
        self.packet = packet
        self.field = ""

    def take(self) -> bytes:
        """All that was written."""
        return bytes(self.buffer)

    def fault(self, reason: str) -> LocalProtocolError:
        """The error to raise about the current field."""
        return LocalProtocolError(f"{self.packet}.{self.field} {reason}")

    def raw(self, data: Buffer) -> None:
        """The bytes themselves."""
        self.buffer += data

    def _fixed(self, form: struct.Struct, value: float) -> None:
        try:
            self.buffer += form.pack(value)
        except (struct.error, OverflowError):
            raise self.fault(f"cannot say {value!r} in {form.size} bytes") from None

    def u8(self, value: int) -> None:
        """One byte, 0..255."""
        if not 0 <= value <= 255:
            raise self.fault(f"cannot say {value!r} in a byte")
        self.buffer.append(value)

    def i8(self, value: int) -> None:
        """One byte, -128..127."""
        self._fixed(I8, value)

    def boolean(self, value: bool) -> None:
        """One byte, 0 or 1."""
        self.buffer.append(1 if value else 0)

    def u16le(self, value: int) -> None:
        """Two bytes."""
        self._fixed(U16LE, value)

    def i16le(self, value: int) -> None:
        """Two bytes, signed."""
        self._fixed(I16LE, value)

    def u32le(self, value: int) -> None:
        """Four bytes."""
        self._fixed(U32LE, value)

    def i32le(self, value: int) -> None:
        """Four bytes, signed."""
        self._fixed(I32LE, value)

    def i32be(self, value: int) -> None:
        """Four bytes, signed, high byte first."""
        self._fixed(I32BE, value)

    def u64le(self, value: int) -> None:
        """Eight bytes."""
        self._fixed(U64LE, value)

    def i64le(self, value: int) -> None:
        """Eight bytes, signed."""
        self._fixed(I64LE, value)

    def f32le(self, value: float) -> None:
        """A single-precision float."""
        self._fixed(F32LE, value)

    def f64le(self, value: float) -> None:
        """A double-precision float."""
        self._fixed(F64LE, value)

    def _varint(self, value: int, bits: int) -> None:
        if 0 <= value <= 0x7F:  # most are
            self.buffer.append(value)
            return
        if value < 0 or value >> bits:
            raise self.fault(f"cannot say {value!r} in {bits} bits")
        while value > 0x7F:
            self.buffer.append(value & 0x7F | 0x80)
            value >>= 7
        self.buffer.append(value)

    def uv32(self, value: int) -> None:
        """Unsigned varint of 32 bits."""
        self._varint(value, 32)

    def uv64(self, value: int) -> None:
        """Unsigned varint of 64 bits."""
        self._varint(value, 64)

    def uv128(self, value: int) -> None:
        """Unsigned varint of 128 bits."""
        self._varint(value, 128)

    def zz32(self, value: int) -> None:
        """Zigzag varint of a signed 32-bit number."""
        self._varint(value << 1 if value >= 0 else (~value << 1) | 1, 32)

    def zz64(self, value: int) -> None:
        """Zigzag varint of a signed 64-bit number."""
        self._varint(value << 1 if value >= 0 else (~value << 1) | 1, 64)

    def byte_string(self, value: Buffer) -> None:
        """A uv32 length and the bytes."""
        size = len(value)
        if 0x80 <= size < 0x4000:  # as sub-chunks are
            self.buffer += bytes((size & 0x7F | 0x80, size >> 7))
        else:
            self._varint(size, 32)
        self.buffer += value

    def string(self, value: str) -> None:
        """A uv32 length and the text in UTF-8."""
        try:
            self.byte_string(value.encode())
        except UnicodeEncodeError:
            raise self.fault(f"cannot say {value!r} in UTF-8") from None

    def uuid(self, value: str) -> None:
        """Sixteen bytes of a UUID's text."""
        try:
            whole = UUID(value).bytes
        except ValueError:
            raise self.fault(f"cannot say {value!r} as a UUID") from None
        self.buffer += whole[7::-1] + whole[:7:-1]

    def vec2(self, value: tuple[float, float]) -> None:
        """Two floats."""
        for part in value:
            self._fixed(F32LE, part)

    def vec3(self, value: tuple[float, float, float]) -> None:
        """Three floats: x, y, z."""
        for part in value:
            self._fixed(F32LE, part)
