"""World folders: one part of one behind checksums that are right, since whoever makes a world makes those too.

The first byte says which part. What is damaged in it is told; the rest of the world is there.
"""

import contextlib
import struct
from collections.abc import Callable
from typing import Final

from net.errors import FolderError
from net.saved_world.block import CONTENT_BYTES
from net.saved_world.checksum_kernels import masked_crc
from net.saved_world.leveldb import Database
from net.server.worlds import SavedWorld
from net.space import ColumnPos
from tests.fuzz.checks import check
from tests.support.reference import leveldb as twin
from tests.support.reference.leveldb import MemoryFiles
from tests.support.reference.wire import uv
from tests.support.worlds.saved import world

KEY: Final = b"kept"
COLUMN: Final = ColumnPos(0, 0)


def as_block(data: bytes) -> MemoryFiles:
    """The bytes are a compression, and a block's body."""
    body = data[1:] + (data[:1] or b"\0")
    stored = body + struct.pack("<I", masked_crc(body))
    handle = b"\0" + uv(len(body) - 1)
    index = twin.block([(b"\xff" * 16, handle)], 1) + b"\0"
    at = uv(len(stored)) + uv(len(index) - 1)
    end = (b"\0\0" + at).ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)
    return with_one({"db/000004.ldb": stored + index + struct.pack("<I", masked_crc(index)) + end})


def as_table(data: bytes) -> MemoryFiles:
    """The bytes are a table."""
    return with_one({"db/000004.ldb": data})


def as_log(data: bytes) -> MemoryFiles:
    """The bytes are a log."""
    return with_one({"db/000091.log": data})


def as_batch(data: bytes) -> MemoryFiles:
    """The bytes are a batch of a log."""
    record = struct.pack("<IHB", masked_crc(b"\1" + data[:30000]), len(data[:30000]), 1) + data[:30000]
    return with_one({"db/000091.log": record})


def as_edit(data: bytes) -> MemoryFiles:
    """The bytes are an edit of the manifest."""
    record = struct.pack("<IHB", masked_crc(b"\1" + data[:30000]), len(data[:30000]), 1) + data[:30000]
    files = with_one({})
    files.contents["db/MANIFEST-000003"] = record
    files.contents["db/CURRENT"] = b"MANIFEST-000003\n"
    return files


def as_level(data: bytes) -> MemoryFiles:
    """The bytes are ``level.dat``."""
    return with_one({"level.dat": data})


def as_subchunk(data: bytes) -> MemoryFiles:
    """The bytes are a sub-chunk."""
    return world({(0, 0, 0): {0: data}})


def as_biomes(data: bytes) -> MemoryFiles:
    """The bytes are biomes of sections, and those of old."""
    return world({(0, 0, 0): {}}, {(0, 0, 0, 43): data, (0, 0, 0, 45): data})


def as_first_world(data: bytes) -> MemoryFiles:
    """The bytes are whole terrain, extra blocks, biomes with colours, and block entities."""
    return world({}, {(0, 0, 0, tag): data for tag in (46, 48, 49, 52)})


FORMS: Final[tuple[Callable[[bytes], MemoryFiles], ...]] = (
    *(as_block, as_table, as_log, as_batch),
    *(as_edit, as_level, as_subchunk, as_biomes),
    as_first_world,
)
BESIDE: Final = twin.table([(KEY, 1, b"value")])


def with_one(contents: dict[str, bytes]) -> MemoryFiles:
    """A database without a manifest, of a sound table and these files."""
    return MemoryFiles({"db/000005.ldb": BESIDE, **contents})


def folders(data: bytes) -> None:
    """A world; what is damaged in it is told, the rest is read."""
    form = FORMS[data[0] % len(FORMS)] if data else as_table
    files = form(data[1:])
    with contextlib.suppress(FolderError):
        database = Database(files)
        found = database.scan(b"", None)
        check(set(found) == set(database.all_keys()), "a key is listed and not there, or the other way round")
        if form in (as_block, as_table, as_level):
            check(KEY in found, "a sound table is lost")
        check(sum(map(len, found.values())) <= CONTENT_BYTES + len(data), "a block is larger than allowed")
        saved = SavedWorld(files)
        saved.column(COLUMN)
        check(all("\n" not in sentence for sentence in saved.lost), "a sentence has several lines")
