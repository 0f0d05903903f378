"""One ray after another through the blocks of a store (Amanatides and Woo's traversal: one face crossed a step).

Rules:
1. A ray goes from block to block over the nearest face; where faces tie, x goes before y and y before z.
2. It ends in the first block that stops it, in the first placeholder, where no column is known, past the roof or the
   floor for good, or out of reach. Over the roof and under the floor is open.
3. Nothing is skipped: air costs 5.4 ns a block (measured), and a short cut would be one more thing to get wrong.
4. What a block does to a ray is its ``stops`` code (``codes``). CUBE and PASS need nothing more; the others ask for the
   texel that is met, the block before it, the surface of a liquid, or the quads of a model: ``surface_in``.

What is drawn, said once more from the blocks' side (shaders and meshes are not read here):
  GLASS shows a side where a block of another kind is before it. CUTOUT shows every side that a ray can come through;
  its holes are holes. LIQUID fills its block up to a surface over its four corners (``corner_height``), unless there is
  the same above; where like liquids meet there are no sides. From inside, nothing but the surface shows; a surface that
  an opaque block lies on does not. A block of another class, or air, may hold water in its second layer.
  A MODEL is quads, seen from both sides, but for panes that one sees through; an opaque neighbour hides some of them,
  a like one brings others, and hides inner sides of such panes.
  In one plane, what looks to the eye is before the backs of boxes, surfaces of liquids before what stands in them, and
  that before their sides: each is met as a hair nearer or farther than it is, which may reach into the next block.
  A placeholder hides sides as an opaque block does, and so does where no column is: a ray that passes either (for it
  ``placeholder_slot`` is negative) sees no side that looks at it.

Indices. None comes from outside: what a ray meets is found by ``block_at``.

Block kernels: What rays ask of the blocks they are in: what a block is, whether it hides, what liquid it holds.

Rules:
1. A block is named ``place << 12 | cell``; -1 over the roof and under the floor, -2 where no column is.
2. Wet is a block that is liquid, or whose second layer is; blocks that fill their cell, opaque or translucent, are dry,
   and so are placeholders. What a second layer holds counts as water.
3. Nothing of this is read from masks, which the meshes are made with.

Indices. None comes from outside: a position is compared with the grid and the dimension's height, ids are the store's.

Surface kernels: Where a ray first meets something in one block: a side, its texels, quads of a model, a liquid in
either layer.

Indices. None comes from outside: faces and texels are cut to a side's own.

Liquid kernels: Where a ray meets a liquid: its surface over four corners, and its sides under that.

Indices. None comes from outside: what stands beside is found by ``block_at``.

Model kernels: Where a ray meets the quads of a model, and which of them its neighbours let show.

Indices. None comes from outside: a model's quads are a part of the oracle's own tables.

Codes: What a block does to a ray, by number: ``stops`` of its dense id (``cast.cast``), as kernels read it.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from net.kernels import jit as nb
from net.kernels.jit import inner, kernel

# mypy: disable-error-code="no-any-return"


# ---------------------------------------------------------------- block kernels

# Numba's casts are Any to mypy.

ABSENT: Final = -1
UNKNOWN: Final = -2
DRY: Final = 0
WATER: Final = 1
STEP_X, STEP_Y, STEP_Z = (-1, 1, 0, 0, 0, 0), (0, 0, 0, 0, -1, 1), (0, 0, -1, 1, 0, 0)

Doubles = npt.NDArray[np.float64]


class Blocks(NamedTuple):
    """The store, as rays read it."""

    # int32[width, depth] the store's row of each column from ``low_x``, ``low_z`` on, 0 where there is none
    rows: npt.NDArray[np.int32]
    low_x: int  # of the westernmost column
    low_z: int  # of the northernmost one
    floor: int  # the lowest sub-chunk's y
    sections: int  # how many there are above each other
    slot: npt.NDArray[np.int32]  # int32[places] in ``ids``
    ids: npt.NDArray[np.uint16]  # uint16[slots, 4096] dense ids
    layer1_slot: npt.NDArray[np.int32]  # int32[places] in ``layer1``, 0 for none
    layer1: npt.NDArray[np.uint16]  # uint16[slots, 4096]
    first_full: int  # the lowest dense id of a translucent block: from it on blocks fill their cells
    first_liquid: int  # the lowest dense id of one
    first_cover: int  # ids from it on hide what is behind them; the placeholder is the first
    liquids: npt.NDArray[np.uint8]  # uint8[dense ids] kinds of liquids, WATER or another
    amounts: npt.NDArray[np.uint8]  # uint8[dense ids] eighths of a block that a liquid fills


@inner
def block_at(blocks: Blocks, x: int, y: int, z: int) -> int:
    """The block there, ABSENT over the roof and under the floor, UNKNOWN where no column is."""
    section = (y >> 4) - blocks.floor
    if section < 0 or section >= blocks.sections:
        return nb.int64(-1)
    column_x = (x >> 4) - blocks.low_x
    column_z = (z >> 4) - blocks.low_z
    if column_x < 0 or column_x >= blocks.rows.shape[0] or column_z < 0 or column_z >= blocks.rows.shape[1]:
        return nb.int64(-2)
    row = nb.int64(blocks.rows[column_x, column_z])
    if row == 0:
        return nb.int64(-2)
    return (row * blocks.sections + section) << 12 | (x & 15) << 8 | (z & 15) << 4 | (y & 15)


@inner
def beside(blocks: Blocks, x: int, y: int, z: int, d: int) -> int:
    """As ``block_at``, one step in a direction."""
    return block_at(blocks, x + STEP_X[d], y + STEP_Y[d], z + STEP_Z[d])


@inner
def id_of(blocks: Blocks, at: int) -> int:
    """Its dense id; air where there is none."""
    return nb.int64(blocks.ids[blocks.slot[at >> 12], at & 4095]) if at >= 0 else nb.int64(0)


@inner
def covers(blocks: Blocks, at: int) -> bool:
    """Whether it hides what is behind it: opaque, a placeholder, or unloaded."""
    if at < 0:
        return at == -2
    return id_of(blocks, at) >= blocks.first_cover


@inner
def soaks(blocks: Blocks, at: int) -> int:
    """The id of the liquid in its second layer, 0 for none."""
    second = nb.int64(blocks.layer1_slot[at >> 12])
    if second == 0:
        return nb.int64(0)
    id_ = nb.int64(blocks.layer1[second, at & 4095])
    return id_ if blocks.first_liquid <= id_ < blocks.first_cover else nb.int64(0)


@inner
def liquid_of(blocks: Blocks, at: int) -> int:
    """The kind of the liquid it holds, DRY for none."""
    own = id_of(blocks, at)
    if at < 0 or own >= blocks.first_cover:
        return nb.int64(0)
    if own >= blocks.first_liquid:
        return nb.int64(blocks.liquids[own])
    return nb.int64(1) if own < blocks.first_full and soaks(blocks, at) else nb.int64(0)


@inner
def level_of(blocks: Blocks, at: int) -> float:
    """How much of a wet block its liquid fills."""
    own = id_of(blocks, at)
    return blocks.amounts[own if own >= blocks.first_liquid else soaks(blocks, at)] / 8.0


# ---------------------------------------------------------------- liquid kernels

# Numba's casts are Any to mypy.

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


# ---------------------------------------------------------------- model kernels

# Numba's casts are Any to mypy.

NEVER: Final = -1.0
CLEAR: Final = 2
SCATTERS: Final = 6
"""Instead of a direction that must connect: the quad stands aside by its block's column."""
BACKS: Final = 1.0004
"""How much farther than it is a box's side counts that is seen from within: what lies in its plane and looks to the eye
is nearer (``shaders/include/quads.glsl``)."""
HIDDEN_BY_LIKE, UNLINKED, TRAIL, UPWARD = 1, 2, 4, 8
"""Bits of ``Surfaces.rules[:, 4]``: a like neighbour hides it too; it shows where the direction does not connect; it
runs on over the edge of the block beside, up or down; it shows only where it runs up."""


class Surfaces(NamedTuple):
    """What blocks look like; ``cast.Looks`` says what each of these is. ``heights``: scratch of 4."""

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
def scrambled(x: int, z: int) -> int:
    """A number by a block's column, of which fifths say how far aside plants stand."""
    mixed = (x * 40503 + z * 34283 + 693) % 65536
    mixed = (mixed ^ mixed // 128) * 11291 % 65536
    return nb.int64(mixed ^ mixed // 512)


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
        ex, ez = eye[0] - x, eye[2] - z
        if looks.rules[k, 1] == SCATTERS:
            mixed = scrambled(x & 15, z & 15)
            ex -= (mixed % 5 - 2) / 16.0
            ez -= (mixed // 5 % 5 - 2) / 16.0
        hit, order = model_hit(looks, k, ex, eye[1] - y, ez, dx, dy, dz)
        if max(past, 0.0) < order < best_order:
            best, best_order = hit, order
            clear = looks.pictures[k, 5] == CLEAR
    return best, best_order, clear


# ---------------------------------------------------------------- codes

PASS: Final = 0
CUBE: Final = 1
GLASS: Final = 2
CUTOUT: Final = 3
LIQUID: Final = 4
MODEL: Final = 5
HOLE: Final = 6
SOAKED: Final = 7
"""No code of a block: air with water in its second layer."""


# ---------------------------------------------------------------- surface kernels

# Numba's casts are Any to mypy.

NO_FACE: Final = 6
"""The face of a block that the ray began in, and of every model."""


@inner
def cube_texel(face: int, px: float, py: float, pz: float) -> tuple[float, float]:
    """Texture coordinates in sixteenths of a point on a cube's face, as the head of ``vertex_format`` gives them."""
    if face < 2:
        return (pz if face == 0 else -pz) * 16.0, -py * 16.0
    if face < 4:
        return (px if face == 3 else -px) * 16.0, -py * 16.0
    return px * 16.0, pz * 16.0


@inner
def turned(face: int, x: int, y: int, z: int, u: float, v: float) -> tuple[float, float]:
    """Texture coordinates of a picture that is mirrored by its block's place, on level faces rotated as well."""
    mixed = ((x & 63) * 0x9E3779B1 + (y & 63) * 0x85EBCA77 + (z & 63) * 0xC2B2AE3D) & 0xFFFFFFFF
    mixed = ((mixed ^ mixed >> 15) * 0x7FEB352D) & 0xFFFFFFFF
    turn = mixed >> 29
    if face >= 4 and turn & 4:
        u, v = v, u
    return -u if turn & 1 else u, -v if turn & 2 else v


@inner
def surface_in(
    blocks: Blocks,
    looks: Surfaces,
    x: int,
    y: int,
    z: int,
    here: int,
    before: int,
    code: int,
    face: int,
    at: float,
    past: float,
    leaves: float,
    eye: Doubles,
    dx: float,
    dy: float,
    dz: float,
) -> tuple[float, float, int, int, bool]:
    """Where a ray first meets something in a block it entered by ``face`` at ``at``.

    Gives how far (infinite: nowhere), as how far that counts among what lies in one plane, the face, the id shown, and
    whether more can be seen through what it met. ``here`` and ``before``: the block, and the one it came from.
    ``past``: as how far something of this block counted that was met already, negative where nothing was.
    """
    own = id_of(blocks, here)
    hidden = covers(blocks, before)
    wet_at, wet_face = np.inf, nb.int64(NO_FACE)
    if liquid_of(blocks, here):
        wet_at, wet_face = wet_hit(
            blocks, looks.heights, x, y, z, here, before, face, at, past, leaves, eye, dx, dy, dz
        )  # fmt: skip
    own_at, own_face = np.inf, face
    own_order = np.inf
    clear = code == GLASS
    if code == MODEL:
        own_face = nb.int64(NO_FACE)
        own_at, own_order, clear = nearest_quad(blocks, looks, own, x, y, z, past, eye, dx, dy, dz)
    elif code == GLASS and face != NO_FACE and not hidden and past < at:
        if before < 0 or id_of(blocks, before) != own:
            own_at = own_order = at
    elif code == CUTOUT and face != NO_FACE and not hidden and past < at:
        u, v = cube_texel(face, eye[0] + dx * at - x, eye[1] + dy * at - y, eye[2] + dz * at - z)
        side = nb.int64(looks.sides[own, face])
        if side & 2:
            u, v = turned(face, x, y, z, u, v)
        if is_solid(looks.alpha, side >> 2, side & 1, u, v):
            own_at = own_order = at
    wet_order = wet_at * (SURFACES if wet_face == 5 else SIDES)
    if own_order < wet_order:
        return own_at, own_order, own_face, own, clear
    return wet_at, wet_order, wet_face, own if code == LIQUID else looks.filling, True


# ---------------------------------------------------------------- ray kernels

# Numba's casts are Any to mypy.


@kernel(
    "void(float64[::1], float64[:,::1], float64, float64, int32[:,::1], int64, int64, int64, int64, int32[::1], "
    "uint16[:,::1], int32[::1], uint16[:,::1], uint8[::1], int64, int64, int64, int64, uint8[::1], uint8[::1], "
    "int64, int32[:,::1], uint8[:,:,::1], int32[:,::1], float64[:,::1], int32[:,::1], uint8[:,::1], uint16[:,::1], "
    "uint16[::1], uint8[::1], float64[::1], float64[::1], uint8[::1], int32[::1], uint16[::1], uint8[::1], "
    "uint16[::1], float64[::1], float64[::1], uint8[::1], int64[:,::1], uint16[:,::1], float64[:,::1])"
)
def march(
    eye: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
    nearest: float,
    reach: float,
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    ids_of: npt.NDArray[np.uint16],
    layer1_slot: npt.NDArray[np.int32],
    layer1: npt.NDArray[np.uint16],
    stops: npt.NDArray[np.uint8],
    placeholder_slot: int,
    first_full: int,
    first_liquid: int,
    first_cover: int,
    liquids: npt.NDArray[np.uint8],
    amounts: npt.NDArray[np.uint8],
    filling: int,
    sides: npt.NDArray[np.int32],
    alpha: npt.NDArray[np.uint8],
    model_rows: npt.NDArray[np.int32],
    corners: Doubles,
    pictures: npt.NDArray[np.int32],
    rules: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint16],
    door_ids: npt.NDArray[np.uint16],
    groups: npt.NDArray[np.uint8],
    heights: Doubles,
    since: npt.NDArray[np.float64],
    ended: npt.NDArray[np.uint8],
    places: npt.NDArray[np.int32],
    cells: npt.NDArray[np.uint16],
    faces: npt.NDArray[np.uint8],
    shown: npt.NDArray[np.uint16],
    distances: npt.NDArray[np.float64],
    latest: npt.NDArray[np.float64],
    passed: npt.NDArray[np.uint8],
    keys: npt.NDArray[np.int64],
    ids: npt.NDArray[np.uint16],
    depths: npt.NDArray[np.float64],
) -> None:
    """Fills the last eleven arrays, one entry a ray; ``cast.Hits`` and ``cast.Passed`` say what they hold.

    ``stops`` [dense ids] says what a block does to a ray, ``since`` [places] how new it is. From ``rows`` to
    ``amounts`` as in ``block_kernels.Blocks``, from ``filling`` to ``heights`` as in ``model_kernels.Surfaces``.
    """
    world = Blocks(
        rows, low_x, low_z, floor, sections, slot, ids_of, layer1_slot, layer1, first_full, first_liquid, first_cover,
        liquids, amounts,
    )  # fmt: skip
    looks = Surfaces(
        filling, sides, alpha, model_rows, corners, pictures, rules, turns, door_ids, groups, heights
    )  # fmt: skip
    width, depth = rows.shape
    most_layers = nb.int64(keys.shape[1])
    through = placeholder_slot < 0
    roof = nb.int64((floor + sections) * 16)
    ground = nb.int64(floor * 16)
    first_x = nb.int64(np.floor(eye[0]))
    first_y = nb.int64(np.floor(eye[1]))
    first_z = nb.int64(np.floor(eye[2]))
    for ray in range(directions.shape[0]):
        along_x, along_y, along_z = directions[ray, 0], directions[ray, 1], directions[ray, 2]
        step_x = nb.int64(1) if along_x > 0 else nb.int64(-1)
        step_y = nb.int64(1) if along_y > 0 else nb.int64(-1)
        step_z = nb.int64(1) if along_z > 0 else nb.int64(-1)
        delta_x, delta_y, delta_z = abs(1.0 / along_x), abs(1.0 / along_y), abs(1.0 / along_z)
        # Where each axis' next face is crossed. An axis that the ray does not move along never is (1 / 0 is infinite).
        edge_x = (first_x + (step_x > 0) - eye[0]) / along_x if along_x != 0 else np.inf
        edge_y = (first_y + (step_y > 0) - eye[1]) / along_y if along_y != 0 else np.inf
        edge_z = (first_z + (step_z > 0) - eye[2]) / along_z if along_z != 0 else np.inf
        x, y, z = first_x, first_y, first_z
        face = nb.int64(6)
        at = 0.0
        newest = -np.inf
        end = nb.int64(0)
        place = nb.int64(0)
        index = nb.int64(0)
        id_ = nb.int64(0)
        before = nb.int64(-1)  # the block the ray came through last
        layers = nb.int64(0)
        # What counts as farther than its block reaches: the next one may hold something nearer.
        held = np.inf
        held_at, held_face, held_id, held_place, held_index = 0.0, face, id_, place, index
        while at <= reach and at < held:
            if (y >= roof and along_y >= 0) or (y < ground and along_y <= 0):
                break
            if ground <= y < roof:
                column_x = (x >> 4) - low_x
                column_z = (z >> 4) - low_z
                row = nb.int64(0)
                if 0 <= column_x < width and 0 <= column_z < depth:
                    row = nb.int64(rows[column_x, column_z])
                if row == 0:
                    away = (column_x < 0 and step_x < 0) or (column_x >= width and step_x > 0)
                    away |= (column_z < 0 and step_z < 0) or (column_z >= depth and step_z > 0)
                    if away or not through:
                        end = nb.int64(3)
                        break
                place = row * sections + (y >> 4) - floor
                shows = nb.int64(slot[place]) if row else nb.int64(0)
                newest = max(newest, since[place])
                if shows == placeholder_slot:
                    end = nb.int64(2)
                    break
                index = (x & 15) << 8 | (z & 15) << 4 | (y & 15)
                here = place << 12 | index
                id_ = nb.int64(ids_of[shows, index])
                code = nb.int64(stops[id_])
                if code == PASS and layer1_slot[place] and id_ == 0 and stops[filling] and soaks(world, here):
                    code = nb.int64(SOAKED)
                if code == CUBE and at >= nearest and not covers(world, before):
                    end = nb.int64(1)
                    break
                if code == HOLE:
                    end = nb.int64(2)
                    break
                if code > CUBE:
                    past = nearest
                    while end == 0:
                        leaves = min(edge_x, edge_y, edge_z)
                        met, order, met_face, shown_id, clear = surface_in(
                            world, looks, x, y, z, here, before, code, face, at, past, leaves, eye, along_x, along_y,
                            along_z,
                        )  # fmt: skip
                        if order >= held or met == np.inf:
                            break
                        if clear and layers < most_layers:
                            keys[ray, layers] = nb.int64(place) << 15 | index << 3 | met_face
                            ids[ray, layers] = shown_id
                            depths[ray, layers] = met
                            layers += 1
                            past = order
                            continue
                        if order > leaves:
                            held, held_at, held_face, held_id = order, met, met_face, shown_id
                            held_place, held_index = place, index
                            break
                        at, face, id_ = met, met_face, shown_id
                        end = nb.int64(1)
                    if end != 0:
                        break
                before = here if row else nb.int64(-2)
            else:
                before = nb.int64(-1)
            # The face entered looks back along the step; directions are -x, +x, -z, +z, -y, +y.
            if edge_x <= edge_y and edge_x <= edge_z:
                at = edge_x
                edge_x += delta_x
                x += step_x
                face = nb.int64(0) if step_x > 0 else nb.int64(1)
            elif edge_y <= edge_z:
                at = edge_y
                edge_y += delta_y
                y += step_y
                face = nb.int64(4) if step_y > 0 else nb.int64(5)
            else:
                at = edge_z
                edge_z += delta_z
                z += step_z
                face = nb.int64(2) if step_z > 0 else nb.int64(3)
        if end != 1 and held != np.inf:
            end = nb.int64(1)
            at, face, id_, place, index = held_at, held_face, held_id, held_place, held_index
        ended[ray] = end
        places[ray] = place if 1 <= end <= 2 else 0
        cells[ray] = index if end == 1 else 0
        shown[ray] = id_ if end == 1 else 0
        faces[ray] = face
        distances[ray] = at
        latest[ray] = newest
        if most_layers > 0:
            passed[ray] = layers
