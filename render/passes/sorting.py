"""A stable sort for kernels: insertion in short runs, then merges of them; what is in order already costs a look."""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import inner

I64 = npt.NDArray[np.int64]
Keys = npt.NDArray[np.int64] | npt.NDArray[np.float64]

RUN: Final = 12
"""Numbers that are put in order by insertion; longer ones are merged of such runs."""


@inner
def sort_rising(keys: Keys, order: I64, spare: I64, end: int) -> None:
    """Sorts the first ``end`` numbers of an order by rising key; equals stay as they are. ``spare`` is scratch."""
    for start in range(0, end, RUN):
        for at in range(start + 1, min(start + RUN, end)):
            moved, to = order[at], at
            while to > start and keys[order[to - 1]] > keys[moved]:
                order[to] = order[to - 1]
                to -= 1
            order[to] = moved
    size = nb.int64(RUN)
    while size < end:
        for start in range(0, end, 2 * size):
            middle, stop = min(start + size, end), min(start + 2 * size, end)
            if middle < stop and keys[order[middle - 1]] > keys[order[middle]]:
                _merge(keys, order, spare, start, middle, stop)
        size *= 2


@inner
def _merge(keys: Keys, order: I64, spare: I64, start: int, middle: int, stop: int) -> None:
    """Two runs in order to one; of equal keys those of the first run come first."""
    for i in range(start, middle):
        spare[i] = order[i]
    a, b, to = start, middle, start
    while a < middle:
        if b < stop and keys[order[b]] < keys[spare[a]]:
            order[to] = order[b]
            b += 1
        else:
            order[to] = spare[a]
            a += 1
        to += 1
