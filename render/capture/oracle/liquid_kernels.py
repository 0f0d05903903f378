"""Where a ray meets a liquid: its surface over four corners, and its sides under that.

Indices. None comes from outside: what stands beside is found by ``block_at``.
"""

from typing import Final

import numpy as np

from net.kernels import casts as nb
from net.kernels.jit import inner
from render.capture.oracle.block_kernels import Blocks, Doubles, block_at, covers, level_of, liquid_of

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

CLOSE: Final = 1e-9
SURFACES: Final = 0.9998
SIDES: Final = 1.0002
"""How much farther than they are liquids count beside what lies in their planes (``shaders/include/quads.glsl``)."""
SURFACE: Final = 0.875
"""How high a full liquid stands in its block where nothing is above it, nor above those around it."""


@inner
def corner_height(blocks: Blocks, kind: int, x: int, y: int, z: int) -> float:
    """How high a liquid stands at a block's north-western lower corner, in blocks: whole sixteenths, at least one.

    Whole where one of the four blocks that meet there has the same above. Else the mean of the four: wet ones as their
    level says, full ones ten times; others that cover nothing, another liquid too, as empty; the rest not at all.
    """
    share = 0.0
    of = 0.0
    for dx in range(2):
        for dz in range(2):
            at = block_at(blocks, x - dx, y, z - dz)
            if liquid_of(blocks, at) == kind:
                if liquid_of(blocks, block_at(blocks, x - dx, y + 1, z - dz)) == kind:
                    return 1.0
                level = level_of(blocks, at)
                times = 10.0 if level == 1.0 else 1.0
                share += times * level
                of += times
            elif not covers(blocks, at):
                of += 1.0
    return max(np.floor(share * SURFACE * 16.0 / of + 0.5), 1.0) / 16.0


@inner
def surface_hit(
    heights: Doubles,
    past: float,
    at: float,
    leaves: float,
    ex: float,
    ey: float,
    ez: float,
    dx: float,
    dy: float,
    dz: float,
) -> float:
    """Where a ray meets the surface of a liquid, behind ``past`` and between ``at`` and ``leaves``; infinite: nowhere.

    ``heights`` of the corners (0,0) (0,1) (1,0) (1,1) by x, z. The surface is two triangles, which meet in the
    edge from north-west to south-east where it falls more along x than along z, else in the other one.
    """
    east = heights[0] + heights[1] - heights[2] - heights[3]
    south = heights[0] + heights[2] - heights[1] - heights[3]
    best = np.inf
    for part in range(2):
        # height = a + b x + c z on each triangle
        if abs(east) > abs(south):  # the edge from (0,0) to (1,1)
            a = heights[0]
            b = heights[2] - heights[0] if part == 0 else heights[3] - heights[1]
            c = heights[3] - heights[2] if part == 0 else heights[1] - heights[0]
        else:  # the edge from (0,1) to (1,0)
            b = heights[2] - heights[0] if part == 0 else heights[3] - heights[1]
            c = heights[1] - heights[0] if part == 0 else heights[3] - heights[2]
            a = heights[0] if part == 0 else heights[1] + heights[2] - heights[3]
        slant = dy - b * dx - c * dz
        if slant == 0.0:
            continue
        t = (a + b * ex + c * ez - ey) / slant
        if t < at - CLOSE or t > leaves + CLOSE or t <= past + CLOSE or t >= best:
            continue
        px, pz = ex + dx * t, ez + dz * t
        over = px - pz if abs(east) > abs(south) else 1.0 - px - pz
        if (over if part == 0 else -over) >= -CLOSE:
            best = min(max(t, at), leaves)
    return best


@inner
def side_shows(heights: Doubles, face: int, px: float, py: float, pz: float) -> bool:
    """Whether a point in a side of a block lies under the surface of its liquid."""
    if face == 4:
        return True
    if face < 2:
        first, second, along = heights[2 * face], heights[2 * face + 1], pz
    else:
        first, second, along = heights[face - 2], heights[face], px
    return py <= first + (second - first) * along


@inner
def wet_hit(
    blocks: Blocks,
    heights: Doubles,
    x: int,
    y: int,
    z: int,
    here: int,
    before: int,
    face: int,
    at: float,
    past: float,
    leaves: float,
    eye: Doubles,
    dx: float,
    dy: float,
    dz: float,
) -> tuple[float, int]:
    """Where a ray first meets the liquid of a wet block, and the face it meets; as ``surface_kernels.surface_in``."""
    kind = liquid_of(blocks, here)
    for k in range(4):
        heights[k] = corner_height(blocks, kind, x + (k >> 1), y, z + (k & 1))
    ex, ey, ez = eye[0] - x, eye[1] - y, eye[2] - z
    above = block_at(blocks, x, y + 1, z)
    lowest = min(heights[0], heights[1], heights[2], heights[3])
    side_at = surface_at = np.inf
    if face < 5 and past < at * SIDES and not covers(blocks, before) and liquid_of(blocks, before) != kind:
        if side_shows(heights, face, ex + dx * at, ey + dy * at, ez + dz * at):
            side_at = at
    if liquid_of(blocks, above) != kind and not (covers(blocks, above) and lowest == 1.0):
        surface_at = surface_hit(heights, past / SURFACES, at, leaves, ex, ey, ez, dx, dy, dz)
    if surface_at * SURFACES < side_at * SIDES:
        return surface_at, nb.int64(5)
    return side_at, face
