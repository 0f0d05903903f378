"""Request and answer data of chosen places, as a snapshot of plain arrays for displays.

Times are seconds since the session was made, NaN for what never happened; ``now_s`` is the session's own, so a replayed
session gives the same picture. Displays read only this snapshot, never the session.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.streaming.ledger import Ledger
from client.world.height_maps import HeightVerdict
from client.world.history import NO_CODE, History
from client.world.lifecycle import OPEN_STATES, StateEvent, SubChunkState, table_of
from client.world.store import Store
from client.world.store_kernels import last_answers
from net.arrays import Places
from net.subchunk.heights import HeightAnswer

if TYPE_CHECKING:
    from client.session.session import Session

ANSWERS: Final = (
    StateEvent.ANSWER_DATA, StateEvent.ANSWER_AIR, StateEvent.ANSWER_BROKEN, StateEvent.ANSWER_REFUSED,
    StateEvent.ANSWER_IGNORED,
    StateEvent.GIVEN_UP,
)  # fmt: skip
IS_ANSWER: Final = table_of(ANSWERS)

Seconds = npt.NDArray[np.float64]  # float64[n] seconds since the session was made; NaN: never


class RequestLog(msgspec.Struct, frozen=True, eq=False):
    """Data of n places, in their order."""

    now_s: float  # time of the snapshot
    player: tuple[float, float, float]  # eye of the player for whom the places were requested, in blocks
    asked_s: Seconds  # time of the last request
    asked: npt.NDArray[np.uint16]  # uint16[n] number of requests, since its column was announced
    # int32[n] number of the step that requested it last, from 1; 0: never. Packets of one wave left together.
    waves: npt.NDArray[np.int32]
    awaited: npt.NDArray[np.bool_]  # bool[n] requested and not settled
    late: npt.NDArray[np.bool_]  # bool[n] see ``are_late``
    answered_s: Seconds  # time of the last answer, used or not
    codes: npt.NDArray[np.int16]  # int16[n] result code of the last answer; NO_CODE (-1): none, or unrequested
    # float32[n] priority when last planned (``net.visibility``), 0 is the most urgent; NaN: never planned
    needs: npt.NDArray[np.float32]
    height_kinds: npt.NDArray[np.uint8]  # uint8[n] HeightKind of the last used answer
    height_verdicts: npt.NDArray[np.uint8]  # uint8[n] HeightVerdict
    # int32[n] highest section to request in its column, counted from the floor; NO_LIMIT (-1): the server set no limit
    limits: npt.NDArray[np.int32]
    # uint8[n] received bits a block of the first layer; 0 for a single block, and before any data
    widths: npt.NDArray[np.uint8]
    palettes: npt.NDArray[np.uint16]  # uint16[n] entries of that layer's palette
    # why a place is undecodable, naming packet, field and offset, by the place's number among the n
    faults: Mapping[int, str]


def trail_of(session: "Session", places: Places) -> RequestLog:
    """The snapshot of places of announced columns; the session is only read."""
    store, ledger, began = session.dimension.store, session.ledger, session.started_at
    entries, needs = ledger.entries, session.dimension.requests.needs
    answered, codes = _last_answers(store.history, places)
    kinds, verdicts = store.attached.heights.kind, store.attached.heights.verdict
    undecodable = np.flatnonzero(store.state[places] == SubChunkState.UNDECODABLE)
    texts = {number: store.history.fault(int(places[number])) or "" for number in undecodable.tolist()}
    return RequestLog(
        now_s=session.now - began,
        player=session.movement.eye,
        asked_s=_within(entries.asked_at, len(entries), places, np.nan) - began,
        asked=_within(entries.times.__getitem__, len(entries), places, 0),
        waves=_within(entries.wave.__getitem__, len(entries), places, 0),
        awaited=_within(entries.awaited, len(entries), places, False),
        late=are_late(store, ledger, places),
        answered_s=answered - began,
        codes=codes,
        needs=_within(needs.__getitem__, len(needs), places, np.nan),
        height_kinds=_within(kinds.__getitem__, len(kinds), places, HeightAnswer.NONE),
        height_verdicts=_within(verdicts.__getitem__, len(verdicts), places, HeightVerdict.NONE_SAID),
        limits=store.limit[places // store.dimension.sections],
        widths=store.widths[places],
        palettes=store.palettes[places],
        faults=texts,
    )


def are_late(store: Store, ledger: Ledger, places: Places) -> npt.NDArray[np.bool_]:
    """Which places are late: missing, at least one request timed out, and no answer for them came since: bool[n].

    The one rule for ``why``, ``health`` and the overlay ``states``.
    """
    silent = _within(ledger.entries.unheard.__getitem__, len(ledger.entries), places, 0) > 0
    late: npt.NDArray[np.bool_] = silent & np.isin(store.state[places], OPEN_STATES)
    return late


def have_unknown_blocks(store: Store, places: Places) -> npt.NDArray[np.bool_]:
    """Which places have blocks whose ids are not in the palette; costs nothing if every id is known: bool[n].

    The one rule for ``health`` and overlays.
    """
    if not store.table.appended or not len(places):
        return np.zeros(len(places), np.bool_)
    slots, where = np.unique(store.slot[places], return_inverse=True)
    unknown = store.pools.blocks[slots].max(axis=1) >= len(store.table.states) - store.table.appended
    found: npt.NDArray[np.bool_] = unknown[where]
    return found


def heights_contradict(verdicts: npt.NDArray[np.uint8], unknown: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whose height map contradicts the blocks; heights of ``unknown`` blocks cannot be compared: bool[n].

    The one rule for ``health`` and the overlay ``states``.
    """
    found: npt.NDArray[np.bool_] = (verdicts == HeightVerdict.CONTRADICTS) & ~unknown
    return found


def _last_answers(history: History, places: Places) -> tuple[Seconds, npt.NDArray[np.int16]]:
    """Time of the last answer to each place, NaN where none came, and its code."""
    seconds, codes = np.full(len(places), np.nan), np.full(len(places), NO_CODE, np.int16)
    at = np.ascontiguousarray(places, np.int32)
    last_answers(at, history.noted, history.times_s, history.causes, history.codes, IS_ANSWER, seconds, codes)
    return seconds, codes


def _within(
    of: Callable[[Places], npt.NDArray[Any]], many: int, places: Places, none: float
) -> npt.NDArray[Any]:  # Any: each fact has its own dtype
    """Values of a table at places; ``none`` at places beyond the table's end."""
    inside = places < many
    if inside.all():
        return of(places)
    found = of(places[inside])
    reached = np.full(len(places), none, found.dtype)
    reached[inside] = found
    return reached
