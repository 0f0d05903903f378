"""Decodes scanned sub-chunks into slots.

Rules:
1. All slots that a batch may need are taken before anything is written, shared ones first, which need not be given
   back: so a full pool changes nothing.
2. A sub-chunk of one block gets the shared slot, whether its header says so or its palette has one entry.
3. A broken second layer breaks its entry: half a sub-chunk would be wrong.
"""

from collections.abc import Callable

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world.block_pools import AIR_SLOT, BlockPools
from client.world.block_table import BlockTable
from net.arrays import BlockIds, Bytes, Slots
from net.errors import DecodeError, LimitExceeded
from net.subchunk.decode import BAD_INDEX, NOT_UNIFORM, Scanned, fault_of, legacy_values, unpack
from net.subchunk.legacy import MOST_FURTHER, light_bytes_behind, read_further, read_named
from net.subchunk.storage import SubChunkFault

NO_SLOT = -1
NO_SLOTS = np.empty(0, np.int32)

Entries = npt.NDArray[np.int64]
Where = Callable[[int], tuple[str, str]]
"""Packet and field that hold an entry, for errors."""


class DecodedSlots(msgspec.Struct):
    """Slots of the entries of a batch; filled during decoding."""

    slots: Slots  # int32[n] block slot, NO_SLOT for a broken entry
    layer1: Slots  # int32[n] slot of the second layer, 0 if it is all air
    ends: Entries  # int64[n] end of the terrain, from the entry's first byte
    faults: dict[int, DecodeError | LimitExceeded]  # by broken entry
    with_rest: Entries  # entries that may have bytes behind their terrain
    widths: Bytes  # uint8[n] received bits a block of the first layer
    palettes: npt.NDArray[np.uint16]  # uint16[n] entries of its palette
    further: dict[int, BlockIds]  # uint16[n, 4096] third and later layers, by entry
    small_values: dict[int, Bytes]  # uint8[4096] by entry of an old version (``client.world.block_data``)


class SubChunkDecoder:
    """Decodes into the pools of a store; owned by the store."""

    def __init__(self, table: BlockTable, pools: BlockPools) -> None:
        self._table = table
        self._pools = pools
        self._no_flags = np.zeros(len(pools.layer1), np.uint32)

    def take(self, scanned: Scanned, where: Where) -> DecodedSlots:
        """Decodes all entries. Raises OutOfSlots: the pools are full; nothing was changed."""
        count, by, pools = len(scanned.rows), scanned.sort(), self._pools
        mapped = self._table.dense_of(scanned.palette)
        single = pools.uniform_many(mapped[scanned.single_ids(0)[by.single]]) if len(by.single) else NO_SLOTS
        slots = pools.take_many(len(by.indexed) + len(by.rare))
        try:
            seconds = pools.layer1_slots.take_many(len(by.second) + len(by.rare))
        except OutOfSlots:
            pools.give_back(slots)
            raise
        ends = scanned.ends - scanned.starts
        slot_of, layer1_of = np.full(count, NO_SLOT, np.int32), np.zeros(count, np.int32)
        palettes = scanned.palette_sizes()
        taken = DecodedSlots(slot_of, layer1_of, ends, {}, by.with_rest, scanned.widths(), palettes, {}, {})
        if len(by.indexed) < count:
            taken.slots[by.empty] = AIR_SLOT
            taken.slots[by.single] = single
        self._take_first(scanned, by.indexed, slots[: len(by.indexed)], mapped, taken, where)
        self._take_second(scanned, by.second, seconds[: len(by.second)], mapped, taken, where)
        for index in by.second[scanned.layers[by.second] > 2].tolist() if len(by.second) else ():
            layers = [self._table.dense_of(ids)[indices] for ids, indices in read_further(scanned.bytes_of(index))]
            if layers:
                taken.further[index] = np.stack(layers)
        for at, index in enumerate(by.rare.tolist()):
            slot, other = slots[len(by.indexed) + at :][:1], seconds[len(by.second) + at :][:1]
            self._take_rare(scanned, index, slot, other, taken, where)
        if len(by.indexed) < count:
            taken.with_rest = np.flatnonzero(taken.ends < scanned.limits - scanned.starts)
            for index in np.flatnonzero(taken.slots == NO_SLOT).tolist():
                if index not in taken.faults:
                    taken.faults[index] = fault_of(scanned, index, where(index))
        return taken

    def _private(self, slots: Slots) -> Slots:
        """The slots that are neither shared nor NO_SLOT: they were filled."""
        return np.asarray(slots[(slots != NO_SLOT) & self._pools.are_own(slots)])

    def drop_beyond(self, taken: DecodedSlots, count: int) -> None:
        """Frees the slots of entries from ``count`` on: sub-chunks above the roof."""
        if len(taken.slots) > count:
            self._pools.give_back(self._private(taken.slots[count:]))
            layer1 = taken.layer1[count:]
            self._pools.layer1_slots.give_back(layer1[layer1 > 0])

    def _take_first(
        self, scanned: Scanned, entries: Entries, slots: Slots, mapped: BlockIds, taken: DecodedSlots, where: Where
    ) -> None:
        if not len(entries):
            return
        pools = self._pools
        uniform = unpack(scanned, entries, 0, slots, mapped, self._table.flags, pools.blocks, pools.flags)
        sound = uniform == NOT_UNIFORM
        if sound.all():
            taken.slots[entries] = slots
            return
        taken.slots[entries[sound]] = slots[sound]
        pools.give_back(slots[~sound])
        one = uniform >= 0
        taken.slots[entries[one]] = pools.uniform_many(uniform[one].astype(np.uint16))
        for index in entries[uniform == BAD_INDEX].tolist():
            taken.faults[index] = fault_of(scanned, index, where(index), 0)

    def _take_second(
        self, scanned: Scanned, entries: Entries, slots: Slots, mapped: BlockIds, taken: DecodedSlots, where: Where
    ) -> None:
        if not len(entries):
            return
        pools = self._pools
        uniform = unpack(scanned, entries, 1, slots, mapped, self._table.flags, pools.layer1, self._no_flags)
        for index in entries[uniform == BAD_INDEX].tolist():
            if index not in taken.faults:
                taken.faults[index] = fault_of(scanned, index, where(index), 1)
            pools.give_back(self._private(taken.slots[index : index + 1]))
            taken.slots[index] = NO_SLOT
        air = (uniform == BAD_INDEX) | (uniform == self._table.air) | (taken.slots[entries] == NO_SLOT)
        pools.layer1_slots.give_back(slots[air])
        taken.layer1[entries[~air]] = slots[~air]

    def _take_rare(
        self, scanned: Scanned, index: int, slot: Slots, second: Slots, taken: DecodedSlots, where: Where
    ) -> None:
        """Decodes one entry; ``slot`` and ``second`` are int32[1]."""
        try:
            layers = self._rare_layers(scanned, index, taken, where(index))
        except (DecodeError, LimitExceeded) as error:
            taken.faults[index] = error
            layers = None
        if layers is None:
            self._pools.give_back(slot)
        else:
            taken.slots[index] = self._keep(layers[0], slot)
        if layers is None or not layers[1].any():
            self._pools.layer1_slots.give_back(second)
        else:
            self._pools.layer1[second] = layers[1]
            taken.layer1[index] = second[0]

    def _rare_layers(self, scanned: Scanned, index: int, taken: DecodedSlots, where: tuple[str, str]) -> list[BlockIds]:
        air = np.zeros(4096, np.uint16)
        if scanned.status[index] != SubChunkFault.NAMED_PALETTE:
            values = legacy_values(scanned, index)
            end = int(taken.ends[index])
            taken.ends[index] += light_bytes_behind(scanned.bytes_of(index, end))  # a sequence contains their size
            taken.small_values[index] = (values & 15).astype(np.uint8)
            return [self._table.dense_of_legacy(values), air]
        named = read_named(scanned.bytes_of(index), *where)
        taken.ends[index] = named.end
        taken.palettes[index] = len(named.layers[0].palette) if named.layers else 0
        layers: list[BlockIds] = []
        for layer in named.layers:
            dense = [self._table.dense_of_state(state) for state in layer.palette]
            layers.append(np.array(dense, np.uint16)[layer.indices])
        if layers[2:]:
            taken.further[index] = np.stack(layers[2 : 2 + MOST_FURTHER])
        return [*layers, air, air][:2]

    def _keep(self, ids: BlockIds, slot: Slots) -> int:
        present = np.unique(ids)
        if len(present) == 1:
            self._pools.give_back(slot)
            return self._pools.uniform(int(present[0]))
        self._pools.blocks[slot] = ids
        self._pools.flags[slot] = np.bitwise_or.reduce(self._table.flags[present])
        return int(slot[0])
