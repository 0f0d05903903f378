"""A store's tables as the planner reads them, small enough to fill by hand."""

from dataclasses import dataclass, field

import numpy as np

from client.world.places import NO_LIMIT
from net.space.dimensions import NETHER, Dimension


@dataclass
class World:
    """A store's arrays: columns -4..4 on a line along x, all of the nether's height, nothing known."""

    dimension: Dimension = NETHER
    columns: np.ndarray = field(default_factory=lambda: np.array([[0, 0]] + [[x, 0] for x in range(-4, 5)], np.int32))
    announced_rows: np.ndarray = field(default_factory=lambda: np.arange(1, 10, dtype=np.int32))
    limit: np.ndarray = field(default_factory=lambda: np.full(10, NO_LIMIT, np.int32))
    state: np.ndarray = field(default_factory=lambda: np.zeros(80, np.uint8))

    def place(self, x: int, y: int) -> int:
        return (x + 5) * 8 + y
