"""Columns that a server left out amid those that it announced: holes of which nothing else is known.

Rules:
1. A server owes what lies within the radius that it granted around the player and, where it named a circle, in that.
2. What hangs together with the outside of that is no hole: a world ends somewhere, servers round circles in their own
   ways, and while a player joins all of it is on its way.
"""

from collections.abc import Hashable
from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.publisher import Publisher
from client.streaming.anchor import Anchor
from client.world.store import Store
from net.space.layout import ColumnPositions
from net.space.positions import ColumnPos

NONE: Final[ColumnPositions] = np.zeros((0, 2), np.int32)
Grid = npt.NDArray[np.bool_]
"""[x, z] over a square of columns."""


class Unsent:
    """Works them out again only where something of it changed, since overlays ask every frame."""

    def __init__(self) -> None:
        """Nothing was asked."""
        self._key: Hashable = None
        self._columns = NONE

    def columns(
        self, store: Store, publisher: Publisher | None, centre: ColumnPos, radius_columns: int, announcements: int
    ) -> ColumnPositions:
        """int32[n, 2] by x, then z; not to be written.

        Args:
            store: what is announced.
            publisher: the circle; None where none was named.
            centre: the player's column.
            radius_columns: what was granted.
            announcements: how many there were so far; with the number of columns it says whether any came or went.
        """
        key = store, len(store.row_of), announcements, publisher, centre, radius_columns
        if key != self._key:
            self._key = key
            square, there = Anchor.square(centre, radius_columns).columns(), store.row_of
            known = np.array([(x, z) in there for x, z in square.tolist()])
            owed = ~known if publisher is None else ~known & publisher.holds(square, 0)
            side = 2 * radius_columns + 1
            self._columns = square[enclosed(owed.reshape(side, side), known.reshape(side, side)).ravel()]
        return self._columns


def enclosed(owed: Grid, known: Grid) -> Grid:
    """Which of those that are owed no way leads to from outside, but over what is known; neighbours share a side."""
    outside = np.pad(~owed & ~known, 1, constant_values=True)
    wall = np.pad(~owed, 1, constant_values=True)
    while True:
        grown = outside.copy()
        grown[1:] |= outside[:-1]
        grown[:-1] |= outside[1:]
        grown[:, 1:] |= outside[:, :-1]
        grown[:, :-1] |= outside[:, 1:]
        grown &= ~wall | outside
        if (grown == outside).all():
            return owed & ~outside[1:-1, 1:-1]
        outside = grown
