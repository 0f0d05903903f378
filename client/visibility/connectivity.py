"""Face connectivity of block slots: derived once for each slot, when its blocks are known."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.visibility.connectivity_kernels import SCRATCH_WORDS, connect
from net.space.layout import ColumnMasks, Slots


class Pools(Protocol):
    """What is read and written: see ``client.world.pools``."""

    @property
    def opaque(self) -> ColumnMasks:
        """[slots, 256]; derived before."""
        ...

    @property
    def connectivity(self) -> npt.NDArray[np.uint64]:
        """[slots] bit ``from * 8 + to``; written here."""
        ...


def derive(pools: Pools, slots: Slots) -> None:
    """Fills ``pools.connectivity`` of some slots, whose opaque masks are there; only their owner may call."""
    scratch = np.empty(SCRATCH_WORDS, np.int32)
    connect(pools.opaque, np.ascontiguousarray(slots, np.int32), 0, len(slots), pools.connectivity, scratch)
