"""What the scene reads of the world: plain arrays of the store, and nothing else.

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
from typing import Final

import msgspec

from client.errors import OutOfSlots
from client.world.block_pools import BlockPools
from client.world.store import Store
from net.space import coordinates
from render.gpu.errors import OutOfPages

ScenePools = BlockPools
SceneWorld = Store
"""What a scene draws: it reads the store's arrays, and writes none of them."""

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
        return f"the {self.what} {coordinates(self.at)} failed ({cause})"


class Failures:
    """What failed since a store was attached. Owner thread only."""

    def __init__(self) -> None:
        self.count = 0  # failures in all
        self.last: deque[Failure] = deque(maxlen=KEPT)  # the latest ones
        self._reported: set[tuple[str, tuple[int, ...]]] = set()

    def add(self, failure: Failure) -> None:
        """Counts it, and logs it with its traceback where its place never failed before."""
        self.count += 1
        self.last.append(failure)
        if isinstance(failure.error, OutOfPages | OutOfSlots):
            return  # who is full said so once
        if (failure.what, failure.at) not in self._reported:
            self._reported.add((failure.what, failure.at))
            LOG.error("%s", failure.words, exc_info=failure.error)
