"""Faces of full cubes: finds the visible ones, and merges them greedily by block id into cube quads.

Theory. Three masks a column mark the cells with the same id as the next one along y, z and x (64 comparisons an
instruction or few). Faces of one direction are 16 planes side by side (``simd``), which are merged at once, together
with those of the opposite direction:

========= ======== ===== =====================
faces     plane    row   bit
========= ======== ===== =====================
-x and +x x        z     y
-z and +z z        x     y
-y and +y y % 16   x     z, 16 + z from y = 16
========= ======== ===== =====================

The result is where runs begin, how high they are and in which rows they continue. Each quad needs only one look-up,
that of its own id.

Transparent faces are merged so that a mesh's quads can be drawn from far to near
(``render/passes/translucent_sort.py``): the axes are ordered, and faces along one axis are merged only along later axes
(``merges``).

Limits: a run is at most 16 wide and 32 high, so it fits the packed form.

Indices. None comes from outside: cells are those of padded masks and ids from ``mesh_kernels``; for the space for quads
see its rule 3.
"""

import numpy as np

from net.arrays import BlockIds, Slots
from net.kernels import jit as nb
from net.kernels.jit import ctz, equal64, inner, popcount, refined
from render.mesh.cell_layout import STEP_X, STEP_Y, STEP_Z, Masks, Rows, Unsigned, id_at
from render.mesh.simd import grow, reach, slice_bits, some64, turn

# As vertex_format.CUBE, tested
SHIFT_Z, SHIFT_Y, SHIFT_FACE, SHIFT_WIDTH, SHIFT_HEIGHT, SHIFT_FLAGS = 4, 8, 13, 16, 20, 28

FACES = 0  # six squares [x][z], seen by others as V[6, 256]
TOPS = 1280  # the last of them
SAME_Y, SAME_Z, SAME_X = 1536, 1792, 2048  # [x][z]: whether the next cell holds the same id
TURNED_Y, TURNED_Z = 2304, 2560  # the same as [z][x]
SLICED_Z, SLICED_X = 2816, 3072  # the same as [x][y]
PLANES = 3328  # faces of two directions, turned or sliced
MERGED = 3840  # three squares of each, as grow leaves them
ORDERED = 5376  # the first two of one direction as [plane][row]
NOTHING = 5888  # a square of zeros, never written
ROWS = 6144

EQUAL = 0  # three times 128 words, as comparisons leave them
WORDS = 384

ALL_MERGES = 63
"""By axis of a face (x, z, y), two bits each: whether faces join along the bits of a row, and from row to row."""

ANY, DIRECTIONS = 48, 48
"""Bits of ``shown_rows``: number of bits for rows, and the first bit for directions."""


@inner
def visible_faces(own: Masks, cover: Masks, V: Rows) -> None:
    """V[d, column], bit y: the sides of own's cells that cover does not hide."""
    for x in range(16):
        for z in range(16):
            p = nb.uint64(x * 18 + 19 + z)
            i = nb.uint64(x * 16 + z)
            c = own[p]
            b = cover[p]
            V[0, i] = (c & ~cover[p - nb.uint64(18)]) >> 1
            V[1, i] = (c & ~cover[p + nb.uint64(18)]) >> 1
            V[2, i] = (c & ~cover[p - nb.uint64(1)]) >> 1
            V[3, i] = (c & ~cover[p + nb.uint64(1)]) >> 1
            V[4, i] = (c & ~(b << 1)) >> 1
            V[5, i] = (c & ~(b >> 1)) >> 1


@inner
def shown_rows(V: Rows) -> int:
    """Which rows of constant x have faces, and which directions.

    Bits 0-15: rows of the lower slot, 16-31: of the upper, 32-47: rows where sides may join across the middle; from 48
    on directions.
    """
    shown: int = nb.int64(0)
    for x in range(16):
        row = nb.int64(0)
        pairs = nb.int64(0)
        for i in range(x * 16, x * 16 + 16):
            v0 = nb.int64(V[0, nb.uint64(i)])
            v1 = nb.int64(V[1, nb.uint64(i)])
            v2 = nb.int64(V[2, nb.uint64(i)])
            v3 = nb.int64(V[3, nb.uint64(i)])
            row |= v0 | v1 | v2 | v3 | nb.int64(V[4, nb.uint64(i)]) | nb.int64(V[5, nb.uint64(i)])
            pairs |= v0 & v0 >> 1 | v1 & v1 >> 1 | v2 & v2 >> 1 | v3 & v3 >> 1
        shown |= (row & 0xFFFF != 0) << x | (row >> 16 != 0) << (16 + x) | (pairs >> 15 & 1) << (32 + x)
    for d in range(6):
        every = nb.int64(0)
        for i in range(256):
            every |= nb.int64(V[d, nb.uint64(i)])
        shown |= (every != 0) << (DIRECTIONS + d)
    return shown


@inner
def compare_cells(blocks: BlockIds, low: int, high: int, missing: int, words: Unsigned) -> None:
    """Compares cells of missing rows (bits as in ``shown_rows``) with the next ones along y, z and x.

    Bits of cells whose next one is outside the slot are meaningless. Nothing outside the two slots is read: the last 64
    cells come from a comparison that starts a step earlier.
    """
    for x in range(16):
        for h in range(2):
            if missing >> (16 * h + x) & 1 == 0:
                continue
            begin = (low if h == 0 else high) + x * 256
            w = EQUAL + h * 64 + x * 4
            for k in range(3 if x == 15 else 4):
                first = begin + k * 64
                words[nb.uint64(w + k)] = equal64(blocks, first, first + 1)
                words[nb.uint64(w + 128 + k)] = equal64(blocks, first, first + 16)
                if x < 15:
                    words[nb.uint64(w + 256 + k)] = equal64(blocks, first, first + 256)
            if x == 15:
                words[nb.uint64(w + 3)] = equal64(blocks, begin + 191, begin + 192) >> nb.uint64(1)
                words[nb.uint64(w + 131)] = equal64(blocks, begin + 176, begin + 192) >> nb.uint64(16)


@inner
def join_halves(blocks: BlockIds, low: int, high: int, shown: int, words: Unsigned, rows: Rows) -> None:
    """Converts results of ``compare_cells`` to columns of 32 cells; compares across the middle only where ``shown``."""
    for a in range(3):
        lower = words[EQUAL + 128 * a : EQUAL + 128 * a + 64].view(np.uint16)
        upper = words[EQUAL + 128 * a + 64 : EQUAL + 128 * a + 128].view(np.uint16)
        for i in range(256):
            half = nb.int64(upper[nb.uint64(i)]) << 16
            rows[nb.uint64(SAME_Y + 256 * a + i)] = nb.int64(lower[nb.uint64(i)]) | half
    for x in range(16):
        if shown >> (32 + x) & 1 == 0:
            continue
        for i in range(x * 16, x * 16 + 16):
            equal = blocks[nb.uint64(low + i * 16 + 15)] == blocks[nb.uint64(high + i * 16)]
            at = nb.uint64(SAME_Y + i)
            rows[at] = nb.int64(rows[at]) & 0xFFFF7FFF | nb.int64(equal) << 15


@inner
def spread_same(rows: Rows) -> None:
    """Converts results of ``join_halves`` to the planes of the other directions."""
    turn(rows, SAME_Y, TURNED_Y)
    turn(rows, SAME_Z, TURNED_Z)
    for x in range(16):
        slice_bits(rows, SAME_Z + x * 16, SLICED_Z + x * 16)
        slice_bits(rows, SAME_X + x * 16, SLICED_X + x * 16)
    for i in range(SLICED_Z, SLICED_Z + 256):
        rows[nb.uint64(i)] = nb.int64(rows[nb.uint64(i)]) & 0x7FFF7FFF


@inner
def merges(V: Rows) -> int:
    """The allowed merges if order matters: the axis along which most faces look comes first, ties by y, x, z."""
    x, z, y = nb.int64(0), nb.int64(0), nb.int64(0)
    for i in range(256):
        k = nb.uint64(i)
        x += popcount(nb.int64(V[0, k]) << 32 | nb.int64(V[1, k]))
        z += popcount(nb.int64(V[2, k]) << 32 | nb.int64(V[3, k]))
        y += popcount(nb.int64(V[4, k]) << 32 | nb.int64(V[5, k]))
    y_before_x, y_before_z, x_before_z = nb.int64(y >= x), nb.int64(y >= z), nb.int64(x >= z)
    of_x = (1 - y_before_x) | x_before_z << 1
    of_z = (1 - y_before_z) | (1 - x_before_z) << 1
    return of_x | of_z << 2 | y_before_z << 4 | y_before_x << 5


@inner
def part_layers(rows: Rows, layers: int) -> None:
    """Prevents horizontal faces from joining in the layers of a bit set."""
    for y in range(16):
        kept = nb.int64(0 if layers >> y & 1 else 0xFFFF) | nb.int64(0 if layers >> (16 + y) & 1 else 0xFFFF) << 16
        for i in range(y, 256, 16):
            rows[nb.uint64(SLICED_Z + i)] = nb.int64(rows[nb.uint64(SLICED_Z + i)]) & kept
            rows[nb.uint64(SLICED_X + i)] = nb.int64(rows[nb.uint64(SLICED_X + i)]) & kept


@inner
def side_layers(V: Rows, lowered: bool) -> int:
    """The layers with visible sides, as a bit set; with ``lowered``, without sides of surfaces."""
    every: int = nb.int64(0)
    for i in range(256):
        k = nb.uint64(i)
        sides = nb.int64(V[0, k]) | nb.int64(V[1, k]) | nb.int64(V[2, k]) | nb.int64(V[3, k])
        every |= sides & ~nb.int64(V[5, k]) if lowered else sides
    return every


@inner
def number_bits(low: int, high: int, bits: Masks) -> None:
    """Fills the tables of a row's bits, along y, and from 64 on along z: bits[b] the cell, bits[32 + b] its packing.

    low, high: first cells of the two slots.
    """
    for b in range(16):
        bits[b] = low + b
        bits[16 + b] = high + b
        bits[32 + b] = b << SHIFT_Y
        bits[48 + b] = 16 + b << SHIFT_Y
        bits[64 + b] = low + (b << 4)
        bits[80 + b] = high + (b << 4)
        bits[96 + b] = b << SHIFT_Z
        bits[112 + b] = b << SHIFT_Z | 16 << SHIFT_Y


@refined  # saves a tenth for cells of random blocks
def emit_greedy(
    blocks: BlockIds,
    bits: Masks,
    rows: Rows,
    shown: int,
    looks: Unsigned,
    first_id: int,
    last_id: int,
    instead: int,
    drop: int,
    merge: int,
    cubes: Unsigned,
    ends: Masks,
    n: int,
) -> int:
    """Merges the faces in ``rows`` into quads behind cubes[n]; returns the new end, and in ends[0..5] each direction's.

    bits: from ``number_bits``. An id outside first_id..last_id - 1 is drawn as ``instead``, or not at all if that is
    negative. drop: the flag of a lowered upper edge, or 0. merge: see ``ALL_MERGES``.
    """
    faces_of = looks.reshape(looks.size)
    for axis in range(3):
        first = nb.int64(axis * 2)
        ends[first] = n
        ends[first + 1] = n
        if shown >> (DIRECTIONS + first) & 3 == 0:
            continue
        faces = nb.int64(FACES + first * 256)
        same = nb.int64(SAME_Y)
        joined = nb.int64(SAME_X)
        if axis == 0:
            turn(rows, faces, PLANES)
            turn(rows, faces + 256, PLANES + 256)
            faces = nb.int64(PLANES)
            same = nb.int64(TURNED_Y)
            joined = nb.int64(TURNED_Z)
        elif axis == 2:
            for x in range(32):
                slice_bits(rows, faces + x * 16, PLANES + x * 16)
            faces = nb.int64(PLANES)
            same = nb.int64(SLICED_Z)
            joined = nb.int64(SLICED_X)
        if merge >> first & 1 == 0:
            same = nb.int64(NOTHING)
        if merge >> first & 2 == 0:
            joined = nb.int64(NOTHING)
        found = grow(rows, faces, same, joined, MERGED)
        for d in range(first, first + 2):
            wide = found >> (d & 1) * 16 & 0xFFFF
            grown = nb.int64(MERGED) + (d & 1) * 768
            merged = grown
            if axis != 1:
                turn(rows, grown, ORDERED)
                turn(rows, grown + 256, ORDERED + 256)
                merged = nb.int64(ORDERED)
            sides = axis < 2
            along = nb.int64(0) if sides else nb.int64(64)
            flags = d << SHIFT_FACE | (drop if d == 5 else 0)
            for g in range(4 if sides else 8):
                half = nb.int64(0xFFFFFFFF) if sides else (nb.int64(0xFFFF) if g < 4 else nb.int64(0xFFFF0000))
                begun = some64(rows, merged + (g & 3) * 64, half)
                while begun:
                    i = ctz(begun) + (g & 3) * 64
                    begun &= begun - 1
                    cell = i << 4 if sides else (i & 15) << 8 | i >> 4
                    place = flags | (i >> 4 | (i & 15) << SHIFT_Z if sides else i & 15 | i >> 4 << SHIFT_Y)
                    starts = nb.int64(rows[nb.uint64(merged + i)]) & half
                    runs = nb.int64(rows[nb.uint64(merged + 256 + i)])
                    while starts:
                        b = ctz(starts)
                        h = ctz(~(runs >> b))
                        w = nb.int64(0)
                        if wide:
                            plane = i & 15 if axis == 1 else i >> 4
                            row = i >> 4 if axis == 1 else i & 15
                            w = reach(rows, grown + 512 + plane * 16, starts & -starts, row)
                        starts &= starts - 1
                        id_ = nb.int64(blocks[nb.uint64(cell + bits[nb.uint64(along + b)])])
                        if nb.uint64(id_ - first_id) >= nb.uint64(last_id - first_id):
                            if instead < 0:
                                continue
                            id_ = instead
                        q = place | bits[nb.uint64(along + 32 + b)] | w << SHIFT_WIDTH | h << SHIFT_HEIGHT
                        if drop and sides:
                            q |= (nb.int64(rows[nb.uint64(TOPS + i)]) >> (b + h) & 1) * drop
                        cubes[nb.uint64(n)] = nb.uint64(q) | faces_of[nb.uint64(id_ * 6 + d)]
                        n += 1
            ends[d] = n
    return n


@inner
def hide_own_kind(blocks: BlockIds, table: Slots, V: Rows) -> None:
    """Removes the faces from V that touch a cell of the same id."""
    for d in range(6):
        for i in range(256):
            v = nb.int64(V[d, nb.uint64(i)])
            left = v
            x = i >> 4
            z = i & 15
            while v:
                y = ctz(v)
                v &= v - 1
                id_ = id_at(blocks, table, x, z, y)
                if id_at(blocks, table, x + STEP_X[d], z + STEP_Z[d], y + STEP_Y[d]) == id_:
                    left &= ~(1 << y)
            V[d, nb.uint64(i)] = left
