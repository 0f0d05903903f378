"""Model quads of blocks that are no cubes, by the blocks beside them.

Indices. None comes from outside: a block's quads are a part of the model tables; numbers of doors and stairs are made
from checked states by ``render.mesh.mesher``; for tables of a file see ``mesh_kernels``.
"""

import numpy as np

from net.arrays import BlockIds, Bytes, ColumnMasks, Slots
from net.kernels import jit as nb
from net.kernels.jit import ctz, inner
from render.mesh.cell_layout import (
    CUTOUT,
    HAS_OTHER,
    STEP_X,
    STEP_Y,
    STEP_Z,
    TRANSLUCENT,
    Halves,
    Masks,
    Unsigned,
    id_at,
)

ALWAYS, LIKE_ONLY = 7, 64
TRANSLUCENT_RULE, UNLINKED, TRAIL, UPWARD = 1 << 12, 1 << 13, 1 << 14, 1 << 15
"""A model quad's rule. Bits 0-2: the face in which an opaque neighbour hides it (7: none). Bits 3-5: the direction that
must connect (7: none; 6: none, and the quad is moved by its position, ``aside``). Bit 6: it connects to like blocks,
not to opaque ones. Bits 7-11: not drawn in a bend of this number. Bit 12: translucent, like blocks hide it as opaque
ones do. Bit 13: the direction must *not* connect. Bit 14: it also connects over the edge of the neighbour, up or down.
Bit
15: it connects so only upwards."""

SCATTERS, MOST_ASIDE = 6, 2
"""The value of a rule's direction for plants that are moved, and the largest move in sixteenths."""

STRAIGHT, OUTER_LEFT, OUTER_RIGHT, INNER_LEFT, INNER_RIGHT = 0, 1, 2, 3, 4
"""Bends of stairs, seen from below, looking up them."""
LEFT_OF = (3, 2, 0, 1)
UPPER, LOWER_BITS, UPPER_BITS = 16, 7, 8
"""Bits of ``doors``: the half; the states of the lower one (direction, open), and of the upper one (hinge)."""


@inner
def covered(PO: Masks, x: int, z: int, y: int, d: int) -> bool:
    """Whether the neighbour in direction d is opaque."""
    return PO[nb.uint64((x + STEP_X[d]) * 18 + 19 + z + STEP_Z[d])] >> (y + 1 + STEP_Y[d]) & 1 != 0


@inner
def bend_of(blocks: BlockIds, table: Slots, stairs: Bytes, id_: int, x: int, z: int, y: int) -> int:
    """The bend of stairs, from the stairs of the same half before and behind them that face sideways: the game's rule.

    A neighbour beside them that continues in the same direction prevents a bend towards it.
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
    """The id whose quads a half of a door shows: its own states with those that only the other half has."""
    own = nb.int64(doors[nb.uint64(id_)])
    other = nb.int64(doors[nb.uint64(id_at(blocks, table, x, z, y - 1 if own & UPPER else y + 1))])
    if (own ^ other) & ~(LOWER_BITS | UPPER_BITS) != UPPER:
        return id_
    lower, upper = (other, own) if own & UPPER else (own, other)
    kept = own & ~(LOWER_BITS | UPPER_BITS)
    return nb.int64(door_ids[nb.uint64(kept | lower & LOWER_BITS | upper & UPPER_BITS)])


@inner
def is_like(blocks: BlockIds, table: Slots, groups: Bytes, own: int, x: int, z: int, y: int) -> bool:
    """Whether the block there is of the same group, other than 0."""
    return own != 0 and nb.int64(groups[nb.uint64(id_at(blocks, table, x, z, y))]) == own


@inner
def is_linked(
    blocks: BlockIds, table: Slots, PO: Masks, groups: Bytes, rule: int, own: int, x: int, z: int, y: int, d: int
) -> bool:
    """Whether the neighbour in direction d connects.

    A trail climbs an opaque block if nothing opaque is above itself.
    """
    beside = covered(PO, x, z, y, d)
    cx = x + STEP_X[d]
    cz = z + STEP_Z[d]
    if rule & (TRAIL | UPWARD) and beside:
        return not covered(PO, x, z, y, 5) and is_like(blocks, table, groups, own, cx, cz, y + 1)
    if rule & UPWARD:
        return False
    if is_like(blocks, table, groups, own, cx, cz, y + STEP_Y[d]) or (beside and rule & LIKE_ONLY == 0):
        return True
    return rule & TRAIL != 0 and is_like(blocks, table, groups, own, cx, cz, y - 1)


@inner
def aside(x: int, z: int) -> int:
    """The addend for a quad's first word: -2 to 2 sixteenths along x and z, by column, so that halves stay together.

    The columns of a cell are those of the world modulo 16: distant places look like near ones.
    """
    v = (x * 0x9E37 + z * 0x85EB + 0x2B5) & 0xFFFF
    v = (v ^ v >> 7) * 0x2C1B & 0xFFFF
    v ^= v >> 9
    return v % 5 - MOST_ASIDE + (v // 5 % 5 - MOST_ASIDE << 10)


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
    """Adds one block's model quads behind models[n]; returns the new end."""
    own = nb.int64(groups[nb.uint64(id_)])
    bend = nb.int64(STRAIGHT)
    if stairs[nb.uint64(id_)]:
        bend = bend_of(blocks, table, stairs, id_, x, z, y)
    for k in range(start, stop):
        rule = nb.int64(model_rules[nb.uint64(k)])
        cull = rule & 7
        link = rule >> 3 & 7
        if rule >> (7 + bend) & 1:
            continue
        if cull < 6:
            if covered(PO, x, z, y, cull):
                continue
            if rule & TRANSLUCENT_RULE and is_like(
                blocks, table, groups, own, x + STEP_X[cull], z + STEP_Z[cull], y + STEP_Y[cull]
            ):
                continue
        if link < 6 and is_linked(blocks, table, PO, groups, rule, own, x, z, y, link) == (rule & UNLINKED != 0):
            continue
        at = nb.uint64(n)
        moved = aside(x, z) if link == SCATTERS else 0
        models[at, 0] = model_quads[nb.uint64(k), 0] + nb.uint64((x << 4 | z << 14 | y << 24) + moved)
        models[at, 1] = model_quads[nb.uint64(k), 1] | nb.uint64(id_) << nb.uint64(48)
        models[at, 2] = model_quads[nb.uint64(k), 2] | nb.uint64(x | z << 4 | y << 8) << nb.uint64(32)
        n += 1
    return n


@inner
def emit_models(
    blocks: BlockIds,
    other: ColumnMasks,
    kinds: Bytes,
    table: Slots,
    classes: Masks,
    PO: Masks,
    cut: Masks,
    translucent: Masks,
    groups: Bytes,
    stairs: Bytes,
    doors: Halves,
    door_ids: Halves,
    model_rows: Slots,
    model_quads: Unsigned,
    model_rules: Halves,
    models: Unsigned,
    n: int,
    clear: bool,
) -> tuple[int, int]:
    """Adds opaque and cut-out models, or those that are ``clear``; marks cut-out and translucent cells in the masks.

    Returns the end of the models (negative: out of space) and which of cut-out cells (1), translucent cells (2) and
    models of the other kind (4) there are. The masks are padded, zeros before the first call.
    """
    some = 0
    for h in range(2):
        slot = nb.int64(table[17 + h])
        if kinds[slot] & HAS_OTHER == 0:
            continue
        columns = other[slot].view(np.uint64)
        for four in range(64):
            v = columns[nb.uint64(four)]
            while v:
                b = ctz(v)
                v &= v - nb.uint64(1)
                i = four << 2 | b >> 4
                x = i >> 4
                z = i & 15
                p = nb.uint64(x * 18 + 19 + z)
                y0 = b & 15
                y = y0 + h * 16
                id_ = nb.int64(blocks[nb.uint64(slot << 12 | i << 4 | y0)])
                if id_ >= classes[TRANSLUCENT]:
                    translucent[p] |= 2 << y
                    some |= 2
                elif id_ >= classes[CUTOUT]:
                    cut[p] |= 2 << y
                    some |= 1
                else:
                    shown = whole_door(blocks, table, doors, door_ids, id_, x, z, y) if doors[nb.uint64(id_)] else id_
                    start = nb.int64(model_rows[nb.uint64(shown), 0])
                    stop = nb.int64(model_rows[nb.uint64(shown), 1])
                    if start == stop:
                        continue
                    if (model_rules[nb.uint64(start)] & TRANSLUCENT_RULE != 0) != clear:
                        some |= 4
                        continue
                    if n + stop - start > len(models):
                        return nb.int64(-1), some
                    n = emit_model(
                        blocks, table, PO, groups, stairs, id_, x, z, y, start, stop, model_quads, model_rules,
                        models, n,
                    )  # fmt: skip
    return n, some
