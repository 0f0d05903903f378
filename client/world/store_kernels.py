"""Kernels of the store: they apply an event, note and list changes, show slots, find places and sort answers.

Kernels since they run for every packet or drain over a few dozen places, where each NumPy call costs 1 to 3 us whatever
its length: applying an event took 30 us a packet, now 3; showing and noting 25, now 6; ending a drain 53, now 17.

Indices. From outside come positions and result codes: a position's section is compared with floor and height, its
column is cut to the grid and compared with the row found; a code is a uint8 in a table of 256. Places were found by
``find_places``, slots are the pools'. ``record`` looks whether its table is long enough.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.history import KEPT
from client.world.lifecycle import ILLEGAL, SubChunkState
from net.arrays import ColumnPositions, Places, Slots, SubChunkPositions
from net.kernels import jit as nb
from net.kernels.jit import inner, int64, kernel
from net.space import ABOVE_PLACE, BELOW_PLACE, UNLOADED_PLACE

# ---------------------------------------------------------------- life kernels

U8 = npt.NDArray[np.uint8]
I16 = npt.NDArray[np.int16]
U16 = npt.NDArray[np.uint16]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]
I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

LONGEST_RUN = 0xFFFF


@kernel(
    "int64(int32[::1], int16[::1], uint8[::1], int64, float64, int32[::1], uint8[::1], float64[::1], "
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
    """Applies one event to places, in order; a place may occur several times. Called by ``state_machine`` alone.

    Returns how many changed their state; or -1 - index of the first for which the event is not possible, and nothing is
    written.

    Args:
        codes: int16[n] result codes, or int16[1] for all.
        after: uint8[256] next state by state.
        numbers: int32[n] numbers of the inbound packets, or int32[1] for all.
        moved: int32[n], written: places whose state changed; as are ``state``, ``since`` and the arrays of the history.
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


# ---------------------------------------------------------------- drain kernels

I8 = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

BEYOND: Final = -1  # a place is beyond the table; nothing was recorded

NOT_FRESH, FRESH, NO_LONGER = 0, 1, 2
"""A slot was not filled in this drain; it was, and is listed; it was, is listed, and is free again."""

CHANGED, BACK, RETIRED, BACK1, RETIRED1 = range(5)
"""Rows of the output of ``show``: places that show another slot; slots to give back and to retire, by layer."""
SHOW_ROWS: Final = 5


@kernel("int64(int32[::1], int64, int8[::1], int32[::1], int64)")
def record(places: Places, kind: int, kinds: I8, noted: Places, count: int) -> int:
    """Something befell these places; a place stands once in ``noted``, with the heaviest kind.

    ``kinds``: int8[places] heaviest so far, negative for none; written, as ``noted``. ``count``: entries of it in use.
    Returns the entries in use, or BEYOND where ``kinds`` does not reach a place.
    """
    after: int = count
    for index in range(places.shape[0]):
        if places[index] >= kinds.shape[0]:
            return BEYOND
    for index in range(places.shape[0]):
        place = places[index]
        if kinds[place] < 0:
            noted[after] = place
            after += 1
        kinds[place] = max(kinds[place], np.int8(kind))
    return after


@kernel("int64(int32[::1], int8[::1], int64, int64[::1], int64)")
def number(noted: Places, kinds: I8, above: int, revisions: I64, last: int) -> int:
    """Gives places with a kind higher than ``above`` the revisions after ``last``, in order; returns the last one."""
    given: int = last
    for index in range(noted.shape[0]):
        if kinds[noted[index]] > above:
            given += 1
            revisions[noted[index]] = given
    return given


@kernel(
    "void(int32[::1], int8[::1], int32[:,::1], int64, int64, int64[::1], int64, int64, int32[::1], int32[:,::1], "
    "uint8[::1], int64[::1], uint8[:,::1])"
)
def list_changes(
    noted: Places,
    kind_of: I8,
    columns: ColumnPositions,
    sections: int,
    floor: int,
    revision_of: I64,
    first: int,
    whole: int,
    places: Places,
    positions: SubChunkPositions,
    kinds: U8,
    revisions: I64,
    boxes: U8,
) -> None:
    """Fills the entries of a batch (``ChangeBatch``) from ``first`` on, and clears the changes of the places.

    ``noted``: int32[n] places. ``kind_of``: int8[places], made negative. ``floor``: the dimension's lowest section.
    ``whole``: the kind whose box is all of the sub-chunk; others get an empty one.
    """
    for index in range(noted.shape[0]):
        place, at = noted[index], first + index
        row = place // sections
        places[at] = place
        positions[at, 0] = columns[row, 0]
        positions[at, 1] = place - row * sections + floor
        positions[at, 2] = columns[row, 1]
        kinds[at] = kind_of[place]
        revisions[at] = revision_of[place]
        upper = np.uint8(16) if kind_of[place] == whole else np.uint8(0)
        for axis in range(3):
            boxes[at, axis] = 0
            boxes[at, axis + 3] = upper
        kind_of[place] = -1


@inner
def keep_fresh(slot: int, marks: U8, listed: Slots, count: int) -> int:
    """Adds a filled slot to the list; returns the entries in use."""
    if marks[slot] == NOT_FRESH:
        listed[count] = slot
        count += 1
    marks[slot] = FRESH
    return count


@kernel("int64(int32[::1], uint8[::1], int32[::1], int64)")
def add_fresh(slots: Slots, marks: U8, listed: Slots, count: int) -> int:
    """Adds slots that were filled in this drain to ``marks`` and ``listed``; returns the entries in use."""
    after: int = count
    for index in range(slots.shape[0]):
        after = keep_fresh(slots[index], marks, listed, after)
    return after


@kernel("int64(int32[::1], uint8[::1])")
def take_fresh(listed: Slots, marks: U8) -> int:
    """Moves the slots of ``listed`` that are still fresh to its front and clears all marks; returns their number."""
    kept = 0
    for index in range(listed.shape[0]):
        slot = listed[index]
        if marks[slot] == FRESH:
            listed[kept] = slot
            kept += 1
        marks[slot] = NOT_FRESH
    return kept


@kernel(
    "void(int32[::1], int32[::1], int32[::1], boolean, int32[::1], int32[::1], boolean[::1], uint8[::1], int32[::1], "
    "uint8[::1], int32[::1], int64[::1], int32[:,::1], int64[::1])"
)
def show(
    places: Places,
    slots: Slots,
    layer1: Slots,
    filled: bool,
    slot_of: Slots,
    layer1_of: Slots,
    shared: Flags,
    marks: U8,
    listed: Slots,
    marks1: U8,
    listed1: Slots,
    fresh: I64,
    out: Places,
    counts: I64,
) -> None:
    """Shows slots at places, and sorts the slots shown before into those to give back and to retire.

    Args:
        layer1: int32[n] slots of the second layer, 0 for none.
        filled: whether those that are not shared were filled in this drain, for these places.
        shared: bool[slots] the slots of one block.
        marks: uint8[slots] NOT_FRESH, FRESH or NO_LONGER; written, as ``listed``, the fresh ones; ``marks1`` and
            ``listed1`` are those of the second layer.
        fresh: int64[2] entries in use of both lists; written.
        out: int32[SHOW_ROWS, n], written; ``counts``: int64[SHOW_ROWS] entries of each row, zeros.
    """
    for index in range(places.shape[0]):
        place, slot, second = places[index], slots[index], layer1[index]
        if filled and not shared[slot]:
            fresh[0] = keep_fresh(slot, marks, listed, fresh[0])
        if filled and second > 0:
            fresh[1] = keep_fresh(second, marks1, listed1, fresh[1])
        before, before1 = slot_of[place], layer1_of[place]
        if before == slot and before1 == second:
            continue
        out[CHANGED, counts[CHANGED]] = place
        counts[CHANGED] += 1
        if before != slot and marks[before] == FRESH:
            marks[before] = NO_LONGER
            out[BACK, counts[BACK]] = before
            counts[BACK] += 1
        elif before != slot and not shared[before]:
            out[RETIRED, counts[RETIRED]] = before
            counts[RETIRED] += 1
        if before1 != second and marks1[before1] == FRESH:
            marks1[before1] = NO_LONGER
            out[BACK1, counts[BACK1]] = before1
            counts[BACK1] += 1
        elif before1 != second and before1 > 0:
            out[RETIRED1, counts[RETIRED1]] = before1
            counts[RETIRED1] += 1
        slot_of[place] = slot
        layer1_of[place] = second


# ---------------------------------------------------------------- last answers


@kernel(
    "void(int32[::1], uint32[::1], float64[:,::1], uint8[:,::1], int16[:,::1], boolean[::1], float64[::1], int16[::1])"
)
def last_answers(
    places: I32, noted: U32, times_s: F64, causes: U8, codes: I16, is_answer: Flags, seconds: F64, found: I16
) -> None:
    """Finds the last answer of each place in the rings of a history (``client.world.history``).

    The plain reference is in ``tests/unit/client/session/test_requests.py``. ``is_answer``: bool[causes]. ``seconds``
    and ``found``: float64[n] and int16[n], written where there was one: its time (of equal ones the first kept) and
    code.
    """
    for i in range(places.shape[0]):
        place = places[i]
        many = min(nb.int64(noted[place]), nb.int64(times_s.shape[1]))
        if many < 2:  # an announcement comes before any answer: most is air by its limit
            continue
        last = nb.int64(-1)
        for k in range(many):
            if is_answer[causes[place, k]] and (last < 0 or times_s[place, k] > times_s[place, last]):
                last = nb.int64(k)
        if last >= 0:
            seconds[i], found[i] = times_s[place, last], codes[place, last]


# --------------------------------------------------------------------- place kernels


GRID: Final = 256  # side of the window in columns within which no two share a cell
SHARED: Final = -1  # a cell of several columns

USED, DATA, AIR, CLOSING, IN_VAIN, NOT_HERE = range(6)
"""Treatment of entries: the first five are rows of the output of ``sort_entries``, the last is only counted."""
ENTRY_ROWS: Final = 5
FATES: Final = 6
_DATA, _ALL_AIR = 1, 6
_KNOWN_AIR = int(SubChunkState.KNOWN_AIR)


@kernel("int64(int32[:,::1], int32[:,::1], int32[:,::1], int64, int64, int32[::1])")
def find_places(
    positions: SubChunkPositions, grid: I32, columns: ColumnPositions, floor: int, sections: int, places: Places
) -> int:
    """The place of each position, int32[n], written; returns how many are SHARED, for which the grid does not decide.

    ``grid``: int32[GRID, GRID] row of the column in each cell, 0 for none, SHARED for several. ``floor``: lowest
    section.
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
    """Sorts the entries of a packet of answers by treatment; of several successes for a place the first one counts.

    ``needs_request``: bool[256] by state. ``retried``: bool[256] by result: failures that close nothing. ``sections``:
    places below are outside. ``mark``: uint8[places] zeros; zeros again afterwards. ``sorted_``: int64[ENTRY_ROWS, n],
    written: USED are those of DATA and AIR together. ``counts``: int64[FATES] zeros; written.
    """
    for index in range(places.shape[0]):
        place, result = places[index], results[index]
        if place < sections or result not in (_DATA, _ALL_AIR) or mark[place]:
            continue
        if state[place] == _KNOWN_AIR or needs_request[state[place]]:
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
