"""Light slots of a step: which seat gets one of its own, what is written there, and who can do without after all.

``hand_out`` and ``compose`` end a step that lit seats from nothing (``propagate_kernels``), ``settle`` ends every step.

Indices. None comes from outside: seats are the step's, light slots those that the light map holds spare.
"""

import numpy as np
import numpy.typing as npt

from client.light.propagate_kernels import PLANE_WORDS
from client.light.sky_kernels import NONE, SKY_FULL
from client.light.tables import paint64, prefetch
from net.kernels import casts as nb
from net.kernels.jit import kernel

# Numba's casts are Any to mypy, NumPy's words are not int.
# mypy: disable-error-code="no-any-return, return-value"

I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]
U64 = npt.NDArray[np.uint64]


@kernel("int64(int64, uint8[::1], int32[:,::1], int32[::1], int32[::1], uint8[::1])")
def hand_out(seats: int, kind: U8, row_of: I32, spare: I32, shown: I32, fresh: U8) -> int:
    """Gives each lit seat a spare light slot (from the end), the others a shared one; slots used, or -1 if too few."""
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
    "void(int64, int64, uint8[::1], int32[:,::1], int32[:,:,::1], uint64[:,:,::1], uint8[::1], int32[::1],"
    " uint16[:,::1], uint64[::1])"
)
def compose(
    first: int,
    end: int,
    kind: U8,
    row_of: I32,
    plane_of: I32,
    pool: U64,
    fresh: U8,
    shown: I32,
    light: U16,
    scratch: U64,
) -> None:
    """Planes to light values for seats first..end-1 that have a slot of their own: each is written once."""
    bits = scratch[0:256]
    for s in range(first, end):
        if fresh[s] == 0:
            continue
        if s + 1 < end:  # the planes of one seat lie far apart: ask for the next one's in time
            for channel in range(4):
                r = nb.int64(row_of[channel, s + 1])
                if r >= 0:
                    flat = pool[channel].reshape(-1)
                    for level in range(1, 16):
                        p = nb.int64(plane_of[channel, r, level])
                        if p >= 0:
                            for k in range(8, 80, 8):
                                prefetch(flat, p * PLANE_WORDS + k)
        cells = light[shown[s]]
        words = cells.view(np.uint64)
        v = np.uint64(0xF000F000F000F000) if kind[s] & SKY_FULL else NONE
        for i in range(1024):
            words[i] = v
        for channel in range(4):
            r = nb.int64(row_of[channel, s])
            if r < 0:
                continue
            for k in range(256):
                bits[k] = NONE
            for level in range(1, 16):
                p = nb.int64(plane_of[channel, r, level])
                if p < 0:
                    continue
                plane = pool[channel, p]
                for i in range(4):
                    if level >> i & 1:
                        for k in range(64):
                            bits[i * 64 + k] |= plane[8 + k]
            unit = nb.uint16(1 << 4 * channel)
            for k in range(64):
                p0 = bits[k]
                p1 = bits[64 + k]
                p2 = bits[128 + k]
                p3 = bits[192 + k]
                if p0 | p1 | p2 | p3 != NONE:
                    paint64(cells, k * 64, p0, p1, p2, p3, unit)


@kernel("void(int64, int64, int32[::1], int32[::1], uint8[::1], uint16[:,::1])")
def settle(first: int, end: int, before: I32, shown: I32, fresh: U8, light: U16) -> None:
    """Seats first..end-1 whose fresh slot says what a shared slot or the old one says show that one instead."""
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
