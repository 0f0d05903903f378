"""Which places take part in a light step, and their numbers in it (*seats*, see ``step``).

The rule that keeps every order of arrival exact: light reaches 14 cells beyond its source, less than a column is
wide. So a change inside one column can touch that column and the eight around it, nothing else. Rows are relit from
nothing; rows around them keep their light, shine in over the border, and are raised where the new light is
stronger. Raising suffices where nothing went away: a column that was not lit yet, or placeholders that became known.
Where something may have gone away the eight around are relit, too; where one of those may have lost something
itself and waits for its turn, it has its turn now. A row around that changed and waits for its turn is left out, as
if it were not loaded: light must not run through blocks that no step remembers.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from client.light.seat_kernels import seat
from client.light.sky_kernels import sky_entries
from client.light.slots import DARK_SLOT
from client.light.step import Entries, Rows
from client.world.store import Store
from net.space import UNLOADED_PLACE, Places, Slots
from net.subchunk.storage import IS_PLACEHOLDER


class Skies(msgspec.Struct, frozen=True):
    """Daylight at the tops of some columns' sub-chunks, [seats, 16] each."""

    entries: Entries  # where it enters from outside the known blocks
    through: Entries  # the same, looked through air


class Seated(msgspec.Struct, frozen=True):
    """The seats of a step; the last of each array but ``places`` stands for everything outside."""

    places: Places  # [seats] the place of each
    blocks: Slots  # [seats + 1] the block slot of each
    neighbours: npt.NDArray[np.int32]  # int32[seats + 1, 6] the seat beside each; the last one where none is
    shown: Slots  # [seats + 1] the light slot each shows


def places_of(rows: Rows, sections: int) -> Places:
    """All places of some rows, row by row, lowest first."""
    lowest = rows.astype(np.int32)[:, None] * np.int32(sections)
    return np.asarray(lowest + np.arange(sections, dtype=np.int32), np.int32).reshape(-1)


def skies(world: Store, places: Places, blocks: Slots) -> Skies:
    """Daylight at the tops of whole columns' places."""
    sections = world.dimension.sections
    found = Skies(np.empty((len(places), 16), np.uint16), np.empty((len(places), 16), np.uint16))
    columns = len(places) // sections
    has_sky = world.dimension.has_sky
    sky_entries(
        places,
        blocks,
        columns,
        sections,
        world.pools.kinds,
        IS_PLACEHOLDER,
        has_sky,
        world.sky_top,
        found.entries,
        found.through,
    )
    return found


class Seats:
    """Numbers places; its one array is as long as the store's tables and clean between calls."""

    def __init__(self) -> None:
        self._seat_of = np.full(0, -1, np.int32)

    def of(self, world: Store, rows: Rows, table: Slots) -> Seated:
        """Seats of whole rows, each given once; ``table``: the light slot each place shows."""
        if len(self._seat_of) < len(world.slot):
            self._seat_of = np.full(len(world.slot), -1, np.int32)
        sections = world.dimension.sections
        count = len(rows) * sections
        found = Seated(
            places=np.empty(count, np.int32),
            blocks=np.empty(count + 1, np.int32),
            neighbours=np.empty((count + 1, 6), np.int32),
            shown=np.empty(count + 1, np.int32),
        )
        outside = int(world.slot[UNLOADED_PLACE])
        seat(
            rows,
            sections,
            world.slot,
            world.neighbours,
            table,
            outside,
            DARK_SLOT,
            self._seat_of,
            found.places,
            found.blocks,
            found.neighbours,
            found.shown,
        )
        return found
