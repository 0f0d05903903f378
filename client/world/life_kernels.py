"""Lets something happen to places: their next state, its date, and a line in their history, in one pass.

Written as a kernel since it runs for every entry of every answer: thirteen array operations took 30 us a packet, this
takes 3. ``client.world.states`` is the only caller; ``client.world.history`` says what the rings mean.

Indices. None comes from outside: places were found by ``place_kernels``, a state is a uint8 in tables of 256; result
codes and packet numbers are only kept.
"""

import numpy as np
import numpy.typing as npt

from client.world.history import KEPT
from client.world.lifecycle import ILLEGAL
from net.kernels.jit import kernel
from net.space.layout import Places

U8 = npt.NDArray[np.uint8]
I16 = npt.NDArray[np.int16]
U16 = npt.NDArray[np.uint16]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]
I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

LONGEST_RUN = 0xFFFF


@kernel(
    "int64(int32[::1], int16[::1], uint8[::1], int64, float64, int32[::1], uint8[::1], float64[::1], int64[::1], "
    "uint32[::1], float64[:,::1], int32[:,::1], int16[:,::1], uint8[:,::1], uint8[:,::1], uint8[:,::1], "
    "uint16[:,::1], int32[::1])"
)
def happen(
    places: Places,
    codes: I16,
    after: U8,
    cause: int,
    now: float,
    numbers: I32,
    state: U8,
    since: F64,
    counts: I64,
    noted: U32,
    times_s: F64,
    packets: I32,
    ring_codes: I16,
    causes: U8,
    befores: U8,
    afters: U8,
    repeats: U16,
    moved: I32,
) -> int:
    """One thing happens to some places, in order; a place may stand several times.

    Args:
        places: which.
        codes: int16[n] result codes, or int16[1] for all.
        after: uint8[256] next state by state.
        cause: what happens.
        now: monotonic seconds.
        numbers: int32[n] numbers of the inbound packets, or int32[1] for all.
        state: uint8[places], written.
        since: float64[places], written where the state changes.
        counts: int64[256] how often it happened, by state before; written.
        noted: the rings' arrays up to ``repeats``, written.
        times_s: see ``client.world.history``; likewise the next ones.
        packets: see there.
        ring_codes: see there.
        causes: see there.
        befores: see there.
        afters: see there.
        repeats: see there.
        moved: int32[n], written: places whose state changed.

    Returns:
        How many changed their state; -1 - index of the first to which it cannot happen, and then nothing is written.
    """
    count = 0
    for index in range(places.shape[0]):
        if after[state[places[index]]] == ILLEGAL:
            return -1 - index
    for index in range(places.shape[0]):
        place = places[index]
        code = codes[index if codes.shape[0] > 1 else 0]
        before = state[place]
        next_state = after[before]
        counts[before] += 1
        at, again = noted[place] % np.uint32(KEPT), False
        if before == next_state:
            for back in range(1, min(noted[place], np.uint32(KEPT)) + 1):
                earlier = (noted[place] - np.uint32(back)) % np.uint32(KEPT)
                if befores[place, earlier] != afters[place, earlier]:
                    break
                if causes[place, earlier] == cause and ring_codes[place, earlier] == code:
                    at, again = earlier, True
                    break
        if again:
            if repeats[place, at] < LONGEST_RUN:
                repeats[place, at] += np.uint16(1)
        else:
            noted[place] += np.uint32(1)
            causes[place, at] = cause
            befores[place, at] = before
            afters[place, at] = next_state
            ring_codes[place, at] = code
            repeats[place, at] = 1
        times_s[place, at] = now
        packets[place, at] = numbers[index if numbers.shape[0] > 1 else 0]
        if before != next_state:
            state[place] = next_state
            since[place] = now
            moved[count] = place
            count += 1
    return count
