"""Numbers of slots: free, in use, retired.

Rules:
1. A slot that was shown may still be read by a running job. Retiring it notes the epoch in which it stopped being
   shown; it is free when the oldest running job began in a later epoch.
2. A slot that was never shown goes straight back.
3. Low numbers first, and freed ones again before new ones: memory that was touched is touched again.
"""

from collections import deque

import numpy as np

from client.world.errors import OutOfSlots
from net.space.layout import Slots


class SlotList:
    """Who uses which of ``capacity`` slots. Owned by one thread."""

    def __init__(self, what: str, capacity: int) -> None:
        """``what`` names the pool in errors."""
        self._what = what
        self._capacity = capacity
        self._touched = 0
        self._free: list[int] = []
        self._retired: deque[tuple[int, int]] = deque()
        self._cold: set[int] = set()  # free ones whose memory was given back to the system

    @property
    def touched(self) -> int:
        """Slots 0..touched-1 were used at some time."""
        return self._touched

    @property
    def in_use(self) -> int:
        """Slots taken and not given back; retired ones count until they are reclaimed."""
        return self._touched - len(self._free)

    @property
    def retired(self) -> int:
        """Slots that wait for jobs to end."""
        return len(self._retired)

    @property
    def committed(self) -> int:
        """Slots that hold memory of the system."""
        return self._touched - len(self._cold)

    @property
    def idle(self) -> int:
        """Free slots that hold memory."""
        return len(self._free) - len(self._cold)

    def cool(self) -> list[tuple[int, int]]:
        """Notes that the memory of all free slots is given back; low numbers are used first.

        Returns:
            Runs of such slots that held memory, (first, one past the last).
        """
        self._free.sort(reverse=True)
        runs: list[tuple[int, int]] = []
        for slot in reversed([slot for slot in self._free if slot not in self._cold]):
            if runs and runs[-1][1] == slot:
                runs[-1] = (runs[-1][0], slot + 1)
            else:
                runs.append((slot, slot + 1))
        self._cold.update(self._free)
        return runs

    def take(self) -> int:
        """A slot of one's own; its content is garbage.

        Raises:
            OutOfSlots: none is left.
        """
        if self._free:
            slot = self._free.pop()
            self._cold.discard(slot)
            return slot
        if self._touched == self._capacity:
            raise OutOfSlots(self._what, self._capacity)
        self._touched += 1
        return self._touched - 1

    def take_many(self, count: int) -> Slots:
        """Several slots, all or none: int32[count].

        Raises:
            OutOfSlots: fewer are left.
        """
        if len(self._free) + self._capacity - self._touched < count:
            raise OutOfSlots(self._what, self._capacity)
        return np.fromiter((self.take() for _ in range(count)), np.int32, count)

    def give_back(self, slot: int) -> None:
        """Frees a slot that nobody else ever saw."""
        self._free.append(slot)

    def retire(self, slot: int, epoch: int) -> None:
        """Frees a slot as soon as no job of ``epoch`` or earlier runs; epochs must not fall."""
        self._retired.append((epoch, slot))

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Frees what was retired before that epoch; gives how many slots."""
        before = len(self._free)
        while self._retired and self._retired[0][0] < oldest_running_epoch:
            self._free.append(self._retired.popleft()[1])
        return len(self._free) - before
