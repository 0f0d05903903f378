"""The walk of one eye, kept until something changes within its reach, or the eye leaves its sector.

Rules:
1. A walk reads of the world which columns there are, the connectivity of what each place shows, whether the eye's own
   place shows a placeholder, and what is presumed open: nothing else. Whoever keeps one says in which columns any of
   these changed; elsewhere it is none of this walk's business.
2. Another sector (``sectors``), another radius: another walk.
"""

import numpy as np

from client.visibility.sectors import Blocks, Sector, sector_of
from client.visibility.walk import Walk
from client.world.contract import World
from net.space.layout import Bytes, ColumnPositions, Places


class KeptWalk:
    """What one eye sees.

    Attributes:
        walks: how often it was walked.
    """

    def __init__(self, walk: Walk) -> None:
        """Has seen nothing yet; walks with the scratch of ``walk``."""
        self.walks = 0
        self._walk = walk
        self._from: tuple[Sector, int] | None = None
        self._places: Places = np.empty(0, np.int32)

    def reaches(self, columns: ColumnPositions) -> bool:
        """Whether one of these lies where the walk went; whatever it is, nothing does before the first."""
        if self._from is None:
            return False
        sector, radius = self._from
        away = np.abs(columns.astype(np.int64) - np.array(sector.column)).max(axis=1, initial=0)
        return bool((away <= radius).any())

    def look(
        self,
        world: World,
        eye: Blocks,
        radius_columns: int,
        presumed_open: Bytes | None,
        changed: ColumnPositions | None,
    ) -> Places:
        """Places reached, as ``Walk.run``; not to be written.

        Args:
            world: the store.
            eye: in blocks.
            radius_columns: how far the walk goes.
            presumed_open: uint8[places] or None, as ``Walk.run``.
            changed: int32[n, 2]: columns in which something changed since the last call (rule 1); None: anywhere.
        """
        seen_from = sector_of(eye, world.dimension), radius_columns
        if self._from != seen_from or changed is None or self.reaches(changed):
            self.walks += 1
            self._from = seen_from
            self._places = self._walk.run(world, eye, radius_columns, presumed_open).places
        return self._places
