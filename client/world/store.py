"""Everything the server told about one dimension, by place: the one writer, and the front of its rooms.

Rules:
1. Arguments are plain: positions, bytes, numbers. Nothing here knows messages, clocks or GL; ``now`` is passed in.
2. States change as ``lifecycle`` allows and nowhere else.
3. Slots are immutable once ``finish_drain`` published them. Masks, kinds, revisions and the change log are ready after
   ``finish_drain``, not before.
4. What is broken costs its entry, names packet, field and offset in a report, and is never an exception.

``holdings`` draws who writes what. Each name below is said once, in the room that answers it.

Owned by one thread. Arrays may be replaced when the tables grow, so take them from here anew at each step.

Questions: What a store knows, in the words of those who ask: blocks, biomes, counts. Changes nothing.

What blocks have besides their ids is asked in ``details``.

Marks: What we decide about places ourselves: to want them, to ask, to give up, to drop them.

Details: What packets tell of single blocks besides their ids, and what is known of them.

Rules:
1. A block entity for a place whose blocks may yet come waits for them; one that shows older blocks until then stands
   there at once as well. Of a place that waits for nothing and shows nothing it is ignored.
2. Cracks are kept in every announced column, whatever its places show: somebody digs there.
"""

from functools import partial
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from client.errors import WorldError
from client.world.answers import Answers
from client.world.apply import refuse
from client.world.block_data import AttachmentStats, Cracking, Values
from client.world.block_pools import PLACEHOLDER_SLOT, BlockPools
from client.world.block_table import BlockTable
from client.world.columns import Columns
from client.world.edits import Edits
from client.world.height_maps import HeightVerdict
from client.world.history import NO_PACKET, History
from client.world.lifecycle import AWAITED_STATES, PLACEHOLDER_STATES, Cause, Knowledge, table_of
from client.world.places import NO_LIMIT
from client.world.reports import BlockView, EntryFault, StoreStats
from client.world.store_state import Holdings, memory
from net.space.dimensions import Dimension
from net.space.layout import Biomes, BlockIds, ColumnPositions, Places, Slots, SubChunkPositions
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.biomes import SectionBiomes
from net.subchunk.block_entities import Compound
from net.subchunk.storage import Tops

# ---------------------------------------------------------------- questions


class Questions:
    """Reads the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Reads these."""
        self._holdings = holdings

    # ------------------------------------------------------------ places

    def place_of(self, position: SubChunkPos) -> int:
        """The place of a sub-chunk: UNLOADED_PLACE, ABOVE_PLACE or BELOW_PLACE where it has none."""
        return self._holdings.tables.place_of(position)

    def places_of(self, positions: SubChunkPositions) -> Places:
        """As ``place_of``, for many."""
        return self._holdings.tables.places_of(positions)

    def places_of_rows(self, rows: npt.NDArray[np.int32]) -> Places:
        """The places of several columns, column by column, each lowest first."""
        return self._holdings.tables.places_of_rows(rows)

    def positions_of(self, places: Places) -> SubChunkPositions:
        """Where places of announced columns are."""
        return self._holdings.tables.positions_of(places)

    def is_placeholder(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which of these show the placeholder: bool[n]."""
        shown: npt.NDArray[np.bool_] = self._holdings.tables.slot[places] == PLACEHOLDER_SLOT
        return shown

    # ------------------------------------------------------------ blocks

    def blocks_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of one sub-chunk: uint16[4096], not to be written."""
        blocks: BlockIds = self._holdings.pools.blocks[self._holdings.tables.slot[self.place_of(position)]]
        return blocks

    def layer1_of(self, position: SubChunkPos) -> BlockIds:
        """Dense ids of its second layer: uint16[4096], not to be written."""
        blocks: BlockIds = self._holdings.pools.layer1[self._holdings.tables.layer1_slot[self.place_of(position)]]
        return blocks

    def block(self, position: BlockPos) -> BlockView:
        """One block as far as it is known."""
        tables, pools = self._holdings.tables, self._holdings.pools
        place = self.place_of(position.subchunk)
        cell = position.in_subchunk
        dense = int(pools.blocks[tables.slot[place], cell])
        other = int(pools.layer1[tables.layer1_slot[place], cell])
        row = tables.row_of.get(position.column)
        outside = not tables.dimension.holds_section(position.subchunk.y)
        knowledge = Knowledge.OUTSIDE if outside else Knowledge.UNKNOWN
        if row is not None and not outside:
            knowledge = Knowledge(int(tables.state[place]))
        return BlockView.of(self._holdings.table, dense, other, knowledge)

    def waiting_changes(self, position: SubChunkPos) -> list[tuple[int, int, int]]:
        """Changes of blocks that wait for the blocks of one sub-chunk: layer, cell and dense id of each."""
        return self._holdings.kept_edits.of(self.place_of(position))

    # ------------------------------------------------------------ biomes

    def biomes_of(self, position: SubChunkPos) -> SectionBiomes:
        """Biome ids of one sub-chunk: uint16[4096], UNKNOWN_BIOME where nobody said."""
        tables = self._holdings.tables
        row = tables.row_of.get(ColumnPos(position.x, position.z), 0)
        return self._holdings.extras.section_biomes(row, position.y - tables.dimension.floor_section)

    def column_biomes(self, column: ColumnPos) -> Biomes:
        """Biome ids of one column: uint16[sections, 4096], UNKNOWN_BIOME where nobody said."""
        dimension = self._holdings.tables.dimension
        sections = range(dimension.floor_section, dimension.roof_section)
        return np.stack([self.biomes_of(SubChunkPos(column.x, y, column.z)) for y in sections])

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """Biome at the surface of each block column: uint16[256] by x << 4 | z, UNKNOWN_BIOME where nobody said.

        Taken at the top of the highest section that may hold blocks: biomes do not change above the ground.
        """
        tables = self._holdings.tables
        row = tables.row_of.get(column, 0)
        limit = int(tables.limit[row])
        return self._holdings.extras.surface_biomes(row, tables.sections - 1 if limit == NO_LIMIT else limit)

    # ------------------------------------------------------------ counts

    def stats(self) -> StoreStats:
        """A frozen snapshot."""
        holdings = self._holdings
        return holdings.tally.snapshot(
            holdings.tables, holdings.states, holdings.table, holdings.revision, len(holdings.kept_edits)
        )


# ---------------------------------------------------------------- marks

CAUSES: Final = {
    Knowledge.UNKNOWN: Cause.LEFT_PLAN,
    Knowledge.WANTED: Cause.PLANNED,
    Knowledge.REQUESTED: Cause.ASKED,
    Knowledge.EVICTED: Cause.RELEASED,
}
"""What we do to a place when we call it so."""


class Marks:
    """Writes decisions to the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Writes to these."""
        self._holdings = holdings

    def mark(self, places: Places, knowledge: Knowledge, now: float) -> None:
        """Notes what we did: UNKNOWN, WANTED, REQUESTED, or EVICTED, which drops the blocks, shown or just come.

        Raises:
            WorldError: a state that only messages bring, or a change that ``lifecycle`` does not allow.
        """
        cause = CAUSES.get(knowledge)
        if cause is None:
            raise WorldError(f"{knowledge.name} comes from messages, not from marking")
        self._holdings.states.happen(places, cause, now)
        if cause is Cause.RELEASED:
            self._holdings.attached.drop(places)
            self._holdings.shown.show_one(places, PLACEHOLDER_SLOT)

    def refuse(self, places: Places, codes: npt.NDArray[np.uint8], now: float) -> None:
        """We stop asking for these: REFUSED, with the last code, and a placeholder.

        Places that need no request, and those that an answer refused already, are left alone.
        """
        fresh = self._holdings.tables.state[places] != Knowledge.REFUSED
        places, codes = places[fresh], codes[fresh]
        refuse(self._holdings, places, Cause.GIVEN_UP, codes, now)


# ---------------------------------------------------------------- details


class Details:
    """Writes to what is attached to blocks, and reads it."""

    def __init__(self, holdings: Holdings) -> None:
        """Of these."""
        self._holdings = holdings
        self._awaited = table_of(AWAITED_STATES)
        self._shows = ~table_of(PLACEHOLDER_STATES)

    # ------------------------------------------------------------ told

    def put_entity(self, position: BlockPos, compound: Compound) -> tuple[EntryFault, ...]:
        """A packet brought the block entity of one block; gives what finds no room."""
        tables, entities = self._holdings.tables, self._holdings.attached.entities
        place, cell = tables.place_of(position.subchunk), position.in_subchunk
        faults: tuple[EntryFault, ...] = ()
        if place < tables.sections:
            return faults
        if self._awaited[tables.state[place]]:
            faults += entities.hold(place, cell, compound)
        if self._shows[tables.state[place]]:
            faults += entities.put(place, cell, compound)
        self._holdings.tally.faults += len(faults)
        return faults

    def crack(self, position: BlockPos, argument: int, now: float, *, again: bool = False) -> None:
        """A block begins to crack, or (``again``) goes on at another speed.

        Args:
            position: of the block; one in no announced column is ignored.
            argument: 65535 / ticks until it breaks.
            now: monotonic seconds.
            again: whether it cracks already.
        """
        tables, mining = self._holdings.tables, self._holdings.attached.mining
        place = tables.place_of(position.subchunk)
        if place >= tables.sections:
            (mining.update if again else mining.start)(place, position.in_subchunk, argument, now)

    def stop_cracking(self, position: BlockPos) -> None:
        """Nobody digs at a block any more."""
        place = self._holdings.tables.place_of(position.subchunk)
        self._holdings.attached.mining.stop(place, position.in_subchunk)

    # ------------------------------------------------------------ asked

    def block_entities(self, column: ColumnPos) -> list[Compound]:
        """Block entities of a column, lowest section first."""
        row = self._holdings.tables.row_of.get(column)
        places = np.empty(0, np.int32) if row is None else self._holdings.tables.places_of_row(row)
        return self._holdings.attached.entities.of(places)

    def block_entity(self, position: BlockPos) -> Compound | None:
        """The one that stands at a block."""
        place = self._holdings.tables.place_of(position.subchunk)
        return self._holdings.attached.entities.at(place, position.in_subchunk)

    def small_values_of(self, position: SubChunkPos) -> Values:
        """One byte a block: uint8[4096], not to be written; 0 where sub-chunks came in a form that has none."""
        return self._holdings.attached.small_values.of(self._holdings.tables.place_of(position))

    def cracking(self, position: BlockPos) -> Cracking | None:
        """How far somebody has broken a block."""
        place = self._holdings.tables.place_of(position.subchunk)
        return self._holdings.attached.mining.at(place, position.in_subchunk)

    def cracks(self, now: float) -> npt.NDArray[np.int32]:
        """Blocks that somebody breaks: int32[n, 4] x, y, z and how far in tenths, 0..9, by position."""
        tables = self._holdings.tables
        places, cells, shares = self._holdings.attached.mining.progress(now)
        corners = tables.positions_of(places) * 16
        inside = np.stack([cells >> 8, cells & 15, cells >> 4 & 15], axis=1)
        tenths = np.minimum(shares * 10, 9).astype(np.int32)
        cracks = np.column_stack([corners + inside, tenths]).astype(np.int32)
        return cracks[np.lexsort(cracks.T[::-1])]

    def height_map(self, column: ColumnPos) -> Tops:
        """The surface of a column: int16[256] by z << 4 | x, y one above the top block; UNKNOWN_TOP where unknown."""
        row = self._holdings.tables.row_of.get(column, 0)
        return self._holdings.attached.heights.column(row)

    def height_verdicts(self) -> npt.NDArray[np.uint8]:
        """uint8[places] a HeightVerdict each, of the last answer; places of no column are meaningless."""
        return self._holdings.attached.heights.verdict

    def height_kinds(self) -> npt.NDArray[np.uint8]:
        """uint8[places] a HeightKind each, of the last answer that was used; places of no column are meaningless."""
        return self._holdings.attached.heights.kind

    def height_verdict_of(self, position: SubChunkPos) -> HeightVerdict:
        """The same of one sub-chunk; NONE_SAID where there is none."""
        tables = self._holdings.tables
        place = tables.place_of(position)
        inside = place >= tables.sections
        return HeightVerdict(int(self._holdings.attached.heights.verdict[place])) if inside else HeightVerdict.NONE_SAID

    def attachment_stats(self) -> AttachmentStats:
        """Counts of what is attached to blocks."""
        return self._holdings.attached.stats()


# ---------------------------------------------------------------- store

T = TypeVar("T")


class Current(Generic[T]):
    """A table of the dimension that is current, looked up anew each time since tables are replaced."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, store: "Store", owner: type) -> T:
        found: T = getattr(store._holdings.tables, self._name)
        return found


class Store:
    """The store; its arrays are over places (``net.space.layout`` says what a place is).

    Told by messages: ``announce``, ``fill``, ``forget``, ``change_dimension`` (``columns``), ``answer`` (``answers``),
    ``update_block``, ``update_blocks`` (``edits``), ``put_entity``, ``crack``, ``stop_cracking`` (``details``). Told by
    us: ``mark``, ``refuse`` (``marks``). Asked: all of ``questions``, and what stands under "asked" in ``details``.

    Attributes:
        table: dense ids and their traits.
        pools: block slots.
        changes: the log to subscribe to.
        state: uint8[places] a Knowledge each.
        slot: int32[places] the block slot that is shown.
        layer1_slot: int32[places] slot in ``block_pools.layer1``, 0 where the second layer is all air.
        revision: int64[places] unique in the session for each content; 0 before the first.
        since: float64[places] when the state last changed, monotonic seconds; 0 before the first change.
        sky_top: uint16[places, 16] bit z of row x: daylight enters the top of this sub-chunk if a placeholder is above.
        refusal: uint8[places] the last result code that was a failure.
        widths: uint8[places] bits a block of the first layer as its bytes came last; 0 for one block, and before any.
        palettes: uint16[places] entries of that layer's palette.
        neighbours: int32[places, 6] the place beside, by direction; a place of row 0 where there is none.
        column_neighbours: int32[rows, 9] rows around by (dx + 1) * 3 + dz + 1; 0 = missing, the middle is itself.
        columns: int32[rows, 2] x, z of each row in use.
        limit: int32[rows] highest section to ask for, from the floor; NO_LIMIT where none was said.
        announced_rows: rows that hold a column, in order of arrival of their columns.
        row_of: the row of each announced column; not to be written.
        excess_bytes: int32[rows] bytes that the last skeleton of each column had behind its border blocks.
        whole: bool[rows] columns that came whole, so that nothing of them can be asked for.
        history: what happened to each place, and why.
        dimension: vertical range and sky.
    """

    state = Current[npt.NDArray[np.uint8]]()
    slot = Current[Slots]()
    layer1_slot = Current[Slots]()
    revision = Current[npt.NDArray[np.int64]]()
    since = Current[npt.NDArray[np.float64]]()
    sky_top = Current[npt.NDArray[np.uint16]]()
    refusal = Current[npt.NDArray[np.uint8]]()
    widths = Current[npt.NDArray[np.uint8]]()
    palettes = Current[npt.NDArray[np.uint16]]()
    neighbours = Current[npt.NDArray[np.int32]]()
    column_neighbours = Current[npt.NDArray[np.int32]]()
    columns = Current[ColumnPositions]()
    limit = Current[npt.NDArray[np.int32]]()
    announced_rows = Current[npt.NDArray[np.int32]]()
    row_of = Current[dict[ColumnPos, int]]()
    excess_bytes = Current[npt.NDArray[np.int32]]()
    whole = Current[npt.NDArray[np.bool_]]()
    history = Current[History]()
    dimension = Current[Dimension]()

    def __init__(self, table: BlockTable, pools: BlockPools, dimension: Dimension) -> None:
        """An empty store; ``pools`` must be made for ``table``."""
        self._holdings = holdings = Holdings.empty(table, pools, dimension)
        self.table = table
        self.pools = pools
        self.changes = holdings.changes

        columns = Columns(holdings)
        self.announce = columns.announce
        self.fill = columns.fill
        self.forget = columns.forget
        self.change_dimension = columns.change_dimension
        edits = Edits(holdings)
        self.answer = Answers(holdings, edits).answer
        self.update_block = edits.update_block
        self.update_blocks = edits.update_blocks
        marks = Marks(holdings)
        self.mark = marks.mark
        self.refuse = marks.refuse

        questions = Questions(holdings)
        self.place_of = questions.place_of
        self.places_of = questions.places_of
        self.places_of_rows = questions.places_of_rows
        self.positions_of = questions.positions_of
        self.is_placeholder = questions.is_placeholder
        self.blocks_of = questions.blocks_of
        self.layer1_of = questions.layer1_of
        self.block = questions.block
        self.waiting_changes = questions.waiting_changes
        self.biomes_of = questions.biomes_of
        self.column_biomes = questions.column_biomes
        self.surface_biomes = questions.surface_biomes
        self.stats = questions.stats

        details = Details(holdings)
        self.put_entity = details.put_entity
        self.crack = details.crack
        self.stop_cracking = details.stop_cracking
        self.block_entities = details.block_entities
        self.block_entity = details.block_entity
        self.small_values_of = details.small_values_of
        self.cracking = details.cracking
        self.cracks = details.cracks
        self.height_map = details.height_map
        self.height_verdicts = details.height_verdicts
        self.height_kinds = details.height_kinds
        self.height_verdict_of = details.height_verdict_of
        self.attachment_stats = details.attachment_stats
        self.memory = partial(memory, holdings)

    @property
    def outgrown(self) -> bool:
        """Whether the tables grew and no column is left: entering the dimension anew gives that memory back."""
        return self._holdings.tables.outgrown

    @property
    def between_drains(self) -> bool:
        """Whether nothing changed since the last ``finish_drain``."""
        return not self._holdings.pending.some

    @property
    def packet(self) -> int:
        """Number of the inbound packet that is being applied; NO_PACKET between packets."""
        return self._holdings.states.packet

    def begin_packet(self, number: int, now: float) -> None:
        """What is told from here on, until ``finish_drain`` or the next packet, stands in the history as its doing.

        Args:
            number: of the inbound packet, ``net.peer.Received.number``.
            now: monotonic seconds.
        """
        self._holdings.states.packet = number
        self._holdings.states.now = now

    def finish_drain(self) -> Slots:
        """Derives masks and kinds of all slots filled since the last call, and publishes what changed.

        Returns:
            int32[n] those slots; their connectivity is the caller's to derive before anyone looks.
        """
        holdings = self._holdings
        fresh = holdings.shown.derive()
        holdings.new_revisions()
        holdings.changes.publish(holdings.pending.take(holdings.tables))
        holdings.tables.recycle()
        holdings.pools.next_epoch()
        holdings.tally.drains += 1
        holdings.states.packet = NO_PACKET
        return fresh
