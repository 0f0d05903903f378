"""Meshes in the order they are drawn in: plain arrays, no GL.

Rules:
1. Cells are ordered by the distance of their middles from the eye's spot, equal distances by position: the order of
   arrival shows in no picture.
2. Faces that look away are left out by whole groups: a cell's eastern faces cannot be seen from west of the cell.

Theory. Every cell that a ray enters must come later than those it left. One step of a ray leaves a cell by a face; the
next cell's middle is farther from a point, if that point is before the face. The eye is before it or on it, and so is
any point inside of the cell that holds the eye, wherever there. So one order serves all eyes of a spot, the cube that
parts a cell evenly: an eye that walks sorts again every few blocks, and never wrongly between.
"""

from dataclasses import field
from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from render.mesh.quads import CUBE_GROUPS, CUBE_WORDS, GROUPS, MODEL_WORDS, Group
from render.passes.blend_order import BlendOrder
from render.passes.list_kernels import BUCKETS, PAGE, arrange, order_cells

CELL_SIZE = np.array([16, 32, 16], np.int64)
SPOT_BLOCKS: Final = 8
"""Of a spot, along each axis. Smaller ones hide more of what is solid behind what is nearer, and last shorter."""

Cells = npt.NDArray[np.int32]
"""[n, 3] positions of render cells."""
Counts = npt.NDArray[np.int32]
"""[n, 11] quads by ``render.mesh.quads.Group``."""
Vector64 = npt.NDArray[np.int64]
Vector = tuple[float, float, float]


@frozen
class MeshTable:
    """Where meshes lie, by number; whoever owns it writes to it.

    A mesh is one row, of one cache line where the array begins right: looks read few of many.

    Attributes:
        rows: int32[m, ``ROW``], as ``list_kernels.ROW`` says.
        page_units: units of a page.
        order: of the translucent quads of those that need one.
    """

    rows: npt.NDArray[np.int32]
    page_units: int
    order: BlendOrder = field(default_factory=BlendOrder)

    def meshes(self, numbers: Vector64) -> tuple[Vector64, Counts]:
        """First units and quads by group of some."""
        rows = self.rows[numbers]
        return rows[:, PAGE].astype(np.int64) * self.page_units, rows[:, :GROUPS]


@frozen
class CellOrder:
    """Cells as the eyes of one spot see them, nearest first.

    Attributes:
        cells: [n, 3].
        rows: [n] number of each one's mesh in a ``MeshTable``.
        middles: float64[3, n] where their middles are from there, in blocks.
        spot: where they are seen from, in blocks: ``spot_of`` the eye.
    """

    cells: Cells
    rows: Vector64
    middles: npt.NDArray[np.float64]
    spot: Vector

    @classmethod
    def of(cls, cells: Cells, rows: Vector64, spot: Vector) -> "CellOrder":
        """Puts cells in order: int32[n, 3], each once, and the numbers of their meshes."""
        placed, put, middles = np.empty_like(cells), np.empty_like(rows), np.empty((3, len(rows)))
        arrange(nearest_first(cells, spot), cells, rows, *spot, placed, put, middles)
        return cls(placed, put, middles, spot)


@frozen
class DrawList:
    """Meshes, nearest first.

    Attributes:
        cells: [n, 3].
        first_units: [n] unit of the arena where each mesh begins.
        counts: [n, 11] its quads by group.
        eye: where they are looked at from, in blocks: the camera's position, or one that sees the same sides.
    """

    cells: Cells
    first_units: Vector64
    counts: Counts
    eye: Vector

    def group(self, group: Group) -> tuple[Vector64, Vector64]:
        """First units and quads of one group of every mesh, nearest first."""
        before = self.counts[:, :group].sum(axis=1, dtype=np.int64)
        return self.first_units + before, self.counts[:, group].astype(np.int64)

    def opaque(self) -> tuple[Vector64, Vector64]:
        """First units and quads of the opaque faces that can look at the eye, nearest cell first."""
        starts = np.zeros((len(self.cells), 6), np.int64)
        starts[:, 1:] = np.cumsum(self.counts[:, :5], axis=1)
        starts += self.first_units[:, None]
        quads = np.where(self._facing(), self.counts[:, :6], 0).astype(np.int64)
        return starts.ravel(), quads.ravel()

    def translucent(self) -> tuple[Vector64, Vector64]:
        """First units and quads of translucent and liquid faces, farthest cell first."""
        before = self.counts[:, : Group.TRANSLUCENT].sum(axis=1, dtype=np.int64)
        quads = self.counts[:, Group.TRANSLUCENT : Group.LIQUID + 1].sum(axis=1, dtype=np.int64)
        return (self.first_units + before)[::-1], quads[::-1]

    def slopes(self) -> tuple[Vector64, Vector64]:
        """First units and quads of liquids that slope, farthest cell first."""
        first, models = self.models()
        before = first + models * (MODEL_WORDS // CUBE_WORDS)
        return before[::-1], self.counts[::-1, Group.SLOPE].astype(np.int64)

    def models(self) -> tuple[Vector64, Vector64]:
        """First units and quads of the models, nearest first."""
        before = self.counts[:, :CUBE_GROUPS].sum(axis=1, dtype=np.int64)
        return self.first_units + before, self.counts[:, Group.MODEL].astype(np.int64)

    def _facing(self) -> npt.NDArray[np.bool_]:
        low = self.cells * CELL_SIZE
        high = low + CELL_SIZE
        x, y, z = self.eye
        return np.stack(
            [x < high[:, 0], x > low[:, 0], z < high[:, 2], z > low[:, 2], y < high[:, 1], y > low[:, 1]], axis=1
        )


def spot_of(eye: Vector) -> Vector:
    """The middle of the eye's spot, in blocks."""
    x, y, z = ((e // SPOT_BLOCKS + 0.5) * SPOT_BLOCKS for e in eye)
    return x, y, z


def nearest_first(cells: Cells, point: Vector) -> Vector64:
    """The order that puts cells by distance from a point, in blocks, then by position."""
    order = np.empty(len(cells), np.int64)
    distance, heads = np.empty(len(cells)), np.empty(BUCKETS + 1, np.int32)
    order_cells(np.ascontiguousarray(cells, np.int32), *point, distance, heads, order)
    return order
