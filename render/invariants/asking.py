"""Questions that were asked twice for no reason, and answers that nobody asked for, as the histories tell.

Rules:
1. Asked again is right after answers 0 or 2 and silences (the ledger counts both), after what was got was let go, after
   result 4, and after a new announcement, with which the ledger's counts begin anew.
2. An answer that nobody asked for is one of a place whose history knows no question, and more successes than there
   were questions: a server that is slow is asked again, and answers all of it.
3. Of a place whose first events are not known any more nothing is said but what is known: no false alarms.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.session import Session
from client.world.history import KEPT
from client.world.lifecycle import Cause
from net.space.layout import Places
from render.invariants.finding import Finding, middles

ANSWERS: Final = (Cause.ANSWER_DATA, Cause.ANSWER_AIR, Cause.ANSWER_BROKEN, Cause.ANSWER_REFUSED, Cause.GIVEN_UP)
SUCCEEDING: Final = (Cause.ANSWER_DATA, Cause.ANSWER_AIR)
SUCCESSES: Final = (1, 6)
PLAYER_UNKNOWN: Final = 4


def asked_twice(session: Session) -> Finding:
    """Places that were asked again without a reason."""
    store = session.store
    places = store.places_of_rows(store.announced_rows)
    again = places[session.ledger.entries.unexplained(places)]
    causes, codes, held = _events(session, again)
    let_go = ((causes == Cause.RELEASED) & held).any(axis=1)
    paused = ((causes == Cause.ANSWER_IGNORED) & (codes == PLAYER_UNKNOWN) & held).any(axis=1)
    forgotten = store.history.noted[again] > KEPT
    broken = again[~let_go & ~paused & ~forgotten]
    return Finding(len(broken), middles(store.positions_of(broken)))


def answered_unasked(session: Session) -> Finding:
    """Places of which answers came that no question explains."""
    store = session.store
    places = store.places_of_rows(store.announced_rows)
    noted = store.history.noted[places]
    places = places[(noted > 0) & (noted <= KEPT)]
    causes, codes, held = _events(session, places)
    ignored = (causes == Cause.ANSWER_IGNORED) & held
    repeats = session.store.history.repeats[places] * held
    succeeded = np.isin(causes, SUCCEEDING) | (ignored & np.isin(codes, SUCCESSES))
    more = (repeats * succeeded).sum(axis=1) > (repeats * (causes == Cause.ASKED)).sum(axis=1)
    repeated = more & (ignored & np.isin(codes, SUCCESSES)).any(axis=1)
    answered = ((np.isin(causes, ANSWERS) & held) | ignored).any(axis=1)
    asked = ((causes == Cause.ASKED) & held).any(axis=1)
    broken = places[repeated | (answered & ~asked)]
    return Finding(len(broken), middles(store.positions_of(broken)), f"{session.ledger.stats().unasked} in all")


def _events(
    session: Session, places: Places
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16], npt.NDArray[np.bool_]]:
    """Causes and codes of the events of places, and which are any: [n, KEPT] each."""
    history = session.store.history
    held: npt.NDArray[np.bool_] = np.arange(KEPT) < history.noted[places].astype(np.int64)[:, None]
    return history.causes[places], history.codes[places], held
