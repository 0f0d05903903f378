"""Kernel that applies moves of entities to rows of the tables: up to a thousand messages a second.

The plain reference is ``tests/support/reference/entity_moves.py``.

Indices. Rows come from the table, which queues moves only for its own entities; kinds are its own, too.
"""

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels.jit import inner, kernel

F64 = npt.NDArray[np.float64]
F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]
U32 = npt.NDArray[np.uint32]
U8 = npt.NDArray[np.uint8]

GLIDE_US: Final = 150_000  # duration of a move in the picture: three ticks, as games draw it
MOVE_NUMBERS: Final = 10  # row, x, y, z, pitch, yaw, head's yaw, whether at once, time, packet; NaN: unchanged
HALF_TURN: Final = np.float32(180.0)
TURN: Final = np.float32(360.0)

# Offsets of the fields of a row (``table.ROW``), in numbers of their own size.
POSITION, BEFORE, MOVED_AT, HEARD_AT = 0, 3, 6, 7
ANGLES, ANGLES_BEFORE, NUMBER, PACKET = 24, 27, 38, 39
KIND: Final = 82
TELEPORTED: Final = 167

# Offsets in a track (``table.TRACK``).
TRACK_POSITION, TRACK_MOVED_AT, TRACK_NUMBER, TRACK_TELEPORTED = 0, 3, 8, 36


@inner
def _turned(now: float, before: float, part: float) -> float:
    """An angle between two others, on the short way."""
    turn = (np.float32(now) - np.float32(before) + HALF_TURN) % TURN - HALF_TURN
    return float(before + turn * part)


@kernel(
    "void(float64[:,::1], float64[::1], float64[:,::1], int64[:,::1], float32[:,::1], uint32[:,::1], uint16[:,::1], "
    "uint8[:,::1], float64[:,::1], int64[:,::1], uint32[:,::1], uint8[:,::1], int64)"
)
def apply_moves(
    moves: F64,
    lifts: F64,
    doubles: F64,
    longs: I64,
    singles: F32,
    numbers: U32,
    shorts: npt.NDArray[np.uint16],
    flags: U8,
    track_doubles: F64,
    track_longs: I64,
    track_numbers: U32,
    track_flags: U8,
    tracked: int,
) -> None:
    """Applies moves in order, and stores the resulting positions as tracks.

    ``moves``: float64[m, 10], ``MOVE_NUMBERS`` each. ``lifts``: float64[kinds] height of the position in a move above
    the feet. ``doubles``: the rows; the five that follow are the same memory as other numbers. ``track_doubles``: the
    last k positions, likewise. ``tracked``: number of positions stored so far; the next one's index modulo k.
    """
    for m in range(moves.shape[0]):
        at, time = int(moves[m, 0]), int(moves[m, 8])
        part = (time - longs[at, MOVED_AT]) / GLIDE_US
        part = 1.0 if flags[at, TELEPORTED] != 0 or part > 1.0 else max(part, 0.0)
        for axis in range(3):
            before = doubles[at, BEFORE + axis]
            doubles[at, BEFORE + axis] = before + (doubles[at, POSITION + axis] - before) * part
            looked = singles[at, ANGLES_BEFORE + axis]
            singles[at, ANGLES_BEFORE + axis] = _turned(singles[at, ANGLES + axis], looked, part)
            lift = lifts[shorts[at, KIND]] if axis == 1 else 0.0
            if not math.isnan(moves[m, 1 + axis]):
                doubles[at, POSITION + axis] = moves[m, 1 + axis] - lift
            if not math.isnan(moves[m, 4 + axis]):
                singles[at, ANGLES + axis] = moves[m, 4 + axis]
        longs[at, MOVED_AT] = longs[at, HEARD_AT] = time
        numbers[at, PACKET] = int(moves[m, 9]) & 0xFFFFFFFF
        flags[at, TELEPORTED] = moves[m, 7] != 0.0
        place = (tracked + m) % track_doubles.shape[0]
        for axis in range(3):
            track_doubles[place, TRACK_POSITION + axis] = doubles[at, POSITION + axis]
        track_longs[place, TRACK_MOVED_AT] = time
        track_numbers[place, TRACK_NUMBER] = numbers[at, NUMBER]
        track_flags[place, TRACK_TELEPORTED] = flags[at, TELEPORTED]
