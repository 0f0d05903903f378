"""Which places take part in a light step, and their numbers in it (*seats*, see ``results``).

The rule that keeps every order of arrival exact: light reaches 14 cells beyond its source, less than a column is
wide. So a change inside one column can touch that column and the eight around it, nothing else. Rows are relit from
nothing; rows around them keep their light, shine in over the border, and are raised where the new light is
stronger. Raising suffices where nothing went away: a column that was not lit yet, or placeholders that became known.
Where something may have gone away the eight around are relit, too; where one of those may have lost something
itself and waits for its turn, it has its turn now. A row around that changed and waits for its turn is left out, as
if it were not loaded: light must not run through blocks that no step remembers.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from client.light.results import Entries, Rows
from client.light.sky_kernels import sky_entries
from client.world.contract import World
from net.space.layout import Places, Slots
from net.subchunk.kinds import IS_PLACEHOLDER


@dataclass(frozen=True, slots=True)
class Skies:
    """Daylight at the tops of some columns' sub-chunks, [seats, 16] each.

    Attributes:
        entries: where it enters from outside the known blocks.
        through: the same, looked through air.
    """

    entries: Entries
    through: Entries


def places_of(rows: Rows, sections: int) -> Places:
    """All places of some rows, row by row, lowest first."""
    lowest = rows.astype(np.int32)[:, None] * np.int32(sections)
    return np.asarray(lowest + np.arange(sections, dtype=np.int32), np.int32).reshape(-1)


def skies(world: World, places: Places, blocks: Slots) -> Skies:
    """Daylight at the tops of whole columns' places."""
    sections = world.dimension.sections
    found = Skies(np.empty((len(places), 16), np.uint16), np.empty((len(places), 16), np.uint16))
    sky_top = np.ascontiguousarray(world.sky_top[places])
    columns = len(places) // sections
    has_sky = world.dimension.has_sky
    sky_entries(
        blocks, columns, sections, world.pools.kinds, IS_PLACEHOLDER, has_sky, sky_top, found.entries, found.through
    )
    return found


class Seats:
    """Numbers places; its one array is as long as the store's tables and clean between calls."""

    def __init__(self) -> None:
        self._seat_of = np.full(0, -1, np.int32)

    def neighbours(self, world: World, places: Places) -> npt.NDArray[np.int32]:
        """int32[seats + 1, 6]: the seat beside each seat; places without a seat are the last one."""
        if len(self._seat_of) < len(world.slot):
            self._seat_of = np.full(len(world.slot), -1, np.int32)
        none = np.int32(len(places))
        self._seat_of[places] = np.arange(none, dtype=np.int32)
        beside = np.full((len(places) + 1, 6), none, np.int32)
        seats = self._seat_of[world.neighbours[places]]
        np.copyto(beside[:-1], seats, where=seats >= 0)
        self._seat_of[places] = -1
        return beside


def with_one_more(slots: Slots, last: int) -> Slots:
    """Slots of the seats, and of the one that stands for everything outside."""
    longer = np.empty(len(slots) + 1, np.int32)
    longer[:-1] = slots
    longer[-1] = last
    return longer
