"""What was asked of some places, what was answered and when: a snapshot of plain arrays for whoever draws it.

Rules:
1. Times are seconds since the session was made, NaN where it never happened. ``now_s`` is the session's own time: what
   a picture shows of it repeats with the session, whatever the clock on the wall says.
2. The last question and the last answer of each place are told; all of them stand in the store's history.
3. Whoever draws reads this and nothing inside of the session; nothing here knows of drawing.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.streaming.ledger import Ledger
from client.world.height_maps import HeightVerdict
from client.world.history import NO_CODE, History
from client.world.lifecycle import StateEvent, SubChunkState, table_of_causes
from client.world.store import Store
from client.world.store_kernels import last_answers
from net.space import Places
from net.subchunk.heights import HeightAnswer

ANSWERS: Final = (
    StateEvent.ANSWER_DATA, StateEvent.ANSWER_AIR, StateEvent.ANSWER_BROKEN, StateEvent.ANSWER_REFUSED,
    StateEvent.ANSWER_IGNORED,
    StateEvent.GIVEN_UP,
)  # fmt: skip
IS_ANSWER: Final = table_of_causes(ANSWERS)

Seconds = npt.NDArray[np.float64]
"""[n] seconds since the session was made; NaN: never."""


class RequestLog(msgspec.Struct, frozen=True, eq=False):
    """Of n places, in their order."""

    now_s: float  # when this was so
    player: tuple[float, float, float]  # the player's eye in blocks: whose questions these are
    asked_s: Seconds  # when each was asked last
    asked: npt.NDArray[np.uint16]  # uint16[n] how often, since its column was announced
    # int32[n] the step of asking it belonged to, from 1; 0: not asked. One wave's packets left together.
    waves: npt.NDArray[np.int32]
    awaited: npt.NDArray[np.bool_]  # bool[n] asked and not settled
    answered_s: Seconds  # when the last answer came, used or not
    codes: npt.NDArray[np.int16]  # int16[n] its result code; NO_CODE (-1): none came, or it was no answer to a request
    # float32[n] interest when it was last planned (``net.visibility``), 0 is needed most; NaN: never planned
    needs: npt.NDArray[np.float32]
    height_kinds: npt.NDArray[np.uint8]  # uint8[n] a HeightKind each, of the last answer that was used
    height_verdicts: npt.NDArray[np.uint8]  # uint8[n] a HeightVerdict each
    # int32[n] highest section to ask for in its column, from the floor; NO_LIMIT (-1): none was said
    limits: npt.NDArray[np.int32]
    # uint8[n] bits a block of the first layer as it came; 0 for one block, and before any
    widths: npt.NDArray[np.uint8]
    palettes: npt.NDArray[np.uint16]  # uint16[n] entries of that layer's palette
    # why the undecodable ones are, naming packet, field and offset, by their number among the n
    faults: Mapping[int, str]


def trail_of(
    store: Store,
    ledger: Ledger,
    needs: npt.NDArray[np.float32],
    places: Places,
    now: float,
    began: float,
    player: tuple[float, float, float],
) -> RequestLog:
    """The snapshot.

    ``store``: read only, as is the ledger. ``needs``: float32[at most places] by place; what it does not reach was
    never planned. ``places``: of announced columns. ``now``: monotonic seconds, as is ``began``. ``began``: when the
    session was made.
    """
    entries = ledger.entries
    answered, codes = _last_answers(store.history, places)
    kinds, verdicts = store.attached.heights.kind, store.attached.heights.verdict
    undecodable = np.flatnonzero(store.state[places] == SubChunkState.UNDECODABLE)
    texts = {number: store.history.fault(int(places[number])) or "" for number in undecodable.tolist()}
    return RequestLog(
        now_s=now - began,
        player=player,
        asked_s=_within(entries.asked_at, len(entries), places, np.nan) - began,
        asked=_within(entries.asked, len(entries), places, 0),
        waves=_within(entries.waves, len(entries), places, 0),
        awaited=_within(entries.awaited, len(entries), places, False),
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


def _last_answers(history: History, places: Places) -> tuple[Seconds, npt.NDArray[np.int16]]:
    """When the last answer to each place came, NaN: none; and its code."""
    seconds, codes = np.full(len(places), np.nan), np.full(len(places), NO_CODE, np.int16)
    at = np.ascontiguousarray(places, np.int32)
    last_answers(at, history.noted, history.times_s, history.causes, history.codes, IS_ANSWER, seconds, codes)
    return seconds, codes


def _within(
    of: Callable[[Places], npt.NDArray[Any]], many: int, places: Places, none: float
) -> npt.NDArray[Any]:  # Any: each fact has its own dtype
    """What a table says of places; ``none`` of those that it does not reach yet."""
    inside = places < many
    if inside.all():
        return of(places)
    found = of(places[inside])
    reached = np.full(len(places), none, found.dtype)
    reached[inside] = found
    return reached
