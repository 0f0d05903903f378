"""Block slots: ids of 4,096 blocks and the masks derived from them, for every sub-chunk that is not uniform.

Rules:
1. A slot is immutable once a published store shows it: to change content, fill a new slot and retire the old one.
2. A sub-chunk of one block uses the shared slot of that block. Slot 0 is air, slot 1 the placeholder.
3. Masks, kinds and connectivity follow from the ids; the store derives them for all slots of a drain in one batch.
4. No array ever moves: address space is reserved at the start and memory is committed by the first touch.

``epoch`` counts drains. A job stores the epoch it began in; a slot retired before the epoch of the oldest running job
is free (``reclaim``). Limits: 10,263 bytes a slot; 131,072 slots by default, 1.3 GB of address space.
"""

import copy
import mmap
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_table import BlockTable
from client.world.slots import PoolBytes, Reserved, SlotList, reserve
from net.arrays import BlockIds, ColumnMasks, Slots
from net.space import BLOCKS_PER_SUBCHUNK, COLUMN_AREA
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER

__all__ = ["ALL_OPAQUE", "HAS_LIQUID", "HAS_OPAQUE", "HAS_OTHER", "IS_PLACEHOLDER"]

NOT_MADE: Final = -1
FULL: Final = 0xFFFF  # a column mask of 16 blocks

SEE_THROUGH: Final = 0x3F3F3F3F3F3F
"""Connectivity of a sub-chunk through which every face sees every face (client.visibility)."""


AIR_SLOT: Final = 0
PLACEHOLDER_SLOT: Final = 1
DEFAULT_CAPACITY: Final = 131_072
DEFAULT_LAYER1_CAPACITY: Final = 16_384
CROWDED_PART: Final = 64
"""One slot in so many is kept free for answers in transit: 2,048 by default."""
IDLE_SLOTS: Final = 512  # free slots that always keep their memory: 5 MiB
ID_BYTES: Final = 2 * BLOCKS_PER_SUBCHUNK
MASK_BYTES: Final = 3 * 2 * COLUMN_AREA + 1 + 4 + 8

ROWS: Final = ("blocks", "opaque", "liquid", "other", "layer1", "wet")
"""Arrays of uint16 rows, the last two by slot of the second layer."""
BY_SLOT: Final = ("kinds", "flags", "connectivity", "shared")


class SlotPin:
    """Keeps the slots that are shown in an epoch unchanged."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch  # the epoch
        self.done = False  # set once by the reader, on any thread


class PoolStats(msgspec.Struct, frozen=True):
    """Counts and memory of the pools."""

    slots: int  # block slots in use, shared and retired ones included
    uniform: int  # shared slots of one block among them
    retired: int  # retired slots that wait for jobs to end
    layer1: int  # slots of the second layer in use
    bytes: int  # memory of slots that were used and not given back to the system, the sum of ``memory``
    capacity: int  # possible block slots
    memory: tuple[PoolBytes, ...]  # the same by pool


class BlockPools:
    """The arrays and the slot lists. Written by the store's thread only."""

    def __init__(
        self, table: BlockTable, capacity: int = DEFAULT_CAPACITY, layer1_capacity: int = DEFAULT_LAYER1_CAPACITY
    ) -> None:
        self.capacity = capacity
        self._reserve(capacity, layer1_capacity)
        self.epoch = 0  # number of the present drain
        self._slots = SlotList("block", capacity)
        self.layer1_slots = SlotList("second layer", layer1_capacity)  # slot 0 is all air, and never retired
        self.layer1_slots.take()
        self._table = table
        # the shared slot of each block, NOT_MADE before its first use; never written afterwards, nor retired
        self._uniform: Slots = np.full(1 << 16, NOT_MADE, np.int32)
        self._uniform_made = 0
        self.uniform(table.air)
        self.uniform(table.placeholder)

    def _reserve(self, capacity: int, layer1_capacity: int) -> None:
        self._ids = Reserved((capacity, BLOCKS_PER_SUBCHUNK), np.uint16, huge=True)
        self._masks = [Reserved((capacity, COLUMN_AREA), np.uint16) for _ in range(3)]
        self._second = Reserved((layer1_capacity, BLOCKS_PER_SUBCHUNK), np.uint16)
        self._wet = Reserved((layer1_capacity, COLUMN_AREA), np.uint16)
        self.blocks: BlockIds = self._ids.array  # BlockIds[capacity, 4096]
        self.opaque: ColumnMasks = self._masks[0].array  # ColumnMasks[capacity, 256]; placeholders count as opaque
        self.liquid: ColumnMasks = self._masks[1].array  # ColumnMasks[capacity, 256]
        # ColumnMasks[capacity, 256]: models, cut-outs, translucent blocks
        self.other: ColumnMasks = self._masks[2].array
        # uint8[capacity] HAS_OPAQUE | ALL_OPAQUE | HAS_LIQUID | HAS_OTHER | IS_PLACEHOLDER
        self.kinds: npt.NDArray[np.uint8] = reserve((capacity,), np.uint8)
        # uint32[capacity], or-ed over the ids (or over more: a palette may name unused ids): bit 0 emits light; bit 1 +
        # c takes something else than 1 of channel c and is not opaque
        self.flags: npt.NDArray[np.uint32] = reserve((capacity,), np.uint32)
        # uint64[capacity] which face sees which
        self.connectivity: npt.NDArray[np.uint64] = reserve((capacity,), np.uint64)
        # BlockIds[layer-1 capacity, 4096] the second layer of sub-chunks that have one; slot 0 is all air
        self.layer1: BlockIds = self._second.array
        # ColumnMasks[layer-1 capacity, 256] liquid in it, whatever the first layer holds
        self.wet: ColumnMasks = self._wet.array
        self.shared: npt.NDArray[np.bool_] = reserve((capacity,), np.bool_)  # bool[capacity] slots of one block
        self._pins: list[SlotPin] = []

    # ------------------------------------------------------------ copies

    def __deepcopy__(self, memo: dict[int, object]) -> "BlockPools":
        """A copy that uses the same slots, whose rows are zeros until the caller fills them (``rows``)."""
        made = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            if name not in (*ROWS, *BY_SLOT, "_ids", "_masks", "_second", "_wet", "_pins"):
                setattr(made, name, copy.deepcopy(value, memo))
        made._reserve(self.capacity, len(self.layer1))
        touched = self._slots.touched
        for name in BY_SLOT:
            getattr(made, name)[:touched] = getattr(self, name)[:touched]
        memo |= {id(getattr(self, name)): getattr(made, name) for name in (*ROWS, *BY_SLOT)}
        return made

    def pin(self) -> "SlotPin":
        """Keeps what is shown now unchanged until ``SlotPin.done`` is set, for a reader on another thread."""
        self._pins.append(SlotPin(self.epoch))
        return self._pins[-1]

    def rows(self, name: str) -> tuple[Slots, npt.NDArray[np.uint16]]:
        """The slots in use of one of ``ROWS``, and the array that holds their rows."""
        slots = self.layer1_slots if name in ("layer1", "wet") else self._slots
        return slots.taken, getattr(self, name)

    # ------------------------------------------------------------ slots

    @property
    def crowded(self) -> bool:
        """Whether so few slots are free that no more blocks should be requested."""
        return (self.capacity - self._slots.in_use) * CROWDED_PART < self.capacity

    def take(self) -> int:
        """A private slot; the caller fills ``blocks`` and ``flags``. Raises OutOfSlots: the pool is full."""
        return self._slots.take()

    def take_many(self, count: int) -> Slots:
        """Several private slots, all or none. Raises OutOfSlots: the pool has not that many."""
        return self._slots.take_many(count)

    def give_back(self, slots: Slots) -> None:
        """Frees private slots that were never shown."""
        self._slots.give_back(slots)

    def retire(self, slots: Slots, epoch: int) -> None:
        """Frees shown slots once no job of that epoch or an older one runs; skips shared ones."""
        self._slots.retire(slots[self.are_own(slots)], epoch)

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Frees slots retired before that epoch, in both layers; returns the number of block slots.

        If more than ``IDLE_SLOTS`` are idle, and more than are in use, their memory goes back to the system.
        """
        self._pins = [pin for pin in self._pins if not pin.done]
        oldest_running_epoch = min([oldest_running_epoch, *(pin.epoch for pin in self._pins)])
        self.layer1_slots.reclaim(oldest_running_epoch)
        freed = self._slots.reclaim(oldest_running_epoch)
        if _much_idle(self._slots):
            for first, end in self._slots.cool():
                for part in (self._ids, *self._masks):
                    part.give_back(first, end)
        if _much_idle(self.layer1_slots):
            for first, end in self.layer1_slots.cool():
                self._second.give_back(first, end)
                self._wet.give_back(first, end)
        return freed

    def prepare(self, slots: int) -> None:
        """Commits memory for so many slots ahead, so that first columns do not wait for it (7 us each, measured)."""
        first = self._slots.touched
        end = min(first + slots, self.capacity)
        for array in (self.blocks, self.opaque, self.liquid, self.other):
            array[first:end, :: mmap.PAGESIZE // 2] = 0

    def next_epoch(self) -> int:
        self.epoch += 1
        return self.epoch

    # ------------------------------------------------------------ uniform content

    def uniform(self, dense: int) -> int:
        """The shared slot of a block, made on first use. Raises OutOfSlots: the pool is full."""
        slot = int(self._uniform[dense])
        return self._make_uniform(dense) if slot == NOT_MADE else slot

    def uniform_many(self, dense: BlockIds) -> Slots:
        """The shared slots of several blocks: int32[n]. Raises OutOfSlots: the pool is full."""
        slots = self._uniform[dense]
        if (slots == NOT_MADE).any():
            for missing in np.unique(dense[slots == NOT_MADE]).tolist():
                self._make_uniform(missing)
            slots = self._uniform[dense]
        return slots

    def _make_uniform(self, dense: int) -> int:
        slot, kinds = self.take(), self._table.kinds_of(dense)
        self.blocks[slot] = dense
        self.opaque[slot] = FULL if kinds & HAS_OPAQUE else 0
        self.liquid[slot] = FULL if kinds & HAS_LIQUID else 0
        self.other[slot] = FULL if kinds & HAS_OTHER else 0
        self.kinds[slot] = kinds
        self.flags[slot] = self._table.flags[dense]
        self.connectivity[slot] = 0 if kinds & ALL_OPAQUE else SEE_THROUGH
        self.shared[slot] = True
        self._uniform[dense] = slot
        self._uniform_made += 1
        return slot

    def are_own(self, slots: Slots) -> npt.NDArray[np.bool_]:
        """Which of these are not shared: bool[n]."""
        return ~self.shared[slots]

    # ------------------------------------------------------------ statistics

    def stats(self) -> PoolStats:
        memory = (
            _bytes("block ids", self._slots, ID_BYTES),
            _bytes("block masks", self._slots, MASK_BYTES),
            _bytes("second layer", self.layer1_slots, ID_BYTES + 2 * COLUMN_AREA),
        )
        return PoolStats(
            slots=self._slots.in_use,
            uniform=self._uniform_made,
            retired=self._slots.retired,
            layer1=self.layer1_slots.in_use - 1,
            bytes=sum(pool.committed for pool in memory),
            capacity=self.capacity,
            memory=memory,
        )


def _much_idle(slots: SlotList) -> bool:
    return slots.idle > max(IDLE_SLOTS, slots.in_use)


def _bytes(name: str, slots: SlotList, each: int) -> PoolBytes:
    return PoolBytes(name, slots.capacity * each, slots.committed * each, slots.in_use * each, slots.peak * each)
