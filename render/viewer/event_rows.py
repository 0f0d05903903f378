"""The last things that happened in a session, for the panel of events.

They are taken from the histories of sub-chunks, and from what events and sounds told of blocks.

Limits: of each sub-chunk the last eight events are known (``client.world.history``), of blocks the last 512 in all.
"""

from typing import Final

import numpy as np

from client.session.session import Session
from client.world.history import KEPT, NO_CODE, NO_PACKET
from client.world.lifecycle import Cause, Knowledge
from net.space.positions import BlockPos
from render.panels.event_log import LoggedEvent

MOST: Final = 300
"""Rows of the panel."""


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
    held = np.arange(KEPT) < np.minimum(noted, KEPT)[:, None]
    when = np.where(held, history.times_s[places], -np.inf).ravel()
    newest = np.argpartition(when, max(len(when) - most, 0))[max(len(when) - most, 0) :] if len(when) else when
    chosen = [int(index) for index in newest if np.isfinite(when[int(index)])]
    corners = store.positions_of(places[[index // KEPT for index in chosen]]).reshape(-1, 3) * 16
    rows = []
    for index, corner in zip(chosen, corners, strict=True):
        at = int(places[index // KEPT]), index % KEPT
        code, times, packet = int(history.codes[at]), int(history.repeats[at]), int(history.packets[at])
        before, after = Knowledge(int(history.befores[at])), Knowledge(int(history.afters[at]))
        what = Cause(int(history.causes[at])).name.lower()
        rows.append(
            LoggedEvent(
                round(float(history.times_s[at]) - session.started_at, 3),
                None if packet == NO_PACKET else packet,
                BlockPos(*corner.tolist()),
                what + ("" if code == NO_CODE else f" {code}") + (f" x{times}" if times > 1 else ""),
                after.name.lower() if before is after else f"{before.name.lower()} > {after.name.lower()}",
            )
        )
    return rows, int(noted.sum())
