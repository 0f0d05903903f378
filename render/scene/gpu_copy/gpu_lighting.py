"""Light made on the GPU: which block bricks changed since they were lit, and the compute steps that light them.

The input is the content of the block-ID bricks. So a sub-chunk is marked when its brick is written, and a step is
submitted in the same frame, after the uploads: the picture never shows blocks without their light.

Rules:
1. A row is lit when all of it is on the GPU: a sub-chunk without a brick would read as air.
2. If known blocks were replaced, or daylight from above was lost, light may be lost: everything within reach is lit
   from nothing. Placeholders that became known only add light. Single blocks reach 14 cells, counted along the axes.
3. A row that leaves the GPU and comes back counts as replaced: changes in between are unknown here.
4. Bricks that turn out to have one value free their memory when the step's flags have arrived, a frame later.

Owner thread only.
"""

from typing import Final

import msgspec
import numpy as np

from client.light.memory import places_of, skies
from client.light.tables import LightTables
from client.world.block_pools import ALL_OPAQUE, IS_PLACEHOLDER
from client.world.block_table import BlockTable
from client.world.slots import longer
from client.world.store import Store
from net.arrays import I32, I64, U8, U16, U32, Bools, Places
from net.space import ColumnPos
from render.camera import Vector
from render.gpu.brick_volume import PagedVolume
from render.gpu.device import Gpu
from render.gpu.light_compute import (
    COLUMN_WORDS,
    LOST,
    MIXED,
    MOST_SEATS,
    NO_BRICK,
    RAISE,
    RESET,
    SEAT_WORDS,
    UNTOUCHED,
    LightCompute,
    LightComputeFlags,
    LightComputeStep,
)

Rows = I64


class GpuLightMemory:
    """Arrays as long as the store's tables."""

    def __init__(self, sections: int) -> None:
        self.sections = sections  # places in a row
        self.lit: Bools = np.zeros(0, np.bool_)  # bool[rows] rows whose bricks hold light
        # uint8[places] pending work of changed ones (RAISE, LOST of ``render.gpu.light_compute``, EDITED)
        self.pending: U8 = np.zeros(0, np.uint8)
        # int64[n, 2] places and cells of single changed blocks that are pending
        self.edits: I64 = np.zeros((0, 2), np.int64)
        self.obstructed: Bools = np.zeros(0, np.bool_)  # bool[places] no light has passed them yet: placeholders
        # uint16[places, 16] where daylight entered their tops from outside when they were lit
        self.entries: U16 = np.zeros((0, 16), np.uint16)
        self.through: U16 = np.zeros((0, 16), np.uint16)  # uint16[places, 16] the same, looked through air
        # int64[places] number of the last step they took part in with a brick; 0 for none
        self.last: I64 = np.zeros(0, np.int64)
        self.known: U32 = np.zeros(0, np.uint32)  # uint32[places] the flag of that brick, as far as it has arrived

    def resize(self, rows: int) -> None:
        """Ensures room for so many rows; arrays never shrink."""
        places = rows * self.sections
        self.lit = longer(self.lit, rows)
        self.pending = longer(self.pending, places)
        self.obstructed = longer(self.obstructed, places, True)
        self.entries, self.through = longer(self.entries, places), longer(self.through, places)
        self.last = longer(self.last, places)
        self.known = longer(self.known, places, MIXED)

    def places_of(self, rows: Rows) -> Places:
        return places_of(rows, self.sections)

    def pending_by_row(self) -> U8:
        """uint8[rows, sections]."""
        return self.pending.reshape(-1, self.sections)

    def forget(self, rows: Rows) -> None:
        """Resets the light of rows; what light has passed stays known."""
        places = self.places_of(rows)
        self.lit[rows] = False
        self.pending[places] = 0
        self.last[places] = 0  # flags that have not arrived are ignored
        self.edits = self.edits[~np.isin(self.edits[:, 0], places)]


# ---------------------------------------------------------------- twin reach

REACH: Final = 14  # cells beyond its own that a level of 15 reaches


def rows_around(world: Store, columns: I32) -> Rows:
    near = {
        world.row_of.get(ColumnPos(x + dx, z + dz), 0)
        for x, z in columns.tolist()
        for dx in (-1, 0, 1)
        for dz in (-1, 0, 1)
    }
    return np.array(sorted(near - {0}), np.int64)


def seats_reached(edits: I64, world: Store, seat_of: I64, sections: int) -> I64:
    """Seats that light through a changed cell, [n, 2] of place and cell, may reach."""
    places, cells = edits[:, 0], edits[:, 1]
    at = cells >> 8, cells & 15, cells >> 4 & 15  # x, y, z
    found = []
    for dx in (-1, 0, 1):
        for dz in (-1, 0, 1):
            rows = world.column_neighbours[places // sections][:, (dx + 1) * 3 + dz + 1].astype(np.int64)
            for dy in (-1, 0, 1):
                section = places % sections + dy
                cost = sum(_cells_to(axis, way) for axis, way in zip(at, (dx, dy, dz), strict=True))
                near = (cost <= REACH) & (rows > 0) & (section >= 0) & (section < sections)
                found.append(seat_of[rows[near] * sections + section[near]])
    seats = np.unique(np.concatenate(found))
    return seats[seats >= 0]


def _cells_to(at: I64, way: int) -> I64:
    """Cells from a coordinate to the neighbouring sub-chunk: 0 if it stays inside."""
    if way == 0:
        return np.zeros_like(at)
    return at + 1 if way < 0 else 16 - at


# ---------------------------------------------------------------- twin steps

SHINES: Final = 1  # of a slot's flags


def step_of(
    world: Store, memory: GpuLightMemory, light: PagedVolume, rows: Rows
) -> tuple[Rows, Places, LightComputeStep]:
    """A step that lights rows: all columns that take part, ``rows`` first; the places of its seats; the step."""
    columns = np.concatenate([rows, _lit_around(world, memory, rows)])
    tall = _height(memory, rows)
    places = (columns[:, None] * memory.sections + np.arange(tall)).reshape(-1).astype(np.int32)
    step = LightComputeStep(
        columns=_columns(world, memory, columns),
        changed=len(rows),
        tall=tall,
        sections=memory.sections,
        floor=world.dimension.floor_section,
        seats=_seats(world, memory, light, places),
        modes=_modes(world, memory, rows, places, tall),
    )
    return columns, places, step


def _lit_around(world: Store, memory: GpuLightMemory, rows: Rows) -> Rows:
    marks = np.zeros(len(memory.lit), np.bool_)
    marks[world.column_neighbours[rows].ravel()] = True
    marks[0] = marks[rows] = False
    return np.flatnonzero(marks & memory.lit)


def _height(memory: GpuLightMemory, rows: Rows) -> int:
    """Sections from the floor that a step needs: one over the highest change; light rises no farther."""
    highest = np.flatnonzero(memory.pending_by_row()[rows].any(axis=0))[-1]
    return int(min(highest + 2, memory.sections))


def _columns(world: Store, memory: GpuLightMemory, columns: Rows) -> I32:
    number = np.full(len(memory.lit), -1, np.int32)
    number[columns] = np.arange(len(columns), dtype=np.int32)
    words = np.empty((len(columns), COLUMN_WORDS), np.int32)
    words[:, :2] = world.columns[columns]
    words[:, 2:] = number[world.column_neighbours[columns]]
    return words


def _seats(world: Store, memory: GpuLightMemory, light: PagedVolume, places: Places) -> U32:
    """Bricks for all places that may be lit; other places are marked dark."""
    pools, slots = world.pools, world.slot[places]
    dark = ((pools.kinds[slots] & ALL_OPAQUE) != 0) & ((pools.flags[slots] & SHINES) == 0)
    positions = world.positions_of(places)
    light.set_uniform(positions[dark], np.zeros(int(dark.sum()), np.uint32))
    seats = np.zeros((len(places), SEAT_WORDS), np.uint32)
    seats[:, 0] = NO_BRICK
    if not dark.all():
        seats[~dark, 0], seats[~dark, 1] = light.hold(positions[~dark])
    entering = memory.entries[places].astype(np.uint32)
    seats[:, 2:] = entering[:, 0::2] | entering[:, 1::2] << np.uint32(16)
    return seats


def _modes(world: Store, memory: GpuLightMemory, rows: Rows, places: Places, tall: int) -> U32:
    modes = np.zeros(len(places), np.uint32)
    own = len(rows) * tall
    modes[:own] = memory.pending[places[:own]] & (RAISE | LOST)
    mine = np.isin(memory.edits[:, 0] // memory.sections, rows)
    edits, memory.edits = memory.edits[mine], memory.edits[~mine]
    seat_of = np.full(len(memory.pending), -1, np.int64)
    seat_of[places] = np.arange(len(places))
    modes[seats_reached(edits, world, seat_of, memory.sections)] |= RESET
    return modes


# ---------------------------------------------------------------- twin lighting

OLDEST_FLAGS: Final = 3  # steps after which the CPU waits for flags
EDITED: Final = 8  # pending bit: only single blocks, listed in ``_edits``


class _OnItsWay(msgspec.Struct):
    """Flags of a submitted step: the places of its seats, and its age in scene steps."""

    number: int
    places: Places
    flags: LightComputeFlags
    age: int = 0


class GpuLighting:
    """The light of one attached store's bricks."""

    def __init__(self, gpu: Gpu, blocks: PagedVolume, light: PagedVolume, most_columns: int = 64) -> None:
        """Compiles the compute programs, the only writers of ``light``; ``most_columns`` change in one step."""
        self._most_columns = most_columns
        self._twin = LightCompute(gpu, blocks, light)
        self._light = light
        self._tables: tuple[U16, U8] | None = None
        self.freed = 0  # bricks whose memory their flags freed, in all
        self._number = 0
        self._on_their_way: list[_OnItsWay] = []
        self._memory = GpuLightMemory(1)

    # ------------------------------------------------------------ what happened

    def restart(self, world: Store) -> None:
        for step in self._on_their_way:
            step.flags.drop()
        self._on_their_way.clear()
        self._memory = GpuLightMemory(world.dimension.sections)
        self.resize(world)

    def resize(self, world: Store) -> None:
        self._memory.resize(len(world.columns))

    def written(self, places: Places) -> None:
        """Marks sub-chunks whose block ids were uploaded."""
        self._memory.pending[places] |= np.where(self._memory.obstructed[places], RAISE, RAISE | LOST).astype(np.uint8)

    def edited(self, places: Places, cells: U16) -> None:
        """Marks uploaded sub-chunks in which only single blocks changed: [n] of both."""
        self._memory.pending[places] |= EDITED
        self._memory.edits = np.concatenate([self._memory.edits, np.column_stack([places, cells]).astype(np.int64)])

    def gone(self, world: Store, rows: Rows, columns: I32) -> None:
        """Handles removed columns: their former rows, and int32[n, 2] positions."""
        self._memory.forget(rows)
        self._memory.obstructed[self._memory.places_of(rows)] = True
        around = rows_around(world, columns)
        around = around[self._memory.lit[around]]
        # Everything within reach is lit from nothing, not only these: they are lit in different steps, and lost light
        # that one of them still holds must not spread into those that are lit already.
        self._memory.pending[self._memory.places_of(around)] |= LOST

    def left(self, places: Places) -> None:
        """Handles whole columns that are not on the GPU any more, or were removed (the caller also calls ``gone``)."""
        self._memory.forget(np.unique(places // self._memory.sections).astype(np.int64))

    @property
    def idle(self) -> bool:
        return not self._memory.pending.any()

    @property
    def behind(self) -> Rows:
        return np.flatnonzero(self._memory.pending_by_row().any(axis=1))

    # ------------------------------------------------------------ steps

    def step(self, world: Store, eye: Vector, held: Bools) -> Rows:
        """Lights ready rows that are not ``held``, single edits first, then nearest first; returns the lit rows."""
        self._collect(world)
        rows = self._next(world, eye, held)
        if not len(rows):
            return rows
        self._shade(world, rows)
        self._refresh_tables(world.table)
        columns, places, step = step_of(world, self._memory, self._light, rows)
        self._light.flush()
        self._submit(places, step)
        self._settle(world, rows, columns)
        return rows

    def release(self) -> None:
        for step in self._on_their_way:
            step.flags.drop()
        self._on_their_way.clear()
        self._twin.release()

    def _next(self, world: Store, eye: Vector, held: Bools) -> Rows:
        by_row = self._memory.pending_by_row()
        waits = held[: len(self._memory.pending)].reshape(-1, self._memory.sections).any(axis=1)
        rows = np.flatnonzero(by_row.any(axis=1) & ~waits)
        if not len(rows):
            return rows
        urgent = (by_row[rows] & EDITED).any(axis=1)
        offset = world.columns[rows] * 16.0 + 8.0 - np.array([eye[0], eye[2]])
        order = np.lexsort(((offset * offset).sum(axis=1), ~urgent))
        most = max(1, min(self._most_columns, MOST_SEATS // (9 * self._memory.sections)))
        return np.sort(rows[order[:most]])

    def _shade(self, world: Store, rows: Rows) -> None:
        """Marks sub-chunks into whose tops less daylight enters than when they were lit."""
        places = places_of(rows.astype(np.int32), self._memory.sections)
        found = skies(world, places, world.slot[places])
        through = found.through
        lit = np.repeat(self._memory.lit[rows], self._memory.sections)
        shaded = lit & (self._memory.through[places] & ~through).any(axis=1)
        grown = lit & (through & ~self._memory.through[places]).any(axis=1)
        self._memory.pending[places[shaded]] |= RAISE | LOST
        self._memory.pending[places[grown]] |= RAISE
        self._memory.through[places], self._memory.entries[places] = through, found.entries

    def _submit(self, places: Places, step: LightComputeStep) -> None:
        self._number += 1
        self._memory.last[places] = np.where(step.seats[:, 0] == NO_BRICK, 0, self._number)
        self._on_their_way.append(_OnItsWay(self._number, places, self._twin.run(step)))

    def _settle(self, world: Store, rows: Rows, columns: Rows) -> None:
        """Records that the submitted rows are lit, and that light has passed the columns around them."""
        self._memory.pending[self._memory.places_of(rows)] = 0
        self._memory.lit[rows] = True
        obstructed = (world.pools.kinds[world.slot[self._memory.places_of(columns)]] & IS_PLACEHOLDER) != 0
        self._memory.obstructed[self._memory.places_of(columns)] &= obstructed
        self._memory.obstructed[self._memory.places_of(rows)] = obstructed[: len(rows) * self._memory.sections]

    def _refresh_tables(self, table: BlockTable) -> None:
        old = self._tables
        if old is None or not (np.array_equal(old[0], table.emission) and np.array_equal(old[1], table.opacity)):
            self._tables = (table.emission.copy(), table.opacity.copy())
            self._twin.set_tables(LightTables.build(table))

    def _collect(self, world: Store) -> None:
        """Frees the memory of bricks with one value; the page table holds the value."""
        while self._on_their_way:
            step = self._on_their_way[0]
            step.age += 1
            if not step.flags.arrived and step.age < OLDEST_FLAGS:
                break
            self._on_their_way.pop(0)
            flags = step.flags.read()
            mine = self._memory.lit[step.places // self._memory.sections] & (self._memory.last[step.places] > 0)
            written = mine & (flags != UNTOUCHED)
            self._memory.known[step.places[written]] = flags[written]
            done = mine & (self._memory.last[step.places] == step.number) & (self._memory.known[step.places] != MIXED)
            places = step.places[done]
            self._light.set_uniform(world.positions_of(places), self._memory.known[places])
            self._memory.known[places] = MIXED
            self.freed += len(places)
