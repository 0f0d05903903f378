"""Updates light after single block changes; assigns light slots to seats.

First the light that the changed cells may have given is removed around them (algorithms.md 6.1, Starlight's decrease).
The rim of that are the seeds from which light rises (``border_kernels.spread``, whose words and lanes are used here).
``hand_out`` and ``compose`` end a step that lit seats from nothing (``propagate_kernels``); ``settle`` ends every step
and frees slots that are not needed. Limits: those of ``border_kernels``.

Indices. None comes from outside: edits are seats and cells of ``seat_kernels.seat_edits``, of places that the store
found; light slots are spare ones of the light map; all else as in ``border_kernels``.
"""

import numpy as np
import numpy.typing as npt

from client.light.border_kernels import (
    GUARD,
    NO_SPARE,
    NOWHERE,
    QUEUE_FULL,
    beside,
    from_lanes,
    less,
    read,
    spread,
    to_lanes,
    write,
)
from client.light.propagate_kernels import ALL_LINES, LINE_BITS, LINE_WORDS
from client.light.simd import count_line, paint64, prefetch
from client.light.sky_kernels import NONE, SKY_FULL
from net.kernels import jit as nb
from net.kernels.jit import ctz, inner, kernel, popcount

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32s = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

# Numba's casts are Any to mypy, NumPy's words are not int.
# mypy: disable-error-code="no-any-return, return-value"

U32 = nb.uint32


@inner
def own_light(n: int, block: int, entries: U16, emission: U16, steps: U32s, down_steps: U32s) -> int:
    """The light of a cell without neighbours: its emission, and daylight that enters from above the known blocks."""
    own = nb.int64(emission[block])
    if n & U32(15) == 15:
        i = nb.int64(n >> U32(4)) & 255
        if nb.int64(entries[n >> U32(12), i >> 4]) >> (i & 15) & 1:
            if down_steps[block] >> U32(24) == 0:
                own |= 0xF000
            else:
                dim = nb.int64(steps[block] >> U32(24))
                if dim < 15:
                    own |= (15 - dim) << 12
    return nb.uint16(own)


@kernel(
    "int64(uint32[::1], int32[:,::1], uint16[:,::1], uint16[::1], int32[::1], uint16[::1], int32[::1], uint8[::1],"
    " int32[::1], int32[::1], uint16[::1], uint32[::1], uint32[::1], uint32[::1], uint32[::1], uint32[::1])"
)
def mend(
    edits: U32s,
    neighbours: I32,
    entries: U16,
    ids: U16,
    blocks: I32,
    light: U16,
    shown: I32,
    fresh: U8,
    spare: I32,
    used: I32,
    emission: U16,
    steps: U32s,
    down_steps: U32s,
    queue: U32s,
    levels: U32s,
    rises: U32s,
) -> int:
    """Updates light after changes of some cells' blocks; returns visited cells, or a negative error code.

    All changes are done at once: each changed cell is reset to its own light, its old light is removed around it, and
    light of other sources rises again from the rim. ``edits`` are the changed cells, each once; ``ids`` has their new
    blocks already, ``light`` is still the old one. ``levels``, as long as ``queue``, is the light removed from each of
    its cells; ``rises`` is the second queue.
    """
    mask = U32(queue.shape[0] - 1)
    one = U32(1)
    visited = nb.int64(0)
    top = nb.int64(0)
    changed = edits.shape[0]
    space = nb.int64(rises.shape[0]) - 12  # each cell beside may be queued twice
    if changed >= space or changed >= nb.int64(queue.shape[0]) - 8:
        return nb.int64(QUEUE_FULL)
    for j in range(changed):
        n = edits[j]
        own = own_light(n, read(ids, blocks, n), entries, emission, steps, down_steps)
        now = read(light, shown, n)
        queue[j] = n
        levels[j] = to_lanes(now)
        if now != own and not write(n, own, light, shown, fresh, spare, used):
            return nb.int64(NO_SPARE)
        if own:
            rises[top] = n | U32(NOWHERE)
            top += 1
    h = U32(0)
    t = U32(changed)
    while h != t:
        c = queue[h & mask]
        level = levels[h & mask]
        edited = h < U32(changed)
        h = U32(h + one)
        visited += 1
        down = (level >> U32(24)) == U32(15)
        lanes = U32(U32(level + U32(0x7F7F7F7F)) & U32(GUARD))
        lanes = U32((lanes >> U32(7)) * U32(255))
        if top >= space or U32(t - h) >= U32(mask - U32(6)):
            return nb.int64(QUEUE_FULL)
        for d in range(6):
            k = beside(c, d, neighbours)
            block = read(ids, blocks, k)
            f = down_steps[block] if (d == 4 and down) else steps[block]
            reach = less(level, f)
            current = to_lanes(read(light, shown, k))
            fed = U32(U32(U32(reach | U32(GUARD)) - current) & U32(current + U32(0x7F7F7F7F)) & U32(GUARD))
            gone_lanes = U32((fed >> U32(7)) * U32(255))
            gone = U32(current & gone_lanes)
            kept = U32(current & ~gone_lanes)
            if kept if edited else U32(kept & lanes):
                rises[top] = k | U32(NOWHERE)
                top += 1
            if gone:
                own = to_lanes(own_light(k, block, entries, emission, steps, down_steps))
                back = U32(kept + less(own, kept))
                if not write(k, from_lanes(back), light, shown, fresh, spare, used):
                    return nb.int64(NO_SPARE)
                if back != kept:
                    rises[top] = k | U32(NOWHERE)
                    top += 1
                queue[t & mask] = k
                levels[t & mask] = gone
                t = U32(t + one)
    more = spread(ids, blocks, light, shown, fresh, spare, used, neighbours, steps, down_steps, rises, top)
    return more if more < 0 else visited + more


# ---------------------------------------------------------------- light slots


@kernel("int64(int64, uint8[::1], int32[:,::1], int32[::1], int32[::1], uint8[::1])")
def hand_out(seats: int, kind: U8, row_of: I32, spare: I32, shown: I32, fresh: U8) -> int:
    """Gives each lit seat a spare light slot, the others a shared one; returns used slots, -1: too few."""
    left = nb.int64(spare.shape[0])
    for s in range(seats):
        if row_of[0, s] >= 0 or row_of[1, s] >= 0 or row_of[2, s] >= 0 or row_of[3, s] >= 0:
            if left == 0:
                return nb.int64(-1)
            left -= 1
            shown[s] = spare[left]
            fresh[s] = 1
        else:
            shown[s] = 1 if kind[s] & SKY_FULL else 0
    return spare.shape[0] - left


@kernel(
    "void(int64, int64, uint8[::1], int32[:,::1], int64[:,:,::1], uint64[:,:,::1], uint8[::1], int32[::1],"
    " uint16[:,::1], uint64[::1])"
)
def compose(
    first: int,
    end: int,
    kind: U8,
    row_of: I32,
    plane_of: I64,
    pool: U64,
    fresh: U8,
    shown: I32,
    light: U16,
    scratch: U64,
) -> None:
    """Converts planes to light values, for seats first..end-1 with their own slot: each is written once."""
    bits = scratch[0:1024]
    words = pool.reshape(-1)
    total = pool.shape[1]
    for s in range(first, end):
        if fresh[s] == 0:
            continue
        if s + 1 < end:  # the planes of one seat are far apart: prefetch those of the next one
            for channel in range(4):
                r = nb.int64(row_of[channel, s + 1])
                if r < 0:
                    continue
                for level in range(1, 16):
                    p = plane_of[channel, r, level]
                    if p >= 0:
                        line = channel * total + (p >> LINE_BITS)
                        for k in range(popcount(p & ALL_LINES)):
                            prefetch(words, LINE_WORDS * (line + k))
        for k in range(1024):
            bits[k] = NONE
        for channel in range(4):
            r = nb.int64(row_of[channel, s])
            if r < 0:
                continue
            for level in range(1, 16):
                p = plane_of[channel, r, level]
                if p < 0:
                    continue
                at = LINE_WORDS * (channel * total + (p >> LINE_BITS))
                lines = p & ALL_LINES
                while lines:
                    count_line(words, at, nb.int64(level), bits, channel * 256 + LINE_WORDS * ctz(lines))
                    at += LINE_WORDS
                    lines &= lines - 1
        cells = light[shown[s]]
        unlit = nb.int64(0xF000) if kind[s] & SKY_FULL else nb.int64(0)
        for k in range(64):
            paint64(cells, k * 64, bits, k, unlit)


@kernel("void(int64, int64, int32[::1], int32[::1], uint8[::1], uint16[:,::1])")
def settle(first: int, end: int, before: I32, shown: I32, fresh: U8, light: U16) -> None:
    """Frees fresh slots of seats first..end-1 that equal a shared slot or the old slot, and shows that instead."""
    for s in range(first, end):
        if fresh[s] == 0:
            continue
        new = light[shown[s]].view(np.uint64)
        old = light[before[s]].view(np.uint64)
        i = 0
        while i < 1024 and new[i] == old[i]:
            i += 1
        if i == 1024:
            shown[s] = before[s]
            continue
        first_word = new[0]
        if first_word == np.uint64(0) or first_word == np.uint64(0xF000F000F000F000):
            i = 0
            while i < 1024 and new[i] == first_word:
                i += 1
            if i == 1024:
                shown[s] = 1 if first_word else 0
