"""Liquids: which cells are wet, with what, and which of their surfaces are level.

A cell under no liquid has a surface. Where all nine cells around are full or opaque it is level: its faces are cube
quads with a lowered upper edge, so runs only grow sideways over level surfaces. Others slope (``slope_kernels``).

Two sources. A cell is wet that is liquid, or whose second layer is (a fence in water); opaque and translucent blocks
are dry whatever stands in them: they fill their cell. Water in another block has the level its own id says, and is
drawn as ``waterlog``: still water. A job without second layers looks for none.

Two kinds. Water joins water and lava lava; to each other they are dry. Only where slots of both kinds are around, wet
cells are told apart one by one, and everything is done once for each kind.

Indices. None comes from outside: cells are those of the mesh and its padding; ids as in ``mesh_kernels``.
"""

from net.kernels import casts as nb
from net.kernels.jit import ctz, inner
from net.space.layout import BlockIds, Bytes, ColumnMasks, Slots
from render.mesh.cells import (
    HOLDS_LAVA,
    HOLDS_WATER,
    LIQUID,
    PLACEHOLDER,
    TRANSLUCENT,
    Flags,
    Masks,
    Rows,
    id_at,
    pad,
)
from render.mesh.cube_kernels import SAME_X, SAME_Z

FULL, LEVEL, WHOLE = 8, 14, 16
"""A liquid that fills its block, in eighths; how high its surface stands then, and the whole block, in sixteenths."""


WATER, LAVA = 1, 2
"""Kinds of liquids."""


@inner
def has_second(seconds: Slots) -> bool:
    """Whether any of the 36 places has a second layer."""
    every = nb.int64(0)
    for g in range(36):
        every |= nb.int64(seconds[g])
    some: bool = every != 0
    return some


@inner
def has_both_kinds(flags: Flags, table: Slots, soaked: bool) -> bool:
    """Whether there may be water and lava in the 36 places; ``soaked``: some of them have a second layer."""
    every = nb.int64(HOLDS_WATER) if soaked else nb.int64(0)
    for g in range(36):
        every |= nb.int64(flags[table[g]])
    both: bool = every & HOLDS_WATER != 0 and every & HOLDS_LAVA != 0
    return both


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
    """PT: padded masks of cells with liquid in either layer. ``PA``: scratch of 324."""
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
    """PT: those cells of ``every`` whose liquid is of one kind; liquid of a second layer counts as water."""
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
    """Eighths of a wet cell that its liquid fills."""
    id_ = id_at(blocks, table, x, z, y)
    if id_ < classes[LIQUID] or id_ >= classes[PLACEHOLDER]:
        id_ = id_at(layer1, seconds, x, z, y)
    amount: int = nb.int64(amounts[nb.uint64(id_)])
    return amount


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
    """The layers of a cell in which there is liquid of ``every`` that is not in ``PT``, as a bit set."""
    layers: int = nb.int64(0)
    for x in range(16):
        for z in range(16):
            p = nb.uint64(x * 18 + 19 + z)
            layers |= (every[p] & ~PT[p]) >> 1
    return layers


@inner
def part_heights(V: Rows, rows: Rows) -> None:
    """Sides of liquids only grow over surfaces of one height: level ones are kept apart from others."""
    for i in range(240):
        rows[nb.uint64(SAME_X + i)] &= ~(V[5, i] ^ V[5, i + 16])
    for i in range(255):
        rows[nb.uint64(SAME_Z + i)] &= ~(V[5, i] ^ V[5, i + 1])
