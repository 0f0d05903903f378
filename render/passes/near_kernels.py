"""Translucent quads near the eye: their middles, and their order quad by quad; see ``near_quads``."""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import inner, kernel
from render.materials.looks import LOWERED
from render.mesh.quads import CUBE, CUBE_WORDS, EDGE_BIAS, LIQUID_DROP, MODEL, MODEL_BIAS, MODEL_WORDS, Group

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U32 = npt.NDArray[np.uint32]

CX, CY, CZ = CUBE["x"].shift, CUBE["y"].shift, CUBE["z"].shift
FACE, WIDTH, HEIGHT, FLAGS = CUBE["face"].shift, CUBE["width"].shift, CUBE["height"].shift, CUBE["flags"].shift
MX, MY, MZ = MODEL["x"].shift, MODEL["y"].shift, MODEL["z"].shift
EX, EY, EZ = MODEL["ux"].shift, MODEL["uy"].shift, MODEL["uz"].shift
TOP: Final = 5
DROP: Final = LIQUID_DROP / 16
SURFACE: Final = LOWERED
A_MODEL: Final = MODEL_WORDS // CUBE_WORDS
TRANSLUCENT: Final = int(Group.TRANSLUCENT)
LIQUID: Final = int(Group.LIQUID)
SLOPE: Final = int(Group.SLOPE)
HALF_DIAGONAL: Final = 20.0
"""At least, of a cell, in blocks."""
RUN: Final = 12
"""Quads that are put in order by insertion; longer ones are merged of such runs."""


@kernel("void(uint32[:,::1], float32[:,::1])")
def cube_middles(words: U32, middles: F32) -> None:
    """Middles of cube quads, uint32[n, 2], in their cell: float32[n, 3] blocks, written; exact."""
    for i in range(words.shape[0]):
        word = nb.int64(words[i, 0])
        face = word >> FACE & 7
        wide, high = ((word >> WIDTH & 15) + 1) / 2.0, ((word >> HEIGHT & 31) + 1) / 2.0
        x, y, z = (word >> CX & 15) + 0.0, (word >> CY & 31) + 0.0, (word >> CZ & 15) + 0.0
        if face < 2:
            x, y, z = x + face, y + high, z + wide
        elif face < 4:
            x, y, z = x + wide, y + high, z + (face - 2)
        else:
            x, y, z = x + wide, y + (1.0 if face > 4 else 0.0), z + high
        if face == TOP and word >> FLAGS & SURFACE:
            y -= DROP
        middles[i, 0], middles[i, 1], middles[i, 2] = x, y, z


@kernel("void(uint32[:,::1], float32[:,::1])")
def model_middles(words: U32, middles: F32) -> None:
    """Middles of model quads, uint32[n, 6], in their cell: float32[n, 3] blocks, written; exact."""
    for i in range(words.shape[0]):
        corner, one, other = nb.int64(words[i, 0]), nb.int64(words[i, 1]), nb.int64(words[i, 2])
        x = (corner >> MX & 1023) - MODEL_BIAS + ((one >> EX & 127) + (other >> EX & 127)) / 2.0 - EDGE_BIAS
        y = (corner >> MY & 2047) - MODEL_BIAS + ((one >> EY & 127) + (other >> EY & 127)) / 2.0 - EDGE_BIAS
        z = (corner >> MZ & 1023) - MODEL_BIAS + ((one >> EZ & 127) + (other >> EZ & 127)) / 2.0 - EDGE_BIAS
        middles[i, 0], middles[i, 1], middles[i, 2] = x / 16.0, y / 16.0, z / 16.0


@kernel("int64(int32[:,::1], int64[::1], int32[:,::1], float64, float64, float64, float64, int64, int64[::1])")
def near_cells(
    cells: I32, rows: I64, counts: I32, x: float, y: float, z: float, near: float, most: int, found: I64
) -> int:
    """Which meshes have translucent quads and a corner near the eye; how many.

    Args:
        cells: int32[n, 3], nearest middle first.
        rows: int64[n] their rows in the next.
        counts: int32[m, ``ROW``] quads by group.
        x: of the eye, in blocks.
        y: likewise.
        z: likewise.
        near: how far that corner may be, in blocks.
        most: quads of all of them together.
        found: int64[n], written.
    """
    count = quads = nb.int64(0)
    for i in range(cells.shape[0]):
        dx, dy, dz = cells[i, 0] * 16 - x, cells[i, 1] * 32 - y, cells[i, 2] * 16 - z
        mx, my, mz = dx + 8.0, dy + 16.0, dz + 8.0
        if mx * mx + my * my + mz * mz > (near + HALF_DIAGONAL) ** 2:
            break  # so are all that follow
        dx, dy, dz = max(dx, -(dx + 16.0), 0.0), max(dy, -(dy + 32.0), 0.0), max(dz, -(dz + 16.0), 0.0)
        row = rows[i]
        shining = nb.int64(counts[row, TRANSLUCENT] + counts[row, LIQUID] + counts[row, SLOPE])
        if shining and dx * dx + dy * dy + dz * dz < near * near:
            quads += shining
            if quads > most:
                break
            found[count] = i
            count += 1
    return count


@inner
def _measure(middles: F32, first: int, end: int, dx: float, dy: float, dz: float, distance: F64, order: I64) -> None:
    """Squares of the distances of some quads, and the order they come in."""
    for i in range(first, end):
        x, y, z = middles[i, 0] + dx, middles[i, 1] + dy, middles[i, 2] + dz
        distance[i] = x * x + y * y + z * z
        order[i] = i


@inner
def _far_first(distance: F64, order: I64, spare: I64, first: int, end: int) -> None:
    """Sorts a part of an order by falling distance; equals stay as they are."""
    for start in range(first, end, RUN):
        for at in range(start + 1, min(start + RUN, end)):
            moved, to = order[at], at
            while to > start and distance[order[to - 1]] < distance[moved]:
                order[to] = order[to - 1]
                to -= 1
            order[to] = moved
    size = nb.int64(RUN)
    while size < end - first:
        for start in range(first, end, 2 * size):
            middle, stop = min(start + size, end), min(start + 2 * size, end)
            if middle == stop or distance[order[middle - 1]] >= distance[order[middle]]:
                continue
            for i in range(start, middle):
                spare[i] = order[i]
            a, b, to = start, middle, start
            while a < middle:
                if b < stop and distance[order[b]] > distance[spare[a]]:
                    order[to] = order[b]
                    b += 1
                else:
                    order[to] = spare[a]
                    a += 1
                to += 1
        size *= 2


@inner
def _step(steps: I32, at: int, cube: int, cubes: int, slope: int, slopes: int) -> int:
    """Adds a step, or lengthens the last one where no slopes lie between; how many there are then."""
    if cubes == 0 and slopes == 0:
        return at
    if at and steps[at - 1, 3] == 0:
        steps[at - 1, 1] += cubes
        steps[at - 1, 2], steps[at - 1, 3] = slope, slopes
        return at
    steps[at, 0], steps[at, 1], steps[at, 2], steps[at, 3] = cube, cubes, slope, slopes
    return at + 1


@kernel(
    "int64(int32[:,::1], float64, float64, float64, float32[:,::1], int64[:,::1], float32[:,::1], int64[:,::1],"
    " float64[:,::1], int64[:,::1], int64[::1], int64[::1], int32[:,::1])"
)
def sort_quads(
    cells: I32,
    x: float,
    y: float,
    z: float,
    cubes: F32,
    of_cubes: I64,
    slopes: F32,
    of_slopes: I64,
    distance: F64,
    order: I64,
    cube_units: I64,
    slope_units: I64,
    steps: I32,
) -> int:
    """Sorts each mesh's quads from far to near; how many steps it takes to draw them.

    Args:
        cells: int32[n, 3] of the meshes, in the order they are drawn in.
        x: of the eye, in blocks.
        y: likewise.
        z: likewise.
        cubes: float32[c, 3] middles of the meshes' level quads in their cell, mesh by mesh.
        of_cubes: int64[n, 3] how many of them each mesh has, how many of these are clear (they come first), and the
            first one's unit.
        slopes: float32[m, 3] middles of those that slope, likewise.
        of_slopes: int64[n, 2] how many each mesh has, and the first one's unit.
        distance: float64[2, max(c, m)], written.
        order: int64[3, max(c, m)], written.
        cube_units: int64[c], written: units of level quads as they are drawn.
        slope_units: int64[m], written: those of slopes.
        steps: int32[n + m, 4], written: how both are drawn by turns, see ``near_quads``.
    """
    count = cube = slope = nb.int64(0)
    for mesh in range(cells.shape[0]):
        dx, dy, dz = cells[mesh, 0] * 16 - x, cells[mesh, 1] * 32 - y, cells[mesh, 2] * 16 - z
        first, first_slope = cube, slope
        end, end_slope = cube + of_cubes[mesh, 0], slope + of_slopes[mesh, 0]
        _measure(cubes, first, end, dx, dy, dz, distance[0], order[0])
        _measure(slopes, first_slope, end_slope, dx, dy, dz, distance[1], order[1])
        _far_first(distance[0], order[0], order[2], first, end)
        _far_first(distance[1], order[1], order[2], first_slope, end_slope)
        for i in range(first, end):
            cube_units[i] = of_cubes[mesh, 2] + order[0, i] - first
        for i in range(first_slope, end_slope):
            slope_units[i] = of_slopes[mesh, 1] + (order[1, i] - first_slope) * A_MODEL
        clear, at = first + of_cubes[mesh, 1], first
        for i in range(first_slope, end_slope):
            before = at
            while at < end and not (order[0, at] < clear and distance[0, order[0, at]] < distance[1, order[1, i]]):
                at += 1
            if at > before and i > slope:
                count = _step(steps, count, cube, before - cube, slope, i - slope)
                cube, slope = before, i
        if end_slope > slope:
            count = _step(steps, count, cube, at - cube, slope, end_slope - slope)
            cube, slope = at, end_slope
        count = _step(steps, count, cube, end - cube, slope, 0)
        cube, slope = end, end_slope
    return count
