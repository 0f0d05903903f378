"""Which columns of a store are on the GPU: the visibility manager (seed 002's ``chunkVisibilityDirector``).

Rules:
1. Meshes and block ids are on the GPU for the area of the session's anchors minus one column at the border. So the
   neighbours of every drawn column, on which its faces and light depend, are always in memory.
2. Light is on the GPU for one column more than meshes: a face at the border takes its light from the next column.
3. Columns load at radius r and are released at r + 2, like the anchors (``client.streaming.anchors``), so walking to
   and fro over a border uploads nothing twice.
4. Without anchors every known column is on the GPU, within the limit of rule 5.
5. No column farther than ``REACH_COLUMNS`` from the eye is on the GPU: tables on the GPU span the resident area, and a
   server may announce columns anywhere. The square is centred on the eye again when the eye is more than
   ``SLACK_COLUMNS`` from its middle.
"""

from typing import Final

import msgspec
import numpy as np

from client.streaming.anchors import Anchor, Anchors
from client.world.slots import longer
from client.world.store import Store
from net.arrays import I64, Bools, ColumnPositions
from net.space import BlockPos, ColumnPos
from render.camera import Vector

MESH_MARGIN_COLUMNS: Final = -1
LIGHT_MARGIN_COLUMNS: Final = 0
REACH_COLUMNS: Final = 127
"""For light; meshes reach one column less.

Twice the largest radius, and half of the widest anchor: a side of 255, which fits a table of 256.
"""
SLACK_COLUMNS: Final = 16
FAR: Final = f"Not drawn: it is more than {REACH_COLUMNS + MESH_MARGIN_COLUMNS} columns from the camera"

Rows = I64


class Moves(msgspec.Struct, frozen=True):
    """Rows of announced columns that become resident on the GPU, or stop being so, in one step."""

    appeared: Rows
    vanished: Rows
    lit: Rows
    darkened: Rows


class Residency:
    """The resident columns of one attached store. Owner thread only."""

    def __init__(self, anchors: Anchors | None) -> None:
        """Follows the anchors of a session without changing them; None: every column is wanted."""
        self.anchors = anchors
        self._followed: int | None = None
        self._meshes, self._light = Anchors(), Anchors()
        self._eye: ColumnPos | None = None  # None: the eye is not known yet, and no column counts as near
        self._middle: ColumnPos | None = None
        self.shown: Bools = np.zeros(0, np.bool_)  # bool[rows] with resident meshes and block ids
        self.lit: Bools = np.zeros(0, np.bool_)  # bool[rows] with resident light

    @property
    def anchored(self) -> bool:
        return self.anchors is not None

    @property
    def moved(self) -> bool:
        """Whether the anchors changed since the last ``step``, or the eye went too far from the middle."""
        return self._strayed or (self.anchors is not None and self._followed != self.anchors.revision)

    @property
    def _strayed(self) -> bool:
        eye, middle = self._eye, self._middle
        return eye is not None and (middle is None or eye.chebyshev(middle) > SLACK_COLUMNS)

    def move_eye(self, eye: Vector) -> None:
        """Sets the position of the eye; the next ``step`` applies it."""
        self._eye = BlockPos.containing(*eye).column

    def far(self, columns: ColumnPositions) -> Bools:
        """Columns without meshes because they are too far from the eye: bool[n]. All False while the eye is unknown."""
        if self._middle is None:
            return np.zeros(len(columns), np.bool_)
        return ~self._near(columns, MESH_MARGIN_COLUMNS)

    def _near(self, columns: ColumnPositions, grown: int) -> Bools:
        if self._middle is None:
            return np.zeros(len(columns), np.bool_)
        return Anchor.square(self._middle, REACH_COLUMNS + grown).holds(columns)

    def resize(self, rows: int) -> None:
        self.shown, self.lit = longer(self.shown, rows), longer(self.lit, rows)

    def restart(self) -> None:
        """Marks every row as not resident: the store numbers its rows anew."""
        self.shown[:] = self.lit[:] = False

    def switch(self, anchors: Anchors | None) -> None:
        """Follows other anchors from the next step on; rows and columns keep their state."""
        self.anchors, self._followed = anchors, None

    def came(self, world: Store, rows: Rows) -> None:
        columns = world.columns[rows]
        self.shown[rows] = self._wanted(self._meshes, MESH_MARGIN_COLUMNS, columns)
        self.lit[rows] = self._wanted(self._light, LIGHT_MARGIN_COLUMNS, columns)

    def went(self, rows: Rows) -> None:
        self.shown[rows] = self.lit[rows] = False

    def step(self, world: Store) -> Moves | None:
        """Applies anchors and eye; None: both are as before. Call it after ``came`` and ``went`` of all rows."""
        if not self.moved:
            return None
        if self._strayed:
            self._middle = self._eye
        if self.anchors is not None:
            self._followed = self.anchors.revision
        rows = np.fromiter(world.row_of.values(), np.int64, len(world.row_of))
        rows.sort()
        appeared, vanished = self._apply(self._meshes, MESH_MARGIN_COLUMNS, self.shown, world, rows)
        lit, darkened = self._apply(self._light, LIGHT_MARGIN_COLUMNS, self.lit, world, rows)
        return Moves(appeared, vanished, lit, darkened)

    def _apply(self, own: Anchors, grown: int, there: Bools, world: Store, rows: Rows) -> tuple[Rows, Rows]:
        if self.anchors is not None:
            own.follow(self.anchors, grown)
            own.drain()
        wanted = self._wanted(own, grown, world.columns[rows])
        come, go = rows[wanted & ~there[rows]], rows[~wanted & there[rows]]
        there[come], there[go] = True, False
        return come, go

    def _wanted(self, own: Anchors, grown: int, columns: ColumnPositions) -> Bools:
        near = self._near(columns, grown)
        return near if self.anchors is None else near & own.loaded(columns)
