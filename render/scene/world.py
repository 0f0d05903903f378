"""What the scene reads of the store: plain arrays, and nothing else (a ``Store`` fits, and so does a test's double).

Rules of work that raised (``Failures``):
1. A mesh that raises fails its own cell: that keeps the mesh it shows, and is tried again when something of it changes.
2. A light step that raises is tried again column by column; a column that fails alone keeps its light until something
   of it changes.
3. A mesh that finds no room on the GPU counts as one that failed, as does light that finds no slot; both are made again
   as soon as there is room (``uploads``, ``lighting``).
4. One place's failure is logged once, however often it is tried; the last ``KEPT`` are remembered in words.
"""

import logging
from collections import deque
from typing import Final, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world import interface
from client.world.changes import ChangeLog
from net.space import ColumnPos, Slots
from render.gpu.errors import OutOfPages


class ScenePools(interface.Pools, Protocol):
    """Block slots as the scene sees them."""

    @property
    def epoch(self) -> int:
        """Number of the drain under way."""

    def are_own(self, slots: Slots) -> npt.NDArray[np.bool_]:
        """Which are not of one block, never written: bool[n]."""

    def reclaim(self, oldest_running_epoch: int) -> int:
        """Frees what was retired before that epoch."""


class SceneWorld(interface.World, Protocol):
    """The store as the scene sees it."""

    @property
    def pools(self) -> ScenePools:
        """Block slots."""

    @property
    def changes(self) -> ChangeLog:
        """The log to subscribe to."""

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        """[256] by x << 4 | z: biome at the surface, UNKNOWN_BIOME where nobody said."""

    def height_map(self, column: ColumnPos) -> npt.NDArray[np.int16]:
        """[256] by z << 4 | x: one above the top block that dims light, UNKNOWN_TOP where nobody told."""

    @property
    def state(self) -> npt.NDArray[np.uint8]:
        """[places] SubChunkState."""


# ---------------------------------------------------------------- failures

LOG: Final = logging.getLogger("chunkscope.scene")
KEPT: Final = 64


class Failure(msgspec.Struct, frozen=True):
    """One piece of work that raised."""

    what: str  # "mesh of render cell" or "light of column"
    at: tuple[int, ...]  # its position in render cells or columns
    error: Exception  # what it raised

    @property
    def words(self) -> str:
        """For people, in one line."""
        told = " ".join(str(self.error).split())
        cause = f"{type(self.error).__name__}: {told}" if told else type(self.error).__name__
        return f"the {self.what} {' '.join(map(str, self.at))} could not be made ({cause})"


class Failures:
    """What failed since a store was attached. Owner thread only."""

    def __init__(self) -> None:
        self.count = 0  # failures in all
        self.last: deque[Failure] = deque(maxlen=KEPT)  # the latest ones
        self._told: set[tuple[str, tuple[int, ...]]] = set()

    def add(self, failure: Failure) -> None:
        """Counts it, and logs it with its traceback where its place never failed before."""
        self.count += 1
        self.last.append(failure)
        if isinstance(failure.error, OutOfPages | OutOfSlots):
            return  # who is full said so once
        if (failure.what, failure.at) not in self._told:
            self._told.add((failure.what, failure.at))
            LOG.error("%s", failure.words, exc_info=failure.error)
