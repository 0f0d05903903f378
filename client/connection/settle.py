"""The wait loop of the thread that owns a connection: it pumps until nothing is missing or no more can come."""

from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np

from client.connection.stats import Settled
from client.session.session import Session
from client.session.stats import states_of
from client.world.lifecycle import OPEN_STATES
from net.space import Places

IDLE_S: Final = 0.002  # how long the waiting thread sleeps when nothing arrived
WOKEN_S: Final = 0.01
"""The longest sleep if arriving data ends it early: a session also has its own moves and time-outs."""
PUMP_S: Final = 0.25  # how long one turn of a wait may apply messages before the time is checked

VAIN_SILENCES: Final = 3  # time-outs of a sub-chunk after which a wait may give it up: seven seconds or more of silence


class Settling(msgspec.Struct, frozen=True):
    """The functions that a wait calls."""

    turn: Callable[[], bool]  # does what is due; returns whether anything was
    at_rest: Callable[[], bool]  # whether no turn will ever change anything again
    clock: Callable[[], float]  # monotonic seconds
    rest: Callable[[float], None]  # waits for so many seconds

    def wait(
        self, missing: Callable[[float], str | None], timeout_s: float, tell: Callable[[str], None] | None = None
    ) -> Settled:
        """Waits until nothing is missing, the time runs out, or all is at rest; the time is checked between turns.

        ``missing``: called with the time after each turn; returns what is missing in words, or None. ``tell``: called
        with them.
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
    """Share of the wanted sub-chunks that are known, 0..1."""
    states = states_of(session.dimension.store)
    missing = states.get("wanted", 0) + states.get("requested", 0)
    known = states.get("data", 0) + states.get("all_air", 0)
    return known / max(known + missing, 1)


def unanswered(session: Session, silences: int) -> Places:
    """Wanted places whose last ``silences`` requests or more all timed out."""
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
