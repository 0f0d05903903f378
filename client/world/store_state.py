"""The parts of a store, for the functions that change it (``answers``, ``edits``); the slots that places show.

answers   a column comes, is announced again, goes; a packet of answers  ─┬─▶ shown, states, biomes, attached
store     our decisions: wanted, requested, given up, evicted            ─┘
edits     a block changes ──▶ kept_edits, until its blocks come
store     data of a block besides its id ──▶ attached
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world.block_data import Attachments, LimitedMap
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.changes import ChangeLog
from client.world.decode import SubChunkDecoder
from client.world.lifecycle import AWAITED_STATES, PLACEHOLDER_STATES, table_of
from client.world.places import PlaceTables
from client.world.state_machine import DATA, Pending, States
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
from net.arrays import BlockIds, Places, Slots
from net.space import Dimension
from net.subchunk.biomes import ColumnBiomes
from net.subchunk.decode import Scanner
from net.subchunk.mask_kernels import derive, derive_wet

MOST_BIOME_BYTES: Final = 128 << 20  # biomes of 10,000 columns take some 30 MiB
COPIED_AT_ONCE = 64  # slots: half a MiB of intermediate copies
SAMPLED_CELLS = np.array([0, 4095, 2048, 273, 1638, 2457, 3003, 3822])
"""Compared first: hardly any edited sub-chunk has the same block in all of them without being uniform."""


class PlaceSlots:
    """The slots of both layers that places show; owned by the store.

    A slot filled since the last ``derive`` is private: it may be written, and is freed at once when it is no longer
    shown. Published slots are immutable and are retired. ``own`` gives private copies to edit, made once a drain. Every
    change of the shown slot is recorded as DATA; ``edits`` records changes of single cells. A place that consists of
    one block after its edits shows that block's shared slot from the end of the drain on.
    """

    def __init__(self, table: BlockTable, pools: BlockPools, tables: PlaceTables, pending: Pending) -> None:
        """Writes ``slot`` and ``layer1_slot`` of ``tables``, and records in ``pending``."""
        self._table = table
        self._pools = pools
        self._tables = tables
        self._pending = pending
        self._fresh = _Fresh(len(pools.blocks))
        self._fresh_layer1 = _Fresh(len(pools.layer1))
        self._edited: list[Places] = []
        self._listed = np.zeros(2, np.int64)

    def reset(self) -> None:
        """For another dimension; the slots of the old one were dropped before."""
        self._edited.clear()

    def show(self, places: Places, slots: Slots, layer1: Slots, filled: bool = False) -> None:
        """Shows slots at places; releases the slots shown before.

        ``layer1``: int32[n], 0 if the second layer is all air. ``filled``: whether all that are not shared were filled
        since the last ``derive``, and are private.
        """
        tables, pools, fresh, fresh1 = self._tables, self._pools, self._fresh, self._fresh_layer1
        out, counts, listed = np.empty((SHOW_ROWS, len(places)), np.int32), np.zeros(SHOW_ROWS, np.int64), self._listed
        listed[0], listed[1] = fresh.count, fresh1.count
        show(
            places, slots, layer1, filled, tables.slot, tables.layer1_slot, pools.shared, fresh.marks, fresh.listed,
            fresh1.marks, fresh1.listed, listed, out, counts,
        )  # fmt: skip
        fresh.count, fresh1.count = listed.tolist()
        each = counts.tolist()
        if each[BACK] or each[BACK1]:
            pools.give_back(out[BACK, : each[BACK]])
            pools.layer1_slots.give_back(out[BACK1, : each[BACK1]])
        if each[RETIRED] or each[RETIRED1]:
            pools.retire(out[RETIRED, : each[RETIRED]], pools.epoch)
            pools.layer1_slots.retire(out[RETIRED1, : each[RETIRED1]], pools.epoch)
        self._pending.record(out[CHANGED, : each[CHANGED]], DATA)

    def show_one(self, places: Places, slot: int) -> None:
        """Shows one shared slot at all these places, and no second layer."""
        if len(places):
            self.show(places, np.full(len(places), slot, np.int32), np.zeros(len(places), np.int32))

    def drop(self, places: Places) -> None:
        """Releases the slots of places without recording it; the caller clears their tables."""
        self._release(self._tables.slot[places])
        self._release_layer1(self._tables.layer1_slot[places])

    def own(self, places: Places, layer1_places: Places) -> None:
        """Gives places private slots to edit, copies of the shown ones; each place once.

        ``layer1_places``: those whose second layer is written. Raises OutOfSlots: a pool is full; nothing was changed.
        """
        pools, tables = self._pools, self._tables
        self._edited += [places, layer1_places]
        places = places[~self._fresh.holds(tables.slot[places])]
        layer1_places = layer1_places[~self._fresh_layer1.holds(tables.layer1_slot[layer1_places])]
        own = pools.take_many(len(places))
        try:
            own1 = pools.layer1_slots.take_many(len(layer1_places))
        except OutOfSlots:
            pools.give_back(own)
            raise
        shown, shown1 = tables.slot[places], tables.layer1_slot[layer1_places]
        _copy(pools.blocks, shown, own)
        _copy(pools.layer1, shown1, own1)
        pools.flags[own] = pools.flags[shown]
        pools.retire(shown, pools.epoch)
        pools.layer1_slots.retire(shown1[shown1 > 0], pools.epoch)
        tables.slot[places] = own
        tables.layer1_slot[layer1_places] = own1
        self._fresh.add(own)
        self._fresh_layer1.add(own1)

    def derive(self) -> Slots:
        """Derives masks and kinds of all private slots, which publishes them; returns them: int32[n]."""
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
            pools.blocks, fresh, first.liquid, first.placeholder, first.opaque, pools.opaque, pools.liquid,
            pools.other, pools.kinds,
        )  # fmt: skip
        return fresh

    def _share_uniform(self, edited: Places) -> None:
        """Shows the shared slot at edited places of one block; frees their own slots first, so that a new one fits."""
        pools, slots = self._pools, self._tables.slot[edited]
        samples = pools.blocks[slots[:, None], SAMPLED_CELLS]
        alike = (samples == samples[:, :1]).all(axis=1) & self._fresh.holds(slots)
        for place, slot in zip(edited[alike].tolist(), slots[alike].tolist(), strict=True):
            dense = pools.blocks[slot, 0]
            if (pools.blocks[slot] == dense).all():
                self._release(np.array([slot], np.int32))
                self._tables.slot[place] = pools.uniform(int(dense))

    def _drop_empty(self, edited: Places) -> None:
        """Shows the shared slot at edited places whose second layer is all air again."""
        slots = self._tables.layer1_slot[edited]
        written = self._fresh_layer1.holds(slots)
        for place, slot in zip(edited[written].tolist(), slots[written].tolist(), strict=True):
            if not self._pools.layer1[slot].any():
                self._release_layer1(np.array([slot], np.int32))
                self._tables.layer1_slot[place] = 0

    def _release(self, slots: Slots) -> None:
        mine = self._fresh.remove(slots)
        self._pools.give_back(slots[mine])
        self._pools.retire(slots[~mine], self._pools.epoch)

    def _release_layer1(self, slots: Slots) -> None:
        mine = self._fresh_layer1.remove(slots)
        self._pools.layer1_slots.give_back(slots[mine])
        self._pools.layer1_slots.retire(slots[~mine & (slots > 0)], self._pools.epoch)


class _Fresh:
    """A set of slots that were filled in this drain; see ``store_kernels`` for its arrays."""

    def __init__(self, capacity: int) -> None:
        self.marks: npt.NDArray[np.uint8] = np.zeros(capacity, np.uint8)
        # Committed by touch. Zeros, since undefined memory would be packed into a checkpoint.
        self.listed: Slots = np.zeros(capacity, np.int32)
        self.count = 0

    def add(self, slots: Slots) -> None:
        self.count = add_fresh(slots, self.marks, self.listed, self.count)

    def holds(self, slots: Slots) -> npt.NDArray[np.bool_]:
        return np.asarray(self.marks[slots] == FRESH)

    def remove(self, slots: Slots) -> npt.NDArray[np.bool_]:
        """Removes those of ``slots`` that are in it; returns which were."""
        held = self.holds(slots)
        self.marks[slots[held]] = NO_LONGER
        return held

    def take(self) -> Slots:
        count = take_fresh(self.listed[: self.count], self.marks)
        self.count = 0
        return np.sort(self.listed[:count])


def _copy(pool: BlockIds, shown: Slots, own: Slots) -> None:
    for start in range(0, len(own), COPIED_AT_ONCE):
        part = slice(start, start + COPIED_AT_ONCE)
        pool[own[part]] = pool[shown[part]]


AWAITED: Final = table_of(AWAITED_STATES)  # by state: whether blocks may yet come
SHOWS: Final = ~table_of(PLACEHOLDER_STATES)
"""By state: whether blocks are shown; not by slot, since a server may send placeholders as blocks."""


MOST_IN_PLACE: Final = 512  # a server with more changes than that resends the sub-chunk
MOST: Final = 1 << 16

Cells = npt.NDArray[np.int64]  # [n] x << 8 | z << 4 | y within a sub-chunk


class KeptEdits:
    """Block changes that wait for the blocks they change, by place; owned by the store.

    A server that read a sub-chunk before a change may send the change first; the answer then comes without it. So the
    last change of each cell and layer is kept, and applied to these blocks. They are dropped when the column is
    announced again (later blocks were read later), is dropped, or the place is refused or does not decode. Limits:
    ``MOST_IN_PLACE`` a place, ``MOST`` in all, so that a server cannot fill the memory; more are dropped.
    """

    def __init__(self) -> None:
        self._of: dict[int, dict[int, int]] = {}
        self._count = 0
        self.peak = 0  # the largest number so far

    def __len__(self) -> int:
        return self._count

    def keep(self, places: Places, layers: Cells, cells: Cells, dense: npt.NDArray[np.integer]) -> None:
        """Stores changes, in order: [n] place, layer, cell and dense id."""
        keys = layers << 12 | cells
        for place, key, block in zip(places.tolist(), keys.tolist(), dense.tolist(), strict=True):
            mine = self._of.setdefault(place, {})
            if key not in mine:
                if len(mine) >= MOST_IN_PLACE or self._count >= MOST:
                    continue
                self._count += 1
            mine[key] = block
        self.peak = max(self.peak, self._count)

    def of(self, place: int) -> list[tuple[int, int, int]]:
        """Waiting changes of a place, in the order of their cells: layer, cell and dense id of each."""
        return [(key >> 12, key & 4095, dense) for key, dense in sorted(self._of.get(place, {}).items())]

    def take(self, places: Places) -> tuple[Places, Cells, Cells, Cells]:
        """Removes and returns the changes of these places: place, layer, cell and dense id of each."""
        found = [(place, *change) for place in self._among(places) for change in self._of[place].items()]
        self.drop(places)
        table = np.array(found, np.int64).reshape(-1, 3)
        return table[:, 0].astype(np.int32), table[:, 1] >> 12, table[:, 1] & 4095, table[:, 2]

    def drop(self, places: Places) -> None:
        for place in self._among(places):
            self._count -= len(self._of.pop(place))

    def _among(self, places: Places) -> list[int]:
        return sorted({place for place in places.tolist() if place in self._of}) if self._of else []


class StoreParts(PlaceTables):
    """The tables of one dimension and the other parts of its store."""

    def __init__(self, table: BlockTable, pools: BlockPools, dimension: Dimension) -> None:
        """Empty; ``pools`` must be made for ``table``."""
        super().__init__(dimension)
        self.table = table  # dense ids and their traits
        self.pools = pools  # block slots
        self.pending = Pending()  # changes since the last drain
        self.changes = ChangeLog()  # the log that readers subscribe to
        self.attached = Attachments(table, pools, self)  # data of blocks besides their ids
        self.intake = SubChunkDecoder(table, pools)  # decodes into the pools
        self.shown = PlaceSlots(table, pools, self, self.pending)  # the slot that each place shows
        self.biomes = LimitedMap("biomes", MOST_BIOME_BYTES, ColumnBiomes.nothing())  # by row, as they came
        self.states = States(self, self.pending)  # applies events to places
        self.scanner = Scanner()  # of the bytes of answers
        self.kept_edits = KeptEdits()  # block changes that wait for their blocks
        self.last_revision = 0  # the highest given so far
