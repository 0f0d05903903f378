"""What a check says of one invariant."""

from dataclasses import field
from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.positions import BlockPos

Blocks = npt.NDArray[np.int32]
"""int32[n, 3] positions of blocks: x, y, z."""
NOWHERE: Final[Blocks] = np.zeros((0, 3), np.int32)


@frozen(eq=False)
class Finding:
    """One moment of one invariant.

    Attributes:
        count: how often it is broken; None while that cannot be told.
        places: where, as far as there is a place: a block of each.
        said: what there is to add.
    """

    count: int | None
    places: Blocks = field(default_factory=lambda: NOWHERE)
    said: str = ""

    @property
    def blocks(self) -> tuple[BlockPos, ...]:
        """The places, in the order in which they were found."""
        return tuple(BlockPos(*place) for place in self.places.tolist())


def middles(subchunks: npt.NDArray[np.int32]) -> Blocks:
    """The middle blocks of sub-chunks, int32[n, 3]."""
    return subchunks * np.int32(16) + np.int32(8)
