"""Light slots: 8 KiB each, in one reserved address range that is committed by touch.

Slots 0 (dark) and 1 (full daylight) are shared and never written after they were made. The slots freed last are taken
first: touched memory is used again before fresh memory (4.9 us a slot, measured). If more than ``IDLE_SLOTS`` are idle,
and more than are in use, their memory goes back to the system.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world.slots import PoolBytes, Reserved
from net.arrays import LightValues, Slots
from net.space import BLOCKS_PER_SUBCHUNK

DARK_SLOT: Final = 0  # shared by all places without any light
DAYLIGHT_SLOT: Final = 1  # shared by all places of full daylight and nothing else
SHARED_SLOTS: Final = 2
FULL_DAYLIGHT: Final = 0xF000
SLOT_BYTES: Final = 2 * BLOCKS_PER_SUBCHUNK
IDLE_SLOTS: Final = 512
"""Free slots that always keep their memory: 4 MiB."""


class LightSlots:
    """The pool and its free list; owner thread only."""

    def __init__(self, capacity: int) -> None:
        self._range = Reserved((capacity, BLOCKS_PER_SUBCHUNK), np.uint16, huge=True)
        self.values: LightValues = self._range.array  # uint16[capacity, 4096]
        self._warm: npt.NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self._committed = self._peak = 0
        self.clear()

    def clear(self) -> None:
        """Frees all slots, which must not be in use, and gives their memory back."""
        self._free = np.arange(len(self.values) - 1, SHARED_SLOTS - 1, -1, dtype=np.int32)
        self._count = len(self._free)
        self._marks = np.zeros(len(self.values), np.bool_)
        self._cool(np.flatnonzero(self._warm))
        self.values[DARK_SLOT] = 0
        self.values[DAYLIGHT_SLOT] = FULL_DAYLIGHT

    @property
    def used(self) -> int:
        """Slots that places show or a step holds."""
        return len(self._free) - self._count

    @property
    def free(self) -> int:
        return self._count

    def memory(self) -> PoolBytes:
        """Their memory; slots that a step holds and has not written to yet take none."""
        committed = self._committed + SHARED_SLOTS
        used = min(self.used + SHARED_SLOTS, committed)
        peak = max(self._peak, committed)
        return PoolBytes("light", *(n * SLOT_BYTES for n in (len(self.values), committed, used, peak)))

    def take(self, most: int) -> Slots:
        """Up to ``most`` free slots for a step. Raises OutOfSlots: no slot is free."""
        if self._count == 0:
            raise OutOfSlots("light", len(self.values))
        first = max(0, self._count - most)
        taken = self._free[first : self._count].copy()
        self._count = first
        return taken

    def written(self, slots: Slots) -> None:
        """Records that a step wrote to these, so that they hold memory."""
        self._committed += len(slots) - int(self._warm[slots].sum())
        self._warm[slots] = True

    def not_among(self, slots: Slots, shown: Slots) -> Slots:
        self._marks[shown] = True
        unused = slots[~self._marks[slots]]
        self._marks[shown] = False
        return unused

    def give(self, slots: Slots) -> None:
        """Frees slots; the shared ones among them are ignored."""
        own = slots[slots >= SHARED_SLOTS]
        self._free[self._count : self._count + len(own)] = own
        self._count += len(own)

    def trim(self) -> None:
        """Gives the memory of idle slots back if it is much; no thread may be reading them."""
        if self._committed - self.used > max(IDLE_SLOTS, self.used):
            free = np.sort(self._free[: self._count])
            self._free[: self._count] = free[::-1]
            self._cool(free[self._warm[free]])

    def _cool(self, slots: npt.NDArray[np.integer]) -> None:
        self._peak = max(self._peak, self._committed + SHARED_SLOTS)
        self._warm[slots] = False
        self._committed -= len(slots)
        for run in np.split(slots, np.flatnonzero(np.diff(slots) != 1) + 1):
            if len(run):
                self._range.give_back(int(run[0]), int(run[-1]) + 1)
