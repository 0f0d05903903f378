"""Everything the server told about one dimension, by place: the one writer, and the front of its rooms.

Rules:
1. Arguments are plain: positions, bytes, numbers. Nothing here knows messages, clocks or GL; ``now`` is passed in.
2. States change as ``lifecycle`` allows and nowhere else.
3. Slots are immutable once ``finish_drain`` published them. Masks, kinds, revisions and the change log are ready after
   ``finish_drain``, not before.
4. What is broken costs its entry, names packet, field and offset in a report, and is never an exception.

``holdings`` draws who writes what. Each name below is said once, in the room that answers it.

Owned by one thread. Arrays may be replaced when the tables grow, so take them from here anew at each step.
"""

from functools import partial
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from client.world.accounts import memory
from client.world.answers import Answers
from client.world.block_table import BlockTable
from client.world.columns import Columns
from client.world.details import Details
from client.world.edits import Edits
from client.world.history import NO_PACKET, History
from client.world.holdings import Holdings
from client.world.marks import Marks
from client.world.pools import BlockPools
from client.world.questions import Questions
from net.space.dimensions import Dimension
from net.space.layout import ColumnPositions, Slots
from net.space.positions import ColumnPos

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
        layer1_slot: int32[places] slot in ``pools.layer1``, 0 where the second layer is all air.
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
