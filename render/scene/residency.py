"""Which columns of a store are on the GPU: the visibility manager (seed 002's ``chunkVisibilityDirector``).

Rules:
1. Meshes and block ids are there for what the session's anchors hold, one column smaller: so the neighbours of what is
   drawn, which its faces and its light depend on, are always in memory.
2. Light is there for one column more than meshes: a face at the border takes its light from the column beside.
3. Load at r, release at r + 2, like the anchors it follows (``client.streaming.anchors``): walking to and fro over a
   border uploads nothing twice.
4. Without anchors everything that is known is there, as far as rule 5 lets it.
5. Nothing is there that lies more than ``REACH_COLUMNS`` from the eye: tables on the GPU span what is there, and a
   server may announce columns anywhere. The square follows an eye that left its middle by ``SLACK_COLUMNS``.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.streaming.anchors import Anchor, Anchors
from net.space import BlockPos, ColumnPos, ColumnPositions
from render.scene.world import SceneWorld

MESH_MARGIN_COLUMNS: Final = -1
LIGHT_MARGIN_COLUMNS: Final = 0
REACH_COLUMNS: Final = 127
"""Of light; of meshes one less. Twice the largest radius, and half of the widest anchor: a side of 255, which fits a
table of 256."""
SLACK_COLUMNS: Final = 16
FAR: Final = f"Not drawn: it is more than {REACH_COLUMNS + MESH_MARGIN_COLUMNS} columns from the camera"

Rows = npt.NDArray[np.int64]


class Moves(msgspec.Struct, frozen=True):
    """Rows of announced columns that come to the GPU or leave it in one step."""

    appeared: Rows
    vanished: Rows
    lit: Rows
    darkened: Rows


NOBODY: Final[Rows] = np.zeros(0, np.int64)
NO_MOVES: Final = Moves(NOBODY, NOBODY, NOBODY, NOBODY)


class Residency:
    """One attached store's columns on the GPU. Owner thread only."""

    def __init__(self, anchors: Anchors | None) -> None:
        """Follows a session's anchors, which stay its own; None for everything."""
        self._anchors = anchors
        self._followed: int | None = None
        self._meshes, self._light = Anchors(), Anchors()
        self._eye: ColumnPos | None = None  # who looks is not known yet: nothing is near
        self._middle: ColumnPos | None = None
        self.shown: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)  # bool[rows] whose meshes and block ids are there
        self.lit: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)  # bool[rows] whose light is there

    @property
    def anchors(self) -> Anchors | None:
        return self._anchors

    @property
    def anchored(self) -> bool:
        return self._anchors is not None

    @property
    def moved(self) -> bool:
        """Whether the anchors changed since the last ``step``, or the eye went too far from the middle."""
        return self._strayed or (self._anchors is not None and self._followed != self._anchors.revision)

    @property
    def _strayed(self) -> bool:
        eye, middle = self._eye, self._middle
        return eye is not None and (middle is None or eye.chebyshev(middle) > SLACK_COLUMNS)

    def look(self, eye: tuple[float, float, float]) -> None:
        """Who looks is here; ``step`` follows."""
        self._eye = BlockPos.containing(*eye).column

    def far(self, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        """Which columns have no meshes since they lie too far from the eye, where it is known: bool[n]."""
        if self._middle is None:
            return np.zeros(len(columns), np.bool_)
        return ~self._near(columns, MESH_MARGIN_COLUMNS)

    def _near(self, columns: ColumnPositions, grown: int) -> npt.NDArray[np.bool_]:
        if self._middle is None:
            return np.zeros(len(columns), np.bool_)
        return Anchor.square(self._middle, REACH_COLUMNS + grown).holds(columns)

    def resize(self, rows: int) -> None:
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

    def came(self, world: SceneWorld, rows: Rows) -> None:
        """Columns were announced."""
        columns = world.columns[rows]
        self.shown[rows] = self._wanted(self._meshes, MESH_MARGIN_COLUMNS, columns)
        self.lit[rows] = self._wanted(self._light, LIGHT_MARGIN_COLUMNS, columns)

    def went(self, rows: Rows) -> None:
        """Columns are there no longer."""
        self.shown[rows] = self.lit[rows] = False

    def step(self, world: SceneWorld) -> Moves:
        """Follows the anchors and the eye; call it once a step, when all rows that came and went are told."""
        if not self.moved:
            return NO_MOVES
        if self._strayed:
            self._middle = self._eye
        if self._anchors is not None:
            self._followed = self._anchors.revision
        rows = np.fromiter(world.row_of.values(), np.int64, len(world.row_of))
        rows.sort()
        appeared, vanished = self._turn(self._meshes, MESH_MARGIN_COLUMNS, self.shown, world, rows)
        lit, darkened = self._turn(self._light, LIGHT_MARGIN_COLUMNS, self.lit, world, rows)
        return Moves(appeared, vanished, lit, darkened)

    def _turn(
        self, own: Anchors, grown: int, there: npt.NDArray[np.bool_], world: SceneWorld, rows: Rows
    ) -> tuple[Rows, Rows]:
        if self._anchors is not None:
            own.follow(self._anchors, grown)
            own.drain()
        wanted = self._wanted(own, grown, world.columns[rows])
        come, go = rows[wanted & ~there[rows]], rows[~wanted & there[rows]]
        there[come], there[go] = True, False
        return come, go

    def _wanted(self, own: Anchors, grown: int, columns: ColumnPositions) -> npt.NDArray[np.bool_]:
        near = self._near(columns, grown)
        return near if self._anchors is None else near & own.loaded(columns)
