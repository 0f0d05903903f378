"""In which order sub-chunks are asked for.

The ticking area comes first, nearest first; then the rest, nearest first (seed 000's two scenarios). Distance counts
all three axes in sub-chunks. Equal distances are ordered by x, z, y, so that a replay asks in the same order.
"""

import numpy as np
import numpy.typing as npt

from net.space.layout import SubChunkPositions
from net.space.positions import SubChunkPos


def order(positions: SubChunkPositions, player: SubChunkPos, ticking_radius: int) -> npt.NDArray[np.intp]:
    """Indices that sort ``positions`` by how soon they are needed: intp[n]."""
    away = positions.astype(np.int64) - np.asarray(player, np.int64)
    outside = np.maximum(np.abs(away[:, 0]), np.abs(away[:, 2])) > ticking_radius
    squared = (away * away).sum(axis=1)
    return np.lexsort((positions[:, 1], positions[:, 2], positions[:, 0], squared, outside))
