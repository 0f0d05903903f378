"""What is noted of each place that was asked: the ledger's arrays, and the questions that they answer.

Everything of a place counts from when its column was announced last (``clear``). ``client.streaming.ledger`` says what
happens when, and alone writes.

State is arrays over places (32 bytes each), no object a request.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.reserved import PoolBytes
from net.frozen import frozen
from net.space.layout import Places

FREE: Final = 0
"""Never asked, answered, or free to be asked again."""
OUTSTANDING: Final = 1
"""Asked, and neither answered nor given up on."""
WAITING: Final = 2
"""To be asked again after a pause."""
CLOSED: Final = 3
"""Refused for good."""

STATUSES: Final = ("free", "outstanding", "waiting", "closed")
"""Their names."""

COLUMNS: Final = ("status", "due", "at", "wave", "times", "tries", "silences", "unheard", "owed", "got")
"""The arrays over places."""


@frozen
class Entry:
    """What is noted of one place that was asked.

    Attributes:
        status: FREE (answered, or free to be asked again), OUTSTANDING, WAITING or CLOSED.
        asked_at: when it was asked last, monotonic seconds.
        wave: the step of asking that it belonged to, counted from 1: its packets left together.
        asked: how often it was.
        tries: answers 0 or 2 to it.
        silences: time-outs of it.
        due: when it is free again unless answered, at the earliest; None where nothing is waited for.
    """

    status: int
    asked_at: float
    wave: int
    asked: int
    tries: int
    silences: int
    due: float | None


class Entries:
    """Entries by place.

    Attributes:
        status: uint8[places] FREE, OUTSTANDING, WAITING or CLOSED; written by ``set`` alone.
        due: float64[places] when an outstanding or waiting place is free again unless answered.
        at: float64[places] when it was asked last.
        wave: int32[places] as of ``Entry``; 0 where it was not asked.
        times: uint16[places] how often it was asked.
        tries: uint8[places] answers 0 or 2.
        silences: uint8[places] time-outs.
        unheard: uint8[places] time-outs since an answer came (the ledger's rule 10).
        owed: uint8[places] requests given up on whose answers may still come.
        got: bool[places] a success since it was asked (the ledger's rule 9).
        counts: int64[4] places by status.
    """

    def __init__(self, places: int) -> None:
        """Nothing is noted of so many places."""
        self.status = np.zeros(places, np.uint8)
        self.due = np.zeros(places, np.float64)
        self.at = np.zeros(places, np.float64)
        self.wave = np.zeros(places, np.int32)
        self.times = np.zeros(places, np.uint16)
        self.tries = np.zeros(places, np.uint8)
        self.silences = np.zeros(places, np.uint8)
        self.unheard = np.zeros(places, np.uint8)
        self.owed = np.zeros(places, np.uint8)
        self.got = np.zeros(places, np.bool_)
        self.counts = np.zeros(4, np.int64)

    def __len__(self) -> int:
        """Places that there is room for."""
        return len(self.status)

    # ------------------------------------------------------------ questions

    def entry(self, place: int) -> Entry | None:
        """What is noted of a place; None where it was not asked since its column was announced."""
        if not 0 <= place < len(self) or not self.wave[place]:
            return None
        status = int(self.status[place])
        return Entry(
            status=status,
            asked_at=float(self.at[place]),
            wave=int(self.wave[place]),
            asked=int(self.times[place]),
            tries=int(self.tries[place]),
            silences=int(self.silences[place]),
            due=float(self.due[place]) if status in (OUTSTANDING, WAITING) else None,
        )

    def awaited(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which are asked and not settled, those that wait to be asked again included: bool[n]."""
        status = self.status[places]
        awaited: npt.NDArray[np.bool_] = (status == OUTSTANDING) | (status == WAITING)
        return awaited

    def waves(self, places: Places) -> npt.NDArray[np.int32]:
        """The wave of each place (see ``Entry``), 0 where it was not asked: int32[n]."""
        waves: npt.NDArray[np.int32] = self.wave[places]
        return waves

    def asked_at(self, places: Places) -> npt.NDArray[np.float64]:
        """When each place was asked last, monotonic seconds, NaN where it was not: float64[n]."""
        return np.where(self.wave[places] > 0, self.at[places], np.nan)

    def asked(self, places: Places) -> npt.NDArray[np.uint16]:
        """How often each place was asked since its column was announced: uint16[n]."""
        times: npt.NDArray[np.uint16] = self.times[places]
        return times

    def unexplained(self, places: Places) -> npt.NDArray[np.bool_]:
        """Which were asked more often than answers 0 or 2 and silences explain: bool[n].

        What was got, let go and asked again is among them (the ledger's rule 9), as is what was freed by a pause
        (its rule 4).
        """
        reasons = 1 + self.tries[places].astype(np.int32) + self.silences[places]
        unexplained: npt.NDArray[np.bool_] = self.times[places] > reasons
        return unexplained

    def next_due(self) -> float | None:
        """The earliest time at which anything is due."""
        running = (self.status == OUTSTANDING) | (self.status == WAITING)
        return float(self.due[running].min()) if running.any() else None

    def memory(self) -> PoolBytes:
        """What the arrays cost."""
        size = sum(getattr(self, name).nbytes for name in COLUMNS)
        return PoolBytes("ledger", size, size, size, size)

    # ------------------------------------------------------------ changes

    def set(self, places: Places, status: int) -> None:
        """Gives places a status and counts them there."""
        np.subtract.at(self.counts, self.status[places], 1)
        self.status[places] = status
        self.counts[status] += len(places)

    def begin_anew(self, places: Places) -> None:
        """Ends the counts of tries and silences (the ledger's rule 9)."""
        self.tries[places] = 0
        self.silences[places] = 0
        self.got[places] = False

    def clear(self, places: Places) -> None:
        """Forgets all that is noted of places."""
        self.set(places, FREE)
        self.begin_anew(places)
        self.times[places] = 0
        self.wave[places] = 0
        self.unheard[places] = self.owed[places] = 0

    def resize(self, places: int) -> None:
        """Makes room for more places."""
        more = places - len(self)
        if more > 0:
            for name in COLUMNS:
                column = getattr(self, name)
                setattr(self, name, np.concatenate([column, np.zeros(more, column.dtype)]))
