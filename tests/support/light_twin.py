"""Light by brute force: the whole world as one array, relaxed until nothing changes: the rules, literally."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from net.space.positions import ColumnPos
from net.subchunk.storage import IS_PLACEHOLDER

Cube = npt.NDArray[np.int16]


def light_of_clusters(world) -> Iterator[tuple[int, npt.NDArray[np.uint16]]]:
    """As ``brute_force``, each group of columns that touch on its own: they may be far apart."""
    left = set(world.row_of)
    while left:
        group, new = set(), [left.pop()]
        while new:
            x, z = column = new.pop()
            group.add(column)
            beside = {ColumnPos(x + dx, z + dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1)} & left
            left -= beside
            new += beside
        rows = {column: world.row_of[column] for column in group}
        yield from brute_force(world, rows).items()


def brute_force(world, rows: dict[ColumnPos, int] | None = None) -> dict[int, npt.NDArray[np.uint16]]:
    """Light values [4096] of every place of every column, or of some ``rows`` by column, by place."""
    rows = world.row_of if rows is None else rows
    if not rows:
        return {}
    sections = world.dimension.sections
    xs = [c.x for c in rows]
    zs = [c.z for c in rows]
    x0, z0 = min(xs), min(zs)
    shape = ((max(xs) - x0 + 1) * 16 + 2, (max(zs) - z0 + 1) * 16 + 2, sections * 16 + 2)
    ids = np.full(shape, world.table.first.placeholder, np.int64)
    entering = np.zeros(shape, bool)
    known = np.zeros(shape, bool)
    for column, row in rows.items():
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
        for column, row in rows.items()
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
    for y in range(light.shape[2] - 2, -1, -1):  # a start from which the rules get there sooner
        falls = clear[:, :, y] & (light[:, :, y + 1, 3] == 15) & known[:, :, y]
        light[:, :, y, 3] = np.where(falls, 15, light[:, :, y, 3])
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
