"""Everything the server told about one dimension, by place.

Rules:
1. Arguments are plain: positions, bytes, numbers. Nothing here knows messages, clocks or GL; ``now`` is passed in.
2. States change as ``lifecycle`` allows and nowhere else. A success is used where the place needs a request (or is
   known air, counted); another one is ignored until the column is announced again.
3. The limit of an announcement is read inclusively (wire.md 2.1): sections 0..limit must be asked for, those above are
   known air.
4. A column announced again keeps what it shows (RESET) until new blocks come.
5. Slots are immutable once ``finish_drain`` published them; the first edit of a drain copies. Masks, kinds, revisions
   and the change log are ready after ``finish_drain``, not before.
6. What is broken costs its entry, names packet, field and offset in a report, and is never an exception.

Owned by one thread. Arrays may be replaced when the tables grow, so take them from here anew at each step.
"""

import numpy as np
import numpy.typing as npt

from client.world.block_table import BlockTable
from client.world.changes import ChangeKind, ChangeLog
from client.world.errors import WorldError
from client.world.extras import BlockEntity, Extras
from client.world.intake import NO_SLOT, Intake, Taken
from client.world.lifecycle import Knowledge
from client.world.pending import Pending
from client.world.places import NO_LIMIT, PlaceTables
from client.world.pools import AIR_SLOT, PLACEHOLDER_SLOT, BlockPools
from client.world.reports import AnswerReport, BlockView, EntryFault, StoreStats
from client.world.selection import select
from client.world.shown import Shown
from client.world.states import States
from client.world.tally import Tally
from net.errors import LimitExceeded
from net.space.dimensions import Dimension
from net.space.layout import Biomes, BlockIds, ColumnPositions, Places, Slots, SubChunkPositions
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.biomes import SectionBiomes
from net.subchunk.decode import scan, scan_sequence
from net.subchunk.heights import sky_tops

SLICE = 256  # entries decoded at once: their bytes and ids stay in the second-level cache
MOST_INLINE = 64  # sub-chunks of a whole column; more is nonsense
MARKABLE = (Knowledge.UNKNOWN, Knowledge.WANTED, Knowledge.REQUESTED, Knowledge.EVICTED)


class Store:
    """The store; its arrays are over places (``net.space.layout`` says what a place is).

    Attributes:
        table: dense ids and their traits.
        pools: block slots.
        changes: the log to subscribe to.
        state: uint8[places] a Knowledge each.
        slot: int32[places] the block slot that is shown.
        layer1_slot: int32[places] slot in ``pools.layer1``, 0 where the second layer is all air.
        revision: int64[places] unique in the session for each content; 0 before the first.
        since: float64[places] when the state last changed, monotonic seconds.
        sky_top: uint16[places, 16] bit z of row x: daylight enters the top of this sub-chunk if a placeholder is above.
        refusal: uint8[places] the last result code that was a failure.
        neighbours: int32[places, 6] the place beside, by direction; a place of row 0 where there is none.
        column_neighbours: int32[rows, 9] rows around by (dx + 1) * 3 + dz + 1; 0 = missing, the middle is itself.
        columns: int32[rows, 2] x, z of each row in use.
        limit: int32[rows] highest section to ask for, from the floor; NO_LIMIT where none was said.
        row_of: the row of each announced column.
    """

    def __init__(self, table: BlockTable, pools: BlockPools, dimension: Dimension) -> None:
        """An empty store; ``pools`` must be made for ``table``."""
        self.table = table
        self.pools = pools
        self.changes = ChangeLog()
        self._tables = PlaceTables(dimension)
        self._intake = Intake(table, pools)
        self._pending = Pending()
        self._shown = Shown(table, pools, self._tables, self._pending)
        self._extras = Extras()
        self._states = States(self._tables, self._pending)
        self._revision = 0
        self._tally = Tally()

    # ------------------------------------------------------------ tables

    @property
    def dimension(self) -> Dimension:
        """Vertical range and sky."""
        return self._tables.dimension

    @property
    def state(self) -> npt.NDArray[np.uint8]:
        """See the class."""
        return self._tables.state

    @property
    def slot(self) -> Slots:
        """See the class."""
        return self._tables.slot

    @property
    def layer1_slot(self) -> Slots:
        """See the class."""
        return self._tables.layer1_slot

    @property
    def revision(self) -> npt.NDArray[np.int64]:
        """See the class."""
        return self._tables.revision

    @property
    def since(self) -> npt.NDArray[np.float64]:
        """See the class."""
        return self._tables.since

    @property
    def sky_top(self) -> npt.NDArray[np.uint16]:
        """See the class."""
        return self._tables.sky_top

    @property
    def refusal(self) -> npt.NDArray[np.uint8]:
        """See the class."""
        return self._tables.refusal

    @property
    def neighbours(self) -> npt.NDArray[np.int32]:
        """See the class."""
        return self._tables.neighbours

    @property
    def column_neighbours(self) -> npt.NDArray[np.int32]:
        """See the class."""
        return self._tables.column_neighbours

    @property
    def columns(self) -> ColumnPositions:
        """See the class."""
        return self._tables.columns

    @property
    def limit(self) -> npt.NDArray[np.int32]:
        """See the class."""
        return self._tables.limit

    @property
    def row_of(self) -> dict[ColumnPos, int]:
        """See the class; not to be written."""
        return self._tables.row_of

    @property
    def announced_rows(self) -> npt.NDArray[np.int32]:
        """Rows that hold a column."""
        return self._tables.announced_rows

    # ------------------------------------------------------------ columns

    def announce(self, column: ColumnPos, limit: int | None, biome_tail: bytes, now: float) -> tuple[EntryFault, ...]:
        """A skeleton: its sub-chunks need requests, up to the limit.

        Args:
            column: which.
            limit: highest section to ask for, from the floor, inclusive; None: all.
            biome_tail: biome storages and border bytes.
            now: monotonic seconds.

        Returns:
            What was wrong with the tail; the column is announced all the same.
        """
        again = column in self._tables.row_of
        places = self._row(column)
        row = int(places[0]) // self._tables.sections
        self._tables.limit[row] = NO_LIMIT if limit is None else limit
        asked = len(places) if limit is None else min(limit + 1, len(places))
        if again:
            self._tables.refusal[places] = 0
            self._reset(places[:asked], now)
        self._show_air(places[asked:], Knowledge.KNOWN_AIR, now)
        return self._take_biomes(row, column, biome_tail)[1]

    def fill(self, column: ColumnPos, payload: bytes, inline_count: int, now: float) -> AnswerReport:
        """A whole column: sub-chunks from the floor up, biomes, border bytes, block entities.

        Sections above the last one are all air. Behind a broken sub-chunk nothing can be found any more.

        Raises:
            OutOfSlots: the pools are full.
        """
        places = self._row(column)
        row = int(places[0]) // self._tables.sections
        self._tables.limit[row] = NO_LIMIT
        self._tables.refusal[places] = 0
        scanned = scan_sequence(payload, min(inline_count, MOST_INLINE))
        taken = self._intake.take(scanned, lambda index: ("LevelChunk", f"subchunks[{index}]"))
        inside = min(len(taken.slots), len(places))
        self._intake.drop_beyond(taken, inside)
        faults = self._settle(places[:inside], taken, now)
        self._show_air(places[inside:], Knowledge.ALL_AIR, now)
        if inline_count > MOST_INLINE:
            faults += (EntryFault(self._lowest(column), LimitExceeded("inline sub-chunks", inline_count, MOST_INLINE)),)
        elif not taken.faults:
            end = int(scanned.ends[-1]) if len(scanned.rows) else 0
            used, more = self._take_biomes(row, column, payload[end:])
            faults += more
            faults += self._keep_entities(int(places[0]), payload[end + used :] if used else b"")
        accepted = places[self._tables.state[places] != Knowledge.UNDECODABLE]
        self._tally.faults += len(faults)
        none = np.empty(0, np.int32)
        return AnswerReport(accepted, none, none.astype(np.uint8), 0, 0, faults)

    def forget(self, column: ColumnPos) -> None:
        """Drops a column and all that is known of it; one that is not announced is ignored."""
        row = self._tables.row_of.get(column)
        if row is None:
            return
        self._drop(row)
        self._pending.remove(row, column, self._tables.places_of_row(row))
        self._tables.remove(column)

    def change_dimension(self, dimension: Dimension) -> None:
        """Drops everything; readers of the log are told "everything"."""
        for row in self._tables.row_of.values():
            self._drop(row)
        self._tables = PlaceTables(dimension)
        self._pending = Pending()
        self._pending.everything = True
        self._shown.move(self._tables, self._pending)
        self._states.move(self._tables, self._pending)

    # ------------------------------------------------------------ answers

    def answer(
        self,
        positions: SubChunkPositions,
        results: npt.NDArray[np.uint8],
        payloads: list[bytes],
        height_kinds: npt.NDArray[np.uint8],
        heights: list[bytes | None],
        now: float,
    ) -> AnswerReport:
        """Applies the entries of one SubChunk packet, in their order.

        Args:
            positions: int32[n, 3] absolute.
            results: uint8[n] result codes.
            payloads: terrain and block entities each; empty but for code 1.
            height_kinds: uint8[n] a ``net.subchunk.heights.HeightKind`` each.
            heights: 256 signed bytes each where the kind says so.
            now: monotonic seconds.

        Raises:
            OutOfSlots: the pools are full; entries before the slice of 256 that found no room are applied.
        """
        tables = self._tables
        selection = select(tables, self._states, positions, results)
        places, used, closing = selection.places, selection.used, selection.closing
        tables.refusal[places[selection.failed]] = results[selection.failed]
        self.refuse(places[closing], results[closing], now)
        self._take_skies(places[used], sky_tops(height_kinds[used], [heights[index] for index in used]))
        self._show_air(places[selection.air], Knowledge.ALL_AIR, now)
        faults = self._take_payloads(places, selection.data, payloads, now)
        self._tally.ignored += selection.ignored
        self._tally.known_air_used += selection.known_air
        self._tally.faults += len(faults)
        accepted = places[used][tables.state[places[used]] != int(Knowledge.UNDECODABLE)]
        return AnswerReport(accepted, places[closing], results[closing], selection.ignored, selection.known_air, faults)

    def refuse(self, places: Places, codes: npt.NDArray[np.uint8], now: float) -> None:
        """The server will not send these: REFUSED, with the code; what is shown stays.

        Places that need no request are left alone.
        """
        self._states.refuse(places, codes, now)

    def mark(self, places: Places, knowledge: Knowledge, now: float) -> None:
        """Notes what the planner did: UNKNOWN, WANTED, REQUESTED, or EVICTED, which drops the blocks.

        Raises:
            WorldError: a state that only messages bring, or a change that ``lifecycle`` does not allow.
        """
        if knowledge not in MARKABLE:
            raise WorldError(f"{knowledge.name} comes from messages, not from marking")
        if knowledge is Knowledge.EVICTED:
            self._extras.drop_entities(places)
            self._shown.show_one(places, PLACEHOLDER_SLOT)
        self._states.become(places, knowledge, now)

    # ------------------------------------------------------------ edits

    def update_block(self, position: BlockPos, layer: int, runtime_id: int) -> bool:
        """Changes one block; says whether anything changed.

        A place that shows a placeholder is left alone: its answer, yet to come, includes the change.

        Args:
            position: of the block.
            layer: 0 or 1; others are ignored.
            runtime_id: the wire's id, as an unsigned 32-bit number.

        Raises:
            OutOfSlots: the pools are full.
        """
        tables = self._tables
        place = tables.place_of(position.subchunk)
        if place < tables.sections or tables.slot[place] == PLACEHOLDER_SLOT or layer not in (0, 1):
            self._tally.edits_ignored += 1
            return False
        dense = self.table.dense_of_id(runtime_id)
        cell = position.in_subchunk
        shown = self.pools.layer1[tables.layer1_slot[place]] if layer else self.pools.blocks[tables.slot[place]]
        if shown[cell] == dense:
            self._tally.edits_ignored += 1
            return False
        if layer:
            self.pools.layer1[self._shown.own_layer1(place), cell] = dense
        else:
            slot = self._shown.own(place)
            self.pools.blocks[slot, cell] = dense
            self.pools.flags[slot] |= self.table.flags[dense]
        if tables.state[place] in (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR):
            self._states.become(np.array([place], np.int32), Knowledge.DATA, float(tables.since[place]))
        self._pending.edit(place, cell)
        self._tally.edits += 1
        return True

    def finish_drain(self) -> Slots:
        """Derives masks and kinds of all slots filled since the last call, and publishes what changed.

        Returns:
            int32[n] those slots; their connectivity is the caller's to derive before anyone looks.
        """
        fresh = self._shown.derive()
        self._new_revisions()
        self.changes.publish(self._pending.take(self._tables))
        self._tables.recycle()
        self.pools.next_epoch()
        self._tally.drains += 1
        return fresh

    # ------------------------------------------------------------ questions

    def place_of(self, position: SubChunkPos) -> int:
        """The place of a sub-chunk: UNLOADED_PLACE, ABOVE_PLACE or BELOW_PLACE where it has none."""
        return self._tables.place_of(position)

    def places_of(self, positions: SubChunkPositions) -> Places:
        """As ``place_of``, for many."""
        return self._tables.places_of(positions)

    def positions_of(self, places: Places) -> SubChunkPositions:
        """Where places of announced columns are."""
        return self._tables.positions_of(places)

    def is_placeholder(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which of these show the placeholder: bool[n]."""
        shown: npt.NDArray[np.bool_] = self._tables.slot[places] == PLACEHOLDER_SLOT
        return shown

    def blocks_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of one sub-chunk: uint16[4096], not to be written."""
        blocks: BlockIds = self.pools.blocks[self._tables.slot[self.place_of(position)]]
        return blocks

    def layer1_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of its second layer: uint16[4096], not to be written."""
        blocks: BlockIds = self.pools.layer1[self._tables.layer1_slot[self.place_of(position)]]
        return blocks

    def biomes_of(self, position: SubChunkPos) -> SectionBiomes:
        """Biome ids of one sub-chunk: uint16[4096], UNKNOWN_BIOME where nobody said."""
        row = self._tables.row_of.get(ColumnPos(position.x, position.z), 0)
        return self._extras.section_biomes(row, position.y - self.dimension.floor_section)

    def column_biomes(self, column: ColumnPos) -> Biomes:
        """Biome ids of one column: uint16[sections, 4096], UNKNOWN_BIOME where nobody said."""
        floor = self.dimension.floor_section
        sections = range(floor, self.dimension.roof_section)
        return np.stack([self.biomes_of(SubChunkPos(column.x, y, column.z)) for y in sections])

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """Biome at the surface of each block column: uint16[256] by x << 4 | z, UNKNOWN_BIOME where nobody said.

        Taken at the top of the highest section that may hold blocks: biomes do not change above the ground.
        """
        row = self._tables.row_of.get(column, 0)
        limit = int(self._tables.limit[row])
        return self._extras.surface_biomes(row, self._tables.sections - 1 if limit == NO_LIMIT else limit)

    def block_entities(self, column: ColumnPos) -> list[BlockEntity]:
        """Block entities of a column that arrived with it or with its sub-chunks; broken ones are left out."""
        row = self._tables.row_of.get(column)
        if row is None:
            return []
        found, errors = self._extras.entities(self._tables.places_of_row(row))
        self._tally.faults += len(errors)
        for place, error in errors.items():
            self._tally.last_entity_fault = str(EntryFault(self._position(place), error))
        return found

    def block(self, position: BlockPos) -> BlockView:
        """One block as far as it is known."""
        place = self.place_of(position.subchunk)
        cell = position.in_subchunk
        dense = int(self.pools.blocks[self._tables.slot[place], cell])
        other = int(self.pools.layer1[self._tables.layer1_slot[place], cell])
        row = self._tables.row_of.get(position.column)
        outside = not self.dimension.holds_section(position.subchunk.y)
        knowledge = Knowledge.OUTSIDE if outside else Knowledge.UNKNOWN
        if row is not None and not outside:
            knowledge = Knowledge(int(self._tables.state[place]))
        return BlockView.of(self.table, dense, other, knowledge)

    def stats(self) -> StoreStats:
        """A frozen snapshot."""
        return self._tally.snapshot(self._tables, self._states, self.table, self._revision)

    # ------------------------------------------------------------ inside: columns

    def _row(self, column: ColumnPos) -> Places:
        row = self._tables.row_of.get(column)
        if row is None:
            row = self._tables.add(column)
            self._pending.add(row, column)
        return self._tables.places_of_row(row)

    def _reset(self, places: Places, now: float) -> None:
        """Announced (again): what shows something is RESET, what is under way stays so, the rest is UNKNOWN."""
        state = self._tables.state[places]
        shows = ~self.is_placeholder(places)
        under_way = (state == Knowledge.WANTED) | (state == Knowledge.REQUESTED)
        self._states.become(places[shows], Knowledge.RESET, now)
        self._states.become(places[~shows & ~under_way], Knowledge.UNKNOWN, now)

    def _take_biomes(self, row: int, column: ColumnPos, tail: bytes) -> tuple[int, tuple[EntryFault, ...]]:
        used, error = self._extras.take_biomes(row, tail, self._tables.sections)
        return used, () if error is None else (EntryFault(self._lowest(column), error),)

    def _keep_entities(self, place: int, data: bytes) -> tuple[EntryFault, ...]:
        error = self._extras.keep_entities(place, data)
        return () if error is None else (EntryFault(self._position(place), error),)

    def _position(self, place: int) -> SubChunkPos:
        return SubChunkPos(*self._tables.positions_of(np.array([place], np.int32))[0].tolist())

    def _lowest(self, column: ColumnPos) -> SubChunkPos:
        return SubChunkPos(column.x, self.dimension.floor_section, column.z)

    def _drop(self, row: int) -> None:
        """Gives back all that a column holds; its tables are cleared by whoever calls."""
        places = self._tables.places_of_row(row)
        self._shown.drop(places)
        self._extras.drop_column(row, places)

    # ------------------------------------------------------------ inside: answers

    def _take_skies(self, places: Places, skies: npt.NDArray[np.uint16]) -> None:
        """New height maps; a change of light is a change even where the blocks stay (air told to be air again)."""
        changed = (self._tables.sky_top[places] != skies).any(axis=1)
        self._tables.sky_top[places] = skies
        self._pending.note(places[changed], ChangeKind.DATA)

    def _take_payloads(
        self, places: Places, chosen: npt.NDArray[np.intp], payloads: list[bytes], now: float
    ) -> tuple[EntryFault, ...]:
        faults: tuple[EntryFault, ...] = ()
        for start in range(0, len(chosen), SLICE):
            part = chosen[start : start + SLICE]
            scanned = scan([payloads[index] for index in part])
            taken = self._intake.take(scanned, lambda _: ("SubChunk", "payload"))
            faults += self._settle(places[part], taken, now)
            for at in np.flatnonzero(taken.ends < scanned.limits - scanned.starts).tolist():
                if at not in taken.faults:
                    faults += self._keep_entities(int(places[part[at]]), scanned.rest(at, int(taken.ends[at])))
        return faults

    def _settle(self, places: Places, taken: Taken, now: float) -> tuple[EntryFault, ...]:
        """Shows what was decoded; the rest is UNDECODABLE and shows what it did."""
        count = len(places)
        sound = taken.slots[:count] != NO_SLOT
        layer1 = taken.layer1[:count]
        self._shown.filled(taken.private, layer1[layer1 > 0].tolist())
        self._extras.drop_entities(places[sound])
        self._shown.show(places[sound], taken.slots[:count][sound], layer1[sound])
        self._states.become(places[sound], Knowledge.DATA, now)
        self._states.become(places[~sound], Knowledge.UNDECODABLE, now)
        broken = np.flatnonzero(~sound)
        positions = self._tables.positions_of(places[broken]).tolist()
        return tuple(
            EntryFault(SubChunkPos(*position), taken.faults[index])
            for index, position in zip(broken.tolist(), positions, strict=True)
        )

    def _show_air(self, places: Places, knowledge: Knowledge, now: float) -> None:
        self._extras.drop_entities(places)
        self._shown.show_one(places, AIR_SLOT)
        self._states.become(places, knowledge, now)

    def _new_revisions(self) -> None:
        changed = self._pending.changed_content()
        self._tables.revision[changed] = np.arange(self._revision + 1, self._revision + 1 + len(changed))
        self._revision += len(changed)
