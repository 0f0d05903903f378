"""Columns of a world folder as saved bytes, and ``level.dat``.

Rules:
1. A column exists if it has a version or any sub-chunk; sections that were not saved are then air.
2. Bytes are passed on unchanged; ``net.subchunk`` decodes them. Names of blocks are those of the version that saved
   them.
3. An unreadable ``level.dat`` is reported in ``lost``; the columns are still readable.

``level.dat``: u32 version of the form | u32 length | a compound of the disk's NBT.
"""

import struct
from typing import Final

import msgspec

from net.errors import DecodeError, FolderError, LimitExceeded
from net.nbt import DISK, Compound, read_root
from net.saved_world.leveldb import ColumnKey, Database, Tag, WorldFiles, column_prefix, columns_among
from net.space import ColumnPos
from net.wire.cursor import Reader

HEADER: Final = struct.Struct("<II")
NOWHERE_Y: Final = 32767
"""The spawn's y if its height has not been determined yet."""
LEVEL_BYTES: Final = 16 << 20


class Level(msgspec.Struct, frozen=True):
    """The values of ``level.dat`` that are used."""

    name: str = ""  # of the world
    spawn: tuple[int, int | None, int] = (0, None, 0)  # block x, y, z; y None if the ground was not determined
    time: int = 6000  # of day in ticks; not limited to one day
    version: tuple[int, ...] = ()  # of the game that opened it last: 1, 21, 72, 1, 0; empty if unknown


def read_level(data: bytes) -> Level:
    """Reads ``level.dat``; missing values have ``Level``'s defaults. Raises FolderError: it is invalid."""
    if len(data) < HEADER.size:
        raise FolderError(f"{len(data)} bytes are too few")
    try:
        root = read_root(Reader(data, "level.dat", HEADER.size), DISK)
    except (DecodeError, LimitExceeded) as error:
        raise FolderError(str(error)) from None
    x, y, z = (_place(root, key, unsaid) for key, unsaid in (("SpawnX", 0), ("SpawnY", NOWHERE_Y), ("SpawnZ", 0)))
    name, version = root.get("LevelName"), root.get("lastOpenedWithVersion")
    return Level(
        name=name.encode(errors="replace").decode() if isinstance(name, str) else "",
        spawn=(x, None if y == NOWHERE_Y else y, z),
        time=_whole(root, "Time", 6000),
        version=tuple(n for n in version if isinstance(n, int)) if isinstance(version, list) else (),
    )


def _place(root: Compound, key: str, unsaid: int) -> int:
    value = _whole(root, key, unsaid)
    return value if -(1 << 31) <= value < 1 << 31 else unsaid  # a Long may exceed any block position


def _whole(root: Compound, key: str, unsaid: int) -> int:
    value = root.get(key)
    return int(value) if isinstance(value, int) else unsaid


LEVEL: Final = "level.dat"
LEVEL_BEFORE: Final = "level.dat_old"


class SavedColumn(msgspec.Struct):
    """The saved bytes of one column; b"" for what was not saved."""

    version: int | None = None  # of the column's format, None if not saved
    subchunks: dict[int, bytes] = {}  # by absolute section
    biomes: bytes = b""  # heights and storages of sections
    surface_biomes: bytes = b""  # heights and 256 biomes
    biomes_of_old: bytes = b""  # heights and 256 biomes with colours
    whole_terrain: bytes = b""  # of a column 128 high
    extra_blocks: bytes = b""  # second blocks at a position
    block_entities: bytes = b""  # concatenated compounds


class Folder:
    """A world folder; see the module. ``files``: of the world. Raises FolderError: it is not a world."""

    def __init__(self, files: WorldFiles) -> None:
        if LEVEL not in files.names and not any(name.startswith("db/") for name in files.names):
            raise FolderError(f"{files.place} is not a world: it has neither level.dat nor a folder 'db'")
        self._database = Database(files)
        self.level = self._level(files)

    @property
    def lost(self) -> list[str]:
        """What could not be read so far, one sentence each."""
        return self._database.lost

    def columns(self, dimension: int = 0) -> list[ColumnPos]:
        """The columns of a dimension, by position; reads the keys of every table."""
        return sorted(columns_among(self._database.all_keys(), dimension))

    def dimensions(self) -> list[int]:
        """The dimensions that have columns; reads the keys of every table."""
        found = (ColumnKey.read(key) for key in self._database.all_keys())
        return sorted({key.dimension for key in found if key and key.tag in (Tag.SUBCHUNK, Tag.WHOLE_TERRAIN)})

    def column(self, dimension: int, position: ColumnPos) -> SavedColumn | None:
        """A column; None if it was not saved."""
        prefix = column_prefix(dimension, position)
        column = SavedColumn()
        for key, value in self._database.scan(prefix, prefix + b"\xff" * 8).items():
            meaning = ColumnKey.read(key)
            if meaning is not None and meaning.dimension == dimension:
                _put(column, meaning, value)
        return column if column.version is not None or column.subchunks or column.whole_terrain else None

    def _level(self, files: WorldFiles) -> Level:
        for name in (LEVEL, LEVEL_BEFORE):
            if name not in files.names:
                self.lost.append(f"{name} is missing.")
                continue
            try:
                return read_level(files.read(name, 0, LEVEL_BYTES))
            except FolderError as error:
                self.lost.append(f"{name}: {error}.")
        return Level()


def _put(column: SavedColumn, key: ColumnKey, value: bytes) -> None:
    match key.tag:
        case Tag.SUBCHUNK if key.section is not None:
            column.subchunks[key.section] = value
        case Tag.VERSION | Tag.OLD_VERSION:
            column.version = value[0] if value else 0
        case Tag.BIOMES_3D:
            column.biomes = value
        case Tag.BIOMES_2D:
            column.surface_biomes = value
        case Tag.BIOMES_OF_OLD:
            column.biomes_of_old = value
        case Tag.WHOLE_TERRAIN:
            column.whole_terrain = value
        case Tag.EXTRA_BLOCKS:
            column.extra_blocks = value
        case Tag.BLOCK_ENTITIES:
            column.block_entities = value
        case _:
            pass
