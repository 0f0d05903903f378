"""The working memory of light steps: made once, used by one step at a time, grown when a kernel says that it is short.

Large arrays are committed by touch, so a generous size costs address space only; ``rest`` gives their pages back when
no step follows soon.
"""

from enum import Enum

import numpy as np
import numpy.typing as npt

from client.light.propagate_kernels import PLANE_WORDS, STATE_WORDS
from client.world.slots import PoolBytes, Reserved

CHANNELS = 4
TASK_WORDS = 1024
LATER_WORDS = 16 * 64
FEWEST_SEATS = 64


class Shortage(Enum):
    """What a kernel ran out of."""

    PLANES = "rows, planes or later planes"
    QUEUE = "queue entries"


class LightScratch:
    """Arrays for steps of up to ``seats`` seats; the kernels' docstrings say what each is."""

    def __init__(self) -> None:
        self._rows = self._planes = self._later = 0
        self._touched = self._peak = 0
        self._fit_seats(FEWEST_SEATS)
        self._fit_planes(64, 256, 64)
        self._fit_queues(1 << 14)
        # [n, 1024] scratch words, a row for each task that may run at the same time as others
        self.tasks = np.zeros((0, TASK_WORDS), np.uint64)

    def begin(self, seats: int, tasks: int) -> None:
        """Makes room for a step of so many seats and tasks and clears what a step expects clear."""
        if seats > self.seats:
            self._fit_seats(max(seats, 2 * self.seats, FEWEST_SEATS))
            self._fit_planes(self.seats // 2 + 64, 2 * self.seats + 256, self.seats // 4 + 64)
        if tasks > len(self.tasks):
            self.tasks = np.zeros((tasks, TASK_WORDS), np.uint64)
        used = seats + 1
        self.kind[:used] = 0
        self.fresh[:used] = 0
        self.mark[:, :used] = 0
        self.row_of[:, :used] = -1
        self.later_of[:, :used] = -1
        self.later_count = np.zeros((CHANNELS, 1), np.int32)

    def grow(self, short: Shortage) -> None:
        """Doubles what was short."""
        if short is Shortage.PLANES:
            self._fit_planes(2 * self._rows, 2 * self._planes, 2 * self._later)
        else:
            self._fit_queues(2 * len(self.queue))

    def rest(self) -> None:
        """Between steps: the memory of planes and seats goes back; the next step touches it again."""
        self._fit_seats(FEWEST_SEATS)
        for part in self._ranges:
            part.give_back(0, len(part.array))
        self._touched = 0

    def memory(self) -> PoolBytes:
        """What it costs."""
        fixed = self.queue.nbytes + self.levels_taken.nbytes + self.rises.nbytes
        reserved = sum(part.nbytes for part in self._ranges)
        used = (fixed + reserved, fixed + self._touched, 0, fixed + self._peak)
        return PoolBytes("light scratch", *used)

    def note(self, rows: list[int]) -> None:
        """A step lit so many rows of each channel: that is what it touched."""
        planes = sum(int(self.plane_of[c, :n].max(initial=-1)) + 2 for c, n in enumerate(rows))
        later = int(self.later_count.sum())
        words = planes * PLANE_WORDS + sum(rows) * STATE_WORDS + later * LATER_WORDS
        self._touched = max(self._touched, 8 * words)
        self._peak = max(self._peak, self._touched)

    def _fit_seats(self, seats: int) -> None:
        self.seats = seats
        self.sky = np.empty((self.seats, 256), np.uint16)
        self.kind = np.empty(self.seats + 1, np.uint8)
        self.fresh = np.empty(self.seats + 1, np.uint8)
        self.mark = np.empty((CHANNELS, self.seats + 1), np.uint8)
        self.row_of = np.empty((CHANNELS, self.seats + 1), np.int32)
        self.later_of = np.empty((CHANNELS, self.seats + 1), np.int32)
        self.lists = np.empty((CHANNELS, 2, 2 * self.seats + 2), np.int32)

    def _fit_planes(self, rows: int, planes: int, later: int) -> None:
        if rows > self._rows:
            self._rows = rows
            self.row_seat = np.empty((CHANNELS, rows), np.int32)
            self._plane_of = Reserved((CHANNELS, rows, 16), np.int32)
            self.plane_of = self._plane_of.array
            self._state = Reserved((CHANNELS, rows, STATE_WORDS), np.uint64, huge=True)
            self.state = self._state.array
        if planes > self._planes:
            self._planes = planes
            # Zeros where nobody wrote: the words before and behind each plane, which no kernel writes, must be.
            self._pool = Reserved((CHANNELS, planes, PLANE_WORDS), np.uint64, huge=True)
            self.pool = self._pool.array
        if later > self._later:
            self._later = later
            self.later_seat = np.empty((CHANNELS, later), np.int32)
            self.levels = np.empty((CHANNELS, later), np.int32)
            self._later_planes = Reserved((CHANNELS, later, 16, 64), np.uint64, huge=True)
            self.later = self._later_planes.array

    @property
    def _ranges(self) -> tuple[Reserved, Reserved, Reserved, Reserved]:
        return self._plane_of, self._state, self._pool, self._later_planes

    def _fit_queues(self, entries: int) -> None:
        self.queue: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
        self.levels_taken: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
        self.rises: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
