"""Which sub-chunks lines of sight from an eye reach, through the columns that were provided so far.

Rules:
1. A column that was not provided stops sight: its sub-chunks are reached, not passed. What was learnt of a column is
   kept while it lies in the area, so that nothing changes when whoever provided it forgets it.
2. An eye above the roof sees down through every column's top, one under the floor up through every bottom.

Theory: ``net.interest.walk_kernels``, the same walk the client does. Rays of likely positions are walks from there.
Limits: a square of columns around the eye's; 8 bytes a sub-chunk of it.
"""

from functools import lru_cache
from math import floor
from typing import Final

import numpy as np
import numpy.typing as npt

from net.interest.walk_kernels import EYE_INSIDE, HALF, walk
from net.server.provider import Provider
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos

FIRST: Final = 3
"""The walk keeps the numbers below for what lies outside."""
TOP_FACE: Final = 1 << 5
BOTTOM_FACE: Final = 1 << 4

Blocks = tuple[float, float, float]
Reached = npt.NDArray[np.bool_]
"""[side, side, sections] by x, z from the area's lowest corner, y from the floor."""


class Sight:
    """What one player can see.

    Args:
        provider: whose columns are listened to.
        dimension: of the world.
    """

    def __init__(self, provider: Provider, dimension: Dimension) -> None:
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
