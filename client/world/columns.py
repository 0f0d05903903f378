"""Columns come, are announced again, and go.

Rules:
1. The limit of an announcement is read inclusively (wire.md 2.1): sections 0..limit must be asked for, those above are
   known air.
2. A column announced again keeps what it shows (RESET) until new blocks come, or none; changes of blocks that waited
   for the old ones are forgotten.
3. Bytes behind the border blocks of a skeleton mean nothing here: they are ignored, counted, and told of the column.
4. Behind a broken sub-chunk of a whole column nothing can be found any more, neither biomes nor block entities.
"""

import numpy as np

from client.world.apply import settle, show_air
from client.world.lifecycle import StateEvent, SubChunkState
from client.world.places import NO_LIMIT
from client.world.reports import AnswerReport, EntryFault
from client.world.store_state import StoreState
from net.errors import LimitExceeded
from net.space import ColumnPos, Places, SubChunkPos
from net.subchunk.decode import scan_sequence

MOST_INLINE = 64  # sub-chunks of a whole column; more is nonsense


def announce(
    store_state: StoreState, column: ColumnPos, limit: int | None, biome_tail: bytes, now: float
) -> tuple[EntryFault, ...]:
    """A skeleton: its sub-chunks need requests, up to the limit.

    ``store_state``: to write to. ``limit``: highest section to ask for, from the floor, inclusive; None: all.
    ``biome_tail``: biome storages and border bytes. Returns what was wrong with the tail; the column is announced all
    the same.
    """
    tables = store_state.tables
    places = _row(store_state, column)
    row = int(places[0]) // tables.sections
    tables.limit[row] = NO_LIMIT if limit is None else limit
    asked = len(places) if limit is None else min(limit + 1, len(places))
    store_state.states.happen(places[:asked], StateEvent.ANNOUNCED, now)
    show_air(store_state, places[asked:], StateEvent.ABOVE_LIMIT, now)
    used, faults = _take_biomes(store_state, row, column, biome_tail)
    tables.excess_bytes[row] = len(biome_tail) - used if used else 0
    store_state.tally.excess_tails += bool(tables.excess_bytes[row])
    return faults


def fill(store_state: StoreState, column: ColumnPos, payload: bytes, inline_count: int, now: float) -> AnswerReport:
    """A whole column: sub-chunks from the floor up, biomes, border bytes, block entities.

    Sections above the last one are all air. Raises OutOfSlots: the pools are full; the column is announced, and shows
    what it showed.
    """
    tables = store_state.tables
    places = _row(store_state, column)
    row = int(places[0]) // tables.sections
    tables.limit[row] = NO_LIMIT
    scanned = scan_sequence(payload, min(inline_count, MOST_INLINE))
    taken = store_state.intake.take(scanned, lambda index: ("LevelChunk", f"subchunks[{index}]"))
    tables.whole[row] = True
    inside = min(len(taken.slots), len(places))
    store_state.intake.drop_beyond(taken, inside)
    faults = settle(store_state, places[:inside], taken, (StateEvent.COLUMN_DATA, StateEvent.COLUMN_BROKEN), now)
    show_air(store_state, places[inside:], StateEvent.COLUMN_AIR, now)
    if inline_count > MOST_INLINE:
        faults += (
            EntryFault(_lowest(store_state, column), LimitExceeded("inline sub-chunks", inline_count, MOST_INLINE)),
        )
    elif not taken.faults:
        end = int(scanned.ends[-1]) if len(scanned.rows) else 0
        used, more = _take_biomes(store_state, row, column, payload[end:], inline_count)
        faults += more
        faults += store_state.attached.entities.take_column(row, payload[end + used :] if used else b"")
    store_state.attached.heights.whole(row)
    accepted = places[tables.state[places] != SubChunkState.UNDECODABLE]
    store_state.tally.faults += len(faults)
    none = np.empty(0, np.int32)
    return AnswerReport(accepted, none, none.astype(np.uint8), 0, 0, faults)


def _row(store_state: StoreState, column: ColumnPos) -> Places:
    """Places of a column that is announced, again or for the first time; what was said of the old one goes."""
    tables = store_state.tables
    row = tables.row_of.get(column)
    if row is None:
        row = tables.add(column)
        store_state.pending.add(row, column)
        store_state.attached.heights.clear(row)
        return tables.places_of_row(row)
    places = tables.places_of_row(row)
    tables.refusal[places] = 0
    tables.excess_bytes[row] = 0
    tables.whole[row] = False
    store_state.kept_edits.drop(places)
    store_state.attached.entities.drop_waiting(places)
    return places


def _take_biomes(
    store_state: StoreState, row: int, column: ColumnPos, tail: bytes, inline_count: int | None = None
) -> tuple[int, tuple[EntryFault, ...]]:
    used, error = store_state.extras.take_biomes(row, tail, store_state.tables.sections, inline_count)
    return used, () if error is None else (EntryFault(_lowest(store_state, column), error),)


def _lowest(store_state: StoreState, column: ColumnPos) -> SubChunkPos:
    return SubChunkPos(column.x, store_state.tables.dimension.floor_section, column.z)


def drop(store_state: StoreState, row: int) -> None:
    """Gives back all that a column holds; its tables are cleared by whoever calls."""
    places = store_state.tables.places_of_row(row)
    store_state.shown.drop(places)
    store_state.extras.drop_column(row)
    store_state.attached.drop(places)
    store_state.attached.entities.drop_waiting(places)
    store_state.kept_edits.drop(places)
