"""The blocks of a table that has lost its index.

Blocks are taken from the file's start on, as long as each ends where a trailer with the right checksum stands, and keys
go on rising; what stands behind the blocks, filters first, does neither. A deflate stream says by itself where it ends;
of other blocks the checksum says so: the first place that has the right one behind it.
"""

import zlib
from collections.abc import Iterator
from typing import Final

from net.errors import FolderError
from net.folder import block
from net.folder.block import SNAPPY, STAMP_BYTES, TRAILER, Entry
from net.folder.checksum import end_of_stored
from net.folder.table import Handle, Index, Read, read_stored

WINDOWS: Final = (-zlib.MAX_WBITS, zlib.MAX_WBITS)
CHUNK_BYTES: Final = 1 << 16


def index_without_footer(read: Read, size: int) -> Index:
    """What ``read_index`` would give of the blocks that are found; none where the first is not.

    Args:
        read: of the file.
        size: of the file.

    Raises:
        FolderError: the file cannot be read.
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


def _block_at(read: Read, at: int, size: int) -> tuple[Handle, list[Entry]] | None:
    """The block that begins there; None where none does."""
    for end in _ends(read, at, size):
        handle = Handle(at, end - at)
        try:
            return handle, read_stored(read, handle).entries
        except FolderError:
            continue
    return None


def _ends(read: Read, at: int, size: int) -> Iterator[int]:
    """Where a block that begins there may end."""
    for window in WINDOWS:
        end = _end_of_stream(read, at, size, window)
        if end is not None and end + TRAILER.size <= size:
            yield end
    end = _end_of_stored(read, at)
    if end is not None:
        yield end


def _end_of_stored(read: Read, at: int) -> int | None:
    """Of a block without compression or of snappy, as far as its checksum says."""
    length = CHUNK_BYTES
    while True:
        data = read(at, length)
        end = end_of_stored(data, SNAPPY)
        if end is not None:
            return at + end
        if len(data) < length or length >= block.CONTENT_BYTES:
            return None
        length *= 4  # all is looked at again: a third more in all


def _end_of_stream(read: Read, at: int, size: int, window: int) -> int | None:
    inflater = zlib.decompressobj(window)
    left = block.CONTENT_BYTES
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
