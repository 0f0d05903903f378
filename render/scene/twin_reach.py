"""What light reaches around columns that went and around single blocks that changed, for the light twin."""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.space.positions import ColumnPos
from render.scene.twin_memory import Rows
from render.scene.world import World

REACH: Final = 14  # cells beyond its own that a level of 15 reaches


def rows_around(world: World, columns: npt.NDArray[np.int32]) -> Rows:
    """Rows in use at columns and around them."""
    near = {
        world.row_of.get(ColumnPos(x + dx, z + dz), 0)
        for x, z in columns.tolist()
        for dx in (-1, 0, 1)
        for dz in (-1, 0, 1)
    }
    return np.array(sorted(near - {0}), np.int64)


def seats_reached(
    edits: npt.NDArray[np.int64], world: World, seat_of: npt.NDArray[np.int64], sections: int
) -> npt.NDArray[np.int64]:
    """Seats that light through a changed cell, [n, 2] of place and cell, may reach."""
    places, cells = edits[:, 0], edits[:, 1]
    at = cells >> 8, cells & 15, cells >> 4 & 15  # x, y, z
    found = []
    for dx in (-1, 0, 1):
        for dz in (-1, 0, 1):
            rows = world.column_neighbours[places // sections][:, (dx + 1) * 3 + dz + 1].astype(np.int64)
            for dy in (-1, 0, 1):
                section = places % sections + dy
                cost = sum(_cells_to(axis, way) for axis, way in zip(at, (dx, dy, dz), strict=True))
                near = (cost <= REACH) & (rows > 0) & (section >= 0) & (section < sections)
                found.append(seat_of[rows[near] * sections + section[near]])
    seats = np.unique(np.concatenate(found))
    return seats[seats >= 0]


def _cells_to(at: npt.NDArray[np.int64], way: int) -> npt.NDArray[np.int64]:
    """Cells from a coordinate to the sub-chunk beside: 0 where it is not left."""
    if way == 0:
        return np.zeros_like(at)
    return at + 1 if way < 0 else 16 - at
