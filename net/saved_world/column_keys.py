"""Keys of columns (ecosystem.md 5).

    key = i32 x | i32 z | i32 dimension, absent in the overworld | u8 tag | i8 section, of sub-chunks alone

The games keep names (``~local_player``, ``BiomeData``, ``map_...``) and actors (``digp``, ``actorprefix``) in the same
map: a key is a column's when its length, its tag and its place make sense.
"""

import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

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
