"""The walk from one eye over the sub-chunks that a straight line of sight can reach.

Theory (algorithms.md 4.4). A straight line is monotone on each axis, so it crosses sub-chunks by steps that lead away
from the eye, and each step adds one to the Manhattan distance. The walk goes level by level of that distance and
gathers, for each sub-chunk, all faces by which it was entered; when its level comes, they are final. It leaves by every
face that is connected with one of them. Nothing visible is lost, nothing is expanded twice.

Angle masks: a line that crosses a sub-chunk straight from one face to the opposite one moves 16 blocks along that axis
and at most 16 along the others. With d = sub-chunk's centre - eye, that is impossible where |d| on another axis is
larger than on this one (at the crossing's middle the line lies on the centre's plane, at most 8 (1 - slope) blocks
beside the centre, hence |d_other| <= slope |d| + 8 (1 - slope) <= |d| where |d| >= 8; with |d| < 8 the eye lies between
both faces). So the pair of faces is dropped.

Limits: 511 sub-chunks from the eye on each axis. 13 ns a place (measured).

Indices. None comes from outside: places beside are the store's table (or a server's square), and the eye only decides
where the seeds are, which callers find among their own places. The radius is cut to REACH by
``client.visibility``; a server grants 96 columns at most (``net.server.__main__``).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import jit as nb
from net.kernels.jit import kernel

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

EYE_INSIDE: Final = 64
"""Entry mask of the sub-chunk that holds the eye: it is left by every face."""

REACH: Final = 511
SEE_THROUGH: Final = 0x3F3F3F3F3F3F
NOT_X: Final = SEE_THROUGH & ~(1 << 1 | 1 << 8)
NOT_Z: Final = SEE_THROUGH & ~(1 << (2 * 8 + 3) | 1 << (3 * 8 + 2))
NOT_Y: Final = SEE_THROUGH & ~(1 << (4 * 8 + 5) | 1 << (5 * 8 + 4))
NOT_DOWN: Final = SEE_THROUGH & ~(0x101010101010 | 0xFF << 4 * 8)
"""All ways but those out of the bottom and in by it."""
EXPECTED_OPEN: Final = 1
EXPECTED_SURFACE: Final = 2
HALF: Final = 512
MOVES = np.array([-(1 << 20), 1 << 20, -1, 1, -(1 << 10), 1 << 10], np.int64)


@kernel(
    "int64(int32[:,::1], int32[::1], uint64[::1], uint8[::1], int32[::1], int64[::1], uint8[::1], float64, float64,"
    " float64, int64, int32[::1], int64[::1], uint8[::1])"
)
def walk(
    neighbours: npt.NDArray[np.int32],
    slot: npt.NDArray[np.int32],
    connectivity: npt.NDArray[np.uint64],
    expected_open: npt.NDArray[np.uint8],
    seeds: npt.NDArray[np.int32],
    seed_offsets: npt.NDArray[np.int64],
    seed_entries: npt.NDArray[np.uint8],
    eye_x: float,
    eye_y: float,
    eye_z: float,
    radius: int,
    order: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    entered: npt.NDArray[np.uint8],
) -> int:
    """Fills ``order`` with the places reached, level by level, and returns how many.

    ``seeds`` are places entered from nowhere, nearest level first, with ``seed_offsets`` from the eye's sub-chunk
    (packed: x + 512 << 20 | y + 512 << 10 | z + 512) and the faces entered by. ``eye_*`` is in blocks from the lowest
    corner of the eye's sub-chunk. ``expected_open`` places are passed whatever they show, those that are a expected
    surface not by their bottom. ``entered`` [places] is all 0 before and after; ``order`` and ``offsets`` have room
    for every place.
    """
    count = nb.int64(0)
    done = nb.int64(0)
    seeded = nb.int64(0)
    n_seeds = seeds.shape[0]
    for i in range(n_seeds):
        entered[seeds[i]] = seed_entries[i]
    level = nb.int64(0)
    while done < count or seeded < n_seeds:
        if done == count:
            p = seed_offsets[seeded]
            level = abs((p >> 20) - 512) + abs((p >> 10 & 1023) - 512) + abs((p & 1023) - 512)
        while seeded < n_seeds:
            p = seed_offsets[seeded]
            if abs((p >> 20) - 512) + abs((p >> 10 & 1023) - 512) + abs((p & 1023) - 512) > level:
                break
            order[count] = seeds[seeded]
            offsets[count] = p
            count += 1
            seeded += 1
        end = count
        while done < end:
            place = nb.int64(order[done])
            p = offsets[done]
            done += 1
            dx = (p >> 20) - 512
            dy = (p >> 10 & 1023) - 512
            dz = (p & 1023) - 512
            ways = nb.int64(entered[place])
            if ways & 64:
                out = nb.int64(63)
            else:
                v = nb.int64(connectivity[slot[place]])
                if expected_open[place] == EXPECTED_OPEN:
                    v |= nb.int64(SEE_THROUGH)
                elif expected_open[place] == EXPECTED_SURFACE:
                    v |= nb.int64(NOT_DOWN)
                if v == 0:
                    continue
                ax = abs(dx * 16 + 8 - eye_x)
                ay = abs(dy * 16 + 8 - eye_y)
                az = abs(dz * 16 + 8 - eye_z)
                if ay > ax or az > ax:
                    v &= NOT_X
                if ax > ay or az > ay:
                    v &= NOT_Y
                if ax > az or ay > az:
                    v &= NOT_Z
                out = nb.int64(0)
                for a in range(6):
                    if ways >> a & 1:
                        out |= v >> (8 * a)
                out &= 63
            if dx > 0 or dx == -radius:
                out &= ~1
            if dx < 0 or dx == radius:
                out &= ~2
            if dz > 0 or dz == -radius:
                out &= ~4
            if dz < 0 or dz == radius:
                out &= ~8
            if dy > 0 or dy == -511:
                out &= ~16
            if dy < 0 or dy == 511:
                out &= ~32
            for d in range(6):
                if out >> d & 1:
                    m = nb.int64(neighbours[place, d])
                    if m < 3:
                        continue
                    if entered[m] == 0:
                        order[count] = m
                        offsets[count] = p + MOVES[d]
                        count += 1
                    entered[m] |= 1 << (d ^ 1)
        level += 1
    for i in range(count):
        entered[order[i]] = 0
    return count
