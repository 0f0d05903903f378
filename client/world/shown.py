"""Which slots places show, and whose they are: published ones are retired, private ones given straight back.

Rules:
1. A slot filled since the last ``derive`` is private: it may be written, and goes straight back when it is not shown
   any more. All others are immutable.
2. ``own`` gives a private copy to edit, made once a drain.
3. Every change of what a place shows is noted as DATA; edits are noted by whoever writes the cell.
"""

import numpy as np

from client.world.block_table import BlockTable
from client.world.changes import ChangeKind
from client.world.pending import Pending
from client.world.places import PlaceTables
from client.world.pools import PLACEHOLDER_SLOT, BlockPools
from net.space.layout import Places, Slots
from net.subchunk.mask_kernels import derive


class Shown:
    """Slots of both layers by place; owned by the store."""

    def __init__(self, table: BlockTable, pools: BlockPools, tables: PlaceTables, pending: Pending) -> None:
        """Writes ``slot`` and ``layer1_slot`` of ``tables``, and notes in ``pending``."""
        self._table = table
        self._pools = pools
        self._tables = tables
        self._pending = pending
        self._fresh: set[int] = set()
        self._fresh_layer1: set[int] = set()
        self._scratch = np.empty(512, np.uint64)

    def move(self, tables: PlaceTables, pending: Pending) -> None:
        """Other tables: another dimension. The old ones must show nothing any more."""
        self._tables = tables
        self._pending = pending

    def filled(self, slots: list[int], layer1: list[int]) -> None:
        """These slots were filled and are private."""
        self._fresh.update(slots)
        self._fresh_layer1.update(layer1)

    def show(self, places: Places, slots: Slots, layer1: Slots) -> None:
        """Shows slots at places; what was shown is released."""
        before, before1 = self._tables.slot[places], self._tables.layer1_slot[places]
        changed = (before != slots) | (before1 != layer1)
        if changed.any():
            self._release(before[before != slots])
            self._release_layer1(before1[before1 != layer1])
            self._tables.slot[places] = slots
            self._tables.layer1_slot[places] = layer1
            self._pending.note(places[changed], ChangeKind.DATA)

    def show_one(self, places: Places, slot: int) -> None:
        """Shows one shared slot at all these places, and no second layer."""
        self.show(places, np.full(len(places), slot, np.int32), np.zeros(len(places), np.int32))

    def drop(self, places: Places) -> None:
        """Releases what some places show, noting nothing; their tables are cleared by whoever calls."""
        self._release(self._tables.slot[places])
        self._release_layer1(self._tables.layer1_slot[places])

    def own(self, place: int) -> int:
        """The private block slot of a place, a copy of what it shows.

        Raises:
            OutOfSlots: the pool is full.
        """
        slot = int(self._tables.slot[place])
        if slot in self._fresh:
            return slot
        own = self._pools.take()
        self._pools.blocks[own] = self._pools.blocks[slot]
        self._pools.flags[own] = self._pools.flags[slot]
        self._pools.retire(slot, self._pools.epoch)
        self._tables.slot[place] = own
        self._fresh.add(own)
        return own

    def own_layer1(self, place: int) -> int:
        """The same of the second layer."""
        slot = int(self._tables.layer1_slot[place])
        if slot in self._fresh_layer1:
            return slot
        own = int(self._pools.take_layer1()[0])
        self._pools.layer1[own] = self._pools.layer1[slot]
        self._pools.retire_layer1(slot, self._pools.epoch)
        self._tables.layer1_slot[place] = own
        self._fresh_layer1.add(own)
        return own

    def derive(self) -> Slots:
        """Derives masks and kinds of all private slots, which are published by this: int32[n] those slots."""
        fresh = np.array(sorted(self._fresh), np.int32)
        first, pools = self._table.first, self._pools
        derive(
            pools.blocks,
            fresh,
            first.liquid,
            first.placeholder,
            first.opaque,
            pools.opaque,
            pools.liquid,
            pools.other,
            pools.kinds,
            self._scratch,
        )
        self._fresh.clear()
        self._fresh_layer1.clear()
        return fresh

    def _release(self, slots: Slots) -> None:
        for slot in slots[slots > PLACEHOLDER_SLOT].tolist():
            if slot in self._fresh:
                self._fresh.discard(slot)
                self._pools.give_back(slot)
            else:
                self._pools.retire(slot, self._pools.epoch)

    def _release_layer1(self, slots: Slots) -> None:
        for slot in slots[slots > 0].tolist():
            if slot in self._fresh_layer1:
                self._fresh_layer1.discard(slot)
                self._pools.give_back_layer1(slot)
            else:
                self._pools.retire_layer1(slot, self._pools.epoch)
