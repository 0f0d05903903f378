"""Which face of a sub-chunk sees which: a flood per open region, over columns of 16 bits at a time.

Theory (algorithms.md 4.1). Faces A and B are connected when some path through cells that are not opaque leads from a
cell at A to a cell at B. The result has a bit for each pair: bit ``from * 8 + to``. It over-approximates sight through
the sub-chunk, so nothing visible is ever lost.

A region that cuts one face from another has at least 256 opaque cells (256 disjoint paths join any two faces), so a
sub-chunk with fewer is see-through without a flood. 0.4 us a slot, 1.65 where a flood is needed (measured).

Indices. None comes from outside: a column's number is kept within 256 by its borders, and slots are the caller's, of
its own pool.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import inner, kernel, popcount

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

SEE_THROUGH: Final = 0x3F3F3F3F3F3F
SCRATCH_WORDS: Final = 8704
SPREAD = np.array([sum(1 << (8 * k) for k in range(6) if faces >> k & 1) for faces in range(64)], np.int64)


@inner
def fill(seeds: int, open_: int) -> int:
    """All cells of one column of 16 that the seeds reach up and down."""
    up = seeds
    way = open_
    up |= way & (up << 1)
    way &= way << 1
    up |= way & (up << 2)
    way &= way << 2
    up |= way & (up << 4)
    way &= way << 4
    up |= way & (up << 8)
    way = open_
    both = up
    both |= way & (both >> 1)
    way &= way >> 1
    both |= way & (both >> 2)
    way &= way >> 2
    both |= way & (both >> 4)
    way &= way >> 4
    both |= way & (both >> 8)
    return both


@inner
def connect_one(
    opaque: npt.NDArray[np.uint16],
    open_: npt.NDArray[np.int32],
    left: npt.NDArray[np.int32],
    columns: npt.NDArray[np.int32],
    cells: npt.NDArray[np.int32],
) -> int:
    """One sub-chunk; ``columns`` and ``cells`` are the stack of the flood."""
    count = 0
    words = opaque.view(np.int64)
    for i in range(64):
        count += popcount(words[i])
    if count < 256:
        return nb.int64(0x3F3F3F3F3F3F)
    if count == 4096:
        return nb.int64(0)
    for i in range(256):
        v = nb.int32(opaque[i]) ^ nb.int32(0xFFFF)
        open_[i] = v
        left[i] = v
    pairs = nb.int64(0)
    for c in range(256):
        x = c >> 4
        z = c & 15
        border = 0x8001 if 0 < x < 15 and 0 < z < 15 else 0xFFFF
        while True:
            seeds = left[c] & border
            if seeds == 0:
                break
            faces = 0
            columns[0] = c
            cells[0] = seeds & -seeds
            depth = 1
            while depth > 0:
                depth -= 1
                at = nb.uint32(columns[depth])
                m = cells[depth] & left[at]
                if m == 0:
                    continue
                m = fill(m, open_[at]) & left[at]
                left[at] &= ~m
                ax = at >> 4
                az = at & 15
                faces |= (m & 1) << 4
                faces |= (m >> 15) << 5
                if ax == 0:
                    faces |= 1
                elif left[at - nb.uint32(16)] & m:
                    columns[depth] = at - 16
                    cells[depth] = m
                    depth += 1
                if ax == 15:
                    faces |= 2
                elif left[at + nb.uint32(16)] & m:
                    columns[depth] = at + 16
                    cells[depth] = m
                    depth += 1
                if az == 0:
                    faces |= 4
                elif left[at - nb.uint32(1)] & m:
                    columns[depth] = at - 1
                    cells[depth] = m
                    depth += 1
                if az == 15:
                    faces |= 8
                elif left[at + nb.uint32(1)] & m:
                    columns[depth] = at + 1
                    cells[depth] = m
                    depth += 1
            pairs |= SPREAD[faces] * faces
            if pairs == 0x3F3F3F3F3F3F:
                return pairs
    return pairs


@kernel("void(uint16[:,::1], int32[::1], int64, int64, uint64[::1], int32[::1])")
def connect(
    opaque: npt.NDArray[np.uint16],
    slots: npt.NDArray[np.int32],
    first: int,
    end: int,
    connectivity: npt.NDArray[np.uint64],
    scratch: npt.NDArray[np.int32],
) -> None:
    """Fills ``connectivity`` of ``slots[first:end]``; ``scratch`` has 8,704 words."""
    for j in range(first, end):
        slot = nb.int64(slots[j])
        connectivity[slot] = connect_one(
            opaque[slot], scratch[0:256], scratch[256:512], scratch[512:4608], scratch[4608:8704]
        )
