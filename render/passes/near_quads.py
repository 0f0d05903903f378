"""Translucent quads near the eye, sorted one by one from far to near: plain arrays, no GL.

Theory. Between cells the order of cells is right; within one, glass before water before glass needs the order of quads.
The distance of a quad is that of its middle: what looks at the eye along one line is sorted right, and two large quads
that cross may not be. The order follows from where the eye is alone, so a turn of the camera changes nothing.

Slopes are another kind of quad, drawn by calls of their own. They go as late as they may: behind
all level quads but the glass that is nearer. Among liquids distances of middles say little, surfaces being large.

Cells farther than ``NEAR_BLOCKS``, or past ``MOST_QUADS``, keep the order of their mesh: there a pixel is a block.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from render.mesh.quads import Words
from render.passes.draw_list import CellOrder, MeshTable
from render.passes.near_kernels import cube_middles, model_middles, near_cells, sort_quads

NEAR_BLOCKS: Final = 40.0
"""To the nearest corner of a cell."""
MOST_QUADS: Final = 16384
Step = tuple[int, int, int, int]
"""First quad and quads of level ones, then of slopes."""
Units = npt.NDArray[np.int64]
Middles = npt.NDArray[np.float32]
Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Shining:
    """The translucent quads of one mesh: where their middles are, float32 blocks in the cell, exact.

    Attributes:
        cubes: float32[n, 3], those that are no liquid first.
        clear: how many those are.
        first_cube: unit of the first of them.
        slopes: float32[m, 3].
        first_slope: unit of the first of them.
    """

    cubes: Middles
    clear: int
    first_cube: int
    slopes: Middles
    first_slope: int

    @classmethod
    def of(cls, cubes: Words, clear: int, first_cube: int, slopes: Words, first_slope: int) -> "Shining":
        """Of packed quads: uint32[n, 2] and uint32[m, 6], each without gaps between words."""
        middles, sloping = np.empty((len(cubes), 3), np.float32), np.empty((len(slopes), 3), np.float32)
        cube_middles(cubes, middles)
        model_middles(slopes, sloping)
        return cls(middles, clear, first_cube, sloping, first_slope)


@dataclass(frozen=True, slots=True)
class NearQuads:
    """Near meshes' quads, farthest cell first, in each cell farthest quad first.

    Attributes:
        meshes: int64[n] which meshes these are, by their place in the draw list.
        cubes: first units.
        slopes: first units.
        steps: how both are drawn by turns.
    """

    meshes: npt.NDArray[np.int64]
    cubes: Units
    slopes: Units
    steps: tuple[Step, ...]


NONE: Final = NearQuads(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), ())


def near_meshes(table: MeshTable, order: CellOrder) -> npt.NDArray[np.int64]:
    """Which cells of an order have translucent quads, and are near enough for these to be sorted."""
    found = np.empty(len(order.rows), np.int64)
    count = near_cells(order.cells, order.rows, table.rows, *order.eye, NEAR_BLOCKS, MOST_QUADS, found)
    return found[:count].copy()


def sort_near(
    meshes: npt.NDArray[np.int64], cells: npt.NDArray[np.int32], shining: Sequence[Shining], eye: Vector
) -> NearQuads:
    """Sorts the quads of near meshes.

    Args:
        meshes: [n] as ``near_meshes`` gives them, nearest first.
        cells: [n, 3] their cells.
        shining: [n] their quads.
        eye: in blocks.
    """
    if not len(meshes):
        return NONE
    far_first = shining[::-1]
    cubes, slopes = (
        np.concatenate(parts) for parts in zip(*((one.cubes, one.slopes) for one in far_first), strict=True)
    )
    of_cubes = np.array([(len(one.cubes), one.clear, one.first_cube) for one in far_first], np.int64)
    of_slopes = np.array([(len(one.slopes), one.first_slope) for one in far_first], np.int64)
    most = max(len(cubes), len(slopes))
    cube_units, slope_units = np.empty(len(cubes), np.int64), np.empty(len(slopes), np.int64)
    steps = np.empty((len(meshes) + len(slopes), 4), np.int32)
    turns = sort_quads(
        np.ascontiguousarray(cells[::-1]),
        *eye,
        cubes,
        of_cubes,
        slopes,
        of_slopes,
        np.empty((2, most)),
        np.empty((3, most), np.int64),
        cube_units,
        slope_units,
        steps,
    )
    return NearQuads(meshes, cube_units, slope_units, tuple(map(tuple, steps[:turns].tolist())))
