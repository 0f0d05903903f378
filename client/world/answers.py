"""Applies announced columns, whole columns and packets of answers to the state of a store.

Rules:
1. A success is used if the place needs a request or is known air. Of several successes for a place the first
   one counts; a failure beside a success closes nothing.
2. A height map is compared with the blocks it came with. Then block changes and block entities that came before these
   blocks are applied to them.
3. A broken entry costs only itself: a report names packet, field and offset; it is never an exception. After a refusal
   or undecodable bytes the place shows a placeholder, since its blocks are no longer known.
4. The limit of an announcement is inclusive (wire.md 2.1): sections above it are known air.
5. A column announced again keeps its shown blocks (RESET) until new blocks or a failure come.
6. After a broken sub-chunk of a whole column the rest is lost, with biomes and block entities: its begin is unknown.
"""

from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.decode import NO_SLOT, DecodedSlots
from client.world.edits import apply_kept
from client.world.history import NO_CODE
from client.world.lifecycle import NEEDS_REQUEST, STATES, StateEvent, SubChunkState, table_of
from client.world.places import NO_LIMIT
from client.world.reports import AnswerReport, EntryFault
from client.world.state_machine import DATA
from client.world.store_kernels import ENTRY_ROWS, FATES, NOT_HERE, sort_entries
from client.world.store_state import StoreParts
from net.arrays import Places, SubChunkPositions
from net.errors import DecodeError, LimitExceeded
from net.space import ColumnPos, SubChunkPos
from net.subchunk.biomes import read_biomes, tail_makes_sense
from net.subchunk.decode import scan_sequence
from net.subchunk.height_kernels import take_skies
from net.subchunk.heights import joined_maps
from net.subchunk.storage import HeightMaps


def settle(
    store: StoreParts,
    places: Places,
    taken: DecodedSlots,
    causes: tuple[StateEvent, StateEvent],
    now: float,
    code: int = NO_CODE,
) -> tuple[EntryFault, ...]:
    """Shows decoded entries; the others become UNDECODABLE.

    ``places``: of the first entries of ``taken``, each once. ``causes``: events for decoded and for broken entries.
    ``code``: result code of the answers, or NO_CODE.
    """
    count = len(places)
    codes = np.array([code], np.int16)
    whole, slots, layer1 = places, taken.slots[:count], taken.layer1[:count]
    if taken.faults:
        sound = slots != NO_SLOT
        whole, slots, layer1 = places[sound], slots[sound], layer1[sound]
    store.attached.drop(whole)
    store.widths[places] = taken.widths[:count]
    store.palettes[places] = taken.palettes[:count]
    store.shown.show(whole, slots, layer1, filled=True)
    store.states.happen(whole, causes[0], now, codes)
    crowded = _take_rare(store, places, taken)
    if len(whole) == count:
        return crowded
    broken = np.flatnonzero(taken.slots[:count] == NO_SLOT)
    _show_nothing(store, places[broken], causes[1], now, codes)
    faults = []
    for place, index in zip(places[broken].tolist(), broken.tolist(), strict=True):
        faults.append(EntryFault(store.position_of(place), taken.faults[index]))
        store.history.keep_fault(place, str(taken.faults[index]))
    return (*faults, *crowded)


def _take_rare(store: StoreParts, places: Places, taken: DecodedSlots) -> tuple[EntryFault, ...]:
    """Stores small values and further layers of sub-chunks that have any; returns those beyond a limit."""
    attached, faults = store.attached, list[EntryFault]()
    for index in [*taken.small_values, *taken.further]:
        if index < len(places) and taken.slots[index] != NO_SLOT:
            place = int(places[index])
            values, layers = taken.small_values.get(index), taken.further.get(index)
            fault = None if values is None or not values.any() else attached.small_values.take(place, values)
            fault = fault if layers is None else attached.further_layers.take(place, layers)
            faults += [] if fault is None else [EntryFault(store.position_of(place), fault)]
    return tuple(faults)


def show_air(store: StoreParts, places: Places, cause: StateEvent, now: float, code: int = NO_CODE) -> None:
    """Shows air; ``cause`` names its source, the limit of the column or an answer."""
    if len(places):
        store.attached.drop(places)
        store.shown.show_one(places, AIR_SLOT)
        store.states.happen(places, cause, now, np.array([code], np.int16))


def refuse(store: StoreParts, places: Places, cause: StateEvent, codes: npt.NDArray[np.uint8], now: float) -> None:
    """Marks places as REFUSED, with the code; places that need no request stay as they are."""
    if len(places) and (need := store.states.need_request(places)).any():
        places, codes = places[need], codes[need]
        store.refusal[places] = codes
        _show_nothing(store, places, cause, now, codes.astype(np.int16))


def _show_nothing(
    store: StoreParts, places: Places, cause: StateEvent, now: float, codes: npt.NDArray[np.int16]
) -> None:
    """Shows placeholders without block entities, and drops all that waits for blocks of these places."""
    once = np.unique(places)
    store.attached.drop(once)
    store.attached.entities.drop_waiting(once)
    store.kept_edits.drop(once)
    store.shown.show_one(once, PLACEHOLDER_SLOT)
    store.states.happen(places, cause, now, codes)


RESULT_DATA: Final = 1
RESULT_ALL_AIR: Final = 6
RETRIED_RESULTS: Final = (0, 2, 4)
"""Failures that do not close a place: the caller decides when to give up."""

_NEEDS: Final = table_of(NEEDS_REQUEST)
_RETRIED: Final = np.isin(np.arange(STATES), RETRIED_RESULTS)

UNDECODABLE = int(SubChunkState.UNDECODABLE)
SLICE = 256  # entries decoded at once: their bytes and ids stay in the second-level cache


def apply_answers(
    store: StoreParts,
    positions: SubChunkPositions,
    results: npt.NDArray[np.uint8],
    payloads: list[bytes],
    height_kinds: npt.NDArray[np.uint8],
    heights: list[bytes | None],
    now: float,
) -> AnswerReport:
    """Applies the entries of one SubChunk packet, in their order.

    ``positions``: int32[n, 3]. ``results``: uint8[n] codes. ``payloads``: terrain and block entities; empty unless the
    code is 1. ``height_kinds``: uint8[n] of ``HeightAnswer``. ``heights``: 256 signed bytes, if the kind says so.
    Raises OutOfSlots: the pools are full; entries before the slice of 256 that found no slots are applied.
    """
    places = store.places_of(positions)
    by_fate, counts = np.empty((ENTRY_ROWS, len(places)), np.int64), np.zeros(FATES, np.int64)
    sort_entries(places, results, store.state, _NEEDS, _RETRIED, store.sections, store.scratch, by_fate, counts)
    each = counts.tolist()
    using, data, air, closing, ignored = (row[:count] for row, count in zip(by_fate, each, strict=False))
    used, kinds, maps = places, height_kinds, heights
    if len(using) < len(places):
        used, kinds = places[using], height_kinds[using]
        maps = [heights[index] for index in using.tolist()]
    kinds, joined = joined_maps(kinds, maps)
    refuse(store, places[closing], StateEvent.ANSWER_REFUSED, results[closing], now)
    _take_skies(store, used, kinds, joined)
    show_air(store, places[air], StateEvent.ANSWER_AIR, now, RESULT_ALL_AIR)
    try:
        faults = _take_payloads(store, places, data, payloads, now)
    except OutOfSlots:
        _release_waiting(store, used[~store.states.need_request(used)])
        raise
    store.attached.heights.take(used, kinds, joined)
    _ignore(store, places[ignored], results[ignored], now)
    _release_waiting(store, used)
    accepted = used[store.state[used] != UNDECODABLE] if faults else used
    return AnswerReport(accepted, len(ignored) + each[NOT_HERE], faults)


def _release_waiting(store: StoreParts, places: Places) -> None:
    """Applies the block changes and block entities that waited for the blocks of these places."""
    apply_kept(store, places)
    store.attached.entities.release(places)


def _ignore(store: StoreParts, places: Places, results: npt.NDArray[np.uint8], now: float) -> None:
    """Records entries that change nothing; a failure that may be repeated leaves its code."""
    if len(places):
        failed = (results != RESULT_DATA) & (results != RESULT_ALL_AIR)
        store.refusal[places[failed]] = results[failed]
        store.states.happen(places, StateEvent.ANSWER_IGNORED, now, results.astype(np.int16))


def _take_skies(store: StoreParts, places: Places, kinds: npt.NDArray[np.uint8], maps: HeightMaps) -> None:
    """Applies new height maps; changed light counts as a change even if the blocks stay (air that is air again)."""
    changed = np.empty(len(places), np.int32)
    count = take_skies(places, kinds, maps, store.sky_top, np.empty(16, np.uint16), changed)
    store.pending.record(changed[:count], DATA)


def _take_payloads(
    store: StoreParts, places: Places, chosen: npt.NDArray[np.int64], payloads: list[bytes], now: float
) -> tuple[EntryFault, ...]:
    faults: tuple[EntryFault, ...] = ()
    for start in range(0, len(chosen), SLICE):
        part = chosen[start : start + SLICE]
        whole = len(part) == len(payloads)
        scanned = store.scanner.scan(payloads if whole else [payloads[index] for index in part.tolist()])
        taken = store.intake.take(scanned, lambda _: ("SubChunk", "payload"))
        causes = StateEvent.ANSWER_DATA, StateEvent.ANSWER_BROKEN
        faults += settle(store, places if whole else places[part], taken, causes, now, RESULT_DATA)
        for at in taken.with_rest.tolist():
            if at not in taken.faults:
                rest = scanned.bytes_of(at, int(taken.ends[at]))
                faults += store.attached.entities.take(int(places[part[at]]), rest)
    return faults


MOST_INLINE = 64  # sub-chunks of a whole column; more is an error


def announce(
    store: StoreParts, column: ColumnPos, limit: int | None, biome_tail: bytes, now: float
) -> tuple[EntryFault, ...]:
    """Applies a skeleton: its sub-chunks need requests, up to the limit. Returns the faults of the tail.

    ``limit``: highest section to request, from the floor, inclusive; None: all. ``biome_tail``: biome storages and
    border bytes; further bytes have no meaning here, and are counted for the column.
    """
    places = _row(store, column)
    row = int(places[0]) // store.sections
    store.limit[row] = NO_LIMIT if limit is None else limit
    asked = len(places) if limit is None else min(limit + 1, len(places))
    store.states.happen(places[:asked], StateEvent.ANNOUNCED, now)
    show_air(store, places[asked:], StateEvent.ABOVE_LIMIT, now)
    used, faults = _take_biomes(store, row, column, biome_tail)
    store.excess_bytes[row] = len(biome_tail) - used if used else 0
    return faults


def fill(store: StoreParts, column: ColumnPos, payload: bytes, inline_count: int, now: float) -> AnswerReport:
    """Applies a whole column: sub-chunks from the floor up (air above the last), biomes, border bytes, block entities.

    Raises OutOfSlots: the pools are full; the column is announced, and shows the same as before.
    """
    places = _row(store, column)
    row = int(places[0]) // store.sections
    store.limit[row] = NO_LIMIT
    scanned = scan_sequence(payload, min(inline_count, MOST_INLINE), partial(tail_makes_sense, store.sections))
    taken = store.intake.take(scanned, lambda index: ("LevelChunk", f"subchunks[{index}]"))
    store.whole[row] = True
    inside = min(len(taken.slots), len(places))
    store.intake.drop_beyond(taken, inside)
    faults = settle(store, places[:inside], taken, (StateEvent.COLUMN_DATA, StateEvent.COLUMN_BROKEN), now)
    show_air(store, places[inside:], StateEvent.COLUMN_AIR, now)
    if inline_count > MOST_INLINE:
        fault = LimitExceeded("inline sub-chunks", inline_count, MOST_INLINE)
        faults += (EntryFault(_lowest(store, column), fault),)
    elif not taken.faults:
        end = int(scanned.ends[-1]) if len(scanned.rows) else 0
        used, more = _take_biomes(store, row, column, payload[end:], inline_count)
        faults += more
        faults += store.attached.entities.take_column(row, payload[end + used :] if used else b"")
    store.attached.heights.whole(row)
    accepted = places[store.state[places] != SubChunkState.UNDECODABLE]
    return AnswerReport(accepted, 0, faults)


def _row(store: StoreParts, column: ColumnPos) -> Places:
    """Places of an announced column; of one announced again earlier failures and waiting changes are dropped."""
    row = store.row_of.get(column)
    if row is None:
        row = store.add(column)
        store.pending.add(row, column)
        store.attached.heights.clear(row)
        return store.places_of_row(row)
    places = store.places_of_row(row)
    store.refusal[places] = 0
    store.excess_bytes[row] = 0
    store.whole[row] = False
    store.kept_edits.drop(places)
    store.attached.entities.drop_waiting(places)
    return places


def _take_biomes(
    store: StoreParts, row: int, column: ColumnPos, tail: bytes, inline_count: int | None = None
) -> tuple[int, tuple[EntryFault, ...]]:
    """Reads a column's biomes and border bytes; returns how many bytes, and faults. Broken ones count as unknown."""
    store.biomes.drop_one(row)
    try:
        biomes = read_biomes(tail, store.sections, inline_count=inline_count)
    except DecodeError as error:
        return 0, (EntryFault(_lowest(store, column), error),)
    fault = store.biomes.take(row, biomes)
    return biomes.end, () if fault is None else (EntryFault(_lowest(store, column), fault),)


def _lowest(store: StoreParts, column: ColumnPos) -> SubChunkPos:
    return SubChunkPos(column.x, store.dimension.floor_section, column.z)


def drop_column(store: StoreParts, row: int) -> None:
    """Releases slots and data of a column; the caller clears its store."""
    places = store.places_of_row(row)
    store.shown.drop(places)
    store.biomes.drop_one(row)
    store.attached.drop(places)
    store.attached.entities.drop_waiting(places)
    store.kept_edits.drop(places)
