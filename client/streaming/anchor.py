"""One rectangle of columns: what an anchor holds. Plain geometry; ``client.streaming.anchors`` says what it is for.

Corners may lie outside any world, and a rectangle may hold nothing: whoever counts columns asks ``common`` with WORLD.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import ColumnPositions
from net.space.positions import BlockPos, ColumnPos

FARTHEST_COLUMN: Final = 1 << 27
"""A column from here on would hold blocks whose coordinates do not fit the wire's 32 bits."""


@frozen
class Anchor:
    """A rectangle of columns, both corners included; it holds nothing where a low corner is above a high one.

    Attributes:
        low: the corner with the smallest x and z.
        high: the corner with the largest.
    """

    low: ColumnPos
    high: ColumnPos

    @classmethod
    def square(cls, centre: ColumnPos, radius: int) -> "Anchor":
        """All columns at most ``radius`` away, Chebyshev."""
        return cls.rectangle(centre, radius, radius)

    @classmethod
    def rectangle(cls, centre: ColumnPos, radius_x: int, radius_z: int) -> "Anchor":
        """All columns at most so far away along each axis."""
        return cls(
            ColumnPos(centre.x - radius_x, centre.z - radius_z), ColumnPos(centre.x + radius_x, centre.z + radius_z)
        )

    @classmethod
    def around_box(cls, low: BlockPos, high: BlockPos, margin: int = 0) -> "Anchor":
        """The columns of a box of blocks (upper corner exclusive), and ``margin`` columns more on each side."""
        first, last = low.column, BlockPos(high.x - 1, high.y - 1, high.z - 1).column
        return cls(ColumnPos(first.x - margin, first.z - margin), ColumnPos(last.x + margin, last.z + margin))

    @property
    def size(self) -> tuple[int, int]:
        """Columns along x and z, 0 where it holds nothing."""
        return max(self.high.x - self.low.x + 1, 0), max(self.high.z - self.low.z + 1, 0)

    @property
    def centre(self) -> ColumnPos:
        """The column in its middle, the higher of two."""
        return ColumnPos(self.low.x + self.high.x + 1 >> 1, self.low.z + self.high.z + 1 >> 1)

    @property
    def count(self) -> int:
        """How many columns it holds."""
        return self.size[0] * self.size[1]

    def grown(self, columns: int) -> "Anchor":
        """The same anchor, larger on each side, or smaller where ``columns`` is negative."""
        low, high = self.low, self.high
        return Anchor(ColumnPos(low.x - columns, low.z - columns), ColumnPos(high.x + columns, high.z + columns))

    def common(self, other: "Anchor") -> "Anchor":
        """What both hold."""
        low = ColumnPos(max(self.low.x, other.low.x), max(self.low.z, other.low.z))
        return Anchor(low, ColumnPos(min(self.high.x, other.high.x), min(self.high.z, other.high.z)))

    def without(self, other: "Anchor") -> tuple["Anchor", ...]:
        """What this one holds and the other does not: at most four rectangles that do not overlap."""
        hole = self.common(other)
        if not hole.count:
            return (self,) if self.count else ()
        low, high = self.low, self.high
        parts = (
            Anchor(low, ColumnPos(hole.low.x - 1, high.z)),
            Anchor(ColumnPos(hole.low.x, low.z), ColumnPos(hole.high.x, hole.low.z - 1)),
            Anchor(ColumnPos(hole.low.x, hole.high.z + 1), ColumnPos(hole.high.x, high.z)),
            Anchor(ColumnPos(hole.high.x + 1, low.z), high),
        )
        return tuple(part for part in parts if part.count)

    def holds(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which of the columns lie inside: bool[n]."""
        x, z = columns[:, 0], columns[:, 1]
        inside: npt.NDArray[np.bool_] = (x >= self.low.x) & (x <= self.high.x) & (z >= self.low.z) & (z <= self.high.z)
        return inside

    def columns(self) -> ColumnPositions:
        """All of them, x first: int32[n, 2]."""
        xs = np.arange(self.low.x, self.high.x + 1, dtype=np.int32)
        zs = np.arange(self.low.z, self.high.z + 1, dtype=np.int32)
        return np.stack(np.meshgrid(xs, zs, indexing="ij"), axis=-1).reshape(-1, 2)


NOTHING: Final = Anchor(ColumnPos(0, 0), ColumnPos(-1, -1))
WORLD: Final = Anchor.square(ColumnPos(0, 0), FARTHEST_COLUMN - 1)
