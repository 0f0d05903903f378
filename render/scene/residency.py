"""Which columns of a store are on the GPU: the visibility manager (seed 002's ``chunkVisibilityDirector``).

Rules:
1. Meshes and block ids are there for what the session's anchors hold, one column smaller: so the neighbours of what is
   drawn, which its faces and its light depend on, are always in memory.
2. Light is there for one column more than meshes: a face at the border takes its light from the column beside.
3. Load at r, release at r + 2, like the anchors it follows (``client.streaming.anchors``): walking to and fro over a
   border uploads nothing twice.
4. Without anchors everything that is known is there.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.streaming.anchors import Anchors
from net.frozen import frozen
from net.space.layout import ColumnPositions
from net.space.positions import ColumnPos
from render.scene.world import World

MESH_MARGIN_COLUMNS: Final = -1
LIGHT_MARGIN_COLUMNS: Final = 0

Rows = npt.NDArray[np.int64]


@frozen
class Moves:
    """Rows of announced columns that come to the GPU or leave it in one step."""

    appeared: Rows
    vanished: Rows
    lit: Rows
    darkened: Rows


NOBODY: Final[Rows] = np.zeros(0, np.int64)
NO_MOVES: Final = Moves(NOBODY, NOBODY, NOBODY, NOBODY)


class Residency:
    """One attached store's columns on the GPU. Owner thread only.

    Attributes:
        shown: bool[rows] whose meshes and block ids are there.
        lit: bool[rows] whose light is there.
    """

    def __init__(self, anchors: Anchors | None) -> None:
        """Follows a session's anchors, which stay its own; None for everything."""
        self._anchors = anchors
        self._followed: int | None = None
        self._meshes, self._light = Anchors(), Anchors()
        self.shown: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.lit: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)

    @property
    def anchors(self) -> Anchors | None:
        """What is followed."""
        return self._anchors

    @property
    def anchored(self) -> bool:
        """Whether anchors say what is there."""
        return self._anchors is not None

    @property
    def moved(self) -> bool:
        """Whether the anchors changed since the last ``step``."""
        return self._anchors is not None and self._followed != self._anchors.revision

    def fit(self, rows: int) -> None:
        """Makes room for a store of so many rows."""
        more = rows - len(self.shown)
        if more > 0:
            self.shown = np.append(self.shown, np.zeros(more, np.bool_))
            self.lit = np.append(self.lit, np.zeros(more, np.bool_))

    def restart(self) -> None:
        """Another numbering of rows: none is there."""
        self.shown[:] = self.lit[:] = False

    def turn(self, anchors: Anchors | None) -> None:
        """Follows other anchors, from the next step on; rows and columns are as they were."""
        self._anchors, self._followed = anchors, None

    def came(self, world: World, rows: Rows) -> None:
        """Columns were announced."""
        columns = world.columns[rows]
        everything = self._anchors is None
        self.shown[rows] = everything or self._meshes.loaded(columns)
        self.lit[rows] = everything or self._light.loaded(columns)

    def went(self, rows: Rows) -> None:
        """Columns are there no longer."""
        self.shown[rows] = self.lit[rows] = False

    def step(self, world: World) -> Moves:
        """Follows the anchors; call it once a step, when all rows that came and went are told."""
        if self._anchors is None or not self.moved:
            return NO_MOVES
        self._followed = self._anchors.revision
        appeared, vanished = self._turn(self._meshes, MESH_MARGIN_COLUMNS, self.shown, world)
        lit, darkened = self._turn(self._light, LIGHT_MARGIN_COLUMNS, self.lit, world)
        return Moves(appeared, vanished, lit, darkened)

    def _turn(self, own: Anchors, grown: int, there: npt.NDArray[np.bool_], world: World) -> tuple[Rows, Rows]:
        assert self._anchors is not None
        own.follow(self._anchors, grown)
        drained = own.drain()
        come, go = _rows_at(world, drained.to_load), _rows_at(world, drained.to_release)
        come, go = come[~there[come]], go[there[go]]
        there[come], there[go] = True, False
        return come, go


def _rows_at(world: World, columns: ColumnPositions) -> Rows:
    """Rows of those columns that are announced."""
    rows = (world.row_of.get(ColumnPos(x, z), 0) for x, z in columns.tolist())
    return np.array([row for row in rows if row], np.int64)
