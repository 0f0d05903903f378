"""Casts rays through the opaque cubes of a store: where each ends, and since when it ends there.

Rays use no code of meshes, culling or light. They pass through water, glass, leaves and models, because the blocks
behind these must be right too (the rays of ``tests/oracle`` stop there).

Rules (Amanatides and Woo's traversal: each step crosses one face):
1. A ray crosses the nearest face; ties are resolved in the order x, y, z.
2. It ends in the first opaque cube or placeholder, in an unknown column, above the roof or below the floor when it
   cannot return, or at its maximum length. A placeholder hides the face of the block behind it, as in meshes.
"""

from enum import IntEnum
from math import pi, sqrt
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_pools import PLACEHOLDER_SLOT
from client.world.store import Store
from net.arrays import Places
from net.kernels.jit import numba_kernel
from render.camera import Camera

Directions = npt.NDArray[np.float64]
"""[rays, 3] x, y, z; need not be of unit length, but distances are counted in it."""

Doubles = npt.NDArray[np.float64]

GOLDEN_ANGLE: Final = pi * (3 - sqrt(5))


class RayEnd(IntEnum):
    """Why a ray ended."""

    LEFT = 0  # through the roof or the floor, or out of reach
    HIT = 1  # in a block
    PLACEHOLDER = 2  # in a sub-chunk that shows nothing yet, before any block
    UNLOADED = 3  # where no column is announced


class Hits(msgspec.Struct, frozen=True):
    """Where rays ended, one entry a ray."""

    ended: npt.NDArray[np.uint8]  # uint8[n] an ``RayEnd`` each
    places: Places  # int32[n] the place of the block or placeholder; 0 if the ray met none
    # float64[n] when the newest of the sub-chunks on the way got its state: from then on the ray saw what it
    # sees now; -inf where it met none
    latest: npt.NDArray[np.float64]

    @property
    def on_terrain(self) -> npt.NDArray[np.bool_]:
        """Which rays hit a block: bool[n]."""
        hit: npt.NDArray[np.bool_] = self.ended == RayEnd.HIT
        return hit

    @property
    def in_holes(self) -> npt.NDArray[np.bool_]:
        """Which rays see a placeholder: bool[n]."""
        hole: npt.NDArray[np.bool_] = self.ended == RayEnd.PLACEHOLDER
        return hole


def cast(world: Store, eye: tuple[float, float, float], directions: Directions, reach_blocks: float = 4096.0) -> Hits:
    """Casts a ray for each direction, none all zero; those that come farther than ``reach_blocks`` are LEFT."""
    rows, low_x, low_z = rows_in_reach(world, eye, reach_blocks)
    rays, dimension, first = len(directions), world.dimension, world.table.first
    hits = Hits(np.empty(rays, np.uint8), np.empty(rays, np.int32), np.empty(rays, np.float64))
    _march(
        np.array(eye, np.float64), np.ascontiguousarray(directions, np.float64), reach_blocks, rows, low_x, low_z,
        dimension.floor_section, dimension.sections, world.slot, world.pools.blocks, PLACEHOLDER_SLOT,
        first.placeholder, first.opaque, world.since, np.empty(3, np.int64), np.empty(3), hits.ended, hits.places,
        hits.latest,
    )  # fmt: skip
    return hits


@numba_kernel(
    "void(float64[::1], float64[:,::1], float64, int32[:,::1], int64, int64, int64, int64, int32[::1], uint16[:,::1], "
    "int64, int64, int64, float64[::1], int64[::1], float64[::1], uint8[::1], int32[::1], float64[::1])"
)
def _march(
    eye: Doubles, directions: Directions, reach: float, rows: npt.NDArray[np.int32], low_x: int, low_z: int, floor: int,
    sections: int, slot: npt.NDArray[np.int32], ids: npt.NDArray[np.uint16], placeholder_slot: int, first_cover: int,
    first_opaque: int, since: Doubles, block: npt.NDArray[np.int64], edges: Doubles, ended: npt.NDArray[np.uint8],
    places: Places, latest: Doubles,
) -> None:  # fmt: skip
    """Fills the last three arrays, those of ``Hits``; ``block`` and ``edges`` are scratch, a number an axis.

    Dense ids from ``first_cover`` on hide what is behind them, those from ``first_opaque`` on end a ray.
    """
    for ray in range(directions.shape[0]):
        along = directions[ray]
        for axis in range(3):  # where its next face is crossed: never, where the ray does not move along it
            block[axis] = np.int64(np.floor(eye[axis]))
            ahead = block[axis] + (along[axis] > 0)
            edges[axis] = (ahead - eye[axis]) / along[axis] if along[axis] != 0 else np.inf
        at, newest, covered = 0.0, -np.inf, False
        end, place = 0, 0
        while at <= reach:
            x, y, z = block[0], block[1], block[2]
            section = (y >> 4) - floor
            if (section >= sections and along[1] >= 0) or (section < 0 and along[1] <= 0):
                break
            if 0 <= section < sections:
                column_x, column_z = (x >> 4) - low_x, (z >> 4) - low_z
                inside = 0 <= column_x < rows.shape[0] and 0 <= column_z < rows.shape[1]
                row = np.int64(rows[column_x, column_z]) if inside else 0
                if row == 0:
                    end = 3
                    break
                place = row * sections + section
                newest = max(newest, since[place])
                if slot[place] == placeholder_slot:
                    end = 2
                    break
                id_ = np.int64(ids[slot[place], (x & 15) << 8 | (z & 15) << 4 | (y & 15)])
                if id_ >= first_opaque and not covered:
                    end = 1
                    break
                covered = bool(id_ >= first_cover)
            else:
                covered = False
            axis = 0 if edges[0] <= edges[1] and edges[0] <= edges[2] else 1 if edges[1] <= edges[2] else 2
            at = edges[axis]
            edges[axis] += abs(1.0 / along[axis])
            block[axis] += 1 if along[axis] > 0 else -1
        ended[ray], latest[ray] = end, newest
        places[ray] = place if 1 <= end <= 2 else 0


def rows_in_reach(
    world: Store, eye: tuple[float, float, float], reach_blocks: float
) -> tuple[npt.NDArray[np.int32], int, int]:
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


def pixel_rays(camera: Camera, width: int, height: int) -> Directions:
    """float64[height * width, 3], rows from the top; of length 1 along the look, so that distances are depths."""
    rays: Directions = np.array(camera.rays[0]) + pixel_offsets(camera, width, height)
    return rays


def pixel_offsets(camera: Camera, width: int, height: int) -> Directions:
    """How far each pixel's middle is from the picture's, at one block's depth, or at any where rays are parallel."""
    _, right, up = (np.array(vector) for vector in camera.rays)
    across = (np.arange(width) + 0.5) / width * 2 - 1
    down = 1 - (np.arange(height) + 0.5) / height * 2
    offsets: Directions = (down[:, None, None] * up + across[None, :, None] * right).reshape(-1, 3)
    return offsets


def sphere_rays(count: int) -> Directions:
    """float64[count, 3] of unit length, evenly over the sphere (a golden spiral), the same at every call."""
    index = np.arange(count) + 0.5
    y = 1 - 2 * index / count
    radius = np.sqrt(1 - y * y)
    turn = GOLDEN_ANGLE * index
    return np.stack([np.cos(turn) * radius, y, np.sin(turn) * radius], axis=1)
