"""What the player is likely to see soon: a walk from each place where it is likely to be.

Rules:
1. What was found is used again while the likely sub-chunks, the player's column, the radius and what is presumed open
   stay the same and nobody said ``forget``: what is seen from a sub-chunk changes little within it, and what is needed
   now is said by the present's own walk.
2. Whoever changes what walks read (blocks, columns) says ``forget``.
"""

from typing import Final

import numpy as np

from client.visibility.walk import Walk
from client.world.contract import World
from net.space.layout import Bytes, Places
from net.space.positions import ColumnPos, SubChunkPos
from net.visibility import Attention, Weights

NOWHERE: Final[tuple[SubChunkPos, ...]] = ()


class Foresight:
    """Owned by the session's requests.

    Attributes:
        attention: what the player's movement promises.
        walks: walks so far.
    """

    def __init__(self, weights: Weights, walk: Walk) -> None:
        """Has seen nothing yet; walks with the scratch of ``walk``."""
        self.attention = Attention(weights)
        self.walks = 0
        self._walk = walk
        self._last = NOWHERE  # where the player was thought to be soon, in the last plan
        self._known: tuple[tuple[SubChunkPos, ...], ColumnPos, int] | None = None  # what ``_found`` was found for
        self._presumed: Bytes | None = None
        self._found: Places | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether the player is likely to come to where the last plan did not look."""
        return self.attention.subchunks() not in (NOWHERE, self._last)

    def forget(self) -> None:
        """What walks read has changed."""
        self._known = self._found = None

    def look_nowhere(self) -> None:
        """A plan is made that does not look ahead."""
        self._last = NOWHERE

    def look_ahead(self, world: World, column: ColumnPos, radius: int, presumed: Bytes | None) -> Places | None:
        """Places seen from where the player is likely to be, repetitions included; None where that is nowhere.

        Args:
            world: the store.
            column: the player's, of the last walk.
            radius: of the walks, in columns.
            presumed: uint8[places]: 1 where walks may pass whatever is shown.
        """
        self._last = likely = self.attention.subchunks()
        if not likely:
            return None
        if self._known != (likely, column, radius) or not _same(presumed, self._presumed):
            eyes = self.attention.eyes()
            self.walks += len(eyes)
            walked = [self._walk.run(world, (16 * x, 16 * y, 16 * z), radius, presumed).places for x, y, z in eyes]
            self._known, self._presumed = (likely, column, radius), presumed
            self._found = np.concatenate(walked)
        return self._found


def _same(one: Bytes | None, other: Bytes | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))
