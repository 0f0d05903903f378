"""What each player of a server needs, and how soon (seed 003's player attention predictor).

    sight      which sub-chunks lines of sight from an eye reach, through what was provided so far
    player     one player: place, look, speed; which columns it is owed, in its own order

Rules:
1. Sans I/O: a player is told where it is and what was provided, and is stepped with the time.
2. Nobody here makes a column: sight listens to what was provided, and takes the rest for opaque. So what is reached and
   not there yet is wanted, and with each column that comes sight goes on.

Player: One player's interest: where it is, how it looks and moves, and which columns it is owed, in what order.
1. A sub-chunk's priority is a float32 of ``net.visibility``, 0 first: distance, direction, and what sight says of it.
   A column has that of its sub-chunk that is seen nearest to the player's height. What no line of sight reaches counts
   as farther away.
2. A column is reached when a line of sight ends in it or in one beside it: a client needs the eight around what it
   shows. The area that a client ticks counts as reached: clients wait for it.
3. Now and soon are apart. ``soon`` are columns that the player has no use for yet, but would from where it is likely to
   be: those that sight will reach, where occlusion counts, and those that will lie in the area. They are worth making,
   not worth sending.
4. ``step`` does nothing while nothing changed, and looks at most every ``EVERY_S``.

Limits: a look takes 0.3 ms at radius 6 and 1 at 16 (measured); where occlusion counts each likely eye is one more walk.

Sight: Which sub-chunks lines of sight from an eye reach, through the columns that were provided so far.
1. A column that was not provided stops sight: its sub-chunks are reached, not passed. What was learnt of a column is
   kept while it lies in the area, so that nothing changes when whoever provided it forgets it.
2. An eye above the roof sees down through every column's top, one under the floor up through every bottom.

Theory: ``net.visibility.walk_kernels``, the same walk the client does. Rays of likely positions are walks from there.
Limits: a square of columns around the eye's; 8 bytes a sub-chunk of it.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from math import floor
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from net.server.column_provider import ColumnProvider
from net.space import ColumnPos, Dimension, SubChunkPos, SubChunkPositions
from net.visibility import NO_GROUND, NOWHERE, PlayerView, PriorityWeights, ViewPrediction, need
from net.visibility import PlaceVisibility as Seen
from net.visibility.walk_kernels import EYE_INSIDE, HALF, walk

FIRST: Final = 3
"""The walk keeps the numbers below for what lies outside."""
TOP_FACE: Final = 1 << 5
BOTTOM_FACE: Final = 1 << 4

Blocks = tuple[float, float, float]
Reached = npt.NDArray[np.bool_]
"""[side, side, sections] by x, z from the area's lowest corner, y from the floor."""


class PlayerVisibility:
    """What one player can see. ``provider``: whose columns are listened to. ``dimension``: of the world."""

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
        """Learns what was provided of the area by now, and forgets what lies outside."""
        news, told = self._provider.news, self._provider.news_since(self._news)
        if told is None or (centre, radius) != (self._centre, self._radius):
            self._centre, self._radius = centre, radius
            self._begin()
            told = [ColumnPos(centre.x + dx, centre.z + dz) for dx, dz in _square(radius)]
        self._news = news
        for at in told:
            if at.chebyshev(centre) <= radius and (provided := self._provider.provided(at)) is not None:
                self._learn(at, provided.openings)

    def _begin(self) -> None:
        """Another area: what is known of it already is kept."""
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
        """Which sub-chunks of the area the eye may see; none where it stands outside."""
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
        """What the eye sees without passing anything: its own sub-chunk, or the top or bottom of every column."""
        side, sections = 2 * self._radius + 1, self._dimension.sections
        x, z = column.x - self._centre.x + self._radius, column.z - self._centre.z + self._radius
        index = section - self._dimension.floor_section
        if 0 <= index < sections:
            place = FIRST + (x * side + z) * sections + index
            # A place that was not provided is passed: whoever is in it will see through it.
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
    """The kernel's form of an offset in sub-chunks."""
    return (dx + HALF) << 20 | (dy + HALF) << 10 | (dz + HALF)


@lru_cache(maxsize=8)
def _square(radius: int) -> tuple[tuple[int, int], ...]:
    side = range(-radius, radius + 1)
    return tuple((dx, dz) for dx in side for dz in side)


@lru_cache(maxsize=8)
def _neighbours(side: int, sections: int) -> npt.NDArray[np.int32]:
    """The places beside each place: -x, +x, -z, +z, -y, +y; 0 outside the area. Not to be written."""
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
"""Radius of the area that a client ticks, and is sent whatever it sees."""

Direction = tuple[float, float, float]
Priorities = dict[ColumnPos, float]
"""By column, float32 as Python has it, 0 first."""


def weights_of(fov_degrees: float, aspect: float) -> PriorityWeights:
    """The shared weights for pictures of that vertical field of view: the cone goes through their corners."""
    half = math.atan(math.tan(math.radians(fov_degrees) / 2) * math.hypot(1.0, aspect))
    return replace(PriorityWeights(), cone=math.cos(half))


class PlayerPriority:
    """One player's; see the module. ``provider``: whose columns are listened to. ``dimension``: of the world."""

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
        """Columns of the area with their priorities, but for those that were unreached when occlusion counts."""
        self.soon: Priorities = {}  # columns that are worth making ahead
        self._reached: Reached | None = None
        self._lowest = SubChunkPos(0, dimension.floor_section, 0)  # corner of what was looked at

    def place(self, eye: tuple[float, float, float]) -> None:
        """The player is there, and nobody knows how it looks."""
        self._eye, self._forward = eye, NOWHERE

    def observe(self, now: float, eye: tuple[float, float, float], yaw: float, pitch: float) -> None:
        """The player says where its eye is, in blocks, and how it looks, in degrees; nonsense is no look."""
        forward = NOWHERE
        if math.isfinite(yaw) and math.isfinite(pitch):
            turn, rise = math.radians(yaw), math.radians(pitch)
            forward = (-math.sin(turn) * math.cos(rise), -math.sin(rise), math.cos(turn) * math.cos(rise))
        self._eye, self._forward = eye, forward
        self._attention.observe(now, _in_subchunks(eye), forward)

    def needs(self, places: SubChunkPositions) -> npt.NDArray[np.float32]:
        """How soon the player needs sub-chunks, each by itself: float32[n], 0 first."""
        reached = np.ones(len(places), bool)
        if self._reached is not None:
            at = (places - np.array(self._lowest, np.int32))[:, [0, 2, 1]]
            inside = ((at >= 0) & (at < np.array(self._reached.shape))).all(axis=1)
            reached[inside] = self._reached[tuple(at[inside].T)]
        nothing = np.zeros(len(places), bool)
        sight = Seen(reached, nothing, np.full(len(places), NO_GROUND, np.int64))
        return need(places, self._looker(), self._weights, sight)

    def step(self, now: float, centre: ColumnPos, radius: int, *, occlusion: bool, sight: bool = True) -> bool:
        """Looks again where something changed and it is time; True when ``now`` and ``soon`` are new.

        ``centre``: of the area, in columns. ``occlusion``: whether unreached columns are left out of ``now``.
        ``sight``: whether anything waits to be sent in the order of what is seen; else only ``soon`` is looked at.
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
        """The columns that will lie in the area where the player is likely to be, and do not yet."""
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
        for eye in self._attention.eyes() if occlusion else ():  # otherwise all of the area is wanted now
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
    """The columns of a square so many columns aside of another one, as far as they are not in both."""
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
    """The columns of those sub-chunks, and the eight around each: bool[side, side]."""
    columns: npt.NDArray[np.bool_] = np.logical_or.reduce(subchunks, axis=2)
    wide = np.pad(columns, 1)
    rows = wide[:-2] | wide[1:-1] | wide[2:]
    spread: npt.NDArray[np.bool_] = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return spread


def _in_subchunks(eye: tuple[float, float, float]) -> tuple[float, float, float]:
    return eye[0] / 16, eye[1] / 16, eye[2] / 16
