"""The life of each sub-chunk: the last things that happened to it, when, in which packet, and why.

Rules:
1. Everything that ``lifecycle.LIFE`` names is noted, also what leaves the state as it is (a second success, a repeated
   request): whoever asks why a place looks as it does wants to know that, too.
2. What leaves the state as it is and happens again before the state changes (same cause, same code) stays one event,
   with the time of the last and a count: neither a torch that flickers nor six questions and refusals wash the rest
   away.
3. A ring of ``KEPT`` events a place, in arrays; ``lost`` says how many older ones were overwritten.
4. A column that goes takes its history with it.

Limits: 156 bytes a place, touched when something happens to it: 4 MB for the columns of radius 16.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import StateEvent, SubChunkState
from client.world.slots import PoolBytes, Reserved
from net.space import Places

KEPT: Final = 8
"""Events kept of each place: announced, wanted, asked, answered takes four."""
NO_PACKET: Final = -1
"""Packet of what we did between packets."""
NO_CODE: Final = -1
"""Code of what was no answer."""
MOST_FAULTS: Final = 4096
"""Fault texts kept; what is broken beyond that is known by its state alone."""


class SubChunkEvent(NamedTuple):
    """Something that happened to a sub-chunk."""

    time_s: float  # when, in the clock that the session was told; the last time where ``times`` is more than one
    packet: int  # number of the inbound packet that did it, ``net.peer.Received.number``; NO_PACKET: we did it
    cause: StateEvent  # what happened
    before: SubChunkState  # state until then
    after: SubChunkState  # state from then on; often the same
    code: int  # result code of the answer, NO_CODE where none came
    times: int  # how often it happened while the state stayed


class History:
    """Rings of events over places; ``store_kernels`` writes them, ``States`` decides what."""

    def __init__(self, places: int) -> None:
        """Nothing happened to any of so many places."""
        self._faults: dict[int, str] = {}
        self._peak = 0
        self._hold(places)

    def __deepcopy__(self, memo: dict[int, object]) -> "History":
        """Its own copy; of places to which nothing happened nothing is touched."""
        made = History.of_lives(len(self.noted), *self.lives())
        made._peak = self._peak
        return made

    def lives(self) -> tuple[Places, list[npt.NDArray[Any]], dict[int, str]]:
        """What a copy needs: places to which something happened, their rows array by array, and faults."""
        lived = np.flatnonzero(self.noted).astype(np.int32)
        return lived, [part.array[lived] for part in self._parts], self._faults.copy()

    @classmethod
    def of_lives(
        cls, places: int, lived: Places, rows: Sequence[npt.NDArray[Any]], faults: Mapping[int, str]
    ) -> "History":
        """A history of so many places, with what ``lives`` told of one."""
        made = cls(places)
        made._faults = dict(faults)
        for part, own in zip(made._parts, rows, strict=True):
            part.array[lived] = own
        return made

    # ------------------------------------------------------------ questions

    def of(self, place: int) -> tuple[SubChunkEvent, ...]:
        """What happened to a place, oldest first; at most ``KEPT`` events, nothing where no column is."""
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
        return tuple(sorted(events, key=attrgetter("time_s")))  # what happened again is as young as its last time

    def lost(self, place: int) -> int:
        """How many events before those of ``of`` were overwritten."""
        return max(int(self.noted[place]) - KEPT, 0)

    def fault(self, place: int) -> str | None:
        """Why the place is UNDECODABLE, naming packet, field and offset; None where it is not."""
        return self._faults.get(place)

    def memory(self, touched: int) -> PoolBytes:
        """What it costs, where something happened to the first ``touched`` places at most, or to none."""
        lives = bool(self.noted[:touched].any())
        texts = sum(map(len, self._faults.values()))
        each = sum(part.nbytes for part in self._parts) // len(self.noted)
        committed = each * touched * lives + texts
        self._peak = max(self._peak, committed)
        used = each * int(np.count_nonzero(self.noted[:touched])) + texts
        return PoolBytes("history", each * len(self.noted) + texts, committed, used, self._peak)

    # ------------------------------------------------------------ changes

    def keep_fault(self, place: int, text: str) -> None:
        """Keeps why a place is UNDECODABLE; beyond ``MOST_FAULTS`` the oldest text goes."""
        self._faults.pop(place, None)
        while len(self._faults) >= MOST_FAULTS:
            del self._faults[next(iter(self._faults))]
        self._faults[place] = text

    def drop_faults(self, places: Places) -> None:
        """These places are UNDECODABLE no longer."""
        if self._faults:
            for place in places.tolist():
                self._faults.pop(place, None)

    def clear(self, places: Places) -> None:
        """Another life begins: nothing happened to these places."""
        self.noted[places] = 0
        self.drop_faults(places)

    def grow(self, places: int) -> None:
        """Room for more places; the arrays are new."""
        before = [part.array for part in self._parts]
        self._hold(places)
        for part, array in zip(self._parts, before, strict=True):
            part.array[: len(array)] = array

    def rest(self) -> None:
        """No place has a life: the memory of the rings goes back."""
        self.noted[:] = 0
        for part in self._parts:
            part.give_back(0, len(part.array))

    def _hold(self, places: int) -> None:
        rings = places, KEPT
        shapes = ((places,), np.uint32), (rings, np.float64), (rings, np.int32), (rings, np.int16)
        small = (rings, np.uint8), (rings, np.uint8), (rings, np.uint8), (rings, np.uint16)
        self._parts = [Reserved(shape, dtype) for shape, dtype in shapes + small]
        # noted: uint32[places] events so far, those overwritten included; the newest stands at ``(noted - 1) % KEPT``.
        # times_s: float64[places, KEPT].
        # packets: int32[places, KEPT].
        # codes: int16[places, KEPT].
        self.noted, self.times_s, self.packets, self.codes = (part.array for part in self._parts[:4])
        # causes: uint8[places, KEPT].
        # befores: uint8[places, KEPT].
        # afters: uint8[places, KEPT].
        # repeats: uint16[places, KEPT] times while the state stayed.
        self.causes, self.befores, self.afters, self.repeats = (part.array for part in self._parts[4:])
