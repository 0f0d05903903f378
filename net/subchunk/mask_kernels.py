"""Column masks and kinds of sub-chunks, which light, sight and meshes use instead of 8 KiB of ids.

Rules:
1. Classes are ranges of dense ids, so a class test is one comparison. Placeholders count as opaque.
2. The three masks are disjoint: opaque, liquid, other (models, cut-outs, translucent blocks). Air is in none.
3. They describe the first layer only. Liquid of the second one (a fence in water) has a mask of its own, by the slot of
   the second layer, so sub-chunks without a second layer pay nothing.

Theory: three comparisons of sixty-four blocks at a time are three words of masks.

Indices. None comes from outside: ids are only compared, and slots are the caller's, of its own pools.
"""

import numpy as np

from net.arrays import BlockIds, Bytes, ColumnMasks, Slots
from net.kernels.jit import at_least64, int64, kernel
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
U0 = np.uint64(0)


@kernel("void(uint16[:,::1], int32[::1], int64, int64, int64, uint16[:,::1], uint16[:,::1], uint16[:,::1], uint8[::1])")
def derive(
    blocks: BlockIds,
    slots: Slots,
    first_liquid: int,
    placeholder: int,
    first_opaque: int,
    opaque: ColumnMasks,
    liquid: ColumnMasks,
    other: ColumnMasks,
    kinds: Bytes,
) -> None:
    """Derives masks and kinds of some slots.

    Args:
        blocks: BlockIds[slots, 4096].
        slots: int32[n] which.
        first_liquid: lowest dense id of a liquid.
        placeholder: the placeholder's, right above the liquids.
        first_opaque: lowest of an opaque block, right above the placeholder.
        opaque: ColumnMasks[slots, 256], written.
        liquid: ColumnMasks[slots, 256], written.
        other: ColumnMasks[slots, 256], written.
        kinds: uint8[slots], written.
    """
    for j in range(slots.shape[0]):
        slot = int64(slots[j])
        ids = blocks[slot]
        o = opaque[slot].view(np.uint64)
        t = liquid[slot].view(np.uint64)
        m = other[slot].view(np.uint64)
        every = ALL
        some_opaque = U0
        some_liquid = U0
        some_other = U0
        for i in range(64):
            x = at_least64(ids, 64 * i, placeholder)
            y = at_least64(ids, 64 * i, first_liquid)
            z = at_least64(ids, 64 * i, int64(1))
            o[i] = x
            t[i] = y & ~x
            m[i] = z & ~y
            every &= x
            some_opaque |= x
            some_liquid |= y & ~x
            some_other |= z & ~y
        kind = int64(0)
        if some_opaque:
            kind |= HAS_OPAQUE
        if some_liquid:
            kind |= HAS_LIQUID
        if some_other:
            kind |= HAS_OTHER
        if every == ALL:
            kind |= ALL_OPAQUE
            highest = np.uint16(0)
            for i in range(4096):
                highest = max(highest, ids[i])
            if int64(highest) < first_opaque:
                kind |= IS_PLACEHOLDER
        kinds[slot] = kind


@kernel("void(uint16[:,::1], int32[::1], int64, int64, uint16[:,::1])")
def derive_wet(layer1: BlockIds, slots: Slots, first_liquid: int, placeholder: int, wet: ColumnMasks) -> None:
    """Derives which cells of some second layers hold liquid.

    Args:
        layer1: BlockIds[slots, 4096].
        slots: int32[n] which.
        first_liquid: lowest dense id of a liquid.
        placeholder: one past the highest liquid.
        wet: ColumnMasks[slots, 256], written.
    """
    for j in range(slots.shape[0]):
        slot = int64(slots[j])
        ids = layer1[slot]
        words = wet[slot].view(np.uint64)
        for i in range(64):
            words[i] = at_least64(ids, 64 * i, first_liquid) & ~at_least64(ids, 64 * i, placeholder)
