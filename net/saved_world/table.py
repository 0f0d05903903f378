"""A sorted table: a file of blocks, an index of them, a footer.

    file = blocks | filters | index block | footer
    footer = varints: filters' offset and size, index's offset and size | zeros up to 40 bytes | u64 magic

Keys here are internal: the user's, then u64 sequence << 8 | kind. Entries of one user key are ordered newest first. An
index entry's key lies between the last key of its block and the first of the next.

Tables without a readable index (``index_without_footer``): blocks are read from the file's start on, as long as each
ends with a trailer with the right checksum and keys keep rising; what follows the blocks, filters first, does neither.
A deflate stream marks its own end; the end of other blocks is the first position that is followed by the right
checksum.
"""

import bisect
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from net.errors import FolderError
from net.saved_world import block as block_module
from net.saved_world.block import SNAPPY, STAMP_BYTES, TRAILER, VALUE, TableBlock, TableEntry, Write, read_block, varint
from net.saved_world.checksum_kernels import end_of_stored

FOOTER_BYTES: Final = 48
MAGIC: Final = 0xDB4775248B80FB57
_U64: Final = struct.Struct("<Q")

Read = Callable[[int, int], bytes]
"""Bytes of the file by offset and length."""


class Handle(NamedTuple):
    """Position of a block, without its trailer."""

    offset: int
    size: int


class Index(NamedTuple):
    """The blocks of a table, in order; ``last_keys`` are user keys, none less than any key of its block."""

    last_keys: list[bytes]
    handles: list[Handle]


def read_index(read: Read, size: int) -> Index:
    """Reads footer and index. Raises FolderError: it is not a table, or its index is damaged."""
    if size < FOOTER_BYTES:
        raise FolderError(f"{size} bytes are too few for a table")
    footer = read(size - FOOTER_BYTES, FOOTER_BYTES)
    if len(footer) != FOOTER_BYTES or _U64.unpack_from(footer, FOOTER_BYTES - 8)[0] != MAGIC:
        raise FolderError("it does not end like a table")
    _, at = _handle(footer, 0, size)
    index, _ = _handle(footer, at, size)
    block = read_stored(read, index)
    keys, handles = [], []
    for entry in block.entries:
        keys.append(entry.key[:-STAMP_BYTES])
        handles.append(_handle(block.content[entry.start : entry.end], 0, size)[0])
    return Index(keys, handles)


def read_stored(read: Read, handle: Handle) -> TableBlock:
    """One block of the file. Raises FolderError: see ``read_block``."""
    return read_block(read(handle.offset, handle.size + TRAILER.size))


def writes(block: TableBlock, first: bytes, stop: bytes | None) -> Iterator[Write]:
    """The writes in a block to keys from ``first`` on, before ``stop``."""
    content, entries = block
    for key, start, end in entries[bisect.bisect_left(entries, first, key=_user_key) :]:
        user_key = key[:-STAMP_BYTES]
        if stop is not None and user_key >= stop:
            return
        stamp: int = _U64.unpack_from(key, len(key) - STAMP_BYTES)[0]
        yield Write(user_key, stamp, content[start:end] if stamp & 0xFF == VALUE else None)


def stamps(block: TableBlock) -> list[tuple[bytes, int]]:
    """(user key, stamp) of each entry of a block: enough to list keys, in half the time of ``writes``."""
    return [(key[:-STAMP_BYTES], int.from_bytes(key[-STAMP_BYTES:], "little")) for key, _, _ in block.entries]


def _user_key(entry: TableEntry) -> bytes:
    return entry.key[:-STAMP_BYTES]


def _handle(data: bytes, at: int, size: int) -> tuple[Handle, int]:
    offset, at = varint(data, at)
    length, at = varint(data, at)
    if offset + length + TRAILER.size > size:
        raise FolderError("a block lies beyond the end of the file")
    return Handle(offset, length), at


WINDOWS: Final = (-zlib.MAX_WBITS, zlib.MAX_WBITS)
CHUNK_BYTES: Final = 1 << 16


def index_without_footer(read: Read, size: int) -> Index:
    """An index of the blocks that can be found without the table's own; empty if the first is not found.

    Raises FolderError: the file cannot be read.
    """
    found = Index([], [])
    at = 0
    while (sound := _block_at(read, at, size)) is not None:
        handle, entries = sound
        if not entries or (found.last_keys and entries[0].key[:-STAMP_BYTES] < found.last_keys[-1]):
            break
        found.last_keys.append(entries[-1].key[:-STAMP_BYTES])
        found.handles.append(handle)
        at += handle.size + TRAILER.size
    return found


def _block_at(read: Read, at: int, size: int) -> tuple[Handle, list[TableEntry]] | None:
    """The block at an offset; None if there is none."""
    for end in _ends(read, at, size):
        handle = Handle(at, end - at)
        try:
            return handle, read_stored(read, handle).entries
        except FolderError:
            continue
    return None


def _ends(read: Read, at: int, size: int) -> Iterator[int]:
    """Possible ends of a block at an offset."""
    for window in WINDOWS:
        end = _end_of_stream(read, at, size, window)
        if end is not None and end + TRAILER.size <= size:
            yield end
    end = _end_of_stored(read, at)
    if end is not None:
        yield end


def _end_of_stored(read: Read, at: int) -> int | None:
    """The end of an uncompressed or snappy block, found by its checksum."""
    length = CHUNK_BYTES
    while True:
        data = read(at, length)
        end = end_of_stored(data, SNAPPY)
        if end is not None:
            return at + end
        if len(data) < length or length >= block_module.CONTENT_BYTES:
            return None
        length *= 4  # starts anew with four times the bytes: a third more work in all


def _end_of_stream(read: Read, at: int, size: int, window: int) -> int | None:
    inflater = zlib.decompressobj(window)
    left = block_module.CONTENT_BYTES
    while at < size and left > 0:
        chunk = read(at, CHUNK_BYTES)
        try:
            left -= len(inflater.decompress(chunk, left))
        except zlib.error:
            return None
        at += len(chunk)
        if inflater.eof:
            return at - len(inflater.unused_data)
        if not chunk or inflater.unconsumed_tail:
            return None
    return None
