"""The first bytes of a recording: magic, format, and the session's state before its first packet.

Transfers in text mode change the magic (a high bit, a line feed), so such a file is recognised as damaged. ``session``
belongs to the program that records: plain numbers by name.

``redacted`` removes keys and tokens from packets, so that a recording can be published. Two packets contain them
(wire.md 5.3, 5.4): Login (chain and client token, for signed-in players those of an account) and
ServerToClientHandshake (the server's key and the salt of the session key). The packet's number is kept, and of a Login
the protocol. It works on bytes, independent of the protocol's fields, and so for all protocols.
"""

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

import msgspec
import xxhash
from msgspec.structs import replace

from net.errors import DecodeError
from net.recording.blocks import HEADER_BYTES
from net.wire.cursor import Reader, Writer

MAGIC: Final = b"\x89CSCOPE\n"
FORMAT: Final = 5
"""The format of written files: 2 has pinned eyes (record 23), 3 omitted packets (record 24, ``whole_from_us``), 4
heights of orthographic pictures (record 18), 5 ticks while data was in flight (record 17)."""
READABLE: Final = (1, 2, 3, 4, 5)
_FRONT: Final = struct.Struct("<8sIIQ")


class Header(msgspec.Struct, frozen=True):
    """What a reader must know first."""

    protocol: int  # protocol number of the session
    profile: str  # name of the wire profile
    source: str  # the recorded SOURCE
    program: str = ""  # name and version of the program that wrote it
    unix_time: float = 0.0  # seconds since 1970 at its start
    # configuration of the session, JSON values by name
    session: Mapping[str, Any] = {}  # Any: JSON
    whole_from_us: int = 0  # before that time packets are omitted (``net.storage.recent_history``); 0: complete


def write_header(header: Header) -> bytes:
    """The file's first bytes. Raises ValueError: they are larger than any reader accepts."""
    body = json.dumps(msgspec.to_builtins(header), ensure_ascii=False).encode()
    if len(body) > HEADER_BYTES:
        raise ValueError(f"a recording's header of {len(body)} bytes is over the limit of {HEADER_BYTES}")
    return _FRONT.pack(MAGIC, FORMAT, len(body), _checksum(FORMAT, body)) + body


def read_header(file: BinaryIO) -> Header:
    """Reads from the file's start up to the end of the header.

    Raises DecodeError: it is not a recording, of another format, cut or damaged.
    """
    front = file.read(_FRONT.size)
    if front[: len(MAGIC)] != MAGIC[: len(front)] or not front:
        raise DecodeError("recording", "magic", 0, f"is {front[:8].hex() or 'missing'}, so the file is not a recording")
    if len(front) < _FRONT.size:
        raise DecodeError("recording", "header", len(front), "is cut short: the file ends inside it")
    _, version, length, checksum = _FRONT.unpack(front)
    if version not in READABLE:
        known = f"{', '.join(map(str, READABLE[:-1]))} and {READABLE[-1]}"
        raise DecodeError("recording", "format", 8, f"is {version}; this version of chunkscope reads {known}")
    if length > HEADER_BYTES:
        raise DecodeError("recording", "header length", 12, f"{length} is over the limit of {HEADER_BYTES}")
    body = file.read(length)
    if len(body) < length:
        raise DecodeError("recording", "header", _FRONT.size + len(body), "is cut short: the file ends inside it")
    if _checksum(version, body) != checksum:
        raise DecodeError("recording", "header", _FRONT.size, "does not match its checksum")
    return _parsed(body)


def _checksum(version: int, body: bytes) -> int:
    return int(xxhash.xxh3_64_intdigest(body, seed=version))


def _parsed(body: bytes) -> Header:
    try:
        header = msgspec.convert(json.loads(body), Header, strict=False)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        reason = f"lacks a required value: {type(error).__name__} {error}"
        raise DecodeError("recording", "header", _FRONT.size, reason) from None
    return replace(header, whole_from_us=max(header.whole_from_us, 0))


LOGIN: Final = 1
SERVER_TO_CLIENT_HANDSHAKE: Final = 3
_NUMBER_MASK: Final = 0x3FF
_PROTOCOL_BYTES: Final = 4
_EMPTY_TOKENS: Final = bytes(8)


def redacted(packet: bytes) -> bytes:
    """The packet itself, or its part that may be published."""
    reader = Reader(packet[:16], "packet")
    reader.field = "header"
    try:
        header = reader.uv32()
    except DecodeError:
        return packet  # not a packet, so neither of the two
    number = header & _NUMBER_MASK
    if number not in (LOGIN, SERVER_TO_CLIENT_HANDSHAKE):
        return packet
    writer = Writer("packet")
    writer.uv32(header)
    if number == LOGIN:
        writer.raw(packet[reader.offset : reader.offset + _PROTOCOL_BYTES].ljust(_PROTOCOL_BYTES, b"\0"))
        writer.byte_string(_EMPTY_TOKENS)  # two empty texts
    else:
        writer.byte_string(b"")
    return writer.take()
