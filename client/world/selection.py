"""Which entries of a packet of answers are used (rules of ``lifecycle``)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import Knowledge
from client.world.places import PlaceTables
from client.world.states import States
from net.space.layout import Places, SubChunkPositions

RESULT_DATA: Final = 1
RESULT_ALL_AIR: Final = 6
RETRIED_RESULTS: Final = (0, 2, 4)
"""Failures that close nothing: whoever asks decides when to give up."""

Entries = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Selection:
    """Entries sorted by what becomes of them.

    Attributes:
        places: int32[n] of all entries.
        data: entries with blocks to be used.
        air: entries to be shown as air.
        failed: entries of announced places that failed, for their codes.
        closing: those of them that close their place.
        known_air: how many of data and air lie in known air.
        ignored: entries that are none of these but retried failures among them.
    """

    places: Places
    data: Entries
    air: Entries
    failed: Entries
    closing: Entries
    known_air: int
    ignored: int

    @property
    def used(self) -> Entries:
        """Entries whose success counts, in order."""
        return np.sort(np.concatenate([self.data, self.air]))


def select(
    tables: PlaceTables, states: States, positions: SubChunkPositions, results: npt.NDArray[np.uint8]
) -> Selection:
    """Sorts the entries of one packet; of several successes for a place the first one counts."""
    places = tables.places_of(positions)
    known = places >= tables.sections
    is_air = tables.state[places] == int(Knowledge.KNOWN_AIR)
    data = results == RESULT_DATA
    success = data | (results == RESULT_ALL_AIR)
    used = known & success & (states.need_request(places) | is_air)
    used[used] = _first_of_each(places[used])
    failed = known & ~success
    closing = failed & ~np.isin(results, RETRIED_RESULTS)
    return Selection(
        places,
        np.flatnonzero(used & data),
        np.flatnonzero(used & ~data),
        np.flatnonzero(failed),
        np.flatnonzero(closing),
        int((used & is_air).sum()),
        int((~used & ~closing).sum()),
    )


def _first_of_each(places: Places) -> npt.NDArray[np.bool_]:
    """Marks the first occurrence of each place: bool[n]."""
    first = np.zeros(len(places), bool)
    first[np.unique(places, return_index=True)[1]] = True
    return first
