"""What one store holds. Its rooms share this, and each writes to its own part.

    columns   a column comes, is announced again, goes         ─┐
    answers   a packet of answers                               ├─▶ arrivals ─▶ shown, states, extras, attached
    marks     what we decide: wanted, asked, given up, dropped ─┘
    edits     a block changes ──▶ kept_edits, until its blocks come
    details   what a block has besides its id ──▶ attached
    questions what is known; changes nothing

``tables`` and ``pending`` are replaced when the dimension changes, so take them from here anew at each step.
"""

from dataclasses import dataclass, field

import numpy as np

from client.world.attachments import Attachments
from client.world.block_table import BlockTable
from client.world.changes import ChangeLog
from client.world.extras import Extras
from client.world.intake import Intake
from client.world.kept_edits import KeptEdits
from client.world.pending import Pending
from client.world.places import PlaceTables
from client.world.pools import BlockPools
from client.world.shown import Shown
from client.world.states import States
from client.world.tally import Tally
from net.space.dimensions import Dimension
from net.space.positions import SubChunkPos


@dataclass(slots=True)
class Holdings:
    """The parts of one store.

    Attributes:
        table: dense ids and their traits.
        pools: block slots.
        tables: arrays over the places of the dimension.
        pending: what changed since the last drain.
        intake: decodes into the pools.
        shown: which slot each place shows.
        extras: biomes.
        attached: what blocks have besides their ids.
        states: lets things happen to places.
        kept_edits: block changes that wait for their blocks.
        tally: counts.
        changes: the log that readers subscribe to.
        revision: the highest given so far.
    """

    table: BlockTable
    pools: BlockPools
    tables: PlaceTables
    pending: Pending
    intake: Intake
    shown: Shown
    extras: Extras
    attached: Attachments
    states: States
    kept_edits: KeptEdits = field(default_factory=KeptEdits)
    tally: Tally = field(default_factory=Tally)
    changes: ChangeLog = field(default_factory=ChangeLog)
    revision: int = 0

    @classmethod
    def empty(cls, table: BlockTable, pools: BlockPools, dimension: Dimension) -> "Holdings":
        """Nothing is known; ``pools`` must be made for ``table``."""
        tables, pending = PlaceTables(dimension), Pending()
        return cls(
            table,
            pools,
            tables,
            pending,
            Intake(table, pools),
            Shown(table, pools, tables, pending),
            Extras(),
            Attachments.empty(table, pools, tables),
            States(tables, pending),
        )

    def move(self, dimension: Dimension) -> None:
        """Another dimension; what was shown has been dropped before. Readers of the log are told "everything"."""
        self.tables = PlaceTables(dimension)
        self.pending = Pending()
        self.pending.everything = True
        self.shown.move(self.tables, self.pending)
        self.states.move(self.tables, self.pending)
        self.kept_edits = KeptEdits()
        self.attached.move(self.tables)

    def position(self, place: int) -> SubChunkPos:
        """Where a place of an announced column is."""
        return SubChunkPos(*self.tables.positions_of(np.array([place], np.int32))[0].tolist())

    def new_revisions(self) -> None:
        """Gives each place that shows other blocks than at the last drain a revision of its own."""
        self.revision = self.pending.number_content(self.tables.revision, self.revision)
