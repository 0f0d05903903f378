"""The publisher's circle: where the server keeps a client's columns up to date (NetworkChunkPublisherUpdate).

``StaleColumns`` marks columns that the server no longer updates; ``MissingColumns`` finds columns that it left out.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.streaming.anchors import Anchor
from client.world.store import Store
from net.arrays import ColumnPositions
from net.space import BlockPos, ColumnPos

if TYPE_CHECKING:
    from client.session.session import Session


class Publisher(msgspec.Struct, frozen=True):
    """The circle in which the server keeps a client's columns up to date."""

    centre: BlockPos  # in blocks
    radius_blocks: int  # of the circle

    def holds(self, columns: npt.NDArray[np.integer], margin: int) -> npt.NDArray[np.bool_]:
        """Which columns lie in the circle, grown by ``margin`` columns, or shrunk where it is negative: bool[n]."""
        away = columns.astype(np.int64) - np.asarray(self.centre.column, np.int64)
        reach = max(self.radius_blocks / 16 + margin, 0.0)
        inside: npt.NDArray[np.bool_] = (away * away).sum(axis=1) <= reach * reach
        return inside


class StaleColumns:
    """One flag a column: whether the server does not update it, so that it may be out of date; owned by the terrain.

    A column outside the publisher's circle is stale: the server sends no changes of it. It is fresh again when it lies
    inside the circle and has been announced again: the server does not repeat what changed meanwhile. Before the first
    circle no column is stale. Only anchors keep stale columns: the others are dropped (``terrain``, rule 6).
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stale = np.zeros(0, np.bool_)
        self.publisher: Publisher | None = None  # the circle, None before the first
        self.sent_outside = 0  # columns of this dimension that came more than one column outside of it

    @property
    def rows(self) -> npt.NDArray[np.bool_]:
        """bool[rows] by the store's rows; read only. Rows without a column are False."""
        rows, known = len(self._store.columns), len(self._stale)
        if known > rows:  # the last column was dropped, and the store's tables shrank
            self._stale = np.zeros(rows, np.bool_)
        elif known < rows:
            self._stale = np.append(self._stale, np.zeros(rows - known, np.bool_))
        return self._stale

    @property
    def columns(self) -> int:
        return int(self.rows.sum())

    def in_circle(self, column: ColumnPos) -> bool | None:
        """Whether a column lies in the circle, announced or not; None before the first circle."""
        return None if self.publisher is None else bool(self.publisher.holds(np.array([column]), 0)[0])

    def reset(self) -> None:
        self._stale = np.zeros(0, np.bool_)
        self.publisher = None
        self.sent_outside = 0

    def publish(self, publisher: Publisher) -> None:
        """Sets a new circle; columns outside become stale."""
        self.publisher = publisher
        rows = self._store.announced_rows
        self.rows[rows[~publisher.holds(self._store.columns[rows], 0)]] = True

    def announced(self, column: ColumnPos) -> None:
        """Updates the flag of a column that came; a column that is not in the store is only counted if outside."""
        row = self._store.row_of.get(column)
        if row is not None:
            self.rows[row] = self.in_circle(column) is False
        if self.publisher is not None and not self.publisher.holds(np.array([column]), 1)[0]:
            self.sent_outside += 1

    def dropped(self, column: ColumnPos) -> None:
        row = self._store.row_of.get(column)
        if row is not None:
            self.rows[row] = False


EDGE_COLUMNS: Final = 1
"""By how much servers differ about the edge of a circle: by the column's corner or middle, with or without the edge."""
NONE: Final[ColumnPositions] = np.zeros((0, 2), np.int32)
Grid = npt.NDArray[np.bool_]
"""[x, z] over a square of columns."""


class MissingColumns:
    """Columns that a server skipped among those that it announced; cached, since overlays read them every frame.

    A server owes the columns within the radius that it granted around the player and, where it sent a circle, in that
    circle. Missing ones that connect to the outside do not count while more may come: during a join, and in flight, all
    of them are still on their way. When no more will come, they count up to ``EDGE_COLUMNS`` inside the circles of the
    granted radius and of the publisher, since servers round circles in their own ways.
    """

    def __init__(self) -> None:
        self._key: Hashable = None
        self._columns = NONE

    def columns(self, session: "Session", *, complete: bool) -> ColumnPositions:
        """int32[n, 2] by x, then z; read only. ``complete``: whether no more will come."""
        store, terrain = session.dimension.store, session.dimension.terrain
        publisher, centre, radius_columns = terrain.staleness.publisher, session.movement.eye.column, session.radius + 1
        key = store, len(store.row_of), terrain.announcements, publisher, centre, radius_columns, complete
        if key != self._key:
            self._key = key
            square, there = Anchor.square(centre, radius_columns).columns(), store.row_of
            known = np.array([(x, z) in there for x, z in square.tolist()])
            owed = ~known if publisher is None else ~known & publisher.holds(square, 0)
            side = 2 * radius_columns + 1
            counts = enclosed(owed.reshape(side, side), known.reshape(side, side)).ravel()
            if complete:
                granted = Publisher(BlockPos(16 * centre.x, 0, 16 * centre.z), 16 * radius_columns).holds(
                    square, -EDGE_COLUMNS
                )
                published = publisher is None or publisher.holds(square, -EDGE_COLUMNS)
                counts |= owed & granted & published
            self._columns = square[counts]
        return self._columns


def enclosed(owed: Grid, known: Grid) -> Grid:
    """Owed columns that known columns cut off from the outside; columns that share a side are connected."""
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
