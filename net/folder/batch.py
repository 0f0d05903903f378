"""A record of a write-ahead log: puts and deletions that happened together.

batch = u64 sequence of the first | u32 count | count times (u8 1, key, value | u8 0, key), each with a length before
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from net.errors import FolderError
from net.folder.varint import prefixed

HEAD: Final = struct.Struct("<QI")
DELETION, VALUE = 0, 1


class Write(NamedTuple):
    """One write.

    Attributes:
        key: whose.
        stamp: sequence << 8 | kind, as internal keys have it: newer writes have larger ones.
        value: None for a deletion.
    """

    key: bytes
    stamp: int
    value: bytes | None


def read_batch(record: bytes) -> Iterator[Write]:
    """The writes of one batch, in order.

    Raises:
        FolderError: it is none; writes before the fault were given.
    """
    if len(record) < HEAD.size:
        raise FolderError(f"a batch of {len(record)} bytes is too short")
    sequence, count = HEAD.unpack_from(record)
    at = HEAD.size
    for number in range(count):
        if at >= len(record):
            raise FolderError(f"{count} writes are announced, {number} are there")
        kind = record[at]
        if kind not in (DELETION, VALUE):
            raise FolderError(f"there is no write of kind {kind}")
        key, at = prefixed(record, at + 1)
        value = None
        if kind == VALUE:
            value, at = prefixed(record, at)
        yield Write(key, sequence + number << 8 | kind, value)
