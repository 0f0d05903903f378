"""The working memory of light steps: made once, used by one step at a time, grown when a kernel says that it is short.

Large arrays are committed by touch, so a generous size costs address space only.
"""

from enum import Enum

import numpy as np
import numpy.typing as npt

from client.light.plane_kernels import PLANE_WORDS, STATE_WORDS

CHANNELS = 4
TASK_WORDS = 1024


class Short(Enum):
    """What a kernel ran out of."""

    PLANES = "rows, planes or later planes"
    QUEUE = "queue entries"


class LightScratch:
    """Arrays for steps of up to ``seats`` seats; the kernels' docstrings say what each is.

    Attributes:
        tasks: [n, 1024] scratch words, a row for each task that may run at the same time as others.
    """

    def __init__(self) -> None:
        self.seats = 0
        self._rows = self._planes = self._later = 0
        self._fit_planes(64, 256, 64)
        self._fit_queues(1 << 14)
        self.tasks = np.zeros((0, TASK_WORDS), np.uint64)

    def begin(self, seats: int, tasks: int) -> None:
        """Makes room for a step of so many seats and tasks and clears what a step expects clear."""
        if seats > self.seats or self.seats == 0:
            self.seats = max(seats, 2 * self.seats, 64)
            self.sky = np.empty((self.seats, 256), np.uint16)
            self.kind = np.empty(self.seats + 1, np.uint8)
            self.fresh = np.empty(self.seats + 1, np.uint8)
            self.mark = np.empty((CHANNELS, self.seats + 1), np.uint8)
            self.row_of = np.empty((CHANNELS, self.seats + 1), np.int32)
            self.later_of = np.empty((CHANNELS, self.seats + 1), np.int32)
            self.lists = np.empty((CHANNELS, 2, 2 * self.seats + 2), np.int32)
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

    def grow(self, short: Short) -> None:
        """Doubles what was short."""
        if short is Short.PLANES:
            self._fit_planes(2 * self._rows, 2 * self._planes, 2 * self._later)
        else:
            self._fit_queues(2 * len(self.queue))

    def _fit_planes(self, rows: int, planes: int, later: int) -> None:
        if rows > self._rows:
            self._rows = rows
            self.row_seat = np.empty((CHANNELS, rows), np.int32)
            self.plane_of = np.empty((CHANNELS, rows, 16), np.int32)
            self.state = np.empty((CHANNELS, rows, STATE_WORDS), np.uint64)
        if planes > self._planes:
            self._planes = planes
            self.pool = np.empty((CHANNELS, planes, PLANE_WORDS), np.uint64)  # not zeros: empty asks for huge pages
            self.pool[:, :, :8] = 0
            self.pool[:, :, 72:] = 0
        if later > self._later:
            self._later = later
            self.later_seat = np.empty((CHANNELS, later), np.int32)
            self.levels = np.empty((CHANNELS, later), np.int32)
            self.later = np.empty((CHANNELS, later, 16, 64), np.uint64)

    def _fit_queues(self, entries: int) -> None:
        self.queue: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
        self.levels_taken: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
        self.rises: npt.NDArray[np.uint32] = np.empty(entries, np.uint32)
