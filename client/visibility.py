"""Face connectivity of block slots, and the visibility walk over it from one eye.

Rules of the walk:
1. Placeholders are reached, not passed (seed 000): they are the leaves, and so the places to request. The request walk
   may pass those expected open; the draw walk passes none.
2. The look direction does not count: the frustum narrows the result afterwards, for drawing only.
3. An eye above the roof sees down through every column's top, one below the floor up through every bottom. An eye in a
   column that is not loaded sees nothing.
4. The result depends on which columns exist, the connectivity of what each place shows, whether the eye's own place
   shows a placeholder, and which places are expected open. A caller that caches it (``KeptWalk``) names the columns in
   which any of these changed.

Sectors: all eyes of one sector have the same walk. For an eye inside a sub-chunk, the walk only compares on which of
two axes a sub-chunk's middle is farther: ``|16 d + u|`` against ``|16 e + v|``, with whole numbers of sub-chunks d and
e, and u and v from -8 to 8, the way from the eye to the middle of its own sub-chunk. Where ``|d|`` and ``|e|`` differ
they decide; where they are equal, u and v do. So nine planes through the middle divide the sub-chunk into sectors.
Walks start at one eye of the sector, in whole numbers: rounding on the way to it may only make two lengths equal, and a
pair of faces is dropped where one is larger.
"""

from math import copysign
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from client.world.block_pools import BlockPools
from client.world.store import Store
from net.arrays import Bytes, ColumnPositions, Places, Slots
from net.space import ColumnPos, Dimension
from net.subchunk.storage import IS_PLACEHOLDER
from net.visibility.connectivity_kernels import SCRATCH_WORDS, connect
from net.visibility.walk_kernels import EYE_INSIDE, HALF, REACH, walk

Blocks = tuple[float, float, float]
MIDDLE = 8.0


class Sector(NamedTuple):
    """A set of eyes with equal walks."""

    column: ColumnPos  # of the eyes
    section: int  # y of their sub-chunk, in sub-chunks; clamped to just outside of the dimension
    within: Blocks  # where walks start, in blocks from the lowest corner of that sub-chunk


def sector_of(eye: Blocks, dimension: Dimension) -> Sector:
    """The sector of an eye, in blocks; above and below the dimension each eye has its own."""
    x, y, z = eye
    column, section = ColumnPos(int(x // 16), int(z // 16)), int(y // 16)
    if not dimension.holds_section(section):
        section = max(dimension.floor_section - 1, min(dimension.roof_section, section))
        return Sector(column, section, (x - column.x * 16, y - section * 16, z - column.z * 16))
    ways = column.x * 16 + MIDDLE - x, section * 16 + MIDDLE - y, column.z * 16 + MIDDLE - z
    ranks = sorted({0.0, *map(abs, ways)})
    a, b, c = (MIDDLE - copysign(MIDDLE if abs(way) == MIDDLE else ranks.index(abs(way)), way) for way in ways)
    return Sector(column, section, (a, b, c))


TOP_FACE, BOTTOM_FACE = 1 << 5, 1 << 4

Offset = TypeVar("Offset", int, npt.NDArray[np.int64])


class Walk:
    """Scratch arrays for walks; for any thread, one run at a time."""

    def __init__(self) -> None:
        self._order = np.zeros(0, np.int32)
        self._offsets = np.zeros(0, np.int64)
        self._entered = np.zeros(0, np.uint8)
        self._nothing_expected = np.zeros(0, np.uint8)

    def run(
        self,
        world: Store,
        eye: tuple[float, float, float],
        radius_columns: int = REACH,
        expected_open: Bytes | None = None,
    ) -> Places:
        """Places that a walk from an eye reaches, by Manhattan distance in sub-chunks from the eye's, nearest first.

        ``radius_columns``: columns farther than this from the eye's (Chebyshev) are not entered, 0..511.
        ``expected_open``: uint8[places] EXPECTED_OPEN where a place may be passed whatever it shows, EXPECTED_SURFACE
        where it may, but not through its bottom; 0 elsewhere. None: 0 everywhere.
        """
        self._resize(len(world.slot))
        sector = sector_of(eye, world.dimension)
        expected = self._nothing_expected if expected_open is None else expected_open
        seeds, offsets, entries = _seeds(world, sector, radius_columns, expected)
        count = 0
        if len(seeds):
            count = walk(
                world.neighbours, world.slot, world.pools.connectivity, expected, seeds, offsets, entries,
                *sector.within, min(radius_columns, REACH), self._order, self._offsets, self._entered,
            )  # fmt: skip
        return self._order[:count].copy()

    def _resize(self, places: int) -> None:
        if places != len(self._order):
            self._order = np.zeros(places, np.int32)
            self._offsets = np.zeros(places, np.int64)
            self._entered = np.zeros(places, np.uint8)
            self._nothing_expected = np.zeros(places, np.uint8)


def _seeds(
    world: Store, sector: Sector, radius: int, expected: Bytes
) -> tuple[Places, npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Places that the eye sees without passing another one, nearest level first, with offsets and entry faces."""
    dimension, (column, section, _) = world.dimension, sector
    if dimension.holds_section(section):
        row = world.row_of.get(column, 0)
        place = row * dimension.sections + section - dimension.floor_section
        passed = expected[place] or not world.pools.kinds[world.slot[place]] & IS_PLACEHOLDER
        entry = EYE_INSIDE if passed else BOTTOM_FACE
        many = 1 if row else 0
        offset = np.full(many, _packed(0, 0, 0), np.int64)
        return np.full(many, place, np.int32), offset, np.full(many, entry, np.uint8)
    above = section >= dimension.roof_section
    rows = np.fromiter(world.row_of.values(), np.int32, len(world.row_of))
    away = world.columns[rows].astype(np.int64) - np.array(column)
    near = np.flatnonzero(np.abs(away).max(axis=1, initial=0) <= min(radius, REACH))
    near = near[np.argsort(np.abs(away[near]).sum(axis=1), kind="stable")]
    offset = _packed(away[near, 0], -1 if above else 1, away[near, 1])
    places = rows[near] * dimension.sections + (dimension.sections - 1 if above else 0)
    return places.astype(np.int32), offset, np.full(len(near), TOP_FACE if above else BOTTOM_FACE, np.uint8)


def _packed(dx: Offset, dy: int, dz: Offset) -> Offset:
    """The kernel's form of an offset in sub-chunks."""
    return (dx + HALF) << 20 | (dy + HALF) << 10 | (dz + HALF)


class KeptWalk:
    """The cached walk of one eye."""

    def __init__(self, walk: Walk) -> None:
        """Uses the scratch arrays of ``walk``."""
        self.walks = 0  # number of walks so far
        self._walk = walk
        self._from: tuple[Sector, int] | None = None
        self._places: Places = np.empty(0, np.int32)

    def reaches(self, columns: ColumnPositions) -> bool:
        """Whether one of these columns lies within the last walk's radius; False before the first walk."""
        if self._from is None:
            return False
        sector, radius = self._from
        away = np.abs(columns.astype(np.int64) - np.array(sector.column)).max(axis=1, initial=0)
        return bool((away <= radius).any())

    def look(
        self,
        world: Store,
        eye: Blocks,
        radius_columns: int,
        expected_open: Bytes | None,
        changed: ColumnPositions | None,
    ) -> Places:
        """Places reached, as ``Walk.run``; read only.

        ``changed``: int32[n, 2]: columns in which anything of rule 4 changed since the last call; None: any.
        """
        seen_from = sector_of(eye, world.dimension), radius_columns
        if self._from != seen_from or changed is None or self.reaches(changed):
            self.walks += 1
            self._from = seen_from
            self._places = self._walk.run(world, eye, radius_columns, expected_open)
        return self._places


def derive_connectivity(pools: BlockPools, slots: Slots) -> None:
    """Fills ``pools.connectivity`` of slots whose opaque masks are set; only the pools' owner may call."""
    scratch = np.empty(SCRATCH_WORDS, np.uint64)
    connect(pools.opaque, np.ascontiguousarray(slots, np.int32), 0, len(slots), pools.connectivity, scratch)
