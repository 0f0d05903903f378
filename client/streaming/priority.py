"""In which order sub-chunks are asked for: by interest, the number that client and server share (``net.visibility``).

What is needed sooner is asked sooner (seed 003's priority). Equal needs are ordered by x, z, y, so that the order of
the tables, hence of what arrived when, does not matter.
"""

import numpy as np
import numpy.typing as npt

from net.space.layout import SubChunkPositions
from net.visibility import Looker, Sight, Weights, need

X_BITS, Z_BITS, Y_BITS = 12, 12, 8
"""Room for places in the low half of a key: 4,096 sub-chunks across; a dimension is at most 64 high (wire.md)."""


def order(
    positions: SubChunkPositions, looker: Looker, weights: Weights, sight: Sight | None = None
) -> npt.NDArray[np.intp]:
    """Indices that sort ``positions`` by how soon they are needed: intp[n]."""
    return order_by(need(positions, looker, weights, sight), positions)


def order_by(needs: npt.NDArray[np.float32], positions: SubChunkPositions) -> npt.NDArray[np.intp]:
    """Indices that sort ``positions`` by ``needs``, which are not negative: intp[n]."""
    keys = _keys(needs, positions)
    return np.argsort(keys) if keys is not None else np.lexsort((*positions.T[[1, 2, 0]], needs))


def _keys(needs: npt.NDArray[np.float32], positions: SubChunkPositions) -> npt.NDArray[np.int64] | None:
    """One number for need, x, z and y, so that one sort orders by all four: int64[n]; None where it has no room.

    The bits of a float32 that is not negative order as it does. One sort instead of four: 90 us for 7,000 places
    instead of 800 (measured).
    """
    if not len(positions):
        return np.empty(0, np.int64)
    x, y, z = (positions[:, axis].astype(np.int64) for axis in range(3))
    x, y, z = x - x.min(), y - y.min(), z - z.min()
    if x.max() >= 1 << X_BITS or y.max() >= 1 << Y_BITS or z.max() >= 1 << Z_BITS or needs.min() < 0:
        return None
    keys: npt.NDArray[np.int64] = needs.view(np.int32).astype(np.int64)
    keys = keys << X_BITS | x
    keys = keys << Z_BITS | z
    keys = keys << Y_BITS | y
    return keys
