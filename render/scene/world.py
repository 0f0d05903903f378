"""What the scene reads of the store: plain arrays, and nothing else (a ``Store`` fits, and so does a test's double)."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.world import interface
from client.world.changes import ChangeLog
from net.space.layout import Slots
from net.space.positions import ColumnPos


class Pools(interface.Pools, Protocol):
    """Block slots as the scene sees them."""

    @property
    def epoch(self) -> int:
        """Number of the drain under way."""
        ...

    def are_own(self, slots: Slots) -> npt.NDArray[np.bool_]:
        """Which are not of one block, never written: bool[n]."""
        ...

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Frees what was retired before that epoch."""
        ...


class World(interface.World, Protocol):
    """The store as the scene sees it."""

    @property
    def pools(self) -> Pools:
        """Block slots."""
        ...

    @property
    def changes(self) -> ChangeLog:
        """The log to subscribe to."""
        ...

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """[256] by x << 4 | z: biome at the surface, UNKNOWN_BIOME where nobody said."""
        ...

    def height_map(self, column: ColumnPos) -> npt.NDArray[np.int16]:
        """[256] by z << 4 | x: one above the top block that dims light, UNKNOWN_TOP where nobody told."""
        ...

    @property
    def state(self) -> npt.NDArray[np.uint8]:
        """[places] Knowledge."""
        ...
