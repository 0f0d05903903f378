"""Finds the places of many positions, and sorts the entries of a packet of answers, in one pass each.

Both run for every packet: as array operations and dictionary look-ups they were a third of what applying a packet cost
over its decode.

Indices. From outside come positions and result codes. A position's section is compared with floor and height, its
column is cut to the grid and compared with the row found; a code is a uint8 in a table of 256.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import SubChunkState
from net.kernels.casts import int64
from net.kernels.jit import inner, kernel
from net.space import ABOVE_PLACE, BELOW_PLACE, UNLOADED_PLACE, ColumnPositions, Places, SubChunkPositions

U8 = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

GRID: Final = 256
"""Columns on a side of the window in which no two share a cell."""
SHARED: Final = -1
"""A cell in which several columns lie."""

USED, DATA, AIR, CLOSING, IN_VAIN, KNOWN_AIR, NOT_HERE = range(7)
"""What becomes of entries: the first five are rows of what ``sort_entries`` writes, the others are counted only."""
ENTRY_ROWS: Final = 5
FATES: Final = 7
_DATA, _ALL_AIR = 1, 6
_KNOWN_AIR = int(SubChunkState.KNOWN_AIR)


@kernel("int64(int32[:,::1], int32[:,::1], int32[:,::1], int64, int64, int32[::1])")
def find_places(
    positions: SubChunkPositions, grid: I32, columns: ColumnPositions, floor: int, sections: int, places: Places
) -> int:
    """The place of each position.

    Args:
        positions: int32[n, 3].
        grid: int32[GRID, GRID] row of the column in each cell, 0 where none is, SHARED where several are.
        columns: int32[rows, 2] x, z of each row.
        floor: the dimension's lowest section.
        sections: its height.
        places: int32[n], written; SHARED where the grid cannot tell.

    Returns:
        How many the grid could not tell.
    """
    untold = 0
    for index in range(positions.shape[0]):
        section = positions[index, 1] - floor
        if section < 0:
            places[index] = BELOW_PLACE
        elif section >= sections:
            places[index] = ABOVE_PLACE
        else:
            x, z = positions[index, 0], positions[index, 2]
            row = grid[x & (GRID - 1), z & (GRID - 1)]
            if row == SHARED:
                places[index] = SHARED
                untold += 1
            elif row and columns[row, 0] == x and columns[row, 1] == z:
                places[index] = row * sections + section
            else:
                places[index] = UNLOADED_PLACE
    return untold


@inner
def enter(sorted_: I64, counts: I64, fate: int, index: int) -> None:
    """Adds an entry to a row."""
    sorted_[fate, counts[fate]] = index
    counts[fate] += 1


@kernel(
    "void(int32[::1], uint8[::1], uint8[::1], boolean[::1], boolean[::1], int64, uint8[::1], int64[:,::1], int64[::1])"
)
def sort_entries(
    places: Places,
    results: U8,
    state: U8,
    needs_request: Flags,
    retried: Flags,
    sections: int,
    mark: U8,
    sorted_: I64,
    counts: I64,
) -> None:
    """What becomes of each entry of a packet of answers; of several successes for a place the first one counts.

    Args:
        places: int32[n].
        results: uint8[n] result codes.
        state: uint8[places].
        needs_request: bool[256] by state.
        retried: bool[256] by result: failures that close nothing.
        sections: places below are outside.
        mark: uint8[places] zeros; zeros again afterwards.
        sorted_: int64[ENTRY_ROWS, n], written: entries in order. USED are those of DATA and AIR together.
        counts: int64[FATES] zeros; written: entries of each row, and those that are only counted.
    """
    for index in range(places.shape[0]):
        place, result = places[index], results[index]
        if place < sections or result not in (_DATA, _ALL_AIR) or mark[place]:
            continue
        is_air = state[place] == _KNOWN_AIR
        if is_air or needs_request[state[place]]:
            counts[KNOWN_AIR] += is_air
            mark[place] = 1
            enter(sorted_, counts, USED, index)
            enter(sorted_, counts, DATA if result == _DATA else AIR, index)
    used = int64(0)
    for index in range(places.shape[0]):
        place, result = places[index], results[index]
        if place < sections:
            counts[NOT_HERE] += 1
        elif used < counts[USED] and sorted_[USED, used] == index:
            used += 1
        elif result in (_DATA, _ALL_AIR) or retried[result] or mark[place] or not needs_request[state[place]]:
            enter(sorted_, counts, IN_VAIN, index)
        else:
            enter(sorted_, counts, CLOSING, index)
    for index in range(places.shape[0]):
        mark[places[index]] = 0
