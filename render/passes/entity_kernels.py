"""Kernels of entities: their rows for the GPU, and which of them a camera may see.

``tests/support/reference/entity_rows.py`` has the plain reference of each kernel.

Indices. None comes from outside: all arrays have one row an entity.
"""

from math import floor, sqrt
from typing import Final

import numpy as np

from net.arrays import F32, F64, I32, I64, U32, Bools
from net.kernels.jit import inner, kernel

WORDS: Final = 16
"""Of a row (``passes.entities``)."""
FURTHEST_BLOCKS: Final = float(1 << 30)
"""Positions and offsets of this size or more are not drawn."""
OLDEST_US: Final = 1 << 30
"""Older moves count as this old."""
MOST_DEGREES: Final = np.float32(1e6)
UNITS_A_DEGREE: Final = np.float32(65536 / 360)
PLANES: Final = 6


@inner
def _angles(angles: F32, i: int) -> int:
    """Pitch and head's yaw of one row as halves of a word; NaN, or a value beyond all turns, gives 0."""
    word = 0
    for half in range(2):
        angle = angles[i, 2 * half]
        if abs(angle) < MOST_DEGREES:
            word |= (int(np.rint(angle * UNITS_A_DEGREE)) & 0xFFFF) << 16 * half
    return word


@kernel(
    "void(float64[:,::1], float64[:,::1], boolean[::1], float32[:,::1], float32[:,::1], int64[::1], boolean[::1], "
    "float64[::1], float64[::1], int64, uint32[:,::1], float32[:,::1], float64[:,::1], float64[::1])"
)
def place_rows(
    position: F64,  # [n, 3] feet after the last move, each below ``FURTHEST_BLOCKS``
    before: F64,  # [n, 3] feet when the move came; any value, as the server sent it
    teleported: Bools,  # [n] rows that are at ``position`` at once
    angles: F32,  # [n, 3] pitch, yaw, head's yaw in degrees, any value
    angles_before: F32,  # [n, 3] when the move came
    moved_at: I64,  # [n] time of the move, in microseconds
    fixed: Bools,  # [n] rows whose last word is not an angle
    rises: F64,  # [n] height of each middle above the feet
    standing: F64,  # [n] radius of the ball of a row that does not move
    since_us: int,  # start of the times of moves
    words: U32,  # [n, 16], written, except the words of ``EntityForms``
    floats: F32,  # [n, 16], the same memory
    middles: F64,  # [3, n], written
    radii: F64,  # [n], written
) -> None:
    """Writes the columns of motion into packed rows, and a ball around everything drawn for a row while it moves."""
    for i in range(position.shape[0]):
        reach = 0.0
        for axis in range(3):
            reach += abs(before[i, axis] - position[i, axis])
        moves = not teleported[i] and reach < FURTHEST_BLOCKS  # false for NaN
        square = 0.0
        for axis in range(3):
            at = position[i, axis]
            block = floor(at)
            back = before[i, axis] - at if moves else 0.0
            words[i, axis] = int(block) & 0xFFFFFFFF
            floats[i, 4 + axis] = at - block
            floats[i, 8 + axis] = back
            middles[axis, i] = at + 0.5 * back
            square += back * back
        words[i, 3] = max(moved_at[i] - since_us, -OLDEST_US) & 0xFFFFFFFF
        turned = _angles(angles, i)
        words[i, 11] = _angles(angles_before, i) if moves else turned
        if not fixed[i]:
            words[i, 15] = turned
        middles[1, i] += rises[i]
        radii[i] = standing[i] + 0.5 * sqrt(square)


@kernel("int64(float64[:,::1], float64[::1], float64[:,::1], float64[::1], boolean[::1], int32[::1])")
def take_seen(
    planes: F64,  # [6, 4] of the frustum, relative to the eye; normals of unit length point inside
    eye: F64,  # [3] in blocks
    middles: F64,  # [3, n] of the balls, in blocks
    radii: F64,  # [n] of the balls
    has_two: Bools,  # [n] rows with a second box
    seen: I32,  # [n], the first ones written
) -> int:
    """Finds rows whose ball reaches into a frustum, those with two boxes first, each by number; returns how many."""
    many = 0
    for boxes in (2, 1):
        for i in range(radii.shape[0]):
            if has_two[i] != (boxes == 2):
                continue
            x, y, z = middles[0, i] - eye[0], middles[1, i] - eye[1], middles[2, i] - eye[2]
            inside = True
            for plane in range(PLANES):
                away = planes[plane, 0] * x + planes[plane, 1] * y + planes[plane, 2] * z + planes[plane, 3]
                if not away >= -radii[i]:
                    inside = False
                    break
            if inside:
                seen[many] = i
                many += 1
    return many
