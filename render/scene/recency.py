"""When each place was last in sight: who keeps a brick where there are too few.

Rules:
1. What the last walk reached ranks before what an earlier one did, and that before what none did; equals go by
   distance, then by place. So a camera that stands still moves nothing.
2. A cell in sight needs the light of all 36 places its mesh reads (``grid.neighbourhoods``): they count as seen, too.
3. Turns are walks that reached something else than the one before: standing still ages nothing.
"""

import numpy as np
import numpy.typing as npt

from net.space.layout import Places
from render.scene.grid import Grid
from render.scene.world import World

REACH_SECTIONS = 2
"""Sub-chunks above or below a place that a cell with it may take light from: its other half, and one more."""


class Recency:
    """The turn in which each place was seen last. Owner thread only.

    Attributes:
        turn: number of the last turn.
    """

    def __init__(self) -> None:
        """Nothing was seen."""
        self.turn = 0
        self._last: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._seen: Places = np.zeros(0, np.int32)
        self._same: Places | None = None  # what was told last, so that a still camera compares no arrays

    def fit(self, places: int) -> None:
        """Makes room for a store of so many places."""
        if places > len(self._last):
            self._last = np.append(self._last, np.zeros(places - len(self._last), np.int64))

    def clear(self) -> None:
        """Nothing was seen; places have other numbers now."""
        self._last[:] = 0
        self._seen, self._same = np.zeros(0, np.int32), None

    def saw(self, places: Places) -> None:
        """Tells what a walk reached; an array told once is not written any more."""
        if places is self._same or np.array_equal(places, self._seen):
            self._same = places
            return
        self.turn += 1
        self._same, self._seen = places, places.copy()
        self._last[places] = self.turn

    def best(
        self, world: World, grid: Grid, eye: tuple[float, float, float], places: npt.NDArray[np.int64], count: int
    ) -> npt.NDArray[np.int64]:
        """The ``count`` places of some that rank highest."""
        offset = grid.positions_of(places, world.columns) * 16.0 + 8.0 - np.array(eye)
        order = np.lexsort((places, (offset * offset).sum(axis=1), -self._needed(world, grid)[places]))
        chosen: npt.NDArray[np.int64] = places[order[:count]]
        return chosen

    def _needed(self, world: World, grid: Grid) -> npt.NDArray[np.int64]:
        """int64[places] the last turn in which a cell was seen that reads each place."""
        rows = len(world.columns)
        own = self._last[: rows * grid.sections].reshape(rows, grid.sections)
        across: npt.NDArray[np.int64] = own[world.column_neighbours[:rows]].max(axis=1)
        needed = across.copy()
        for step in range(1, REACH_SECTIONS + 1):
            needed[:, step:] = np.maximum(needed[:, step:], across[:, :-step])
            needed[:, :-step] = np.maximum(needed[:, :-step], across[:, step:])
        return needed.reshape(-1)
