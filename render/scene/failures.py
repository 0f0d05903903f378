"""The record of failed work of one attached store.

Rules:
1. A mesh job that raises fails only its own cell: the cell keeps the mesh that it shows, and the job is repeated when
   something in the cell changes.
2. A light step that raises is repeated column by column. A column that fails alone keeps its light until something in
   it changes.
3. A mesh without room on the GPU, or light without a slot, counts as failed. Both are made again as soon as there is
   room (``uploads``, ``lighting``).
4. A failure at one place is logged once, however often the work is repeated. The last ``KEPT`` failures are kept.
"""

import logging
from collections import deque
from typing import Final

import msgspec

from client.errors import OutOfSlots
from net.space import coordinates
from render.errors import OutOfPages

LOG: Final = logging.getLogger("chunkscope.scene")
KEPT: Final = 64


class Failure(msgspec.Struct, frozen=True):
    """One job that raised."""

    what: str  # "mesh of render cell" or "light of column"
    at: tuple[int, ...]  # its position in render cells or columns
    error: Exception  # what it raised

    @property
    def words(self) -> str:
        text = " ".join(str(self.error).split())
        cause = f"{type(self.error).__name__}: {text}" if text else type(self.error).__name__
        return f"the {self.what} {coordinates(self.at)} failed ({cause})"


class Failures:
    """The failures since a store was attached. Owner thread only."""

    def __init__(self) -> None:
        self.count = 0  # failures in all
        self.last: deque[Failure] = deque(maxlen=KEPT)  # the latest ones
        self._reported: set[tuple[str, tuple[int, ...]]] = set()

    def add(self, failure: Failure) -> None:
        """Counts a failure, and logs it with its traceback if none was logged for its place before."""
        self.count += 1
        self.last.append(failure)
        if isinstance(failure.error, OutOfPages | OutOfSlots):
            return  # the full pool logged it once already
        if (failure.what, failure.at) not in self._reported:
            self._reported.add((failure.what, failure.at))
            LOG.error("%s", failure.words, exc_info=failure.error)
