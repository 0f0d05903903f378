"""What one eye may see whichever way it looks, and what of it one frame draws: plain arrays, no GL.

Theory. Where the eye is decides what is behind what, which faces look away, and the order; where it looks only narrows
that. So an eye's meshes are put in order once, and a turn of the camera makes runs of those that it shows. An equal
mask gives the same ``FrameList`` again: whoever loaded it once need not load it again.

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
    """An eye's meshes, and what was last shown of them.

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

    def look(self, planes: npt.NDArray[np.float64]) -> FrameList:
        """The meshes inside of six planes, float64[6, 4] relative to the eye; the same object while they are the same.

        As ``Frustum.shows`` has it.
        """
        changed = see_cells(self.order.middles, planes, MARGIN_BLOCKS, self.shown)
        if self._narrowed is None or changed:
            self._narrowed = self._narrow()
        return self._narrowed

    def narrowed(self, shown: Mask) -> FrameList:
        """The meshes that a mask names, bool[cells]; the same object again for the same mask."""
        if self._narrowed is None or not np.array_equal(self.shown, shown):
            self.shown = shown.copy()
            self._narrowed = self._narrow()
        return self._narrowed

    def drawn(self) -> DrawList:
        """What the last look showed, as whole meshes."""
        order, shown = self.order, self.shown
        return DrawList(order.cells[shown], *self._table.meshes(order.rows[shown]), order.eye)

    def _narrow(self) -> FrameList:
        order, table, count = self.order, self._table, len(self.order.rows)
        table.order.arrange(table.rows, order.eye)
        faces = np.empty((2, MOST_RUNS * count), np.int32)
        cutout, models = np.empty((2, 2, count), np.int32)
        blended, totals = np.empty((3, 2 * count), np.int32), np.empty(TOTALS, np.int64)
        pick_runs(
            order.cells,
            order.rows,
            table.rows,
            table.page_units,
            *order.eye,
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
            opaque, cutout_runs, model_runs, (mixed[0], mixed[1], mixed[2]), table, order.eye, many[4], many[5]
        )
