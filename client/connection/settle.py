"""Waiting on the thread that owns a connection: turn after turn, until nothing is missing or there is no more to come.

Rules:
1. What is missing is asked after each turn, so that a wait for what is there already takes one turn.
2. The time is looked at between turns; a turn itself must end (``PUMP_S``).
"""

from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np

from client.connection.stats import Settled
from client.session.session import Session
from client.session.stats import states_of
from client.world.lifecycle import SubChunkState
from net.space import Places

IDLE_S: Final = 0.002
"""How long a waiting owner sleeps when nothing came."""
WOKEN_S: Final = 0.01
"""How long one sleeps at most that is woken when something comes: a session has moves and time-outs of its own."""
PUMP_S: Final = 0.25
"""How long one turn of a wait may apply messages before it looks at the time."""

VAIN_SILENCES: Final = 3
"""Time-outs of a sub-chunk after which nobody waits for it any longer: seven seconds or more of silence."""
OPEN_STATES: Final = (SubChunkState.WANTED, SubChunkState.REQUESTED, SubChunkState.RESET)


class Settling(msgspec.Struct, frozen=True):
    """How one waits."""

    turn: Callable[[], bool]  # does what is due; whether anything was
    at_rest: Callable[[], bool]  # whether no turn will ever change anything again
    clock: Callable[[], float]  # monotonic seconds
    rest: Callable[[float], None]  # waits for so many seconds

    def wait(
        self, missing: Callable[[float], str | None], timeout_s: float, tell: Callable[[str], None] | None = None
    ) -> Settled:
        """Until nothing is missing, the time runs out, or all is at rest.

        ``missing``: says what is, in words, at a time; None: nothing. ``tell``: told what is missing after each turn.
        """
        start = self.clock()
        while True:
            busy = self.turn()
            now = self.clock()
            waiting_for = missing(now)
            if waiting_for is None:
                return Settled(True, "", now - start)
            if now >= start + timeout_s or self.at_rest():
                return Settled(False, waiting_for, now - start)
            if tell:
                tell(waiting_for)
            if not busy:
                self.rest(IDLE_S)


def share_done(session: Session) -> float:
    """How much of what is wanted is known, 0..1."""
    states = states_of(session.dimension.store)
    missing = states.get("wanted", 0) + states.get("requested", 0)
    known = states.get("data", 0) + states.get("all_air", 0)
    return known / max(known + missing, 1)


def unanswered(session: Session, silences: int) -> Places:
    """Places that are wanted and not known, and whose requests were not answered in time so often, without a break."""
    open_places = _open_places(session)
    entries = session.ledger.entries
    inside = open_places[open_places < len(entries)]
    found: Places = inside[entries.silences[inside] >= silences]
    return found


def asked_in_vain(session: Session) -> bool:
    """Whether something is missing, and all of it was requested ``VAIN_SILENCES`` times without an answer."""
    silent = len(unanswered(session, VAIN_SILENCES))
    return silent > 0 and silent == len(_open_places(session))


def _open_places(session: Session) -> Places:
    store = session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    open_places: Places = places[np.isin(store.state[places], OPEN_STATES)]
    return open_places
