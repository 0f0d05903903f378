"""Definitions and functions that all parts of the mesh kernel share: cells, kinds of slots, classes of ids, masks.

A job is a row of 36 slots: ``table[((dx + 1) * 3 + dz + 1) * 4 + k]``, dx and dz the column -1..1, k the section from
one below the cell to one above it. 17 and 18 are the cell's own.

Indices. None comes from outside: cells are those of the mesh and one around it, slots are the store's.
"""

from net.arrays import I64, U16, U32, U64, BlockIds, ColumnMasks, Slots
from net.kernels import jit as nb
from net.kernels.jit import inner
from render.mesh.simd import stack

Masks = I64
"""Bits of a column from y = 0 at bit 0 (padded: from y = -1), or plain numbers."""
Unsigned = U64
Halves = U16
Flags = U32
Rows = U32
"""Sixteen consecutive columns of 32 bits, see ``simd``."""

HAS_OPAQUE, ALL_OPAQUE, HAS_LIQUID, HAS_OTHER = 1, 2, 4, 8
HOLDS_WATER, HOLDS_LAVA = 64, 128
"""Bits of a slot's flags."""

AIR_END, CUTOUT, TRANSLUCENT, LIQUID, PLACEHOLDER, OPAQUE, WATERLOG = 0, 1, 2, 3, 4, 5, 6
"""Columns of ``classes``: the first id of models, cut-outs, translucents, liquids, placeholders, opaques; the liquid to
draw where a liquid cell holds another block."""

STEP_X, STEP_Z, STEP_Y = (-1, 1, 0, 0, 0, 0), (0, 0, -1, 1, 0, 0), (0, 0, 0, 0, -1, 1)


@inner
def id_at(blocks: BlockIds, table: Slots, x: int, z: int, y: int) -> int:
    """The id of a cell at x, z -1..16, y -1..32."""
    g = ((x + 16) >> 4) * 12 + ((z + 16) >> 4) * 4 + ((y + 16) >> 4)
    return nb.int64(blocks[nb.uint64(nb.int64(table[g]) << 12 | (x & 15) << 8 | (z & 15) << 4 | (y & 15))])


@inner
def tall_column(masks: ColumnMasks, table: Slots, g: int, i: int) -> int:
    """34 bits of a column over four slots."""
    k = nb.uint64(i)
    bits: int = nb.int64(masks[nb.uint64(table[g]), k]) >> 15 | nb.int64(masks[nb.uint64(table[g + 3]), k] & 1) << 33
    bits |= nb.int64(masks[nb.uint64(table[g + 1]), k]) << 1 | nb.int64(masks[nb.uint64(table[g + 2]), k]) << 17
    return bits


@inner
def pad(masks: ColumnMasks, table: Slots, out: Masks) -> None:
    """34 bits a column (one below, 32, one above), 18 x 18 columns."""
    for x in range(18):
        g = 0 if x == 0 else (24 if x == 17 else 12)
        row = ((x - 1) & 15) << 4
        out[nb.uint64(x * 18)] = tall_column(masks, table, g, row | 15)
        out[nb.uint64(x * 18 + 17)] = tall_column(masks, table, g + 8, row)
        stack(
            masks,
            nb.int64(table[g + 4]) * 256 + row,
            nb.int64(table[g + 5]) * 256 + row,
            nb.int64(table[g + 6]) * 256 + row,
            nb.int64(table[g + 7]) * 256 + row,
            out,
            x * 18 + 1,
        )
