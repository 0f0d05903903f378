"""SCTP packets and chunks (RFC 9260), as sent inside DTLS (RFC 8261).

    packet: u16be source and destination port (5000), u32be tag of the receiver, u32le CRC-32C, chunks
    chunk:  u8 type, u8 flags, u16be length with these four, value, zeros to 4

CRC-32C is linear: the checksum of a text is the exclusive or of one table entry for each of its bytes, by position and
value, so numpy computes it in 10 us a packet. A receiver does not check it: DTLS already protects every packet.
"""

import struct
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.errors import DecodeError

PORT: Final = 5000
PACKET_HEADER_BYTES: Final = 12
DATA_HEADER_BYTES: Final = 16

DATA, INIT, INIT_ACK, SACK, HEARTBEAT, HEARTBEAT_ACK, ABORT, SHUTDOWN, SHUTDOWN_ACK, ERROR = range(10)
COOKIE_ECHO, COOKIE_ACK = 10, 11
SHUTDOWN_COMPLETE: Final = 14
RE_CONFIG: Final = 130
FORWARD_TSN: Final = 192

END: Final = 1
BEGIN: Final = 2
SACK_NOW: Final = 8
"""Flags of a DATA chunk."""

STATE_COOKIE: Final = 7
OUTGOING_RESET: Final = 13
RESET_RESPONSE: Final = 16
SUPPORTED_CHUNKS: Final = 0x8008
FORWARD_TSN_SUPPORTED: Final = 0xC000
MASK: Final = 0xFFFFFFFF
_HALF: Final = 0x80000000
_SKIPPED: Final = 0x80
"""Set in unknown types whose chunk is skipped while the rest of the packet is read."""

_PACKET: Final = struct.Struct(">HHI")
_CHUNK: Final = struct.Struct(">BBH")
_INIT: Final = struct.Struct(">IIHHI")
_SACK: Final = struct.Struct(">IIHH")
_PARAMETER: Final = struct.Struct(">HH")
_DATA: Final = struct.Struct(">BBHIHHI")
MOST_GAPS: Final = 256
"""Limit of ranges in one acknowledgement."""
_MOST_PARAMETERS: Final = 64
_LARGEST_PACKET: Final = 2048


# ---------------------------------------------------------------- checksum

_POLYNOMIAL: Final = 0x82F63B78


@cache
def _tables() -> npt.NDArray[np.uint32]:
    """A byte's contribution to the checksum: [bytes after it, its value], flat."""
    first = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        first = np.where(first & 1, (first >> 1) ^ np.uint32(_POLYNOMIAL), first >> 1).astype(np.uint32)
    table = np.empty((_LARGEST_PACKET, 256), np.uint32)
    table[0] = first
    for at in range(1, _LARGEST_PACKET):
        table[at] = (table[at - 1] >> 8) ^ first[table[at - 1] & 0xFF]
    return table[::-1].reshape(-1)


@cache
def _offsets() -> npt.NDArray[np.intp]:
    return np.arange(_LARGEST_PACKET, dtype=np.intp) * 256


def crc32c(text: bytes) -> int:
    """The checksum of 4 to 2048 bytes."""
    values = np.frombuffer(text, np.uint8).astype(np.intp)
    values[:4] ^= 0xFF
    found = np.bitwise_xor.reduce(_tables().take(_offsets()[-len(values) :] + values))
    return int(found) ^ MASK


# ---------------------------------------------------------------- writing


def write_packet(tag: int, chunks: bytes) -> bytes:
    head = _PACKET.pack(PORT, PORT, tag)
    return head + crc32c(head + bytes(4) + chunks).to_bytes(4, "little") + chunks


def write_chunk(kind: int, flags: int = 0, value: bytes = b"") -> bytes:
    return _CHUNK.pack(kind, flags, len(value) + 4) + value + bytes(-len(value) % 4)


def write_parameter(kind: int, value: bytes = b"") -> bytes:
    """One parameter of a chunk, padded."""
    return _PARAMETER.pack(kind, len(value) + 4) + value + bytes(-len(value) % 4)


def write_data(flags: int, tsn: int, stream: int, sequence: int, protocol: int, body: bytes) -> bytes:
    head = _DATA.pack(DATA, flags, len(body) + DATA_HEADER_BYTES, tsn & MASK, stream, sequence, protocol)
    return head + body + bytes(-len(body) % 4)


def write_init(kind: int, tag: int, window: int, tsn: int, parameters: bytes) -> bytes:
    """An INIT or INIT ACK chunk."""
    return write_chunk(kind, 0, _INIT.pack(tag, window, 0xFFFF, 0xFFFF, tsn & MASK) + parameters)


def write_sack(cumulative: int, window: int, gaps: list[tuple[int, int]]) -> bytes:
    """A SACK chunk; ``gaps`` are inclusive, relative to the cumulative number."""
    body = _SACK.pack(cumulative & MASK, window, len(gaps), 0)
    return write_chunk(SACK, 0, body + b"".join(struct.pack(">HH", *gap) for gap in gaps))


# ---------------------------------------------------------------- reading


class DataChunk(msgspec.Struct, frozen=True):
    """A part of a message."""

    flags: int
    tsn: int  # 32 bits
    stream: int
    protocol: int  # what the message is, as both ends agree
    body: bytes


class InitChunk(msgspec.Struct, frozen=True):
    """The initial parameters of one end."""

    tag: int  # packets to it must carry it
    window: int
    tsn: int  # of its first part
    cookie: bytes  # to be returned; in an answer only


class SackChunk(msgspec.Struct, frozen=True):
    """An acknowledgement."""

    cumulative: int  # 32 bits
    window: int
    gaps: tuple[tuple[int, int], ...]  # inclusive, relative to the cumulative number


def chunks(packet: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(type, flags, value) of each chunk; unknown types end the packet if they say so.

    Raises DecodeError: a chunk is cut short.
    """
    at = PACKET_HEADER_BYTES
    while at + 4 <= len(packet):
        kind, flags, size = _CHUNK.unpack_from(packet, at)
        if size < 4 or at + size > len(packet):
            raise DecodeError("SCTP", "chunk", at, f"announces {size} bytes, but {len(packet) - at} are left")
        if kind > SHUTDOWN_COMPLETE and kind not in (RE_CONFIG, FORWARD_TSN) and not kind & _SKIPPED:
            return
        yield kind, flags, packet[at + 4 : at + size]
        at += size + (-size % 4)


def read_header(packet: bytes) -> int:
    """The tag of a packet. Raises DecodeError: it is not a packet."""
    if len(packet) < PACKET_HEADER_BYTES:
        raise DecodeError("SCTP", "header", 0, "is cut short")
    return int.from_bytes(packet[4:8], "big")


def read_data(flags: int, value: bytes) -> DataChunk:
    """The value of a DATA chunk. Raises DecodeError: it is cut short."""
    if len(value) <= DATA_HEADER_BYTES - 4:
        raise DecodeError("SCTP", "DATA", 0, f"has {len(value)} bytes")
    tsn, stream, _, protocol = struct.unpack_from(">IHHI", value)
    return DataChunk(flags, tsn, stream, protocol, value[DATA_HEADER_BYTES - 4 :])


def read_init(value: bytes) -> InitChunk:
    """The value of an INIT or INIT ACK chunk. Raises DecodeError: it is cut short, or has the tag 0."""
    if len(value) < _INIT.size:
        raise DecodeError("SCTP", "INIT", 0, f"has {len(value)} bytes")
    tag, window, _, _, tsn = _INIT.unpack_from(value)
    if not tag:
        raise DecodeError("SCTP", "INIT", 0, "has the tag 0")
    return InitChunk(tag, window, tsn, dict(_parameters(value, _INIT.size)).get(STATE_COOKIE, b""))


def _parameters(value: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    for _ in range(_MOST_PARAMETERS):
        if at + 4 > len(value):
            return
        kind, size = _PARAMETER.unpack_from(value, at)
        if size < 4 or at + size > len(value):
            raise DecodeError("SCTP", "parameter", at, f"announces {size} bytes, but {len(value) - at} are left")
        yield kind, value[at + 4 : at + size]
        at += size + (-size % 4)


def read_sack(value: bytes) -> SackChunk:
    """The value of a SACK chunk. Raises DecodeError: it is cut short, or a gap ends before it begins."""
    if len(value) < _SACK.size:
        raise DecodeError("SCTP", "SACK", 0, f"has {len(value)} bytes")
    cumulative, window, count, _ = _SACK.unpack_from(value)
    if len(value) < _SACK.size + 4 * count:
        raise DecodeError("SCTP", "SACK", _SACK.size, f"announces {count} gaps")
    numbers = struct.unpack_from(f">{2 * count}H", value, _SACK.size)
    gaps = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    if any(not 0 < first <= last for first, last in gaps):
        raise DecodeError("SCTP", "SACK", _SACK.size, "has a gap that ends before it starts")
    return SackChunk(cumulative, window, gaps)


def read_forward(value: bytes) -> int:
    """The new cumulative number of a FORWARD TSN chunk. Raises DecodeError: it is cut short."""
    if len(value) < 4:
        raise DecodeError("SCTP", "FORWARD TSN", 0, f"has {len(value)} bytes")
    return int.from_bytes(value[:4], "big")


def read_resets(value: bytes) -> list[int]:
    """The request numbers of the outgoing resets in a RE-CONFIG chunk. Raises DecodeError: it is cut short."""
    found = []
    for kind, body in _parameters(value, 0):
        if kind == OUTGOING_RESET:
            if len(body) < 12:
                raise DecodeError("SCTP", "RE-CONFIG", 0, f"has a request of {len(body)} bytes")
            found.append(int.from_bytes(body[:4], "big"))
    return found


def extend(short: int, near: int) -> int:
    """The whole number with these low 32 bits that is nearest to ``near``."""
    ahead = (short - near) & MASK
    return near + ahead - (MASK + 1 if ahead >= _HALF else 0)
