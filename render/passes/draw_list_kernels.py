"""Kernels of draw lists: the order of cells for an eye, the cells that a look shows, and these as runs of quads.

Each kernel passes once over the meshes in drawing order. NumPy, with 1 to 3 us a call and an array for every step,
took 13 ms for 13,000 meshes when the eye moved; these kernels take under 1 ms.

Indices. None comes from outside: meshes and pages are those that the scene shows.

Sorting is a stable merge sort: insertion sort in short runs, then merges. Sorted input costs one pass of comparisons.
"""

from math import sqrt
from typing import Final

import numpy as np

from net.arrays import F64, I32, I64, Bools
from net.kernels import jit as nb
from net.kernels.jit import inner, kernel
from render.mesh.vertex_format import CELL_TALL, CELL_WIDE, CUBE_GROUPS, CUBE_WORDS, GROUPS, MODEL_WORDS, Group

BUCKETS: Final = 1 << 14
"""Number of distance buckets: about as many as there are meshes."""
FACES: Final = 6
CUTOUT: Final = int(Group.CUTOUT)
TRANSLUCENT: Final = int(Group.TRANSLUCENT)
LIQUID: Final = int(Group.LIQUID)
MODEL: Final = int(Group.MODEL)
SLOPE: Final = int(Group.SLOPE)
CUBES: Final = CUBE_GROUPS
A_MODEL: Final = MODEL_WORDS // CUBE_WORDS
PAGE: Final = GROUPS
FIRST_SORTED, AXES = range(GROUPS + 1, GROUPS + 3)
ROW: Final = 16
"""int32 of a mesh in a ``ArenaMeshes``: its quads by group, its page, then values of ``translucent_sort``: its first
sorted
quad plus one (0: not sorted), the order of axes, and from ``OF_ORDER`` on the number of quads that may face the eye."""
OF_ORDER: Final = 3
"""Bits of an order of axes in ``AXES``."""
AS_CUBES: Final = -1
AS_MODELS: Final = -2
"""First index of a run of one format that is drawn in its mesh's own order."""
INDICES: Final = 6
"""Indices a quad."""
TOTALS: Final = 6
"""Counts: runs of opaque, cut-out, model and blended quads; meshes; quads."""


@inner
def _before(a: int, b: int, distance: F64, cells: I32) -> bool:
    """Whether mesh ``a`` is drawn before ``b``: nearer, or at the same distance with a lower position."""
    if distance[a] != distance[b]:
        return bool(distance[a] < distance[b])
    for axis in range(3):
        if cells[a, axis] != cells[b, axis]:
            return bool(cells[a, axis] < cells[b, axis])
    return False


@kernel("void(int32[:,::1], float64, float64, float64, float64[::1], int32[::1], int64[::1])")
def order_cells(cells: I32, x: float, y: float, z: float, distance: F64, heads: I32, order: I64) -> None:
    """Orders cells by the distance of their middles from an eye, then by position.

    Sorts into buckets by distance, which is monotonic under rounding, then sorts each bucket by insertion.

    Args:
        cells: int32[n, 3], each once.
        x: of the eye, in blocks.
        distance: float64[n], written: squares, in blocks.
        heads: int32[``BUCKETS`` + 1], written.
        order: int64[n], written.
    """
    count = cells.shape[0]
    if count == 0:
        return
    least, most = np.inf, 0.0
    for i in range(count):
        dx, dy, dz = (
            cells[i, 0] * CELL_WIDE + 8.0 - x,
            cells[i, 1] * CELL_TALL + 16.0 - y,
            cells[i, 2] * CELL_WIDE + 8.0 - z,
        )
        distance[i] = dx * dx + dy * dy + dz * dz
        least, most = min(least, distance[i]), max(most, distance[i])
    low = sqrt(least)
    scale = (BUCKETS - 1) / max(sqrt(most) - low, 1e-9)
    heads[:] = 0
    for i in range(count):
        heads[nb.int64((sqrt(distance[i]) - low) * scale) + 1] += 1
    for bucket in range(BUCKETS):
        heads[bucket + 1] += heads[bucket]
    for i in range(count):
        bucket = nb.int64((sqrt(distance[i]) - low) * scale)
        order[heads[bucket]] = i
        heads[bucket] += 1
    first = nb.int64(0)
    for bucket in range(BUCKETS):
        end = nb.int64(heads[bucket])
        for at in range(first + 1, end):
            moved, to = order[at], at
            while to > first and _before(moved, order[to - 1], distance, cells):
                order[to] = order[to - 1]
                to -= 1
            order[to] = moved
        first = end


@kernel(
    "void(int64[::1], int32[:,::1], int64[::1], float64, float64, float64, int32[:,::1], int64[::1], float64[:,::1])"
)
def arrange(
    order: I64, cells: I32, rows: I64, x: float, y: float, z: float, placed: I32, put: I64, middles: F64
) -> None:
    """Copies cells, their numbers and their middles into an order.

    Args:
        order: int64[n].
        cells: int32[n, 3].
        rows: int64[n] mesh number of each.
        x: of the eye, in blocks.
        placed: int32[n, 3], written: the cells.
        put: int64[n], written: their mesh numbers.
        middles: float64[3, n], written: their middles relative to the eye.
    """
    for i in range(order.shape[0]):
        at = order[i]
        put[i] = rows[at]
        placed[i, 0], placed[i, 1], placed[i, 2] = cells[at, 0], cells[at, 1], cells[at, 2]
        middles[0, i] = cells[at, 0] * CELL_WIDE - x + 8.0
        middles[1, i] = cells[at, 1] * CELL_TALL - y + 16.0
        middles[2, i] = cells[at, 2] * CELL_WIDE - z + 8.0


@inner
def _reach(planes: F64, plane: int, margin: float, x: float, y: float, z: float) -> float:
    """The extent of a cell along a plane's normal, plus the plane's distance from the spot."""
    a, b, c = planes[plane, 0], planes[plane, 1], planes[plane, 2]
    reach = (abs(a) + abs(c)) * (8.0 + margin) + abs(b) * (16.0 + margin)
    return reach + planes[plane, 3] + (a * x + b * y + c * z)


@kernel("int64(float64[:,::1], float64[:,::1], float64, float64, float64, float64, boolean[::1])")
def see_cells(middles: F64, planes: F64, east: float, up: float, south: float, margin: float, shown: Bools) -> int:
    """Finds the cells that a look may show; returns how many of them changed.

    Tests all six planes for each cell without a branch, so that the compiler can vectorize it: eight cells at a time.

    Args:
        middles: float64[3, n] of the cells, from their spot.
        planes: float64[6, 4], normals inward, relative to the eye.
        east: x from the eye to the spot, in blocks; the next two are y and z.
        margin: blocks by which each cell is enlarged on each side.
        shown: bool[n], written.
    """
    a0, b0, c0, d0 = planes[0, 0], planes[0, 1], planes[0, 2], _reach(planes, 0, margin, east, up, south)
    a1, b1, c1, d1 = planes[1, 0], planes[1, 1], planes[1, 2], _reach(planes, 1, margin, east, up, south)
    a2, b2, c2, d2 = planes[2, 0], planes[2, 1], planes[2, 2], _reach(planes, 2, margin, east, up, south)
    a3, b3, c3, d3 = planes[3, 0], planes[3, 1], planes[3, 2], _reach(planes, 3, margin, east, up, south)
    a4, b4, c4, d4 = planes[4, 0], planes[4, 1], planes[4, 2], _reach(planes, 4, margin, east, up, south)
    a5, b5, c5, d5 = planes[5, 0], planes[5, 1], planes[5, 2], _reach(planes, 5, margin, east, up, south)
    xs, ys, zs = middles[0], middles[1], middles[2]
    changed = nb.int64(0)
    for i in range(shown.shape[0]):
        x, y, z = xs[i], ys[i], zs[i]
        inside = x * a0 + y * b0 + z * c0 + d0 >= 0.0
        inside &= x * a1 + y * b1 + z * c1 + d1 >= 0.0
        inside &= x * a2 + y * b2 + z * c2 + d2 >= 0.0
        inside &= x * a3 + y * b3 + z * c3 + d3 >= 0.0
        inside &= x * a4 + y * b4 + z * c4 + d4 >= 0.0
        inside &= x * a5 + y * b5 + z * c5 + d5 >= 0.0
        changed += shown[i] != inside
        shown[i] = inside
    return changed


@inner
def _put(runs: I32, at: int, first: int, quads: int) -> int:
    """Adds a run of quads unless it is empty; returns the number of runs."""
    if quads == 0:
        return at
    runs[0, at], runs[1, at] = first, quads
    return at + 1


@inner
def _put_facing(runs: I32, at: int, first: int, counts: I32, row: int, faces: int) -> int:
    """Adds a mesh's opaque quads of the faces in a bit set; consecutive groups become one run."""
    begun = at
    for face in range(FACES):
        quads = nb.int64(counts[row, face])
        if quads and faces >> face & 1:
            if at > begun and runs[0, at - 1] + runs[1, at - 1] == first:
                runs[1, at - 1] += quads
            else:
                runs[0, at], runs[1, at] = first, quads
                at += 1
        first += quads
    return at


@inner
def _put_blended(runs: I32, at: int, unit: int, quads: int, first_index: int) -> int:
    """Adds a run of translucent quads unless it is empty; returns the number of runs."""
    if quads == 0:
        return at
    runs[0, at], runs[1, at], runs[2, at] = unit, quads, first_index
    return at + 1


@kernel(
    "void(int32[:,::1], int64[::1], int32[:,::1], int64, float64, float64, float64, boolean[::1],"
    " int32[::1], int32[:,::1], int32[:,::1], int32[:,::1], int32[:,::1], int32[:,::1], int64[::1])"
)
def pick_runs(
    cells: I32,  # [n, 3], nearest first
    rows: I64,  # [n] their rows in ``counts``, which has rows of other meshes too
    counts: I32,  # [m, ``ROW``], as ``ROW`` says
    page_units: int,
    x: float,  # of the eye, in blocks; then y and z
    y: float,
    z: float,
    shown: Bools,  # [n] meshes that are drawn
    which: I32,  # [n], scratch
    held: I32,  # [n, ``ROW``], scratch
    opaque: I32,  # [2, 3 n], written: first units and quads of faces that can face the eye, nearest mesh first
    cutout: I32,  # [2, n], likewise
    models: I32,  # [2, n], likewise
    # [3, 2 n], written: farthest mesh first; the third is the run's first index, ``AS_CUBES`` or ``AS_MODELS`` where it
    # is drawn in the mesh's own order
    blended: I32,
    totals: I64,  # [``TOTALS``], written: the counts
) -> None:
    """Writes the runs of the meshes that a look shows."""
    drawn = nb.int64(0)
    for i in range(cells.shape[0]):
        which[drawn] = i
        drawn += nb.int64(shown[i])
    for k in range(drawn):  # a separate loop: reads of distant rows overlap better if each does little work
        row = rows[nb.int64(which[k])]
        for column in range(ROW):
            held[k, column] = counts[row, column]
    of_opaque = of_cutout = of_models = quads = nb.int64(0)
    for k in range(drawn):
        i = nb.int64(which[k])
        first = nb.int64(held[k, PAGE]) * page_units
        left, below, back = cells[i, 0] * CELL_WIDE, cells[i, 1] * CELL_TALL, cells[i, 2] * CELL_WIDE
        faces = nb.int64(x < left + CELL_WIDE) | nb.int64(x > left) << 1
        faces |= nb.int64(z < back + CELL_WIDE) << 2 | nb.int64(z > back) << 3
        faces |= nb.int64(y < below + CELL_TALL) << 4 | nb.int64(y > below) << 5
        of_opaque = _put_facing(opaque, of_opaque, first, held, k, faces)
        behind = nb.int64(0)
        for group in range(FACES):
            behind += held[k, group]
        of_cutout = _put(cutout, of_cutout, first + behind, nb.int64(held[k, CUTOUT]))
        behind += held[k, CUTOUT] + held[k, TRANSLUCENT] + held[k, LIQUID]
        of_models = _put(models, of_models, first + behind, nb.int64(held[k, MODEL]))
        quads += behind + held[k, MODEL] + held[k, SLOPE]
    of_blended = nb.int64(0)
    for k in range(drawn - 1, -1, -1):
        level, slopes = nb.int64(held[k, TRANSLUCENT] + held[k, LIQUID]), nb.int64(held[k, SLOPE])
        if level + slopes == 0:
            continue
        unit = nb.int64(held[k, PAGE]) * page_units
        for group in range(TRANSLUCENT):
            unit += held[k, group]
        begin = nb.int64(held[k, FIRST_SORTED]) - 1
        if begin >= 0:
            sorted_quads = nb.int64(held[k, AXES]) >> OF_ORDER
            of_blended = _put_blended(blended, of_blended, unit, sorted_quads, begin * INDICES)
            continue
        of_blended = _put_blended(blended, of_blended, unit, level, AS_CUBES)
        unit += level + nb.int64(held[k, MODEL]) * A_MODEL
        of_blended = _put_blended(blended, of_blended, unit, slopes, AS_MODELS)
    totals[0], totals[1], totals[2], totals[3] = of_opaque, of_cutout, of_models, of_blended
    totals[4], totals[5] = drawn, quads


# ---------------------------------------------------------------- sorting

Keys = I64 | F64

RUN: Final = 12
"""Length of runs that are sorted by insertion; longer arrays are merged from such runs."""


@inner
def sort_rising(keys: Keys, order: I64, spare: I64, end: int) -> None:
    """Sorts the first ``end`` numbers of an order by rising key; equal keys keep their order. ``spare`` is scratch."""
    for start in range(0, end, RUN):
        for at in range(start + 1, min(start + RUN, end)):
            moved, to = order[at], at
            while to > start and keys[order[to - 1]] > keys[moved]:
                order[to] = order[to - 1]
                to -= 1
            order[to] = moved
    size = nb.int64(RUN)
    while size < end:
        for start in range(0, end, 2 * size):
            middle, stop = min(start + size, end), min(start + 2 * size, end)
            if middle < stop and keys[order[middle - 1]] > keys[order[middle]]:
                _merge(keys, order, spare, start, middle, stop)
        size *= 2


@inner
def _merge(keys: Keys, order: I64, spare: I64, start: int, middle: int, stop: int) -> None:
    """Merges two sorted runs; of equal keys those of the first run come first."""
    for i in range(start, middle):
        spare[i] = order[i]
    a, b, to = start, middle, start
    while a < middle:
        if b < stop and keys[order[b]] < keys[spare[a]]:
            order[to] = order[b]
            b += 1
        else:
            order[to] = spare[a]
            a += 1
        to += 1
