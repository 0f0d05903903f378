"""Liquids whose surfaces slope: model quads of the surface and of the sides under it, one cell at a time.

Each of a surface's four corners takes the mean of the cells around it (``corner``), so that neighbours join without a
gap whatever their levels.

Indices. None comes from outside: cells are those of the mesh and its padding; room is looked at before each quad.
"""

from net.kernels import casts as nb
from net.kernels.jit import ctz, inner
from net.space.layout import BlockIds, Bytes, Slots
from render.mesh.cells import LIQUID, PLACEHOLDER, STEP_X, STEP_Z, WATERLOG, Masks, Unsigned, id_at
from render.mesh.liquid_kernels import FULL, LEVEL, WHOLE, amount_at


@inner
def corner(
    blocks: BlockIds, table: Slots, layer1: BlockIds, seconds: Slots, classes: Masks, PT: Masks, PO: Masks,
    amounts: Bytes, x: int, z: int, y: int,
) -> int:  # fmt: skip
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
            amount = amount_at(blocks, table, layer1, seconds, classes, amounts, cx, cz, y)
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
def put_surface(
    models: Unsigned, n: int, looks: Unsigned, id_: int, amount: int, x: int, z: int, y: int, h: Masks, begin: Masks
) -> None:
    """A sloping surface at models[n], its picture turned to run downhill; h[0..3]: its corners. ``begin``: scratch."""
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
    """The side under a sloping surface in direction d, at models[n]; h[0..3]: its corners. ``begin``: scratch."""
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
    """The layers in which some of these model quads reach over a level surface of their block, as a bit set."""
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
