"""Single blocks that change.

Rules:
1. Slots are immutable once ``finish_drain`` published them; the first edit of a drain copies.
2. An edit of known or told air makes the place DATA: what it shows is no longer what was said.
"""

import numpy as np

from client.world.holdings import Holdings
from client.world.lifecycle import Knowledge
from client.world.pools import PLACEHOLDER_SLOT
from net.space.positions import BlockPos


class Edits:
    """Writes changed blocks to the holdings of a store."""

    def __init__(self, holdings: Holdings) -> None:
        """Writes to these."""
        self._holdings = holdings

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
        holdings, tables = self._holdings, self._holdings.tables
        place = tables.place_of(position.subchunk)
        if place < tables.sections or tables.slot[place] == PLACEHOLDER_SLOT or layer not in (0, 1):
            holdings.tally.edits_ignored += 1
            return False
        dense = holdings.table.dense_of_id(runtime_id)
        cell = position.in_subchunk
        pools = holdings.pools
        shown = pools.layer1[tables.layer1_slot[place]] if layer else pools.blocks[tables.slot[place]]
        if shown[cell] == dense:
            holdings.tally.edits_ignored += 1
            return False
        self._write(place, layer, cell, dense)
        if tables.state[place] in (Knowledge.KNOWN_AIR, Knowledge.ALL_AIR):
            holdings.states.become(np.array([place], np.int32), Knowledge.DATA, float(tables.since[place]))
        holdings.pending.edit(place, cell)
        holdings.tally.edits += 1
        return True

    def _write(self, place: int, layer: int, cell: int, dense: int) -> None:
        pools, shown = self._holdings.pools, self._holdings.shown
        if layer:
            pools.layer1[shown.own_layer1(place), cell] = dense
        else:
            slot = shown.own(place)
            pools.blocks[slot, cell] = dense
            pools.flags[slot] |= self._holdings.table.flags[dense]
