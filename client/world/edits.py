"""Single blocks that change.

Rules:
1. Slots are immutable once ``finish_drain`` published them; the first edit of a drain copies.
2. An edit of known or told air makes the place DATA: what it shows is no longer what was said.
3. Changes count in their order: of several to one block in one call, each is compared with the one before it.
"""

import numpy as np
import numpy.typing as npt

from client.world.holdings import Holdings
from client.world.lifecycle import Knowledge
from client.world.pools import PLACEHOLDER_SLOT
from net.space.layout import BlockIds, Places, RuntimeIds
from net.space.positions import BlockPos

LAYERS = 2
Cells = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Edits:
    """Writes changed blocks to the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Writes to these."""
        self._holdings = holdings

    def update_block(self, position: BlockPos, layer: int, runtime_id: int) -> bool:
        """As ``update_blocks``, for one block."""
        ids = np.array([runtime_id], np.int64)
        return bool(self.update_blocks(np.array([position], np.int32), np.array([layer]), ids)[0])

    def update_blocks(
        self, positions: npt.NDArray[np.int32], layers: npt.NDArray[np.integer], runtime_ids: RuntimeIds
    ) -> Flags:
        """Changes single blocks, in order; says which changed anything.

        A place that shows a placeholder is left alone: its answer, yet to come, includes the change.

        Args:
            positions: int32[n, 3] of the blocks.
            layers: [n] 0 or 1; changes of others are ignored.
            runtime_ids: the wire's ids, as unsigned 32-bit numbers.

        Raises:
            OutOfSlots: the pools are full; nothing was changed.
        """
        holdings, tables = self._holdings, self._holdings.tables
        places = tables.places_of(positions >> 4)
        shown = (places >= tables.sections) & (tables.slot[places] != PLACEHOLDER_SLOT)
        changed: Flags = shown & (layers >= 0) & (layers < LAYERS)
        some = np.flatnonzero(changed)
        within = positions[some].astype(np.int64) & 15
        cells = within[:, 0] << 8 | within[:, 2] << 4 | within[:, 1]
        dense = holdings.table.dense_of(runtime_ids[some])
        effect = self._differ(places[some], layers[some], cells, dense)
        changed[some] = effect
        some = some[effect]
        if len(some):
            self._write(places[some], layers[some] == 1, cells[effect], dense[effect])
        holdings.tally.edits += len(some)
        holdings.tally.edits_ignored += len(positions) - len(some)
        return changed

    def _differ(self, places: Places, layers: npt.NDArray[np.integer], cells: Cells, dense: BlockIds) -> Flags:
        """Which changes are of another block than is there by then: what is shown, or an earlier change said."""
        pools, tables = self._holdings.pools, self._holdings.tables
        second = layers == 1
        before = pools.blocks[tables.slot[places], cells]
        before[second] = pools.layer1[tables.layer1_slot[places[second]], cells[second]]
        keys = (places.astype(np.int64) << 1 | second) << 12 | cells
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        before[order[again + 1]] = dense[order[again]]
        return np.asarray(before != dense)

    def _write(self, places: Places, second: Flags, cells: Cells, dense: BlockIds) -> None:
        holdings, tables = self._holdings, self._holdings.tables
        pools, first = holdings.pools, ~second
        holdings.shown.own(np.unique(places[first]), np.unique(places[second]))
        slots = tables.slot[places[first]]
        pools.blocks[slots, cells[first]] = dense[first]  # of several to one cell the last one stays
        np.bitwise_or.at(pools.flags, slots, holdings.table.flags[dense[first]])
        pools.layer1[tables.layer1_slot[places[second]], cells[second]] = dense[second]
        touched = np.unique(places)
        state = tables.state[touched]
        air = touched[(state == Knowledge.KNOWN_AIR) | (state == Knowledge.ALL_AIR)]
        for place in air.tolist():
            holdings.states.become(np.array([place], np.int32), Knowledge.DATA, float(tables.since[place]))
        holdings.pending.edit(places, cells)
