"""A light map as it was, to say which blocks' light is another now."""

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.light.slots import SHARED_SLOTS
from client.world.store import Store
from net.space.layout import LightValues, Places
from render.mutation.ground import Blocks, Ground


class LightLevels:
    """Levels of every announced sub-chunk at one moment: 8 KiB for each whose levels are not all one.

    Args:
        store: whose.
        light: only read.
    """

    def __init__(self, store: Store, light: LightMap) -> None:
        self._places: Places = store.places_of_rows(store.announced_rows)
        self._slots = light.slots_of(self._places).copy()
        used, self._row = np.unique(self._slots, return_inverse=True)
        self._values: LightValues = light.values[used].copy()

    def changed(self, light: LightMap, ground: Ground) -> Blocks:
        """Blocks whose light is another now: int64[n, 3]."""
        now = light.slots_of(self._places)
        cells: list[npt.NDArray[np.int64]] = []
        # Shared slots are never written; any other one may have been, or have been another's meanwhile.
        for index in np.flatnonzero((now != self._slots) | (now >= SHARED_SLOTS)).tolist():
            apart = np.flatnonzero(light.values[now[index]] != self._values[self._row[index]])
            if len(apart):
                cells.append(ground.positions(np.full(len(apart), self._places[index]), apart))
        return np.concatenate(cells) if cells else np.zeros((0, 3), np.int64)
