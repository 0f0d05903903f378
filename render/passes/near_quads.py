"""Translucent quads near the eye, sorted one by one from far to near: plain arrays, no GL.

Theory. Between cells the order of cells is right; within one, glass before water before glass needs the order of quads.
The distance of a quad is that of its middle: what looks at the eye along one line is sorted right, and two large quads
that cross may not be. The order follows from where the eye is alone, so a turn of the camera changes nothing.

Slopes are another kind of quad, drawn by calls of their own. They go as late as they may: behind
all level quads but the glass that is nearer. Among liquids distances of middles say little, surfaces being large.

Cells farther than ``NEAR_BLOCKS``, or past ``MOST_QUADS``, keep the order of their mesh: there a pixel is a block.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from render.materials.looks import LOWERED
from render.mesh.quads import CUBE, CUBE_WORDS, LIQUID_DROP, MODEL, MODEL_WORDS, Words, read

NEAR_BLOCKS: Final = 40.0
"""To the nearest corner of a cell."""
MOST_QUADS: Final = 16384
CELL: Final = np.array([16, 32, 16])
WIDTH_AXIS: Final = np.array([2, 2, 0, 0, 0, 0, 0])
HEIGHT_AXIS: Final = np.array([1, 1, 1, 1, 2, 2, 2])
"""By face; the last row is for what looks no way at all."""
OUTWARD: Final = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 1), (0, 0, 0), (0, 1, 0), (0, 1, 0)])
TOP: Final = 5

Step = tuple[int, int, int, int]
"""First quad and quads of level ones, then of slopes."""
Units = npt.NDArray[np.int64]
Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Shining:
    """The translucent quads of one mesh.

    Attributes:
        cubes: uint32[n, 2], those that are no liquid first.
        clear: how many those are.
        first_cube: unit of the first of them.
        slopes: uint32[m, 6].
        first_slope: unit of the first of them.
    """

    cubes: Words
    clear: int
    first_cube: int
    slopes: Words
    first_slope: int


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


def near_meshes(cells: npt.NDArray[np.int32], quads: npt.NDArray[np.integer], eye: Vector) -> npt.NDArray[np.int64]:
    """Which meshes are near enough to be sorted.

    Args:
        cells: [n, 3] render cells, nearest first.
        quads: [n] translucent quads of each.
        eye: in blocks.
    """
    low = cells * CELL - np.array(eye)
    away = np.maximum(np.maximum(low, -(low + CELL)), 0.0)
    near = np.flatnonzero(((away * away).sum(axis=1) < NEAR_BLOCKS**2) & (quads > 0))
    chosen: npt.NDArray[np.int64] = near[np.cumsum(quads[near]) <= MOST_QUADS]
    return chosen


def sort_near(
    meshes: npt.NDArray[np.int64], cells: npt.NDArray[np.int32], shining: list[Shining], eye: Vector
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
    cubes, slopes, steps = [], [], []
    level = sloping = 0
    for cell, mesh in zip(cells[::-1].tolist(), shining[::-1], strict=True):
        offset = np.array(cell) * CELL - np.array(eye)
        of_cubes = _distances(_cube_middles(mesh.cubes) + offset)
        of_slopes = _distances(_model_middles(mesh.slopes) + offset)
        cube_order, slope_order = _far_first(of_cubes), _far_first(of_slopes)
        cubes.append(mesh.first_cube + cube_order)
        slopes.append(mesh.first_slope + slope_order * (MODEL_WORDS // CUBE_WORDS))
        ends = _turns(of_cubes[cube_order], cube_order < mesh.clear, of_slopes[slope_order])
        done = done_slopes = 0
        for end, end_slope in (*ends, (len(mesh.cubes), len(mesh.slopes))):
            if end > done or end_slope > done_slopes:
                steps.append((level + done, end - done, sloping + done_slopes, end_slope - done_slopes))
            done, done_slopes = end, end_slope
        level, sloping = level + done, sloping + done_slopes
    return NearQuads(meshes, np.concatenate(cubes), np.concatenate(slopes), _joined(steps))


def _distances(middles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    squares: npt.NDArray[np.float64] = (middles * middles).sum(axis=1)
    return squares


def _far_first(distances: npt.NDArray[np.float64]) -> Units:
    order: Units = np.argsort(-distances, kind="stable")
    return order


def _turns(
    cubes: npt.NDArray[np.float64], clear: npt.NDArray[np.bool_], slopes: npt.NDArray[np.float64]
) -> list[tuple[int, int]]:
    """How many cubes and slopes are drawn when each turn with slopes ends; both sorted, equals cubes first."""
    glass = np.flatnonzero(clear)
    before = np.append(glass, len(cubes))[np.searchsorted(-cubes[glass], -slopes, side="right")]
    last = np.flatnonzero(np.diff(before, append=-1))
    return list(zip(before[last].tolist(), (last + 1).tolist(), strict=True))


def _cube_middles(words: Words) -> npt.NDArray[np.float64]:
    face = read(CUBE, words, "face")
    middle: npt.NDArray[np.float64] = np.stack([read(CUBE, words, axis) for axis in "xyz"], axis=1).astype(np.float64)
    middle += OUTWARD[face]
    each = np.arange(len(words))
    middle[each, WIDTH_AXIS[face]] += read(CUBE, words, "width") / 2
    middle[each, HEIGHT_AXIS[face]] += read(CUBE, words, "height") / 2
    middle[(face == TOP) & (read(CUBE, words, "flags") & LOWERED != 0), 1] -= LIQUID_DROP / 16
    return middle


def _model_middles(words: Words) -> npt.NDArray[np.float64]:
    sides = [(axis, f"u{axis}", f"v{axis}") for axis in "xyz"]
    middle = [read(MODEL, words, o) + (read(MODEL, words, u) + read(MODEL, words, v)) / 2 for o, u, v in sides]
    return np.stack(middle, axis=1).astype(np.float64) / 16


def _joined(steps: list[Step]) -> tuple[Step, ...]:
    """Fewer steps: level quads go on where no slopes lie between."""
    joined: list[Step] = []
    for first, count, slope, slopes in steps:
        if joined and not joined[-1][3]:
            before = joined[-1]
            joined[-1] = (before[0], before[1] + count, slope, slopes)
        else:
            joined.append((first, count, slope, slopes))
    return tuple(joined)
