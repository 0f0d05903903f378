"""What draw lists are made of, mesh by mesh: the order of an eye, what a look shows of it, and that as runs of quads.

One pass each over meshes in the order they are drawn in. NumPy, with its 1 to 3 us a call and an array for every step,
took 13 ms for 13,000 meshes when the eye moved; these take under one.
"""

from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from net.space import casts as nb
from net.space.jit import inner, kernel
from render.mesh.quads import CUBE_GROUPS, CUBE_WORDS, MODEL_WORDS, Group

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

WIDE: Final = 16
TALL: Final = 32
"""Blocks of a render cell."""
BUCKETS: Final = 1 << 14
"""Of distances: about as many as there are meshes."""
FACES: Final = 6
CUTOUT: Final = int(Group.CUTOUT)
TRANSLUCENT: Final = int(Group.TRANSLUCENT)
LIQUID: Final = int(Group.LIQUID)
MODEL: Final = int(Group.MODEL)
SLOPE: Final = int(Group.SLOPE)
CUBES: Final = CUBE_GROUPS
A_MODEL: Final = MODEL_WORDS // CUBE_WORDS
TOTALS: Final = 8
"""Runs of opaque, cut-out, model, translucent and sloping quads; steps; meshes; quads."""


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
    """Puts cells in order by the distance of their middles from an eye, then by position.

    Sorts into buckets of distances, which keep their order under rounding, and each by insertion.

    Args:
        cells: int32[n, 3], each once.
        x: of the eye, in blocks.
        y: likewise.
        z: likewise.
        distance: float64[n], written: squares, in blocks.
        heads: int32[``BUCKETS`` + 1], written.
        order: int64[n], written.
    """
    count = cells.shape[0]
    if count == 0:
        return
    least, most = np.inf, 0.0
    for i in range(count):
        dx, dy, dz = cells[i, 0] * WIDE + 8.0 - x, cells[i, 1] * TALL + 16.0 - y, cells[i, 2] * WIDE + 8.0 - z
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


@kernel("int64(int32[:,::1], float64, float64, float64, float64[:,::1], float64, boolean[::1])")
def see_cells(cells: I32, x: float, y: float, z: float, planes: F64, margin: float, shown: Flags) -> int:
    """Which cells a look may show; how many of them showed otherwise before.

    Args:
        cells: int32[n, 3].
        x: of the eye, in blocks.
        y: likewise.
        z: likewise.
        planes: float64[6, 4], normals inward, relative to the eye.
        margin: blocks by which a cell counts as larger on each side.
        shown: bool[n], written.
    """
    changed = nb.int64(0)
    for i in range(cells.shape[0]):
        dx, dy, dz = cells[i, 0] * WIDE - x + 8.0, cells[i, 1] * TALL - y + 16.0, cells[i, 2] * WIDE - z + 8.0
        inside = True
        for plane in range(6):
            a, b, c = planes[plane, 0], planes[plane, 1], planes[plane, 2]
            reach = (abs(a) + abs(c)) * (8.0 + margin) + abs(b) * (16.0 + margin)
            if dx * a + dy * b + dz * c + planes[plane, 3] + reach < 0.0:
                inside = False
                break
        changed += shown[i] != inside
        shown[i] = inside
    return changed


@inner
def _put(runs: I32, at: int, first: int, quads: int) -> int:
    """Adds a run of quads, if there are any; how many runs there are then."""
    if quads == 0:
        return at
    runs[0, at], runs[1, at] = first, quads
    return at + 1


@inner
def _put_facing(runs: I32, at: int, first: int, counts: I32, mesh: int, faces: int) -> int:
    """Adds a mesh's opaque quads of the faces in a bit set; groups that lie behind each other become one run."""
    begun = at
    for face in range(FACES):
        quads = nb.int64(counts[mesh, face])
        if quads and faces >> face & 1:
            if at > begun and runs[0, at - 1] + runs[1, at - 1] == first:
                runs[1, at - 1] += quads
            else:
                runs[0, at], runs[1, at] = first, quads
                at += 1
        first += quads
    return at


@kernel(
    "void(int32[:,::1], int64[::1], int32[:,::1], float64, float64, float64, boolean[::1], boolean[::1], int32[::1],"
    " int32[:,::1], int32[:,::1], int32[:,::1], int32[:,::1], int32[:,::1], int32[:,::1], int64[::1])"
)
def pick_runs(
    cells: I32,
    first_units: I64,
    counts: I32,
    x: float,
    y: float,
    z: float,
    shown: Flags,
    near: Flags,
    shining: I32,
    opaque: I32,
    cutout: I32,
    models: I32,
    translucent: I32,
    slopes: I32,
    steps: I32,
    totals: I64,
) -> None:
    """The runs of the meshes that a look shows.

    Args:
        cells: int32[n, 3], nearest first.
        first_units: int64[n] where each mesh begins in the arena.
        counts: int32[n, 11] its quads by group.
        x: of the eye, in blocks.
        y: likewise.
        z: likewise.
        shown: bool[n] meshes that are drawn.
        near: bool[n] those whose translucent quads are drawn one by one, by somebody else.
        shining: int32[n], written over.
        opaque: int32[2, 3 n], written: first units and quads of faces that can look at the eye, nearest mesh first.
        cutout: int32[2, n], likewise.
        models: int32[2, n], likewise.
        translucent: int32[2, n], written: farthest mesh first.
        slopes: int32[2, n], likewise.
        steps: int32[n + 1, 4], written: how the last two are drawn by turns, see ``frame_list``.
        totals: int64[``TOTALS``], written: how many of each.
    """
    of_opaque = of_cutout = of_models = of_shining = drawn = quads = nb.int64(0)
    for i in range(cells.shape[0]):
        if not shown[i]:
            continue
        left, below, back = cells[i, 0] * WIDE, cells[i, 1] * TALL, cells[i, 2] * WIDE
        faces = nb.int64(x < left + WIDE) | nb.int64(x > left) << 1
        faces |= nb.int64(z < back + WIDE) << 2 | nb.int64(z > back) << 3
        faces |= nb.int64(y < below + TALL) << 4 | nb.int64(y > below) << 5
        of_opaque = _put_facing(opaque, of_opaque, first_units[i], counts, i, faces)
        behind = nb.int64(0)
        for group in range(FACES):
            behind += counts[i, group]
        of_cutout = _put(cutout, of_cutout, first_units[i] + behind, nb.int64(counts[i, CUTOUT]))
        behind += counts[i, CUTOUT] + counts[i, TRANSLUCENT] + counts[i, LIQUID]
        of_models = _put(models, of_models, first_units[i] + behind, nb.int64(counts[i, MODEL]))
        quads += behind + counts[i, MODEL] + counts[i, SLOPE]
        drawn += 1
        if not near[i] and counts[i, TRANSLUCENT] + counts[i, LIQUID] + counts[i, SLOPE]:
            shining[of_shining] = i
            of_shining += 1
    of_level = of_slopes = of_steps = turned = nb.int64(0)
    for at in range(of_shining - 1, -1, -1):
        i = nb.int64(shining[at])
        behind = first_units[i]
        for group in range(TRANSLUCENT):
            behind += counts[i, group]
        level = nb.int64(counts[i, TRANSLUCENT] + counts[i, LIQUID])
        of_level = _put(translucent, of_level, behind, level)
        if counts[i, SLOPE]:
            of_slopes = _put(slopes, of_slopes, behind + level + counts[i, MODEL] * A_MODEL, nb.int64(counts[i, SLOPE]))
            if of_steps and turned == of_level:
                steps[of_steps - 1, 3] += 1
            else:
                steps[of_steps, 0], steps[of_steps, 1] = turned, of_level - turned
                steps[of_steps, 2], steps[of_steps, 3] = of_slopes - 1, 1
                of_steps += 1
            turned = of_level
    if turned < of_level:
        steps[of_steps, 0], steps[of_steps, 1] = turned, of_level - turned
        steps[of_steps, 2], steps[of_steps, 3] = of_slopes, 0
        of_steps += 1
    totals[0], totals[1], totals[2], totals[3], totals[4] = of_opaque, of_cutout, of_models, of_level, of_slopes
    totals[5], totals[6], totals[7] = of_steps, drawn, quads
