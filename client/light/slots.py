"""Light slots: 8 KiB each, in one address range that is reserved once and committed by touch.

Slots 0 (dark) and 1 (full daylight) are shared and never written after they were made. The others belong to
one place each while it shows them. The slots freed last are taken first, so touched memory is used
again before fresh memory (first touch of 8 KiB costs 4.9 us, measured).

Limits: memory that was touched stays with the process; where the system counts reserved memory as used (Windows), pass
a smaller capacity.
"""

import mmap
from typing import Final

import numpy as np

from client.world.errors import OutOfSlots
from net.space.layout import BLOCKS_PER_SUBCHUNK, LightValues, Slots

DARK_SLOT: Final = 0
"""Shared by all places without any light."""
DAYLIGHT_SLOT: Final = 1
"""Shared by all places of full daylight and nothing else."""
SHARED_SLOTS: Final = 2
FULL_DAYLIGHT: Final = 0xF000
SLOT_BYTES: Final = 2 * BLOCKS_PER_SUBCHUNK


class LightSlots:
    """The pool and its free list; owner thread only.

    Attributes:
        values: uint16[capacity, 4096].
    """

    def __init__(self, capacity: int) -> None:
        flags = {}
        if hasattr(mmap, "MAP_NORESERVE"):
            flags = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_NORESERVE}
        memory = mmap.mmap(-1, capacity * SLOT_BYTES, **flags)
        self.values: LightValues = np.frombuffer(memory, np.uint16).reshape(capacity, BLOCKS_PER_SUBCHUNK)
        self.values[DARK_SLOT] = 0
        self.values[DAYLIGHT_SLOT] = FULL_DAYLIGHT
        self.clear()

    def clear(self) -> None:
        """Frees all slots; nobody may hold one."""
        self._free = np.arange(len(self.values) - 1, SHARED_SLOTS - 1, -1, dtype=np.int32)
        self._count = len(self._free)
        self._marks = np.zeros(len(self.values), np.bool_)

    @property
    def used(self) -> int:
        """Slots that places show or a step holds."""
        return len(self._free) - self._count

    def take(self, most: int) -> Slots:
        """Up to ``most`` free slots for a step.

        Raises:
            OutOfSlots: there is none at all.
        """
        if self._count == 0:
            raise OutOfSlots("light", len(self.values))
        first = max(0, self._count - most)
        taken = self._free[first : self._count].copy()
        self._count = first
        return taken

    def not_among(self, slots: Slots, shown: Slots) -> Slots:
        """Those of ``slots`` that are not in ``shown``."""
        self._marks[shown] = True
        unused = slots[~self._marks[slots]]
        self._marks[shown] = False
        return unused

    def give(self, slots: Slots) -> None:
        """Frees slots; the shared ones among them are ignored."""
        own = slots[slots >= SHARED_SLOTS]
        self._free[self._count : self._count + len(own)] = own
        self._count += len(own)
