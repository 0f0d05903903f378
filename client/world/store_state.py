"""What one store holds, for the functions that change it (``columns``, ``answers``, ``edits``, ``apply``).

    columns   a column comes, is announced again, goes           ─┐
    answers   a packet of answers                                 ├─▶ apply ─▶ shown, states, extras, attached
    store     what we decide: wanted, asked, given up, dropped   ─┘
    edits     a block changes ──▶ kept_edits, until its blocks come
    store     what a block has besides its id ──▶ attached

Accounts: What a store costs, pool by pool: slots, tables, and what comes with columns and blocks.
1. Everything that grows with the world or with what a server sends stands here, also where it is bounded and small.
2. What lies in Python objects is counted by their content and a fixed share for each, as where it is bounded.

Kept edits: Block changes that wait for the blocks they change.

A server that read a sub-chunk before a change may send the change first; the answer then comes without it. So changes
of a place whose blocks may yet come are kept, the last one of each cell and layer, and applied to what comes. Where the
answer includes them already, that changes nothing.

They go when the column is announced again (what comes then was read later, and may replace blocks without a word, seed
000 "Info on sending a replacement subchunk"), when it leaves, and when the place is refused or cannot be read: then no
blocks come.

Limits: ``MOST_IN_PLACE`` a place, ``MOST`` in all, so that a server cannot fill the memory; what is more is dropped.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_data import Attachments, Extras
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.changes import ChangeLog
from client.world.decode import SubChunkDecoder
from client.world.lifecycle import AWAITED_STATES, PLACEHOLDER_STATES, table_of
from client.world.place_slots import PlaceSlots
from client.world.places import PlaceTables
from client.world.slots import PoolBytes
from client.world.state_machine import Pending, States
from net.space import Places, SubChunkPos
from net.subchunk.decode import Scanner

AWAITED: Final = table_of(AWAITED_STATES)
"""By state: whether blocks may yet come."""
SHOWS: Final = ~table_of(PLACEHOLDER_STATES)
"""By state: whether blocks are shown; not by slot, since a server may send placeholders as blocks."""


class StoreCounters(msgspec.Struct):
    """Running counts; only the store writes them."""

    ignored: int = 0  # answers nobody marked, repeated successes
    known_air_used: int = 0  # successes for known air, which are used
    faults: int = 0  # entries, entities and tails that did not decode
    edits: int = 0  # block updates applied
    # block updates that changed nothing: to what was there, or of a place that waits for no blocks
    edits_ignored: int = 0
    edits_outside: int = 0  # block updates above or below the dimension, or in a column that is not announced
    edits_other_layers: int = 0  # block updates of layers that do not exist here
    edits_kept: int = 0  # block updates that waited for the blocks of their place, or do now
    edits_dropped: int = 0  # those of them that found no room to wait
    excess_tails: int = 0  # skeletons with bytes after their border blocks
    drains: int = 0  # drains finished


MOST_IN_PLACE: Final = 512
"""A server with more changes than that resends the sub-chunk."""
MOST: Final = 1 << 16

Cells = npt.NDArray[np.int64]
"""[n] x << 8 | z << 4 | y within a sub-chunk."""


class KeptEdits:
    """Changes by place; owned by the store."""

    def __init__(self) -> None:
        self._of: dict[int, dict[int, int]] = {}
        self._count = 0
        self.peak = 0  # the most that ever waited at a time

    def __len__(self) -> int:
        """How many wait."""
        return self._count

    def keep(self, places: Places, layers: Cells, cells: Cells, dense: npt.NDArray[np.integer]) -> int:
        """Keeps changes, in order: [n] place, layer, cell and dense id of each. Gives how many found no room."""
        dropped = 0
        keys = layers << 12 | cells
        for place, key, block in zip(places.tolist(), keys.tolist(), dense.tolist(), strict=True):
            mine = self._of.setdefault(place, {})
            if key not in mine:
                if len(mine) >= MOST_IN_PLACE or self._count >= MOST:
                    dropped += 1
                    continue
                self._count += 1
            mine[key] = block
        self.peak = max(self.peak, self._count)
        return dropped

    def of(self, place: int) -> list[tuple[int, int, int]]:
        """Changes that wait at a place, in the order of their cells: layer, cell and dense id of each."""
        return [(key >> 12, key & 4095, dense) for key, dense in sorted(self._of.get(place, {}).items())]

    def take(self, places: Places) -> tuple[Places, Cells, Cells, Cells]:
        """Changes of these places, which wait no longer: place, layer, cell and dense id of each."""
        found = [(place, *change) for place in self._among(places) for change in self._of[place].items()]
        self.drop(places)
        table = np.array(found, np.int64).reshape(-1, 3)
        return table[:, 0].astype(np.int32), table[:, 1] >> 12, table[:, 1] & 4095, table[:, 2]

    def drop(self, places: Places) -> None:
        """Changes of these places wait no longer."""
        for place in self._among(places):
            self._count -= len(self._of.pop(place))

    def _among(self, places: Places) -> list[int]:
        return sorted({place for place in places.tolist() if place in self._of}) if self._of else []


class StoreState(msgspec.Struct):
    """The parts of one store."""

    table: BlockTable  # dense ids and their traits
    pools: BlockPools  # block slots
    tables: PlaceTables  # arrays over the places of the dimension
    pending: Pending  # what changed since the last drain
    intake: SubChunkDecoder  # decodes into the pools
    shown: PlaceSlots  # which slot each place shows
    extras: Extras  # biomes
    attached: Attachments  # what blocks have besides their ids
    states: States  # lets things happen to places
    scanner: Scanner = msgspec.field(default_factory=Scanner)  # of the bytes of answers
    kept_edits: KeptEdits = msgspec.field(default_factory=KeptEdits)  # block changes that wait for their blocks
    tally: StoreCounters = msgspec.field(default_factory=StoreCounters)  # counts
    changes: ChangeLog = msgspec.field(default_factory=ChangeLog)  # the log that readers subscribe to
    revision: int = 0  # the highest given so far

    @classmethod
    def empty(cls, table: BlockTable, pools: BlockPools, tables: PlaceTables) -> "StoreState":
        """Nothing is known; ``pools`` must be made for ``table``."""
        pending = Pending()
        return cls(
            table,
            pools,
            tables,
            pending,
            SubChunkDecoder(table, pools),
            PlaceSlots(table, pools, tables, pending),
            Extras(),
            Attachments.empty(table, pools, tables),
            States(tables, pending),
        )

    def reset(self) -> None:
        """The tables are of another dimension; what was shown has been dropped before."""
        self.pending.reset()
        self.shown.reset()
        self.kept_edits = KeptEdits()
        self.attached.reset()

    def position(self, place: int) -> SubChunkPos:
        """Where a place of an announced column is."""
        return SubChunkPos(*self.tables.positions_of(np.array([place], np.int32))[0].tolist())

    def new_revisions(self) -> None:
        """Gives each place that shows other blocks than at the last drain a revision of its own."""
        self.revision = self.pending.number_content(self.tables.revision, self.revision)


KEPT_EDIT_BYTES = 200
"""A change that waits: an entry of a dictionary with its two numbers (``sys.getsizeof``: 190)."""


def memory(store_state: StoreState) -> tuple[PoolBytes, ...]:
    """The bytes of every pool of a store."""
    tables, attached = store_state.tables, store_state.attached
    waiting = len(store_state.kept_edits) * KEPT_EDIT_BYTES
    return (
        *store_state.pools.stats().memory,
        tables.tables_memory(),
        tables.history.memory(tables.touched_places),
        attached.heights.memory(),
        store_state.extras.memory(),
        attached.entities.memory(),
        attached.small_values.memory(),
        PoolBytes(
            "waiting changes", waiting, waiting, waiting, max(waiting, store_state.kept_edits.peak * KEPT_EDIT_BYTES)
        ),
    )
