"""Meshes in drawing order, and the runs of quads that one frame draws: plain arrays, no GL.

Rules:
1. Cells are ordered by the distance of their middles from the eye's spot, equal distances by position: the order of
   arrival does not affect the picture. Translucent runs go from far to near.
2. Faces that look away are left out by whole groups: a cell's eastern faces are invisible from west of the cell.
3. Meshes whose quads need an order of their own get it from ``translucent_sort``; the others have one run of cube
   quads and one of model quads.

Theory. A cell must be drawn before (nearer than) every cell that a ray enters after it. A ray leaves a cell through a
face; the middle of the next cell is farther from a point if that point is in front of the face. The eye is in front
of it or on it, and so is every point of the cell that holds the eye. So one order is right for all eyes in a spot (a
cube; spots divide a cell evenly), whichever way they look. A turn of the camera or a step only makes new runs of the
visible meshes. An equal mask, seen from the same sides of blocks, gives the same ``RunList`` object again, which
need not be uploaded again.
"""

from typing import Final

import msgspec
import numpy as np

from net.arrays import F64, I32, I64, Bools
from render.camera import Vector
from render.mesh.vertex_format import CELL_BLOCKS, CUBE_GROUPS, CUBE_WORDS, GROUPS, MODEL_WORDS, Group
from render.passes.draw_list_kernels import BUCKETS, PAGE, ROW, TOTALS, arrange, order_cells, pick_runs, see_cells
from render.passes.translucent_sort import TranslucentSort

MARGIN_BLOCKS: Final = 1.0
"""Margin in blocks: models may extend beyond their block."""
SPOT_BLOCKS: Final = 8
"""Size of a spot along each axis. Smaller spots order solid quads better (more are hidden), but change more often."""

Cells = I32
"""[n, 3] positions of render cells."""
Counts = I32
"""[n, 11] quads by ``render.mesh.vertex_format.Group``."""
Vector64 = I64


class ArenaMeshes(msgspec.Struct, frozen=True):
    """Where meshes are in the arena, one row (a cache line) a mesh, by mesh number; its owner writes to it."""

    rows: I32  # int32[m, ``ROW``], as ``draw_list_kernels.ROW`` says
    page_units: int  # units of a page
    order: TranslucentSort = msgspec.field(default_factory=TranslucentSort)  # of sorted meshes

    def meshes(self, numbers: Vector64) -> tuple[Vector64, Counts]:
        """First units and quads by group of the given rows."""
        rows = self.rows[numbers]
        return rows[:, PAGE].astype(np.int64) * self.page_units, rows[:, :GROUPS]


class CellOrder(msgspec.Struct, frozen=True):
    """Cells ordered for the eyes of one spot, nearest first."""

    cells: Cells  # [n, 3]
    rows: Vector64  # [n] number of each cell's mesh in a ``ArenaMeshes``
    middles: F64  # float64[3, n] their middles relative to the spot, in blocks
    spot: Vector  # the point they are ordered for, in blocks: ``spot_of`` the eye

    @classmethod
    def of(cls, cells: Cells, rows: Vector64, spot: Vector) -> "CellOrder":
        """Orders int32[n, 3] cells, each given once, with the numbers of their meshes."""
        placed, put, middles = np.empty_like(cells), np.empty_like(rows), np.empty((3, len(rows)))
        arrange(nearest_first(cells, spot), cells, rows, *spot, placed, put, middles)
        return cls(placed, put, middles, spot)


class MeshList(msgspec.Struct, frozen=True):
    """Meshes, nearest first."""

    cells: Cells  # [n, 3]
    first_units: Vector64  # [n] unit of the arena where each mesh begins
    counts: Counts  # [n, 11] its quads by group
    eye: Vector  # the point they are seen from, in blocks: the camera's position, or one that sees the same sides

    def group(self, group: Group) -> tuple[Vector64, Vector64]:
        """First units and quads of one group of every mesh, nearest first."""
        before = self.counts[:, :group].sum(axis=1, dtype=np.int64)
        return self.first_units + before, self.counts[:, group].astype(np.int64)

    def opaque(self) -> tuple[Vector64, Vector64]:
        """First units and quads of the opaque faces that can face the eye, nearest cell first."""
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
        """First units and quads of sloping liquids, farthest cell first."""
        first, models = self.models()
        before = first + models * (MODEL_WORDS // CUBE_WORDS)
        return before[::-1], self.counts[::-1, Group.SLOPE].astype(np.int64)

    def models(self) -> tuple[Vector64, Vector64]:
        """First units and quads of the models, nearest first."""
        before = self.counts[:, :CUBE_GROUPS].sum(axis=1, dtype=np.int64)
        return self.first_units + before, self.counts[:, Group.MODEL].astype(np.int64)

    def _facing(self) -> Bools:
        low = self.cells * CELL_BLOCKS
        high = low + CELL_BLOCKS
        x, y, z = self.eye
        return np.stack(
            [x < high[:, 0], x > low[:, 0], z < high[:, 2], z > low[:, 2], y < high[:, 1], y > low[:, 1]], axis=1
        )


def spot_of(eye: Vector) -> Vector:
    """The middle of the eye's spot, in blocks."""
    x, y, z = ((e // SPOT_BLOCKS + 0.5) * SPOT_BLOCKS for e in eye)
    return x, y, z


def nearest_first(cells: Cells, point: Vector) -> Vector64:
    """The order of cells by distance from a point, in blocks, then by position."""
    order = np.empty(len(cells), np.int64)
    distance, heads = np.empty(len(cells)), np.empty(BUCKETS + 1, np.int32)
    order_cells(np.ascontiguousarray(cells, np.int32), *point, distance, heads, order)
    return order


# ---------------------------------------------------------------- frame list

Mask = Bools
Runs = tuple[I32, I32]
"""First units, and quads; each run has at least one quad."""
Blended = tuple[I32, I32, I32]
"""First units, quads, and first indices in ``TranslucentSort.indices``, or ``AS_CUBES`` or ``AS_MODELS``
where the mesh's own order is right. The unit of a sorted mesh is that of its first translucent quad."""
MOST_RUNS: Final = 3
"""Most runs of opaque faces of one mesh: of six consecutive groups, every other one is left out."""


class RunList(msgspec.Struct, frozen=True):
    """The runs of one frame, in drawing order."""

    opaque: Runs  # faces that can face the eye, nearest cell first
    cutout: Runs  # nearest first
    models: Runs  # nearest first
    blended: Blended  # glass and liquids, farthest first
    table: ArenaMeshes  # of the meshes, with their order
    eye: Vector  # the point they are seen from
    cells: int  # number of meshes
    quads: int  # number of their quads, faces that look away included

    @property
    def shines_through(self) -> bool:
        """Whether any of its quads is drawn with blending."""
        return bool(len(self.blended[0]))

    def arrange(self) -> None:
        """Sorts the quads of sorted meshes for this eye again, in case another eye was used since."""
        self.table.order.arrange(self.table.rows, self.eye)


class EyeList:
    """The meshes visible to eyes of one spot, and the result of the last look."""

    def __init__(self, table: ArenaMeshes, order: CellOrder) -> None:
        """Reads ``table`` at each look that shows something else, so it is valid only while no mesh changes."""
        self.order = order  # their cells
        self.shown: Mask = np.zeros(len(order.rows), np.bool_)  # bool[cells] cells of the last look; read-only
        self._table = table
        self._narrowed: RunList | None = None
        self._eye: Vector = order.spot
        self._sides: tuple[object, ...] = ()

    def see(self, planes: F64, eye: Vector, stand: Vector) -> RunList:
        """The meshes inside a frustum; the same object while they and their visible sides are the same.

        ``planes``: float64[6, 4] relative to the eye; as ``Camera.planes``. ``stand``: the point, in blocks, that
        decides which sides are visible: the eye, except with parallel rays.
        """
        (x, y, z), (east, up, south) = eye, self.order.spot
        changed = see_cells(self.order.middles, planes, east - x, up - y, south - z, MARGIN_BLOCKS, self.shown)
        return self._seen(stand, bool(changed))

    def drawn(self) -> MeshList:
        """The meshes of the last look, as whole meshes."""
        order, shown = self.order, self.shown
        return MeshList(order.cells[shown], *self._table.meshes(order.rows[shown]), self._eye)

    def _seen(self, eye: Vector, changed: bool) -> RunList:
        sides = self._table.order.place(eye), *(e % 1 == 0 for e in eye)
        if self._narrowed is None or changed or sides != self._sides:
            self._eye, self._sides = eye, sides
            self._narrowed = self._narrow()
        return self._narrowed

    def _narrow(self) -> RunList:
        order, table, count = self.order, self._table, len(self.order.rows)
        table.order.arrange(table.rows, self._eye)
        faces = np.empty((2, MOST_RUNS * count), np.int32)
        cutout, models = np.empty((2, 2, count), np.int32)
        blended, totals = np.empty((3, 2 * count), np.int32), np.empty(TOTALS, np.int64)
        pick_runs(
            order.cells,
            order.rows,
            table.rows,
            table.page_units,
            *self._eye,
            self.shown,
            np.empty(count, np.int32),
            np.empty((count, ROW), np.int32),
            faces,
            cutout,
            models,
            blended,
            totals,
        )
        many = totals.tolist()
        opaque, cutout_runs, model_runs = (
            (runs[0, :some].copy(), runs[1, :some].copy())
            for runs, some in zip((faces, cutout, models), many, strict=False)
        )
        mixed = blended[:, : many[3]].copy()
        return RunList(
            opaque, cutout_runs, model_runs, (mixed[0], mixed[1], mixed[2]), table, self._eye, many[4], many[5]
        )
