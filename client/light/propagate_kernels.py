"""Spreads light from its sources, in bit planes: Dial's algorithm on sets of cells.

Theory. The cells of one seat that have exactly level L in one channel are 64 words of 64 cells (word = x * 4 + z // 4,
bit = (z & 3) * 16 + y: the column masks, four to a word). A level spreads to the next by shifts (``simd``), however
many cells are lit, and to neighbouring seats by its edges. Levels are done from 15 down, all seats together, so each
cell is set only once (2.8 us a seat against 4.6-7.9 with a queue of cells, measured). Channels are independent, so
threads can share them.

Cells that take more than one level (water in red, stained glass) are rare. When light reaches them they are removed
from the planes, and added again at their resulting level through the *later* planes, which also hold the emitters.

    pool[i]         one line, eight words of a plane; only lines that are not all 0 are stored
    plane_of[r, L]  plane of level L of row r: its first line << 8 | bit k: it has line k; -1 none. Rows are assigned
                    when light reaches a seat: dark and fully sunlit ones cost nothing
    state[r]        FREE (cells that can still be lit), OPEN (their edges, perhaps with some that are lit now), INCOME
                    twice (edges: light from neighbours for this level and for the next), LAST (the plane of the level
                    before, between zeros), PART (cells that take more than one level; only if the slot's flag says so)
    later[q, L]     cells that get level L for another reason than a lit neighbour; plane 0 = those that no
                    neighbour lights: opaque ones, and those that take more than one level

Before a step ``source_kernels`` fills the later planes; ``edit_kernels`` converts planes to values.

Limits: scratch has fixed sizes; ``light_channel`` returns -1 when rows, lines or later planes run out, and the caller
starts again with more. Before a step ``row_of`` and ``later_of`` must be -1 and ``mark`` 0.

Indices. None comes from outside: seats are the step's, lines and rows are assigned here and compared with the size of
scratch; bits of words are cells.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.simd import EDGE_WORDS, FREE, INCOME, LAST, OPEN, PART, edges, enter, prefetch, send, spread
from client.light.sky_kernels import ALL, IN_REGION, NONE, SKY_FULL, SKY_MIXED, SOLID
from client.light.source_kernels import later_add, later_row
from net.kernels import jit as nb
from net.kernels.jit import ctz, inlined, inner, kernel, popcount, same64

# Numba's casts are Any to mypy, NumPy's words are not int.
# mypy: disable-error-code="no-any-return, return-value"

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

STATE_WORDS: Final = 280
LINE_WORDS: Final = 8
LINE_BITS: Final = 8
"""Lines of a plane: a bit each in ``plane_of``."""
ALL_LINES: Final = (1 << LINE_BITS) - 1

_1 = np.uint64(1)


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
    plane_of: I64,
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
    for k in range(INCOME, LAST + 72):
        row[k] = NONE
    if daylight:
        z = sky[s].view(np.uint64)
        for k in range(64):
            row[FREE + k] = ~(o[k] | z[k])
    else:
        for k in range(64):
            row[FREE + k] = ~o[k]
    edges(row, nb.int64(FREE), row, nb.int64(OPEN))
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


@inlined
def fetch_ahead(
    s: int, level: int, row_of: I32, plane_of: I64, later_of: I32, levels: I32, rows: U64, later: U64
) -> None:
    """Prefetches what a seat needs at a level: the rows of one level are far apart."""
    r = nb.int64(row_of[s])
    if r < 0:
        return
    prefetch(plane_of, r * 16)
    prefetch(plane_of, r * 16 + 8)
    for k in range(0, PART, 8):
        prefetch(rows, r * STATE_WORDS + k)
    q = nb.int64(later_of[s])
    if q >= 0 and levels[q] >> level & 1:
        for k in range(0, 64, 8):
            prefetch(later, q * 1024 + k)
            prefetch(later, q * 1024 + level * 64 + k)


@kernel(
    "int64(int64, int32[::1], int32[:,::1], uint8[::1], uint32[::1], uint32, uint16[:,::1], uint8[::1], uint16[:,::1],"
    " uint16[:,::1], boolean, int32[::1], int32[::1], int64[:,::1], uint64[:,::1], uint64[:,::1],"
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
    plane_of: I64,
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
    flat_neighbours = neighbours.reshape(-1)  # not in the loop: it is a call
    flat_rows = state.reshape(-1)
    flat_lines = pool.reshape(-1)
    flat_plane_of = plane_of.reshape(-1)
    flat_later = later.reshape(-1)
    edge = scratch[64:88]
    closed = (SOLID | SKY_FULL) if daylight else SOLID
    rows = nb.int64(0)  # not a literal: open_row would be compiled for 0 and for int64
    lines = nb.int64(0)
    max_rows = state.shape[0] - 1
    max_lines = pool.shape[0] - 8
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
        now = nb.int64(INCOME + (level & 1) * EDGE_WORDS)
        soon = nb.int64(INCOME + (1 - (level & 1)) * EDGE_WORDS)
        first_sky = daylight and level == 15
        for q in range(later_count[0]):
            if levels[q] >> level & 1:
                s = nb.int64(later_seat[q])
                if mark[s] != level:
                    mark[s] = level
                    now_list[doing] = s
                    doing += 1
        for j in range(doing):
            if j + 2 < doing:
                ahead = nb.int64(now_list[j + 2])
                fetch_ahead(ahead, level, row_of, flat_plane_of, later_of, levels, flat_rows, flat_later)
                prefetch(flat_neighbours, ahead * 6)
            s = nb.int64(now_list[j])
            slot = nb.int64(blocks[s])
            r = nb.int64(row_of[s])
            part = flags[slot] & part_flag != 0
            if first_sky and kind[s] & SKY_FULL:
                for k in range(EDGE_WORDS):
                    edge[k] = ALL
            else:
                if r < 0:
                    if rows > max_rows:
                        return nb.int64(-1)
                    r = rows
                    open_row(
                        s, r, slot, part, ids, steps, opaque, row_of, row_seat, plane_of, state, daylight and
                        kind[s] & SKY_MIXED != 0, sky,
                    )  # fmt: skip
                    rows += 1
                if lines > max_lines:
                    return nb.int64(-1)
                row = state[r]
                q = nb.int64(later_of[s])
                if first_sky:
                    z = sky[s].view(np.uint64)
                    for k in range(64):
                        found[k] = z[k]
                else:
                    if plane_of[r, (level + 1) & 15] < 0:  # level 0 has no plane
                        for k in range(64):
                            row[LAST + k] = NONE
                    spread(row, now, found)
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
                written = enter(found, row, edge, flat_lines, LINE_WORDS * lines)
                if written == 0:
                    continue
                plane_of[r, level] = lines << LINE_BITS | written
                lines += popcount(written)
                if level > 1 and mark[s] != level - 1:
                    mark[s] = level - 1
                    next_list[coming] = s
                    coming += 1
            if level == 1:
                continue
            for d in range(6):
                if edge[4 * d] | edge[4 * d + 1] | edge[4 * d + 2] | edge[4 * d + 3] == NONE:
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
                if send(edge, nb.int64(d), state[r2], soon) and mark[m] != level - 1:
                    mark[m] = level - 1
                    next_list[coming] = m
                    coming += 1
        doing = coming
    return rows
