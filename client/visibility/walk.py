"""The walk as planner and draw list use it: one ``Walk`` an eye, its scratch reused from run to run.

Rules:
1. Placeholders are reached, not passed (seed 000): they are leaves, hence what to ask for. The request walk may pass
   those presumed open; the draw walk presumes nothing.
2. No look direction here: the frustum narrows the result afterwards, for drawing only.
3. An eye over the roof sees down through every column's top, one under the floor up through every bottom. An eye in a
   column that is not loaded sees nothing: what is not loaded obstructs.
4. Eyes of one sector (``sectors``) have the same walk, place by place: who keeps one need not walk for each step.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from client.visibility.sectors import Sector, sector_of
from client.world.contract import World
from net.frozen import frozen
from net.space.layout import Bytes, Places
from net.subchunk.storage import IS_PLACEHOLDER
from net.visibility.walk_kernels import EYE_INSIDE, HALF, REACH, walk

TOP_FACE, BOTTOM_FACE = 1 << 5, 1 << 4

Offset = TypeVar("Offset", int, npt.NDArray[np.int64])


@frozen
class WalkResult:
    """What one eye may see.

    Attributes:
        places: int32[n] places reached, by Manhattan distance in sub-chunks from the eye's, nearest first.
        eye: where it was run from, in blocks.
    """

    places: Places
    eye: tuple[float, float, float]


class Walk:
    """Scratch of one eye's walks; any thread, one run at a time."""

    def __init__(self) -> None:
        self._order = np.zeros(0, np.int32)
        self._offsets = np.zeros(0, np.int64)
        self._entered = np.zeros(0, np.uint8)
        self._nothing_presumed = np.zeros(0, np.uint8)

    def run(
        self,
        world: World,
        eye: tuple[float, float, float],
        radius_columns: int = REACH,
        presumed_open: Bytes | None = None,
    ) -> WalkResult:
        """Walks.

        Args:
            world: the store.
            eye: in blocks.
            radius_columns: columns farther than this from the eye's (Chebyshev) are not entered, 0..511.
            presumed_open: uint8[places] PRESUMED_OPEN where a place may be passed whatever it shows, PRESUMED_SURFACE
                where it may, but not by its bottom; 0 elsewhere. None presumes nothing.
        """
        self._fit(len(world.slot))
        sector = sector_of(eye, world.dimension)
        presumed = self._nothing_presumed if presumed_open is None else presumed_open
        seeds, offsets, entries = _seeds(world, sector, radius_columns, presumed)
        count = 0
        if len(seeds):
            count = walk(
                world.neighbours,
                world.slot,
                world.pools.connectivity,
                presumed,
                seeds,
                offsets,
                entries,
                *sector.within,
                min(radius_columns, REACH),
                self._order,
                self._offsets,
                self._entered,
            )
        return WalkResult(self._order[:count].copy(), eye)

    def _fit(self, places: int) -> None:
        if places != len(self._order):
            self._order = np.zeros(places, np.int32)
            self._offsets = np.zeros(places, np.int64)
            self._entered = np.zeros(places, np.uint8)
            self._nothing_presumed = np.zeros(places, np.uint8)


def _seeds(
    world: World, sector: Sector, radius: int, presumed: Bytes
) -> tuple[Places, npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Places that the eye sees without passing another one, nearest level first, with offsets and entry faces."""
    dimension, (column, section, _) = world.dimension, sector
    if dimension.holds_section(section):
        row = world.row_of.get(column, 0)
        place = row * dimension.sections + section - dimension.floor_section
        passed = presumed[place] or not world.pools.kinds[world.slot[place]] & IS_PLACEHOLDER
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
