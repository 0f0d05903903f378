"""Positions and dimensions. Imports no other module of ours and no NumPy, so that a command line is read fast.

Directions are numbered -x, +x, -z, +z, -y, +y: 0..5; the opposite of d is d ^ 1.

Places. A store numbers the sub-chunks it can hold: place = row * sections + section, a row being a column. Row 0
belongs to no column; its first places represent the outside.

Positions: only this module converts between units.
1. Every position is a named tuple of integers; floats belong to eyes and cameras. Many are an ``int32[n, 3]``.
2. Axes: x east, y up, z south. Division rounds down, so -1 lies in sub-chunk -1.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

BLOCKS_PER_SUBCHUNK: Final = 4096
COLUMN_AREA: Final = 256
UNKNOWN_BIOME: Final = 65535
FARTHEST_COLUMN: Final = 1 << 27  # blocks of columns from here on have coordinates that do not fit the wire's 32 bits

UNLOADED_PLACE: Final = 0  # no such column: obstructing, dark
ABOVE_PLACE: Final = 1  # above the dimension's roof: open, daylight if the dimension has a sky
BELOW_PLACE: Final = 2  # below its floor: open, dark

DIRECTIONS: Final = ((-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0))
"""(dx, dy, dz) of the six directions."""


class Dimension(msgspec.Struct, frozen=True):
    """One dimension's vertical range and sky."""

    number: int  # the wire's id: 0, 1, 2 or a custom one
    name: str  # as users type it
    floor_section: int  # absolute y of the lowest sub-chunk, for example -4
    sections: int  # number of sub-chunks in a column, 3..256
    has_sky: bool  # whether daylight enters from above

    @property
    def roof_section(self) -> int:
        """One above the highest sub-chunk."""
        return self.floor_section + self.sections

    @property
    def floor_y_blocks(self) -> int:
        return self.floor_section * 16

    @property
    def roof_y_blocks(self) -> int:
        """One above the highest block."""
        return self.roof_section * 16

    def holds_section(self, section: int) -> bool:
        """Whether an absolute sub-chunk y lies inside."""
        return self.floor_section <= section < self.roof_section


OVERWORLD: Final = Dimension(0, "overworld", -4, 24, True)
NETHER: Final = Dimension(1, "nether", 0, 8, False)
END: Final = Dimension(2, "end", 0, 16, False)

IDENTIFIERS: Final = {0: "minecraft:overworld", 1: "minecraft:nether", 2: "minecraft:the_end"}
"""Names of the dimensions in DimensionData."""
VANILLA: Final = {d.number: d for d in (OVERWORLD, NETHER, END)}


def by_number(number: int) -> Dimension:
    """The dimension of a wire number; an unknown one gets the overworld's height."""
    return VANILLA.get(number) or Dimension(number, str(number), OVERWORLD.floor_section, OVERWORLD.sections, True)


def coordinates(position: Iterable[float], decimals: int = 0) -> str:
    """A position as users read and write it everywhere: ``X,Y,Z``, or ``X,Z`` of a column."""
    return ",".join(f"{round(axis, decimals) + 0:.{decimals}f}" for axis in position)  # + 0: there is no -0


class ColumnPos(NamedTuple):
    """A column of sub-chunks: 16 x 16 blocks, the whole height of the dimension. Unit: 16 blocks."""

    x: int
    z: int

    def chebyshev(self, other: "ColumnPos") -> int:
        """Distance in columns: a square of radius r holds all at most r away."""
        return max(abs(self.x - other.x), abs(self.z - other.z))


class SubChunkPos(NamedTuple):
    """A sub-chunk: 16 x 16 x 16 blocks. Unit: 16 blocks; y is absolute, -4 is y -64..-49."""

    x: int
    y: int
    z: int

    @property
    def column(self) -> ColumnPos:
        return ColumnPos(self.x, self.z)

    @property
    def cell(self) -> "CellPos":
        """The render cell that holds it."""
        return CellPos(self.x, self.y >> 1, self.z)

    @property
    def origin(self) -> "BlockPos":
        return BlockPos(self.x << 4, self.y << 4, self.z << 4)


class CellPos(NamedTuple):
    """A render cell: 16 x 32 x 16 blocks. Unit: 16 blocks in x and z, 32 in y; cell y = block y >> 5."""

    x: int
    y: int
    z: int

    @property
    def origin(self) -> "BlockPos":
        return BlockPos(self.x << 4, self.y << 5, self.z << 4)


class BlockPos(NamedTuple):
    """A block."""

    x: int
    y: int
    z: int

    @classmethod
    def containing(cls, x: float, y: float, z: float) -> "BlockPos":
        """The block that holds a point in the world."""
        return cls(int(x // 1), int(y // 1), int(z // 1))

    @property
    def subchunk(self) -> SubChunkPos:
        return SubChunkPos(self.x >> 4, self.y >> 4, self.z >> 4)

    @property
    def column(self) -> ColumnPos:
        return ColumnPos(self.x >> 4, self.z >> 4)

    @property
    def in_subchunk(self) -> int:
        """Its index in its sub-chunk: ``x << 8 | z << 4 | y`` of the low four bits each."""
        return (self.x & 15) << 8 | (self.z & 15) << 4 | (self.y & 15)
