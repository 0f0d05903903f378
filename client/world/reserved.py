"""Address ranges that are reserved once, committed by touch, and given back to the system by rows.

Rules:
1. Nothing moves: an array over a range stays where it is, and a row of it costs memory from its first touch on.
2. ``give_back`` drops the pages that lie wholly in some rows. Each byte of them then is what it was, or zero.
3. The pages are this process's own (private): the system takes pages of a shared range back only with its file.

Limits: giving back works where the system has ``MADV_DONTNEED`` for private pages (Linux); others keep what was
touched. Where the system counts reserved memory as used (Windows), reserve less.
"""

import contextlib
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from net.frozen import frozen


@frozen
class PoolBytes:
    """What one pool costs.

    Attributes:
        name: of the pool.
        reserved: bytes of address space.
        committed: bytes that were touched and not given back.
        used: bytes of slots in use.
        peak: the most that was ever committed at a time, as far as anybody looked: queues and histories are counted
            when somebody asks.
    """

    name: str
    reserved: int
    committed: int
    used: int
    peak: int


class Reserved:
    """One array over a range of its own.

    Attributes:
        array: zeros at first; ``[rows, ...]`` of the dtype it was made with.
    """

    def __init__(self, shape: Sequence[int], dtype: type[np.generic], huge: bool = False) -> None:
        """Reserves. ``huge`` asks for pages of 2 MiB: fewer faults, and up to that much for the first touch."""
        count = int(np.prod(shape))
        size = max(count * np.dtype(dtype).itemsize, 1)
        self._memory = mmap.mmap(-1, size, **_private())
        if huge and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):  # a kernel built without them
                self._memory.madvise(mmap.MADV_HUGEPAGE)
        self.array: npt.NDArray[Any] = np.frombuffer(self._memory, dtype, count).reshape(shape)  # Any: each its dtype
        self._row_bytes = self.array.strides[0]

    @property
    def nbytes(self) -> int:
        """Bytes of the range."""
        return self.array.nbytes

    def give_back(self, first: int, end: int) -> None:
        """Drops the pages that lie wholly in rows ``first..end-1``; nobody may be reading them."""
        start = -(-first * self._row_bytes // mmap.PAGESIZE) * mmap.PAGESIZE
        stop = end * self._row_bytes // mmap.PAGESIZE * mmap.PAGESIZE
        if stop > start and hasattr(mmap, "MADV_DONTNEED"):
            self._memory.madvise(mmap.MADV_DONTNEED, start, stop - start)


def reserve(shape: Sequence[int], dtype: type[np.generic]) -> npt.NDArray[Any]:  # Any: each caller's dtype
    """An array over a range that is never given back."""
    return Reserved(shape, dtype).array


def _private() -> dict[str, int]:
    """Pages of this process alone; by default ``mmap`` shares them with children, and then they stay."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return {}
    return {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)}
