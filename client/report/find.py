"""``find``: finds blocks, or block entities, by name in the loaded world.

Several names are searched at once: the report counts each, and lists all positions together. Unknown sub-chunks are
counted, not searched. All matches are counted; the first positions are listed. A name that no
palette has is an error as soon as the server has spawned the player; names of other name spaces than the game's may
still come with a sub-chunk, so they are looked up when the world is settled.
"""

import time
from collections import Counter
from collections.abc import Sequence
from math import dist
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from client.connection.boxes import blocks_at, box_subchunks, count_blocks, expect_in_world
from client.connection.connection import Connection
from client.connection.opening import Progress, counted, open_connection
from client.errors import CHECK_FAILED, DONE, INCOMPLETE, UsageError
from client.options import Box, Options
from client.report.dump import options_for
from client.report.health import reported_rows, wait_known
from client.source import Source, bare_name, warning_lines
from client.world.block_table import UNKNOWN_NAME, parse_block_name
from client.world.store import Store
from client.world.store_state import SHOWS
from net.arrays import BlockIds, Rows
from net.space import BlockPos, SubChunkPos, coordinates
from net.subchunk.block_entities import position_of

USUAL_MOST: Final = 20  # blocks, and sub-chunks, that are listed by default
GAME: Final = "minecraft:"


class FoundState(msgspec.Struct, frozen=True):
    """The count of one block state, of one kind of block entity, or of one searched name."""

    name: str  # as commands spell it; a searched name as it was typed
    count: int  # how many


class FoundSubChunk(msgspec.Struct, frozen=True, gc=False):
    """A sub-chunk with matches, or with differences."""

    at: SubChunkPos  # its position
    count: int  # how many; 1 if its state differs


class FindReport(msgspec.Struct, frozen=True):
    """The result of a search."""

    source: str  # the opened source
    names: tuple[FoundState, ...]  # each searched name, in the order of the command
    what: str  # "blocks" or "block entities"
    count: int  # number of matches; what matches several names counts once
    states: tuple[FoundState, ...]  # the most frequent first
    subchunks: tuple[FoundSubChunk, ...]  # all with matches; those with the most first
    blocks: tuple[BlockPos, ...]  # the first positions, sub-chunk by sub-chunk; at most as many as requested
    more: int  # matches beyond these
    looked_at: int  # searched sub-chunks
    unknown: int  # sub-chunks of announced columns, or of the box, whose blocks are unknown
    settled: bool  # whether no more data was to come
    waiting_for: str  # what was missing when the time ran out, else empty
    seconds: float  # duration of the search, without loading
    warnings: tuple[str, ...] = ()  # the server's protocol violations, one line a kind
    in_box: bool = False  # whether only a box was searched; what is missing may lie around it

    @property
    def exit_code(self) -> int:
        """4 if something did not arrive, so that there may be more; else 0 if something was found, or 1."""
        return INCOMPLETE if not self.settled else DONE if self.count else CHECK_FAILED

    def text(self) -> str:
        single = {"blocks": "block", "block entities": "block entity"}[self.what]
        number = f"{self.count:,} {single if self.count == 1 else self.what}" if self.count else f"no {self.what}"
        where = f" in {counted(len(self.subchunks), 'sub-chunk')}" if self.count else ""
        usual = max(USUAL_MOST, len(self.blocks))
        most = len(self.blocks) if self.more else usual
        box = "in the box itself: " if self.in_box else ""
        names = sorted(self.names, key=lambda each: -each.count)
        lines = [
            f"{self.source}: {number} of {', '.join(each.name for each in self.names)}{where}; "
            f"{counted(self.looked_at, 'sub-chunk')} searched",
            *([] if self.settled else [f"not complete: {self.waiting_for}"]),
            *(
                [f"{box}{counted(self.unknown, 'sub-chunk')} not searched: their blocks are unknown"]
                * bool(self.unknown)
            ),
            *(listed("names", _counts(names), len(names)) if len(names) > 1 else []),
            *listed("states", _counts(self.states), usual),
            *listed("sub-chunks", [f"{coordinates(each.at)}: {each.count:,}" for each in self.subchunks], most),
            *listed("blocks", [coordinates(each) for each in self.blocks], most, self.more),
        ]
        return "\n".join([*lines, *warning_lines(self.warnings)])


def _counts(states: Sequence[FoundState]) -> list[str]:
    return [f"{each.count:,} {bare_name(each.name)}" for each in states]


def listed(title: str, lines: list[str], most: int, more: int = 0) -> list[str]:
    """A title with the first lines below it, and how many more there are; nothing without lines."""
    more += max(0, len(lines) - most)
    found = [f"{title}:", *(f"  {line}" for line in lines[:most]), *([f"  and {more:,} more"] * bool(more))]
    return found if lines else []


class Search(msgspec.Struct, frozen=True):
    """What is searched, and where."""

    names: tuple[str, ...]  # each NAME or NAME[PROPERTY=VALUE,...]; for entities their id, in any case, likewise
    box: Box | None = None  # all of it is requested, and nothing else is searched; None: everywhere
    layer: int = 0  # 1: the second one
    entities: bool = False  # whether block entities are searched instead of blocks
    most: int = USUAL_MOST  # positions that are listed


def find(source: Source, search: Search, options: Options, progress: Progress | None = None) -> FindReport:
    """Joins a source, waits until it is settled, and searches.

    ``options``: ``timeout_s`` counts for joining and for the wait, each. Raises UsageError: there is no such block, or
    the box cannot be read; SourceError: the source cannot be joined, or ended the session; UnreadableFile.
    """
    for name in search.names:
        parse_block_name(name)
    options = replace(options if search.box is None else options_for(options, search.box), light=False)
    with open_connection(source, options, progress) as connection:
        return report_on(connection, search, progress)


def report_on(connection: Connection, search: Search, progress: Progress | None = None) -> FindReport:
    box, timeout_s = search.box, connection.options.timeout_s
    for name in () if search.entities else search.names:
        _ids(connection.session.dimension.store, name, complete=False)
    if box is not None:
        expect_in_world(box, connection.session.dimension.store.dimension)
        ended = connection.request(box, timeout_s, progress)
    else:
        ended = wait_known(connection, timeout_s, progress)
    store, start = connection.session.dimension.store, time.perf_counter()
    rows = reported_rows(connection)
    found = find_in(store, search, rows)
    known, unknown = _looked_at(store, box, rows)
    return FindReport(
        source=str(connection.source),
        names=found.names,
        what="block entities" if search.entities else "blocks",
        count=found.count,
        states=found.states,
        subchunks=tuple(sorted(found.subchunks, key=lambda each: -each.count)),
        blocks=found.blocks,
        more=found.count - len(found.blocks),
        looked_at=known,
        unknown=unknown,
        settled=ended.settled,
        waiting_for=ended.waiting_for,
        seconds=round(time.perf_counter() - start, 4),
        warnings=connection.statistics().session.warnings,
        in_box=box is not None,
    )


class FoundBlocks(msgspec.Struct, frozen=True, eq=False):
    """The matches of a search; as in the report, but sub-chunks by position."""

    names: tuple[FoundState, ...]
    count: int
    states: tuple[FoundState, ...]
    subchunks: tuple[FoundSubChunk, ...]
    blocks: tuple[BlockPos, ...]


def find_in(store: Store, search: Search, rows: Rows, near: BlockPos | None = None) -> FoundBlocks:
    """Searches the present content of the columns of ``rows``. Raises UsageError: there is no such block.

    ``near``: the sub-chunks nearest to this block come first, in the order of positions unless given.
    """
    return (_entities if search.entities else _blocks)(store, search, rows, near)


def _ids(store: Store, name: str, *, complete: bool) -> BlockIds:
    """The ids of a block. Raises UsageError: none has the name, and (``complete``, or the game's) none will come."""
    try:
        return store.table.ids_named(name)
    except UsageError:
        block = parse_block_name(name)[0]
        if block == UNKNOWN_NAME or not (complete or block.startswith(GAME)):
            return np.empty(0, np.uint16)
        raise


def _blocks(store: Store, search: Search, rows: Rows, near: BlockPos | None) -> FoundBlocks:
    ids_of = [_ids(store, name, complete=True) for name in search.names]
    ids = np.unique(np.concatenate(ids_of))
    counted = count_blocks(store, ids, search.box, search.layer, rows)
    states = Counter({str(store.table.states[one]): int(counted.by_id[one]) for one in ids.tolist()})
    at = map(SubChunkPos, *store.positions_of(counted.places).T.tolist())
    places = counted.places
    if near is not None:
        away = store.positions_of(places) - np.array(near.subchunk)
        places = places[np.argsort((away * away).sum(axis=1), kind="stable")]
    first = blocks_at(store, ids, places, search.box, search.layer, search.most).tolist()
    return FoundBlocks(
        tuple(FoundState(name, int(counted.by_id[of].sum())) for name, of in zip(search.names, ids_of, strict=True)),
        int(counted.counts.sum()),
        _states(states),
        tuple(FoundSubChunk(*each) for each in zip(at, counted.counts.tolist(), strict=True)),
        tuple(BlockPos(*each) for each in first),
    )


def _entities(store: Store, search: Search, rows: Rows, near: BlockPos | None) -> FoundBlocks:
    wanted = [(name.partition("[")[0].strip().lower(), parse_block_name(name)[1]) for name in search.names]
    by_name = [0] * len(wanted)
    found: list[tuple[BlockPos, str]] = []
    for entity in store.attached.entities.of(store.places_of_rows(rows)):
        kind, at = str(entity.get("id", "")), position_of(entity)
        if at is None or not (search.box is None or search.box.holds(at)):
            continue
        matches = [
            kind.lower() == name and all(str(entity.get(key)).lower() == value for key, value in values)
            for name, values in wanted
        ]
        by_name = [count + match for count, match in zip(by_name, matches, strict=True)]
        if any(matches):
            found.append((at, kind))
    found.sort(key=lambda each: (each[0].subchunk.x, each[0].subchunk.z, each[0].subchunk.y, each[0].x, each[0].z))
    subchunks = Counter(at.subchunk for at, _ in found)
    if near is not None:
        found.sort(key=lambda each: dist(each[0].subchunk, near.subchunk))
    return FoundBlocks(
        tuple(map(FoundState, search.names, by_name)),
        len(found),
        _states(Counter(kind for _, kind in found)),
        tuple(FoundSubChunk(at, count) for at, count in subchunks.items()),
        tuple(at for at, _ in found[: search.most]),
    )


def _states(counts: Counter[str]) -> tuple[FoundState, ...]:
    return tuple(FoundState(name, count) for name, count in counts.most_common() if count)


def _looked_at(store: Store, box: Box | None, rows: Rows) -> tuple[int, int]:
    """The number of known and of unknown sub-chunks: of a box, or of the columns of these rows."""
    places = store.places_of_rows(rows)
    if box is None:
        known = int(SHOWS[store.state[places]].sum())
        return known, len(places) - known
    inside = [at for at in box_subchunks(box) if store.dimension.holds_section(at.y)]
    places = store.places_of(np.array(inside, np.int32).reshape(-1, 3))
    known = int((SHOWS[store.state[places]] & (places >= store.sections)).sum())
    return known, len(places) - known
