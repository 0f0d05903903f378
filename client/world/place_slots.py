"""Which slots places show, and whose they are: published ones are retired, private ones given straight back.

Rules:
1. A slot filled since the last ``derive`` is private: it may be written, and goes straight back when it is not shown
   any more. All others are immutable.
2. ``own`` gives private copies to edit, made once a drain.
3. Every change of what a place shows is noted as DATA; edits are noted by whoever writes the cell.
4. A place whose edits left it of one block shows that block's shared slot from the drain's end on.
"""

import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.places import PlaceTables
from client.world.state_machine import DATA, Pending
from client.world.store_kernels import (
    BACK,
    BACK1,
    CHANGED,
    FRESH,
    NO_LONGER,
    RETIRED,
    RETIRED1,
    SHOW_ROWS,
    add_fresh,
    show,
    take_fresh,
)
from net.space import BlockIds, Places, Slots
from net.subchunk.mask_kernels import derive, derive_wet

COPIED_AT_ONCE = 64  # slots: half a MiB of intermediate copies
SAMPLED_CELLS = np.array([0, 4095, 2048, 273, 1638, 2457, 3003, 3822])
"""Looked at first: hardly any edited sub-chunk has one block in all of them and is not all of it."""


class PlaceSlots:
    """Slots of both layers by place; owned by the store."""

    def __init__(self, table: BlockTable, pools: BlockPools, tables: PlaceTables, pending: Pending) -> None:
        """Writes ``slot`` and ``layer1_slot`` of ``tables``, and notes in ``pending``."""
        self._table = table
        self._pools = pools
        self._tables = tables
        self._pending = pending
        self._fresh = _Fresh(len(pools.blocks))
        self._fresh_layer1 = _Fresh(len(pools.layer1))
        self._edited: list[Places] = []
        self._scratch = np.empty(512, np.uint64)
        self._listed = np.zeros(2, np.int64)

    def reset(self) -> None:
        """Another dimension; what the old one showed was dropped before."""
        self._edited.clear()

    def show(self, places: Places, slots: Slots, layer1: Slots, filled: bool = False) -> None:
        """Shows slots at places; what was shown is released.

        ``layer1``: int32[n], 0 where the second layer is all air. ``filled``: whether all that are not shared were
        filled since the last ``derive``, and are private.
        """
        tables, pools, fresh, fresh1 = self._tables, self._pools, self._fresh, self._fresh_layer1
        out, counts, listed = np.empty((SHOW_ROWS, len(places)), np.int32), np.zeros(SHOW_ROWS, np.int64), self._listed
        listed[0], listed[1] = fresh.count, fresh1.count
        show(
            places,
            slots,
            layer1,
            filled,
            tables.slot,
            tables.layer1_slot,
            pools.shared,
            fresh.marks,
            fresh.listed,
            fresh1.marks,
            fresh1.listed,
            listed,
            out,
            counts,
        )
        fresh.count, fresh1.count = listed.tolist()
        each = counts.tolist()
        if each[BACK] or each[BACK1]:
            pools.give_back(out[BACK, : each[BACK]])
            pools.give_back_layer1(out[BACK1, : each[BACK1]])
        if each[RETIRED] or each[RETIRED1]:
            pools.retire(out[RETIRED, : each[RETIRED]], pools.epoch)
            pools.retire_layer1(out[RETIRED1, : each[RETIRED1]], pools.epoch)
        self._pending.note(out[CHANGED, : each[CHANGED]], DATA)

    def show_one(self, places: Places, slot: int) -> None:
        """Shows one shared slot at all these places, and no second layer."""
        if len(places):
            self.show(places, np.full(len(places), slot, np.int32), np.zeros(len(places), np.int32))

    def drop(self, places: Places) -> None:
        """Releases what some places show, noting nothing; their tables are cleared by whoever calls."""
        self._release(self._tables.slot[places])
        self._release_layer1(self._tables.layer1_slot[places])

    def own(self, places: Places, layer1_places: Places) -> None:
        """Gives places private slots to edit, copies of what they show; each is named once.

        ``places``: those whose blocks will be written. ``layer1_places``: those whose second layer will be. Raises
        OutOfSlots: a pool is full; nothing was changed.
        """
        pools, tables = self._pools, self._tables
        self._edited += [places, layer1_places]
        places = places[~self._fresh.holds(tables.slot[places])]
        layer1_places = layer1_places[~self._fresh_layer1.holds(tables.layer1_slot[layer1_places])]
        own = pools.take_many(len(places))
        try:
            own1 = pools.take_layer1(len(layer1_places))
        except OutOfSlots:
            pools.give_back(own)
            raise
        shown, shown1 = tables.slot[places], tables.layer1_slot[layer1_places]
        _copy(pools.blocks, shown, own)
        _copy(pools.layer1, shown1, own1)
        pools.flags[own] = pools.flags[shown]
        pools.retire(shown, pools.epoch)
        pools.retire_layer1(shown1, pools.epoch)
        tables.slot[places] = own
        tables.layer1_slot[layer1_places] = own1
        self._fresh.add(own)
        self._fresh_layer1.add(own1)

    def derive(self) -> Slots:
        """Derives masks and kinds of all private slots, which are published by this: int32[n] those slots."""
        if self._edited:
            edited = np.unique(np.concatenate(self._edited))
            self._edited.clear()
            self._share_uniform(edited)
            self._drop_empty(edited)
        fresh = self._fresh.take()
        fresh1 = self._fresh_layer1.take()
        first, pools = self._table.first, self._pools
        if len(fresh1):
            derive_wet(pools.layer1, fresh1, first.liquid, first.placeholder, pools.wet)
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
        return fresh

    def _share_uniform(self, edited: Places) -> None:
        """Edited places of one block show its shared slot; their own are given back first, so there is room for it."""
        pools, slots = self._pools, self._tables.slot[edited]
        samples = pools.blocks[slots[:, None], SAMPLED_CELLS]
        alike = (samples == samples[:, :1]).all(axis=1) & self._fresh.holds(slots)
        for place, slot in zip(edited[alike].tolist(), slots[alike].tolist(), strict=True):
            dense = pools.blocks[slot, 0]
            if (pools.blocks[slot] == dense).all():
                self._release(np.array([slot], np.int32))
                self._tables.slot[place] = pools.uniform(int(dense))

    def _drop_empty(self, edited: Places) -> None:
        """Edited places whose second layer is all air again show the shared one."""
        slots = self._tables.layer1_slot[edited]
        written = self._fresh_layer1.holds(slots)
        for place, slot in zip(edited[written].tolist(), slots[written].tolist(), strict=True):
            if not self._pools.layer1[slot].any():
                self._release_layer1(np.array([slot], np.int32))
                self._tables.layer1_slot[place] = 0

    def _release(self, slots: Slots) -> None:
        mine = self._fresh.holds(slots)
        if mine.any():
            self._fresh.discard(slots[mine])
            self._pools.give_back(slots[mine])
            slots = slots[~mine]
        self._pools.retire(slots, self._pools.epoch)

    def _release_layer1(self, slots: Slots) -> None:
        mine = self._fresh_layer1.holds(slots)
        if mine.any():
            self._fresh_layer1.discard(slots[mine])
            self._pools.give_back_layer1(slots[mine])
            slots = slots[~mine]
        self._pools.retire_layer1(slots, self._pools.epoch)


class _Fresh:
    """A set of slots that were filled in this drain; ``store_kernels`` says what its arrays mean."""

    def __init__(self, capacity: int) -> None:
        self.marks: npt.NDArray[np.uint8] = np.zeros(capacity, np.uint8)
        # Committed by touch. Zeros, since what a heap held before would be packed with a checkpoint.
        self.listed: Slots = np.zeros(capacity, np.int32)
        self.count = 0

    def add(self, slots: Slots) -> None:
        self.count = add_fresh(slots, self.marks, self.listed, self.count)

    def holds(self, slots: Slots) -> npt.NDArray[np.bool_]:
        return np.asarray(self.marks[slots] == FRESH)

    def discard(self, slots: Slots) -> None:
        self.marks[slots] = NO_LONGER

    def take(self) -> Slots:
        """All of them, in order; none is left."""
        count = take_fresh(self.listed[: self.count], self.marks)
        self.count = 0
        return np.sort(self.listed[:count])


def _copy(pool: BlockIds, shown: Slots, own: Slots) -> None:
    for start in range(0, len(own), COPIED_AT_ONCE):
        part = slice(start, start + COPIED_AT_ONCE)
        pool[own[part]] = pool[shown[part]]
