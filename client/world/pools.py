"""Block slots: ids of 4,096 blocks and what is derived from them, for every sub-chunk that differs from a uniform one.

Rules:
1. A slot is immutable once shown by a published store. Whoever wants another content takes a slot, fills it, shows it
   and retires the old one.
2. A sub-chunk of one block is the shared slot of that block: kernels need no special case, memory none either.
   Slot 0 is air, slot 1 the placeholder. Shared slots are never retired.
3. Masks, kinds and connectivity follow from the ids; the store derives them for all slots of a drain in one batch.
4. No array ever moves: address space is reserved at the start and memory is committed by the first touch.

Theory of epochs: ``epoch`` counts drains. A job remembers the epoch it began in; what was retired before the epoch of
the oldest running job is free (``reclaim``). With no job running, ``reclaim(pools.epoch)`` frees everything retired in
earlier drains.

Limits: 10,263 bytes a slot; 131,072 slots by default, 1.3 GB of address space. Where the system counts reserved
memory as used (Windows), pass a smaller capacity.
"""

import contextlib
import mmap
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from client.world.slots import SlotList
from net.space.layout import BLOCKS_PER_SUBCHUNK, COLUMN_AREA, BlockIds, ColumnMasks, Slots
from net.subchunk.kinds import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER

__all__ = [
    "AIR_SLOT",
    "ALL_OPAQUE",
    "HAS_LIQUID",
    "HAS_OPAQUE",
    "HAS_OTHER",
    "IS_PLACEHOLDER",
    "PLACEHOLDER_SLOT",
    "BlockPools",
    "PoolStats",
]

AIR_SLOT: Final = 0
PLACEHOLDER_SLOT: Final = 1

SEE_THROUGH: Final = 0x3F3F3F3F3F3F
"""Connectivity of a sub-chunk through which every face sees every face (client.visibility.connectivity)."""

DEFAULT_CAPACITY: Final = 131_072
DEFAULT_LAYER1_CAPACITY: Final = 16_384
IDLE_SLOTS: Final = 4096
"""Free slots that keep their memory whatever happens: 32 MiB."""
SLOT_BYTES: Final = 2 * BLOCKS_PER_SUBCHUNK + 3 * 2 * COLUMN_AREA + 1 + 4 + 8


class UniformTraits(Protocol):
    """What pools ask of a block table to make the shared slot of a block."""

    @property
    def air(self) -> int:
        """Dense id of air."""
        ...

    @property
    def placeholder(self) -> int:
        """Dense id of the placeholder."""
        ...

    @property
    def flags(self) -> npt.NDArray[np.uint32]:
        """Light flags by dense id."""
        ...

    def kinds_of(self, dense: int) -> int:
        """Kinds of a sub-chunk that is all this block."""
        ...


@dataclass(frozen=True, slots=True)
class PoolStats:
    """What the pools hold.

    Attributes:
        slots: block slots in use, shared and retired ones included.
        uniform: how many of them are shared slots of one block.
        retired: how many wait for jobs to end.
        layer1: slots of the second layer in use.
        bytes: memory of slots that were used and not given back to the system.
        capacity: block slots there could be.
    """

    slots: int
    uniform: int
    retired: int
    layer1: int
    bytes: int
    capacity: int


class BlockPools:
    """The arrays, and who uses which slot. Written by the store's thread only.

    Attributes:
        blocks: BlockIds[capacity, 4096].
        opaque: ColumnMasks[capacity, 256]; placeholders count as opaque.
        liquid: ColumnMasks[capacity, 256].
        other: ColumnMasks[capacity, 256]: models, cut-outs, translucent blocks.
        kinds: uint8[capacity] HAS_OPAQUE | ALL_OPAQUE | HAS_LIQUID | HAS_OTHER | IS_PLACEHOLDER.
        flags: uint32[capacity], or-ed over the ids (or more: a palette may name unused ids): bit 0 shines; bit 1 + c
            takes something else than 1 of channel c and is not opaque.
        connectivity: uint64[capacity] which face sees which.
        layer1: BlockIds[layer-1 capacity, 4096] the second layer of those who have one; slot 0 is all air.
        epoch: number of the drain under way.
    """

    def __init__(
        self,
        table: UniformTraits,
        capacity: int = DEFAULT_CAPACITY,
        layer1_capacity: int = DEFAULT_LAYER1_CAPACITY,
    ) -> None:
        """Reserves, and makes slots 0 and 1."""
        self.capacity = capacity
        self._memory, self.blocks = _reserve_mapped((capacity, BLOCKS_PER_SUBCHUNK), np.uint16)
        self.opaque: ColumnMasks = _reserve((capacity, COLUMN_AREA), np.uint16)
        self.liquid: ColumnMasks = _reserve((capacity, COLUMN_AREA), np.uint16)
        self.other: ColumnMasks = _reserve((capacity, COLUMN_AREA), np.uint16)
        self.kinds: npt.NDArray[np.uint8] = _reserve((capacity,), np.uint8)
        self.flags: npt.NDArray[np.uint32] = _reserve((capacity,), np.uint32)
        self.connectivity: npt.NDArray[np.uint64] = _reserve((capacity,), np.uint64)
        self.layer1: BlockIds = _reserve((layer1_capacity, BLOCKS_PER_SUBCHUNK), np.uint16)
        self.epoch = 0
        self._table = table
        self._slots = SlotList("block", capacity)
        self._layer1_slots = SlotList("second layer", layer1_capacity)
        self._layer1_slots.take()
        self._uniform: dict[int, int] = {}
        self._shared: npt.NDArray[np.bool_] = _reserve((capacity,), np.bool_)
        self.uniform(table.air)
        self.uniform(table.placeholder)

    # ------------------------------------------------------------ slots

    def take(self) -> int:
        """A private slot; the taker fills ``blocks`` and ``flags``.

        Raises:
            OutOfSlots: the pool is full.
        """
        return self._slots.take()

    def take_many(self, count: int) -> Slots:
        """Several private slots, all or none.

        Raises:
            OutOfSlots: the pool has not that many.
        """
        return self._slots.take_many(count)

    def give_back(self, slot: int) -> None:
        """Frees a private slot that was never shown."""
        self._slots.give_back(slot)

    def retire(self, slot: int, epoch: int) -> None:
        """Frees a shown slot once no job of that epoch or an older one runs; shared slots are left alone."""
        if not self._shared[slot]:
            self._slots.retire(slot, epoch)

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Frees what was retired before that epoch, in both layers; gives how many block slots.

        When more than ``IDLE_SLOTS`` lie idle, and more than are in use, their memory goes back to the system.
        """
        self._layer1_slots.reclaim(oldest_running_epoch)
        freed = self._slots.reclaim(oldest_running_epoch)
        if self._slots.idle > max(IDLE_SLOTS, self._slots.in_use):
            for first, end in self._slots.cool():
                _give_pages_back(self._memory, first, end)
        return freed

    def prepare(self, slots: int) -> None:
        """Commits memory for so many slots ahead, so that first columns do not wait for it (7 us each, measured)."""
        first = self._slots.touched
        end = min(first + slots, self.capacity)
        for array in (self.blocks, self.opaque, self.liquid, self.other):
            array[first:end, :: mmap.PAGESIZE // 2] = 0

    def next_epoch(self) -> int:
        """Ends a drain: what is retired from now on was seen by jobs of the new epoch."""
        self.epoch += 1
        return self.epoch

    # ------------------------------------------------------------ uniform content

    def uniform(self, dense: int) -> int:
        """The shared slot of a sub-chunk that is all this block, made when first asked for.

        Raises:
            OutOfSlots: the pool is full.
        """
        slot = self._uniform.get(dense)
        return self._share(dense) if slot is None else slot

    def is_shared(self, slot: int) -> bool:
        """Whether the slot is one of one block, never written."""
        return bool(self._shared[slot])

    def _share(self, dense: int) -> int:
        slot = self.take()
        kinds = self._table.kinds_of(dense)
        full = 0xFFFF
        self.blocks[slot] = dense
        self.opaque[slot] = full if kinds & HAS_OPAQUE else 0
        self.liquid[slot] = full if kinds & HAS_LIQUID else 0
        self.other[slot] = full if kinds & HAS_OTHER else 0
        self.kinds[slot] = kinds
        self.flags[slot] = self._table.flags[dense]
        self.connectivity[slot] = 0 if kinds & ALL_OPAQUE else SEE_THROUGH
        self._uniform[dense] = slot
        self._shared[slot] = True
        return slot

    # ------------------------------------------------------------ second layer

    def take_layer1(self, count: int = 1) -> Slots:
        """Private slots of the second layer, all or none.

        Raises:
            OutOfSlots: the pool has not that many.
        """
        return self._layer1_slots.take_many(count)

    def give_back_layer1(self, slot: int) -> None:
        """Frees a private second-layer slot."""
        self._layer1_slots.give_back(slot)

    def retire_layer1(self, slot: int, epoch: int) -> None:
        """As ``retire``; slot 0 (all air) is shared."""
        if slot:
            self._layer1_slots.retire(slot, epoch)

    # ------------------------------------------------------------ accounts

    def stats(self) -> PoolStats:
        """A frozen snapshot."""
        touched = self._slots.committed * SLOT_BYTES + self._layer1_slots.touched * 2 * BLOCKS_PER_SUBCHUNK
        return PoolStats(
            slots=self._slots.in_use,
            uniform=len(self._uniform),
            retired=self._slots.retired,
            layer1=self._layer1_slots.in_use - 1,
            bytes=touched,
            capacity=self.capacity,
        )


def _reserve(shape: tuple[int, ...], dtype: type[np.generic]) -> npt.NDArray[Any]:  # Any: each caller's dtype
    """Zeros whose memory is committed by the first touch of each page."""
    return _reserve_mapped(shape, dtype)[1]


def _reserve_mapped(shape: tuple[int, ...], dtype: type[np.generic]) -> tuple[mmap.mmap, npt.NDArray[Any]]:
    """The same with the mapping; in huge pages where the system has them."""
    count = int(np.prod(shape))
    size = max(count * np.dtype(dtype).itemsize, 1)
    flags = {}
    if hasattr(mmap, "MAP_NORESERVE"):
        flags = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_NORESERVE}
    memory = mmap.mmap(-1, size, **flags)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel built without them
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory, np.frombuffer(memory, dtype, count).reshape(shape)


def _give_pages_back(memory: mmap.mmap, first: int, end: int) -> None:
    """Drops the memory of block slots first..end-1; reading them gives zeros again."""
    slot_bytes = 2 * BLOCKS_PER_SUBCHUNK
    if hasattr(mmap, "MADV_DONTNEED") and slot_bytes % mmap.PAGESIZE == 0:
        memory.madvise(mmap.MADV_DONTNEED, first * slot_bytes, (end - first) * slot_bytes)
