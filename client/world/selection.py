"""Which entries of a packet of answers are used (rules of ``lifecycle``)."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import NEEDS_REQUEST, STATES, table_of
from client.world.place_kernels import ENTRY_ROWS, FATES, KNOWN_AIR, NOT_HERE, sort_entries
from client.world.places import PlaceTables
from net.space.layout import Places, SubChunkPositions

RESULT_DATA: Final = 1
RESULT_ALL_AIR: Final = 6
RETRIED_RESULTS: Final = (0, 2, 4)
"""Failures that close nothing: whoever asks decides when to give up."""

Entries = npt.NDArray[np.int64]


class Selection(NamedTuple):
    """Entries sorted by what becomes of them; a tuple, since a frozen dataclass takes 2 us a packet more.

    Attributes:
        places: int32[n] of all entries.
        used: entries whose success counts, in order.
        data: those of them with blocks.
        air: those of them that are all air.
        closing: failures that close their place: final, awaited, and without a success beside them.
        ignored: entries of announced places that change nothing.
        known_air: how many of the used ones lie in known air.
        unannounced: how many entries belong to no announced place.
    """

    places: Places
    used: Entries
    data: Entries
    air: Entries
    closing: Entries
    ignored: Entries
    known_air: int
    unannounced: int


class Selector:
    """Sorts packets; keeps nothing but its tables."""

    def __init__(self) -> None:
        """Tables by state and by result."""
        self._needs_request = table_of(NEEDS_REQUEST)
        self._retried = np.zeros(STATES, bool)
        self._retried[list(RETRIED_RESULTS)] = True

    def select(self, tables: PlaceTables, positions: SubChunkPositions, results: npt.NDArray[np.uint8]) -> Selection:
        """Sorts the entries of one packet; of several successes for a place the first one counts."""
        places = tables.places_of(positions)
        by_fate, counts = np.empty((ENTRY_ROWS, len(places)), np.int64), np.zeros(FATES, np.int64)
        needs, retried = self._needs_request, self._retried
        sort_entries(places, results, tables.state, needs, retried, tables.sections, tables.mark, by_fate, counts)
        each = counts.tolist()
        used, data, air, closing, in_vain = (row[:count] for row, count in zip(by_fate, each, strict=False))
        return Selection(places, used, data, air, closing, in_vain, each[KNOWN_AIR], each[NOT_HERE])
