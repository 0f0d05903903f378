"""Which columns each player needs, and how soon (seed 003's player attention predictor). Sans I/O.

Columns that are not in memory are opaque: a column that is reached but missing is requested, and sight extends with
each column that arrives.

Priority (``PlayerPriority``):
1. A sub-chunk's priority is a float32 of ``net.visibility``, 0 first, from distance, direction and visibility. A column
   has the priority of its visible sub-chunk nearest to the player's height. Columns that no line of sight reaches count
   as farther away.
2. A column is reached when a line of sight ends in it or in one of its neighbours: a client needs the eight columns
   around each one it shows. The area that a client ticks counts as reached, because clients wait for it.
3. ``now`` and ``soon`` are separate. ``soon`` are columns that the player cannot use yet, but could from positions
   where it is likely to be: those that will be visible (if occlusion counts) and those that will lie in the area. They
   are generated ahead, but not sent.
4. ``step`` does nothing while nothing changed, and recalculates at most every ``EVERY_S``.

Limits: a recalculation takes 0.3 ms at radius 6 and 1 ms at 16 (measured); if occlusion counts, each likely eye
position costs one more walk.
Sight (``PlayerVisibility``): the sub-chunks that lines of sight from an eye reach, through the columns in memory.
1. A missing column stops sight: its sub-chunks are reached, not passed. Openings of a column are kept while it lies in
   the area, so the result does not change when the provider drops the column.
2. An eye above the roof sees down through every column's top, one below the floor up through every bottom.

Theory: ``net.visibility.walk_kernels``, the same walk as in the client. Rays from likely positions are walks from
there. Limits: a square of columns around the eye's column; 8 bytes for each of its sub-chunks.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from math import floor
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from net.arrays import SubChunkPositions
from net.server.column_provider import ColumnProvider
from net.space import ColumnPos, Dimension, SubChunkPos
from net.visibility.priority import NO_GROUND, NOWHERE, PlayerView, PriorityWeights, ViewPrediction, need
from net.visibility.priority import PlaceVisibility as Seen
from net.visibility.walk_kernels import EYE_INSIDE, HALF, walk

FIRST: Final = 3
"""The walk reserves lower indices for what lies outside."""
TOP_FACE: Final = 1 << 5
BOTTOM_FACE: Final = 1 << 4

Blocks = tuple[float, float, float]
Reached = npt.NDArray[np.bool_]
"""[side, side, sections] by x, z from the area's lowest corner, y from the floor."""


class PlayerVisibility:
    """The sub-chunks that one player can see."""

    def __init__(self, provider: ColumnProvider, dimension: Dimension) -> None:
        self._provider = provider
        self._dimension = dimension
        self._known: dict[ColumnPos, npt.NDArray[np.uint64]] = {}
        self._news = 0
        self._centre = ColumnPos(0, 0)
        self._radius = -1
        self._pairs = np.zeros(FIRST, np.uint64)
        self._inside = self._pairs[FIRST:].reshape(0, 0, dimension.sections)

    def listen(self, centre: ColumnPos, radius: int) -> None:
        """Reads the openings of new columns in the area, and drops those outside."""
        news, changed = self._provider.news, self._provider.news_since(self._news)
        if changed is None or (centre, radius) != (self._centre, self._radius):
            self._centre, self._radius = centre, radius
            self._begin()
            changed = [ColumnPos(centre.x + dx, centre.z + dz) for dx, dz in _square(radius)]
        self._news = news
        for at in changed:
            if at.chebyshev(centre) <= radius and (provided := self._provider.provided(at)) is not None:
                self._learn(at, provided.openings)

    def _begin(self) -> None:
        """Sets a new area and keeps the openings that are known of it."""
        known, side = self._known, 2 * self._radius + 1
        self._known = {}
        self._pairs = np.zeros(FIRST + side * side * self._dimension.sections, np.uint64)
        self._inside = self._pairs[FIRST:].reshape(side, side, self._dimension.sections)
        for at, pairs in known.items():
            if at.chebyshev(self._centre) <= self._radius:
                self._learn(at, pairs)

    def _learn(self, at: ColumnPos, pairs: npt.NDArray[np.uint64]) -> None:
        self._known[at] = pairs
        self._inside[at.x - self._centre.x + self._radius, at.z - self._centre.z + self._radius] = pairs

    def reached(self, eye: Blocks) -> Reached:
        """The sub-chunks of the area that the eye may see; none if the eye is outside of it."""
        side, sections = 2 * self._radius + 1, self._dimension.sections
        column = ColumnPos(floor(eye[0] / 16), floor(eye[2] / 16))
        found = np.zeros(side * side * sections, bool)
        if column.chebyshev(self._centre) <= self._radius:
            lowest, roof = self._dimension.floor_section, self._dimension.roof_section
            section = max(lowest - 1, min(roof, floor(eye[1] / 16)))
            seeds, offsets, entries = self._seeds(column, section)
            count = len(found)
            order, queue = np.empty(count, np.int32), np.empty(count, np.int64)
            places = walk(
                _neighbours(side, sections),
                np.arange(FIRST + count, dtype=np.int32),
                self._pairs,
                np.zeros(FIRST + count, np.uint8),
                seeds,
                offsets,
                entries,
                eye[0] - column.x * 16,
                eye[1] - section * 16,
                eye[2] - column.z * 16,
                2 * self._radius,
                order,
                queue,
                np.zeros(FIRST + count, np.uint8),
            )
            found[order[:places] - FIRST] = True
        return found.reshape(side, side, sections)

    def _seeds(
        self, column: ColumnPos, section: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """The walk's start: the eye's sub-chunk, or the top or bottom of every column for an eye above or below."""
        side, sections = 2 * self._radius + 1, self._dimension.sections
        x, z = column.x - self._centre.x + self._radius, column.z - self._centre.z + self._radius
        index = section - self._dimension.floor_section
        if 0 <= index < sections:
            place = FIRST + (x * side + z) * sections + index
            # EYE_INSIDE lets sight out even if this column is missing: an eye in it will see through it.
            return np.array([place], np.int32), np.array([_packed(0, 0, 0)], np.int64), np.array([EYE_INSIDE], np.uint8)
        above = index >= sections
        at = np.arange(side)
        dx, dz = (axis.reshape(-1) for axis in np.meshgrid(at - x, at - z, indexing="ij"))
        order = np.argsort(np.abs(dx) + np.abs(dz), kind="stable")
        places = FIRST + np.arange(side * side)[order] * sections + (sections - 1 if above else 0)
        offsets = (dx[order] + HALF) << 20 | ((-1 if above else 1) + HALF) << 10 | (dz[order] + HALF)
        entries = np.full(side * side, TOP_FACE if above else BOTTOM_FACE, np.uint8)
        return places.astype(np.int32), offsets.astype(np.int64), entries


def _packed(dx: int, dy: int, dz: int) -> int:
    """An offset in sub-chunks, as the kernel takes it."""
    return (dx + HALF) << 20 | (dy + HALF) << 10 | (dz + HALF)


@lru_cache(maxsize=8)
def _square(radius: int) -> tuple[tuple[int, int], ...]:
    side = range(-radius, radius + 1)
    return tuple((dx, dz) for dx in side for dz in side)


@lru_cache(maxsize=8)
def _neighbours(side: int, sections: int) -> npt.NDArray[np.int32]:
    """The six neighbours of each place: -x, +x, -z, +z, -y, +y; 0 outside the area. Read-only."""
    places = np.arange(FIRST, FIRST + side * side * sections, dtype=np.int32).reshape(side, side, sections)
    wide = np.zeros((side + 2, side + 2, sections + 2), np.int32)
    wide[1:-1, 1:-1, 1:-1] = places
    found = np.zeros((FIRST + places.size, 6), np.int32)
    inner = slice(1, -1)
    sides = (
        wide[:-2, inner, inner],
        wide[2:, inner, inner],
        wide[inner, :-2, inner],
        wide[inner, 2:, inner],
        wide[inner, inner, :-2],
        wide[inner, inner, 2:],
    )
    found[FIRST:] = np.stack([beside.reshape(-1) for beside in sides], axis=1)
    return found


EVERY_S: Final = 0.25
TICKED_COLUMNS: Final = 4
"""Radius of the area that a client ticks; it is sent regardless of sight."""

Direction = tuple[float, float, float]
Priorities = dict[ColumnPos, float]
"""Priority by column, a float32 as a Python float, 0 first."""


def weights_of(fov_degrees: float, aspect: float) -> PriorityWeights:
    """The shared weights for pictures of this vertical field of view: the cone touches their corners."""
    half = math.atan(math.tan(math.radians(fov_degrees) / 2) * math.hypot(1.0, aspect))
    return replace(PriorityWeights(), cone=math.cos(half))


class PlayerPriority:
    """The priorities of one player; see the module."""

    def __init__(self, provider: ColumnProvider, dimension: Dimension, weights: PriorityWeights) -> None:
        self._provider = provider
        self._dimension = dimension
        self._weights = weights
        self._sight = PlayerVisibility(provider, dimension)
        self._attention = ViewPrediction(weights)
        self._eye = (0.0, 0.0, 0.0)
        self._forward: Direction = NOWHERE
        self._looked_at: tuple[object, ...] = ()
        self._next = -math.inf
        self.now: Priorities = {}
        """Priorities of the columns in the area; without unreached columns if occlusion counts."""
        self.soon: Priorities = {}  # columns to generate ahead
        self._reached: Reached | None = None
        self._lowest = SubChunkPos(0, dimension.floor_section, 0)  # lowest corner of the area last calculated

    def place(self, eye: tuple[float, float, float]) -> None:
        """Sets the player's eye; its direction is unknown."""
        self._eye, self._forward = eye, NOWHERE

    def observe(self, now: float, eye: tuple[float, float, float], yaw: float, pitch: float) -> None:
        """Sets eye (blocks) and direction (degrees) as the client sent them; angles that are not finite mean none."""
        forward = NOWHERE
        if math.isfinite(yaw) and math.isfinite(pitch):
            turn, rise = math.radians(yaw), math.radians(pitch)
            forward = (-math.sin(turn) * math.cos(rise), -math.sin(rise), math.cos(turn) * math.cos(rise))
        self._eye, self._forward = eye, forward
        self._attention.observe(now, _in_subchunks(eye), forward)

    def needs(self, places: SubChunkPositions) -> npt.NDArray[np.float32]:
        """How soon the player needs each sub-chunk: float32[n], 0 first."""
        reached = np.ones(len(places), bool)
        if self._reached is not None:
            at = (places - np.array(self._lowest, np.int32))[:, [0, 2, 1]]
            inside = ((at >= 0) & (at < np.array(self._reached.shape))).all(axis=1)
            reached[inside] = self._reached[tuple(at[inside].T)]
        nothing = np.zeros(len(places), bool)
        sight = Seen(reached, nothing, np.full(len(places), NO_GROUND, np.int64))
        return need(places, self._looker(), self._weights, sight)

    def step(self, now: float, centre: ColumnPos, radius: int, *, occlusion: bool, sight: bool = True) -> bool:
        """Recalculates if something changed and it is time; True if ``now`` and ``soon`` are new.

        ``centre``: of the area, in columns. ``occlusion``: whether unreached columns are left out of ``now``.
        ``sight``: whether anything waits to be sent in order of visibility; otherwise only ``soon`` is calculated.
        """
        eyes = self._attention.eyes()
        news = self._provider.news if sight else None
        state = (centre, radius, self._eye, self._forward, eyes, self._attention.keen, news)
        moved = state[:2] != self._looked_at[:2]
        if state == self._looked_at or (now < self._next and not moved):
            return False
        self._looked_at, self._next = state, now + EVERY_S
        if sight:
            self._look(centre, radius, occlusion=occlusion)
        else:
            self.soon = {}
        self.soon |= self._entering(centre, radius)
        return True

    def _entering(self, centre: ColumnPos, radius: int) -> Priorities:
        """The columns outside the area that will be inside at the player's likely positions."""
        found: dict[ColumnPos, None] = {}
        for x, _, z in self._attention.eyes():
            dx, dz = (max(-radius, min(radius, math.floor(to) - at)) for to, at in ((x, centre.x), (z, centre.z)))
            if dx or dz:
                found |= dict.fromkeys(_strip(centre, radius, dx, dz))
        if not found:
            return {}
        columns = np.array(list(found), np.int64)
        everywhere = np.ones(len(columns), bool)
        unseen = np.zeros((len(columns), self._dimension.sections), bool)
        numbers = self._needs_of_columns(columns, unseen, everywhere, everywhere)
        return _by_column(columns, numbers, everywhere)

    def _look(self, centre: ColumnPos, radius: int, *, occlusion: bool) -> None:
        self._sight.listen(centre, radius)
        reached = self._sight.reached(self._eye)
        self._reached = reached
        self._lowest = SubChunkPos(centre.x - radius, self._dimension.floor_section, centre.z - radius)
        likely = np.zeros_like(reached)
        for eye in self._attention.eyes() if occlusion else ():  # without occlusion the whole area is in ``now``
            likely |= self._sight.reached((eye[0] * 16, eye[1] * 16, eye[2] * 16))
        seen, side = _spread(reached), 2 * radius + 1
        near = slice(max(radius - TICKED_COLUMNS, 0), radius + TICKED_COLUMNS + 1)
        seen[near, near] = True
        soon = _spread(likely) & ~seen
        x, z = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
        columns = np.stack([x.ravel() + centre.x - radius, z.ravel() + centre.z - radius], axis=1)
        numbers = self._needs_of_columns(columns, reached | likely, seen.ravel(), soon.ravel())
        wanted = seen.ravel() if occlusion else np.ones(side * side, bool)
        self.now = _by_column(columns, numbers, wanted)
        self.soon = _by_column(columns, numbers, soon.ravel() & ~wanted)

    def _needs_of_columns(
        self, columns: npt.NDArray[np.int64], reached: Reached, seen: npt.NDArray[np.bool_], soon: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float32]:
        sections = self._dimension.sections
        own = min(max(math.floor(self._eye[1] / 16) - self._dimension.floor_section, 0), sections - 1)
        away = np.abs(np.arange(sections) - own)
        nearest = np.where(reached.reshape(-1, sections), away, sections).argmin(axis=1)
        nearest[~reached.reshape(-1, sections).any(axis=1)] = own
        places = np.stack([columns[:, 0], nearest + self._dimension.floor_section, columns[:, 1]], axis=1)
        sight = Seen(seen | soon, soon, np.full(len(columns), NO_GROUND, np.int64))
        return need(places.astype(np.int32), self._looker(), self._weights, sight)

    def _looker(self) -> PlayerView:
        attention = self._attention
        return PlayerView(_in_subchunks(self._eye), self._forward, attention.looks(), attention.keen)


def _strip(centre: ColumnPos, radius: int, dx: int, dz: int) -> Iterator[ColumnPos]:
    """The columns of a square shifted by dx, dz that are not in the original square."""
    side = range(-radius, radius + 1)
    for x in side:
        for z in side:
            if abs(x + dx) > radius or abs(z + dz) > radius:
                yield ColumnPos(centre.x + x + dx, centre.z + z + dz)


def _by_column(
    columns: npt.NDArray[np.int64], numbers: npt.NDArray[np.float32], chosen: npt.NDArray[np.bool_]
) -> Priorities:
    return {
        ColumnPos(x, z): number
        for (x, z), number in zip(columns[chosen].tolist(), numbers[chosen].tolist(), strict=True)
    }


def _spread(subchunks: Reached) -> npt.NDArray[np.bool_]:
    """The columns of these sub-chunks and their eight neighbours: bool[side, side]."""
    columns: npt.NDArray[np.bool_] = np.logical_or.reduce(subchunks, axis=2)
    wide = np.pad(columns, 1)
    rows = wide[:-2] | wide[1:-1] | wide[2:]
    return rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]


def _in_subchunks(eye: tuple[float, float, float]) -> tuple[float, float, float]:
    return eye[0] / 16, eye[1] / 16, eye[2] / 16
