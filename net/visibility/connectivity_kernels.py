"""Which faces of a sub-chunk see each other: a flood fill per open region, in words of four columns.

Theory (algorithms.md 4.1). Faces A and B are connected if some path through cells that are not opaque leads from a cell
at A to a cell at B. The result has a bit for each pair: bit ``from * 8 + to``. It over-approximates sight through the
sub-chunk, so nothing visible is ever lost.

A region that cuts one face from another has at least 256 opaque cells (256 disjoint paths join any two faces), so a
sub-chunk with fewer is see-through without a flood.

Four columns that follow each other along z are one word of 64 bits, 16 bits a column, so a sub-chunk is 64 words, and
the words that a flood must process again are the bits of one more.

Indices. None comes from outside: a word's number is kept within 64 by its borders, and slots are the caller's, of its
own pool.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.arrays import ColumnMasks, Slots
from net.kernels import jit as nb
from net.kernels.jit import ctz, inner, kernel, popcount

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

SEE_THROUGH: Final = 0x3F3F3F3F3F3F
SCRATCH_WORDS: Final = 128
SPREAD = np.array([sum(1 << (8 * k) for k in range(6) if faces >> k & 1) for faces in range(64)], np.int64)
BOTTOM, TOP = np.uint64(0x0001000100010001), np.uint64(0x8000800080008000)
FIRST_COLUMN, LAST_COLUMN = np.uint64(0xFFFF), np.uint64(0xFFFF000000000000)
WEST, EAST = np.uint64(0xF), np.uint64(0xF000000000000000)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
U0, U1, U3, U4, U16, U48, U60 = (np.uint64(v) for v in (0, 1, 3, 4, 16, 48, 60))


@inner
def fill(seeds: np.uint64, open_: np.uint64) -> np.uint64:
    """Extends the seeds to all connected cells of a word; a few steps of one cell are faster here than doubled ones."""
    upwards = open_ & ~BOTTOM
    downwards = open_ & ~TOP
    while True:
        some = seeds | upwards & (seeds << U1) | downwards & (seeds >> U1) | open_ & (seeds << U16 | seeds >> U16)
        if some == seeds:
            return seeds
        seeds = some | upwards & (some << U1) | downwards & (some >> U1) | open_ & (some << U16 | some >> U16)


@inner
def flood(first: int, left: npt.NDArray[np.uint64], entered: npt.NDArray[np.uint64]) -> int:
    """Faces of the region of ``entered[first]``; removes the region from ``left`` and clears ``entered``."""
    waiting = U1 << nb.uint64(first)
    words = U0
    cells = U0
    first_columns = U0
    last_columns = U0
    while waiting != U0:
        at = nb.uint64(ctz(nb.uint64(waiting)))
        waiting &= waiting - U1
        open_ = left[at]
        reached = fill(entered[at], open_)
        entered[at] = U0
        left[at] = open_ & ~reached
        words |= U1 << at
        cells |= reached
        if at >= U4 and left[at - U4] & reached != U0:
            entered[at - U4] |= left[at - U4] & reached
            waiting |= U1 << (at - U4)
        if at < U60 and left[at + U4] & reached != U0:
            entered[at + U4] |= left[at + U4] & reached
            waiting |= U1 << (at + U4)
        if at & U3 == U0:
            first_columns |= reached
        elif left[at - U1] & (reached << U48) != U0:
            entered[at - U1] |= left[at - U1] & (reached << U48)
            waiting |= U1 << (at - U1)
        if at & U3 == U3:
            last_columns |= reached
        elif left[at + U1] & (reached >> U48) != U0:
            entered[at + U1] |= left[at + U1] & (reached >> U48)
            waiting |= U1 << (at + U1)
    faces = nb.int64(words & WEST != U0) | nb.int64(words & EAST != U0) << 1
    faces |= nb.int64(first_columns & FIRST_COLUMN != U0) << 2 | nb.int64(last_columns & LAST_COLUMN != U0) << 3
    return faces | nb.int64(cells & BOTTOM != U0) << 4 | nb.int64(cells & TOP != U0) << 5


@inner
def connect_one(opaque: npt.NDArray[np.uint64], left: npt.NDArray[np.uint64], entered: npt.NDArray[np.uint64]) -> int:
    """One sub-chunk; ``left``: open cells not in a region yet; ``entered``: cells that a flood has to process."""
    count = 0
    for i in range(64):
        count += popcount(opaque[i])
        left[i] = ~opaque[i]
        entered[i] = U0
    if count < 256:
        return nb.int64(0x3F3F3F3F3F3F)
    pairs = nb.int64(0)
    if count == 4096:
        return pairs
    for i in range(64):
        border = ALL
        if 4 <= i < 60:
            border = BOTTOM | TOP
            if i & 3 == 0:
                border |= FIRST_COLUMN
            if i & 3 == 3:
                border |= LAST_COLUMN
        while left[i] & border != U0:
            seeds = left[i] & border
            entered[i] = seeds & (~seeds + U1)
            faces = flood(i, left, entered)
            pairs |= SPREAD[faces] * faces
            if pairs == 0x3F3F3F3F3F3F:
                return pairs
    return pairs


@kernel("void(uint16[:,::1], int32[::1], int64, int64, uint64[::1], uint64[::1])")
def connect(
    opaque: ColumnMasks,
    slots: Slots,
    first: int,
    end: int,
    connectivity: npt.NDArray[np.uint64],
    scratch: npt.NDArray[np.uint64],
) -> None:
    """Fills ``connectivity`` of ``slots[first:end]``; ``scratch`` has 128 words."""
    for j in range(first, end):
        slot = nb.int64(slots[j])
        connectivity[slot] = connect_one(opaque[slot].view(np.uint64), scratch[:64], scratch[64:])
