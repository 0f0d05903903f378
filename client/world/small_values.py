"""One byte of small data a block, for the few sub-chunks that have any.

Sub-chunks of versions 0 and 2..7 name a block by ``id << 4 | data``; its block state keeps both as ``legacy_id`` and
``legacy_data`` where it is unknown, and this keeps the data as it came, whatever state the id is mapped to. Newer
versions have none: states say all.

Rules:
1. Memory is there with the sub-chunk that needs it; where all values are 0 there is none.
2. A block that changes has the value 0.

Limit: ``MOST`` sub-chunks at once, 64 MiB; what is more is a fault.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.reserved import PoolBytes
from net.errors import LimitExceeded
from net.space.layout import BLOCKS_PER_SUBCHUNK, Places

MOST: Final = (64 << 20) // BLOCKS_PER_SUBCHUNK

Values = npt.NDArray[np.uint8]
"""[4096] in the order of BlockIds."""

NONE: Final[Values] = np.zeros(BLOCKS_PER_SUBCHUNK, np.uint8)


class SmallValues:
    """By place; owned by the store."""

    def __init__(self, most: int = MOST) -> None:
        """None yet, and at most so many sub-chunks of them."""
        self._most = most
        self._peak = 0
        self._of: dict[int, Values] = {}

    def __len__(self) -> int:
        """Sub-chunks that have any."""
        return len(self._of)

    def take(self, place: int, values: Values) -> LimitExceeded | None:
        """The values of a sub-chunk that came; says why they could not be kept."""
        self._of.pop(place, None)
        if not values.any():
            return None
        if len(self._of) == self._most:
            return LimitExceeded("sub-chunks with small data", self._most + 1, self._most)
        self._of[place] = values.astype(np.uint8)
        self._peak = max(self._peak, len(self._of))
        return None

    def memory(self) -> PoolBytes:
        """What they cost."""
        size = len(self._of) * BLOCKS_PER_SUBCHUNK
        return PoolBytes("small values", size, size, size, self._peak * BLOCKS_PER_SUBCHUNK)

    def of(self, place: int) -> Values:
        """The values of a sub-chunk: uint8[4096], not to be written."""
        return self._of.get(place, NONE)

    def changed(self, places: Places, cells: npt.NDArray[np.int64]) -> None:
        """Blocks of the first layer changed."""
        if self._of:
            for place, cell in zip(places.tolist(), cells.tolist(), strict=True):
                if place in self._of:
                    self._of[place][cell] = 0

    def drop(self, places: Places) -> None:
        """The blocks of some places go, or others come."""
        if self._of:
            for place in places.tolist():
                self._of.pop(place, None)

    def clear(self) -> None:
        """Another dimension."""
        self._of.clear()
