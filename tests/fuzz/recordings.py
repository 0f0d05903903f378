"""Recordings: a whole file, or one part of it behind checksums that are right.

Most damages of a file stop at its checksums, as they should; what stands behind those is tried by itself, since whoever
makes a file to do harm makes its checksums too. The first byte says which.
"""

import contextlib
import io
import struct
from collections.abc import Callable
from typing import Final

import xxhash

from net.errors import DecodeError
from net.recording import blocks as framing
from net.recording import header as front
from net.recording.blocks import BLOCK_BYTES
from net.recording.file import Recording
from net.recording.header import Header
from tests.fuzz.checks import check

FRONT: Final = front.write_header(Header(486, "bedrock", "embedded:flat:1"))
BLOCKS_READ: Final = 16
_NUMBERS: Final = struct.Struct("<IIIQQQ")


def as_file(data: bytes) -> bytes:
    """The bytes are the file."""
    return data


def as_header(data: bytes) -> bytes:
    """The bytes are the header's JSON."""
    checksum = front._checksum(front.FORMAT, data)
    return front._FRONT.pack(front.MAGIC, front.FORMAT, len(data), checksum) + data


def as_records(data: bytes) -> bytes:
    """The bytes are the records of one block."""
    return FRONT + framing.write_block(data, 1, 0, 0, 0)


def as_block(data: bytes) -> bytes:
    """The bytes are the numbers of a block (sizes, records, times) and what it stores."""
    numbers, stored = data[: _NUMBERS.size].ljust(_NUMBERS.size, b"\0"), data[_NUMBERS.size :]
    said, inflated, *rest = _NUMBERS.unpack(numbers)
    size = said if said % 2 else len(stored)
    checksum = xxhash.xxh3_64_intdigest(stored)
    fields = framing._FIELDS.pack(framing.MARKER, size, inflated % (2 * BLOCK_BYTES), *rest, checksum)
    return FRONT + fields + framing._CHECKED.pack(xxhash.xxh3_64_intdigest(fields)) + stored


FORMS: Final[tuple[Callable[[bytes], bytes], ...]] = (as_file, as_header, as_records, as_block)


def recordings(data: bytes) -> None:
    """A file; what is damaged in it is told, the rest is read."""
    file = FORMS[data[0] % len(FORMS)](data[1:]) if data else b""
    with contextlib.suppress(DecodeError), Recording(io.BytesIO(file)) as recording:
        check(len(recording.blocks) * framing.FRAME_BYTES <= len(file), "more blocks than bytes")
        check(recording.duration_us >= 0, "a recording ends before it starts")
        for index in range(min(len(recording.blocks), BLOCKS_READ)):
            recording.read(index)
        lost = sum(damage.size for damage in recording.damages)
        check(lost <= len(file), "more is lost than there was")
