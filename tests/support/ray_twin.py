"""Rays through a store once more, one block and one ray at a time in plain Python."""

from math import floor, inf
from typing import NamedTuple

from client.world.block_pools import PLACEHOLDER_SLOT
from net.space.positions import ColumnPos
from render.bench.rays import RayEnd


class End(NamedTuple):
    """Where one ray ended."""

    ended: RayEnd
    place: int
    cell: int
    face: int
    latest: float
    """Of the newest place on its way, -inf where it met none."""


def ray_end(world, eye, direction, stops, reach_blocks: float = 4096.0) -> End:
    """As ``tests.oracle.cast.cast`` for one direction; blocks of placeholder hide faces behind, as in meshes."""
    ground, roof = world.dimension.floor_section * 16, world.dimension.roof_section * 16
    block = [floor(v) for v in eye]
    faces = [6]
    steps = [1 if v > 0 else -1 for v in direction]
    crossed = [0, 0, 0]  # faces crossed on each axis
    at, latest = 0.0, -inf
    covered = False
    while at <= reach_blocks:
        x, y, z = block
        if (y >= roof and direction[1] >= 0) or (y < ground and direction[1] <= 0):
            break
        if ground <= y < roof:
            row = world.row_of.get(ColumnPos(x >> 4, z >> 4))
            if row is None:
                return End(RayEnd.UNLOADED, 0, 0, faces[-1], latest)
            place = row * world.dimension.sections + (y >> 4) - world.dimension.floor_section
            latest = max(latest, world.since[place])
            if world.slot[place] == PLACEHOLDER_SLOT:
                return End(RayEnd.PLACEHOLDER, place, 0, faces[-1], latest)
            cell = (x & 15) << 8 | (z & 15) << 4 | y & 15
            dense = world.pools.blocks[world.slot[place], cell]
            if stops[dense] and not covered:
                return End(RayEnd.HIT, place, cell, faces[-1], latest)
            covered = bool(dense >= world.table.first.placeholder)
        else:
            covered = False
        times = [
            (floor(e) + (s > 0) + n * s - e) / d if d else inf
            for e, s, n, d in zip(eye, steps, crossed, direction, strict=True)
        ]
        at = min(times)
        axis = times.index(at)
        block[axis] += steps[axis]
        crossed[axis] += 1
        faces.append((0, 4, 2)[axis] + (steps[axis] < 0))
    return End(RayEnd.LEFT, 0, 0, faces[-1], latest)
