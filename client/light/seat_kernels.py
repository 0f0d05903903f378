"""Copies the store's tables for a light step. A seat is the number of a place in one step.

They run for every edited block, over nine columns: as array operations they were four fifths of what an edit's light
cost on the owner's thread (measured).

Indices. None comes from outside: rows and places are the store's, as are the neighbouring places; the tables are as
long as the store's (``client.light.memory``).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.arrays import Places, Slots
from net.kernels import jit as nb
from net.kernels.jit import inner, kernel

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MIDDLE: Final = 4  # index of a row itself among the nine rows around it, while it is in use
MUST_RELIGHT: Final = -1  # another change was found: an update of single blocks does not suffice


@kernel(
    "int64(int32[::1], int64, int32[::1], int32[:,::1], int32[::1], int32, int32,"
    " int32[::1], int32[::1], int32[::1], int32[:,::1], int32[::1])"
)
def seat(
    rows: I32,
    sections: int,
    slot: Slots,
    neighbours: I32,
    table: Slots,
    outside_block: int,
    outside_light: int,
    seat_of: I32,
    places: Places,
    blocks: Slots,
    beside: I32,
    shown: Slots,
) -> int:
    """Numbers the places of rows (each once), lowest first; returns their number n.

    ``outside_block``, ``outside_light``: slots of the last seat, which stands for all places outside. ``seat_of``:
    int32[places], all -1; reset again. Written: ``places``: int32[n]; ``blocks``, ``shown``: int32[n + 1] block and
    light slot of each seat; ``beside``: int32[n + 1, 6] neighbouring seats, n where there is none.
    """
    n = nb.int64(0)
    for r in range(rows.shape[0]):
        first = nb.int64(rows[r]) * sections
        for place in range(first, first + sections):
            seat_of[place] = n
            places[n] = place
            blocks[n] = slot[place]
            shown[n] = table[place]
            n += 1
    for s in range(n):
        place = nb.int64(places[s])
        for d in range(6):
            m = seat_of[neighbours[place, d]]
            beside[s, d] = m if m >= 0 else n
    for s in range(n):
        seat_of[places[s]] = -1
    blocks[n] = outside_block
    shown[n] = outside_light
    for d in range(6):
        beside[n, d] = n
    return n


@inner
def collect_lit_around(
    row: int, column_neighbours: I32, columns: I32, lit: Flags, lit_columns: I32, marks: Flags, found: I32, n: int
) -> int:
    """Adds the lit rows around a row that are not marked yet to ``found``; returns the new number."""
    for k in range(9):
        beside = nb.int64(column_neighbours[row, k])
        if beside == 0 or marks[beside] or not lit[beside] or column_neighbours[beside, MIDDLE] != beside:
            continue
        if lit_columns[beside, 0] != columns[beside, 0] or lit_columns[beside, 1] != columns[beside, 1]:
            continue
        marks[beside] = True
        at = n
        while at > 0 and found[at - 1] > beside:
            found[at] = found[at - 1]
            at -= 1
        found[at] = beside
        n += 1
    return n


@kernel("int64(int32[::1], int32[:,::1], int32[:,::1], boolean[::1], int32[:,::1], boolean[::1], int32[::1])")
def lit_around(
    rows: I32, column_neighbours: I32, columns: I32, lit: Flags, lit_columns: I32, marks: Flags, found: I32
) -> int:
    """The lit rows among and around some rows that still hold the column they were lit for; returns their number.

    ``lit``: bool[rows] rows with light of their own. ``lit_columns``: int32[rows, 2] their positions when they were
    lit. ``marks``: bool[rows], all False; reset again. ``found``: int32[at least 9 * r], written, in order.
    """
    n = nb.int64(0)
    for r in range(rows.shape[0]):
        n = collect_lit_around(nb.int64(rows[r]), column_neighbours, columns, lit, lit_columns, marks, found, n)
    for j in range(n):
        marks[found[j]] = False
    return n


@kernel(
    "int64(int32[::1], int64[::1], int64, int32[:,::1], int32[:,::1], boolean[::1], int32[:,::1], boolean[::1],"
    " int64[::1], int64[::1], boolean[::1], boolean[::1], int32[::1], uint32[::1])"
)
def seat_edits(
    places: Places,
    cells: I64,
    sections: int,
    column_neighbours: I32,
    columns: I32,
    lit: Flags,
    lit_columns: I32,
    left_out: Flags,
    then: I64,
    now: I64,
    marks: Flags,
    edited: Flags,
    found: I32,
    edits: npt.NDArray[np.uint32],
) -> int:
    """Rows and seats for an update of single blocks; returns the number of rows, or ``MUST_RELIGHT``.

    ``left_out``: bool[rows] rows for which such an update does not suffice. ``then``, ``now``: int64[places] revisions
    when lit and at present. ``marks``, ``edited``: all False; reset again. ``found``: int32[at least 9 * n], written:
    the lit rows, in order. ``edits``: uint32[n], written: ``seat << 12 | cell``, in the order of ``places``.
    """
    n = nb.int64(0)
    for j in range(places.shape[0]):
        row = nb.int64(places[j]) // sections
        if not edited[places[j]]:
            n = collect_lit_around(row, column_neighbours, columns, lit, lit_columns, marks, found, n)
        edited[places[j]] = True
    mends = True
    for j in range(places.shape[0]):
        row = nb.int64(places[j]) // sections
        mends &= marks[row] and not left_out[row]
        at = nb.int64(0)
        while at < n and found[at] < row:
            at += 1
        edits[j] = (at * sections + places[j] % sections) << 12 | cells[j]
    for r in range(n):
        first = nb.int64(found[r]) * sections
        for place in range(first, first + sections):
            mends &= then[place] == now[place] or edited[place]
        marks[found[r]] = False
    for j in range(places.shape[0]):
        edited[places[j]] = False
    return n if mends else MUST_RELIGHT


@kernel("int64(int32[::1], int64, int64[::1], int64[::1], boolean[:,::1])")
def changed_since(rows: I32, sections: int, then: I64, now: I64, changed: Flags) -> int:
    """Writes to ``changed`` [r, sections] which places have another revision than then; returns their number."""
    count = nb.int64(0)
    for r in range(rows.shape[0]):
        first = nb.int64(rows[r]) * sections
        for up in range(sections):
            differs = then[first + up] != now[first + up]
            changed[r, up] = differs
            count += differs
    return count
