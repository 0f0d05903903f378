"""Columns of a world folder, as they were saved.

Rules:
1. A column is there when it has a version, or any sub-chunk; then sections that were not saved are air.
2. Bytes are handed on as they lie there. What they mean is read by ``net.subchunk``; names of blocks are those of the
   version that saved them.
3. A ``level.dat`` that cannot be read is told in ``lost``, and its columns are there all the same.

Level: ``level.dat``: what a world says of itself.

file = u32 version of the form | u32 length | a compound of the disk's NBT
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
"""Of a spawn whose height nobody has looked for yet."""
LEVEL_BYTES: Final = 16 << 20


class Level(msgspec.Struct, frozen=True):
    """What is shown, or needed to be shown."""

    name: str = ""  # of the world
    spawn: tuple[int, int | None, int] = (0, None, 0)  # block x, y, z; y None where nobody has looked for the ground
    time: int = 6000  # of day in ticks; it counts on
    seed: int = 0  # of its generator
    version: tuple[int, ...] = ()  # of the game that opened it last: 1, 21, 72, 1, 0; empty where it does not say


def read_level(data: bytes) -> Level:
    """A level's facts; what it does not say is as in ``Level``. Raises FolderError: it is none."""
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
        seed=_whole(root, "RandomSeed", 0),
        version=tuple(n for n in version if isinstance(n, int)) if isinstance(version, list) else (),
    )


def _place(root: Compound, key: str, unsaid: int) -> int:
    value = _whole(root, key, unsaid)
    return value if -(1 << 31) <= value < 1 << 31 else unsaid  # a Long may say what no block position can


def _whole(root: Compound, key: str, unsaid: int) -> int:
    value = root.get(key)
    return int(value) if isinstance(value, int) else unsaid


LEVEL: Final = "level.dat"
LEVEL_BEFORE: Final = "level.dat_old"


class SavedColumn(msgspec.Struct):
    """One column's bytes."""

    version: int | None = None  # of the column, None where none was saved
    subchunks: dict[int, bytes] = {}  # by absolute section
    biomes: bytes = b""  # heights and storages of sections, b"" where none were saved
    surface_biomes: bytes = b""  # heights and 256 biomes, likewise
    biomes_of_old: bytes = b""  # heights and 256 biomes with colours, likewise
    whole_terrain: bytes = b""  # of a column 128 high, likewise
    extra_blocks: bytes = b""  # second blocks of a place, likewise
    block_entities: bytes = b""  # compounds one after the other
    finalised: int | None = None  # how far the generator got, None where that was not saved


class Folder:
    """See the module. ``files``: of the world. Raises FolderError: it is no world."""

    def __init__(self, files: WorldFiles) -> None:
        if LEVEL not in files.names and not any(name.startswith("db/") for name in files.names):
            raise FolderError(f"{files.place} is not a world: it has neither level.dat nor a folder 'db'")
        self._database = Database(files)
        self.level = self._level(files)  # what it says of itself

    @property
    def lost(self) -> list[str]:
        """What could not be read so far, one sentence each."""
        return self._database.lost

    def columns(self, dimension: int = 0) -> list[ColumnPos]:
        """The columns of a dimension, by position; reads every table's keys."""
        return sorted(columns_among(self._database.all_keys(), dimension))

    def dimensions(self) -> list[int]:
        """Dimensions that hold columns; reads every table's keys."""
        found = (ColumnKey.read(key) for key in self._database.all_keys())
        return sorted({key.dimension for key in found if key and key.tag in (Tag.SUBCHUNK, Tag.WHOLE_TERRAIN)})

    def column(self, dimension: int, position: ColumnPos) -> SavedColumn | None:
        """A column, None where none was saved."""
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
        case Tag.FINALISED:
            column.finalised = int.from_bytes(value[:4], "little", signed=True)
        case _:
            pass
