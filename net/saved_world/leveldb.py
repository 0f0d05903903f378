"""A LevelDB as one ordered map from keys to their newest values, with its manifest; keys of columns.

Rules:
1. A key's newest write wins, in whichever log or table.
2. Unreadable parts are left out and reported once in ``lost``: a block with its range of keys, a table, a part of a
   log. A table without its index is read as far as its blocks can be found without it (``table``). Without ``CURRENT``
   or a readable manifest, all tables and logs of the folder are used, old ones included, and this is reported, too.
3. A table is opened when a key that it may hold is requested; ``CACHE_BYTES`` of decoded blocks are cached.

The manifest is a log of changes; their sum is the set of live files. edit = fields, each u32 varint: 1 comparator, 2
log number, 3 next file, 4 last sequence, 5 compaction pointer, 6 deleted file (level, number), 7 new file (level,
number, size, smallest, largest key), 9 previous log.

Limit: if the manifest is lost, a key whose deletion was already compacted away may reappear.

Keys of columns (ecosystem.md 5).

    key = i32 x | i32 z | i32 dimension, absent in the overworld | u8 tag | i8 section, of sub-chunks alone

The same map holds names (``~local_player``, ``BiomeData``, ``map_...``) and actors (``digp``, ``actorprefix``): a key
is a column's if its length, its tag and its position are valid.
"""

import bisect
import re
import struct
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from enum import IntEnum
from functools import partial
from typing import Final, NamedTuple, Protocol

import msgspec

from net.errors import FolderError
from net.saved_world.block import (
    STAMP_BYTES,
    TRAILER,
    VALUE,
    Report,
    TableBlock,
    Write,
    prefixed,
    read_batch,
    read_records,
    varint,
)
from net.saved_world.table import Handle, Index, Read, index_without_footer, read_index, read_stored, stamps, writes
from net.space import ColumnPos, coordinates

_OVERWORLD: Final = struct.Struct("<ii")
_OTHER: Final = struct.Struct("<iii")
FARTHEST_COLUMN: Final = 1 << 21
"""32 million blocks, beyond what the games generate: nine letters of text read as a key are farther out."""
MOST_DIMENSION: Final = 1 << 16


class Tag(IntEnum):
    """Kinds of values of a column that are read."""

    BIOMES_3D = 43  # 512 bytes of heights, then a storage for each section
    VERSION = 44  # of the column, one byte
    BIOMES_2D = 45  # 512 bytes of heights, then 256 biomes
    BIOMES_OF_OLD = 46  # the same, each biome with a colour
    SUBCHUNK = 47  # the key's last byte is the section
    WHOLE_TERRAIN = 48  # all blocks of a column 128 high, before 1.0
    BLOCK_ENTITIES = 49  # NBT compounds, one after the other
    EXTRA_BLOCKS = 52  # second blocks at a position, before the second layer existed: snow round grass
    OLD_VERSION = 118  # VERSION before 1.16.100


PRESENT: Final = frozenset({Tag.VERSION, Tag.OLD_VERSION, Tag.SUBCHUNK, Tag.WHOLE_TERRAIN})
"""A column exists if it has one of these."""
TAGS: Final = frozenset(map(int, Tag)) | {*range(50, 66), 119}
"""All known tags: also entities, ticks, checksums and others."""


class ColumnKey(NamedTuple):
    """A parsed key."""

    dimension: int  # by number
    position: ColumnPos  # of the column
    tag: int  # a ``Tag``, or another number
    section: int | None  # absolute y of a sub-chunk, else None

    @classmethod
    def read(cls, key: bytes) -> "ColumnKey | None":
        """Parses a key; None if it is not a column's."""
        if len(key) not in (9, 10, 13, 14):
            return None
        wide = len(key) >= 13
        x, z, dimension = _OTHER.unpack_from(key) if wide else (*_OVERWORLD.unpack_from(key), 0)
        tag = key[12 if wide else 8]
        with_section = len(key) in (10, 14)
        if tag not in TAGS or with_section != (tag == Tag.SUBCHUNK):
            return None
        if max(abs(x), abs(z)) > FARTHEST_COLUMN or not 0 <= dimension <= MOST_DIMENSION:
            return None
        return cls(dimension, ColumnPos(x, z), tag, (key[-1] ^ 128) - 128 if with_section else None)

    def write(self) -> bytes:
        section = b"" if self.section is None else bytes((self.section & 0xFF,))
        return column_prefix(self.dimension, self.position) + bytes((self.tag,)) + section


def columns_among(keys: Iterable[bytes], dimension: int) -> set[ColumnPos]:
    """The columns of a dimension that exist according to some keys: those with a version or a sub-chunk."""
    at = 12 if dimension else 8
    lengths = (at + 1, at + 2)
    first = {key[: at + 1]: key for key in keys if len(key) in lengths and key[at] in PRESENT}  # one of each tag
    found = map(ColumnKey.read, first.values())
    return {key.position for key in found if key is not None and key.dimension == dimension}


def column_prefix(dimension: int, position: ColumnPos) -> bytes:
    """The common prefix of a column's keys; in the overworld also that of other dimensions' columns at its position."""
    return _OTHER.pack(*position, dimension) if dimension else _OVERWORLD.pack(*position)


COMPARATOR: Final = b"leveldb.BytewiseComparator"


class TableFile(msgspec.Struct, frozen=True):
    """A live table."""

    smallest: bytes | None = None  # no key of it is less; None if unknown
    largest: bytes | None = None  # no key of it is greater; None if unknown


class Manifest(msgspec.Struct):
    """The live files."""

    tables: dict[int, TableFile] = {}  # by number
    log_number: int = 0  # logs from this one on hold data that is in no table yet
    previous_log: int = 0  # an additional log, 0 for none
    edits: int = 0  # number of edits read


def read_manifest(data: bytes, report: Report) -> Manifest:
    """Reads a manifest; damaged edits are left out and reported.

    Raises FolderError: keys are ordered otherwise than by their bytes.
    """
    manifest = Manifest()
    for record in read_records(data, report):
        try:
            for kind, values in _fields(record):
                _take(manifest, kind, values)
            manifest.edits += 1
        except _OtherOrder:
            raise
        except FolderError as error:
            report(str(error))
    return manifest


class _OtherOrder(FolderError):
    """The keys have an unknown order."""


def _take(manifest: Manifest, kind: int, values: tuple[int | bytes, ...]) -> None:
    match kind, values:
        case 1, (bytes() as name,) if name != COMPARATOR:
            raise _OtherOrder(f"keys are ordered by {name.decode(errors='replace')}, which is unknown")
        case 2, (int() as number,):
            manifest.log_number = number
        case 9, (int() as number,):
            manifest.previous_log = number
        case 6, (int(), int() as number):
            manifest.tables.pop(number, None)
        case 7, (int(), int() as number, int(), bytes() as smallest, bytes() as largest):
            manifest.tables[number] = TableFile(smallest[:-STAMP_BYTES], largest[:-STAMP_BYTES])
        case _:
            pass


FORMS: Final = {1: "b", 2: "n", 3: "n", 4: "n", 5: "nb", 6: "nn", 7: "nnnbb", 9: "n"}
"""Types of an edit's fields: n a number, b bytes."""


def _fields(record: bytes) -> Iterator[tuple[int, tuple[int | bytes, ...]]]:
    at = 0
    while at < len(record):
        kind, at = varint(record, at)
        if kind not in FORMS:
            raise FolderError(f"an edit of the manifest has the unknown field {kind}")
        values: list[int | bytes] = []
        for form in FORMS[kind]:
            value, at = varint(record, at) if form == "n" else prefixed(record, at)
            values.append(value)
        yield kind, tuple(values)


class WorldFiles(Protocol):
    """The files of a world by their path, with ``/`` between names: ``level.dat``, ``db/CURRENT``."""

    @property
    def place(self) -> str:
        """The world's location, for messages."""

    @property
    def names(self) -> Collection[str]:
        """All names."""

    def size(self, name: str) -> int:
        """Size of a file in bytes. Raises FolderError: it is gone or not readable."""

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        """A part of a file, by default up to its end; shorter if the file ends before.

        Raises FolderError: the file is gone, not readable, or larger than the limit.
        """


FOLDER: Final = "db/"
CURRENT: Final = "db/CURRENT"
CACHE_BYTES: Final = 64 << 20
"""Size of cached blocks, without the objects of their entries."""
NOTHING: Final = TableBlock(b"", [])
_TABLE: Final = re.compile(r"db/(\d{1,18})\.(?:ldb|sst)")
_LOG: Final = re.compile(r"db/(\d{1,18})\.log")
_MANIFEST: Final = re.compile(r"db/MANIFEST-\d{1,18}")


class Database:
    """The database of a world; see the module.

    ``files``: of the world. Raises FolderError: there is no database, or its keys have an unknown order.
    """

    def __init__(self, files: WorldFiles) -> None:
        self.lost: list[str] = []  # unreadable parts, one sentence each, in the order of finding
        self._files = files
        self._names = {int(found[1]): name for name in files.names if (found := _TABLE.fullmatch(name))}
        logs = {int(found[1]): name for name in files.names if (found := _LOG.fullmatch(name))}
        if not self._names and not logs and not any(name.startswith(FOLDER) for name in files.names):
            raise FolderError(f"{files.place} has no folder 'db', so it is not a world")
        self._tables, kept_logs = self._alive(logs)
        self._indices: dict[int, Index] = {}
        self._blocks: OrderedDict[tuple[int, int], TableBlock] = OrderedDict()
        self._held_bytes = 0
        self._damaged: set[tuple[int, int]] = set()
        self._fresh: dict[bytes, Write] = {}
        for number in sorted(kept_logs):
            self._replay(logs[number])
        self._fresh_keys = sorted(self._fresh)

    def scan(self, first: bytes, stop: bytes | None) -> dict[bytes, bytes]:
        """Keys from ``first`` on, before ``stop`` (None: to the end), with their newest values."""
        found: dict[bytes, Write] = {}
        for write in self._all_writes(first, stop):
            known = found.get(write.key)
            if known is None or known.stamp <= write.stamp:
                found[write.key] = write
        return {key: write.value for key, write in found.items() if write.value is not None}

    def all_keys(self) -> list[bytes]:
        """All keys that have a value, unordered; reads every table."""
        newest = {key: write.stamp for key, write in self._fresh.items()}
        for number in self._tables:
            for place in range(len(self._index(number).handles)):
                for key, stamp in stamps(self._sound_block(number, place)):
                    if newest.get(key, -1) <= stamp:
                        newest[key] = stamp
        return [key for key, stamp in newest.items() if stamp & 0xFF == VALUE]

    # ---------------------------------------------------------------- what is alive

    def _alive(self, logs: dict[int, str]) -> tuple[dict[int, TableFile], list[int]]:
        name = self._manifest_name()
        if name is not None:
            try:
                manifest = read_manifest(self._files.read(name), partial(self._report, name))
            except FolderError as error:
                raise FolderError(f"{self._files.place}, {name}: {error}") from None
            if manifest.edits:
                for number in manifest.tables:
                    if number not in self._names:
                        self._report(f"db/{number:06d}.ldb", "the manifest names it, but it is missing")
                kept = [n for n in logs if n >= manifest.log_number or n == manifest.previous_log]
                return {n: file for n, file in manifest.tables.items() if n in self._names}, kept
            self._report(name, "it cannot be read at all")
        self.lost.append("The manifest is missing: all tables are read, including outdated ones.")
        return dict.fromkeys(self._names, TableFile()), list(logs)

    def _manifest_name(self) -> str | None:
        """The manifest that CURRENT names, else the newest one."""
        there = sorted(name for name in self._files.names if _MANIFEST.fullmatch(name))
        if CURRENT not in self._files.names:
            self._report(CURRENT, "it is missing")
        else:
            try:
                said = FOLDER + self._files.read(CURRENT, 0, 64).decode("ascii", "replace").strip()
            except FolderError as error:
                self.lost.append(str(error))
            else:
                if said in there:
                    return said
                self._report(CURRENT, "it names a manifest that does not exist")
        return max(there, key=lambda name: int(name.rpartition("-")[2]), default=None)

    def _replay(self, name: str) -> None:
        report = partial(self._report, name)
        try:
            data = self._files.read(name)
        except FolderError as error:
            self.lost.append(str(error))
            return
        for record in read_records(data, report):
            try:
                for write in read_batch(record):
                    known = self._fresh.get(write.key)
                    if known is None or known.stamp <= write.stamp:
                        self._fresh[write.key] = write
            except FolderError as error:
                report(str(error))

    # ---------------------------------------------------------------- tables

    def _all_writes(self, first: bytes, stop: bytes | None) -> Iterator[Write]:
        fresh = self._fresh_keys
        end = len(fresh) if stop is None else bisect.bisect_left(fresh, stop)
        for key in fresh[bisect.bisect_left(fresh, first) : end]:
            yield self._fresh[key]
        for number, file in self._tables.items():
            if stop is not None and file.smallest is not None and file.smallest >= stop:
                continue
            if file.largest is None or file.largest >= first:
                yield from self._table_writes(number, first, stop)

    def _table_writes(self, number: int, first: bytes, stop: bytes | None) -> Iterator[Write]:
        index = self._index(number)
        for place in range(bisect.bisect_left(index.last_keys, first), len(index.handles)):
            yield from writes(self._sound_block(number, place), first, stop)
            if stop is not None and index.last_keys[place] >= stop:
                return

    def _index(self, number: int) -> Index:
        """The index of a table; empty if it is not readable."""
        found = self._indices.get(number)
        if found is None:
            name = self._names[number]
            read = partial(self._files.read, name)
            try:
                found = read_index(read, self._files.size(name))
            except FolderError as error:
                found = self._salvaged(name, read, str(error))
            self._indices[number] = found
        return found

    def _salvaged(self, name: str, read: Read, fault: str) -> Index:
        """The index of a table whose own index is not readable."""
        try:
            size = self._files.size(name)
            found = index_without_footer(read, size)
        except FolderError:
            found = Index([], [])
        if not found.handles:
            self._report(name, f"{fault}; the whole table is lost")
            return found
        end = found.handles[-1].offset + found.handles[-1].size + TRAILER.size
        blocks = "its first block is" if len(found.handles) == 1 else f"its first {len(found.handles)} blocks are"
        self._report(name, f"{fault}; {blocks} intact, the rest after byte {end} of {size} is lost")
        return found

    def _sound_block(self, number: int, place: int) -> TableBlock:
        """A block of a table; empty if it is damaged."""
        handle = self._indices[number].handles[place]
        if (number, handle.offset) in self._damaged:
            return NOTHING
        try:
            return self._block(number, handle)
        except FolderError as error:
            self._damaged.add((number, handle.offset))
            where = _between(self._indices[number].last_keys, place)
            self._report(self._names[number], f"{handle.size} bytes at {handle.offset}: {error}; {where}")
            return NOTHING

    def _block(self, number: int, handle: Handle) -> TableBlock:
        key = (number, handle.offset)
        found = self._blocks.get(key)
        if found is not None:
            self._blocks.move_to_end(key)
            return found
        made = self._blocks[key] = read_stored(partial(self._files.read, self._names[number]), handle)
        self._held_bytes += len(made.content)
        while self._held_bytes > CACHE_BYTES and len(self._blocks) > 1:
            self._held_bytes -= len(self._blocks.popitem(last=False)[1].content)
        return made

    def _report(self, name: str, what: str) -> None:
        self.lost.append(f"{name}: {what.removeprefix(f'{name}: ')}.")


def _between(last_keys: list[bytes], place: int) -> str:
    """The range of keys of a table's block, in words."""
    before = "the first" if place == 0 else _named(last_keys[place - 1])
    return f"it contained the keys from {before} to {_named(last_keys[place])} in the table"


def _named(key: bytes) -> str:
    """A key in words: a column's position, or a name."""
    column = ColumnKey.read(key)
    if column is None:
        return repr(key[:32])[1:]
    world = f" of dimension {column.dimension}" if column.dimension else ""
    return f"column {coordinates(column.position)}{world}"
