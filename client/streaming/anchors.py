"""Anchors: which columns are wanted near, and for how many reasons.

An anchor holds the columns of a rectangle (a square, mostly). The player is one; ``dump`` pins another one on its box.
A column is held while at least one anchor holds it, so two anchors that overlap do not drop each other's ground.

Theory: seed 002's ``ChunkAnchor_Rectangle``, and the rule "load at r, release at r + 2" (interfaces.md), which keeps a
player who walks to and fro over a border from dropping and asking the same columns again and again.

Limits: the whole set is re-read on each question; anchors are few.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from net.space.layout import ColumnPositions
from net.space.positions import BlockPos, ColumnPos

RELEASE_MARGIN_COLUMNS = 2
"""A column that an anchor loaded is released this much further out."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A rectangle of columns, both corners included.

    Attributes:
        low: the corner with the smallest x and z.
        high: the corner with the largest.
    """

    low: ColumnPos
    high: ColumnPos

    @classmethod
    def square(cls, centre: ColumnPos, radius: int) -> "Anchor":
        """All columns at most ``radius`` away, Chebyshev."""
        return cls(ColumnPos(centre.x - radius, centre.z - radius), ColumnPos(centre.x + radius, centre.z + radius))

    @classmethod
    def around_box(cls, low: BlockPos, high: BlockPos, margin: int = 0) -> "Anchor":
        """The columns of a box of blocks (upper corner exclusive), and ``margin`` columns more on each side."""
        first, last = low.column, BlockPos(high.x - 1, high.y - 1, high.z - 1).column
        return cls(ColumnPos(first.x - margin, first.z - margin), ColumnPos(last.x + margin, last.z + margin))

    def grown(self, columns: int) -> "Anchor":
        """The same anchor, larger on each side."""
        low, high = self.low, self.high
        return Anchor(ColumnPos(low.x - columns, low.z - columns), ColumnPos(high.x + columns, high.z + columns))

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


class Anchors:
    """The set of anchors, by a name each."""

    def __init__(self) -> None:
        self._anchors: dict[str, Anchor] = {}

    def __len__(self) -> int:
        return len(self._anchors)

    def pin(self, name: str, anchor: Anchor) -> None:
        """Adds an anchor, or moves and resizes the one of that name."""
        self._anchors[name] = anchor

    def release(self, name: str) -> None:
        """Takes an anchor away; an unknown name is ignored."""
        self._anchors.pop(name, None)

    def get(self, name: str) -> Anchor | None:
        """The anchor of a name."""
        return self._anchors.get(name)

    def items(self) -> Iterable[tuple[str, Anchor]]:
        """All of them with their names."""
        return self._anchors.items()

    def counts(self, columns: ColumnPositions) -> npt.NDArray[np.int64]:
        """How many anchors hold each column: int64[n]."""
        total = np.zeros(len(columns), np.int64)
        for anchor in self._anchors.values():
            total += anchor.holds(columns)
        return total

    def released(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which of the loaded columns no anchor keeps any longer, its margin included: bool[n]."""
        kept = np.zeros(len(columns), bool)
        for anchor in self._anchors.values():
            kept |= anchor.grown(RELEASE_MARGIN_COLUMNS).holds(columns)
        return ~kept
