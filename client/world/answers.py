"""Packets of answers.

Rules:
1. A success is used where the place needs a request (or is known air, counted); another one is ignored until the
   column is announced again. Of several successes for a place the first one counts.
2. What of a packet is used is noted before what is not; a failure beside a success for the same place closes nothing.
3. A height map is compared with the blocks it came with; then changes of blocks that came before their blocks are
   applied to them, and then the block entities that did.
4. What is broken costs its entry, names packet, field and offset in a report, and is never an exception.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world.apply import refuse, settle, show_air
from client.world.edits import apply_kept
from client.world.lifecycle import NEEDS_REQUEST, STATES, StateEvent, SubChunkState, table_of
from client.world.place_kernels import ENTRY_ROWS, FATES, KNOWN_AIR, NOT_HERE, sort_entries
from client.world.places import PlaceTables
from client.world.reports import AnswerReport, EntryFault
from client.world.state_machine import DATA
from client.world.store_state import StoreState
from net.space import Places, SubChunkPositions
from net.subchunk.height_kernels import take_skies
from net.subchunk.heights import joined_maps
from net.subchunk.storage import HeightMaps

RESULT_DATA: Final = 1
RESULT_ALL_AIR: Final = 6
RETRIED_RESULTS: Final = (0, 2, 4)
"""Failures that close nothing: whoever asks decides when to give up."""

_NEEDS: Final = table_of(NEEDS_REQUEST)
_RETRIED: Final = np.isin(np.arange(STATES), RETRIED_RESULTS)

Entries = npt.NDArray[np.int64]


class Selection(msgspec.Struct, frozen=True):
    """Entries sorted by what becomes of them."""

    places: Places  # int32[n] of all entries
    used: Entries  # entries whose success counts, in order
    data: Entries  # those of them with blocks
    air: Entries  # those of them that are all air
    closing: Entries  # failures that close their place: final, awaited, and without a success beside them
    ignored: Entries  # entries of announced places that change nothing
    known_air: int  # how many of the used ones lie in known air
    unannounced: int  # how many entries belong to no announced place


def select(tables: PlaceTables, positions: SubChunkPositions, results: npt.NDArray[np.uint8]) -> Selection:
    """Sorts the entries of one packet; of several successes for a place the first one counts."""
    places = tables.places_of(positions)
    by_fate, counts = np.empty((ENTRY_ROWS, len(places)), np.int64), np.zeros(FATES, np.int64)
    sort_entries(places, results, tables.state, _NEEDS, _RETRIED, tables.sections, tables.scratch, by_fate, counts)
    each = counts.tolist()
    used, data, air, closing, in_vain = (row[:count] for row, count in zip(by_fate, each, strict=False))
    return Selection(places, used, data, air, closing, in_vain, each[KNOWN_AIR], each[NOT_HERE])


UNDECODABLE = int(SubChunkState.UNDECODABLE)
SLICE = 256  # entries decoded at once: their bytes and ids stay in the second-level cache


def apply_answers(
    store_state: StoreState,
    positions: SubChunkPositions,
    results: npt.NDArray[np.uint8],
    payloads: list[bytes],
    height_kinds: npt.NDArray[np.uint8],
    heights: list[bytes | None],
    now: float,
) -> AnswerReport:
    """Applies the entries of one SubChunk packet, in their order.

    ``store_state``: to write to. ``positions``: int32[n, 3] absolute. ``results``: uint8[n] result codes. ``payloads``:
    terrain and block entities each; empty but for code 1. ``height_kinds``: uint8[n] a
    ``net.subchunk.heights.HeightAnswer`` each. ``heights``: 256 signed bytes each where the kind says so. Raises
    OutOfSlots: the pools are full; entries before the slice of 256 that found no room are applied.
    """
    tables = store_state.tables
    selection = select(tables, positions, results)
    places, closing, ignored = selection.places, selection.closing, selection.ignored
    used, kinds, maps = places, height_kinds, heights
    if len(selection.used) < len(places):
        used, kinds = places[selection.used], height_kinds[selection.used]
        maps = [heights[index] for index in selection.used.tolist()]
    kinds, joined = joined_maps(kinds, maps)
    _close(store_state, places[closing], results[closing], now)
    _take_skies(store_state, used, kinds, joined)
    show_air(store_state, places[selection.air], StateEvent.ANSWER_AIR, now, RESULT_ALL_AIR)
    try:
        faults = _take_payloads(store_state, places, selection.data, payloads, now)
    except OutOfSlots:
        _release_waiting(store_state, used[~store_state.states.need_request(used)])
        raise
    store_state.attached.heights.take(used, kinds, joined)
    _ignore(store_state, places[ignored], results[ignored], now)
    _release_waiting(store_state, used)
    unused = len(ignored) + selection.unannounced
    store_state.tally.ignored += unused
    store_state.tally.known_air_used += selection.known_air
    store_state.tally.faults += len(faults)
    accepted = used[tables.state[used] != UNDECODABLE] if faults else used
    return AnswerReport(accepted, places[closing], results[closing], unused, selection.known_air, faults)


def _release_waiting(store_state: StoreState, places: Places) -> None:
    """Their blocks are there: what waited for these is applied."""
    apply_kept(store_state, places)
    store_state.attached.entities.release(places)


def _close(store_state: StoreState, places: Places, results: npt.NDArray[np.uint8], now: float) -> None:
    if len(places):
        refuse(store_state, places, StateEvent.ANSWER_REFUSED, results, now)


def _ignore(store_state: StoreState, places: Places, results: npt.NDArray[np.uint8], now: float) -> None:
    """Notes what changes nothing; a failure that may be repeated leaves its code."""
    if len(places):
        failed = (results != RESULT_DATA) & (results != RESULT_ALL_AIR)
        store_state.tables.refusal[places[failed]] = results[failed]
        store_state.states.happen(places, StateEvent.ANSWER_IGNORED, now, results.astype(np.int16))


def _take_skies(store_state: StoreState, places: Places, kinds: npt.NDArray[np.uint8], maps: HeightMaps) -> None:
    """New height maps; a change of light is a change even where the blocks stay (air told to be air again)."""
    changed = np.empty(len(places), np.int32)
    count = take_skies(places, kinds, maps, store_state.tables.sky_top, np.empty(16, np.uint16), changed)
    store_state.pending.note(changed[:count], DATA)


def _take_payloads(
    store_state: StoreState, places: Places, chosen: npt.NDArray[np.int64], payloads: list[bytes], now: float
) -> tuple[EntryFault, ...]:
    faults: tuple[EntryFault, ...] = ()
    for start in range(0, len(chosen), SLICE):
        part = chosen[start : start + SLICE]
        whole = len(part) == len(payloads)
        scanned = store_state.scanner.scan(payloads if whole else [payloads[index] for index in part.tolist()])
        taken = store_state.intake.take(scanned, lambda _: ("SubChunk", "payload"))
        causes = StateEvent.ANSWER_DATA, StateEvent.ANSWER_BROKEN
        faults += settle(store_state, places if whole else places[part], taken, causes, now, RESULT_DATA)
        for at in taken.with_rest.tolist():
            if at not in taken.faults:
                rest = scanned.rest(at, int(taken.ends[at]))
                faults += store_state.attached.entities.take(int(places[part[at]]), rest)
    return faults
