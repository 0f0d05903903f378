"""Sorts the translucent quads of each mesh for an eye, from far to near: plain arrays, no GL.

Rules:
1. The order is exact, at any distance: what a ray meets first is drawn last (``tests/property/
   test_rays_meet_translucent_quads_in_order.py``). docs/develop/render.md lists the exceptions and their reasons.
2. The order depends on the eye's block and a few parts of it: a small move of the eye, or a turn, changes nothing.
3. A mesh is sorted again only if the order of its own quads changes: it is the same for all eyes above a cell.

Theory. Blocks fill a grid. Cut it by the planes of one axis: of two slabs the one nearer to the eye's is never behind
the other one. Cut slabs by the planes of the second axis, rows by those of the third: blocks in this order, farthest
first, are right for every ray. Faces that look along the first axis are in a side of their slab, before all else in it,
so they may be merged in their plane; those along the second are in a side of their row, so they may be merged along the
third; those along the third may not be merged. Meshes are merged so (``render.mesh.cube_kernels.merges``), each with
the order of axes that gives few quads. A liquid's level surface cuts its slab in two, so it is merged where nothing in
the slab is higher (``mesh_kernels``). Parts of panes are in a grid of their own in each block. Sides that face away
from the eye's block are left out. Meshes are ordered among each other by the distance of their middles.

Limits: two surfaces that cross inside of one block have no order.
"""

from math import floor
from typing import Final

import numpy as np

from client.world.slots import longer
from net.arrays import I32, I64
from render.camera import Vector
from render.mesh.vertex_format import LIQUID_DROP, Words
from render.passes.draw_list_kernels import AXES, FIRST_SORTED
from render.passes.translucent_sort_kernels import (
    COUNT,
    FIRST,
    MESH,
    NEEDED,
    NUMBER,
    PANES,
    record_cubes,
    record_models,
    sort_meshes,
)

Rows = I32
Place = tuple[int, int, int, int, int, int]
FIRST_SPACE: Final = 1024
FIRST_MESHES: Final = 64
SURFACE: Final = (16 - LIQUID_DROP) / 16
POST: Final = (7 / 16, 9 / 16)
"""Begin and end of a pane's middle in its block."""


class TranslucentSort:
    """The order of all meshes' translucent quads, for one eye at a time. Owner thread only."""

    def __init__(self) -> None:
        # int32[room, 6] numbers of vertices, quad by quad in order, counted from the first translucent unit of the
        # mesh, ``VERTICES`` a unit, those of model quads from ``OF_MODELS`` on; the first quad of a mesh is
        # ``FIRST_SORTED`` of its row, minus one
        self.indices: I32 = np.zeros((0, 6), np.int32)
        self.changed = (0, 0)  # first quad and end of changes in ``indices`` since the last ``take_changed``
        self._records: I64 = np.zeros(0, np.int64)
        self._scratch: I64 = np.zeros((3, 0), np.int64)
        self._meshes: I32 = np.zeros((FIRST_MESHES, MESH), np.int32)  # as many as ``_index``, in no order
        self._index: dict[int, int] = {}  # index of each mesh in it, by number
        self._end = self.quads = self._panes = 0
        self._arranged: Place | None = None

    def __len__(self) -> int:
        return len(self._index)

    def put(
        self, rows: Rows, number: int, cell: tuple[int, int, int], cubes: Words, slopes: Words, first_slope: int
    ) -> None:
        """Adds a mesh, if its quads need an order.

        Args:
            rows: of the table of meshes; the number's columns from ``FIRST_SORTED`` on are written.
            number: its row, which must not be added yet.
            cubes: uint32[n, 2] its translucent cube quads, C-contiguous.
            slopes: uint32[m, 6] its translucent model quads, likewise.
            first_slope: unit of the first slope, counted from the first cube quad.
        """
        count = len(cubes) + len(slopes)
        space, wanted = len(self._records), max(2 * (self.quads + count), FIRST_SPACE)
        if self._end + count > space:
            self._move(rows, max(space, 1 << (wanted - 1).bit_length()))
        first = self._end
        records = self._records[first : first + count]
        orders = record_cubes(cubes, records[: len(cubes)])
        if not orders & NEEDED and not (len(slopes) and count > 1):
            return
        panes = record_models(slopes, first_slope, records[len(cubes) :])
        rows[number, FIRST_SORTED], rows[number, AXES] = first + 1, (orders & -orders).bit_length() - 1
        meshes = len(self._index)
        if meshes == len(self._meshes):
            self._meshes = longer(self._meshes, 2 * meshes)
        self._meshes[meshes] = number, first, count, *cell, 0, panes
        self._index[number] = meshes
        self._end, self.quads, self._panes = first + count, self.quads + count, self._panes + panes
        if count > self._scratch.shape[1]:
            self._scratch = np.zeros((3, 1 << (count - 1).bit_length()), np.int64)
        self._arranged = None

    def drop(self, rows: Rows, number: int) -> None:
        at = self._index.pop(number, None)
        if at is None:
            return
        mesh, last = self._meshes[at].tolist(), self._meshes[len(self._index)]
        self.quads, self._panes = self.quads - mesh[COUNT], self._panes - mesh[PANES]
        rows[number, FIRST_SORTED] = 0
        if at < len(self._index):
            self._meshes[at] = last
            self._index[int(last[NUMBER])] = at

    def place(self, eye: Vector) -> Place:
        """What the order depends on of an eye's position: block, part by panes, whether over a level liquid."""
        x, y, z = (floor(e) for e in eye)
        parts = [sum(part - floor(part) >= post for post in POST) if self._panes else 0 for part in (eye[0], eye[2])]
        return x, y, z, parts[0], parts[1], int(eye[1] - y > SURFACE)

    def arrange(self, rows: Rows, eye: Vector) -> None:
        """Sorts for an eye, given in blocks."""
        place = self.place(eye)
        if self._arranged == place:
            return
        self._arranged = place
        told = np.zeros(2, np.int64)
        meshes = self._meshes[: len(self._index)]
        sort_meshes(meshes, rows, *place, self._records, self._scratch, self.indices, told)
        self._widen(*told.tolist())

    def take_changed(self) -> tuple[int, int]:
        changed, self.changed = self.changed, (0, 0)
        return changed

    def _widen(self, begin: int, end: int) -> None:
        if begin < end:
            was = self.changed
            self.changed = (min(was[0], begin), max(was[1], end)) if was[0] < was[1] else (begin, end)

    def _move(self, rows: Rows, space: int) -> None:
        """Moves the meshes together in their order, into an array with the given room."""
        meshes = self._meshes[: len(self._index)]
        counts = meshes[:, COUNT].astype(np.int64)
        begins = np.cumsum(counts) - counts
        were = np.repeat(meshes[:, FIRST] - begins, counts) + np.arange(self.quads)
        records, indices = np.zeros(space, np.int64), np.zeros((space, 6), np.int32)
        records[: self.quads], indices[: self.quads] = self._records[were], self.indices[were]
        meshes[:, FIRST], rows[meshes[:, NUMBER], FIRST_SORTED] = begins, begins + 1
        self._records, self.indices, self._end = records, indices, self.quads
        self.changed = 0, self.quads
