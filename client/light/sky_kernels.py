"""Where daylight stands unbroken: straight down from the sky, before any of it spreads sideways.

Seats of one column follow each other, lowest first (``step``). Daylight comes in through *entries* (16 words of
16 bits: bit z of row x): over the top sub-chunk from the sky, below a placeholder through the store's ``sky_top``.

Liquids always dim daylight (checked when the tables are made), so their mask is enough; of the other blocks that
are not opaque the table is asked.

Indices. None comes from outside: seats are the step's, blocks ids of the store's slots in tables of 65,536.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import clz, ctz, kernel

U64 = np.uint64
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE: Final = np.uint64(0)

IN_REGION: Final = 1
SOLID: Final = 2
SKY_FULL: Final = 4
SKY_MIXED: Final = 8


@kernel(
    "void(int32[::1], int32[::1], int64, int64, uint8[::1], int64, boolean,"
    " uint16[:,::1], uint16[:,::1], uint16[:,::1])"
)
def sky_entries(
    places: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.int32],
    columns: int,
    sections: int,
    kinds: npt.NDArray[np.uint8],
    placeholder_bit: int,
    has_sky: bool,
    sky_top: npt.NDArray[np.uint16],
    entries: npt.NDArray[np.uint16],
    through: npt.NDArray[np.uint16],
) -> None:
    """Fills ``entries`` [seats, 16] from the places' ``sky_top`` and from what stands above each seat.

    ``through`` gets what enters each seat's top when air above it (slots without any block) is looked through: equal
    before and after a change means that the change took no daylight away from below.
    """
    for c in range(columns):
        for up in range(sections):
            s = c * sections + sections - 1 - up
            if up == 0:
                word = np.uint16(0xFFFF) if has_sky else np.uint16(0)
                for x in range(16):
                    entries[s, x] = word
                    through[s, x] = word
                continue
            above = nb.int64(kinds[blocks[s + 1]])
            for x in range(16):
                if above & placeholder_bit:
                    word = sky_top[places[s], x] if has_sky else np.uint16(0)
                    entries[s, x] = word
                    through[s, x] = word
                else:
                    entries[s, x] = 0
                    through[s, x] = through[s + 1, x] if above == 0 else np.uint16(0)


@kernel(
    "void(int64, int64, int64, int32[::1], uint16[:,::1], uint16[:,::1], uint16[:,::1], uint16[:,::1],"
    " uint16[:,::1], uint8[::1], uint16[:,::1], uint8[::1], uint64[::1])"
)
def sky_masks(
    first: int,
    end: int,
    sections: int,
    blocks: npt.NDArray[np.int32],
    entries: npt.NDArray[np.uint16],
    opaque: npt.NDArray[np.uint16],
    liquid: npt.NDArray[np.uint16],
    other: npt.NDArray[np.uint16],
    ids: npt.NDArray[np.uint16],
    dims: npt.NDArray[np.uint8],
    sky: npt.NDArray[np.uint16],
    kind: npt.NDArray[np.uint8],
    scratch: npt.NDArray[np.uint64],
) -> None:
    """Cells with unbroken daylight as column masks ``sky`` [seats, 256], each seat's ``kind``; columns first..end-1.

    ``dims``: 1 for ids that take something of daylight.
    """
    open_ = scratch[0:64].view(np.uint16)
    open64 = scratch[0:64]
    for c in range(first, end):
        any_open = False
        all_open = False
        for i in range(64):
            open64[i] = NONE
        for up in range(sections):
            s = c * sections + sections - 1 - up
            slot = nb.int64(blocks[s])
            o = opaque[slot].view(np.uint64)
            sky64 = sky[s].view(np.uint64)
            e_all = np.uint16(0xFFFF)
            e_any = np.uint16(0)
            for x in range(16):
                e_all &= entries[s, x]
                e_any |= entries[s, x]
            if e_any != 0:
                any_open = True
                if e_all == 0xFFFF:
                    all_open = True
                for i in range(256):
                    if nb.int64(entries[s, i >> 4]) >> (i & 15) & 1:
                        open_[i] = 0xFFFF
            solid = ALL
            for i in range(64):
                solid &= o[i]
            k = IN_REGION
            if solid == ALL:
                k |= SOLID
                if any_open:
                    for i in range(64):
                        open64[i] = NONE
                any_open = False
                all_open = False
            if not any_open:
                for i in range(64):
                    sky64[i] = NONE
                kind[s] = k
                continue
            t = liquid[slot].view(np.uint64)
            m = other[slot].view(np.uint64)
            occupied = NONE
            for i in range(64):
                occupied |= o[i] | t[i] | m[i]
            if all_open and occupied == NONE:
                for i in range(64):
                    sky64[i] = ALL
                kind[s] = k | SKY_FULL
                continue
            o16 = opaque[slot]
            t16 = liquid[slot]
            m16 = other[slot]
            s16 = sky[s]
            ids16 = ids[slot]
            any_open = False
            all_open = True
            some = 0
            everything = 0xFFFF
            for i in range(256):
                lit = 0
                if open_[i]:
                    stops = nb.int64(o16[i] | t16[i])
                    rest = nb.int64(m16[i])
                    while rest:
                        y = ctz(rest)
                        rest &= rest - 1
                        if dims[ids16[nb.uint64(i * 16 + y)]]:
                            stops |= 1 << y
                    if stops == 0:
                        lit = 0xFFFF
                        any_open = True
                    else:
                        lit = (0xFFFE << (63 - clz(stops))) & 0xFFFF
                        open_[i] = 0
                        all_open = False
                    some |= lit
                else:
                    all_open = False
                everything &= lit
                s16[i] = lit
            if everything == 0xFFFF:
                k |= SKY_FULL
            elif some:
                k |= SKY_MIXED
            kind[s] = k
