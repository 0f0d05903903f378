"""Blocks of a recording: the framing that keeps the rest of a cut or damaged file readable.

Rules:
1. A block is compressed on its own and carries two checksums, of its fields and of its stored content: fields are used
   only if their checksum matches, so a wrong length never skips what follows.
2. Where no block begins, the reader searches for the next marker with valid fields; it reads each byte once, so a
   malicious file costs time linear in its size.
3. The bytes in between are one ``Damage``.

Limits: the constants below bound the memory of a reader.
"""

import struct
from collections.abc import Iterator
from typing import BinaryIO, Final

import cramjam
import msgspec
import xxhash

from net.errors import DecodeError
from net.wire.cursor import INFLATED_BATCH_BYTES

HEADER_BYTES: Final = 64 << 10
"""Real headers have some 600 bytes."""
BODY_BYTES: Final = INFLATED_BATCH_BYTES
"""One record's body: a packet, which is at most as large as an inflated batch."""
BLOCK_BYTES: Final = BODY_BYTES + (4 << 20)
"""A block before compression: the largest record, after the records gathered before it."""
CUT_BYTES: Final = 1 << 20
"""A writer closes a block at this size, so that real blocks stay far under the limit."""
FARTHEST_BLOCKS: Final = float(1 << 31)
"""Limit of an eye's coordinates; blocks further out have no 32-bit coordinates."""
LONGEST_S: Final = 1e12
"""Limit of a session's clock, and of a round trip."""

MARKER: Final = b"\x00CSBLK\xff\n"
LEVEL: Final = 3
"""Zstandard's own default: 40 to 60 MB/s of terrain on one core, off the interpreter lock."""
_FIELDS: Final = struct.Struct("<8sIIIQQQQ")
_CHECKED: Final = struct.Struct("<Q")
FRAME_BYTES: Final = _FIELDS.size + _CHECKED.size
_SEARCH_BYTES: Final = 1 << 20


class RecordingBlock(msgspec.Struct, frozen=True):
    """One block of a file; its fields are checked, its content not yet."""

    offset: int  # of its marker in the file
    stored: int  # bytes after its fields
    inflated: int  # bytes of its records
    records: int  # number of records
    first_us: int  # time of its first record
    last_us: int  # the largest time in it
    first_number: int  # number of the first packet of the server in it, or of the next one
    checksum: int  # of its stored content

    @property
    def end(self) -> int:
        """Offset of the next byte after it."""
        return self.offset + FRAME_BYTES + self.stored


class Damage(msgspec.Struct, frozen=True):
    """Bytes of a file that are not readable."""

    offset: int  # of the first byte
    size: int  # in bytes
    reason: str  # what is wrong

    def __str__(self) -> str:
        return f"{self.size} bytes at byte {self.offset} are lost: {self.reason}"


def write_block(raw: bytes, records: int, first_us: int, last_us: int, first_number: int) -> bytes:
    """One block of ``records`` records, whose bytes are ``raw``."""
    stored = bytes(cramjam.zstd.compress(raw, LEVEL))
    checksum = xxhash.xxh3_64_intdigest(stored)
    fields = _FIELDS.pack(MARKER, len(stored), len(raw), records, first_us, last_us, first_number, checksum)
    return fields + _CHECKED.pack(xxhash.xxh3_64_intdigest(fields)) + stored


def scan_blocks(file: BinaryIO, start: int) -> Iterator[RecordingBlock | Damage]:
    """All blocks and damages from ``start`` to the file's end, in order; does not read the blocks' content."""
    end = file.seek(0, 2)
    offset = start
    while offset < end:
        block = _block_at(file, offset)
        if block is not None and block.end <= end:
            yield block
            offset = block.end
            continue
        found = _next_block(file, offset + 1, end)
        cut = block is not None or end - offset < FRAME_BYTES
        reason = "no block starts here"
        if cut:
            reason = "the file ends inside a block" if found == end else "part of a block is missing"
        yield Damage(offset, found - offset, reason)
        offset = found


def read_block(file: BinaryIO, block: RecordingBlock) -> bytes:
    """The content of a block. Raises DecodeError: it does not match its checksum or its sizes."""
    file.seek(block.offset + FRAME_BYTES)
    stored = file.read(block.stored)
    if len(stored) < block.stored:
        raise DecodeError("recording", "block", block.offset, "the file ends inside a block")
    if xxhash.xxh3_64_intdigest(stored) != block.checksum:
        raise DecodeError("recording", "block", block.offset, "does not match its checksum")
    raw = bytearray(block.inflated)  # bounded by _block_at
    try:
        written = cramjam.zstd.decompress_into(stored, raw)
    except cramjam.DecompressionError as error:
        raise DecodeError("recording", "block", block.offset, f"does not inflate: {error}") from None
    if written != block.inflated:
        reason = f"inflates to {written} bytes, not {block.inflated}"
        raise DecodeError("recording", "block", block.offset, reason)
    return bytes(raw)


def _block_at(file: BinaryIO, offset: int) -> RecordingBlock | None:
    file.seek(offset)
    return _checked_block(file.read(FRAME_BYTES), offset)


def _checked_block(frame: bytes, offset: int) -> RecordingBlock | None:
    if len(frame) < FRAME_BYTES or not frame.startswith(MARKER):
        return None
    (checked,) = _CHECKED.unpack_from(frame, _FIELDS.size)
    if xxhash.xxh3_64_intdigest(frame[: _FIELDS.size]) != checked:
        return None
    _, *fields = _FIELDS.unpack_from(frame)
    block = RecordingBlock(offset, *fields)
    return block if block.inflated <= BLOCK_BYTES and block.stored <= BLOCK_BYTES else None


def _next_block(file: BinaryIO, offset: int, end: int) -> int:
    """Offset of the next complete block with valid fields; ``end`` if there is none."""
    while offset < end:
        file.seek(offset)
        window = file.read(_SEARCH_BYTES + FRAME_BYTES)
        at = window.find(MARKER)
        while at >= 0 and at < _SEARCH_BYTES:
            block = _checked_block(window[at : at + FRAME_BYTES], offset + at)
            if block is not None and block.end <= end:
                return offset + at
            at = window.find(MARKER, at + 1)
        offset += _SEARCH_BYTES
    return end
