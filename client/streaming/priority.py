"""In which order sub-chunks are asked for: by interest, the number that client and server share (``net.interest``).

The ticking area comes first, nearest first; then the rest by distance, stretched by how far it lies off the look (seed
000's two scenarios, seed 003's priority). Equal needs are ordered by x, z, y, so that a replay asks in the same order.
"""

import numpy as np
import numpy.typing as npt

from net.interest import Looker, Weights, need
from net.space.layout import SubChunkPositions


def order(positions: SubChunkPositions, looker: Looker, weights: Weights) -> npt.NDArray[np.intp]:
    """Indices that sort ``positions`` by how soon they are needed: intp[n]."""
    needs = need(positions, looker, weights)
    return np.lexsort((positions[:, 1], positions[:, 2], positions[:, 0], needs))
