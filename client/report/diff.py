"""``diff``: compares two worlds, sub-chunk by sub-chunk: worlds, servers, recordings, moments of a recording.

docs/howto/compare-servers.md names the arrays. A sub-chunk is equal, different or unknown: unknown if one side does not
know it. Outside the height of a side all blocks are air, as in a dump; biomes, light and states are unknown there.
``Against`` compares a loaded world with one that still changes, for the window and for pictures. Memory: both worlds,
and ``PAIRS_AT_ONCE`` sub-chunks of each.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.connection.boxes import box_subchunks, cells_inside
from client.connection.connection import Connection
from client.connection.opening import Progress, counted, open_connection
from client.connection.stats import boxes, lines_of_boxes
from client.embedded_server import is_served
from client.errors import CHECK_FAILED, DONE, INCOMPLETE, SourceError, UsageError
from client.light.light_map import LightMap
from client.options import USUAL_DIFF_ARRAYS, Box, Options
from client.report.dump import options_for
from client.report.find import FoundSubChunk, listed
from client.report.health import wait_known
from client.report.why import SETTLED_STATES
from client.session.weather import name_of
from client.source import Embedded, OtherSource, Source, bare_name, warning_lines
from client.world.block_table import DENSE_IDS, UNKNOWN_NAME
from client.world.lifecycle import table_of
from client.world.store import Store
from client.world.store_state import SHOWS
from net.arrays import ColumnPositions, Places, SubChunkPositions
from net.space import BLOCKS_PER_SUBCHUNK, UNKNOWN_BIOME, UNLOADED_PLACE, Dimension, SubChunkPos, coordinates
from net.subchunk.storage import NO_ID

PAIRS_AT_ONCE: Final = 64  # sub-chunks that are compared at once; half a megabyte of each side
MOST_VALUES: Final = 1024
"""Values of each side that are counted separately, 8 MiB; a server that sends noise has tens of thousands."""
LISTED: Final = 20  # listed changes and sub-chunks in the text; ten times as many changes in JSON
LONGEST_SIDE: Final = 8192  # of a picture, in blocks
Colour = tuple[int, int, int]
EQUAL_COLOUR: Final = (70, 70, 70)
ONE_COLOUR: Final = (255, 220, 40)
MANY_COLOUR: Final = (255, 0, 0)
UNKNOWN_COLOUR: Final = (40, 60, 140)
PARTLY_COLOUR: Final = (70, 80, 120)
MAP_LEGEND: Final[tuple[tuple[Colour, str], ...]] = (
    (ONE_COLOUR, "1 difference at this x and z"),
    (MANY_COLOUR, "16 or more differences; fewer are less red"),
    (EQUAL_COLOUR, "equal"),
    (PARTLY_COLOUR, "no difference, but some sub-chunks are unknown"),
    (UNKNOWN_COLOUR, "unknown on one side or on both"),
    ((0, 0, 0), "not compared"),
)
"""The colours of a map of differences, and what each means."""
NOT_WAITED_FOR: Final = table_of(tuple(SETTLED_STATES))
MOST_LISTED: Final = 512
"""Largest number of differing blocks of a sub-chunk that the window lists one by one."""
ONLY_HERE, ONLY_THERE, OTHER = 0, 1, 2
"""How a block differs: air on the other side, air on this side, or other blocks on both."""
OTHER_LAYER1, OTHER_LIGHT = 3, 4  # further kinds: the second layer or the light differs
KIND_OF: Final = {"layer1": OTHER_LAYER1, "light": OTHER_LIGHT}
EQUAL, DIFFERENT, UNKNOWN = "equal", "different", "unknown"
"""Verdicts on an array, and on two worlds."""

Ids = npt.NDArray[np.uint16]  # [n, 4096], one value a block


class ValueChange(msgspec.Struct, frozen=True):
    """One value that changed to another, and how often."""

    a: str  # a block state, or a biome
    b: str  # likewise
    count: int  # blocks


class ArrayDifference(msgspec.Struct, frozen=True):
    """The difference of the worlds in one array."""

    what: str  # blocks, layer1, biomes, light or states
    count: int  # blocks that differ; for states sub-chunks
    equal: int  # sub-chunks
    unknown_a: int  # sub-chunks that only A does not know
    unknown_b: int  # sub-chunks that only B does not know
    unknown_both: int  # sub-chunks that neither knows
    different: tuple[FoundSubChunk, ...]  # those with the most blocks first
    unknown: tuple[SubChunkPos, ...]  # by position
    changes: tuple[ValueChange, ...]  # the most frequent first; empty for light and states
    other_changes: int  # blocks with other changes

    @property
    def verdict(self) -> str:
        """Of all sub-chunks together: different if one is, else unknown if one is."""
        return DIFFERENT if self.different else UNKNOWN if self.unknown or not self.equal else EQUAL

    def lines(self) -> list[str]:
        unit = "sub-chunk" if self.what == "states" else "block"
        counts = ((self.unknown_a, "in A only"), (self.unknown_b, "in B only"), (self.unknown_both, "in both"))
        unknown = ", ".join(f"{count:,} unknown {where}" for count, where in counts if count) or "0 unknown"
        within = "" if unit == "sub-chunk" else f" in {counted(len(self.different), 'sub-chunk')}"
        differ = f"{counted(self.count, unit)} differ{'' if self.count > 1 else 's'}{within}"
        differ = differ if self.count else "no difference"
        changes = [f"    {each.count:,} {bare_name(each.a)} -> {bare_name(each.b)}" for each in self.changes[:LISTED]]
        rarer = sum(each.count for each in self.changes[LISTED:]) + self.other_changes
        places = [f"{coordinates(each.at)}: {each.count:,}" for each in self.different]
        in_boxes = self.what in ("states", "biomes")  # of these, whole areas differ
        where = lines_of_boxes(boxes([each.at for each in self.different]), "sub-chunks")
        return [
            f"{self.what}: {differ}; {counted(self.equal, 'sub-chunk')} equal, {unknown}",
            *(["  changes:", *changes] if changes else []),
            *([f"    and {counted(rarer, 'block')} with rarer changes"] if rarer else []),
            *(f"  {line}" for line in listed("different sub-chunks", [] if in_boxes else places, LISTED)),
            *(["  different sub-chunks:", *where] if places and in_boxes else []),
            *(["  unknown sub-chunks:", *lines_of_boxes(boxes(self.unknown), "sub-chunks")] if self.unknown else []),
        ]


class SideReport(msgspec.Struct, frozen=True):
    """One of the two worlds."""

    source: str  # the opened source
    protocol: int  # number in use
    dimension: str  # its name
    columns: int  # announced
    settled: bool  # whether no more data was to come
    waiting_for: str  # what was missing when the time ran out, else empty
    warnings: tuple[str, ...] = ()  # the server's protocol violations, one line a kind

    def lines(self, letter: str) -> list[str]:
        about = f"protocol {self.protocol}, {self.dimension}, {counted(self.columns, 'column')} received"
        waited = [] if self.settled else [f"{letter} is not complete: {self.waiting_for}"]
        return [f"{letter}: {self.source} ({about})", *waited]


class DiffReport(msgspec.Struct, frozen=True):
    """The differences of two worlds."""

    verdict: str  # equal, different or unknown
    a: SideReport
    b: SideReport
    arrays: tuple[ArrayDifference, ...]  # the compared ones
    seconds: float  # duration of the comparison, without loading

    @property
    def exit_code(self) -> int:
        """1 for different, 4 for unknown, 0 for equal."""
        return {EQUAL: DONE, DIFFERENT: CHECK_FAILED}.get(self.verdict, INCOMPLETE)

    def text(self) -> str:
        found = [line for each in self.arrays for line in ("", *each.lines())]
        warnings = [*warning_lines(self.a.warnings), *warning_lines(self.b.warnings)]
        equal = self.verdict == UNKNOWN and any(each.equal for each in self.arrays)
        known = " (all that both sides know is equal)" if equal else ""
        return "\n".join([f"verdict: {self.verdict}{known}", *self.a.lines("A"), *self.b.lines("B"), *found, *warnings])


class World(msgspec.Struct, frozen=True, eq=False):
    """The compared data of one side; read only."""

    store: Store
    light: LightMap  # dark where it was not computed
    biome_names: Mapping[int, str]  # the server's own
    protocol: int
    source: str = ""  # the opened source
    # bool[places] the places that its player needs (``Requests.needed``), and all beyond; all of a replay that moves
    needed: npt.NDArray[np.bool_] = np.empty(0, np.bool_)


# ---------------------------------------------------------------- one array of one side


class _Cells(msgspec.Struct, frozen=True, eq=False):
    """One array of one side, at the n compared sub-chunks."""

    known: npt.NDArray[np.bool_]  # bool[n]
    keys: npt.NDArray[np.int64]  # int64[n]; sub-chunks of one key have equal values
    rows: Callable[[npt.NDArray[np.int64]], Ids]  # returns the values for keys


def _cells(world: World, what: str, positions: SubChunkPositions) -> _Cells:
    store = world.store
    places = store.places_of(positions)
    inside = places >= store.sections
    pools = store.pools
    shows = (SHOWS[store.state[places]] & inside) | (~inside & (places != UNLOADED_PLACE))  # outside is air
    match what:
        case "blocks":
            return _Cells(shows, store.slot[places].astype(np.int64), lambda keys: pools.blocks[keys])
        case "layer1":
            return _Cells(shows, store.layer1_slot[places].astype(np.int64), lambda keys: pools.layer1[keys])
        case "light":
            light = world.light
            final = np.zeros(len(places), np.bool_)
            rows, row_of = np.unique(places[inside] // store.sections, return_inverse=True)
            if len(rows):
                lit = light.final(store, rows.astype(np.int32))
                final[inside] = lit[row_of.reshape(-1), places[inside] % store.sections]
            return _Cells(final & shows, light.slots_of(places).astype(np.int64), lambda keys: light.values[keys])

    def biomes(keys: npt.NDArray[np.int64]) -> Ids:
        return np.stack(
            [store.biomes_of(SubChunkPos(*at)) for at in store.positions_of(keys.astype(np.int32)).tolist()]
        )

    sources = store.biome_sources(places)
    return _Cells(sources != UNLOADED_PLACE, sources.astype(np.int64), biomes)


def _states(store: Store, positions: SubChunkPositions) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """The state of each sub-chunk, and whether it is known: uint8[n] and bool[n]."""
    places = store.places_of(positions)
    states = store.state[places]
    return states, (places >= store.sections) & NOT_WAITED_FOR[states]


# ---------------------------------------------------------------- comparison


def _spare(world: World, other: Store, positions: SubChunkPositions) -> npt.NDArray[np.bool_]:
    """Which sub-chunks one side may know only because it requested them ahead, while both announced the column.

    On a slow line that depends on the order of arrival, so the other side need not know them: bool[n].
    """
    places = world.store.places_of(positions)
    needed = np.ones(len(world.store.state), np.bool_)
    needed[: len(world.needed)] = world.needed[: len(needed)]
    spare: npt.NDArray[np.bool_] = ~needed[places] & (places >= world.store.sections)
    return spare & (other.places_of(positions) >= other.sections)


def positions_of(a: Store, b: Store, box: Box | None) -> SubChunkPositions:
    """The compared sub-chunks, by x, then z, then y: those of the box, or of all announced columns."""
    floor = min(store.dimension.floor_section for store in (a, b))
    roof = max(store.dimension.roof_section for store in (a, b))
    if box is not None:
        at = np.array([at for at in box_subchunks(box) if floor <= at.y < roof], np.int32).reshape(-1, 3)
        if not len(at):
            raise UsageError(f"The box {box} lies outside both worlds: y must be {floor * 16} to {roof * 16 - 1}.")
        return at
    columns = np.unique(np.concatenate([store.columns[store.announced_rows] for store in (a, b)]), axis=0)
    at = np.empty((len(columns), roof - floor, 3), np.int32)
    at[..., 0], at[..., 2] = columns[:, :1], columns[:, 1:]
    at[..., 1] = np.arange(floor, roof)
    return at.reshape(-1, 3)


class DifferenceMap(msgspec.Struct, frozen=True, eq=False):
    """Where two worlds differ, seen from above."""

    columns: ColumnPositions  # int32[n, 2] x, z
    different: npt.NDArray[np.int64]  # int64[n, 16, 16] number of values that differ in each block column, by x, z
    compared: npt.NDArray[np.bool_]  # bool[n] whether both sides know anything there
    unknown: npt.NDArray[np.bool_]  # bool[n] whether a sub-chunk is unknown

    def picture(self, box: Box | None = None) -> npt.NDArray[np.uint8]:
        """RGBA, north on top, a block a pixel: in the colours of ``MAP_LEGEND``.

        ``box``: the shown part; all columns unless given. Raises UsageError: the picture would be too large.
        """
        columns = self.columns if len(self.columns) else np.zeros((1, 2), np.int32)
        low, high = columns.min(axis=0) * 16, columns.max(axis=0) * 16 + 16
        if box is not None:
            low, high = np.array([box.low.x, box.low.z]), np.array([box.high.x, box.high.z])
        if (high - low).max() > LONGEST_SIDE:
            width, depth = (high - low).tolist()
            raise UsageError(f"A picture of {width} x {depth} blocks is too large: choose a --box.")
        origin = low >> 4
        wide = ((high + 15) >> 4) - origin
        cells = np.zeros((wide[0], 16, wide[1], 16, 4), np.uint8)
        cells[..., 3] = 255
        share = np.clip((self.different - 1) / 15, 0.0, 1.0)[..., None]
        colours = np.full((*self.different.shape, 4), (*EQUAL_COLOUR, 255), np.uint8)
        colours[~self.compared] = (*UNKNOWN_COLOUR, 255)
        colours[self.compared & self.unknown] = (*PARTLY_COLOUR, 255)
        differing = self.different > 0
        colours[differing, :3] = (np.array(ONE_COLOUR) * (1 - share) + np.array(MANY_COLOUR) * share)[differing]
        at = self.columns - origin
        shown = ((at >= 0) & (at < wide)).all(axis=1)
        cells[at[shown, 0], :, at[shown, 1]] = colours[shown]
        pixels = cells.reshape(wide[0] * 16, wide[1] * 16, 4)
        first = low - origin * 16
        size = high - low
        return pixels[first[0] : first[0] + size[0], first[1] : first[1] + size[1]].transpose(1, 0, 2).copy()


class Comparison:
    """Compares two worlds of one dimension, array by array."""

    def __init__(self, a: World, b: World, box: Box | None = None) -> None:
        """Raises UsageError: the box lies outside both worlds."""
        self._a, self._b, self._box = a, b, box
        self.positions = positions_of(a.store, b.store, box)
        self._within: npt.NDArray[np.intp] = np.zeros(len(self.positions), np.intp)
        self._masks: npt.NDArray[np.bool_] = np.ones((1, BLOCKS_PER_SUBCHUNK), np.bool_)
        if box is not None:
            self._within, self._masks = cells_inside(box, self.positions)
        self._spare = [
            np.zeros(len(self.positions), np.bool_) if box is not None else _spare(one, other.store, self.positions)
            for one, other in ((a, b), (b, a))
        ]
        columns, column_of = np.unique(self.positions[:, ::2], axis=0, return_inverse=True)
        self._column_of = column_of.reshape(-1)
        count = len(columns)
        self.map = DifferenceMap(
            columns.astype(np.int32), np.zeros((count, 16, 16), np.int64), np.zeros(count, bool), np.zeros(count, bool)
        )

    def difference(self, what: str) -> ArrayDifference:
        if what == "states":
            return self._states()
        a, b = (_cells(world, what, self.positions) for world in (self._a, self._b))
        both = np.flatnonzero(a.known & b.known)
        counts, hidden = np.zeros(len(self.positions), np.int64), np.zeros((2, len(self.positions)), np.bool_)
        changes = _Changes() if what != "light" else None
        pairs, pair_of = _pairs(a.keys[both], b.keys[both], self._within[both])
        times = np.bincount(pair_of, minlength=len(pairs))
        order = np.argsort(pair_of, kind="stable")
        ends = np.searchsorted(pair_of[order], np.arange(len(pairs) + 1))
        for first, of_a, of_b, anywhere in _compared(what, a, b, pairs, _translation(self._a, self._b, what)):
            masks = self._masks[pairs[first : first + len(anywhere), 2]]
            differs = anywhere & masks
            members = order[ends[first] : ends[first + len(differs)]]
            where, row = both[members], pair_of[members] - first
            if what == "biomes":
                for side, values in enumerate((of_a, of_b)):
                    hidden[side, where] = np.any((values == UNKNOWN_BIOME) & masks, axis=1)[row]
            above = np.bitwise_count(differs.view(np.uint64)).reshape(-1, 256, 2).sum(axis=2, dtype=np.uint8)
            found = above.sum(axis=1, dtype=np.int64)
            if not found.any():
                continue
            counts[where] = found[row]
            changed = found[row] > 0
            at = self._column_of[where[changed], None] * 256 + np.arange(256)
            np.add.at(self.map.different.reshape(-1), at.ravel(), above[row[changed]].ravel())
            if changes is not None:
                changes.add(of_a, of_b, differs, times[first : first + len(differs)])
        return self._verdict(what, a.known & ~hidden[0], b.known & ~hidden[1], counts, self._named(what, changes))

    def _states(self) -> ArrayDifference:
        """Like ``difference``, for one value a sub-chunk."""
        (a, known_a), (b, known_b) = (_states(world.store, self.positions) for world in (self._a, self._b))
        differs = (a != b) & known_a & known_b
        return self._verdict("states", known_a, known_b, differs.astype(np.int64), ((), 0))

    def _verdict(
        self,
        what: str,
        known_a: npt.NDArray[np.bool_],
        known_b: npt.NDArray[np.bool_],
        counts: npt.NDArray[np.int64],
        changes: tuple[tuple[ValueChange, ...], int],
    ) -> ArrayDifference:
        spare_a, spare_b = self._spare
        known_a, known_b = known_a & (known_b | ~spare_a), known_b & (known_a | ~spare_b)
        compared = known_a | known_b | (self._box is not None)
        different = np.flatnonzero(counts)
        unknown = compared & ~(known_a & known_b) & (counts == 0)
        self.map.compared[self._column_of[known_a & known_b]] = True
        self.map.unknown[self._column_of[unknown]] = True
        order = different[np.argsort(-counts[different], kind="stable")]
        at = self.positions[order].tolist()
        return ArrayDifference(
            what,
            int(counts.sum()),
            int((known_a & known_b & (counts == 0)).sum()),
            int((unknown & ~known_a & known_b).sum()),
            int((unknown & known_a & ~known_b).sum()),
            int((unknown & ~known_a & ~known_b).sum()),
            tuple(
                FoundSubChunk(SubChunkPos(*each), count) for each, count in zip(at, counts[order].tolist(), strict=True)
            ),
            tuple(SubChunkPos(*each) for each in self.positions[unknown].tolist()),
            *changes,
        )

    def _named(self, what: str, changes: "_Changes | None") -> tuple[tuple[ValueChange, ...], int]:
        if changes is None:
            return (), 0

        def name(world: World, value: int) -> str:
            if what == "biomes":
                return name_of(value, world.biome_names) or f"biome {value}"
            return str(world.store.table.states[value])

        found, others = changes.most_common(LISTED * 10)
        return tuple(ValueChange(name(self._a, a), name(self._b, b), count) for a, b, count in found), others


Translation = tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]
"""For each value of A, and of B, one that is the same on both sides where they mean the same: uint16[65536] each."""
SAME: Final = np.arange(DENSE_IDS, dtype=np.uint16)


def _translation(a: World, b: World, what: str) -> Translation:
    if what in ("blocks", "layer1"):
        return (SAME, _block_ids(b, a)) if a.protocol > b.protocol else (_block_ids(a, b), SAME)
    return _biome_numbers(a, b) if what == "biomes" else SAME, SAME


def _block_ids(older: World, newer: World) -> npt.NDArray[np.uint16]:
    """For each dense id the id of the same block in the other world, which speaks the same protocol or a newer one.

    Numbers of unknown blocks have no meaning in another protocol.
    """
    table, renamed = older.store.table, older.protocol != newer.protocol
    ids = table.ids_in(newer.store.table, renamed=renamed)
    if renamed and table.appended:
        appended = range(len(table) - table.appended, len(table))
        ids[[dense for dense in appended if table.states[dense].name == UNKNOWN_NAME]] = NO_ID
    return ids


def _biome_numbers(a: World, b: World) -> npt.NDArray[np.uint16]:
    """For each biome of A the number of the same name in B, if the servers name their own."""
    numbers = np.arange(DENSE_IDS, dtype=np.uint16)
    own_a, own_b = a.biome_names, b.biome_names
    if own_a == own_b:
        return numbers
    number_of = {name: number for number, name in own_b.items()}
    for number in {*own_a, *own_b}:
        name = name_of(number, own_a)
        if name is not None and name != name_of(number, own_b):
            numbers[number] = number_of.get(name, NO_ID - 1)
    return numbers


class _Changes:
    """Counts of changes from value to value: the first ``MOST_VALUES`` values of each side, all others as one."""

    def __init__(self) -> None:
        self.counts = np.zeros((MOST_VALUES + 1, MOST_VALUES + 1), np.int64)  # by the rows of two values; 0: others
        self._values: tuple[list[int], list[int]] = ([], [])
        self._row_of = np.zeros((2, DENSE_IDS), np.int64)

    def add(self, of_a: Ids, of_b: Ids, differs: npt.NDArray[np.bool_], times: npt.NDArray[np.int64]) -> None:
        """Counts the changes of some sub-chunks, each so many times."""
        often = np.flatnonzero((times > 1) & differs.any(axis=1)).tolist()
        once = np.flatnonzero(differs & (times == 1)[:, None])
        self._add(of_a.ravel().take(once), of_b.ravel().take(once), 1)
        for row in often:
            self._add(of_a[row][differs[row]], of_b[row][differs[row]], int(times[row]))

    def _add(self, of_a: npt.NDArray[np.uint16], of_b: npt.NDArray[np.uint16], weight: int) -> None:
        rows_a, rows_b = self._rows(0, of_a), self._rows(1, of_b)
        shape = len(self._values[0]) + 1, len(self._values[1]) + 1
        counted = np.bincount(rows_a * shape[1] + rows_b, minlength=shape[0] * shape[1])
        self.counts[: shape[0], : shape[1]] += counted.reshape(shape) * weight

    def most_common(self, most: int) -> tuple[list[tuple[int, int, int]], int]:
        """The most frequent ones, as value of A, value of B and count; and the number of all other blocks."""
        a, b = np.nonzero(self.counts[1:, 1:])
        counts = self.counts[a + 1, b + 1]
        order = np.argsort(-counts, kind="stable")[:most]
        found = [(self._values[0][a[at]], self._values[1][b[at]], int(counts[at])) for at in order.tolist()]
        return found, int(self.counts.sum()) - sum(count for _, _, count in found)

    def _rows(self, side: int, values: npt.NDArray[np.uint16]) -> npt.NDArray[np.int64]:
        """The row of each value in ``counts``; new values get one while some are free."""
        rows: npt.NDArray[np.int64] = self._row_of[side].take(values)
        met = self._values[side]
        if len(met) < MOST_VALUES and not rows.all():
            for value in np.unique(values[rows == 0])[: MOST_VALUES - len(met)].tolist():
                met.append(value)
                self._row_of[side, value] = len(met)
            rows = self._row_of[side].take(values)
        return rows


def _pairs(
    a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], within: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Distinct rows (a, b, within), and the index of each input among them."""
    (of_a, a_of), (of_b, b_of) = (np.unique(keys, return_inverse=True) for keys in (a, b))
    regions = int(within.max(initial=0)) + 1
    found, which = np.unique((a_of * max(len(of_b), 1) + b_of) * regions + within, return_inverse=True)
    both, region = np.divmod(found, regions)
    first, second = np.divmod(both, max(len(of_b), 1))
    return np.column_stack([of_a[first], of_b[second], region]), which.reshape(-1)


def _compared(
    what: str, a: _Cells, b: _Cells, pairs: npt.NDArray[np.int64], translation: Translation
) -> Iterator[tuple[int, Ids, Ids, npt.NDArray[np.bool_]]]:
    """Some pairs at a time: the number of the first, the values of both sides, and which differ: bool[n, 4096].

    An unknown biome differs from none.
    """
    as_a, as_b = translation
    for first in range(0, len(pairs), PAIRS_AT_ONCE):
        part = pairs[first : first + PAIRS_AT_ONCE]
        of_a, of_b = a.rows(part[:, 0]), b.rows(part[:, 1])
        differs = as_a[of_a] != as_b[of_b]
        if what == "biomes":
            differs &= (of_a != UNKNOWN_BIOME) & (of_b != UNKNOWN_BIOME)
        yield first, of_a, of_b, differs


# ---------------------------------------------------------------- a world that changes


class AgainstFacts(msgspec.Struct, frozen=True, eq=False):
    """How n sub-chunks of the world here differ from those of the world there."""

    # int32[arrays, n] blocks that differ in each array except biomes and states; 0 where a side is unknown
    counts: npt.NDArray[np.int32]
    biomes: npt.NDArray[np.bool_]  # bool[n] whether biomes differ, if they are compared
    states: npt.NDArray[np.bool_]  # bool[n] whether states differ, if they are compared
    known_here: npt.NDArray[np.bool_]  # bool[n] in all arrays
    known_there: npt.NDArray[np.bool_]  # bool[n] likewise
    blocks: npt.NDArray[np.int32]  # int32[m, 3] that differ, in sub-chunks with at most ``MOST_LISTED``
    kinds: npt.NDArray[np.uint8]  # uint8[m] how each differs: ONLY_HERE to OTHER_LIGHT
    columns_there: ColumnPositions  # int32[k, 2] announced only there


class _HeldArray:
    """The comparison state of one array of a changing world."""

    def __init__(self, what: str, places: int) -> None:
        self._what = what
        self.counts = np.zeros(places, np.int32)  # blocks that differ, by place
        # position, revision and light steps of each place when it was compared
        self._seen = np.full((places, 5), -1, np.int64)
        self._found: dict[int, tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]] = {}
        self._as_a, self._as_b = SAME, SAME
        self._known_ids = 0

    def look(self, here: World, there: World, a: _Cells, b: _Cells, places: Places, at: SubChunkPositions) -> int:
        """Compares what changed; returns the number of these sub-chunks."""
        self._translate(here, there)
        lit = here.light.stats().steps if self._what == "light" else 0
        now = np.column_stack([at, here.store.revision[places], np.full(len(places), lit)])
        stale = np.flatnonzero(a.known & b.known & (self._seen[places] != now).any(axis=1))
        if len(stale):
            self._seen[places[stale]] = now[stale]
            self._compare(a, b, places, at, stale)
        return len(stale)

    def listed(self, places: Places) -> list[tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]]:
        """Blocks that differ and how, of those places that have few."""
        return [self._found[place] for place in places[self.counts[places] > 0].tolist() if place in self._found]

    def _translate(self, here: World, there: World) -> None:
        """Updates the translation of ids; for blocks after new ones were appended."""
        if self._what == "biomes" or self._known_ids != len(here.store.table):
            self._known_ids = len(here.store.table)
            self._as_a, self._as_b = _translation(here, there, self._what)

    def _compare(
        self, a: _Cells, b: _Cells, places: Places, positions: SubChunkPositions, some: npt.NDArray[np.intp]
    ) -> None:
        pairs, pair_of = _pairs(a.keys[some], b.keys[some], np.zeros(len(some), np.intp))
        counts, cells_of = np.zeros(len(pairs), np.int32), {}
        for first, of_a, of_b, differs in _compared(self._what, a, b, pairs, (self._as_a, self._as_b)):
            counts[first : first + len(differs)] = differs.sum(axis=1)
            for row in np.flatnonzero(differs.any(axis=1)).tolist():
                if counts[first + row] <= MOST_LISTED and self._what != "biomes":
                    cells = np.flatnonzero(differs[row])
                    inside = np.stack([cells >> 8, cells & 15, cells >> 4 & 15], axis=1)
                    cells_of[first + row] = inside.astype(np.int32), self._kinds(of_a[row, cells], of_b[row, cells])
        self.counts[places[some]] = counts[pair_of]
        for place in self._found.keys() & set(places[some].tolist()):
            del self._found[place]
        for at, pair in zip(some.tolist(), pair_of.tolist(), strict=True):
            if pair in cells_of:
                inside, kinds = cells_of[pair]
                self._found[int(places[at])] = positions[at] * 16 + inside, kinds

    def _kinds(self, of_a: Ids, of_b: Ids) -> npt.NDArray[np.uint8]:
        kinds = np.full(len(of_a), KIND_OF.get(self._what, OTHER), np.uint8)
        if self._what == "blocks":
            kinds[of_b == 0] = ONLY_HERE
            kinds[of_a == 0] = ONLY_THERE
        return kinds


class Against:
    """Compares a loaded world that no longer changes with one that does. Owner thread only."""

    def __init__(self, other: World, here: str, what: tuple[str, ...] = ("blocks",)) -> None:
        """``here``: the source of the changing world; there is no comparison after the window switches to another."""
        self._here = here
        self._what = what
        self.compared = 0  # sub-chunks compared so far, by array; unchanged ones are not compared again
        self._other = other
        store = other.store
        self._columns = store.columns[store.announced_rows]
        self._store: Store | None = None
        self._held: dict[str, _HeldArray] = {}

    def facts(self, here: World, places: Places, positions: SubChunkPositions) -> AgainstFacts | None:
        """Compares sub-chunks of announced columns here: ``places``, at ``positions``.

        None in another dimension, or for another source than the given one.
        """
        store, there = here.store, self._other.store
        if store.dimension.number != there.dimension.number or here.source != self._here:
            return None
        arrays = [what for what in self._what if what != "states"]
        if self._store is not store or any(len(held.counts) != len(store.state) for held in self._held.values()):
            self._store, self._held = store, {what: _HeldArray(what, len(store.state)) for what in arrays}
        known_here, known_there = np.ones((2, len(places)), np.bool_)
        counts = np.zeros((len(arrays), len(places)), np.int32)
        for row, what in enumerate(arrays):
            a, b = _cells(here, what, positions), _cells(self._other, what, positions)
            self.compared += self._held[what].look(here, self._other, a, b, places, positions)
            counts[row, a.known & b.known] = self._held[what].counts[places][a.known & b.known]
            known_here, known_there = known_here & a.known, known_there & b.known
        states = np.zeros(len(places), np.bool_)
        if "states" in self._what:
            (one, its), (other, theirs) = _states(store, positions), _states(there, positions)
            states = (one != other) & its & theirs
            known_here, known_there = known_here & its, known_there & theirs
        biomes = np.zeros(len(places), np.bool_)
        if "biomes" in arrays:
            biomes = counts[arrays.index("biomes")] > 0
            counts = np.delete(counts, arrays.index("biomes"), axis=0)
        some = (counts > 0).any(axis=0)
        listed = [each for what in arrays for each in self._held[what].listed(places[some])]
        mine = {(x, z) for x, z in store.columns[store.announced_rows].tolist()}
        alone = [column for column in self._columns.tolist() if tuple(column) not in mine]
        return AgainstFacts(
            counts,
            biomes,
            states,
            known_here,
            known_there,
            np.concatenate([blocks for blocks, _ in listed]) if listed else np.zeros((0, 3), np.int32),
            np.concatenate([kinds for _, kinds in listed]) if listed else np.zeros(0, np.uint8),
            np.array(alone, np.int32).reshape(-1, 2),
        )


def load_against(other: OtherSource, here: Connection, progress: Progress | None = None) -> Against:
    """Joins another source, loads what a player at the same place sees, and leaves. Raises as ``diff``."""
    world = world_of(here)
    options = replace(
        here.options,
        at=here.options.at or here.session.movement.view.eye,
        dimension=world.store.dimension.number,
        light="light" in other.what,
        joined_at="",
        past=None,
        record=None,
        start=None,
        speed=None,
        still=None,
    )
    if is_served(other.source) and options.protocol == "auto":
        options = replace(options, protocol=world.protocol)
    with open_connection(other.source, options, progress) as connection:
        _load(connection, None, progress)
        there = world_of(connection)
        expect_one_dimension((here.opened, other.source), (world.store.dimension, there.store.dimension))
        return Against(there, world.source, other.what)


# ---------------------------------------------------------------- two sources


def diff(
    sources: tuple[Source, Source],
    options: tuple[Options, Options],
    box: Box | None = None,
    *,
    what: tuple[str, ...] = USUAL_DIFF_ARRAYS,
    progress: Progress | None = None,
) -> tuple[DiffReport, DifferenceMap]:
    """Joins two sources, one after the other, and compares them.

    ``sources``: A and B; the same recording may be both. ``options``: of each; ``timeout_s`` counts for joining and for
    the wait, each; ``still`` is the moment of a recording, its end unless given. ``box``: all of it is requested from
    both, and nothing else is compared. Raises UsageError: the box cannot be read, or a moment is given for a source
    that is no recording; SourceError: a source cannot be joined, or ended the session, or they show two dimensions;
    UnreadableFile.
    """
    first = 0 if _can_choose(sources[0]) <= _can_choose(sources[1]) else 1
    with ExitStack() as opened:
        found: dict[int, tuple[Connection, bool, str]] = {}
        for side in (first, 1 - first):
            source, its = sources[side], replace(options[side], light="light" in what)
            its = its if box is None else options_for(its, box)
            if found and is_served(source) and its.protocol == "auto":
                its = replace(its, protocol=found[first][0].protocol)
            connection = opened.enter_context(open_connection(source, its, progress))
            settled, waiting_for = _load(connection, box, progress)
            found[side] = connection, settled, waiting_for
        dimensions = [found[side][0].session.dimension.store.dimension for side in (0, 1)]
        expect_one_dimension(sources, dimensions)
        start = time.perf_counter()
        comparison = Comparison(world_of(found[0][0]), world_of(found[1][0]), box)
        arrays = tuple(comparison.difference(each) for each in what)
        seconds = round(time.perf_counter() - start, 3)
        a, b = (_side(*found[side], dimensions[side]) for side in (0, 1))
    return DiffReport(verdict_of(arrays, (a, b)), a, b, arrays, seconds), comparison.map


def verdict_of(arrays: tuple[ArrayDifference, ...], sides: tuple[SideReport, SideReport]) -> str:
    """Different if an array is; else unknown if one is, or more data was to come; else equal."""
    verdicts = {array.verdict for array in arrays}
    if DIFFERENT in verdicts:
        return DIFFERENT
    return UNKNOWN if UNKNOWN in verdicts or not all(side.settled for side in sides) else EQUAL


def _can_choose(source: Source) -> int:
    """Order of joining: sources with one fixed protocol first, then saved worlds, then our own."""
    return 2 if isinstance(source, Embedded) else 1 if is_served(source) else 0


def _load(connection: Connection, box: Box | None, progress: Progress | None) -> tuple[bool, str]:
    """Waits until settled, and leaves; returns whether it is settled, and what was missing. A recording always is."""
    timeout_s = connection.options.timeout_s
    if box is not None:
        ended = connection.request(box, timeout_s, progress)
    else:
        ended = wait_known(connection, timeout_s, progress)
    connection.light_up()
    if connection.replay:
        session = connection.session
        eye, forward = session.movement.eye, session.movement.view.forward
        session.dimension.requests.survey(eye, forward, session.dispatcher.granted, connection.now)
    connection.leave()
    return ended.settled or connection.replay is not None, "" if connection.replay else ended.waiting_for


def expect_one_dimension(sources: tuple[Source, Source], dimensions: Sequence[Dimension]) -> None:
    """Raises SourceError: two worlds are two dimensions, which cannot be compared."""
    a, b = dimensions
    if a.number != b.number:
        raise SourceError(
            f"{sources[0]} shows the {a.name}, {sources[1]} the {b.name}: compare one dimension (--dimension)."
        )


def world_of(connection: Connection) -> World:
    """The known data of the dimension of its player."""
    session = connection.session
    dimension = session.dimension
    names, source = session.environment.biome_names, str(connection.opened)
    needed = dimension.requests.needed
    return World(dimension.store, dimension.light, names, connection.protocol, source, needed)


def _side(connection: Connection, settled: bool, waiting_for: str, dimension: Dimension) -> SideReport:
    return SideReport(
        str(connection.opened),
        connection.protocol,
        dimension.name,
        len(connection.session.dimension.store.row_of),
        settled,
        waiting_for,
        connection.statistics().session.warnings,
    )
