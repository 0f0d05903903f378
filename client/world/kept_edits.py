"""Block changes that wait for the blocks they change.

A server that read a sub-chunk before a change may send the change first; the answer then comes without it. So changes
of a place whose blocks may yet come are kept, the last one of each cell and layer, and applied to what comes. Where the
answer includes them already, that changes nothing.

They go when the column is announced again (what comes then was read later, and may replace blocks without a word, seed
000 "Info on sending a replacement subchunk"), when it leaves, and when the place is refused or cannot be read: then no
blocks come.

Limits: ``MOST_IN_PLACE`` a place, ``MOST`` in all, so that a server cannot fill the memory; what is more is dropped.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.space.layout import Places

MOST_IN_PLACE: Final = 512
"""A server with more changes than that resends the sub-chunk."""
MOST: Final = 1 << 16

Cells = npt.NDArray[np.int64]
"""[n] x << 8 | z << 4 | y within a sub-chunk."""


class KeptEdits:
    """Changes by place; owned by the store.

    Attributes:
        peak: the most that ever waited at a time.
    """

    def __init__(self) -> None:
        """Nothing waits."""
        self._of: dict[int, dict[int, int]] = {}
        self._count = self.peak = 0

    def __len__(self) -> int:
        """How many wait."""
        return self._count

    def keep(self, places: Places, layers: Cells, cells: Cells, dense: npt.NDArray[np.integer]) -> int:
        """Keeps changes, in order: [n] place, layer, cell and dense id of each. Gives how many found no room."""
        dropped = 0
        keys = layers << 12 | cells
        for place, key, block in zip(places.tolist(), keys.tolist(), dense.tolist(), strict=True):
            mine = self._of.setdefault(place, {})
            if key not in mine:
                if len(mine) >= MOST_IN_PLACE or self._count >= MOST:
                    dropped += 1
                    continue
                self._count += 1
            mine[key] = block
        self.peak = max(self.peak, self._count)
        return dropped

    def of(self, place: int) -> list[tuple[int, int, int]]:
        """Changes that wait at a place, in the order of their cells: layer, cell and dense id of each."""
        return [(key >> 12, key & 4095, dense) for key, dense in sorted(self._of.get(place, {}).items())]

    def take(self, places: Places) -> tuple[Places, Cells, Cells, Cells]:
        """Changes of these places, which wait no longer: place, layer, cell and dense id of each."""
        found = [(place, *change) for place in self._among(places) for change in self._of[place].items()]
        self.drop(places)
        table = np.array(found, np.int64).reshape(-1, 3)
        return table[:, 0].astype(np.int32), table[:, 1] >> 12, table[:, 1] & 4095, table[:, 2]

    def drop(self, places: Places) -> None:
        """Changes of these places wait no longer."""
        for place in self._among(places):
            self._count -= len(self._of.pop(place))

    def _among(self, places: Places) -> list[int]:
        return sorted({place for place in places.tolist() if place in self._of}) if self._of else []
