"""Liquids: wet cells, their liquid, and level and sloping surfaces.

A cell without liquid above has a surface. If all nine cells around are full or opaque it is level: its faces are cube
quads with a lowered upper edge, so runs only grow sideways over level surfaces. The others slope: model quads of the
surface and of the sides under it, one cell at a time. Each of a surface's four corners has the mean of the cells around
it (``corner``), so that neighbours join without a gap whatever their levels.

Two sources. A cell is wet if it is a liquid, or if its second layer is (a fence in water). Opaque and translucent
blocks are dry in any case: they fill their cell. Water in another block has the level of its own id, and is drawn as
``waterlog``: still water. A job without second layers skips them.

Two kinds. Water joins water and lava lava; for each other they are dry. Only if slots of both kinds are around, wet
cells are separated one by one, and everything is done once for each kind.

Indices. None comes from outside: cells are those of the mesh and its padding; ids as in ``mesh_kernels``; the space for
quads is checked before each cell.
"""

from net.arrays import BlockIds, Bytes, ColumnMasks, Slots
from net.kernels import jit as nb
from net.kernels.jit import ctz, inner
from render.mesh.cell_layout import (
    HOLDS_LAVA,
    HOLDS_WATER,
    LIQUID,
    PLACEHOLDER,
    STEP_X,
    STEP_Z,
    TRANSLUCENT,
    WATERLOG,
    Flags,
    Masks,
    Rows,
    Unsigned,
    id_at,
    pad,
)
from render.mesh.cube_kernels import SAME_X, SAME_Z

FULL, LEVEL, WHOLE = 8, 14, 16
"""Amount of a full liquid, in eighths; height of its surface, and of the whole block, in sixteenths."""


WATER, LAVA = 1, 2
"""Kinds of liquids."""


@inner
def has_second(seconds: Slots) -> bool:
    """Whether any of the 36 places has a second layer."""
    every = nb.int64(0)
    for g in range(36):
        every |= nb.int64(seconds[g])
    return every != 0


@inner
def has_both_kinds(flags: Flags, table: Slots, soaked: bool) -> bool:
    """Whether the 36 places may hold both water and lava; ``soaked``: some of them have a second layer."""
    every = nb.int64(HOLDS_WATER) if soaked else nb.int64(0)
    for g in range(36):
        every |= nb.int64(flags[table[g]])
    return every & HOLDS_WATER != 0 and every & HOLDS_LAVA != 0


@inner
def wet_cells(
    blocks: BlockIds,
    liquid: ColumnMasks,
    table: Slots,
    wet: ColumnMasks,
    seconds: Slots,
    soaked: bool,
    classes: Masks,
    PO: Masks,
    PA: Masks,
    PT: Masks,
) -> None:
    """Sets PT to the padded masks of cells with liquid in either layer. ``PA``: scratch of 324."""
    pad(liquid, table, PT)
    if not soaked:
        return
    pad(wet, seconds, PA)
    for x in range(18):
        for z in range(18):
            p = nb.uint64(x * 18 + z)
            left = PA[p] & ~PO[p] & ~PT[p]
            while left:
                bottom = left & -left
                left &= ~bottom
                id_ = id_at(blocks, table, x - 1, z - 1, ctz(bottom) - 1)
                if id_ < classes[TRANSLUCENT]:
                    PT[p] |= bottom


@inner
def keep_kind(blocks: BlockIds, table: Slots, liquids: Bytes, kind: int, every: Masks, PT: Masks) -> None:
    """Sets PT to the cells of ``every`` whose liquid is of one kind; liquid of a second layer counts as water."""
    for x in range(18):
        for z in range(18):
            p = nb.uint64(x * 18 + z)
            left = every[p]
            kept = nb.int64(0)
            while left:
                bottom = left & -left
                left &= ~bottom
                if nb.int64(liquids[nb.uint64(id_at(blocks, table, x - 1, z - 1, ctz(bottom) - 1))]) == kind:
                    kept |= bottom
            PT[p] = kept


@inner
def amount_at(
    blocks: BlockIds, table: Slots, layer1: BlockIds, seconds: Slots, classes: Masks, amounts: Bytes, x: int, z: int,
    y: int,
) -> int:  # fmt: skip
    """Amount of liquid in a wet cell, in eighths."""
    id_ = id_at(blocks, table, x, z, y)
    if id_ < classes[LIQUID] or id_ >= classes[PLACEHOLDER]:
        id_ = id_at(layer1, seconds, x, z, y)
    return nb.int64(amounts[nb.uint64(id_)])


@inner
def level_surfaces(
    blocks: BlockIds,
    table: Slots,
    layer1: BlockIds,
    seconds: Slots,
    classes: Masks,
    PT: Masks,
    PO: Masks,
    amounts: Bytes,
    PA: Masks,
    even: Masks,
    still: Masks,
    V: Rows,
) -> bool:
    """Splits the surfaces of wet cells: V[5, column] the level ones, ``still`` [0..255] the sloping ones.

    Removes the sides of sloping cells from V[0..3]; returns whether there are any. ``PA``, ``even``, ``still``: scratch
    of 324.
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
                y = ctz(bottom) - 1
                if amount_at(blocks, table, layer1, seconds, classes, amounts, x - 1, z - 1, y) != FULL:
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
            slopes = (PT[p] & ~(PT[p] >> 1)) >> 1 & 0xFFFFFFFF & ~nb.int64(V[5, i])
            still[i] = slopes
            for d in range(4):
                V[d, i] = nb.int64(V[d, i]) & ~slopes
    return True


@inner
def layers_beside(every: Masks, PT: Masks) -> int:
    """The layers of a cell with liquid of ``every`` that is not in ``PT``, as a bit set."""
    layers: int = nb.int64(0)
    for x in range(16):
        for z in range(16):
            p = nb.uint64(x * 18 + 19 + z)
            layers |= (every[p] & ~PT[p]) >> 1
    return layers


@inner
def part_heights(V: Rows, rows: Rows) -> None:
    """Limits sides of liquids to surfaces of one height: level ones do not join others."""
    for i in range(240):
        rows[nb.uint64(SAME_X + i)] &= ~(V[5, i] ^ V[5, i + 16])
    for i in range(255):
        rows[nb.uint64(SAME_Z + i)] &= ~(V[5, i] ^ V[5, i + 1])


# ---------------------------------------------------------------- slope kernels


@inner
def corner(
    blocks: BlockIds, table: Slots, layer1: BlockIds, seconds: Slots, classes: Masks, PT: Masks, PO: Masks,
    amounts: Bytes, x: int, z: int, y: int,
) -> int:  # fmt: skip
    """The height of liquid at the north-western corner of a cell, in sixteenths, 1..16.

    The whole block if one of the four cells around has liquid above. Else their mean, in which full cells count ten
    times, cells that are neither wet nor opaque count as empty, and opaque blocks do not count: the game's rule.
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
            amount = amount_at(blocks, table, layer1, seconds, classes, amounts, cx, cz, y)
            weight = nb.int64(10) if amount == FULL else nb.int64(1)
            weights += weight
            total += weight * amount
        elif PO[p] >> (y + 1) & 1 == 0:
            weights += 1
    return max((2 * LEVEL * total + FULL * weights) // (2 * FULL * weights), nb.int64(1))


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
    """Writes one model quad of a liquid to models[n].

    begin: x and z of the origin, of the edge U and of the edge V, inside the block. low: height of the origin; a, b, c:
    how much higher (1,0), (0,1) and (1,1) are.
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
def put_surface(
    models: Unsigned, n: int, looks: Unsigned, id_: int, amount: int, x: int, z: int, y: int, h: Masks, begin: Masks
) -> None:
    """Writes a sloping surface to models[n], its picture turned downhill; h[0..3]: its corners. ``begin``: scratch."""
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


@inner
def put_side(
    models: Unsigned, n: int, looks: Unsigned, id_: int, d: int, x: int, z: int, y: int, h: Masks, begin: Masks
) -> None:
    """Writes the side under a sloping surface in direction d to models[n]; h[0..3]: its corners. ``begin``: scratch."""
    # The first corner of a side, seen from outside: -x north, +x south, -z east, +z west.
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


@inner
def emit_slopes(
    blocks: BlockIds,
    table: Slots,
    layer1: BlockIds,
    seconds: Slots,
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
    """Adds surfaces and sides of sloping liquid behind models[n]; returns the new end, negative: out of space.

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
            amount = amount_at(blocks, table, layer1, seconds, classes, amounts, x, z, y)
            if id_ < classes[LIQUID] or id_ >= classes[PLACEHOLDER]:
                id_ = classes[WATERLOG]
            for k in range(4):  # counter-clockwise seen from above, from the south-western corner on
                cx = 1 if 0 < k < 3 else 0
                cz = 1 if k < 2 else 0
                h[k] = corner(blocks, table, layer1, seconds, classes, PT, PO, amounts, x + cx, z + cz, y)
            if PO[nb.uint64(p)] >> (y + 2) & 1 == 0 or min(h[0], h[1], h[2], h[3]) < WHOLE:
                put_surface(models, n, looks, id_, amount, x, z, y, h, begin)
                n += 1
            for d in range(4):
                q = nb.uint64(p + STEP_X[d] * 18 + STEP_Z[d])
                if (PT[q] | PO[q]) >> (y + 1) & 1:
                    continue
                put_side(models, n, looks, id_, d, x, z, y, h, begin)
                n += 1
    return n


@inner
def tall_layers(models: Unsigned, begin: int, end: int) -> int:
    """The layers in which some of these model quads reach above a level surface of their block, as a bit set."""
    layers: int = nb.int64(0)
    for i in range(begin, end):
        at = nb.uint64(i)
        word0, word2 = nb.int64(models[at, 0]), nb.int64(models[at, 1])
        y = nb.int64(models[at, 2] >> nb.uint64(40)) & 31
        low = (word0 >> 20 & 2047) - 64 - 16 * y
        a, b = (word0 >> 39 & 127) - 64, (word2 >> 7 & 127) - 64
        c = a + b + (nb.int64(models[at, 2]) >> 20 & 127) - 64
        if low + max(nb.int64(0), a, b, c) > LEVEL:
            layers |= 1 << y
    return layers
