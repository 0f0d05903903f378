"""Light by brute force: the whole world as one array, relaxed until nothing changes: the rules, literally."""

import numpy as np
import numpy.typing as npt

from net.space.positions import ColumnPos
from net.subchunk.kinds import IS_PLACEHOLDER

Cube = npt.NDArray[np.int16]


def brute_force(world) -> dict[int, npt.NDArray[np.uint16]]:
    """Light values [4096] of every place of every column, by place."""
    if not world.row_of:
        return {}
    sections = world.dimension.sections
    xs = [c.x for c in world.row_of]
    zs = [c.z for c in world.row_of]
    x0, z0 = min(xs), min(zs)
    shape = ((max(xs) - x0 + 1) * 16 + 2, (max(zs) - z0 + 1) * 16 + 2, sections * 16 + 2)
    ids = np.full(shape, world.table.first.placeholder, np.int64)
    entering = np.zeros(shape, bool)
    known = np.zeros(shape, bool)
    for column, row in world.row_of.items():
        for section in range(sections):
            box = _box(column, section, x0, z0)
            place = row * sections + section
            ids[box] = world.pools.blocks[world.slot[place]].reshape(16, 16, 16)
            known[box] = True
            entering[box][:, :, 15] = _entry(world, place)
    light = _relax(world, ids, entering, known)
    packed = (light << np.array([0, 4, 8, 12])).sum(axis=3).astype(np.uint16)
    return {
        row * sections + section: packed[_box(column, section, x0, z0)].reshape(4096)
        for column, row in world.row_of.items()
        for section in range(sections)
    }


def _box(column: ColumnPos, section: int, x0: int, z0: int) -> tuple[slice, slice, slice]:
    x, z = (column.x - x0) * 16 + 1, (column.z - z0) * 16 + 1
    return np.s_[x : x + 16, z : z + 16, section * 16 + 1 : section * 16 + 17]


def _entry(world, place: int) -> npt.NDArray[np.bool_]:
    sections = world.dimension.sections
    if place % sections == sections - 1:
        return np.full((16, 16), world.dimension.has_sky)
    if world.pools.kinds[world.slot[place + 1]] & IS_PLACEHOLDER:
        return (world.sky_top[place][:, None] >> np.arange(16) & 1).astype(bool) & world.dimension.has_sky
    return np.zeros((16, 16), bool)


def _relax(world, ids, entering, known) -> Cube:
    opacity = np.minimum(world.table.opacity, 15).T.astype(np.int16)[ids]
    steps = np.maximum(opacity, 1)
    emission = world.table.emission[ids].astype(np.int16)
    own = np.zeros((*ids.shape, 4), np.int16)
    for channel in range(3):
        own[..., channel] = emission >> (4 * channel) & 15
    clear = opacity[..., 3] == 0
    own[..., 3] = np.where(entering, np.where(clear, 15, np.maximum(15 - steps[..., 3], 0)), 0)
    light = own.copy()
    while True:
        new = own.copy()
        for axis in range(3):
            for way in (1, -1):
                new = np.maximum(new, np.roll(light, way, axis) - steps)
        above = np.roll(light, -1, 2)[..., 3]
        new[..., 3] = np.where((above == 15) & clear, 15, new[..., 3])
        new[~known] = 0
        if (new == light).all():
            return light
        light = new
