"""A LevelDB as one ordered map from keys to their newest values.

Rules:
1. A key's newest write wins, whichever log or table holds it.
2. What cannot be read is left out and told once in ``lost``: a block with the keys that lie round it, a table, a part
   of a log. A table without its index is read as far as its blocks are found without (``table``). Without
   ``CURRENT`` or a manifest that reads, all tables and logs of the folder are taken, old ones included, and that is
   told, too.
3. Tables are opened when a key that they may hold is asked for; of blocks that were read ``CACHE_BYTES`` are kept.

The manifest is a log of changes, at the end of which stands what is alive: edit = fields, each u32 varint: 1
comparator, 2 log number, 3 next file, 4 last sequence, 5 compaction pointer, 6 deleted file (level, number), 7 new file
(level, number, size, smallest, largest key), 9 previous log.

Limit: where the manifest is lost, a key whose deletion was already compacted away may come back.

Keys of columns (ecosystem.md 5).

    key = i32 x | i32 z | i32 dimension, absent in the overworld | u8 tag | i8 section, of sub-chunks alone

The games keep names (``~local_player``, ``BiomeData``, ``map_...``) and actors (``digp``, ``actorprefix``) in the same
map: a key is a column's when its length, its tag and its place make sense.
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
    TableBlock,
    Tell,
    Write,
    prefixed,
    read_batch,
    read_records,
    varint,
)
from net.saved_world.table import Handle, Index, Read, index_without_footer, read_index, read_stored, stamps, writes
from net.space import ColumnPos

_OVERWORLD: Final = struct.Struct("<ii")
_OTHER: Final = struct.Struct("<iii")
FARTHEST_COLUMN: Final = 1 << 21
"""32 million blocks, beyond what the games generate: text of nine letters lies farther out."""
MOST_DIMENSION: Final = 1 << 16


class Tag(IntEnum):
    """What a value of a column is; the ones that are read."""

    BIOMES_3D = 43  # 512 bytes of heights, then a storage for each section
    VERSION = 44  # of the column, one byte
    BIOMES_2D = 45  # 512 bytes of heights, then 256 biomes
    BIOMES_OF_OLD = 46  # likewise, each biome with a colour
    SUBCHUNK = 47  # one more byte in the key says which
    WHOLE_TERRAIN = 48  # all blocks of a column 128 high, before 1.0
    BLOCK_ENTITIES = 49  # NBT compounds, one after the other
    EXTRA_BLOCKS = 52  # what stood in a block besides itself, before the second layer: snow round grass
    FINALISED = 54  # i32: how far the generator got
    OLD_VERSION = 118  # where VERSION stood before 1.16.100


PRESENT: Final = frozenset({Tag.VERSION, Tag.OLD_VERSION, Tag.SUBCHUNK, Tag.WHOLE_TERRAIN})
"""A column is there when it has one of these."""
TAGS: Final = frozenset(map(int, Tag)) | {*range(50, 66), 119}
"""All that have been seen: entities, ticks, checksums, and others besides."""


class ColumnKey(NamedTuple):
    """A key, read."""

    dimension: int  # by number
    position: ColumnPos  # of the column
    tag: int  # a ``Tag``, or one that is not read
    section: int | None  # absolute y of a sub-chunk, None of anything else

    @classmethod
    def read(cls, key: bytes) -> "ColumnKey | None":
        """A key's meaning, None where it is no column's."""
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
        """The key's bytes."""
        section = b"" if self.section is None else bytes((self.section & 0xFF,))
        return column_prefix(self.dimension, self.position) + bytes((self.tag,)) + section


def columns_among(keys: Iterable[bytes], dimension: int) -> set[ColumnPos]:
    """The columns of a dimension that some keys say are there: those with a version or a sub-chunk."""
    at = 12 if dimension else 8
    lengths = (at + 1, at + 2)
    first = {key[: at + 1]: key for key in keys if len(key) in lengths and key[at] in PRESENT}  # one of each tag
    found = map(ColumnKey.read, first.values())
    return {key.position for key in found if key is not None and key.dimension == dimension}


def column_prefix(dimension: int, position: ColumnPos) -> bytes:
    """What all keys of a column begin with; in the overworld those of other dimensions at its place do, too."""
    return _OTHER.pack(*position, dimension) if dimension else _OVERWORLD.pack(*position)


COMPARATOR: Final = b"leveldb.BytewiseComparator"


class TableFile(msgspec.Struct, frozen=True):
    """A table that is alive."""

    number: int  # of its file
    smallest: bytes | None = None  # no key of it is less; None where nobody knows
    largest: bytes | None = None  # no key of it is greater; likewise


class Manifest(msgspec.Struct):
    """What is alive."""

    tables: dict[int, TableFile] = {}  # by number
    log_number: int = 0  # logs from this one on hold what is in no table yet
    previous_log: int = 0  # one more of them, 0 for none
    edits: int = 0  # how many were read


def read_manifest(data: bytes, tell: Tell) -> Manifest:
    """What stands in a manifest; edits that are damaged are left out and told.

    Raises FolderError: keys are in another order than that of their bytes.
    """
    manifest = Manifest()
    for record in read_records(data, tell):
        try:
            for kind, values in _fields(record):
                _take(manifest, kind, values)
            manifest.edits += 1
        except _OtherOrder:
            raise
        except FolderError as error:
            tell(str(error))
    return manifest


class _OtherOrder(FolderError):
    """Keys compare in a way we do not know."""


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
            manifest.tables[number] = TableFile(number, smallest[:-STAMP_BYTES], largest[:-STAMP_BYTES])
        case _:
            pass


FORMS: Final = {1: "b", 2: "n", 3: "n", 4: "n", 5: "nb", 6: "nn", 7: "nnnbb", 9: "n"}
"""Fields of an edit: n a number, b bytes."""


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
    """Files by their path inside the world, with ``/`` between names: ``columns.dat``, ``db/CURRENT``."""

    @property
    def place(self) -> str:
        """Where the world lies, for sentences."""

    @property
    def names(self) -> Collection[str]:
        """All there are."""

    def size(self, name: str) -> int:
        """Bytes of a file. Raises FolderError: it is gone, or may not be read."""

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        """A part of a file, up to its end unless a length is given; shorter where the file ends.

        Raises FolderError: it is gone, may not be read, or is larger than we are willing to hold.
        """


FOLDER: Final = "db/"
CURRENT: Final = "db/CURRENT"
CACHE_BYTES: Final = 64 << 20
"""Of blocks as read, their entries' objects not counted."""
NOTHING: Final = TableBlock(b"", [])
_TABLE: Final = re.compile(r"db/(\d{1,18})\.(?:ldb|sst)")
_LOG: Final = re.compile(r"db/(\d{1,18})\.log")
_MANIFEST: Final = re.compile(r"db/MANIFEST-\d{1,18}")


class Database:
    """See the module.

    ``files``: of the world. Raises FolderError: there is no database, or its keys are in an order that is not known
    here.
    """

    def __init__(self, files: WorldFiles) -> None:
        self.lost: list[str] = []  # what could not be read, one sentence each, in the order it was found
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
        """All keys that have a value, in no order; reads every table."""
        newest = {key: write.stamp for key, write in self._fresh.items()}
        for number in self._tables:
            for place in range(len(self._index(number).handles)):
                for key, stamp in stamps(self._sound_block(number, place)):
                    if newest.get(key, -1) <= stamp:
                        newest[key] = stamp
        return [key for key, stamp in newest.items() if stamp & 0xFF == VALUE]

    def get(self, key: bytes) -> bytes | None:
        """The newest value of one key, None where it has none."""
        return self.scan(key, key + b"\0").get(key)

    # ---------------------------------------------------------------- what is alive

    def _alive(self, logs: dict[int, str]) -> tuple[dict[int, TableFile], list[int]]:
        name = self._manifest_name()
        if name is not None:
            try:
                manifest = read_manifest(self._files.read(name), partial(self._tell, name))
            except FolderError as error:
                raise FolderError(f"{self._files.place}, {name}: {error}") from None
            if manifest.edits:
                self._expect_tables(manifest.tables)
                kept = [n for n in logs if n >= manifest.log_number or n == manifest.previous_log]
                return {n: file for n, file in manifest.tables.items() if n in self._names}, kept
            self._tell(name, "it cannot be read at all")
        self.lost.append("The manifest is missing: all tables are read, including outdated ones.")
        return {number: TableFile(number) for number in self._names}, list(logs)

    def _manifest_name(self) -> str | None:
        """The manifest that CURRENT names, else the newest one."""
        there = sorted(name for name in self._files.names if _MANIFEST.fullmatch(name))
        if CURRENT not in self._files.names:
            self._tell(CURRENT, "it is missing")
        else:
            try:
                said = FOLDER + self._files.read(CURRENT, 0, 64).decode("ascii", "replace").strip()
            except FolderError as error:
                self.lost.append(str(error))
            else:
                if said in there:
                    return said
                self._tell(CURRENT, "it names a manifest that does not exist")
        return max(there, key=lambda name: int(name.rpartition("-")[2]), default=None)

    def _expect_tables(self, tables: dict[int, TableFile]) -> None:
        missing = [number for number in tables if number not in self._names]
        for number in missing:
            self._tell(f"db/{number:06d}.ldb", "the manifest names it, but it is missing")

    def _replay(self, name: str) -> None:
        tell = partial(self._tell, name)
        try:
            data = self._files.read(name)
        except FolderError as error:
            self.lost.append(str(error))
            return
        for record in read_records(data, tell):
            try:
                for write in read_batch(record):
                    known = self._fresh.get(write.key)
                    if known is None or known.stamp <= write.stamp:
                        self._fresh[write.key] = write
            except FolderError as error:
                tell(str(error))

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
        for place in range(index.from_key(first), len(index.handles)):
            yield from writes(self._sound_block(number, place), first, stop)
            if stop is not None and index.last_keys[place] >= stop:
                return

    def _index(self, number: int) -> Index:
        """Of a table; empty for one that cannot be read."""
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

    def _salvaged(self, name: str, read: Read, trouble: str) -> Index:
        """Of a table whose own index cannot be read."""
        try:
            size = self._files.size(name)
            found = index_without_footer(read, size)
        except FolderError:
            found = Index([], [])
        if not found.handles:
            self._tell(name, f"{trouble}; the whole table is lost")
            return found
        end = found.handles[-1].offset + found.handles[-1].size + TRAILER.size
        blocks = "its first block is" if len(found.handles) == 1 else f"its first {len(found.handles)} blocks are"
        self._tell(name, f"{trouble}; {blocks} intact, the rest after byte {end} of {size} is lost")
        return found

    def _sound_block(self, number: int, place: int) -> TableBlock:
        """A block of a table; empty for one that is damaged."""
        handle = self._indices[number].handles[place]
        if (number, handle.offset) in self._damaged:
            return NOTHING
        try:
            return self._block(number, handle)
        except FolderError as error:
            self._damaged.add((number, handle.offset))
            where = _between(self._indices[number].last_keys, place)
            self._tell(self._names[number], f"{handle.size} bytes at {handle.offset}: {error}; {where}")
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

    def _tell(self, name: str, what: str) -> None:
        self.lost.append(f"{name}: {what.removeprefix(f'{name}: ')}.")


def _between(last_keys: list[bytes], place: int) -> str:
    """Which keys a block of a table holds, in words."""
    before = "the first" if place == 0 else _named(last_keys[place - 1])
    return f"it contained the keys from {before} to {_named(last_keys[place])} in the table"


def _named(key: bytes) -> str:
    """A key as users know it: a column's place, a name."""
    column = ColumnKey.read(key)
    if column is None:
        return repr(key[:32])[1:]
    world = f" of dimension {column.dimension}" if column.dimension else ""
    return f"column {column.position.x} {column.position.z}{world}"
