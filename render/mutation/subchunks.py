"""Other contents for sub-chunks of a store that has settled: shown, told to whoever mirrors the store, and taken back.

Rules:
1. The store's own slots are never written: another slot is shown, and the old one once more afterwards, with its old
   revision. So nothing that was known is lost, and no state, request or history changes.
2. ``shown`` alone tells nobody: what rays meet is another, what is drawn is not.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from client.visibility import walk
from client.world.block_pools import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER
from client.world.changes import ChangeBatch, ChangeKind
from client.world.store import Store
from net.space.layout import BlockIds, Places, Slots


class Contents:
    """Slots with other contents; they go back to the pools in the end."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._revision = int(store.revision.max())

    def make(self, blocks: BlockIds) -> Slots:
        """Private slots of these blocks, [n, 4096] dense ids.

        Raises:
            OutOfSlots: the pools are full.
        """
        pools, table = self._store.pools, self._store.table
        slots = pools.take_many(len(blocks))
        pools.blocks[slots] = blocks
        for slot, ids in zip(slots.tolist(), blocks, strict=True):
            pools.flags[slot] = np.bitwise_or.reduce(table.flags[np.unique(ids)])
        first = table.first
        opaque, other = blocks >= first.placeholder, (blocks > 0) & (blocks < first.liquid)
        liquid = ~opaque & (blocks >= first.liquid)
        for masks, bits in ((pools.opaque, opaque), (pools.liquid, liquid), (pools.other, other)):
            masks[slots] = np.packbits(bits, axis=1, bitorder="little").view("<u2")
        kinds = HAS_OPAQUE * opaque.any(axis=1) | ALL_OPAQUE * opaque.all(axis=1)
        pools.kinds[slots] = kinds | HAS_LIQUID * liquid.any(axis=1) | HAS_OTHER * other.any(axis=1)
        walk.derive_connectivity(pools, slots)
        return slots

    def make_second(self, blocks: BlockIds) -> Slots:
        """Private slots of the second layer for rays to meet; nothing is derived of them.

        Raises:
            OutOfSlots: the pools are full.
        """
        slots = self._store.pools.take_layer1(len(blocks))
        self._store.pools.layer1[slots] = blocks
        return slots

    def give_back(self, slots: Slots, seconds: Slots | None = None) -> None:
        """What was never told."""
        self._store.pools.give_back(slots)
        if seconds is not None:
            self._store.pools.give_back_layer1(seconds)

    def retire(self, slots: Slots) -> None:
        """What was told and is not shown any more: it goes back when no job can read it."""
        self._store.pools.retire(slots, self._store.pools.epoch)

    @contextmanager
    def shown(self, places: Places, slots: Slots, seconds: Slots | None = None) -> Iterator[None]:
        """Shows other slots at some places, told to nobody; ``seconds`` in the second layer where there are any."""
        store = self._store
        before, before1 = store.slot[places].copy(), store.layer1_slot[places].copy()
        store.slot[places] = slots
        if seconds is not None:
            store.layer1_slot[places] = seconds
        try:
            yield
        finally:
            store.slot[places] = before
            store.layer1_slot[places] = before1

    @contextmanager
    def told(self, places: Places, slots: Slots, cells: Sequence[int] = ()) -> Iterator[None]:
        """Shows other slots and tells the log so: single blocks of one place where ``cells`` names them."""
        store = self._store
        before = store.revision[places].copy()
        with self.shown(places, slots):
            store.revision[places] = np.arange(len(places)) + self._revision + 1
            self._revision += len(places)
            self._publish(places, cells)
            try:
                yield
            finally:
                store.revision[places] = before
        self._publish(places, cells)

    def _publish(self, places: Places, cells: Sequence[int]) -> None:
        kind = ChangeKind.EDIT if cells else ChangeKind.DATA
        edits = np.array(cells, np.uint16)
        starts = np.full(len(places) + 1, len(edits), np.int32)
        starts[0] = 0
        self._store.changes.publish(
            ChangeBatch(
                False,
                places.astype(np.int32),
                self._store.positions_of(places),
                np.full(len(places), kind, np.uint8),
                self._store.revision[places],
                np.tile(np.array([0, 0, 0, 16, 16, 16], np.uint8), (len(places), 1)),
                starts,
                edits,
            )
        )
