"""Blocks of a store by their place in the world, many at a time."""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.light.slots import FULL_DAYLIGHT
from client.world.interface import World
from net.frozen import frozen
from net.space.layout import Places

Blocks = npt.NDArray[np.int64]
"""[n, 3] x, y, z."""
REACH: Final = 1 << 20
"""Blocks from the origin that ``codes`` tells apart around any one place."""


@frozen
class Ground:
    """Where the rows of a store are. Valid until a column comes or goes.

    Attributes:
        world: the store.
        rows: int32[width, depth] row of each column from ``low`` on, 0 where there is none.
        low: x, z of the lowest column.
    """

    world: World
    rows: npt.NDArray[np.int32]
    low: npt.NDArray[np.int64]

    @classmethod
    def of(cls, world: World) -> "Ground":
        """Of all columns that are announced."""
        rows = np.fromiter(world.row_of.values(), np.int32, len(world.row_of))
        columns = world.columns[rows].astype(np.int64)
        low = columns.min(axis=0)
        grid = np.zeros((columns.max(axis=0) - low + 1).tolist(), np.int32)
        grid[tuple((columns - low).T)] = rows
        return cls(world, grid, low)

    def positions(self, places: npt.NDArray[np.integer], cells: npt.NDArray[np.integer]) -> Blocks:
        """Where blocks are: places and indices in their sub-chunks to x, y, z."""
        rows, section = np.divmod(places.astype(np.int64), self.world.dimension.sections)
        index, corner = cells.astype(np.int64), self.world.columns[rows].astype(np.int64) * 16
        y = (section + self.world.dimension.floor_section) * 16 + (index & 15)
        return np.stack([corner[:, 0] + (index >> 8), y, corner[:, 1] + (index >> 4 & 15)], axis=1)

    def places(self, blocks: Blocks) -> tuple[Places, npt.NDArray[np.int64]]:
        """Place and index of each block; place 0 where there is no column, or above and below the dimension."""
        column = (blocks[:, [0, 2]] >> 4) - self.low
        section = (blocks[:, 1] >> 4) - self.world.dimension.floor_section
        inside = ((column >= 0) & (column < self.rows.shape)).all(axis=1)
        inside &= (section >= 0) & (section < self.world.dimension.sections)
        at = np.where(inside[:, None], column, 0)
        rows = np.where(inside, self.rows[at[:, 0], at[:, 1]], 0)
        places = np.where(rows > 0, rows * self.world.dimension.sections + section, 0).astype(np.int32)
        return places, (blocks[:, 0] & 15) << 8 | (blocks[:, 2] & 15) << 4 | blocks[:, 1] & 15

    def light(self, light: LightMap, blocks: Blocks) -> npt.NDArray[np.uint16]:
        """Packed light of each block; over the roof what the sky gives, dark where nothing is."""
        places, cells = self.places(blocks)
        found = np.where(places > 0, light.values[light.slots_of(places), cells], 0)
        roof = (self.world.dimension.floor_section + self.world.dimension.sections) * 16
        over = (blocks[:, 1] >= roof) & self.world.dimension.has_sky
        return np.where(over, FULL_DAYLIGHT, found).astype(np.uint16)


def codes(blocks: Blocks) -> npt.NDArray[np.int64]:
    """One number for each block, unlike for unlike ones within ``REACH`` blocks of each other."""
    x, y, z = (blocks & 2 * REACH - 1).T
    numbers: npt.NDArray[np.int64] = x << 42 | y << 21 | z
    return numbers
