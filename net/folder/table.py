"""A sorted table: a file of blocks, an index of them, a footer.

    file = blocks | filters | index block | footer
    footer = varints: filters' offset and size, index's offset and size | zeros up to 40 bytes | u64 magic

Keys here are internal: the user's, then u64 sequence << 8 | kind. Entries of one user key stand newest first. An
index entry's key lies between the last key of its block and the first of the next.
"""

import bisect
import struct
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from net.errors import FolderError
from net.folder.batch import VALUE, Write
from net.folder.block import STAMP_BYTES, TRAILER, Block, Entry, read_block
from net.folder.varint import varint

FOOTER_BYTES: Final = 48
MAGIC: Final = 0xDB4775248B80FB57
_U64: Final = struct.Struct("<Q")

Read = Callable[[int, int], bytes]
"""Bytes of the file by offset and length."""


class Handle(NamedTuple):
    """Where a block lies, its trailer not counted."""

    offset: int
    size: int


class Index(NamedTuple):
    """The blocks of a table, in order; ``last_keys`` are user keys, none less than any key of its block."""

    last_keys: list[bytes]
    handles: list[Handle]

    def from_key(self, key: bytes) -> int:
        """The first block that may hold a key, or any greater one."""
        return bisect.bisect_left(self.last_keys, key)


def read_index(read: Read, size: int) -> Index:
    """Reads footer and index.

    Args:
        read: of the file.
        size: of the file.

    Raises:
        FolderError: it is no table, or its index is damaged.
    """
    if size < FOOTER_BYTES:
        raise FolderError(f"{size} bytes are too few for a table")
    footer = read(size - FOOTER_BYTES, FOOTER_BYTES)
    if len(footer) != FOOTER_BYTES or _U64.unpack_from(footer, FOOTER_BYTES - 8)[0] != MAGIC:
        raise FolderError("it does not end as a table does")
    _, at = _handle(footer, 0, size)
    index, _ = _handle(footer, at, size)
    block = read_stored(read, index)
    keys, handles = [], []
    for entry in block.entries:
        keys.append(entry.key[:-STAMP_BYTES])
        handles.append(_handle(block.content[entry.start : entry.end], 0, size)[0])
    return Index(keys, handles)


def read_stored(read: Read, handle: Handle) -> Block:
    """One block of the file.

    Raises:
        FolderError: see ``read_block``.
    """
    return read_block(read(handle.offset, handle.size + TRAILER.size))


def writes(block: Block, first: bytes, stop: bytes | None) -> Iterator[Write]:
    """The writes of a block to keys from ``first`` on, before ``stop``."""
    content, entries = block
    for key, start, end in entries[bisect.bisect_left(entries, first, key=_user_key) :]:
        user_key = key[:-STAMP_BYTES]
        if stop is not None and user_key >= stop:
            return
        stamp: int = _U64.unpack_from(key, len(key) - STAMP_BYTES)[0]
        yield Write(user_key, stamp, content[start:end] if stamp & 0xFF == VALUE else None)


def stamps(block: Block) -> list[tuple[bytes, int]]:
    """(user key, stamp) of each entry of a block: all that a list of keys needs, at half the time of ``writes``."""
    return [(key[:-STAMP_BYTES], int.from_bytes(key[-STAMP_BYTES:], "little")) for key, _, _ in block.entries]


def _user_key(entry: Entry) -> bytes:
    return entry.key[:-STAMP_BYTES]


def _handle(data: bytes, at: int, size: int) -> tuple[Handle, int]:
    offset, at = varint(data, at)
    length, at = varint(data, at)
    if offset + length + TRAILER.size > size:
        raise FolderError("a block is said to lie beyond the file's end")
    return Handle(offset, length), at
