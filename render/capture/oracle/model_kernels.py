"""Where a ray meets the quads of a model, and which of them its neighbours let show.

Indices. None comes from outside: a model's quads are a part of the oracle's own tables.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import inner
from render.capture.oracle.block_kernels import STEP_X, STEP_Z, Blocks, Doubles, beside, block_at, covers, id_of

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

NEVER: Final = -1.0
CLEAR: Final = 2
BACKS: Final = 1.0004
"""How much farther than it is a box's side counts that is seen from within: what lies in its plane and looks to the eye
is nearer (``shaders/include/quads.glsl``)."""
HIDDEN_BY_LIKE, UNLINKED, TRAIL, UPWARD = 1, 2, 4, 8
"""Bits of ``Surfaces.rules[:, 4]``: a like neighbour hides it too; it shows where the direction does not connect; it
runs on over the edge of the block beside, up or down; it shows only where it runs up."""


class Surfaces(NamedTuple):
    """What blocks look like; ``looks.Looks`` says what each of these is. ``heights``: scratch of 4."""

    filling: int
    sides: npt.NDArray[np.int32]
    alpha: npt.NDArray[np.uint8]
    model_rows: npt.NDArray[np.int32]
    corners: Doubles
    pictures: npt.NDArray[np.int32]
    rules: npt.NDArray[np.uint8]
    turns: npt.NDArray[np.uint16]
    door_ids: npt.NDArray[np.uint16]
    groups: npt.NDArray[np.uint8]
    heights: Doubles


@inner
def is_solid(alpha: npt.NDArray[np.uint8], layer: int, masked: int, u: float, v: float) -> bool:
    """Whether a texel covers; u, v in sixteenths of a texture, any whole texture added."""
    if masked:
        return True
    side = alpha.shape[1]  # of pictures: 16, or more under resource packs
    row, column = nb.int64(np.floor(v * side / 16.0)), nb.int64(np.floor(u * side / 16.0))
    return alpha[layer, row & side - 1, column & side - 1] >= 128


@inner
def model_hit(
    looks: Surfaces, k: int, ex: float, ey: float, ez: float, dx: float, dy: float, dz: float
) -> tuple[float, float]:  # fmt: skip
    """Where a ray meets a model's quad, in lengths of its direction, NEVER where it does not; and as what it counts.

    ``e`` is the eye relative to the block, ``d`` the direction, both in blocks.
    """
    corners, pictures = looks.corners, looks.pictures
    ux, uy, uz = corners[k, 3], corners[k, 4], corners[k, 5]
    vx, vy, vz = corners[k, 6], corners[k, 7], corners[k, 8]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    across = dx * nx + dy * ny + dz * nz
    away = across > 0.0 and pictures[k, 6] == 0
    if across == 0.0 or (away and pictures[k, 5] == CLEAR):  # what one sees through shows from outside
        return NEVER, NEVER
    ox, oy, oz = corners[k, 0] - ex, corners[k, 1] - ey, corners[k, 2] - ez
    t = (ox * nx + oy * ny + oz * nz) / across
    px, py, pz = dx * t - ox, dy * t - oy, dz * t - oz
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    uv, pu, pv = ux * vx + uy * vy + uz * vz, px * ux + py * uy + pz * uz, px * vx + py * vy + pz * vz
    area = uu * vv - uv * uv
    s, r = (pu * vv - pv * uv) / area, (pv * uu - pu * uv) / area
    if t <= 0.0 or s < 0.0 or s > 1.0 or r < 0.0 or r > 1.0:
        return NEVER, NEVER
    u = pictures[k, 0] + s * (pictures[k, 2] - pictures[k, 0])
    v = pictures[k, 1] + r * (pictures[k, 3] - pictures[k, 1])
    if not is_solid(looks.alpha, nb.int64(pictures[k, 4]), nb.int64(pictures[k, 5]), u, v):
        return NEVER, NEVER
    return t, t * BACKS if away else t


@inner
def stairs_at(blocks: Blocks, looks: Surfaces, x: int, y: int, z: int, d: int) -> int:
    """How stairs next to a block stand, 0 where there are none."""
    return nb.int64(looks.turns[id_of(blocks, beside(blocks, x, y, z, d)), 0])


@inner
def stairs_bend(blocks: Blocks, looks: Surfaces, own: int, x: int, y: int, z: int) -> int:
    """0 straight; where they meet others that stand across: 1, 2 outer left and right, 3, 4 inner left and right.

    Those behind their high side bend them outwards, unless stairs like them stand on the side it looks away from; those
    before them inwards, unless such stand on the side it looks to.
    """
    stands = nb.int64(looks.turns[own, 0])
    high = (stands - 1) & 3
    for inward in range(2):
        other = stairs_at(blocks, looks, x, y, z, high if inward == 0 else high ^ 1)
        if other == 0 or ((other - 1) ^ (stands - 1)) & 4:
            continue
        to = (other - 1) & 3
        if (to < 2) == (high < 2):
            continue
        if stairs_at(blocks, looks, x, y, z, to if inward else to ^ 1) == stands:
            continue
        # Left of who looks south is east, of east north, of north west, of west south.
        left = (high == 3 and to == 1) or (high == 1 and to == 2) or (high == 2 and to == 0) or (high == 0 and to == 3)
        return 2 * inward + (1 if left else 2)
    return 0


@inner
def whole_door(blocks: Blocks, looks: Surfaces, own: int, x: int, y: int, z: int) -> int:
    """The id of the door that a half shows, both halves known; the half's own where the other is missing."""
    mine = nb.int64(looks.turns[own, 1])
    upper = mine >> 4 & 1
    half = nb.int64(looks.turns[id_of(blocks, block_at(blocks, x, y + 1 - 2 * upper, z)), 1])
    if half >> 5 != mine >> 5 or (half >> 4 & 1) == upper:
        return own
    hung, swung = (half, mine) if upper == 0 else (mine, half)
    return nb.int64(looks.door_ids[(half >> 5) * 32 + upper * 16 + (hung & 8) + (swung & 7)])


@inner
def are_like(blocks: Blocks, looks: Surfaces, own: int, at: int) -> bool:
    """Whether a block is of the group of another, which is in one."""
    return looks.groups[own] != 0 and looks.groups[id_of(blocks, at)] == looks.groups[own]


@inner
def connects(blocks: Blocks, looks: Surfaces, own: int, k: int, x: int, y: int, z: int) -> bool:
    """Whether what lies in a quad's direction connects with it."""
    link = nb.int64(looks.rules[k, 1])
    more = nb.int64(looks.rules[k, 4])
    other = beside(blocks, x, y, z, link)
    wall = covers(blocks, other)
    up = wall and not covers(blocks, block_at(blocks, x, y + 1, z))
    up = up and are_like(blocks, looks, own, block_at(blocks, x + STEP_X[link], y + 1, z + STEP_Z[link]))
    if more & UPWARD:
        return up
    if more & TRAIL:
        if wall:
            return up
        down = block_at(blocks, x + STEP_X[link], y - 1, z + STEP_Z[link])
        return are_like(blocks, looks, own, other) or are_like(blocks, looks, own, down)
    return are_like(blocks, looks, own, other) or (wall and looks.rules[k, 2] == 0)


@inner
def nearest_quad(
    blocks: Blocks,
    looks: Surfaces,
    own: int,
    x: int,
    y: int,
    z: int,
    past: float,
    eye: Doubles,
    dx: float,
    dy: float,
    dz: float,
) -> tuple[float, float, bool]:
    """Where a ray first meets a model's quads that its neighbours let show, behind ``past``; infinite: none.

    Then as how far that counts (so does ``past``), and whether one sees through what it meets.
    """
    best = np.inf
    best_order = np.inf
    clear = False
    bend = nb.int64(0)
    shown = own
    if looks.turns[own, 0]:
        bend = stairs_bend(blocks, looks, own, x, y, z)
    if looks.turns[own, 1]:
        shown = whole_door(blocks, looks, own, x, y, z)
    for k in range(looks.model_rows[shown, 0], looks.model_rows[shown, 1]):
        if nb.int64(looks.rules[k, 3]) >> bend & 1:
            continue
        cull = nb.int64(looks.rules[k, 0])
        more = nb.int64(looks.rules[k, 4])
        if cull < 6:
            hider = beside(blocks, x, y, z, cull)
            if covers(blocks, hider) or (more & HIDDEN_BY_LIKE and are_like(blocks, looks, own, hider)):
                continue
        if looks.rules[k, 1] < 6 and connects(blocks, looks, own, k, x, y, z) == (more & UNLINKED != 0):
            continue
        hit, order = model_hit(looks, k, eye[0] - x, eye[1] - y, eye[2] - z, dx, dy, dz)
        if max(past, 0.0) < order < best_order:
            best, best_order = hit, order
            clear = looks.pictures[k, 5] == CLEAR
    return best, best_order, clear
