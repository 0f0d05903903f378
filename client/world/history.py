"""The last events of each sub-chunk: when, in which packet, and why.

All events of ``lifecycle.LIFE`` are recorded, also those that leave the state as it is. Of these, one that repeats
before the state changes (same cause, same code) stays one entry with the last time and a count: so neither a flickering
torch nor six refused requests overwrite the rest. Limits: a ring of ``KEPT`` events and 156 bytes a place, touched by
its first event: 4 MB for the columns of radius 16. The history of a column goes with the column.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import StateEvent, SubChunkState
from client.world.slots import PoolBytes, Reserved
from net.arrays import Places

KEPT: Final = 8  # events kept of each place; the usual sequence announced, wanted, requested, answered takes four
NO_PACKET: Final = -1  # packet number of our own actions between packets
NO_CODE: Final = -1  # code of events that are no answers
MOST_FAULTS: Final = 4096  # fault texts kept; older broken places have only their state


class SubChunkEvent(NamedTuple):
    """An event of a sub-chunk."""

    time_s: float  # when, in the session's clock; the last time where ``times`` is more than one
    packet: int  # number of the inbound packet that caused it, ``net.peer.Received.number``; NO_PACKET: our own action
    cause: StateEvent  # the kind of event
    before: SubChunkState  # state until then
    after: SubChunkState  # state from then on; often the same
    code: int  # result code of the answer, or NO_CODE
    times: int  # how often it repeated without a change of state


class History:
    """Rings of events over places; ``store_kernels`` writes them, ``States`` decides what."""

    def __init__(self, places: int) -> None:
        self._faults: dict[int, str] = {}
        self._peak = 0
        self._hold(places)

    def __deepcopy__(self, memo: dict[int, object]) -> "History":
        """A copy; memory of places without events stays untouched."""
        made = History.of_lives(len(self.noted), *self.lives())
        made._peak = self._peak
        return made

    def lives(self) -> tuple[Places, list[npt.NDArray[Any]], dict[int, str]]:
        """The content for a copy: places with events, their rows of each array, and faults."""
        lived = np.flatnonzero(self.noted).astype(np.int32)
        return lived, [part.array[lived] for part in self._parts], self._faults.copy()

    @classmethod
    def of_lives(
        cls, places: int, lived: Places, rows: Sequence[npt.NDArray[Any]], faults: Mapping[int, str]
    ) -> "History":
        """A history of so many places, with the content from ``lives``."""
        made = cls(places)
        made._faults = dict(faults)
        for part, own in zip(made._parts, rows, strict=True):
            part.array[lived] = own
        return made

    # ------------------------------------------------------------ reading

    def of(self, place: int) -> tuple[SubChunkEvent, ...]:
        """The events of a place, oldest first, at most ``KEPT``; empty for a place without a column."""
        noted = int(self.noted[place])
        rings = [index % KEPT for index in range(max(noted - KEPT, 0), noted)]
        events = (
            SubChunkEvent(
                float(self.times_s[place, at]),
                int(self.packets[place, at]),
                StateEvent(int(self.causes[place, at])),
                SubChunkState(int(self.befores[place, at])),
                SubChunkState(int(self.afters[place, at])),
                int(self.codes[place, at]),
                int(self.repeats[place, at]),
            )
            for at in rings
        )
        return tuple(sorted(events, key=attrgetter("time_s")))  # a repeated event counts by its last time

    def lost(self, place: int) -> int:
        """Number of events before those of ``of`` that were overwritten."""
        return max(int(self.noted[place]) - KEPT, 0)

    def fault(self, place: int) -> str | None:
        """Why the place is UNDECODABLE, naming packet, field and offset; None if it is not."""
        return self._faults.get(place)

    def memory(self, touched: int) -> PoolBytes:
        """Its memory, if there are events only among the first ``touched`` places."""
        lives = bool(self.noted[:touched].any())
        texts = sum(map(len, self._faults.values()))
        each = sum(part.nbytes for part in self._parts) // len(self.noted)
        committed = each * touched * lives + texts
        self._peak = max(self._peak, committed)
        used = each * int(np.count_nonzero(self.noted[:touched])) + texts
        return PoolBytes("history", each * len(self.noted) + texts, committed, used, self._peak)

    # ------------------------------------------------------------ changes

    def keep_fault(self, place: int, text: str) -> None:
        """Keeps why a place is UNDECODABLE; beyond ``MOST_FAULTS`` the oldest text is dropped."""
        self._faults.pop(place, None)
        while len(self._faults) >= MOST_FAULTS:
            del self._faults[next(iter(self._faults))]
        self._faults[place] = text

    def drop_faults(self, places: Places) -> None:
        if self._faults:
            for place in places.tolist():
                self._faults.pop(place, None)

    def clear(self, places: Places) -> None:
        self.noted[places] = 0
        self.drop_faults(places)

    def grow(self, places: int) -> None:
        """Extends the arrays for more places; they are new objects."""
        before = [part.array for part in self._parts]
        self._hold(places)
        for part, array in zip(self._parts, before, strict=True):
            part.array[: len(array)] = array

    def rest(self) -> None:
        """Gives the memory of the rings back, when no place has a column."""
        self.noted[:] = 0
        for part in self._parts:
            part.give_back(0, len(part.array))

    def _hold(self, places: int) -> None:
        rings = places, KEPT
        shapes = ((places,), np.uint32), (rings, np.float64), (rings, np.int32), (rings, np.int16)
        small = (rings, np.uint8), (rings, np.uint8), (rings, np.uint8), (rings, np.uint16)
        self._parts = [Reserved(shape, dtype) for shape, dtype in shapes + small]
        # noted: uint32[places] events so far, overwritten ones included; the newest is at ``(noted - 1) % KEPT``.
        # times_s: float64[places, KEPT]. packets: int32[places, KEPT]. codes: int16[places, KEPT].
        self.noted, self.times_s, self.packets, self.codes = (part.array for part in self._parts[:4])
        # causes: uint8[places, KEPT]. befores: uint8[places, KEPT]. afters: uint8[places, KEPT]. repeats:
        # uint16[places, KEPT] times without a change of state.
        self.causes, self.befores, self.afters, self.repeats = (part.array for part in self._parts[4:])
