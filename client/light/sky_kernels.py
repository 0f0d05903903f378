"""Finds the cells with unbroken daylight: straight down from the sky, before any of it spreads sideways.

Seats of one column are consecutive, lowest first (``step``). Daylight enters through *entries* (16 words of 16 bits:
bit z of row x): over the top sub-chunk from the sky, below a placeholder through the store's ``sky_top``.

Liquids always dim daylight (checked when the tables are made), so their mask is enough; for other blocks that are not
opaque the kernel reads the table.

Indices. None comes from outside: seats are the step's, blocks ids of the store's slots in tables of 65,536.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import jit as nb
from net.kernels.jit import ctz, kernel
from net.subchunk.storage import ALL_OPAQUE

U64 = np.uint64
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE: Final = np.uint64(0)
ONE, BOTTOM = np.uint64(1), np.uint64(0x0001000100010001)
BELOW_1, BELOW_2 = np.uint64(0x7FFF7FFF7FFF7FFF), np.uint64(0x3FFF3FFF3FFF3FFF)
BELOW_4, BELOW_8 = np.uint64(0x0FFF0FFF0FFF0FFF), np.uint64(0x00FF00FF00FF00FF)

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
    """Fills ``entries`` [seats, 16] from the places' ``sky_top`` and from the seat above each.

    ``through`` gets the daylight at each seat's top if air above it (slots without any block) is passed through: equal
    values before and after a change mean that the change took no daylight away from below.
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
    "void(int64, int64, int64, int32[::1], uint16[:,::1], uint8[::1], uint16[:,::1], uint16[:,::1], uint16[:,::1],"
    " uint16[:,::1], uint8[::1], uint16[:,::1], uint8[::1], uint64[::1])"
)
def sky_masks(
    first: int,
    end: int,
    sections: int,
    blocks: npt.NDArray[np.int32],
    entries: npt.NDArray[np.uint16],
    kinds: npt.NDArray[np.uint8],
    opaque: npt.NDArray[np.uint16],
    liquid: npt.NDArray[np.uint16],
    other: npt.NDArray[np.uint16],
    ids: npt.NDArray[np.uint16],
    dims: npt.NDArray[np.uint8],
    sky: npt.NDArray[np.uint16],
    kind: npt.NDArray[np.uint8],
    scratch: npt.NDArray[np.uint64],
) -> None:
    """Sets each seat's ``kind``, and ``sky`` [seats, 256] of mixed ones: masks of the cells with unbroken daylight.

    Works on columns first..end-1. ``kinds``: of slots; ``dims``: 1 for ids that take some daylight.
    """
    open_ = scratch[0:64]
    stops = scratch[64:128]
    for c in range(first, end):
        for i in range(64):
            open_[i] = NONE
        for up in range(sections):
            s = c * sections + sections - 1 - up
            slot = nb.int64(blocks[s])
            for x in range(16):
                enters = nb.int64(entries[s, x])
                while enters:
                    scratch[0:64].view(np.uint16)[x * 16 + ctz(enters)] = 0xFFFF
                    enters &= enters - 1
            if kinds[slot] & ALL_OPAQUE:
                for i in range(64):
                    open_[i] = NONE
                kind[s] = IN_REGION | SOLID
                continue
            some = NONE
            every = ALL
            for i in range(64):
                some |= open_[i]
                every &= open_[i]
            if some == NONE:
                kind[s] = IN_REGION
                continue
            if every == ALL and kinds[slot] == 0:
                kind[s] = IN_REGION | SKY_FULL
                continue
            solid = opaque[slot].view(np.uint64)
            wet = liquid[slot].view(np.uint64)
            rest = other[slot].view(np.uint64)
            cells = ids[slot]
            lit = sky[s].view(np.uint64)
            for i in range(64):
                stops[i] = solid[i] | wet[i]
            for i in range(64):
                asked = rest[i] & open_[i]
                while asked:
                    y = ctz(asked)
                    asked &= asked - ONE
                    if dims[cells[nb.uint64(i * 64 + y)]]:
                        stops[i] |= ONE << nb.uint64(y)
            some = NONE
            every = ALL
            for i in range(64):
                under = stops[i]
                under |= (under >> U64(1)) & BELOW_1
                under |= (under >> U64(2)) & BELOW_2
                under |= (under >> U64(4)) & BELOW_4
                under |= (under >> U64(8)) & BELOW_8
                lit[i] = open_[i] & ~under
                some |= lit[i]
                every &= lit[i]
                open_[i] = (lit[i] & BOTTOM) * U64(0xFFFF)
            kind[s] = IN_REGION | (SKY_FULL if every == ALL else SKY_MIXED if some != NONE else 0)
