"""The state of the world when each row was lit; numbers the places of a light step.

Rules:
1. A row is *as lit* while all of its places have the revisions of that time.
2. A change *may lose* light if known blocks were replaced or became placeholders, or if daylight no longer comes from
   above where it did. All other changes only add light.
3. Only a published step is stored, with the world as it was when the step was prepared.

Which rows a step relights: light reaches 14 cells beyond its source, less than the width of a column. So a change
inside one column can affect only that column and the eight around it. This makes the result exact for every order of
arrival:
- The changed rows are relit from nothing. The rows around them keep their light, which shines in over the border, and
  are raised where the new light is stronger. That suffices if no light was lost: for a column that was not lit yet, or
  placeholders that became known.
- If light may have been lost, the eight rows around are relit, too; if one of those may have lost light itself and
  waits to be relit, it is relit now.
- A row around that changed and waits to be relit is left out, as if it were not loaded: light must not pass through
  blocks that no step has stored.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.light.seat_kernels import changed_since, lit_around, seat, seat_edits
from client.light.sky_kernels import sky_entries
from client.light.slots import DARK_SLOT
from client.light.step import AsLit, Entries
from client.world.slots import longer
from client.world.store import Store
from net.arrays import Places, Rows, Slots
from net.space import UNLOADED_PLACE, ColumnPos
from net.subchunk.storage import IS_PLACEHOLDER


class Skies(msgspec.Struct, frozen=True):
    """Daylight at the tops of some columns' sub-chunks, [seats, 16] each."""

    entries: Entries  # where it enters from outside the known blocks
    through: Entries  # the same, passed on through air


class Seated(msgspec.Struct, frozen=True):
    """The seats of a step; the last entry of each array but ``places`` is for all places outside."""

    places: Places  # [seats] the place of each
    blocks: Slots  # [seats + 1] the block slot of each
    neighbours: npt.NDArray[np.int32]  # int32[seats + 1, 6] the neighbouring seat; the last one where there is none
    shown: Slots  # [seats + 1] the light slot of each


def places_of(rows: npt.NDArray[np.integer], sections: int) -> Places:
    """All places of some rows, row by row, lowest first."""
    lowest = rows.astype(np.int32)[:, None] * np.int32(sections)
    return np.asarray(lowest + np.arange(sections, dtype=np.int32), np.int32).reshape(-1)


def skies(world: Store, places: Places, blocks: Slots) -> Skies:
    """Daylight at the tops of the places of whole columns."""
    sections = world.dimension.sections
    found = Skies(np.empty((len(places), 16), np.uint16), np.empty((len(places), 16), np.uint16))
    columns = len(places) // sections
    has_sky = world.dimension.has_sky
    sky_entries(
        places, blocks, columns, sections, world.pools.kinds, IS_PLACEHOLDER, has_sky, world.sky_top, found.entries,
        found.through,
    )  # fmt: skip
    return found


class Seats:
    """Numbers places as seats; its array is as long as the store's tables and reset between calls."""

    def __init__(self) -> None:
        self._seat_of = np.full(0, -1, np.int32)

    def of(self, world: Store, rows: Rows, table: Slots) -> Seated:
        """Seats of whole rows, each given once; ``table``: the light slot of each place."""
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
            rows, sections, world.slot, world.neighbours, table, outside, DARK_SLOT, self._seat_of, found.places,
            found.blocks, found.neighbours, found.shown,
        )  # fmt: skip
        return found


NEVER: Final = np.int64(-1)
"""Differs from the revision of every place."""
BY_ROW: Final = "lit", "left_out", "columns", "_marks"
"""Arrays of ``Memory``; the others are by place."""


class Memory:
    """Arrays as long as the store's tables."""

    def __init__(self) -> None:
        # bool[rows] rows with light of their own; ``columns`` has their positions even after their removal
        self.lit = np.zeros(0, np.bool_)
        # bool[rows] changed rows that a neighbouring step left out: updating single blocks does not suffice for them,
        # they must be relit and joined
        self.left_out = np.zeros(0, np.bool_)
        self.columns = np.zeros((0, 2), np.int32)  # int32[rows, 2]
        self._marks = np.zeros(0, np.bool_)
        self._revision = np.zeros(0, np.int64)
        self._edited = np.zeros(0, np.bool_)
        self._obstructed = np.zeros(0, np.bool_)
        self._through = np.zeros((0, 16), np.uint16)

    def resize(self, rows: int, places: int) -> None:
        if rows > len(self.lit) or places > len(self._revision):
            for name, array in vars(self).items():
                setattr(self, name, longer(array, rows if name in BY_ROW else places))

    def current(self, world: Store, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which rows still hold the column that they were lit for."""
        in_use = world.column_neighbours[rows, 4] == rows
        return np.asarray(self.lit[rows] & in_use & (self.columns[rows] == world.columns[rows]).all(axis=1))

    def lit_around(self, world: Store, rows: Rows) -> Rows:
        """The lit rows among these rows and those around them, in order."""
        found = np.empty(9 * len(rows), np.int32)
        count = lit_around(rows, world.column_neighbours, world.columns, self.lit, self.columns, self._marks, found)
        return found[:count]

    def changed(self, world: Store, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which places of lit rows have changed since: bool[rows, sections]."""
        changed = np.empty((len(rows), world.dimension.sections), np.bool_)
        changed_since(rows, world.dimension.sections, self._revision, world.revision, changed)
        return changed

    def seat_edits(
        self, world: Store, places: Places, cells: npt.NDArray[np.integer]
    ) -> tuple[Rows, npt.NDArray[np.uint32]] | None:
        """The inputs of an update after single edits: the lit rows around, and each edit once as ``seat << 12 | cell``.

        None if one of their rows, or a neighbouring row, changed otherwise.
        """
        found, edits = np.empty(9 * len(places), np.int32), np.empty(len(places), np.uint32)
        count = seat_edits(
            np.ascontiguousarray(places, np.int32), np.ascontiguousarray(cells, np.int64), world.dimension.sections,
            world.column_neighbours, world.columns, self.lit, self.columns, self.left_out, self._revision,
            world.revision, self._marks, self._edited, found, edits,
        )  # fmt: skip
        if count < 0:
            return None
        return found[:count], edits if len(edits) == 1 else np.unique(edits)

    def loses(self, world: Store, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which lit rows may have lost light since: bool[rows]."""
        changed = self.changed(world, rows)
        if not changed.any():
            return np.zeros(len(rows), np.bool_)
        places = places_of(rows, world.dimension.sections)
        through = skies(world, places, world.slot[places]).through
        shaded = (self._through[places] & ~through).any(axis=1)
        lost = changed.reshape(-1) & ~self._obstructed[places] | shaded
        return np.asarray(lost.reshape(changed.shape).any(axis=1))

    def certain(self, world: Store, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which places of rows are known, as lit, and get no daylight past a placeholder: bool[rows, sections].

        A sub-chunk with a dimming block in each of its 256 lines ends daylight from above: below it, none of that is
        left beyond a sub-chunk's height.
        """
        sections = world.dimension.sections
        slots = world.slot[places_of(rows, sections)]
        pools = world.pools
        missing = (pools.kinds[slots] & IS_PLACEHOLDER != 0).reshape(len(rows), sections)
        distinct, where = np.unique(slots, return_inverse=True)
        closed = ((pools.opaque[distinct] | pools.liquid[distinct]) != 0).all(axis=1)[where].reshape(missing.shape)
        sure = self.current(world, rows)[:, None] & ~self.changed(world, rows) & ~missing
        doubt = np.zeros(len(rows), np.bool_)
        for section in range(sections - 1, -1, -1):
            sure[:, section] &= ~doubt
            doubt = (missing[:, section] | doubt & ~closed[:, section]) & world.dimension.has_sky
        return np.asarray(sure)

    def final(self, world: Store, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which sub-chunks' light is final: bool[rows, sections], lowest first.

        Light is final if the sub-chunk and the 26 around it are known and as lit, and daylight reaches them through
        known sub-chunks, not past a placeholder.
        """
        around = world.column_neighbours[rows]
        needed = row_set(len(self.lit), around)
        certain = np.zeros((len(self.lit), world.dimension.sections), np.bool_)
        certain[needed] = self.certain(world, needed)
        three = certain[around].all(axis=1)
        padded = np.pad(three, ((0, 0), (1, 1)), constant_values=True)
        return np.asarray(padded[:, :-2] & padded[:, 1:-1] & padded[:, 2:])

    def let_go(self, world: Store, rows: Rows) -> Rows:
        """Forgets rows of removed columns; returns the rows around them, which lose their light (0: none)."""
        self.lit[rows] = False
        around = {
            world.row_of.get(ColumnPos(x + dx, z + dz), 0)
            for x, z in self.columns[rows].tolist()
            for dx in (-1, 0, 1)
            for dz in (-1, 0, 1)
        }
        return np.array(list(around), np.int32)

    def carry_over(self, before: Store, after: Store, same: npt.NDArray[np.bool_]) -> None:
        """Switches to another store with equal numbers; places not in ``same`` (bool[places]) count as not lit."""
        places = len(self._revision)
        as_lit = same[:places] & (self._revision == before.revision[:places])
        self._revision = np.where(as_lit, after.revision[:places], NEVER)

    def remember(self, seen: AsLit) -> None:
        """Stores the state of a published step's places."""
        if len(seen.rows):
            self.lit[seen.rows] = True
            self.left_out[seen.rows] = False
            self.columns[seen.rows] = seen.columns
        self._revision[seen.places] = seen.revisions
        self._obstructed[seen.places] = seen.obstructed
        self._through[seen.places] = seen.through


def row_set(total: int, rows: npt.NDArray[np.integer]) -> Rows:
    """Each row once, in order, without 0."""
    marks = np.zeros(total, np.bool_)
    marks[rows] = True
    marks[0] = False
    return np.flatnonzero(marks).astype(np.int32)
