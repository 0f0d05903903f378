"""Spreads light from cell to cell: across the region's border, and after edits.

All four channels are in one 32-bit word, a byte each (R, B, G, D from the low end), so that subtract, compare and
maximum are three or four plain instructions for all of them. ``spread`` only raises light, so its order does not
matter. Shown slots are never written: the first write to a seat takes a spare slot and copies 8 KiB (40 us for a torch
against 36 in place, measured). Cells are numbered ``seat << 12 | cell`` in 29 bits; the top three bits of a queue's
entry name the side from which its light came (7: none), so that side is skipped.

Limits: 131,071 seats. Each kernel returns -1 if its queue is full and -2 if the spare slots run out; its results must
then not be used.

Indices. None comes from outside: cells are of seats that ``seat_kernels`` numbered, blocks ids of the store's slots in
tables of 65,536. ``client.light.light_map`` relights at most MAX_SEATS at once; queues are as long as a power of two.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.sky_kernels import SOLID
from net.kernels import jit as nb
from net.kernels.jit import inlined, inner, kernel

I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U32s = npt.NDArray[np.uint32]

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

U32 = nb.uint32
GUARD: Final = 0x80808080
QUEUE_FULL: Final = -1
NO_SPARE: Final = -2
NOWHERE: Final = 0xE0000000
MAX_SEATS: Final = (1 << 17) - 1


@inlined
def to_lanes(v: int) -> int:
    """Four nibbles to four bytes."""
    w = U32(v)
    return U32((w & U32(0x0F0F)) | U32((w & U32(0xF0F0)) << U32(12)))


@inlined
def from_lanes(x: int) -> int:
    """Four bytes to four nibbles."""
    return nb.uint16((x & U32(0x0F0F)) | ((x >> U32(12)) & U32(0xF0F0)))


@inlined
def less(a: int, b: int) -> int:
    """``max(a - b, 0)`` in each lane."""
    t = U32(U32(a | U32(GUARD)) - b)
    m = U32(t & U32(GUARD))
    return U32(t & U32(m - (m >> U32(7))))


@inner
def beside(n: int, d: int, neighbours: I32) -> int:
    """The neighbour of cell ``n`` in direction ``d``."""
    if d < 4:
        by = U32(0x100) if d < 2 else U32(0x10)
        lane = U32(by * U32(15))
    else:
        by = U32(1)
        lane = U32(15)
    c = U32(n & lane)
    if d & 1:
        if c != lane:
            return U32(n + by)
        return U32(U32(neighbours[n >> U32(12), d]) << U32(12) | (n & U32(0xFFF) & ~lane))
    if c:
        return U32(n - by)
    return U32(U32(neighbours[n >> U32(12), d]) << U32(12) | (n & U32(0xFFF)) | lane)


@inner
def read(cells: U16, slots: I32, n: int) -> int:
    """The value of cell ``n`` in a flat pool."""
    return cells[nb.uint64(nb.int64(slots[n >> U32(12)]) << 12) | nb.uint64(n & U32(0xFFF))]


@inner
def write(n: int, value: int, light: U16, shown: I32, fresh: U8, spare: I32, used: I32) -> bool:
    """Sets the light of cell ``n``, in a slot of this step; False if no spare slot is left."""
    seat = n >> U32(12)
    if fresh[seat] == 0:
        left = nb.int64(spare.shape[0]) - nb.int64(used[0])
        if left == 0:
            return False
        used[0] += 1
        slot = nb.int64(spare[left - 1])
        old = nb.uint64(nb.int64(shown[seat]) << 12)
        new = nb.uint64(slot << 12)
        for i in range(4096):
            light[new + nb.uint64(i)] = light[old + nb.uint64(i)]
        shown[seat] = slot
        fresh[seat] = 1
    light[nb.uint64(nb.int64(shown[seat]) << 12) | nb.uint64(n & U32(0xFFF))] = value
    return True


@inner
def spread(
    ids: U16,
    blocks: I32,
    light: U16,
    shown: I32,
    fresh: U8,
    spare: I32,
    used: I32,
    neighbours: I32,
    steps: U32s,
    down_steps: U32s,
    queue: U32s,
    end: int,
) -> int:
    """Raises light from the queued cells until it rises nowhere; returns visited cells, or a negative error code."""
    mask = U32(queue.shape[0] - 1)
    one = U32(1)
    visited = nb.int64(0)
    h = U32(0)
    t = U32(end)
    while h != t:
        n = queue[h & mask]
        h = U32(h + one)
        visited += 1
        came = nb.int64(n >> U32(29))
        n = U32(n & U32(0x1FFFFFFF))
        level = to_lanes(read(light, shown, n))
        if (level & U32(0x0E0E0E0E)) == 0:
            continue
        down = (level >> U32(24)) == U32(15)
        for d in range(6):
            if d == came:
                continue
            k = beside(n, d, neighbours)
            block = read(ids, blocks, k)
            f = down_steps[block] if (d == 4 and down) else steps[block]
            current = to_lanes(read(light, shown, k))
            rise = less(less(level, f), current)
            if rise:
                if not write(k, from_lanes(U32(current + rise)), light, shown, fresh, spare, used):
                    return nb.int64(NO_SPARE)
                if U32(t - h) >= mask:
                    return nb.int64(QUEUE_FULL)
                queue[t & mask] = k | U32((d ^ 1) << 29)
                t = U32(t + one)
    return visited


@kernel(
    "int64(int64, uint8[::1], int32[:,::1], uint16[::1], int32[::1], uint16[::1], int32[::1], uint8[::1],"
    " int32[::1], int32[::1], uint32[::1], uint32[::1], uint32[::1])"
)
def join(
    region: int,
    kind: U8,
    neighbours: I32,
    ids: U16,
    blocks: I32,
    light: U16,
    shown: I32,
    fresh: U8,
    spare: I32,
    used: I32,
    steps: U32s,
    down_steps: U32s,
    queue: U32s,
) -> int:
    """Spreads light between the relit region and its surroundings; returns visited cells, or a negative error code."""
    t = nb.int64(0)
    fours = light.view(np.uint64)
    none = neighbours.shape[0] - 1
    space = nb.int64(queue.shape[0]) - 2
    for s in range(region):
        if kind[s] & SOLID and shown[s] == 0:
            continue
        for d in range(4):
            m = nb.int64(neighbours[s, d])
            if m == none or m < region or (shown[s] == shown[m] and shown[s] < 2):
                continue
            by = 256 if d < 2 else 16
            o1 = 15 * by if d & 1 else 0
            o2 = 15 * by - o1
            mine = nb.int64(shown[s]) << 12
            theirs = nb.int64(shown[m]) << 12
            for four in range(64):  # four cells above each other in a word
                first = four << 2 if d < 2 else (four >> 2) << 8 | (four & 3) << 2
                if fours[nb.uint64((mine + first + o1) >> 2)] == fours[nb.uint64((theirs + first + o2) >> 2)]:
                    continue
                for c in range(first, first + 4):
                    va = to_lanes(light[nb.uint64(mine + c + o1)])
                    vb = to_lanes(light[nb.uint64(theirs + c + o2)])
                    if t >= space:
                        return nb.int64(QUEUE_FULL)
                    if less(less(va, U32(0x01010101)), vb):
                        queue[t] = s << 12 | (c + o1) | NOWHERE
                        t += 1
                    if less(less(vb, U32(0x01010101)), va):
                        queue[t] = m << 12 | (c + o2) | NOWHERE
                        t += 1
    return spread(ids, blocks, light, shown, fresh, spare, used, neighbours, steps, down_steps, queue, t)
