"""Collects the sources of light: cells that are lit for another reason than a lit neighbour.

Theory. A source's level is put into its seat's *later planes* (``propagate_kernels``), from which ``light_channel``
takes it when it processes that level. Sources are emitters, daylight that enters a dimming top cell, and, added by
``light_channel`` itself, cells that take more than one level.

    later[q, L]     cells that get level L of later row q; plane 0 = those that no neighbour lights
    levels[q]       bit L: plane L is in use; a plane is cleared when its first cell is added
    later_of[s]     later row of seat s, -1 none; ``later_seat`` the other way round

Limits: later rows may run out; each kernel reports that, and the caller starts again with more.

Indices. None comes from outside: seats are the step's, later rows are assigned here and compared with the size of
scratch.
"""

import numpy as np
import numpy.typing as npt

from client.light.sky_kernels import NONE
from client.world.block_table import SHINES, SHINES_OPAQUE
from net.kernels import jit as nb
from net.kernels.jit import ctz, inner, kernel, same64

# Numba's casts are Any to mypy, NumPy's words are not int.
# mypy: disable-error-code="no-any-return, return-value"

I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

_1 = np.uint64(1)


@inner
def later_row(s: int, later_of: I32, later_seat: I32, later: U64, levels: I32, n: I32) -> int:
    """Assigns a later row to seat ``s``; -1 if none is left."""
    q = nb.int64(n[0])
    if q >= later.shape[0]:
        return nb.int64(-1)
    n[0] = q + 1
    later_of[s] = q
    later_seat[q] = s
    levels[q] = 0
    for k in range(64):
        later[q, 0, k] = NONE
    return q


@inner
def later_add(q: int, level: int, word: int, bits: int, later: U64, levels: I32) -> None:
    """Adds cells that will get ``level``."""
    if levels[q] >> level & 1 == 0:
        levels[q] |= 1 << level
        for k in range(64):
            later[q, level, k] = NONE
    later[q, level, word] |= bits


@inner
def shine(
    s: int,
    word: int,
    bits: int,
    shut: int,
    e: int,
    later_of: I32,
    later_seat: I32,
    later: U64,
    levels: I32,
    later_count: I32,
) -> bool:
    """Adds cells of seat ``s`` with emission ``e`` to later planes; False if they run out."""
    for channel in range(3):
        level = e >> (4 * channel) & 15
        if level == 0:
            continue
        q = nb.int64(later_of[channel, s])
        if q < 0:
            q = nb.int64(
                later_row(
                    s, later_of[channel], later_seat[channel], later[channel], levels[channel], later_count[channel]
                )
            )
            if q < 0:
                return False
        later_add(q, level, word, bits, later[channel], levels[channel])
        later[channel, q, 0, word] |= shut
    return True


@kernel(
    "int64(int64, int32[::1], uint32[::1], uint16[:,::1], uint16[:,::1], uint16[:,::1], uint16[:,::1], uint16[::1],"
    " int32[:,::1], int32[:,::1], uint64[:,:,:,::1], int32[:,::1], int32[:,::1])"
)
def seed_emitters(
    seats: int,
    blocks: I32,
    flags: U32,
    opaque: U16,
    liquid: U16,
    other: U16,
    ids: U16,
    emission: U16,
    later_of: I32,
    later_seat: I32,
    later: U64,
    levels: I32,
    later_count: I32,
) -> int:
    """Adds every emitting cell of seats 0..seats-1 to the later planes of its channels; returns -1 if they run out.

    Of 64 cells those of one block are processed at once, since so few cells have few different blocks.
    """
    for s in range(seats):
        slot = nb.int64(blocks[s])
        if flags[slot] & nb.uint32(SHINES) == 0:
            continue
        cells = ids[slot]
        solid = opaque[slot].view(np.uint64)
        wet = liquid[slot].view(np.uint64)
        rest = other[slot].view(np.uint64)
        with_opaque = flags[slot] & nb.uint32(SHINES_OPAQUE) != 0
        for k in range(64):
            left = wet[k] | rest[k]
            if with_opaque:
                left |= solid[k]
            while left:
                block = nb.int64(cells[nb.uint64(k * 64 + ctz(left))])
                same = nb.uint64(same64(cells, 64 * k, block))
                left &= ~same
                e = nb.int64(emission[block])
                if e and not shine(s, k, same, same & solid[k], e, later_of, later_seat, later, levels, later_count):
                    return nb.int64(-1)
    return nb.int64(0)


@kernel(
    "int64(int64, int32[::1], uint8[::1], uint16[:,::1], uint16[:,::1], uint16[:,::1], uint8[::1], uint8[::1],"
    " int32[::1], int32[::1], uint64[:,:,::1], int32[::1], int32[::1])"
)
def seed_entries(
    seats: int,
    blocks: I32,
    kinds: U8,
    entries: U16,
    opaque: U16,
    ids: U16,
    dims: U8,
    steps: U8,
    later_of: I32,
    later_seat: I32,
    later: U64,
    levels: I32,
    later_count: I32,
) -> int:
    """Adds daylight that enters a dimming top cell (water under the sky): 15 less what the cell takes; -1 as above."""
    for s in range(seats):
        slot = nb.int64(blocks[s])
        if kinds[slot] == 0:
            continue
        some = np.uint16(0)
        for x in range(16):
            some |= entries[s, x]
        if some == 0:
            continue
        for i in range(256):
            if nb.int64(entries[s, i >> 4]) >> (i & 15) & 1 == 0 or opaque[slot, i] >> 15:
                continue
            block = ids[slot, nb.uint64(i * 16 + 15)]
            if dims[block] == 0 or steps[block] >= 15:
                continue
            q = nb.int64(later_of[s])
            if q < 0:
                q = nb.int64(later_row(s, later_of, later_seat, later, levels, later_count))
                if q < 0:
                    return nb.int64(-1)
            bit = _1 << nb.uint64((i & 3) * 16 + 15)
            later_add(q, 15 - nb.int64(steps[block]), i >> 2, bit, later, levels)
    return nb.int64(0)
