"""The last things that happened in a session, for the panel of events.

They are taken from the histories of sub-chunks, from what events and sounds told of blocks, and from the chat.

Limits: of each sub-chunk the last eight events are known (``client.world.history``), of blocks the last 512 in all, of
what was said the last 64 lines.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.connection.chat_text import said_in_words
from client.session.session import Session
from client.world.history import KEPT, NO_CODE, NO_PACKET
from client.world.lifecycle import Cause, Knowledge
from net.space.layout import Places
from net.space.positions import BlockPos
from render.panels.event_log import LoggedEvent, searched

MOST: Final = 300
"""Rows of the panel."""
CAUSES: Final = {int(cause): cause.name.lower() for cause in Cause}
CODE_BITS: Final = 9
CODES: Final = (1 << CODE_BITS) - 1
"""A byte of the wire, and that there was none."""
STATE_BITS: Final = 8
STATES: Final = {int(state): state.name.lower() for state in Knowledge}


def last_events(
    session: Session, wanted: str = "", edits: bool = True, most: int = MOST
) -> tuple[tuple[LoggedEvent, ...], int]:
    """The newest first, and how many of sub-chunks there were in all.

    Args:
        session: read only.
        wanted: a text that is looked for in all that is kept, beside the newest of any kind: what, state or place.
        edits: whether changed blocks are among them, which wash all else away on a server where much happens.
        most: so many of each at most.
    """
    rows, total = _of_subchunks(session, wanted.casefold(), edits, most)
    rows += [
        LoggedEvent(
            round(event.time_s - session.started_at, 3),
            event.packet,
            event.position,
            _often(event.what, event.times),
            event.block or "",
        )
        for event in session.events.events()[-most:]
    ]
    rows += [
        LoggedEvent(
            round(line.time_s - session.started_at, 3),
            line.packet,
            None,
            _often(line.kind, line.times),
            said_in_words(line),
        )
        for line in session.chat.lines
    ]
    rows.sort(key=lambda row: -row.at_s)
    return tuple(rows if wanted else rows[:most]), total


def _of_subchunks(session: Session, wanted: str, edits: bool, most: int) -> tuple[list[LoggedEvent], int]:
    store = session.store
    history = store.history
    places = store.places_of_rows(store.announced_rows)
    noted = history.noted[places].astype(np.int64)
    times = np.where(np.arange(KEPT) < np.minimum(noted, KEPT)[:, None], history.times_s[places], -np.inf)
    if not edits:
        times[history.causes[places] == int(Cause.EDITED)] = -np.inf
    chosen = _newest(times, most)
    if wanted:
        chosen = np.union1d(chosen, _newest(np.where(_fitting(session, places, wanted), times, -np.inf), most))
    at = places[chosen // KEPT], chosen % KEPT
    columns = (history.times_s, history.packets, history.codes, history.causes, history.befores, history.afters)
    listed = zip(*(column[at].tolist() for column in (*columns, history.repeats)), strict=True)
    corners = (store.positions_of(at[0]).reshape(-1, 3) * 16).tolist()
    rows = []
    for corner, (time_s, packet, code, cause, before, after, times) in zip(corners, listed, strict=True):
        what = _often(_what(cause, code), times)
        told = None if packet == NO_PACKET else packet
        at_s = round(time_s - session.started_at, 3)
        rows.append(LoggedEvent(at_s, told, BlockPos(*corner), what, _state(before, after)))
    return rows, int(noted.sum())


def _often(what: str, times: int) -> str:
    return what if times == 1 else f"{what} x{times}"


def _what(cause: int, code: int) -> str:
    return CAUSES[cause] + ("" if code == NO_CODE else f" {code}")


def _state(before: int, after: int) -> str:
    return STATES[after] if before == after else f"{STATES[before]} > {STATES[after]}"


def _fitting(session: Session, places: Places, wanted: str) -> npt.NDArray[np.bool_]:
    """Which events have a text in what they were, their state or their place: bool[places, KEPT].

    Of a million events there are a dozen kinds, so texts are made of kinds.
    """
    history = session.store.history
    causes = history.causes[places].astype(np.int32)
    whats, what = _numbered(causes << CODE_BITS | history.codes[places] - NO_CODE & CODES)
    states, state = _numbered(history.befores[places].astype(np.int32) << STATE_BITS | history.afters[places])
    kinds, kind = _numbered(what * len(states) + state)
    told_whats = [_what(at >> CODE_BITS, (at & CODES) + NO_CODE) for at in whats]
    told_states = [_state(at >> STATE_BITS, at & (1 << STATE_BITS) - 1) for at in states]
    pairs = (divmod(at, len(states)) for at in kinds)
    told = [searched(f"{told_whats[one]} {told_states[two]}") for one, two in pairs]
    fits: npt.NDArray[np.bool_] = np.array([wanted in text for text in told], bool)[kind]
    if any(sign.isdigit() for sign in wanted):
        corners = (session.store.positions_of(places).reshape(-1, 3) * 16).tolist()
        fits |= np.array([wanted in f"{x} {y} {z}" for x, y, z in corners], bool)[:, None]
    return fits


def _numbered(keys: npt.NDArray[np.int32]) -> tuple[list[int], npt.NDArray[np.intp]]:
    """The different keys, which are small, and which of them each is; to order as many would take ten times as long."""
    there = np.zeros(int(keys.max(initial=0)) + 1, np.bool_)
    there[keys] = True
    return np.flatnonzero(there).tolist(), (np.cumsum(there) - 1)[keys]


def _newest(times: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.intp]:
    """Indices into the flat array of the newest events: those of places with the newest ones, so few are ordered."""
    recent = _largest(times.max(axis=1, initial=-np.inf), most)
    chosen = _largest(times[recent].ravel(), most)
    flat: npt.NDArray[np.intp] = recent[chosen // KEPT] * KEPT + chosen % KEPT
    return flat[np.isfinite(times.ravel()[flat])]


def _largest(values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.intp]:
    """Indices of the largest values, in no order; all where there are fewer."""
    return np.argpartition(values, len(values) - count)[-count:] if len(values) > count else np.arange(len(values))
