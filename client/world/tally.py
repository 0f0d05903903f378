"""What a store has counted since it was made, and the snapshot that everybody reads."""

from dataclasses import asdict, dataclass

import numpy as np

from client.world.block_table import BlockTable
from client.world.lifecycle import STATES, Knowledge
from client.world.places import PlaceTables
from client.world.pools import PLACEHOLDER_SLOT
from client.world.reports import StoreStats
from client.world.states import States


@dataclass(slots=True)
class Tally:
    """Running counts; only the store writes them.

    Attributes:
        ignored: answers nobody marked, repeated successes.
        known_air_used: successes for known air, which are used.
        faults: entries, entities and tails that did not decode.
        edits: block updates applied.
        edits_ignored: block updates that changed nothing: to what was there, or of a place that waits for no blocks.
        edits_outside: block updates above or below the dimension, or in a column that is not announced.
        edits_other_layers: block updates of layers that do not exist here.
        edits_kept: block updates that waited for the blocks of their place, or do now.
        edits_dropped: those of them that found no room to wait.
        excess_tails: skeletons with bytes after their border blocks.
        drains: drains finished.
    """

    ignored: int = 0
    known_air_used: int = 0
    faults: int = 0
    edits: int = 0
    edits_ignored: int = 0
    edits_outside: int = 0
    edits_other_layers: int = 0
    edits_kept: int = 0
    edits_dropped: int = 0
    excess_tails: int = 0
    drains: int = 0

    def snapshot(
        self, tables: PlaceTables, states: States, table: BlockTable, revision: int, edits_waiting: int
    ) -> StoreStats:
        """These counts, and what can be counted in the tables now."""
        rows = tables.announced_rows
        places = tables.places_of_rows(rows)
        counts = np.bincount(tables.state[places], minlength=STATES)
        return StoreStats(
            columns=len(rows),
            states={Knowledge(state): int(counts[state]) for state in np.flatnonzero(counts).tolist()},
            placeholders=int((tables.slot[places] == PLACEHOLDER_SLOT).sum()),
            transitions=states.changed(),
            causes=states.happened(),
            revision=revision,
            edits_waiting=edits_waiting,
            appended_ids=table.appended,
            overflowed_ids=table.overflowed,
            **asdict(self),
        )
