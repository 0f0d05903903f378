"""Slot lists (free, in use, retired), reserved memory, and arrays that grow."""

import contextlib
import copy
import mmap
from collections import deque
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from net.arrays import Slots


class SlotList:
    """Which of ``capacity`` slots are free, in use or retired. Owned by one thread.

    A slot that was shown may still be read by a running job: ``retire`` records the epoch in which it stopped being
    shown, and it is free when the oldest running job began in a later one. Low numbers come first, and freed ones again
    before new ones: touched memory is touched again. *Cold* slots are free and hold no memory of the system.
    """

    def __init__(self, what: str, capacity: int) -> None:
        """``what`` names the pool in errors."""
        self._what = what
        self.capacity = capacity
        self.touched = 0  # slots 0..touched-1 have been used
        self._free: Slots = np.zeros(capacity, np.int32)  # a stack, committed by touch; checkpoints pack all of it
        self._count = 0
        self._retired: deque[tuple[int, Slots]] = deque()
        self._waiting = 0
        self._cold: npt.NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self._cold_count = 0
        self._peak = 0

    def __deepcopy__(self, memo: dict[int, object]) -> "SlotList":
        """A copy; untouched memory stays untouched."""
        made = copy.copy(self)
        made._free, made._cold = np.empty_like(self._free), np.zeros_like(self._cold)
        made._free[: self._count] = self._free[: self._count]
        made._cold[: self.touched] = self._cold[: self.touched]
        made._retired = self._retired.copy()
        return made

    @property
    def taken(self) -> Slots:
        """Slots in use, retired ones too, in order."""
        used = np.ones(self.touched, np.bool_)
        used[self._free[: self._count]] = False
        return np.flatnonzero(used).astype(np.int32)

    @property
    def in_use(self) -> int:
        """Slots taken and not given back; retired ones count until they are reclaimed."""
        return self.touched - self._count

    @property
    def retired(self) -> int:
        """Slots that wait for jobs to end."""
        return self._waiting

    @property
    def committed(self) -> int:
        """Slots that hold memory of the system."""
        return self.touched - self._cold_count

    @property
    def peak(self) -> int:
        """The largest ``committed`` so far."""
        return max(self._peak, self.committed)

    @property
    def idle(self) -> int:
        """Free slots that hold memory."""
        return self._count - self._cold_count

    def cool(self) -> list[tuple[int, int]]:
        """Marks all free slots as cold; returns runs of those that held memory, (first, one past the last)."""
        free = np.sort(self._free[: self._count])
        warm = free[~self._cold[free]]
        self._free[: self._count] = free[::-1]
        self._peak = self.peak
        self._cold[warm] = True
        self._cold_count = self._count
        breaks = np.flatnonzero(np.diff(warm) != 1) + 1
        runs = np.split(warm, breaks) if len(warm) else []
        return [(int(run[0]), int(run[-1]) + 1) for run in runs]

    def take(self) -> int:
        """A private slot with undefined content. Raises OutOfSlots: none is left."""
        if self._count:
            self._count -= 1
            slot = int(self._free[self._count])
            if self._cold[slot]:
                self._cold[slot] = False
                self._cold_count -= 1
            return slot
        if self.touched == self.capacity:
            raise OutOfSlots(self._what, self.capacity)
        self.touched += 1
        return self.touched - 1

    def take_many(self, count: int) -> Slots:
        """Several slots, all or none: int32[count]. Raises OutOfSlots: fewer are left."""
        again = min(count, self._count)
        new = count - again
        if self.touched + new > self.capacity:
            raise OutOfSlots(self._what, self.capacity)
        if again:
            slots = np.empty(count, np.int32)
            slots[:again] = self._free[self._count - again : self._count][::-1]
            slots[again:] = np.arange(self.touched, self.touched + new)
        else:
            slots = np.arange(self.touched, self.touched + new, dtype=np.int32)
        self._count -= again
        self.touched += new
        if self._cold_count:
            self._cold_count -= int(self._cold[slots].sum())
            self._cold[slots] = False
        return slots

    def give_back(self, slots: Slots) -> None:
        """Frees slots that were never shown; the first of them is the first to be taken again."""
        self._free[self._count : self._count + len(slots)] = slots[::-1]
        self._count += len(slots)

    def retire(self, slots: Slots, epoch: int) -> None:
        """Frees slots as soon as no job of ``epoch`` or earlier runs; epochs must not fall."""
        if len(slots):
            self._retired.append((epoch, slots))
            self._waiting += len(slots)

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Frees slots retired before that epoch; returns how many."""
        before = self._waiting
        while self._retired and self._retired[0][0] < oldest_running_epoch:
            slots = self._retired.popleft()[1]
            self._waiting -= len(slots)
            self.give_back(slots)
        return before - self._waiting


class PoolBytes(msgspec.Struct, frozen=True):
    """The memory of one pool."""

    name: str  # of the pool
    reserved: int  # bytes of address space
    committed: int  # bytes that were touched and not given back
    used: int  # bytes of slots in use
    # largest ``committed`` so far; queues and histories are measured only when statistics are read
    peak: int


class Reserved:
    """An array over an address range that is reserved once, committed by touch, and given back to the system by rows.

    The array never moves. After ``give_back`` each byte keeps its value or becomes 0. Giving back works where the
    system has ``MADV_DONTNEED`` for private pages (Linux); others keep touched memory. Where reserved memory counts as
    used (Windows), reserve less.
    """

    def __init__(self, shape: Sequence[int], dtype: type[np.generic], huge: bool = False) -> None:
        """Reserves the range. ``huge``: pages of 2 MiB; fewer faults, and up to that much for the first touch."""
        count = int(np.prod(shape))
        size = max(count * np.dtype(dtype).itemsize, 1)
        self._memory = mmap.mmap(-1, size, **_private())
        if huge and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):  # a kernel built without them
                self._memory.madvise(mmap.MADV_HUGEPAGE)
        # zeros at first; ``[rows, ...]`` of the given dtype
        self.array: npt.NDArray[Any] = np.frombuffer(self._memory, dtype, count).reshape(shape)  # Any: each its dtype
        self._row_bytes = self.array.strides[0]

    @property
    def nbytes(self) -> int:
        return self.array.nbytes

    def give_back(self, first: int, end: int) -> None:
        """Drops the pages that lie completely in rows ``first..end-1``, which no thread may be reading."""
        start = -(-first * self._row_bytes // mmap.PAGESIZE) * mmap.PAGESIZE
        stop = end * self._row_bytes // mmap.PAGESIZE * mmap.PAGESIZE
        if stop > start and hasattr(mmap, "MADV_DONTNEED"):
            self._memory.madvise(mmap.MADV_DONTNEED, start, stop - start)


def reserve(shape: Sequence[int], dtype: type[np.generic]) -> npt.NDArray[Any]:  # Any: each caller's dtype
    """An array over a range that is never given back."""
    return Reserved(shape, dtype).array


Number = TypeVar("Number", bound=np.generic)


def longer(array: npt.NDArray[Number], length: int, filled_with: float | np.generic = 0) -> npt.NDArray[Number]:
    """The array itself if it is that long, else a copy extended with one value."""
    if length <= len(array):
        return array
    grown = np.full((length, *array.shape[1:]), filled_with, array.dtype)
    grown[: len(array)] = array
    return grown


def _private() -> dict[str, int]:
    """Flags for private pages: by default ``mmap`` shares them with children, and then they cannot be given back."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return {}
    return {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)}
