"""The blocks of a table that has lost its index: a deflate stream says by itself where it ends.

Blocks are taken from the file's start on, as long as each stream ends where a trailer with the right checksum stands,
and keys go on rising; what stands behind the blocks, filters first, does neither.

Limit: blocks without compression or of snappy do not say where they end; the games write neither.
"""

import zlib
from typing import Final

from net.errors import FolderError
from net.folder import block
from net.folder.block import STAMP_BYTES, TRAILER
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
    while (handle := _block_at(read, at, size)) is not None:
        try:
            entries = read_stored(read, handle).entries
        except FolderError:
            break
        if not entries or (found.last_keys and entries[0].key[:-STAMP_BYTES] < found.last_keys[-1]):
            break
        found.last_keys.append(entries[-1].key[:-STAMP_BYTES])
        found.handles.append(handle)
        at += handle.size + TRAILER.size
    return found


def _block_at(read: Read, at: int, size: int) -> Handle | None:
    """The block that begins there; None where no deflate stream does."""
    for window in WINDOWS:
        end = _end_of_stream(read, at, size, window)
        if end is not None and end + TRAILER.size <= size:
            return Handle(at, end - at)
    return None


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
