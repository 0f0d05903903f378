"""The order of a mesh's translucent quads for one eye, by the blocks they belong to; see ``translucent_sort``.

Indices. None comes from outside: quads are of meshes made here, their fields cut to bits.
"""

from typing import Final

from net.arrays import I32, I64, U32
from net.kernels import jit as nb
from net.kernels.jit import inner, kernel
from render.materials.biome_tints import LOWERED, TRANSLUCENT_QUAD
from render.mesh.vertex_format import CUBE, CUBE_WORDS, EDGE_BIAS, MODEL, MODEL_BIAS, MODEL_WORDS
from render.passes.draw_list_kernels import AXES, OF_ORDER, sort_rising

CX, CY, CZ = CUBE["x"].shift, CUBE["y"].shift, CUBE["z"].shift
FACE, WIDTH, HEIGHT, FLAGS = CUBE["face"].shift, CUBE["width"].shift, CUBE["height"].shift, CUBE["flags"].shift
MX, MY, MZ = MODEL["x"].shift, MODEL["y"].shift, MODEL["z"].shift
EX, EZ = MODEL["ux"].shift, MODEL["uz"].shift
MODEL_FACE, MODEL_FLAGS = MODEL["face"].shift, MODEL["flags"].shift
BX, BY, BZ = MODEL["block_x"].shift, MODEL["block_y"].shift, MODEL["block_z"].shift
TOP, BOTTOM = 5, 4
SURFACE: Final = LOWERED
PANE: Final = TRANSLUCENT_QUAD
A_MODEL: Final = MODEL_WORDS // CUBE_WORDS

OF_X, OF_Z, OF_Y, INSIDE = 0, 1, 2, 3
"""Axes, and bit of what lies inside of its block."""
FRONT, SURFACES, PART = 0, 1, 2
"""Kinds of quads: a side of its blocks; a liquid's surface; a part of a pane."""
X0, X1, Z0, Z1, Y0, Y1, LEVEL, KIND, PART_X, PART_Z, SLOPING, UNIT = 0, 4, 8, 12, 16, 21, 26, 28, 30, 32, 34, 35
"""First bits of a record: first and last block, which axis its kind counts at, its kind, which part of a pane it is,
which format it has, and its unit from the mesh's first one on."""
OUTWARDS: Final = PART_X
"""Bit of a side: whether it faces greater coordinates."""
ORDERS: Final = ((2, 0, 1), (2, 1, 0), (0, 2, 1), (0, 1, 2), (1, 2, 0), (1, 0, 2))
"""Orders of axes, first to last."""
ANY_ORDER, NEEDED = 63, 64
LATER: Final = ((0, 13, 44), (50, 0, 56), (19, 7, 0))
"""By the axis that faces look along and another one: a bit set of the orders in which the other one comes later."""
VERTICES: Final = 8
OF_MODELS: Final = 4
"""Vertices of a unit if both formats are drawn together, and the first vertex of a model quad that begins there."""
NUMBER, FIRST, COUNT, CELL_X, CELL_Y, CELL_Z, SORTED_FOR, PANES = range(8)
MESH: Final = 8
"""int32 of a sorted mesh: its row in ``draw_list.ArenaMeshes``, its first quad, its number of quads, its cell, the eye
it is sorted for (0: none), and the number of its quads that are parts of panes."""


@kernel("int64(uint32[:,::1], int64[::1])")
def record_cubes(
    words: U32,  # [n, 2]
    records: I64,  # [n], written
) -> int:
    """Writes records of cube quads; returns the orders of axes that are right for them, and whether they need one.

    An order is right if faces are merged only along later axes than their own. No order is needed if no quad can hide
    another one: all faces of a direction are in one plane, and all look along one axis.

    Returns:
        A bit set of ``ORDERS``, all if none is right, and ``NEEDED`` if one is needed.
    """
    allowed, axes, twice = nb.int64(ANY_ORDER), nb.int64(0), nb.int64(0)
    planes = nb.int64(0)  # seven numbers of six bits, 0 for none: the plane of each direction, of surfaces last
    for i in range(words.shape[0]):
        word = nb.int64(words[i, 0])
        face = word >> FACE & 7
        wide, high = word >> WIDTH & 15, word >> HEIGHT & 31
        x, y, z = word >> CX & 15, word >> CY & 31, word >> CZ & 15
        surface = face == TOP and word >> FLAGS & SURFACE != 0
        axis = face >> 1
        along = nb.int64(OF_Z) if axis == OF_X else nb.int64(OF_X)
        across = nb.int64(OF_Z) if axis == OF_Y else nb.int64(OF_Y)
        allowed &= LATER[axis][along] if wide else nb.int64(ANY_ORDER)
        allowed &= LATER[axis][across] if high else nb.int64(ANY_ORDER)
        plane = x if axis == OF_X else (z if axis == OF_Z else y)
        place = 6 * (6 if surface else face)
        held = planes >> place & 63
        twice |= held != 0 and held != plane + 1
        planes |= nb.int64(plane + 1) << place if held == 0 else nb.int64(0)
        axes |= 1 << axis
        level, kind = axis, nb.int64(FRONT)
        if surface:
            kind = nb.int64(SURFACES)
            level = axis if wide or high else nb.int64(INSIDE)
        x1 = x + (wide if axis != OF_X else nb.int64(0))
        z1 = z + (wide if axis == OF_X else (high if axis == OF_Y else nb.int64(0)))
        y1 = y + (high if axis != OF_Y else nb.int64(0))
        records[i] = x << X0 | x1 << X1 | z << Z0 | z1 << Z1 | y << Y0 | y1 << Y1 | level << LEVEL | kind << KIND
        records[i] |= nb.int64(i) << UNIT | (face & 1) << OUTWARDS
    beside = planes >> 6 * BOTTOM & 4095  # bottoms and tops that are no surfaces
    if twice == 0 and axes & (axes - 1) == 0 and (planes >> 36 == 0 or beside == 0):
        return allowed
    return (allowed if allowed else nb.int64(ANY_ORDER)) | NEEDED


@inner
def _part(sixteenths: int) -> int:
    """Part of a pane's block: in front of the post, level with it, behind it."""
    return nb.int64(sixteenths >= 14) + nb.int64(sixteenths > 18)


@kernel("int64(uint32[:,::1], int64, int64[::1])")
def record_models(words: U32, first_unit: int, records: I64) -> int:
    """Writes records int64[n] of model quads, uint32[n, 6]: sloping liquids, and panes, whose number it returns.

    ``first_unit``: unit of the first quad, counted from the mesh's translucent cube quads.
    """
    panes = nb.int64(0)
    for i in range(words.shape[0]):
        corner, one, other, block = (
            nb.int64(words[i, 0]), nb.int64(words[i, 1]), nb.int64(words[i, 2]), nb.int64(words[i, 5]),
        )  # fmt: skip
        face = one >> MODEL_FACE & 7
        x, y, z = block >> BX & 15, block >> BY & 31, block >> BZ & 15
        record = x << X0 | x << X1 | z << Z0 | z << Z1 | y << Y0 | y << Y1 | 1 << SLOPING
        if one >> MODEL_FLAGS & PANE:
            panes += 1
            # Twice the middle, moved inwards by half a sixteenth, in its block.
            dx = 2 * ((corner >> MX & 1023) - MODEL_BIAS - 16 * x) + (one >> EX & 127) + (other >> EX & 127)
            dz = 2 * ((corner >> MZ & 1023) - MODEL_BIAS - 16 * z) + (one >> EZ & 127) + (other >> EZ & 127)
            dx += -2 * EDGE_BIAS + (1 if face == 0 else (-1 if face == 1 else 0))
            dz += -2 * EDGE_BIAS + (1 if face == 2 else (-1 if face == 3 else 0))
            record |= INSIDE << LEVEL | PART << KIND | _part(dx) << PART_X | _part(dz) << PART_Z
        elif face == TOP:
            record |= INSIDE << LEVEL | SURFACES << KIND
        else:
            record |= (face >> 1) << LEVEL | FRONT << KIND | (face & 1) << OUTWARDS
        records[i] = record | (first_unit + i * A_MODEL) << UNIT
    return panes


@inner
def _away(low: int, high: int, eye: int) -> int:
    """Distance of blocks from ``low`` to ``high`` from the eye's block."""
    return max(low - eye, eye - high, nb.int64(0))


@inner
def _part_away(part: int, block: int, eye: int, eye_part: int) -> int:
    """The same for a part of a pane's block, in such parts."""
    return abs(part - (nb.int64(-1) if eye < block else (nb.int64(3) if eye > block else eye_part)))


@inner
def _looks_away(record: int, x: int, y: int, z: int) -> bool:
    """Whether it is a side that an eye in this block cannot see."""
    if record >> KIND & 3 != FRONT:
        return False
    axis = record >> LEVEL & 3
    if axis == OF_X:
        low, high, eye = record >> X0 & 15, record >> X1 & 15, x
    elif axis == OF_Z:
        low, high, eye = record >> Z0 & 15, record >> Z1 & 15, z
    else:
        low, high, eye = record >> Y0 & 31, record >> Y1 & 31, y
    return eye <= high if record >> OUTWARDS & 1 else eye >= low


@inner
def _key(record: int, axes: int, x: int, y: int, z: int, part_x: int, part_z: int, over: int) -> int:
    """The sort key, greater for farther quads: blocks by axis, in each block the quads of its nearest side last."""
    level, kind = record >> LEVEL & 3, record >> KIND & 3
    above = y + over > (record >> Y1 & 31)
    turn = nb.int64(0) if kind == FRONT or (kind == SURFACES and above) else nb.int64(2)
    key = nb.int64(0)
    for at in range(3):
        axis = ORDERS[axes][at]
        if axis == OF_X:
            away = _away(record >> X0 & 15, record >> X1 & 15, x)
        elif axis == OF_Z:
            away = _away(record >> Z0 & 15, record >> Z1 & 15, z)
        else:
            away = _away(record >> Y0 & 31, record >> Y1 & 31, y)
        key = key << 8 | away << 2 | (turn if axis == level else nb.int64(1))
    parts = nb.int64(0)
    if kind == PART:
        turn = nb.int64(1)
        parts = _part_away(record >> PART_X & 3, record >> X0 & 15, x, part_x) << 3
        parts |= _part_away(record >> PART_Z & 3, record >> Z0 & 15, z, part_z)
    return key << 8 | (turn if level == INSIDE else nb.int64(0)) << 6 | parts


@kernel(
    "void(int32[:,::1], int32[:,::1], int64, int64, int64, int64, int64, int64, int64[::1], int64[:,::1],"
    " int32[:,::1], int64[::1])"
)
def sort_meshes(
    meshes: I32,  # [k, ``MESH``]; the eye that they are sorted for is written
    rows: I32,  # [m, ``ROW``]; the columns that depend on the eye are written
    x: int,  # block of the eye, then y and z
    y: int,
    z: int,
    part_x: int,  # part of the eye's block along x, as for panes
    part_z: int,  # along z
    over: int,  # 1 if the eye is in the gap over a liquid's level surface, else 0
    records: I64,  # [n] of all meshes' quads
    scratch: I64,  # [3, q], q quads of the largest mesh, written
    indices: I32,  # [n, 6], written: vertices, as ``TranslucentSort.indices`` says
    told: I64,  # [2], written: first quad and end of what changed
) -> None:
    """Sorts the quads of each mesh whose order is not that of an eye."""
    keys, order, spare = scratch[0], scratch[1], scratch[2]
    begun, ended = nb.int64(len(records)), nb.int64(0)
    for k in range(len(meshes)):
        ex = min(max(x - meshes[k, CELL_X] * 16, -1), 16)
        ey = min(max(y - meshes[k, CELL_Y] * 32, -1), 32)
        ez = min(max(z - meshes[k, CELL_Z] * 16, -1), 16)
        seen_from = nb.int64((ex + 1) | (ez + 1) << 5 | (ey + 1) << 10) + 1  # parts of blocks count inside of the cell
        if meshes[k, PANES]:
            seen_from |= (part_x << 16 if ex & 15 == ex else 0) | (part_z << 18 if ez & 15 == ez else 0)
        seen_from |= over << 20 if ey & 31 == ey else 0
        if meshes[k, SORTED_FOR] != seen_from:
            meshes[k, SORTED_FOR] = seen_from
            row, first = nb.int64(meshes[k, NUMBER]), nb.int64(meshes[k, FIRST])
            axes, count = nb.int64(rows[row, AXES]) & 7, nb.int64(0)
            for i in range(nb.int64(meshes[k, COUNT])):
                if not _looks_away(records[first + i], ex, ey, ez):
                    keys[i] = -_key(records[first + i], axes, ex, ey, ez, part_x, part_z, over)
                    order[count] = i
                    count += 1
            sort_rising(keys, order, spare, count)  # farthest first
            for i in range(count):
                record, at = records[first + order[i]], first + i
                vertex = (record >> UNIT) * VERTICES + (record >> SLOPING & 1) * OF_MODELS
                indices[at, 0], indices[at, 1], indices[at, 2] = vertex, vertex + 1, vertex + 2
                indices[at, 3], indices[at, 4], indices[at, 5] = vertex, vertex + 2, vertex + 3
            rows[row, AXES] = axes | count << OF_ORDER
            begun, ended = min(begun, first), max(ended, first + count)
    told[0], told[1] = begun, ended
