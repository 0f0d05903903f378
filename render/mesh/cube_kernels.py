"""Faces of whole blocks: which are visible, merged greedily by block id into cube quads.

Theory. Three masks a column say which cells hold the same id as the next one along y, z and x (64 comparisons an
instruction or few), so a run of equal visible faces is found with one addition and an XOR, and the next row is taken
by two comparisons of masks. The only look-up a quad costs is its own id.

Limits: a run is at most 16 wide and 32 high, so it fits the packed form.
"""

import numba as nb
import numpy as np

from net.space.jit import ctz, inner, popcount
from net.space.layout import BlockIds, Slots
from render.mesh.cells import STEP_X, STEP_Y, STEP_Z, Masks, Unsigned, id_at
from render.mesh.compare import equal64

SHIFT_Z, SHIFT_Y, SHIFT_FACE, SHIFT_WIDTH, SHIFT_HEIGHT, SHIFT_FLAGS = 4, 8, 13, 16, 20, 28  # as quads.CUBE, tested


@inner
def visible_faces(own: Masks, cover: Masks, V: Masks) -> int:
    """V[d, column]: sides of own's cells that cover does not hide; returns which directions have any."""
    M32 = 0xFFFFFFFF
    s0 = 0
    s1 = 0
    s2 = 0
    s3 = 0
    s4 = 0
    s5 = 0
    for x in range(16):
        for z in range(16):
            p = nb.uint64(x * 18 + 19 + z)
            i = nb.uint64(x * 16 + z)
            c = own[p]
            b = cover[p]
            v0 = ((c & ~cover[p - nb.uint64(18)]) >> 1) & M32
            v1 = ((c & ~cover[p + nb.uint64(18)]) >> 1) & M32
            v2 = ((c & ~cover[p - nb.uint64(1)]) >> 1) & M32
            v3 = ((c & ~cover[p + nb.uint64(1)]) >> 1) & M32
            v4 = ((c & ~(b << 1)) >> 1) & M32
            v5 = ((c & ~(b >> 1)) >> 1) & M32
            V[0, i] = v0
            V[1, i] = v1
            V[2, i] = v2
            V[3, i] = v3
            V[4, i] = v4
            V[5, i] = v5
            s0 |= v0
            s1 |= v1
            s2 |= v2
            s3 |= v3
            s4 |= v4
            s5 |= v5
    return (s0 != 0) | (s1 != 0) << 1 | (s2 != 0) << 2 | (s3 != 0) << 3 | (s4 != 0) << 4 | (s5 != 0) << 5


@inner
def same_masks(blocks: BlockIds, low: int, high: int, words: Unsigned, same: Masks) -> None:
    """same[0..2, column]: bit y: the cell holds the same id as the next one along y, z, x.

    Bits of cells whose next one lies outside the slot mean nothing. Nothing outside the two slots is read: the last
    64 cells come from a comparison that starts a step earlier.
    """
    for a in range(3):
        step = 1 if a == 0 else (16 if a == 1 else 256)
        full = 63 if a < 2 else 60
        for k in range(full):
            words[k] = equal64(blocks, low + k * 64, low + k * 64 + step)
            words[64 + k] = equal64(blocks, high + k * 64, high + k * 64 + step)
        if a < 2:
            words[63] = equal64(blocks, low + 4032 - step, low + 4032) >> nb.uint64(step)
            words[127] = equal64(blocks, high + 4032 - step, high + 4032) >> nb.uint64(step)
        lower = words[0:64].view(np.uint16)
        upper = words[64:128].view(np.uint16)
        for i in range(256 if a < 2 else 240):
            same[a, i] = nb.int64(lower[i]) | nb.int64(upper[i]) << 16


@inner
def emit_greedy(
    blocks: BlockIds,
    low: int,
    high: int,
    V: Masks,
    dirs: int,
    same: Masks,
    R: Masks,
    looks: Unsigned,
    first_id: int,
    last_id: int,
    instead: int,
    drop: int,
    cubes: Unsigned,
    ends: Masks,
    n: int,
) -> int:
    """Merges V's faces into quads behind cubes[n]; returns the new end, and in ends[0..5] that of each direction.

    low, high: first cells of the two slots. An id outside first_id..last_id - 1 is drawn as ``instead``, not at all if
    that is negative. drop: the flag of a lowered upper edge, 0 where none is wanted.
    """
    for d in range(4):
        ends[d] = n
        if dirs >> d & 1 == 0:
            continue
        jump = 1 if d < 2 else 16  # to the next row of the same plane
        for i in range(256):
            v = V[d, nb.uint64(i)]
            if v == 0:
                continue
            last = (i | 15) if d < 2 else (i | 240)
            nexts = same[1 if d < 2 else 2]
            c = same[0, nb.uint64(i)] & 0xFFFF7FFF
            if v & 0x18000 == 0x18000 and blocks[nb.uint64(low + i * 16 + 15)] == blocks[nb.uint64(high + i * 16)]:
                c |= 0x8000
            t = (v >> 1) & c
            while v:
                bottom = v & -v
                m = (t + bottom) ^ t  # the run that starts at bottom
                v &= ~m
                y = ctz(bottom)
                j = i
                while j < last:
                    u = V[d, nb.uint64(j + jump)]
                    if u & m != m or nexts[nb.uint64(j)] & m != m:
                        break
                    j += jump
                    V[d, nb.uint64(j)] = u & ~m
                w = (j - i) if d < 2 else (j - i) >> 4
                h = popcount(m) - 1
                id_ = nb.int64(blocks[nb.uint64((low if y < 16 else high) + i * 16 + (y & 15))])
                if id_ < first_id or id_ >= last_id:
                    id_ = instead
                if id_ >= 0:
                    q = (i >> 4) | (i & 15) << SHIFT_Z | y << SHIFT_Y | d << SHIFT_FACE
                    q |= w << SHIFT_WIDTH | h << SHIFT_HEIGHT | (V[5, nb.uint64(i)] >> (y + h) & 1) * drop
                    cubes[nb.uint64(n)] = nb.uint64(q) | looks[nb.uint64(id_), nb.uint64(d)]
                    n += 1
        ends[d] = n
    for d in range(4, 6):
        ends[d] = n
        if dirs >> d & 1 == 0:
            continue
        for k in range(512):  # R: rows along z [x + 16 y]: faces, same along z, same along x
            R[0, k] = 0
            R[1, k] = 0
            R[2, k] = 0
        levels = 0
        for i in range(256):
            v = V[d, nb.uint64(i)]
            levels |= v
            sz = same[1, nb.uint64(i)]
            sx = same[2, nb.uint64(i)]
            b = i & 15
            x = i >> 4
            while v:
                y = ctz(v)
                v &= v - 1
                k = nb.uint64(y << 4 | x)
                R[0, k] |= 1 << b
                R[1, k] |= (sz >> y & 1) << b
                R[2, k] |= (sx >> y & 1) << b
        edge = drop if d == 5 else 0
        while levels:
            y = ctz(levels)
            levels &= levels - 1
            base = (low if y < 16 else high) + (y & 15)
            for x in range(16):
                k = nb.uint64(y << 4 | x)
                v = R[0, k]
                if v == 0:
                    continue
                t = (v >> 1) & R[1, k]
                while v:
                    bottom = v & -v
                    m = (t + bottom) ^ t
                    v &= ~m
                    z = ctz(bottom)
                    j = x
                    while j < 15:
                        k = nb.uint64(y << 4 | j)
                        u = R[0, k + nb.uint64(1)]
                        if u & m != m or R[2, k] & m != m:
                            break
                        j += 1
                        R[0, k + nb.uint64(1)] = u & ~m
                    id_ = nb.int64(blocks[nb.uint64(base + (x << 8 | z << 4))])
                    if id_ < first_id or id_ >= last_id:
                        id_ = instead
                    if id_ >= 0:
                        q = x | z << SHIFT_Z | y << SHIFT_Y | d << SHIFT_FACE
                        q |= (j - x) << SHIFT_WIDTH | (popcount(m) - 1) << SHIFT_HEIGHT | edge
                        cubes[nb.uint64(n)] = nb.uint64(q) | looks[nb.uint64(id_), nb.uint64(d)]
                        n += 1
        ends[d] = n
    return n


@inner
def hide_own_kind(blocks: BlockIds, table: Slots, V: Masks) -> int:
    """Takes from V the faces against a cell of the same id; returns which directions are left."""
    dirs = 0
    for d in range(6):
        for i in range(256):
            v = V[d, nb.uint64(i)]
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
            if left:
                dirs |= 1 << d
    return dirs
