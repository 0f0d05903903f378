"""Plain reference of light: the rules are applied to the whole world as one array until nothing changes.

Also ``LightScene``: columns of hand-made blocks with their light, to compare with the reference or with a relight.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from net.space import ColumnPos, Dimension
from net.subchunk.storage import IS_PLACEHOLDER
from tests.support.worlds.blocks import FakeTable, FakeWorld

# ---------------------------------------------------------------- light twin

Cube = npt.NDArray[np.int16]


def light_of_clusters(world) -> Iterator[tuple[int, npt.NDArray[np.uint16]]]:
    """Like ``brute_force``, for each group of adjacent columns separately: groups may be far apart."""
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
    """Light values uint16[4096] by place, of all columns or of those in ``rows``."""
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
    for y in range(light.shape[2] - 2, -1, -1):  # a start that saves iterations
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


# ---------------------------------------------------------------- light scene


def cell(x: int, y: int, z: int) -> int:
    """Index of a cell in its sub-chunk."""
    return x << 8 | z << 4 | y


class LightScene:
    """A square of columns of air with light; coordinates start with 0 at its corner and floor."""

    def __init__(
        self, dimension: Dimension, columns: int = 3, table: FakeTable | None = None, slots: int = 2048
    ) -> None:
        self.world = FakeWorld(dimension, table or FakeTable.plain(), slots=slots)
        self.world.add_columns([ColumnPos(x, z) for x in range(columns) for z in range(columns)])
        for column in self.world.row_of:
            for section in range(dimension.sections):
                self.world.show(self.world.place(column, section), np.zeros(4096, np.uint16))
        self.light = LightMap(self.world, 4096)
        self.relight()

    def rows(self) -> npt.NDArray[np.int32]:
        """Rows of all columns."""
        return np.array(sorted(self.world.row_of.values()), np.int32)

    def relight(self) -> None:
        """Lights everything, starting from no light."""
        self.light.reset(self.world)
        self.light.step(self.world, self.rows())

    def at(self, x: int, y: int, z: int) -> tuple[int, int]:
        """The place and the cell of a position."""
        return self.world.place(ColumnPos(x >> 4, z >> 4), y >> 4), cell(x & 15, y & 15, z & 15)

    def level(self, x: int, y: int, z: int) -> tuple[int, int, int, int]:
        """Levels of red, green, blue and daylight at a position."""
        value = self.light.at(*self.at(x, y, z))
        return value & 15, value >> 4 & 15, value >> 8 & 15, value >> 12

    def edit(self, blocks: dict[tuple[int, int, int], int]) -> int:
        """Changes blocks and updates the light; returns the number of visited cells."""
        changes: dict[int, dict[int, int]] = {}
        for position, block in blocks.items():
            place, index = self.at(*position)
            changes.setdefault(place, {})[index] = block
        for place, cells in changes.items():
            ids = self.world.pools.blocks[self.world.slot[place]].copy()
            ids[list(cells)] = list(cells.values())
            self.world.show(place, ids)
        places = np.array([place for place, cells in changes.items() for _ in cells], np.int32)
        indices = np.array([index for cells in changes.values() for index in cells])
        before = self.light.stats()
        self.light.publish(self.light.run(self.light.prepare_edits(self.world, places, indices)))
        after = self.light.stats()
        assert after.edits == before.edits + len(blocks), "relit, not mended"
        return after.visited - before.visited

    def counts(self, channel: int) -> list[int]:
        """Numbers of cells by level 0..15 of a channel."""
        places = np.arange(self.world.dimension.sections) + self.rows()[:, None] * self.world.dimension.sections
        values = self.light.values[self.light.table[places.reshape(-1)]]
        return np.bincount((values >> (4 * channel) & 15).reshape(-1), minlength=16).tolist()

    def values(self) -> npt.NDArray[np.uint16]:
        """Light of all places."""
        return self.light.values[self.light.table]

    def check(self) -> None:
        """Asserts that the light equals the reference."""
        for place, expected in brute_force(self.world).items():
            got = self.light.values[self.light.table[place]]
            wrong = np.flatnonzero(got != expected)
            assert not len(wrong), f"place {place} cell {wrong[0]}: {got[wrong[0]]:04x}, not {expected[wrong[0]]:04x}"

    def check_equals_relit(self) -> None:
        """Asserts that the light equals that of a map that starts from no light."""
        fresh = LightMap(self.world, 4096)
        fresh.step(self.world, self.rows())
        assert (fresh.values[fresh.table] == self.values()).all()
