"""The light map: the light slot of each place; prepares, runs and publishes light steps.

Rules:
1. ``prepare`` and ``publish`` run on the owner thread, ``run`` on any thread. Only one step at a time may be under way.
2. Shown slots are never written. A step writes spare ones; ``publish`` updates the table and frees the old ones.
3. A row passed to ``prepare`` may be new, changed, removed, or reused for another column: all are detected here.
4. Rows that changed and were not prepared yet may have wrong light, as may the eight around each; no other row has.
"""

import numpy as np
import numpy.typing as npt

from client.errors import WorldError
from client.light import step
from client.light.border_kernels import MAX_SEATS
from client.light.memory import Memory, Seats, places_of, row_set, skies
from client.light.slots import DARK_SLOT, DAYLIGHT_SLOT, LightSlots
from client.light.step import AsLit, LightBatch, LightLog, LightResult, LightScratch, LightStats
from client.light.tables import LightTables
from client.world.block_table import BlockTable
from client.world.slots import longer
from client.world.store import Store
from net.arrays import LightValues, Places, Rows, Slots
from net.space import ABOVE_PLACE
from net.subchunk.storage import IS_PLACEHOLDER

NO_EDITS = np.zeros(0, np.uint32)
NO_ROWS = np.zeros(0, np.int32)


class LightMap:
    """The light of one store's places."""

    def __init__(self, world: Store, capacity: int = 1 << 17) -> None:
        self._slots = LightSlots(capacity)
        self._scratch = LightScratch()
        self._seats = Seats()
        self._tables: tuple[BlockTable, LightTables] | None = None
        self._generation = 0
        self._out: LightBatch | None = None
        self._counts = [0, 0, 0, 0]
        self.reset(world)

    @property
    def values(self) -> LightValues:
        """uint16[slots, 4096]; rows in use by the table are never written."""
        return self._slots.values

    @property
    def free_slots(self) -> int:
        return self._slots.free

    def reset(self, world: Store) -> None:
        """Forgets everything, for another dimension. A step under way is dropped when it is published."""
        self._generation += 1
        if self._out is None:
            self._slots.clear()
            self._scratch.rest()
        else:  # that step still writes to the old arrays
            self._slots, self._scratch, self._out = LightSlots(len(self.values)), LightScratch(), None
        self._owed: Rows = NO_ROWS
        self.sections = world.dimension.sections
        self.table: Slots = np.full(0, DARK_SLOT, np.int32)  # [places] the light slot of each place
        self._memory = Memory()
        self._resize(world)

    def succeed(self, other: "LightMap", before: Store, after: Store, same: npt.NDArray[np.bool_]) -> None:
        """Owner thread: takes over the light of another map, which becomes dark; this map's own light is dropped.

        ``other``: made for ``before``. ``after``: this map's store, of the same dimension, with equal place numbers.
        ``same``: bool[places of ``before``] with equal blocks and ``sky_top`` in both; the others must be prepared.
        Raises WorldError: a step of either map is under way.
        """
        if self._out is not None or other._out is not None:
            raise WorldError("a light step is running; publish or abandon it first")
        self._slots, other._slots = other._slots, self._slots
        self.table, self._memory, self._owed = other.table, other._memory, other._owed
        other.reset(before)
        self._memory.carry_over(before, after, same)
        self._resize(after)

    def prepare(self, world: Store, rows: npt.NDArray[np.integer]) -> LightBatch:
        """Owner thread: a step that relights rows, with all data that it needs.

        ``rows``: rows with new, changed or removed sub-chunks, in any order; at most 600 tall columns at a time. Raises
        WorldError: a step is under way, or the rows are too many for one step; OutOfSlots: no light slot is free.
        """
        self._begin(world)
        memory = self._memory
        dirty = row_set(len(memory.lit), rows)
        released = self._release(world, dirty)
        dirty = dirty[world.column_neighbours[dirty, 4] == dirty]
        bereft = self._owed[memory.current(world, self._owed)]
        region = self._with_those_who_lost(world, row_set(len(memory.lit), np.concatenate([dirty, bereft])))
        ring = memory.lit_around(world, region)
        ring = ring[~np.isin(ring, region)]
        changed = memory.changed(world, ring).any(axis=1)
        memory.left_out[ring[changed]] = True
        return self._batch(world, region, ring[~changed], NO_EDITS, released)

    def prepare_edits(self, world: Store, places: Places, cells: npt.NDArray[np.integer]) -> LightBatch:
        """Owner thread: a step that updates light after changes of single blocks, [n] places and cells.

        If another change of their columns or of a neighbouring column has not been prepared yet, their columns are
        relit completely. The store shows the new blocks already. Single blocks must be the only changes in these places
        since their rows were last prepared; a row with other changes goes to ``prepare``, which includes its edits too.
        Raises as ``prepare``.
        """
        self._begin(world)
        mended = self._memory.seat_edits(world, places, cells)
        if mended is None:
            return self.prepare(world, places // self.sections)
        around, edits = mended
        return self._batch(world, NO_ROWS, around, edits, (NO_ROWS, NO_ROWS))

    def run(self, batch: LightBatch, each: step.Each = step.in_order) -> LightResult:
        """Any thread: computes the light, with ``each`` on several. Raises OutOfSlots: then call ``abandon``."""
        return step.run(batch, self._scratch, self.values, each)

    def publish(self, result: LightResult) -> LightLog:
        """Owner thread: shows the new light; returns the places that changed."""
        batch = result.batch
        if batch.generation != self._generation or self._out is not batch:
            return LightLog(*(np.zeros(0, np.int32) for _ in range(3)))
        self._out = None
        if len(self._owed):
            self._owed = self._owed[~np.isin(self._owed, batch.rows)]
        before = batch.shown[:-1]
        changed = np.flatnonzero(result.shown != before)
        log = LightLog(batch.places[changed], before[changed], result.shown[changed])
        self.table[log.places] = log.new_slots
        self._slots.written(result.written)
        self._slots.give(batch.spare[: len(batch.spare) - len(result.written)])
        self._slots.give(self._slots.not_among(result.written, result.shown))
        self._slots.give(log.old_slots)
        self._memory.remember(batch.seen)
        done = 1, len(batch.rows), len(batch.edits), result.visited
        self._counts = [n + more for n, more in zip(self._counts, done, strict=True)]
        return log.with_released(*batch.released) if len(batch.released[0]) else log

    def abandon(self, batch: LightBatch) -> None:
        """Owner thread: drops a failed step; its rows remain to be lit."""
        if self._out is batch:
            self._out = None
            self._slots.written(batch.spare)
            self._slots.give(batch.spare)

    def darken(self) -> None:
        """Owner thread: makes all places dark and unlit, as at first. Raises WorldError: a step is under way."""
        if self._out is not None:
            raise WorldError("a light step is running; publish or abandon it first")
        self._slots.give(self.table)
        self.table[np.arange(len(self.table)) != ABOVE_PLACE] = DARK_SLOT
        rows, places = len(self._memory.lit), len(self.table)
        self._memory, self._owed = Memory(), np.zeros(0, np.int32)
        self._memory.resize(rows, places)

    def rest(self) -> None:
        """Owner thread: gives idle memory back when there is nothing to light; does nothing during a step."""
        if self._out is None:
            self._slots.trim()
            self._scratch.rest()

    def step(self, world: Store, rows: npt.NDArray[np.integer], each: step.Each = step.in_order) -> LightLog:
        """Prepares, runs and publishes at once, without workers. Raises as ``prepare``; the rows remain to be lit."""
        batch = self.prepare(world, rows)
        try:
            return self.publish(self.run(batch, each))
        except BaseException:
            self.abandon(batch)
            raise

    def slots_of(self, places: Places) -> Slots:
        """The light slot of each place: int32[n]; places added since the last step are dark until lit."""
        slots: Slots = np.full(len(places), DARK_SLOT, np.int32)
        known = places < len(self.table)
        slots[known] = self.table[places[known]]
        return slots

    def at(self, place: int, cell: int) -> int:
        """R | G << 4 | B << 8 | D << 12 of one cell."""
        return int(self.values[self.slots_of(np.array([place], np.int32))[0], cell])

    def final_at(self, world: Store, place: int) -> bool:
        row, section = divmod(place, self.sections)
        return bool(self.final(world, np.array([row], np.int32))[0, section])

    def final(self, world: Store, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which sub-chunks' light is final: bool[rows, sections], lowest first; see ``Memory.final``."""
        return self._memory.final(world, rows)

    def stats(self) -> LightStats:
        used = self._slots.used
        steps, columns, edits, visited = self._counts
        memory = (self._slots.memory(), self._scratch.memory())
        return LightStats(steps, columns, edits, visited, used, memory)

    def _begin(self, world: Store) -> None:
        if self._out is not None:
            raise WorldError("a light step is running; publish or abandon it first")
        if world.dimension.sections != self.sections:
            raise WorldError(
                f"the light map has {self.sections} sections, the store {world.dimension.sections}: reset the light map"
            )
        self._resize(world)

    def _resize(self, world: Store) -> None:
        self.table = longer(self.table, len(world.slot))
        self._memory.resize(len(world.columns), len(world.slot))
        self.table[ABOVE_PLACE] = DAYLIGHT_SLOT if world.dimension.has_sky else DARK_SLOT

    def _light_tables(self, world: Store) -> LightTables:
        table, known = world.table, len(world.table.emission)
        if self._tables is None or self._tables[0] is not table or len(self._tables[1].emission) != known:
            self._tables = (table, LightTables.build(table))
        return self._tables[1]

    def _release(self, world: Store, rows: Rows) -> tuple[Places, Slots]:
        """Darkens rows of removed columns, marks their neighbours to be relit; returns their places and slots."""
        gone = rows[self._memory.lit[rows]]
        gone = gone[~self._memory.current(world, gone)]
        places = places_of(gone, self.sections)
        slots = self.table[places]
        self.table[places] = DARK_SLOT
        self._slots.give(slots)
        if len(gone):
            bereft = self._memory.let_go(world, gone)
            self._owed = row_set(len(self._memory.lit), np.concatenate([self._owed, bereft]))
        return places, slots

    def _with_those_who_lost(self, world: Store, rows: Rows) -> Rows:
        """The rows, and the lit rows around those that may have lost light, repeatedly."""
        marks = np.zeros(len(self._memory.lit), np.bool_)
        marks[rows] = True
        looked_at = rows[self._memory.current(world, rows)]
        while len(looked_at):
            losing = looked_at[self._memory.loses(world, looked_at)]
            around = self._memory.lit_around(world, losing)
            looked_at = around[~marks[around]]
            marks[looked_at] = True
        return np.flatnonzero(marks).astype(np.int32)

    def _batch(
        self, world: Store, region: Rows, ring: Rows, edits: npt.NDArray[np.uint32], released: tuple[Places, Slots]
    ) -> LightBatch:
        if (len(region) + len(ring)) * self.sections > MAX_SEATS:
            raise WorldError(f"{len(region)} columns are too many for one light step: pass at most 600 at a time")
        relit = len(region) * self.sections
        seated = self._seats.of(world, np.concatenate([region, ring]) if relit else ring, self.table)
        places, slots = seated.places, seated.blocks[:-1]
        found = skies(world, places, slots) if len(edits) else skies(world, places[:relit], slots[:relit])
        right = edits >> np.uint32(12) if len(edits) else slice(relit)
        self._out = LightBatch(
            generation=self._generation,
            pools=world.pools,
            tables=self._light_tables(world),
            places=places,
            region=relit,
            rows=region,
            sections=self.sections,
            blocks=seated.blocks,
            neighbours=seated.neighbours,
            entries=found.entries,
            shown=seated.shown,
            spare=self._slots.take(len(places)),
            edits=edits,
            seen=AsLit(
                rows=region,
                columns=world.columns[region].copy(),
                places=places[right],
                revisions=world.revision[places[right]],
                obstructed=(world.pools.kinds[slots[right]] & IS_PLACEHOLDER) != 0,
                through=found.through[right],
            ),
            released=released,
        )
        return self._out
