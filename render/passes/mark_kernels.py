"""What of boxes and labels a camera sees, in which order, and which labels have room in the picture.

The plain meaning of each stands in ``tests/support/marks_twin.py``.
"""

from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import inner, kernel

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

RUN: Final = 12
"""Numbers that are put in order by insertion; longer ones are merged of such runs."""
LOW_16: Final = 0xFFFF
NEAR_PLANE: Final = 4
FAR_PLANE: Final = 5
MOST_STACKED: Final = 4
"""Texts of one point that stand below each other."""


@inner
def _merge(keys: F64, order: I64, spare: I64, start: int, middle: int, stop: int) -> None:
    """Two runs in order to one; of equal keys those of the first run come first."""
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


@inner
def _rising(keys: F64, order: I64, spare: I64) -> None:
    """All numbers by rising key, equal ones by number."""
    end = order.shape[0]
    for start in range(0, end, RUN):
        for at in range(start, min(start + RUN, end)):
            order[at], to = at, at
            while to > start and keys[order[to - 1]] > keys[at]:
                order[to] = order[to - 1]
                to -= 1
            order[to] = at
    size = nb.int64(RUN)
    while size < end:
        for start in range(0, end, 2 * size):
            middle, stop = min(start + size, end), min(start + 2 * size, end)
            if middle < stop and keys[order[middle - 1]] > keys[order[middle]]:
                _merge(keys, order, spare, start, middle, stop)
        size *= 2


@kernel("void(int32[:,::1], float64[::1], float64[::1], int64[::1], int64[::1])")
def sort_boxes(rows: I32, eye: F64, keys: F64, order: I64, spare: I64) -> None:
    """Numbers of packed boxes, those with the farthest middle first, equal distances by number.

    Args:
        rows: int32[n, 8] as ``passes.boxes`` packs them.
        eye: float64[3] in blocks.
        keys: float64[n], scratch.
        order: int64[n], written.
        spare: int64[n], scratch.
    """
    for i in range(rows.shape[0]):
        x = rows[i, 0] + 0.5 * (rows[i, 5] & LOW_16) - eye[0]
        y = rows[i, 1] + 0.5 * (rows[i, 6] & LOW_16) - eye[1]
        z = rows[i, 2] + 0.5 * (rows[i, 5] >> 16 & LOW_16) - eye[2]
        keys[i] = -(x * x + y * y + z * z)
    _rising(keys, order, spare)


@kernel("void(int32[:,::1], int64, int64[::1])")
def find_grid(rows: I32, coarsest: int, grid: I64) -> None:
    """Blocks along x, y, z of the coarsest cells of which all packed boxes are made: powers of two.

    Args:
        rows: int32[n, 8].
        coarsest: a power of two that none is beyond.
        grid: int64[3], written.
    """
    x = y = z = nb.int64(coarsest)
    for i in range(rows.shape[0]):
        x |= rows[i, 0] | rows[i, 5] & LOW_16
        y |= rows[i, 1] | rows[i, 6] & LOW_16
        z |= rows[i, 2] | rows[i, 5] >> 16 & LOW_16
    grid[0], grid[1], grid[2] = x & -x, y & -y, z & -z


@inner
def _beyond(
    planes: F64, p: int, x: float, y: float, z: float, wide: float, tall: float, deep: float, slack: float
) -> bool:
    """Whether a box about a point lies wholly, by more than so much, on the outer side of a plane."""
    away = planes[p, 0] * x + planes[p, 1] * y + planes[p, 2] * z + planes[p, 3]
    reach = abs(planes[p, 0]) * wide + abs(planes[p, 1]) * tall + abs(planes[p, 2]) * deep
    return away + reach + slack < 0.0


@kernel("int64(int32[:,::1], int64[::1], float64[:,::1], float64[::1], float64, float64, int32[:,::1])")
def take_seen(rows: I32, order: I64, planes: F64, eye: F64, turn: float, step: float, taken: I32) -> int:
    """Copies the packed boxes that reach into a frustum, in an order; gives how many there are.

    With a ``turn`` and a ``step``, also all that reach into any frustum of the same lens whose planes' normals differ
    by at most so much, and whose eye is at most so far from this one: a plane's normal that turns moves what is
    further away by more.

    Args:
        rows: int32[n, 8].
        order: int64[n] numbers of boxes.
        planes: float64[6, 4] as ``Camera.planes``.
        eye: float64[3] in blocks.
        turn: length of the difference of two normals, 0 or more.
        step: blocks, 0 or more.
        taken: int32[n, 8], written.
    """
    many = nb.int64(0)
    for k in range(order.shape[0]):
        i = order[k]
        wide = 0.5 * (rows[i, 5] & LOW_16)
        tall = 0.5 * (rows[i, 6] & LOW_16)
        deep = 0.5 * (rows[i, 5] >> 16 & LOW_16)
        x, y, z = rows[i, 0] + wide - eye[0], rows[i, 1] + tall - eye[1], rows[i, 2] + deep - eye[2]
        slack = 0.0
        if turn > 0.0 or step > 0.0:
            slack = step + turn * (sqrt(x * x + y * y + z * z) + wide + tall + deep)
        if (
            _beyond(planes, NEAR_PLANE, x, y, z, wide, tall, deep, slack)  # half of all boxes are behind the eye
            or _beyond(planes, 0, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, 1, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, 2, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, 3, x, y, z, wide, tall, deep, slack)
            or _beyond(planes, FAR_PLANE, x, y, z, wide, tall, deep, slack)
        ):
            continue
        for word in range(8):
            taken[many, word] = rows[i, word]
        many += 1
    return many


@inner
def _lower(points: F64, a: int, b: int) -> bool:
    """Whether one point comes before another by x, then y, then z."""
    for axis in range(3):
        if points[a, axis] != points[b, axis]:
            return points[a, axis] < points[b, axis]
    return False


@kernel("void(float64[:,::1], float64[::1], float64[::1], int64[::1], int64[::1])")
def sort_points(points: F64, eye: F64, keys: F64, order: I64, spare: I64) -> None:
    """Numbers of points, nearest first; equal distances by x, y, z, then number.

    Args:
        points: float64[n, 3] in blocks.
        eye: float64[3].
        keys: float64[n], scratch.
        order: int64[n], written.
        spare: int64[n], scratch.
    """
    for i in range(points.shape[0]):
        x, y, z = points[i, 0] - eye[0], points[i, 1] - eye[1], points[i, 2] - eye[2]
        keys[i] = x * x + y * y + z * z
    _rising(keys, order, spare)
    for at in range(order.shape[0]):
        moved, to = order[at], at
        while to > 0 and keys[order[to - 1]] == keys[moved] and _lower(points, moved, order[to - 1]):
            order[to] = order[to - 1]
            to -= 1
        order[to] = moved


@kernel(
    "int64(float64[:,::1], int64[::1], float64[:,::1], float64[::1], float64[::1], float64[::1], float64[:,::1],"
    " int64[::1])"
)
def project(points: F64, order: I64, matrix: F64, eye: F64, size_px: F64, depths: F64, screen: F64, inside: I64) -> int:
    """Where points lie in a picture; gives how many lie in it.

    Args:
        points: float64[n, 3] in blocks.
        order: int64[n] numbers of points.
        matrix: float64[4, 4] from the eye to clip space, for row vectors.
        eye: float64[3].
        size_px: float64[2] of the picture.
        depths: float64[2] of the near and the far plane.
        screen: float64[n, 2], written for those inside: pixels from the lower left corner.
        inside: int64[n], written: numbers of these, in that order.
    """
    many = nb.int64(0)
    for k in range(order.shape[0]):
        i = order[k]
        x, y, z = points[i, 0] - eye[0], points[i, 1] - eye[1], points[i, 2] - eye[2]
        deep = x * matrix[0, 3] + y * matrix[1, 3] + z * matrix[2, 3] + matrix[3, 3]
        if deep <= depths[0] or deep >= depths[1]:
            continue
        across = x * matrix[0, 0] + y * matrix[1, 0] + z * matrix[2, 0] + matrix[3, 0]
        up = x * matrix[0, 1] + y * matrix[1, 1] + z * matrix[2, 1] + matrix[3, 1]
        if abs(across) < deep and abs(up) < deep:
            screen[i, 0] = (across / deep * 0.5 + 0.5) * size_px[0]
            screen[i, 1] = (up / deep * 0.5 + 0.5) * size_px[1]
            inside[many] = i
            many += 1
    return many


@inner
def _free(x: float, y: float, wide: float, tall: float, gap: float, taken: F64, many: int) -> bool:
    """Whether a rectangle about a point lies on none that is taken."""
    left, low, right, high = x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2
    for k in range(many):
        beside = right + gap < taken[k, 0] or taken[k, 2] + gap < left
        if not (beside or high < taken[k, 1] or taken[k, 3] < low):
            return False
    return True


@inner
def _same(points: F64, a: int, b: int) -> bool:
    """Whether two points are one."""
    return points[a, 0] == points[b, 0] and points[a, 1] == points[b, 1] and points[a, 2] == points[b, 2]


@kernel(
    "int64(float64[:,::1], float64[:,::1], int64[::1], int64, int64, int32[:,::1], float64[::1], float64[:,::1],"
    " int64[::1], int32[:,::1], int64[::1])"
)
def place(
    points: F64,
    screen: F64,
    inside: I64,
    begin: int,
    end: int,
    extents: I32,
    cell: F64,
    taken: F64,
    chosen: I64,
    rows: I32,
    many: I64,
) -> int:
    """Goes on giving texts room, one after the other: whoever lies on nobody before gets it.

    Neighbours in ``inside`` that have one point, at most ``MOST_STACKED``, stand below each other and get it together.

    Args:
        points: float64[n, 3] in blocks.
        screen: float64[n, 2] middles in pixels.
        inside: int64[n] numbers of texts, first come first served.
        begin: the first of these.
        end: behind the last.
        extents: int32[n, 2] characters a row and rows of each text; below 0: at least so many, nobody knows yet.
        cell: float64[3] pixels of a character's width and height, and of the gap between two texts side by side.
        taken: float64[m, 4], written: rectangles of those with room, one a stack.
        chosen: int64[m], written: their numbers; no more than fit are chosen.
        rows: int32[m, 2], written: rows of its stack above each, and rows of the stack.
        many: int64[2] how many texts and rectangles there are, changed.

    Returns:
        The first in ``inside`` whose extent, or that of one of its stack, has to be known to go on; ``end`` where it
        is done.
    """
    at = nb.int64(begin)
    while at < end:
        i, behind = inside[at], at + 1
        while behind < end and behind - at < MOST_STACKED and _same(points, i, inside[behind]):
            behind += 1
        if many[0] + behind - at > chosen.shape[0]:
            return nb.int64(end)
        x, y = screen[i, 0], screen[i, 1]
        columns, tall, known = nb.int64(0), nb.int64(0), True
        for k in range(at, behind):
            columns = max(columns, nb.int64(abs(extents[inside[k], 0])))
            tall += abs(extents[inside[k], 1])
            known = known and extents[inside[k], 1] > 0
        wide, high = columns * cell[0], tall * cell[1]
        if _free(x, y, wide, high, cell[2], taken, many[1]):
            if not known:
                return nb.int64(at)
            taken[many[1], 0], taken[many[1], 1] = x - wide / 2, y - high / 2
            taken[many[1], 2], taken[many[1], 3] = x + wide / 2, y + high / 2
            many[1] += 1
            above = nb.int64(0)
            for k in range(at, behind):
                chosen[many[0]], rows[many[0], 0], rows[many[0], 1] = inside[k], above, tall
                above += extents[inside[k], 1]
                many[0] += 1
        at = behind
    return nb.int64(end)
