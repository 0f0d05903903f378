"""The last things that happened in a session, for the panel of events.

They are taken from the histories of sub-chunks, and from what events and sounds told of blocks.

Limits: of each sub-chunk the last eight events are known (``client.world.history``), of blocks the last 512 in all.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.session import Session
from client.world.history import KEPT, NO_CODE, NO_PACKET
from client.world.lifecycle import Cause, Knowledge
from net.space.positions import BlockPos
from render.panels.event_log import LoggedEvent

MOST: Final = 300
"""Rows of the panel."""
CAUSES: Final = {int(cause): cause.name.lower() for cause in Cause}
STATES: Final = {int(state): state.name.lower() for state in Knowledge}


def last_events(session: Session, most: int = MOST) -> tuple[tuple[LoggedEvent, ...], int]:
    """The newest first, and how many of sub-chunks there were in all."""
    rows, total = _of_subchunks(session, most)
    rows += [
        LoggedEvent(
            round(event.time_s - session.started_at, 3),
            event.packet,
            event.position,
            event.what if event.times == 1 else f"{event.what} x{event.times}",
            event.block or "",
        )
        for event in session.events.events()[-most:]
    ]
    return tuple(sorted(rows, key=lambda row: -row.at_s)[:most]), total


def _of_subchunks(session: Session, most: int) -> tuple[list[LoggedEvent], int]:
    store = session.store
    history = store.history
    places = store.places_of_rows(store.announced_rows)
    noted = history.noted[places].astype(np.int64)
    times = np.where(np.arange(KEPT) < np.minimum(noted, KEPT)[:, None], history.times_s[places], -np.inf)
    # The newest events are those of the places with the newest ones: most places are left out early.
    recent = _largest(times.max(axis=1, initial=-np.inf), most)
    chosen = _largest(times[recent].ravel(), most)
    newest = recent[chosen // KEPT], chosen % KEPT
    some = np.isfinite(times[newest])
    at = places[newest[0][some]], newest[1][some]
    columns = (history.times_s, history.packets, history.codes, history.causes, history.befores, history.afters)
    listed = zip(*(column[at].tolist() for column in (*columns, history.repeats)), strict=True)
    corners = (store.positions_of(at[0]).reshape(-1, 3) * 16).tolist()
    rows = []
    for corner, (time_s, packet, code, cause, before, after, times) in zip(corners, listed, strict=True):
        what = CAUSES[cause] + ("" if code == NO_CODE else f" {code}") + (f" x{times}" if times > 1 else "")
        state = STATES[after] if before == after else f"{STATES[before]} > {STATES[after]}"
        told = None if packet == NO_PACKET else packet
        rows.append(LoggedEvent(round(time_s - session.started_at, 3), told, BlockPos(*corner), what, state))
    return rows, int(noted.sum())


def _largest(values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.intp]:
    """Indices of the largest values, in no order; all where there are fewer."""
    return np.argpartition(values, len(values) - count)[-count:] if len(values) > count else np.arange(len(values))
