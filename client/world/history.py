"""The life of each sub-chunk: the last things that happened to it, when, in which packet, and why.

Rules:
1. Everything that ``lifecycle.LIFE`` names is noted, also what leaves the state as it is (a second success, a repeated
   request): whoever asks why a place looks as it does wants to know that, too.
2. What leaves the state as it is and happens again at once (same cause, same code) stays one event, with the time of
   the last and a count: a torch that flickers does not wash the rest away.
3. A ring of ``KEPT`` events a place, in arrays; ``lost`` says how many older ones were overwritten.
4. A column that goes takes its history with it.

Limits: 156 bytes a place, touched when something happens to it: 4 MB for the columns of radius 16.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import Cause, Knowledge
from net.space.layout import Places

KEPT: Final = 8
"""Events kept of each place: announced, wanted, asked, answered takes four."""
NO_PACKET: Final = -1
"""Packet of what we did between packets."""
NO_CODE: Final = -1
"""Code of what was no answer."""
MOST_FAULTS: Final = 4096
"""Fault texts kept; what is broken beyond that is known by its state alone."""


class Event(NamedTuple):
    """Something that happened to a sub-chunk.

    Attributes:
        time_s: when, in the clock that the session was told; the last time where ``times`` is more than one.
        packet: number of the inbound packet that did it, ``net.peer.Received.number``; NO_PACKET: we did it.
        cause: what happened.
        before: state until then.
        after: state from then on; often the same.
        code: result code of the answer, NO_CODE where none came.
        times: how often it happened in a row.
    """

    time_s: float
    packet: int
    cause: Cause
    before: Knowledge
    after: Knowledge
    code: int
    times: int


class History:
    """Rings of events over places; ``life_kernels`` writes them, ``States`` decides what.

    Attributes:
        noted: uint32[places] events so far, those overwritten included; the newest stands at ``(noted - 1) % KEPT``.
        times_s: float64[places, KEPT].
        packets: int32[places, KEPT].
        codes: int16[places, KEPT].
        causes: uint8[places, KEPT].
        befores: uint8[places, KEPT].
        afters: uint8[places, KEPT].
        repeats: uint16[places, KEPT] times in a row.
    """

    def __init__(self, places: int) -> None:
        """Nothing happened to any of so many places."""
        self._faults: dict[int, str] = {}
        self.noted = np.zeros(places, np.uint32)
        self.times_s = np.zeros((places, KEPT), np.float64)
        self.packets = np.zeros((places, KEPT), np.int32)
        self.codes = np.zeros((places, KEPT), np.int16)
        self.causes = np.zeros((places, KEPT), np.uint8)
        self.befores = np.zeros((places, KEPT), np.uint8)
        self.afters = np.zeros((places, KEPT), np.uint8)
        self.repeats = np.zeros((places, KEPT), np.uint16)

    # ------------------------------------------------------------ questions

    def of(self, place: int) -> tuple[Event, ...]:
        """What happened to a place, oldest first; at most ``KEPT`` events, nothing where no column is."""
        noted = int(self.noted[place])
        rings = [index % KEPT for index in range(max(noted - KEPT, 0), noted)]
        return tuple(
            Event(
                float(self.times_s[place, at]),
                int(self.packets[place, at]),
                Cause(int(self.causes[place, at])),
                Knowledge(int(self.befores[place, at])),
                Knowledge(int(self.afters[place, at])),
                int(self.codes[place, at]),
                int(self.repeats[place, at]),
            )
            for at in rings
        )

    def lost(self, place: int) -> int:
        """How many events before those of ``of`` were overwritten."""
        return max(int(self.noted[place]) - KEPT, 0)

    def fault(self, place: int) -> str | None:
        """Why the place is UNDECODABLE, naming packet, field and offset; None where it is not."""
        return self._faults.get(place)

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
        for name in ("noted", "times_s", "packets", "codes", "causes", "befores", "afters", "repeats"):
            setattr(self, name, _longer(getattr(self, name), places))


def _longer(array: npt.NDArray[np.generic], places: int) -> npt.NDArray[np.generic]:
    longer = np.zeros((places, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
