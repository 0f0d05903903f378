"""A block of a table: entries in order, each key without what it shares with the one before.

    stored = content, compressed | u8 compression | u32 masked CRC of both
    content = entries | u32 restart offsets | u32 how many
    entry = varint shared | varint unshared | varint value length | unshared bytes of the key | value

Compression: 0 none, 1 snappy, 2 zlib, 4 deflate without header: the games' numbers. Since 1.24 upstream LevelDB means
zstd by 2; no game writes that, and it is named. Restarts serve a search that reads few entries; here a
block is read whole, once.
"""

import struct
import zlib
from typing import Final, NamedTuple

import cramjam

from net.errors import FolderError
from net.folder.checksum import masked_crc
from net.folder.varint import varint

TRAILER: Final = struct.Struct("<BI")
STAMP_BYTES: Final = 8
"""What an internal key has behind the user's: u64 sequence << 8 | kind."""
COUNT: Final = struct.Struct("<I")
CONTENT_BYTES: Final = 64 << 20
"""A block after inflation. The games write 160 KiB; a block holds at least one value, whatever its size."""
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
NONE, SNAPPY, ZLIB, DEFLATE = 0, 1, 2, 4


class Entry(NamedTuple):
    """One entry: a key, and where its value lies in the block's content."""

    key: bytes
    start: int
    end: int


class Block(NamedTuple):
    """A block, read."""

    content: bytes
    entries: list[Entry]


def read_block(stored: bytes) -> Block:
    """A block with its trailer.

    Raises:
        FolderError: it does not match its checksum, or makes no sense though it does.
    """
    content = _content(stored)
    return Block(content, _entries(content))


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
        raise FolderError("a block is compressed with zstd, as no game does")
    if kind in (ZLIB, DEFLATE):
        return _inflated(body, zlib.MAX_WBITS if kind == ZLIB else -zlib.MAX_WBITS)
    raise FolderError(f"there is no compression {kind}")


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


def _entries(content: bytes) -> list[Entry]:
    if len(content) < COUNT.size:
        raise FolderError("a block has no restarts")
    end = len(content) - COUNT.size * (COUNT.unpack_from(content, len(content) - COUNT.size)[0] + 1)
    if end < 0:
        raise FolderError("a block's restarts are cut")
    entries: list[Entry] = []
    key, at = b"", 0
    while at < end:
        shared, unshared, length = content[at : at + 3] if end - at >= 3 else (128, 128, 128)
        if (shared | unshared | length) < 128:  # most are short, and a call for each costs a quarter of a list of keys
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
        entries.append(Entry(key, start, at))
    return entries
