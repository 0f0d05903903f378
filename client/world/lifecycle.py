"""What the protocol says about a sub-chunk, and which changes of that are legal.

    UNKNOWN ◀──left the plan── WANTED ──asked──▶ REQUESTED ──result 1──▶ DATA ──announced again──▶ RESET
       │   ───── in the plan ────▶│                 │  └──── result 6 ──▶ ALL_AIR ──── " ───────────▶ │
       │                          │                 ├──── final code ─▶ REFUSED                       │
       └────── unasked answer ────┴─────────────────┴──── bad bytes ──▶ UNDECODABLE   any answer ◀────┘

Rules (seeds 000 and 001, interfaces.md "States of a sub-chunk"):
1. A place needs a request while it is UNKNOWN, WANTED, REQUESTED, REFUSED, UNDECODABLE, RESET or EVICTED and its
   column is announced. Only then is a success used; a success for KNOWN_AIR is used and counted.
2. After a success (DATA, ALL_AIR) further ones are ignored until the column is announced again.
3. RESET still shows what was there before; it becomes a placeholder only if it is evicted.
4. The states are facts of the protocol. Lit, meshed, uploaded and drawn are another enum, in ``render``.
"""

from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt


class Knowledge(IntEnum):
    """State of one sub-chunk, as ``dump`` writes it and shaders see it."""

    UNKNOWN = 0  # its column is not announced, or nobody wants it yet
    KNOWN_AIR = 1  # above the limit of its column's announcement: air without asking
    WANTED = 2  # in the plan, not asked
    REQUESTED = 3  # asked, no answer
    DATA = 4  # blocks arrived
    ALL_AIR = 5  # the server said: all air
    REFUSED = 6  # the server will not send it; the code is in ``Store.refusal``
    UNDECODABLE = 7  # an answer came whose bytes make no sense
    RESET = 8  # announced again; what was there before is still shown
    EVICTED = 9  # dropped by us while its column stays
    OUTSIDE = 255  # not in the dimension


_OPEN: Final = frozenset(
    {
        Knowledge.UNKNOWN,
        Knowledge.KNOWN_AIR,
        Knowledge.WANTED,
        Knowledge.REQUESTED,
        Knowledge.DATA,
        Knowledge.ALL_AIR,
        Knowledge.REFUSED,
        Knowledge.UNDECODABLE,
        Knowledge.RESET,
    }
)

_FILLED: Final = frozenset(
    {Knowledge.DATA, Knowledge.ALL_AIR, Knowledge.KNOWN_AIR, Knowledge.UNDECODABLE, Knowledge.RESET}
)

TRANSITIONS: Final = {
    Knowledge.UNKNOWN: _OPEN,
    Knowledge.KNOWN_AIR: _FILLED,
    Knowledge.WANTED: _OPEN,
    Knowledge.REQUESTED: _OPEN,
    Knowledge.DATA: _FILLED | {Knowledge.EVICTED},
    Knowledge.ALL_AIR: _FILLED | {Knowledge.EVICTED},
    Knowledge.REFUSED: _OPEN | {Knowledge.EVICTED},
    Knowledge.UNDECODABLE: _OPEN | {Knowledge.EVICTED},
    Knowledge.RESET: _OPEN | {Knowledge.EVICTED},
    Knowledge.EVICTED: _OPEN | {Knowledge.EVICTED},
    Knowledge.OUTSIDE: frozenset({Knowledge.OUTSIDE}),
}
"""All legal changes."""

STATES: Final = 256
"""Length of tables indexed by a state."""

NEEDS_REQUEST: Final = (
    Knowledge.UNKNOWN,
    Knowledge.WANTED,
    Knowledge.REQUESTED,
    Knowledge.REFUSED,
    Knowledge.UNDECODABLE,
    Knowledge.RESET,
    Knowledge.EVICTED,
)
"""States in which an answer is used."""

PLACEHOLDER_STATES: Final = (
    Knowledge.UNKNOWN,
    Knowledge.WANTED,
    Knowledge.REQUESTED,
    Knowledge.REFUSED,
    Knowledge.UNDECODABLE,
    Knowledge.EVICTED,
)
"""States of a placeholder, where nothing older is shown."""


def table_of(states: tuple[Knowledge, ...]) -> npt.NDArray[np.bool_]:
    """bool[256]: membership by state number, for whole arrays at once."""
    table = np.zeros(STATES, bool)
    table[[int(state) for state in states]] = True
    return table


def legal_changes() -> npt.NDArray[np.bool_]:
    """bool[256, 256]: ``TRANSITIONS`` as a table [from, to]."""
    table = np.zeros((STATES, STATES), bool)
    for before, after in TRANSITIONS.items():
        table[int(before), [int(state) for state in after]] = True
    return table


def is_placeholder(
    states: npt.NDArray[np.uint8], older_shown: npt.NDArray[np.bool_] | bool = False
) -> npt.NDArray[np.bool_]:
    """Which of these are placeholders: bool[n].

    Args:
        states: a Knowledge each.
        older_shown: where blocks of an earlier announcement are still shown, so that nothing is hidden.
    """
    placeholders: npt.NDArray[np.bool_] = np.isin(states, PLACEHOLDER_STATES) & ~np.asarray(older_shown)
    return placeholders


class Transitions:
    """Counts of changes, by kind; refuses illegal ones."""

    def __init__(self) -> None:
        """Nothing has changed yet."""
        self._legal = legal_changes()
        self._counts = np.zeros((STATES, STATES), np.int64)

    def illegal(self, before: npt.NDArray[np.uint8], after: Knowledge) -> npt.NDArray[np.bool_]:
        """Which of these must not become ``after``: bool[n]."""
        refused: npt.NDArray[np.bool_] = ~self._legal[before, int(after)]
        return refused

    def count(self, before: npt.NDArray[np.uint8], after: Knowledge) -> None:
        """Notes one change for each state in ``before``."""
        self._counts[:, int(after)] += np.bincount(before, minlength=STATES)

    def counted(self) -> dict[tuple[Knowledge, Knowledge], int]:
        """How often each change happened, those that never did left out."""
        return {
            (Knowledge(before), Knowledge(after)): int(self._counts[before, after])
            for before, after in zip(*(axis.tolist() for axis in np.nonzero(self._counts)), strict=True)
        }
