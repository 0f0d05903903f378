"""The mesh kernel: block slots of 16 x 32 x 16 render cells -> packed quads, merged greedily by block id.

Rules:
1. Only opaque cells hide a face, and placeholders are opaque here; liquids also hide liquids, translucent blocks
   their own kind. Placeholder blocks themselves emit nothing.
2. A mesh's quads leave in the order of ``quads.Group``, inside a group by face, then x, z, y: the same blocks give
   the same bytes.
3. A job is a row of 36 slots: ``table[((dx + 1) * 3 + dz + 1) * 4 + k]``, dx and dz the column -1..1, k the section
   from one below the cell to one above it. 17 and 18 are the cell's own.
4. Nothing is bounds-checked: ``cubes`` needs room for ``WORST_CUBES`` more quads when a mesh is begun; models are
   checked block by block, and a mesh that does not fit is left out whole.

Theory. Three masks a column say which cells hold the same id as the next one along y, z and x (64 comparisons an
instruction or few), so a run of equal visible faces is found with one addition and an XOR, and the next row is taken
by two comparisons of masks. The only look-up a quad costs is its own id.

Liquids. A cell under no liquid has a surface, whose four corners each take the mean of the cells around them
(``corner``), so that neighbours join without a gap whatever their levels. Where all nine cells around are full or
opaque it is level: its faces are cube quads with a lowered upper edge, so runs only grow sideways over level surfaces.
Others slope: their surface and the sides under it are model quads, one cell at a time, with the picture of a side
turned to run downhill. A liquid cell that holds a block of another class (water inside a plant) is full, and drawn as
``waterlog``.

Limits: a run is at most 16 wide and 32 high, so it fits the packed form. Unlike liquids side by side join like one; of
a liquid inside another block no level is known. Speed on the bench world: see ``tests/bench``.
"""

import numba as nb
import numpy as np
import numpy.typing as npt

from net.space.jit import ctz, inner, kernel, popcount
from net.space.layout import BlockIds, Bytes, ColumnMasks, Slots
from render.materials.looks import LOWERED
from render.mesh.compare import equal64

Masks = npt.NDArray[np.int64]
"""Bits of a column from y = 0 at bit 0 (padded: from y = -1), or plain numbers."""
Unsigned = npt.NDArray[np.uint64]
Halves = npt.NDArray[np.uint16]

HAS_OPAQUE, ALL_OPAQUE, HAS_LIQUID, HAS_OTHER = 1, 2, 4, 8
WORST_CUBES = 6 * 8192  # every face of every cell
INTS = 6144  # int64 scratch
WORDS = 128  # uint64 scratch

AIR_END, CUTOUT, TRANSLUCENT, LIQUID, PLACEHOLDER, OPAQUE, WATERLOG = 0, 1, 2, 3, 4, 5, 6
"""Columns of ``classes``: the first id of models, cut-outs, translucents, liquids, placeholders, opaques; the liquid to
draw where a liquid cell holds another block."""

CULL_BITS, ALWAYS, LIKE_ONLY = 7, 7, 64
"""A model quad's rule: bits 0-2 the face that an opaque neighbour hides (7: none), bits 3-5 the direction that must
connect (7: none), bit 6: to a like block, an opaque one does not do; bits 7-11: not drawn in a bend of this number."""

STRAIGHT, OUTER_LEFT, OUTER_RIGHT, INNER_LEFT, INNER_RIGHT = 0, 1, 2, 3, 4
"""How stairs bend, seen from below, looking up them."""
LEFT_OF = (3, 2, 0, 1)
UPPER, LOWER_BITS, UPPER_BITS = 16, 7, 8
"""Of ``doors``: the half; what the lower one knows (direction, open), and the upper one (hinge)."""

STEP_X, STEP_Z, STEP_Y = (-1, 1, 0, 0, 0, 0), (0, 0, -1, 1, 0, 0), (0, 0, 0, 0, -1, 1)
FULL, LEVEL, WHOLE = 8, 14, 16
"""A liquid that fills its block, in eighths; how high its surface stands then, and the whole block, in sixteenths."""

SHIFT_Z, SHIFT_Y, SHIFT_FACE, SHIFT_WIDTH, SHIFT_HEIGHT, SHIFT_FLAGS = 4, 8, 13, 16, 20, 28  # as quads.CUBE, tested


@inner
def pad(masks: ColumnMasks, table: Slots, out: Masks) -> None:
    """34 bits a column (one below, 32, one above), 18 x 18 columns."""
    for x in range(18):
        gx = 0 if x == 0 else (2 if x == 17 else 1)
        lx = ((x - 1) & 15) << 4
        for gz in range(3):
            g = (gx * 3 + gz) * 4
            a = masks[table[g]]
            b = masks[table[g + 1]]
            c = masks[table[g + 2]]
            d = masks[table[g + 3]]
            first = lx if gz == 1 else (lx + 15 if gz == 0 else lx)
            count = 16 if gz == 1 else 1
            o = x * 18 + (0 if gz == 0 else (1 if gz == 1 else 17))
            for z in range(count):
                i = nb.uint64(first + z)
                out[nb.uint64(o + z)] = (
                    nb.int64(a[i] >> 15) | nb.int64(b[i]) << 1 | nb.int64(c[i]) << 17 | nb.int64(d[i] & 1) << 33
                )


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
def id_at(blocks: BlockIds, table: Slots, x: int, z: int, y: int) -> int:
    """The id of a cell at x, z -1..16, y -1..32."""
    g = ((x + 16) >> 4) * 12 + ((z + 16) >> 4) * 4 + ((y + 16) >> 4)
    id_: int = nb.int64(blocks[nb.uint64(nb.int64(table[g]) << 12 | (x & 15) << 8 | (z & 15) << 4 | (y & 15))])
    return id_


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


@inner
def covered(PO: Masks, x: int, z: int, y: int, d: int) -> bool:
    """Is the neighbour in direction d opaque?"""
    hidden: bool = PO[nb.uint64((x + STEP_X[d]) * 18 + 19 + z + STEP_Z[d])] >> (y + 1 + STEP_Y[d]) & 1 != 0
    return hidden


@inner
def bend_of(blocks: BlockIds, table: Slots, stairs: Bytes, id_: int, x: int, z: int, y: int) -> int:
    """How stairs bend, by the stairs of the same half before and behind them that look to a side: the game's rule.

    A neighbour that goes on in the same direction beside them keeps them from bending towards it.
    """
    own = nb.int64(stairs[nb.uint64(id_)])
    towards = (own - 1) & 3
    for back in range(2):
        d = towards ^ back
        other = nb.int64(stairs[nb.uint64(id_at(blocks, table, x + STEP_X[d], z + STEP_Z[d], y))])
        looks = (other - 1) & 3
        if other == 0 or (other - 1) >> 2 != (own - 1) >> 2 or looks >> 1 == towards >> 1:
            continue
        d = looks ^ 1 if back == 0 else looks
        if nb.int64(stairs[nb.uint64(id_at(blocks, table, x + STEP_X[d], z + STEP_Z[d], y))]) == own:
            continue
        left = looks == LEFT_OF[towards]
        if back:
            return INNER_LEFT if left else INNER_RIGHT
        return OUTER_LEFT if left else OUTER_RIGHT
    return STRAIGHT


@inner
def whole_door(
    blocks: BlockIds, table: Slots, doors: Halves, door_ids: Halves, id_: int, x: int, z: int, y: int
) -> int:
    """The id whose quads a half of a door shows: what it knows itself, and what only the other half knows."""
    own = nb.int64(doors[nb.uint64(id_)])
    other = nb.int64(doors[nb.uint64(id_at(blocks, table, x, z, y - 1 if own & UPPER else y + 1))])
    if (own ^ other) & ~(LOWER_BITS | UPPER_BITS) != UPPER:
        return id_
    lower, upper = (other, own) if own & UPPER else (own, other)
    kept = own & ~(LOWER_BITS | UPPER_BITS)
    shown: int = nb.int64(door_ids[nb.uint64(kept | lower & LOWER_BITS | upper & UPPER_BITS)])
    return shown


@inner
def emit_model(
    blocks: BlockIds,
    table: Slots,
    PO: Masks,
    groups: Bytes,
    stairs: Bytes,
    id_: int,
    x: int,
    z: int,
    y: int,
    start: int,
    stop: int,
    model_quads: Unsigned,
    model_rules: Halves,
    models: Unsigned,
    n: int,
) -> int:
    """One block's model quads behind models[n]; returns the new end."""
    bend = nb.int64(STRAIGHT)
    if stairs[nb.uint64(id_)]:
        bend = bend_of(blocks, table, stairs, id_, x, z, y)
    for k in range(start, stop):
        rule = nb.int64(model_rules[nb.uint64(k)])
        cull = rule & 7
        link = rule >> 3 & 7
        if rule >> (7 + bend) & 1:
            continue
        if cull < 6 and covered(PO, x, z, y, cull):
            continue
        if link < 6 and (rule & LIKE_ONLY != 0 or not covered(PO, x, z, y, link)):
            other = id_at(blocks, table, x + STEP_X[link], z + STEP_Z[link], y + STEP_Y[link])
            if groups[nb.uint64(id_)] == 0 or groups[nb.uint64(other)] != groups[nb.uint64(id_)]:
                continue
        at = nb.uint64(n)
        models[at, 0] = model_quads[nb.uint64(k), 0] + nb.uint64(x << 4 | z << 14 | y << 24)
        models[at, 1] = model_quads[nb.uint64(k), 1] | nb.uint64(id_) << nb.uint64(48)
        models[at, 2] = model_quads[nb.uint64(k), 2] | nb.uint64(x | z << 4 | y << 8) << nb.uint64(32)
        n += 1
    return n


@inner
def sort_others(
    blocks: BlockIds,
    other: ColumnMasks,
    kinds: Bytes,
    table: Slots,
    classes: Masks,
    PO: Masks,
    cut: Masks,
    clear: Masks,
    groups: Bytes,
    stairs: Bytes,
    doors: Halves,
    door_ids: Halves,
    model_rows: Slots,
    model_quads: Unsigned,
    model_rules: Halves,
    models: Unsigned,
    n: int,
) -> tuple[int, int]:
    """Emits models; marks cut-out and translucent cells in the padded masks.

    Returns the end of the models (negative: out of room) and which of cut-out (1) and translucent (2) there are.
    """
    room = len(models)
    some = 0
    for i in range(324):
        cut[i] = 0
        clear[i] = 0
    for h in range(2):
        slot = nb.int64(table[17 + h])
        if kinds[slot] & HAS_OTHER == 0:
            continue
        for i in range(256):
            v = nb.int64(other[slot, nb.uint64(i)])
            x = i >> 4
            z = i & 15
            p = nb.uint64(x * 18 + 19 + z)
            while v:
                y0 = ctz(v)
                v &= v - 1
                y = y0 + h * 16
                id_ = nb.int64(blocks[nb.uint64(slot << 12 | i << 4 | y0)])
                if id_ >= classes[TRANSLUCENT]:
                    clear[p] |= 2 << y
                    some |= 2
                elif id_ >= classes[CUTOUT]:
                    cut[p] |= 2 << y
                    some |= 1
                else:
                    shown = whole_door(blocks, table, doors, door_ids, id_, x, z, y) if doors[nb.uint64(id_)] else id_
                    start = nb.int64(model_rows[nb.uint64(shown), 0])
                    stop = nb.int64(model_rows[nb.uint64(shown), 1])
                    if n + stop - start > room:
                        return nb.int64(-1), some
                    n = emit_model(
                        blocks, table, PO, groups, stairs, id_, x, z, y, start, stop, model_quads, model_rules,
                        models, n,
                    )  # fmt: skip
    return n, some


@inner
def level_surfaces(
    blocks: BlockIds,
    table: Slots,
    PT: Masks,
    PO: Masks,
    amounts: Bytes,
    PA: Masks,
    even: Masks,
    still: Masks,
    V: Masks,
) -> bool:
    """Splits the surfaces of wet cells: V[5, column] those that are level, ``still`` [0..255] those that slope.

    Takes the sides of sloping cells from V[0..3]; returns whether there are any. ``PA``,
    ``even``, ``still``: scratch of 324.
    """
    for p in range(324):
        still[p] = PT[p] & ~(PT[p] >> 1) & 0x1FFFFFFFE  # of y 0..31
    for x in range(18):
        for z in range(18):
            p = nb.uint64(x * 18 + z)
            tops = still[p]
            while tops:
                bottom = tops & -tops
                tops &= ~bottom
                if amounts[nb.uint64(id_at(blocks, table, x - 1, z - 1, ctz(bottom) - 1))] != FULL:
                    still[p] &= ~bottom
    for p in range(324):
        PA[p] = still[p] | (PO[p] & ~PT[p])
    for p in range(1, 323):
        even[p] = PA[p - 1] & PA[p] & PA[p + 1]
    some = nb.int64(0)
    for x in range(16):
        for z in range(16):
            p = nb.uint64(x * 18 + 19 + z)
            level = still[p] & even[p - nb.uint64(18)] & even[p] & even[p + nb.uint64(18)]
            V[5, nb.uint64(x * 16 + z)] = level >> 1 & 0xFFFFFFFF
            some |= PT[p] & ~(PT[p] >> 1) & ~level
    if some & 0x1FFFFFFFE == 0:
        return False
    for x in range(16):
        for z in range(16):
            p = nb.uint64(x * 18 + 19 + z)
            i = nb.uint64(x * 16 + z)
            slopes = (PT[p] & ~(PT[p] >> 1)) >> 1 & 0xFFFFFFFF & ~V[5, i]
            still[i] = slopes
            for d in range(4):
                V[d, i] &= ~slopes
    return True


@inner
def corner(blocks: BlockIds, table: Slots, PT: Masks, PO: Masks, amounts: Bytes, x: int, z: int, y: int) -> int:
    """How high liquid stands at the north-western corner of a cell, in sixteenths, 1..16.

    Whole where one of the four cells around has liquid above. Else their mean, in which full ones count ten times, what
    is neither wet nor opaque counts as empty, and opaque blocks do not count: the game's rule.
    """
    weights = nb.int64(0)
    total = nb.int64(0)
    for k in range(4):
        cx = x - (k >> 1)
        cz = z - (k & 1)
        p = nb.uint64(cx * 18 + 19 + cz)
        if PT[p] >> (y + 1) & 1:
            if PT[p] >> (y + 2) & 1:
                return WHOLE
            amount = nb.int64(amounts[nb.uint64(id_at(blocks, table, cx, cz, y))])
            weight = nb.int64(10) if amount == FULL else nb.int64(1)
            weights += weight
            total += weight * amount
        elif PO[p] >> (y + 1) & 1 == 0:
            weights += 1
    height: int = max((2 * LEVEL * total + FULL * weights) // (2 * FULL * weights), nb.int64(1))
    return height


@inner
def put_slope(
    models: Unsigned,
    n: int,
    look: int,
    face: int,
    x: int,
    z: int,
    y: int,
    begin: Masks,
    low: int,
    a: int,
    b: int,
    c: int,
) -> None:
    """One model quad of a liquid at models[n].

    begin: x and z of the origin, of the edge U and of the edge V, inside the block. low: how high the origin lies; a,
    b, c: how much higher (1,0), (0,1) and (1,1) lie.
    """
    at = nb.uint64(n)
    bias = nb.int64(64)
    word0 = (x * 16 + begin[0] + bias) | (z * 16 + begin[1] + bias) << 10 | (y * 16 + low + bias) << 20
    word1 = (begin[2] + bias) | (a + bias) << 7 | (begin[3] + bias) << 14 | face << 21
    word1 |= (look >> 25 & 7) << 24 | (look >> 28 & 15) << 27
    word2 = (begin[4] + bias) | (b + bias) << 7 | (begin[5] + bias) << 14
    high = 0 if face == 5 else 16 - min(b, 16)
    word4 = 16 << 5 | 16 << 10 | high << 15 | (c - a - b + bias) << 20
    models[at, 0] = nb.uint64(word0 | word1 << 32)
    models[at, 1] = nb.uint64(word2) | nb.uint64(look >> 32) << nb.uint64(32)
    models[at, 2] = nb.uint64(word4 | (x | z << 4 | y << 8) << 32)


@inner
def emit_slopes(
    blocks: BlockIds,
    table: Slots,
    PT: Masks,
    PO: Masks,
    slopes: Masks,
    classes: Masks,
    amounts: Bytes,
    looks: Unsigned,
    h: Masks,
    models: Unsigned,
    n: int,
) -> int:
    """Surfaces and sides of cells whose liquid slopes behind models[n]; the new end, negative where there is no room.

    h: scratch of 10.
    """
    begin = h[4:10]
    for i in range(256):
        v = slopes[nb.uint64(i)]
        x = i >> 4
        z = i & 15
        p = x * 18 + 19 + z
        while v:
            y = ctz(v)
            v &= v - 1
            if n + 5 > len(models):
                return -1
            id_ = id_at(blocks, table, x, z, y)
            amount = nb.int64(amounts[nb.uint64(id_)])
            if id_ < classes[LIQUID] or id_ >= classes[PLACEHOLDER]:
                id_ = classes[WATERLOG]
            for k in range(4):  # counter-clockwise seen from above, from the south-western corner on
                cx = 1 if 0 < k < 3 else 0
                cz = 1 if k < 2 else 0
                h[k] = corner(blocks, table, PT, PO, amounts, x + cx, z + cz, y)
            if PO[nb.uint64(p)] >> (y + 2) & 1 == 0 or min(h[0], h[1], h[2], h[3]) < WHOLE:
                east = h[0] + h[3] - h[1] - h[2]
                south = h[2] + h[3] - h[0] - h[1]
                turn = nb.int64(0)
                if abs(east) > abs(south):
                    turn = nb.int64(1) if east > 0 else nb.int64(3)
                elif south < 0:
                    turn = nb.int64(2)
                shown = nb.int64(3)  # the picture of flowing liquid
                if amount == FULL:
                    shown = nb.int64(5)
                    turn &= 1
                for k in range(3):  # origin, end of U, end of V
                    at = (turn + (k if k < 2 else 3)) & 3
                    begin[2 * k] = 16 if 0 < at < 3 else 0
                    begin[2 * k + 1] = 16 if at < 2 else 0
                for k in range(2):
                    begin[2 + k] -= begin[k]
                    begin[4 + k] -= begin[k]
                low = h[turn]
                put_slope(
                    models, n, nb.int64(looks[nb.uint64(id_), nb.uint64(shown)]), nb.int64(5), x, z, y, begin, low,
                    h[turn + 1 & 3] - low, h[turn + 3 & 3] - low, h[turn + 2 & 3] - low,
                )  # fmt: skip
                n += 1
            for d in range(4):
                q = nb.uint64(p + STEP_X[d] * 18 + STEP_Z[d])
                if (PT[q] | PO[q]) >> (y + 1) & 1:
                    continue
                # The corner a side begins at seen from outside: -x north, +x south, -z east, +z west.
                first = nb.int64(3) if d == 0 else (nb.int64(1) if d == 1 else (nb.int64(2) if d == 2 else nb.int64(0)))
                begin[0] = 16 if 0 < first < 3 else 0
                begin[1] = 16 if first < 2 else 0
                begin[2] = 0 if d < 2 else (-16 if d == 2 else 16)
                begin[3] = (16 if d == 0 else -16) if d < 2 else 0
                begin[4] = 0
                begin[5] = 0
                put_slope(
                    models, n, nb.int64(looks[nb.uint64(id_), nb.uint64(d)]), nb.int64(d), x, z, y, begin, nb.int64(0),
                    nb.int64(0), h[first], h[first + 1 & 3],
                )  # fmt: skip
                n += 1
    return n


@inner
def buried(kinds: Bytes, table: Slots) -> bool:
    """Both halves wholly opaque, and all around them: nothing can show."""
    around = nb.int64(kinds[table[16]]) & nb.int64(kinds[table[17]]) & nb.int64(kinds[table[18]])
    around &= nb.int64(kinds[table[19]])
    for g in range(4, 32, 8):
        around &= nb.int64(kinds[table[g + 1]]) & nb.int64(kinds[table[g + 2]])
    whole: bool = around & ALL_OPAQUE != 0
    return whole


@kernel(
    "int64(uint16[::1], uint16[:,::1], uint16[:,::1], uint16[:,::1], uint8[::1], int64[::1], uint8[::1], "
    "uint64[:,::1], uint8[::1], uint8[::1], uint16[::1], uint16[::1], int32[:,::1], uint64[:,::1], uint16[::1], "
    "int32[:,::1], int64, "
    "uint64[::1], uint64[:,::1], int32[:,::1], int64[:,::1], int64[::1], uint64[::1])"
)
def mesh_cells(
    blocks: BlockIds,
    opaque: ColumnMasks,
    liquid: ColumnMasks,
    other: ColumnMasks,
    kinds: Bytes,
    classes: Masks,
    amounts: Bytes,
    looks: Unsigned,
    groups: Bytes,
    stairs: Bytes,
    doors: Halves,
    door_ids: Halves,
    model_rows: Slots,
    model_quads: Unsigned,
    model_rules: Halves,
    tables: Slots,
    start: int,
    cubes: Unsigned,
    models: Unsigned,
    counts: Slots,
    firsts: Masks,
    ints: Masks,
    words: Unsigned,
) -> int:
    """Meshes tables[start:] until done or out of room; returns how many of tables are done, -1 if not even one fitted.

    blocks: the pool, flat. looks uint64[n, 6]: what the face of an id adds to a quad (quads.CUBE's tint, flags, layer,
    block). model_rows int32[n, 2]: rows of model_quads (six words in three) and model_rules of an id. cubes uint64
    and models uint64[.., 3] are written from 0 on; counts[k] by ``quads.Group``. firsts int64[2, meshes + 1]: where the
    cubes and models of each mesh begin; firsts[:, start] is given, what is behind is written. ints[INTS], words[WORDS]:
    scratch.
    """
    PO = ints[0:324]
    PT = ints[336:660]
    PA = ints[672:996]
    clear = ints[1008:1332]
    V = ints[1344:2880].reshape(6, 256)
    same = ints[2880:3648].reshape(3, 256)
    R = ints[3648:5184].reshape(3, 512)
    ends = ints[5184:5190]
    heights = ints[5192:5202]
    even = ints[5208:5532]
    n = nb.int64(0)
    nm = nb.int64(0)
    none = nb.int64(0)
    for k in range(start, len(tables)):
        table = tables[k]
        for g in range(11):
            counts[k, g] = 0
        firsts[0, k + 1] = firsts[0, start] + n
        firsts[1, k + 1] = firsts[1, start] + nm
        low_slot = nb.int64(table[17])
        high_slot = nb.int64(table[18])
        some = nb.int64(kinds[low_slot]) | nb.int64(kinds[high_slot])
        if some & (HAS_OPAQUE | HAS_LIQUID | HAS_OTHER) == 0 or buried(kinds, table):
            continue
        if n + WORST_CUBES > len(cubes):
            return k if k > start else -1
        pad(opaque, table, PO)
        kinds_of_other = nb.int64(0)
        if some & HAS_OTHER:
            q = nm
            nm, kinds_of_other = sort_others(
                blocks,
                other,
                kinds,
                table,
                classes,
                PO,
                PA,
                clear,
                groups,
                stairs,
                doors,
                door_ids,
                model_rows,
                model_quads,
                model_rules,
                models,
                nm,
            )
            if nm < 0:
                return k if k > start else -1
            counts[k, 9] = nm - q
        low = low_slot << 12
        high = high_slot << 12
        have_same = False
        for part in range(4):
            dirs = nb.int64(0)
            drop = none
            first_id = none
            last_id = nb.int64(65536)
            instead = nb.int64(-1)
            if part == 0:
                if some & HAS_OPAQUE:
                    dirs = visible_faces(PO, PO, V)
                first_id = classes[OPAQUE]
            elif part == 1:
                if kinds_of_other & 1:
                    dirs = visible_faces(PA, PO, V)
            elif part == 2:
                if kinds_of_other & 2:
                    visible_faces(clear, PO, V)
                    dirs = hide_own_kind(blocks, table, V)
            elif some & HAS_LIQUID:
                pad(liquid, table, PT)
                for i in range(324):
                    PA[i] = PO[i] | PT[i]
                dirs = visible_faces(PT, PA, V) | 1 << 5
                if level_surfaces(blocks, table, PT, PO, amounts, PA, even, clear, V):
                    q = nm
                    nm = emit_slopes(blocks, table, PT, PO, clear, classes, amounts, looks, heights, models, nm)
                    if nm < 0:
                        return k if k > start else -1
                    counts[k, 10] = nm - q
                first_id = classes[LIQUID]
                last_id = classes[PLACEHOLDER]
                instead = classes[WATERLOG]
                drop = nb.int64(LOWERED) << SHIFT_FLAGS
            if dirs == 0:
                continue
            if not have_same:
                same_masks(blocks, low, high, words, same)
                have_same = True
            if part == 3:  # sides only grow over surfaces of one height
                for i in range(240):
                    same[2, i] &= ~(V[5, i] ^ V[5, i + 16])
                for i in range(255):
                    same[1, i] &= ~(V[5, i] ^ V[5, i + 1])
            q = n
            n = emit_greedy(
                blocks, low, high, V, dirs, same, R, looks, first_id, last_id, instead, drop, cubes, ends, n
            )
            if part == 0:
                for d in range(6):
                    counts[k, d] = ends[d] - q
                    q = ends[d]
            else:
                counts[k, 5 + part] = n - q
        firsts[0, k + 1] = firsts[0, start] + n
        firsts[1, k + 1] = firsts[1, start] + nm
    return len(tables)
