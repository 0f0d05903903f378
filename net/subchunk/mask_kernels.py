"""Column masks and kinds of sub-chunks: what light, sight and meshes need instead of 8 KiB of ids.

Rules:
1. Classes are ranges of dense ids, so a class test is one comparison. Placeholders count as opaque.
2. The three masks are disjoint: opaque, liquid, other (models, cut-outs, translucent blocks). Air is in none.
3. They tell of the first layer alone. Liquid of the second one (a fence in water) has a mask of its own, by the slot of
   the second layer: who has none pays nothing.

Theory: three comparisons a block go to one byte, then eight bytes become eight bits of a mask by one multiplication.
Measured: 0.31-0.35 us a slot (performance.md 8); sixty-four comparisons an instruction were no faster.

Indices. None comes from outside: ids are only compared, and slots are the caller's, of its own pools.
"""

import numpy as np

from net.kernels.casts import int64
from net.kernels.jit import kernel
from net.space import BlockIds, Bytes, ColumnMasks, Slots
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER, Words64

ONE_EACH = np.uint64(0x0101010101010101)
GATHER = np.uint64(0x0102040810204080)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
U0, U1, U2, U56 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(56)


@kernel(
    "void(uint16[:,::1], int32[::1], int64, int64, int64, uint16[:,::1], uint16[:,::1], uint16[:,::1], uint8[::1], "
    "uint64[::1])"
)
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
    scratch: Words64,
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
        scratch: uint64[512].
    """
    classes = scratch.view(np.uint8)
    lowest_liquid = np.uint16(first_liquid)
    lowest_opaque = np.uint16(placeholder)
    for j in range(slots.shape[0]):
        slot = int64(slots[j])
        ids = blocks[slot]
        for i in range(4096):
            v = ids[i]
            classes[i] = (v >= lowest_opaque) | (v >= lowest_liquid) << 1 | (v != 0) << 2
        o = opaque[slot].view(np.uint8)
        t = liquid[slot].view(np.uint8)
        m = other[slot].view(np.uint8)
        for i in range(512):
            w = scratch[i]
            x = ((w & ONE_EACH) * GATHER) >> U56
            y = (((w >> U1) & ONE_EACH) * GATHER) >> U56
            z = (((w >> U2) & ONE_EACH) * GATHER) >> U56
            o[i] = x
            t[i] = y & ~x
            m[i] = z & ~y
        every = ALL
        some_opaque = U0
        some_liquid = U0
        some_other = U0
        for i in range(512):
            w = scratch[i]
            every &= w
            some_opaque |= w
            some_liquid |= (w >> U1) & ~w
            some_other |= (w >> U2) & ~(w >> U1)
        kind = int64(0)
        if some_opaque & ONE_EACH:
            kind |= HAS_OPAQUE
        if some_liquid & ONE_EACH:
            kind |= HAS_LIQUID
        if some_other & ONE_EACH:
            kind |= HAS_OTHER
        if every & ONE_EACH == ONE_EACH:
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
        placeholder: one past the highest.
        wet: ColumnMasks[slots, 256], written.
    """
    low, high = np.uint16(first_liquid), np.uint16(placeholder)
    for j in range(slots.shape[0]):
        ids = layer1[int64(slots[j])]
        for i in range(256):
            bits = int64(0)
            for y in range(16):
                v = ids[i * 16 + y]
                bits |= int64((v >= low) & (v < high)) << y
            wet[int64(slots[j]), i] = bits
