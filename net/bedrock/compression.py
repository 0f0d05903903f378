"""What batches are compressed with, one body at a time.

Rules:
1. A size is checked before memory of that size is asked for: inflation stops at the limit, and a snappy block that
   announces more than its bytes can hold is refused unread.
2. Level 0 is written here, not by zlib, which moves every byte through its window (535 us for 512 KiB, against 20).
3. ``inflate`` says None for what is no deflate stream, since below protocol 649 nothing else tells it from packets.
"""

import struct
import zlib
from typing import Final

import cramjam

from net.wire.fixed import Buffer
from net.wire.limits import check_limit
from net.wire.reader import Reader

_RAW_DEFLATE: Final = -15  # zlib's way to say: no header, 32 KiB window
_STORED_BYTES: Final = 0xFFFF  # what a stored block's 16 bits of length can say
_STORED_HEAD: Final = struct.Struct("<BHH")
SNAPPY_EXPANSION: Final = 64
"""No element of a snappy block stands for more bytes than this, and each has at least one of its own."""


def deflate(body: bytes | bytearray, level: int) -> list[bytes | memoryview]:
    """The parts of a raw deflate stream, to be joined; ``level`` 0..9, 0 stores."""
    if level == 0:
        return _stored(memoryview(body))
    stream = zlib.compressobj(level, zlib.DEFLATED, _RAW_DEFLATE)
    return [stream.compress(body), stream.flush()]


def _stored(body: memoryview) -> list[bytes | memoryview]:
    """Stored blocks (RFC 1951, 3.2.4): whether it is the last, its size, the size's complement, then the bytes."""
    parts: list[bytes | memoryview] = []
    for at in range(0, len(body) or 1, _STORED_BYTES):
        block = body[at : at + _STORED_BYTES]
        last = at + _STORED_BYTES >= len(body)
        parts += (_STORED_HEAD.pack(last, len(block), len(block) ^ 0xFFFF), block)
    return parts


def inflate(body: Buffer, most_bytes: int) -> bytes | None:
    """The inflated body, or None if it is not deflated.

    Raises:
        LimitExceeded: it inflates to more than ``most_bytes``.
    """
    stream = zlib.decompressobj(_RAW_DEFLATE)
    try:
        # One byte more than allowed tells "just fits" from "goes on".
        text = stream.decompress(body, most_bytes + 1)
    except zlib.error:
        return None
    check_limit("inflated batch bytes", len(text), most_bytes)
    # A stream that wants more input, or has some left, is packets that happened to begin like deflate.
    return text if stream.eof and not stream.unused_data else None


def snap(body: bytes | bytearray) -> bytes:
    """A raw snappy block."""
    return bytes(cramjam.snappy.compress_raw(bytes(body)))


def unsnap(body: Buffer, most_bytes: int) -> bytes:
    """The content of a raw snappy block.

    Raises:
        DecodeError: it is none, or announces a size that it cannot hold.
        LimitExceeded: it announces more than ``most_bytes``.
    """
    reader = Reader(body, "batch")
    reader.field = "snappy"
    size = reader.uv32()
    check_limit("inflated batch bytes", size, most_bytes)
    if size > SNAPPY_EXPANSION * reader.left:
        raise reader.fault(f"announces {size} bytes in {reader.left}", 0)
    try:
        return bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise reader.fault(f"is no snappy block: {error}", 0) from None
