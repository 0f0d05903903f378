"""Casts rays through a store and says where each ended."""

from dataclasses import fields
from enum import IntEnum
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from client.world.block_pools import PLACEHOLDER_SLOT
from client.world.block_table import BlockTable
from client.world.interface import World
from net.frozen import frozen
from net.space.layout import Places
from render.capture.oracle.looks import NO_SURFACES, Looks
from render.capture.oracle.ray_kernels import HIT, LEFT, PLACEHOLDER, UNLOADED, march

Directions = npt.NDArray[np.float64]
"""[rays, 3] x, y, z; need not be of unit length, but distances are counted in it."""

ROOM_FOR_IDS = 1 << 16
NO_SLOT = -1
CORNERS = 4


class Ended(IntEnum):
    """Why a ray ended."""

    LEFT = LEFT  # through the roof or the floor, or out of reach
    HIT = HIT  # in a block
    PLACEHOLDER = PLACEHOLDER  # in a sub-chunk that shows nothing yet, before any block
    UNLOADED = UNLOADED  # where no column is announced


class DatedWorld(World, Protocol):
    """A store, with the times of its states."""

    @property
    def since(self) -> npt.NDArray[np.float64]:
        """[places] when the state last changed, monotonic seconds."""
        ...


@frozen
class Hits:
    """Where rays ended, one entry a ray.

    Attributes:
        ended: uint8[n] an ``Ended`` each.
        places: int32[n] the place of the block or placeholder; 0 where there is none.
        cells: uint16[n] the block in it, x << 8 | z << 4 | y; 0 but for hits.
        faces: uint8[n] the face entered last, a direction (``net.space.layout``); 6 where the ray never left its block,
            and for every model.
        shown: uint16[n] dense id of what is seen; 0 but for hits. Not the block's own where liquid fills it.
        distances: float64[n] to that face, in lengths of the direction.
        latest: float64[n] when the newest of the sub-chunks on the way got its state: from then on the ray saw what it
            sees now; -inf where it met none.
    """

    ended: npt.NDArray[np.uint8]
    places: Places
    cells: npt.NDArray[np.uint16]
    faces: npt.NDArray[np.uint8]
    shown: npt.NDArray[np.uint16]
    distances: npt.NDArray[np.float64]
    latest: npt.NDArray[np.float64]

    @classmethod
    def room(cls, rays: int) -> "Hits":
        """Arrays for so many rays, unwritten."""
        return cls(
            np.empty(rays, np.uint8),
            np.empty(rays, np.int32),
            np.empty(rays, np.uint16),
            np.empty(rays, np.uint8),
            np.empty(rays, np.uint16),
            np.empty(rays, np.float64),
            np.empty(rays, np.float64),
        )

    @property
    def on_terrain(self) -> npt.NDArray[np.bool_]:
        """Which rays hit a block: bool[n]."""
        hit: npt.NDArray[np.bool_] = self.ended == HIT
        return hit

    @property
    def in_holes(self) -> npt.NDArray[np.bool_]:
        """Which rays see a placeholder: bool[n]."""
        hole: npt.NDArray[np.bool_] = self.ended == PLACEHOLDER
        return hole


@frozen
class Passed:
    """Clear surfaces that rays went through, nearest first: ``counts[n]`` of each ray; what is behind is unwritten.

    Attributes:
        counts: uint8[n].
        keys: int64[n, layers] place << 15 | cell << 3 | face.
        ids: uint16[n, layers] dense id shown.
        depths: float64[n, layers] in lengths of the direction.
    """

    counts: npt.NDArray[np.uint8]
    keys: npt.NDArray[np.int64]
    ids: npt.NDArray[np.uint16]
    depths: npt.NDArray[np.float64]

    @classmethod
    def room(cls, rays: int, layers: int) -> "Passed":
        """For so many rays, each through so many surfaces; none is passed by any yet."""
        shape = rays, layers
        counts = np.zeros(rays, np.uint8)
        return cls(counts, np.zeros(shape, np.int64), np.zeros(shape, np.uint16), np.zeros(shape))


NONE_PASSED: Final = Passed.room(0, 0)


def stopped_by_cubes(table: BlockTable) -> npt.NDArray[np.uint8]:
    """uint8[65536] by dense id: rays end in opaque cubes alone.

    What stands behind water, glass, leaves and models must be right too where they are looked through.
    """
    stops = np.zeros(ROOM_FOR_IDS, np.uint8)
    stops[table.first.opaque :] = 1
    return stops


def cast(
    world: DatedWorld,
    eye: tuple[float, float, float],
    directions: Directions,
    stops: npt.NDArray[np.uint8],
    reach_blocks: float = 4096.0,
    surfaces: Looks = NO_SURFACES,
    through: bool = False,
    passed: Passed = NONE_PASSED,
    nearest_blocks: float = -1.0,
) -> Hits:
    """Casts one ray for each direction.

    Args:
        world: the store; only read.
        eye: where all rays begin, in blocks.
        directions: float64[n, 3], none of them all zero.
        stops: uint8[65536] by dense id: what each block does to a ray, 0 nothing, 1 ends it (``codes``).
        reach_blocks: rays that have come farther are LEFT; columns farther away are not looked at.
        surfaces: textures and shapes, for codes beyond 1.
        through: placeholders end no ray (``stops`` says what such blocks do), nor does a gap between columns.
        nearest_blocks: what lies nearer is not met, as a camera's near plane cuts it off; the block of the eye, too.
        passed: filled; liquids and translucent blocks end a ray only when it has passed as many as it has room for.
    """
    rows, low_x, low_z = _rows(world, eye, reach_blocks)
    hits = Hits.room(len(directions))
    dimension, pools, first = world.dimension, world.pools, world.table.first
    march(
        np.array(eye, np.float64), np.ascontiguousarray(directions, np.float64), nearest_blocks, reach_blocks, rows,
        low_x, low_z, dimension.floor_section, dimension.sections, world.slot, pools.blocks, world.layer1_slot,
        pools.layer1, stops, NO_SLOT if through else PLACEHOLDER_SLOT, first.translucent, first.liquid,
        first.placeholder, surfaces.liquids, surfaces.amounts, surfaces.filling, surfaces.sides, surfaces.alpha,
        surfaces.model_rows, surfaces.corners, surfaces.pictures, surfaces.rules, surfaces.turns, surfaces.door_ids,
        surfaces.groups, np.empty(CORNERS), world.since, hits.ended, hits.places, hits.cells, hits.faces, hits.shown,
        hits.distances, hits.latest, passed.counts, passed.keys, passed.ids, passed.depths,
    )  # fmt: skip
    return hits


def cast_from(
    world: DatedWorld,
    begins: Directions,
    directions: Directions,
    stops: npt.NDArray[np.uint8],
    reach_blocks: float = 4096.0,
    surfaces: Looks = NO_SURFACES,
    through: bool = False,
) -> Hits:
    """As ``cast``, each ray from a point of its own, as those of an orthographic picture; slower, one call a ray.

    Args:
        world: the store; only read.
        begins: float64[n, 3] where each ray begins, in blocks.
        directions: float64[n, 3], one a ray.
        stops: as ``cast``.
        reach_blocks: as ``cast``.
        surfaces: as ``cast``.
        through: as ``cast``.
    """
    rays = [
        cast(world, tuple(begin), ray[None], stops, reach_blocks, surfaces, through)
        for begin, ray in zip(begins.tolist(), directions, strict=True)
    ]
    return Hits(*(np.concatenate([getattr(hits, field.name) for hits in rays]) for field in fields(Hits)))


def _rows(world: World, eye: tuple[float, float, float], reach_blocks: float) -> tuple[npt.NDArray[np.int32], int, int]:
    """The row of each column in the smallest rectangle that holds all in reach, and its lowest x and z."""
    rows = np.fromiter(world.row_of.values(), np.int32, len(world.row_of))
    away = np.abs(world.columns[rows] * 16.0 + 8 - np.array(eye)[::2])
    rows = rows[away.max(axis=1, initial=0) <= reach_blocks + 16]
    if not len(rows):
        return np.zeros((1, 1), np.int32), 0, 0
    columns = world.columns[rows]
    low, high = columns.min(axis=0), columns.max(axis=0)
    grid = np.zeros((high - low + 1).tolist(), np.int32)
    grid[tuple((columns - low).T)] = rows
    return grid, int(low[0]), int(low[1])
