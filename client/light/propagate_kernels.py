"""Spreads light from its sources, in bit planes: Dial's algorithm on sets of cells.

Theory. The cells of one seat that have exactly level L in one channel are 64 words of 64 cells (word = x * 4 + z // 4,
bit = (z & 3) * 16 + y: the column masks, four to a word). A level spreads to the next by shifts: about 20 vector
instructions for 4096 cells, however many are lit. Levels are done from 15 down, all seats together, so each cell is set
only once (2.8 us a seat against 4.6-7.9 with a queue of cells, measured). Channels are independent, so threads can
share them.

Cells that take more than one level (water in red, stained glass) are rare. When light reaches them they are removed
from the planes, and added again at their resulting level through the *later* planes, which also hold the emitters.

    pool[p, 8:72]   one plane; the 8 zero words before and behind it stand for the neighbouring seats (whose light is
                    income)
    plane_of[r, L]  plane of level L of row r, -1 none. Rows are assigned when light reaches a seat: dark and fully
                    sunlit ones cost nothing
    state[r]        income twice (light from neighbours for this level and for the next), FREE (cells that can still be
                    lit), PART (cells that take more than one level; only if the slot's flag says so)
    later[q, L]     cells that get level L for another reason than a lit neighbour; plane 0 = those that no
                    neighbour lights: opaque ones, and those that take more than one level

Before a step ``source_kernels`` fills the later planes; ``edit_kernels`` converts planes to values.

Limits: scratch has fixed sizes; ``light_channel`` returns -1 when rows, planes or later planes run out, and the caller
starts again with more. Before a step ``row_of`` and ``later_of`` must be -1 and ``mark`` 0.

Indices. None comes from outside: seats are the step's, planes and rows are assigned here and compared with the size of
scratch; bits of words are cells.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.sky_kernels import ALL, IN_REGION, NONE, SKY_FULL, SKY_MIXED, SOLID
from client.light.source_kernels import later_add, later_row
from net.kernels import jit as nb
from net.kernels.jit import ctz, inner, kernel, same64

# Numba's casts are Any to mypy, NumPy's words are not int.
# mypy: disable-error-code="no-any-return, return-value"

I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

FREE: Final = 128
PART: Final = 192
STATE_WORDS: Final = 256
PLANE_WORDS: Final = 80
ONES_PLANE: Final = 0

_1, _15, _16, _48 = np.uint64(1), np.uint64(15), np.uint64(16), np.uint64(48)
NOT_TOP, NOT_BOTTOM = np.uint64(0x7FFF7FFF7FFF7FFF), np.uint64(0xFFFEFFFEFFFEFFFE)
BOTTOM, TOP = np.uint64(0x0001000100010001), np.uint64(0x8000800080008000)
_quarter = np.arange(64) & 3
HAS_BEFORE = np.where(_quarter == 0, 0, ALL).astype(np.uint64)  # word k - 1 is the neighbour towards -z
HAS_AFTER = np.where(_quarter == 3, 0, ALL).astype(np.uint64)
AT_Z0 = np.where(_quarter == 0, np.uint64(0xFFFF), 0).astype(np.uint64)
AT_Z15 = np.where(_quarter == 3, np.uint64(0xFFFF000000000000), 0).astype(np.uint64)


@inner
def open_row(
    s: int,
    r: int,
    slot: int,
    part: bool,
    ids: U16,
    steps: U8,
    opaque: U16,
    row_of: I32,
    row_seat: I32,
    plane_of: I32,
    state: U64,
    daylight: bool,
    sky: U16,
) -> None:
    """Assigns a row to a seat that light reaches first, and finds its free cells."""
    row_of[s] = r
    row_seat[r] = s
    for k in range(16):
        plane_of[r, k] = -1
    row = state[r]
    o = opaque[slot].view(np.uint64)
    for k in range(128):
        row[k] = NONE
    if daylight:
        z = sky[s].view(np.uint64)
        for k in range(64):
            row[FREE + k] = ~(o[k] | z[k])
    else:
        for k in range(64):
            row[FREE + k] = ~o[k]
    if part:
        cells = ids[slot]
        for k in range(64):
            left = row[FREE + k]
            bits = NONE
            while left:  # so few cells have few different blocks
                block = nb.int64(cells[nb.uint64(k * 64 + ctz(left))])
                same = left & nb.uint64(same64(cells, 64 * k, block))
                left &= ~same
                if steps[block] != 1:
                    bits |= same
            row[PART + k] = bits


@inner
def send(plane: U64, row: U64, income: int, d: int, got_words: U64) -> int:
    """Adds the light that leaves a plane through side d to another row's income, for cells that can use it."""
    got = NONE
    if d < 2:
        a = 60 * d
        b = 60 - a
        for k in range(4):
            e = plane[8 + a + k] & row[FREE + b + k]
            got |= e
            row[income + b + k] |= e
    elif d == 2:
        for k in range(0, 64, 4):
            e = (plane[8 + k] << _48) & row[FREE + 3 + k]
            got |= e
            row[income + 3 + k] |= e
    elif d == 3:
        for k in range(0, 64, 4):
            e = (plane[11 + k] >> _48) & row[FREE + k]
            got |= e
            row[income + k] |= e
    else:
        if d == 4:
            for k in range(64):
                e = ((plane[8 + k] & BOTTOM) << _15) & row[FREE + k]
                got |= e
                got_words[k] = e
        else:
            for k in range(64):
                e = ((plane[8 + k] >> _15) & BOTTOM) & row[FREE + k]
                got |= e
                got_words[k] = e
        if got:
            for k in range(64):
                row[income + k] |= got_words[k]
    return got


@kernel(
    "int64(int64, int32[::1], int32[:,::1], uint8[::1], uint32[::1], uint32, uint16[:,::1], uint8[::1], uint16[:,::1],"
    " uint16[:,::1], boolean, int32[::1], int32[::1], int32[:,::1], uint64[:,::1], uint64[:,::1],"
    " int32[::1], int32[::1], uint64[:,:,::1], int32[::1], int32[::1], int32[:,::1], uint8[::1], uint64[::1])"
)
def light_channel(
    seats: int,
    blocks: I32,
    neighbours: I32,
    kind: U8,
    flags: U32,
    part_flag: int,
    ids: U16,
    steps: U8,
    opaque: U16,
    sky: U16,
    daylight: bool,
    row_of: I32,
    row_seat: I32,
    plane_of: I32,
    state: U64,
    pool: U64,
    later_of: I32,
    later_seat: I32,
    later: U64,
    levels: I32,
    later_count: I32,
    lists: I32,
    mark: U8,
    scratch: U64,
) -> int:
    """Lights one channel of seats 0..seats-1 by themselves; returns the rows used, or -1 if scratch is too small.

    ``part_flag``: the bit of ``flags`` (by block slot) for slots with ids that take other than 1 of this channel.
    ``steps``: by block id, what the channel loses on entering. ``sky``, used with ``daylight``: the cells of unbroken
    daylight. ``lists``: [2, 2 * seats] the seats to do at this level and at the next.
    """
    found = scratch[0:64]
    got_words = scratch[64:128]
    closed = (SOLID | SKY_FULL) if daylight else SOLID
    rows = nb.int64(0)  # not a literal: open_row would be compiled for 0 and for int64
    planes = nb.int64(1)
    max_rows = state.shape[0] - 1
    max_planes = pool.shape[0] - 1
    for k in range(64):
        pool[ONES_PLANE, 8 + k] = ALL
    doing = 0
    if daylight:
        for s in range(seats):
            if kind[s] & (SKY_FULL | SKY_MIXED):
                lists[1, doing] = s
                doing += 1
    for level in range(15, 0, -1):
        now_list = lists[level & 1]
        next_list = lists[1 - (level & 1)]
        coming = 0
        now = (level & 1) * 64
        soon = 64 - now
        first_sky = daylight and level == 15
        for q in range(later_count[0]):
            if levels[q] >> level & 1:
                s = nb.int64(later_seat[q])
                if mark[s] != level:
                    mark[s] = level
                    now_list[doing] = s
                    doing += 1
        for j in range(doing):
            s = nb.int64(now_list[j])
            slot = nb.int64(blocks[s])
            r = nb.int64(row_of[s])
            part = flags[slot] & part_flag != 0
            every = ALL
            at_z0 = ALL
            at_z15 = ALL
            p = nb.int64(ONES_PLANE)
            if not (first_sky and kind[s] & SKY_FULL):
                if r < 0:
                    if rows > max_rows:
                        return nb.int64(-1)
                    r = rows
                    open_row(
                        s, r, slot, part, ids, steps, opaque, row_of, row_seat, plane_of, state, daylight and
                        kind[s] & SKY_MIXED != 0, sky,
                    )  # fmt: skip
                    rows += 1
                if planes > max_planes:
                    return nb.int64(-1)
                row = state[r]
                q = nb.int64(later_of[s])
                if first_sky:
                    z = sky[s].view(np.uint64)
                    for k in range(64):
                        found[k] = z[k]
                else:
                    before = nb.int64(plane_of[r, level + 1]) if level < 15 else nb.int64(-1)
                    if before >= 0:
                        last = pool[before]
                        for k in range(64):
                            w = last[8 + k]
                            t = ((w << _1) & NOT_BOTTOM) | ((w >> _1) & NOT_TOP) | (w << _16) | (w >> _16)
                            t |= last[4 + k] | last[12 + k]
                            t |= ((last[7 + k] >> _48) & HAS_BEFORE[k]) | ((last[9 + k] << _48) & HAS_AFTER[k])
                            found[k] = (t | row[now + k]) & row[FREE + k]
                    else:
                        for k in range(64):
                            found[k] = row[now + k] & row[FREE + k]
                    for k in range(64):
                        row[now + k] = NONE
                    if part:
                        for k in range(64):
                            c = found[k] & row[PART + k]
                            if c == NONE:
                                continue
                            found[k] &= ~c
                            row[FREE + k] &= ~c
                            if q < 0:
                                q = nb.int64(later_row(s, later_of, later_seat, later, levels, later_count))
                                if q < 0:
                                    return nb.int64(-1)
                            later[q, 0, k] |= c
                            while c:
                                b = nb.uint64(ctz(c))
                                c &= c - _1
                                deep = level + 1 - nb.int64(steps[ids[slot, nb.uint64(k * 64) + b]])
                                if deep > 0:
                                    later_add(q, deep, k, _1 << b, later, levels)
                    if q >= 0 and levels[q] >> level & 1:
                        for k in range(64):
                            lit = later[q, level, k] & (later[q, 0, k] | row[FREE + k])
                            later[q, 0, k] &= ~lit
                            found[k] |= lit
                every = NONE
                at_z0 = NONE
                at_z15 = NONE
                plane = pool[planes]
                for k in range(64):
                    t = found[k]
                    plane[8 + k] = t
                    row[FREE + k] &= ~t
                    every |= t
                    at_z0 |= t & AT_Z0[k]
                    at_z15 |= t & AT_Z15[k]
                if every == NONE:
                    continue
                p = planes
                plane_of[r, level] = p
                planes += 1
                if level > 1 and mark[s] != level - 1:
                    mark[s] = level - 1
                    next_list[coming] = s
                    coming += 1
            if level == 1:
                continue
            plane = pool[p]
            for d in range(6):
                if d == 0:
                    e = plane[8] | plane[9] | plane[10] | plane[11]
                elif d == 1:
                    e = plane[68] | plane[69] | plane[70] | plane[71]
                elif d == 2:
                    e = at_z0
                elif d == 3:
                    e = at_z15
                elif d == 4:
                    e = every & BOTTOM
                else:
                    e = every & TOP
                if e == NONE:
                    continue
                m = nb.int64(neighbours[s, d])
                km = kind[m]
                if km & IN_REGION == 0 or km & closed:
                    continue
                r2 = nb.int64(row_of[m])
                if r2 < 0:
                    if rows > max_rows:
                        return nb.int64(-1)
                    r2 = rows
                    other = nb.int64(blocks[m])
                    open_row(
                        m, r2, other, flags[other] & part_flag != 0, ids, steps, opaque, row_of, row_seat, plane_of,
                        state, daylight and km & SKY_MIXED != 0, sky,
                    )  # fmt: skip
                    rows += 1
                if send(plane, state[r2], soon, d, got_words) and mark[m] != level - 1:
                    mark[m] = level - 1
                    next_list[coming] = m
                    coming += 1
        doing = coming
    return rows
