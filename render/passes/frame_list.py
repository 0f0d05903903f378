"""What one eye may see whichever way it looks, and what of it one frame draws: plain arrays, no GL.

Theory. Where the eye is decides what is behind what, which faces look away, and the order; where it looks only narrows
that. So meshes are put in order once for all eyes of a spot (``draw_list``), and a turn of the camera or a step makes
runs of those that it shows. An equal mask, seen from the same sides of blocks, gives the same ``FrameList`` again:
whoever loaded it once need not load it again.

Translucent runs go from far to near. Meshes whose quads need an order of their own have it from ``blend_order``, each
run so many indices of it; the others have one run of cube quads and one of model quads.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.visibility.frustum import MARGIN_BLOCKS
from net.frozen import frozen
from render.passes.draw_list import CellOrder, DrawList, MeshTable, Vector
from render.passes.list_kernels import ROW, TOTALS, pick_runs, see_cells

Mask = npt.NDArray[np.bool_]
Runs = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""First units, and quads, more than 0 each."""
Blended = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""First units, quads, and first indices in ``BlendOrder.indices``: ``AS_CUBES`` or ``AS_MODELS`` where the mesh's own
order will do. The unit of a sorted mesh is that of its first translucent quad."""
MOST_RUNS: Final = 3
"""Of opaque faces of one mesh: six groups behind each other, every other one left out."""


@frozen
class FrameList:
    """One frame's runs, in the order they are drawn in.

    Attributes:
        opaque: faces that can look at the eye, nearest cell first.
        cutout: nearest first.
        models: nearest first.
        blended: glass and liquids, farthest first.
        table: of the meshes, with their order.
        eye: where they are looked at from.
        cells: how many meshes.
        quads: how many quads they have, before faces that look away are left out.
    """

    opaque: Runs
    cutout: Runs
    models: Runs
    blended: Blended
    table: MeshTable
    eye: Vector
    cells: int
    quads: int

    @property
    def shines_through(self) -> bool:
        """Whether anything in it is drawn with blending."""
        return bool(len(self.blended[0]))

    def arrange(self) -> None:
        """Makes the order of sorted meshes that of this eye, where another one looked meanwhile."""
        self.table.order.arrange(self.table.rows, self.eye)


class EyeList:
    """The meshes that eyes of one spot see, and what was last shown of them.

    Attributes:
        order: their cells.
        shown: bool[cells] which the last look showed; not to be written.
    """

    def __init__(self, table: MeshTable, order: CellOrder) -> None:
        """Reads ``table`` at each look that shows something else, so it lives as long as no mesh changes."""
        self.order = order
        self.shown: Mask = np.zeros(len(order.rows), np.bool_)
        self._table = table
        self._narrowed: FrameList | None = None
        self._eye: Vector = order.spot
        self._sides: tuple[object, ...] = ()

    def look(self, planes: npt.NDArray[np.float64], eye: Vector, stand: Vector) -> FrameList:
        """The meshes that a frustum shows; the same object while they and their sides are the same.

        Args:
            planes: float64[6, 4] relative to the eye; as ``Frustum.shows`` has it.
            eye: the camera's position in blocks.
            stand: where faces are looked at from, in blocks: the eye, but for parallel rays.
        """
        (x, y, z), (east, up, south) = eye, self.order.spot
        changed = see_cells(self.order.middles, planes, east - x, up - y, south - z, MARGIN_BLOCKS, self.shown)
        return self._seen(stand, bool(changed))

    def narrowed(self, shown: Mask, eye: Vector) -> FrameList:
        """The meshes that a mask names, bool[cells]; the same object again for the same mask and sides."""
        changed = not np.array_equal(self.shown, shown)
        if changed:
            self.shown = shown.copy()
        return self._seen(eye, changed)

    def drawn(self) -> DrawList:
        """What the last look showed, as whole meshes."""
        order, shown = self.order, self.shown
        return DrawList(order.cells[shown], *self._table.meshes(order.rows[shown]), self._eye)

    def _seen(self, eye: Vector, changed: bool) -> FrameList:
        sides = self._table.order.place(eye), *(e % 1 == 0 for e in eye)
        if self._narrowed is None or changed or sides != self._sides:
            self._eye, self._sides = eye, sides
            self._narrowed = self._narrow()
        return self._narrowed

    def _narrow(self) -> FrameList:
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
        return FrameList(
            opaque, cutout_runs, model_runs, (mixed[0], mixed[1], mixed[2]), table, self._eye, many[4], many[5]
        )
