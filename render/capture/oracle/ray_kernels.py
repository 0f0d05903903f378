"""One ray after another through the blocks of a store (Amanatides and Woo's traversal: one face crossed a step).

Rules:
1. A ray goes from block to block over the nearest face; where faces tie, x goes before y and y before z.
2. It ends in the first block that stops it, in the first placeholder, where no column is known, past the roof or the
   floor for good, or out of reach. Over the roof and under the floor is open.
3. Nothing is skipped: air costs 5.4 ns a block (measured), and a short cut would be one more thing to get wrong.
4. What a block does to a ray is its ``stops`` code. CUBE and PASS need nothing more; the others ask for the texel that
   is met, the block before it, the surface of a liquid, or the quads of a model: ``surface_in``.

What is drawn, said once more from the blocks' side (shaders and meshes are not read here):
  GLASS shows a side where a block of another kind is before it. CUTOUT shows every side that a ray can come through;
  its holes are holes. LIQUID fills its block up to a surface over its four corners (``corner_height``), unless there is
  liquid above; where liquids meet there are no sides. From inside, nothing but the surface shows; a surface that an
  opaque block lies on does not.
  A MODEL is quads, seen from both sides; an opaque neighbour hides some of them, a like one brings others.
  A placeholder hides sides as an opaque block does, and so does where no column is: a ray that passes either (for it
  ``placeholder_slot`` is negative) sees no side that looks at it.
"""

from typing import Final

import numba as nb
import numpy as np
import numpy.typing as npt

from net.space.jit import inner, kernel

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

LEFT: Final = 0
HIT: Final = 1
PLACEHOLDER: Final = 2
UNLOADED: Final = 3

PASS: Final = 0
CUBE: Final = 1
GLASS: Final = 2
CUTOUT: Final = 3
LIQUID: Final = 4
MODEL: Final = 5
HOLE: Final = 6

NO_FACE: Final = 6
"""The face of a block that the ray began in, and of every model."""

NEVER: Final = -1.0
CLOSE: Final = 1e-9

SURFACE: Final = 0.875
"""How high a full liquid stands in its block where nothing is above it, nor above those around it."""

STEP_X, STEP_Y, STEP_Z = (-1, 1, 0, 0, 0, 0), (0, 0, 0, 0, -1, 1), (0, 0, -1, 1, 0, 0)

Doubles = npt.NDArray[np.float64]


@inner
def block_at(
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    x: int,
    y: int,
    z: int,
) -> int:
    """Slot and cell of a block, slot << 12 | cell; -1 over the roof and under the floor, -2 where no column is."""
    section = (y >> 4) - floor
    if section < 0 or section >= sections:
        return nb.int64(-1)
    column_x = (x >> 4) - low_x
    column_z = (z >> 4) - low_z
    if column_x < 0 or column_x >= rows.shape[0] or column_z < 0 or column_z >= rows.shape[1]:
        return nb.int64(-2)
    row = nb.int64(rows[column_x, column_z])
    if row == 0:
        return nb.int64(-2)
    return nb.int64(slot[row * sections + section]) << 12 | (x & 15) << 8 | (z & 15) << 4 | (y & 15)


@inner
def holds_liquid(liquid: npt.NDArray[np.uint16], at: int) -> bool:
    """Whether the block that ``block_at`` found is liquid, or holds some."""
    if at < 0:
        return False
    return (nb.int64(liquid[at >> 12, at >> 4 & 255]) >> (at & 15)) & 1 != 0


@inner
def covers(blocks: npt.NDArray[np.uint16], first_cover: int, at: int) -> bool:
    """Whether it hides what is behind it: opaque, a placeholder, or unloaded."""
    if at < 0:
        return at == -2
    return nb.int64(blocks[at >> 12, at & 4095]) >= first_cover


@inner
def is_solid(alpha: npt.NDArray[np.uint8], layer: int, masked: int, u: float, v: float) -> bool:
    """Whether a texel covers; u, v in sixteenths of a texture, any whole texture added."""
    if masked:
        return True
    return alpha[layer, nb.int64(np.floor(v)) & 15, nb.int64(np.floor(u)) & 15] >= 128


@inner
def cube_texel(face: int, px: float, py: float, pz: float) -> tuple[float, float]:
    """Texture coordinates in sixteenths of a point on a cube's face, as the head of ``mesh.quads`` gives them."""
    if face < 2:
        return (pz if face == 0 else -pz) * 16.0, -py * 16.0
    if face < 4:
        return (px if face == 3 else -px) * 16.0, -py * 16.0
    return px * 16.0, pz * 16.0


@inner
def model_hit(
    corners: Doubles,
    pictures: npt.NDArray[np.int32],
    alpha: npt.NDArray[np.uint8],
    k: int,
    ex: float,
    ey: float,
    ez: float,
    dx: float,
    dy: float,
    dz: float,
) -> float:
    """Where a ray meets a model's quad, in lengths of its direction; NEVER where it does not.

    ``e`` is the eye relative to the block, ``d`` the direction, both in blocks.
    """
    ux, uy, uz = corners[k, 3], corners[k, 4], corners[k, 5]
    vx, vy, vz = corners[k, 6], corners[k, 7], corners[k, 8]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    across = dx * nx + dy * ny + dz * nz
    if across == 0.0:
        return NEVER
    ox, oy, oz = corners[k, 0] - ex, corners[k, 1] - ey, corners[k, 2] - ez
    t = (ox * nx + oy * ny + oz * nz) / across
    px, py, pz = dx * t - ox, dy * t - oy, dz * t - oz
    s = (px * ux + py * uy + pz * uz) / (ux * ux + uy * uy + uz * uz)
    r = (px * vx + py * vy + pz * vz) / (vx * vx + vy * vy + vz * vz)
    if t <= 0.0 or s < 0.0 or s > 1.0 or r < 0.0 or r > 1.0:
        return NEVER
    u = pictures[k, 0] + s * (pictures[k, 2] - pictures[k, 0])
    v = pictures[k, 1] + r * (pictures[k, 3] - pictures[k, 1])
    return t if is_solid(alpha, nb.int64(pictures[k, 4]), nb.int64(pictures[k, 5]), u, v) else NEVER


@inner
def stairs_at(
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.uint16],
    turns: npt.NDArray[np.uint16],
    x: int,
    y: int,
    z: int,
    d: int,
) -> int:
    """How stairs next to a block stand, 0 where there are none."""
    at = block_at(rows, low_x, low_z, floor, sections, slot, x + STEP_X[d], y, z + STEP_Z[d])
    return nb.int64(turns[blocks[at >> 12, at & 4095], 0]) if at >= 0 else nb.int64(0)


@inner
def stairs_bend(
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.uint16],
    turns: npt.NDArray[np.uint16],
    own: int,
    x: int,
    y: int,
    z: int,
) -> int:
    """0 straight; where they meet others that stand across: 1, 2 outer left and right, 3, 4 inner left and right.

    Those behind their high side bend them outwards, unless stairs like them stand on the side it looks away from; those
    before them inwards, unless such stand on the side it looks to.
    """
    stands = nb.int64(turns[own, 0])
    high = (stands - 1) & 3
    for inward in range(2):
        d = high if inward == 0 else high ^ 1
        other = stairs_at(rows, low_x, low_z, floor, sections, slot, blocks, turns, x, y, z, d)
        if other == 0 or ((other - 1) ^ (stands - 1)) & 4:
            continue
        to = (other - 1) & 3
        if (to < 2) == (high < 2):
            continue
        aside = to if inward else to ^ 1
        if stairs_at(rows, low_x, low_z, floor, sections, slot, blocks, turns, x, y, z, aside) == stands:
            continue
        # Left of who looks south is east, of east north, of north west, of west south.
        left = (high == 3 and to == 1) or (high == 1 and to == 2) or (high == 2 and to == 0) or (high == 0 and to == 3)
        return 2 * inward + (1 if left else 2)
    return 0


@inner
def nearest_quad(
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.uint16],
    first_cover: int,
    alpha: npt.NDArray[np.uint8],
    model_rows: npt.NDArray[np.int32],
    corners: Doubles,
    pictures: npt.NDArray[np.int32],
    rules: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint16],
    door_ids: npt.NDArray[np.uint16],
    groups: npt.NDArray[np.uint8],
    own: int,
    x: int,
    y: int,
    z: int,
    eye: Doubles,
    dx: float,
    dy: float,
    dz: float,
) -> float:
    """Where a ray first meets a model's quads that its neighbours let show; infinite where it meets none."""
    best = np.inf
    bend = nb.int64(0)
    shown = own
    if turns[own, 0]:
        bend = stairs_bend(rows, low_x, low_z, floor, sections, slot, blocks, turns, own, x, y, z)
    if turns[own, 1]:
        upper = nb.int64(turns[own, 1]) >> 4 & 1
        at = block_at(rows, low_x, low_z, floor, sections, slot, x, y + 1 - 2 * upper, z)
        half = nb.int64(turns[blocks[at >> 12, at & 4095], 1]) if at >= 0 else nb.int64(0)
        if half >> 5 == turns[own, 1] >> 5 and (half >> 4 & 1) != upper:
            hung, swung = (half, nb.int64(turns[own, 1])) if upper == 0 else (nb.int64(turns[own, 1]), half)
            shown = nb.int64(door_ids[(half >> 5) * 32 + upper * 16 + (hung & 8) + (swung & 7)])
    for k in range(model_rows[shown, 0], model_rows[shown, 1]):
        if nb.int64(rules[k, 3]) >> bend & 1:
            continue
        cull = nb.int64(rules[k, 0])
        link = nb.int64(rules[k, 1])
        if cull < 6:
            beside = block_at(
                rows, low_x, low_z, floor, sections, slot, x + STEP_X[cull], y + STEP_Y[cull], z + STEP_Z[cull]
            )
            if covers(blocks, first_cover, beside):
                continue
        if link < 6:
            beside = block_at(
                rows, low_x, low_z, floor, sections, slot, x + STEP_X[link], y + STEP_Y[link], z + STEP_Z[link]
            )
            if rules[k, 2] or not covers(blocks, first_cover, beside):
                other = nb.int64(blocks[beside >> 12, beside & 4095]) if beside >= 0 else nb.int64(0)
                if groups[own] == 0 or groups[other] != groups[own]:
                    continue
        hit = model_hit(corners, pictures, alpha, k, eye[0] - x, eye[1] - y, eye[2] - z, dx, dy, dz)
        if 0.0 < hit < best:
            best = hit
    return best


@inner
def corner_height(
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.uint16],
    liquid: npt.NDArray[np.uint16],
    first_cover: int,
    amounts: npt.NDArray[np.uint8],
    x: int,
    y: int,
    z: int,
) -> float:
    """How high liquid stands at a block's north-western lower corner, in blocks: whole sixteenths, at least one.

    Whole where one of the four blocks that meet there has liquid above. Else the mean of the four: wet ones as their
    level says, full ones ten times; dry ones that cover nothing as empty; others not at all.
    """
    share = 0.0
    of = 0.0
    for dx in range(2):
        for dz in range(2):
            at = block_at(rows, low_x, low_z, floor, sections, slot, x - dx, y, z - dz)
            if holds_liquid(liquid, at):
                above = block_at(rows, low_x, low_z, floor, sections, slot, x - dx, y + 1, z - dz)
                if holds_liquid(liquid, above):
                    return 1.0
                level = amounts[blocks[at >> 12, at & 4095]] / 8.0
                times = 10.0 if level == 1.0 else 1.0
                share += times * level
                of += times
            elif not covers(blocks, first_cover, at):
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
def surface_in(
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.uint16],
    liquid: npt.NDArray[np.uint16],
    first_cover: int,
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
    amounts: npt.NDArray[np.uint8],
    heights: Doubles,
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
) -> tuple[float, int, int, bool]:
    """Where a ray first meets something in a block it entered by ``face`` at ``at``.

    Gives how far (infinite: nowhere), the face, the id shown, and whether more can be seen through what it met.
    ``here`` and ``before``: slot and cell of the block, and of the one it came from. ``past``: how far something of
    this block was met already, negative where nothing was. ``heights``: scratch of 4.
    """
    own = nb.int64(blocks[here >> 12, here & 4095])
    hidden = covers(blocks, first_cover, before)
    wet_at, wet_face = np.inf, nb.int64(6)
    if holds_liquid(liquid, here):
        for k in range(4):
            heights[k] = corner_height(
                rows, low_x, low_z, floor, sections, slot, blocks, liquid, first_cover, amounts, x + (k >> 1), y,
                z + (k & 1),
            )  # fmt: skip
        ex, ey, ez = eye[0] - x, eye[1] - y, eye[2] - z
        above = block_at(rows, low_x, low_z, floor, sections, slot, x, y + 1, z)
        lowest = min(heights[0], heights[1], heights[2], heights[3])
        if not holds_liquid(liquid, above) and not (covers(blocks, first_cover, above) and lowest == 1.0):
            wet_at, wet_face = surface_hit(heights, past, at, leaves, ex, ey, ez, dx, dy, dz), nb.int64(5)
        if face < 5 and not hidden and past < at and not holds_liquid(liquid, before):
            if side_shows(heights, face, ex + dx * at, ey + dy * at, ez + dz * at):
                wet_at, wet_face = at, face
    own_at, own_face = np.inf, face
    if code == 5:
        own_face = nb.int64(6)
        own_at = nearest_quad(
            rows, low_x, low_z, floor, sections, slot, blocks, first_cover, alpha, model_rows, corners, pictures, rules,
            turns, door_ids, groups, own, x, y, z, eye, dx, dy, dz,
        )  # fmt: skip
    elif code == 2 and face != 6 and not hidden and past < at:
        if before < 0 or nb.int64(blocks[before >> 12, before & 4095]) != own:
            own_at = at
    elif code == 3 and face != 6 and not hidden and past < at:
        u, v = cube_texel(face, eye[0] + dx * at - x, eye[1] + dy * at - y, eye[2] + dz * at - z)
        side = nb.int64(sides[own, face])
        if is_solid(alpha, side >> 1, side & 1, u, v):
            own_at = at
    # In one plane, holes and what is between them are drawn before liquids, and panes after.
    if own_at < wet_at or (code == 3 and own_at == wet_at):
        return own_at, own_face, own, code == 2
    return wet_at, wet_face, own if code == 4 else filling, True


@kernel(
    "void(float64[::1], float64[:,::1], float64, int32[:,::1], int64, int64, int64, int64, int32[::1], uint16[:,::1],"
    " uint16[:,::1], uint8[::1], int64, int64, int64, int32[:,::1], uint8[:,:,::1], int32[:,::1], float64[:,::1],"
    " int32[:,::1], uint8[:,::1], uint16[:,::1], uint16[::1], uint8[::1], uint8[::1], float64[::1], float64[::1],"
    " uint8[::1], int32[::1], uint16[::1], uint8[::1], uint16[::1], float64[::1], float64[::1],"
    " uint8[::1], int64[:,::1], uint16[:,::1], float64[:,::1])"
)
def march(
    eye: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
    reach: float,
    rows: npt.NDArray[np.int32],
    low_x: int,
    low_z: int,
    floor: int,
    sections: int,
    slot: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.uint16],
    liquid: npt.NDArray[np.uint16],
    stops: npt.NDArray[np.uint8],
    placeholder_slot: int,
    first_cover: int,
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
    amounts: npt.NDArray[np.uint8],
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

    ``rows`` [width, depth] is the store's row of each column from ``low_x``, ``low_z`` on, 0 where there is none.
    ``stops`` [dense ids] says what a block does to a ray. ``floor`` is the lowest sub-chunk's y. ``since`` [places].
    ``first_cover``: ids from it on hide what is behind them. ``filling``: the id shown for liquid in another block.
    From ``sides`` to ``amounts`` as in ``looks.Looks``. ``heights``: scratch of 4.
    """
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
        while at <= reach:
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
                id_ = nb.int64(blocks[shows, index])
                code = nb.int64(stops[id_])
                if code == 1 and not covers(blocks, first_cover, before):
                    end = nb.int64(1)
                    break
                if code == 6:
                    end = nb.int64(2)
                    break
                here = shows << 12 | index
                if code > 1:
                    past = -1.0
                    while end == 0:
                        met, met_face, shown_id, clear = surface_in(
                            rows, low_x, low_z, floor, sections, slot, blocks, liquid, first_cover, filling, sides,
                            alpha, model_rows, corners, pictures, rules, turns, door_ids, groups, amounts,
                            heights, x, y, z, here, before, code, face, at, past, min(edge_x, edge_y, edge_z), eye,
                            along_x, along_y, along_z,
                        )  # fmt: skip
                        if met == np.inf:
                            break
                        if clear and layers < most_layers:
                            keys[ray, layers] = nb.int64(place) << 15 | index << 3 | met_face
                            ids[ray, layers] = shown_id
                            depths[ray, layers] = met
                            layers += 1
                            past = met
                            continue
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
        ended[ray] = end
        places[ray] = place if 1 <= end <= 2 else 0
        cells[ray] = index if end == 1 else 0
        shown[ray] = id_ if end == 1 else 0
        faces[ray] = face
        distances[ray] = at
        latest[ray] = newest
        if most_layers > 0:
            passed[ray] = layers
