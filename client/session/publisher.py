"""The publisher's circle: where the server keeps a client's columns up to date (NetworkChunkPublisherUpdate)."""

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.positions import BlockPos


@frozen
class Publisher:
    """The circle in which the server keeps a client's columns up to date.

    Attributes:
        centre: in blocks.
        radius_blocks: of the circle.
    """

    centre: BlockPos
    radius_blocks: int

    def holds(self, columns: npt.NDArray[np.integer], margin: int) -> npt.NDArray[np.bool_]:
        """Which columns lie in the circle, grown by ``margin`` columns: bool[n]."""
        away = columns.astype(np.int64) - np.asarray(self.centre.column, np.int64)
        reach = self.radius_blocks / 16 + margin
        inside: npt.NDArray[np.bool_] = (away * away).sum(axis=1) <= reach * reach
        return inside
