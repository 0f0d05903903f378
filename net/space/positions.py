"""Positions: the only place where one unit is turned into another.

Rules:
1. Every position is a named tuple of integers; floats belong to eyes and cameras, not to places.
2. Axes: x east, y up, z south. Division rounds down, so -1 lies in sub-chunk -1.
3. One thing is a named tuple, many things are an ``int32[n, 3]`` (see ``layout``).
"""

from typing import NamedTuple


class ColumnPos(NamedTuple):
    """A column of sub-chunks: 16 x 16 blocks, the whole height of the dimension. Unit: 16 blocks."""

    x: int
    z: int

    def chebyshev(self, other: "ColumnPos") -> int:
        """Distance in columns as anchors count it: a square of radius r holds all at most r away."""
        return max(abs(self.x - other.x), abs(self.z - other.z))


class SubChunkPos(NamedTuple):
    """A sub-chunk: 16 x 16 x 16 blocks. Unit: 16 blocks; y is absolute, -4 is y -64..-49."""

    x: int
    y: int
    z: int

    @property
    def column(self) -> ColumnPos:
        """The column that holds it."""
        return ColumnPos(self.x, self.z)

    @property
    def cell(self) -> "CellPos":
        """The render cell that holds it."""
        return CellPos(self.x, self.y >> 1, self.z)

    @property
    def origin(self) -> "BlockPos":
        """Its lowest block."""
        return BlockPos(self.x << 4, self.y << 4, self.z << 4)


class CellPos(NamedTuple):
    """A render cell: 16 x 32 x 16 blocks. Unit: 16 blocks in x and z, 32 in y; cell y = block y >> 5."""

    x: int
    y: int
    z: int

    @property
    def origin(self) -> "BlockPos":
        """Its lowest block."""
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
        """The sub-chunk that holds it."""
        return SubChunkPos(self.x >> 4, self.y >> 4, self.z >> 4)

    @property
    def column(self) -> ColumnPos:
        """The column that holds it."""
        return ColumnPos(self.x >> 4, self.z >> 4)

    @property
    def in_subchunk(self) -> int:
        """Its index in its sub-chunk: ``x << 8 | z << 4 | y`` of the low four bits each."""
        return (self.x & 15) << 8 | (self.z & 15) << 4 | (self.y & 15)
