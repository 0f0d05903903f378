"""What a check says of one invariant."""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.positions import BlockPos

MOST_PLACES: Final = 64
"""Of one finding that can be gone to."""


@frozen
class Finding:
    """One moment of one invariant.

    Attributes:
        count: how often it is broken; None while that cannot be told.
        blocks: where, as far as there is a place; some of them.
        said: what there is to add.
    """

    count: int | None
    blocks: tuple[BlockPos, ...] = ()
    said: str = ""


def middles(positions: npt.NDArray[np.int32]) -> tuple[BlockPos, ...]:
    """The middle blocks of sub-chunks, int32[n, 3], in their order by x, y, z."""
    ordered: Iterable[list[int]] = positions[np.lexsort(positions.T[::-1])][:MOST_PLACES].tolist()
    return tuple(BlockPos(16 * x + 8, 16 * y + 8, 16 * z + 8) for x, y, z in ordered)
