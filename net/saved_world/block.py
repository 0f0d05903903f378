"""Blocks of a table, batches and log records: LevelDB's formats inside its files.

Block: entries in order, each key without the prefix that it shares with the previous one.

    stored = content, compressed | u8 compression | u32 masked CRC of both
    content = entries | u32 restart offsets | u32 how many
    entry = varint shared | varint unshared | varint value length | unshared bytes of the key | value

Compression: 0 none, 1 snappy, 2 zlib, 4 deflate without header: the games' numbers. In upstream LevelDB since 1.24, 2
is zstd; no game writes that, and the error names it. Restarts serve a search that reads few entries; here a block is
read whole, once.

Batch: a record of a write-ahead log: puts and deletions that happened together.

batch = u64 sequence of the first | u32 count | count times (u8 1, key, value | u8 0, key), each with a length before

Log: records in blocks of 32 KiB: write-ahead logs and manifests.

    record = u32 masked CRC of type and content | u16 length | u8 type (1 whole, 2 first, 3 middle, 4 last) | content

Rules of logs:
1. A record that does not match its checksum loses the rest of its block, since its length may be wrong, and the record
   that it is a part of; reading continues with the next block.
2. Zeros fill up a block and are no damage. A game that was killed, or is writing, leaves an incomplete record at the
   end, like a file that was cut: this is reported, too, since the two cannot be distinguished.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import cramjam

from net.errors import FolderError
from net.saved_world.checksum_kernels import masked_crc


def varint(data: bytes, at: int) -> tuple[int, int]:
    """(value, next offset) of the varint at ``at``, at most 64 bits.

    Raises FolderError: the bytes end in it, or it is longer than ten.
    """
    value = shift = 0
    while shift < 70:
        if at >= len(data):
            raise FolderError("a number is cut")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise FolderError("a number is longer than ten bytes")


def prefixed(data: bytes, at: int) -> tuple[bytes, int]:
    """(bytes, next offset) of bytes with a length before them. Raises FolderError: there are fewer."""
    length, at = varint(data, at)
    if length > len(data) - at:
        raise FolderError(f"{length} bytes are announced, but {len(data) - at} are present")
    return data[at : at + length], at + length


TRAILER: Final = struct.Struct("<BI")
STAMP_BYTES: Final = 8
"""Bytes of an internal key after the user's key: u64 sequence << 8 | kind."""
COUNT: Final = struct.Struct("<I")
CONTENT_BYTES: Final = 64 << 20
"""Limit of an inflated block. The games write 160 KiB; a block holds at least one value, of any size."""
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
NONE, SNAPPY, ZLIB, DEFLATE = 0, 1, 2, 4


class TableEntry(NamedTuple):
    """One entry: a key, and the position of its value in the block's content."""

    key: bytes
    start: int
    end: int


class TableBlock(NamedTuple):
    """A decoded block."""

    content: bytes
    entries: list[TableEntry]


def read_block(stored: bytes) -> TableBlock:
    """Decodes a block with its trailer.

    Raises FolderError: it does not match its checksum, or its content is invalid.
    """
    content = _content(stored)
    return TableBlock(content, _entries(content))


def _content(stored: bytes) -> bytes:
    if len(stored) < TRAILER.size:
        raise FolderError("a block is cut")
    kind, crc = TRAILER.unpack_from(stored, len(stored) - TRAILER.size)
    if masked_crc(stored[:-4]) != crc:
        raise FolderError("a block does not match its checksum")
    body = stored[: -TRAILER.size]
    if kind == NONE:
        return body
    if kind == SNAPPY:
        return _unsnapped(body)
    if kind == ZLIB and body.startswith(ZSTD_MAGIC):
        raise FolderError("a block is compressed with zstd, which no game uses")
    if kind in (ZLIB, DEFLATE):
        return _inflated(body, zlib.MAX_WBITS if kind == ZLIB else -zlib.MAX_WBITS)
    raise FolderError(f"unknown compression {kind}")


def _unsnapped(body: bytes) -> bytes:
    try:
        if cramjam.snappy.decompress_raw_len(body) > CONTENT_BYTES:
            raise FolderError(f"a block has more than {CONTENT_BYTES} bytes")
        return bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise FolderError(f"a block does not decompress: {error}") from None


def _inflated(body: bytes, window_bits: int) -> bytes:
    inflater = zlib.decompressobj(window_bits)
    try:
        content = inflater.decompress(body, CONTENT_BYTES)
    except zlib.error as error:
        raise FolderError(f"a block does not inflate: {error}") from None
    if inflater.unconsumed_tail:
        raise FolderError(f"a block has more than {CONTENT_BYTES} bytes")
    if not inflater.eof:
        raise FolderError("a block's deflate stream is cut")
    return content


def _entries(content: bytes) -> list[TableEntry]:
    if len(content) < COUNT.size:
        raise FolderError("a block has no restarts")
    end = len(content) - COUNT.size * (COUNT.unpack_from(content, len(content) - COUNT.size)[0] + 1)
    if end < 0:
        raise FolderError("a block's restarts are cut")
    entries: list[TableEntry] = []
    key, at = b"", 0
    while at < end:
        shared, unshared, length = content[at : at + 3] if end - at >= 3 else (128, 128, 128)
        if (shared | unshared | length) < 128:  # usual: calls cost a quarter of a listing
            at += 3
        else:
            shared, at = varint(content, at)
            unshared, at = varint(content, at)
            length, at = varint(content, at)
        start = at + unshared
        if shared > len(key) or start + length > end:
            raise FolderError("an entry of a block runs over its end")
        if shared + unshared < STAMP_BYTES:
            raise FolderError("a key has no sequence number")
        key = key[:shared] + content[at:start]
        at = start + length
        entries.append(TableEntry(key, start, at))
    return entries


HEAD: Final = struct.Struct("<QI")
DELETION, VALUE = 0, 1


class Write(NamedTuple):
    """One write."""

    key: bytes  # its key
    stamp: int  # sequence << 8 | kind, as in internal keys: newer writes have larger ones
    value: bytes | None  # None for a deletion


def read_batch(record: bytes) -> Iterator[Write]:
    """The writes of one batch, in order. Raises FolderError: it is not a batch; writes before the fault are yielded."""
    if len(record) < HEAD.size:
        raise FolderError(f"a batch of {len(record)} bytes is too short")
    sequence, count = HEAD.unpack_from(record)
    at = HEAD.size
    for number in range(count):
        if at >= len(record):
            raise FolderError(f"{count} writes are announced, but {number} are present")
        kind = record[at]
        if kind not in (DELETION, VALUE):
            raise FolderError(f"unknown write of kind {kind}")
        key, at = prefixed(record, at + 1)
        value = None
        if kind == VALUE:
            value, at = prefixed(record, at)
        yield Write(key, sequence + number << 8 | kind, value)


BLOCK_BYTES: Final = 32768
HEADER: Final = struct.Struct("<IHB")
CUT: Final = "it ends in the middle of a record, which is ignored"
ZERO, WHOLE, FIRST, MIDDLE, LAST = range(5)

Report = Callable[[str], None]
"""Called with a sentence for each lost part."""


def read_records(data: bytes, report: Report) -> Iterator[bytes]:
    """The records of a file in order, without damaged ones."""
    parts: list[bytes] | None = None
    for kind, content in _fragments(data, report):
        if kind == WHOLE:
            parts = None
            yield content
        elif kind == FIRST:
            parts = [content]
        elif kind in (MIDDLE, LAST) and parts is not None:
            parts.append(content)
            if kind == LAST:
                yield b"".join(parts)
                parts = None
        else:
            parts = None  # the beginning was lost and reported
    if parts is not None:
        report(CUT)


def _fragments(data: bytes, report: Report) -> Iterator[tuple[int, bytes]]:
    """(type, content) of each fragment; type -1 means damage."""
    for block in range(0, len(data), BLOCK_BYTES):
        at, end = block, min(block + BLOCK_BYTES, len(data))
        while at + HEADER.size <= end:
            crc, length, kind = HEADER.unpack_from(data, at)
            content = data[at + HEADER.size : at + HEADER.size + length]
            if kind == ZERO and length == 0 and crc == 0:
                break  # not written yet
            if at + HEADER.size + length > end:
                report(CUT if end == len(data) else f"{end - at} bytes at {at}: a record runs over its block")
                yield -1, b""
                break
            if masked_crc(data[at + 6 : at + HEADER.size + length]) != crc or not WHOLE <= kind <= LAST:
                report(f"{end - at} bytes at {at}: a record does not match its checksum")
                yield -1, b""
                break
            yield kind, content
            at += HEADER.size + length
        else:
            if end == len(data) and any(data[at:end]):
                report(CUT)
                yield -1, b""
