"""Face connectivity of block slots: derived once for each slot, when its blocks are known."""

import numpy as np

from client.world.contract import Pools
from net.space.layout import Slots
from net.visibility.connectivity_kernels import SCRATCH_WORDS, connect


def derive(pools: Pools, slots: Slots) -> None:
    """Fills ``pools.connectivity`` of some slots, whose opaque masks are there; only their owner may call."""
    scratch = np.empty(SCRATCH_WORDS, np.int32)
    connect(pools.opaque, np.ascontiguousarray(slots, np.int32), 0, len(slots), pools.connectivity, scratch)
