"""One volume's side of a store: which places are behind there, which have a brick, and which have no room for theirs.

Rules:
1. A place has a brick, or one value, or is left out: then the volume says so (``LEFT_OUT``), and nobody waits for it.
2. Bricks are had by those who rank highest (``recency``); ``admit`` says who, before uploads. Who loses is left out at
   once, who wins again is behind.
3. Nothing here raises for want of room: what does not fit is behind until the next ``admit``.
4. Where the page table cannot grow, some have no entry (``refused``): they count as left out, and are behind again when
   others go.
"""

import logging
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.space.layout import BlockIds, Places, Slots, SubChunkPositions
from render.gpu.errors import OutOfPages
from render.gpu.paged import PagedVolume
from render.scene.grid import Grid
from render.scene.recency import Recency
from render.scene.world import World

LOG: Final = logging.getLogger("chunkscope.scene")

Marks = npt.NDArray[np.bool_]


class Holding:
    """Owner thread only.

    Attributes:
        volume: what is on the GPU.
        behind: bool[places] whose copy is older than the store's.
        bricked: bool[places] that have a brick.
        left_out: bool[places] that would have one if there were room.
        refused: bool[places] of these, those the page table has no entry for.
    """

    def __init__(self, volume: PagedVolume, what: str) -> None:
        """Nothing is there.

        Args:
            volume: an empty one.
            what: it holds, in words.
        """
        self.volume = volume
        self._what = what
        self.behind: Marks = np.zeros(0, np.bool_)
        self.bricked: Marks = np.zeros(0, np.bool_)
        self.left_out: Marks = np.zeros(0, np.bool_)
        self.refused: Marks = np.zeros(0, np.bool_)
        self._ranked: tuple[Any, ...] | None = None
        self._told = False

    def fit(self, places: int) -> None:
        """Makes room for a store of so many places."""
        more = places - len(self.behind)
        if more > 0:
            none = np.zeros(more, np.bool_)
            self.behind, self.bricked, self.left_out, self.refused = (np.append(marks, none) for marks in self._marks)

    def remove(self, places: Places, positions: SubChunkPositions) -> None:
        """Forgets sub-chunks, present or not."""
        self.volume.remove(positions)
        for marks in self._marks:
            marks[places] = False
        if self.refused.any():
            self.behind |= self.refused
            self.left_out &= ~self.refused
            self.refused[:] = False

    def clear(self) -> None:
        """Forgets everything."""
        self.volume.clear()
        for marks in self._marks:
            marks[:] = False
        self._ranked = None

    def put_uniform(self, places: Places, positions: SubChunkPositions, values: npt.NDArray[np.integer[Any]]) -> None:
        """Shows one value each, as far as there are entries."""
        placed = self._place(places, positions)
        self.volume.set_uniform(positions[placed], values[placed])
        for marks in self._marks:
            marks[places[placed]] = False

    def put_bricks(self, places: Places, positions: SubChunkPositions, pool: BlockIds, slots: Slots) -> Marks:
        """Shows rows of a pool, as far as there is room; bool[n] which are shown now, the others are behind."""
        placed = self._place(places, positions)
        while True:
            shown = self._fitting(places, placed)
            try:
                self.volume.set_bricks(positions[shown], pool, slots[shown])
            except OutOfPages as full:  # the driver has less memory than was allowed: the limit is lower now
                LOG.warning("%s", full)
                continue
            break
        self.behind[places] = ~shown & placed
        self.bricked[places[shown]] = True
        self.left_out[places] = ~placed
        return shown

    @property
    def tight(self) -> bool:
        """Whether there may be too little room for what is not there yet."""
        if not (self.behind.any() or self.left_out.any()):
            return False
        wanted = np.count_nonzero(self.behind | self.bricked | self.left_out)
        return bool(wanted > self.volume.limit or self.left_out.any())

    def admit(self, world: World, grid: Grid, eye: tuple[float, float, float], recency: Recency, needs: Marks) -> None:
        """Gives room to those who rank highest; only where it is ``tight``.

        Args:
            world: the store.
            grid: its numbering.
            eye: what is near.
            recency: who was seen when.
            needs: bool[places] which of those behind are no uniform ones.
        """
        wanted = (self.behind & needs) | (self.left_out & ~self.refused) | self.bricked
        count = int(np.count_nonzero(wanted))
        moment = (recency.turn, tuple(int(axis) >> 4 for axis in eye), count, self.volume.limit)
        if self._ranked == moment and not (self.behind & needs & ~self.bricked).any():
            return
        self._ranked = moment
        kept = np.zeros(len(wanted), np.bool_)
        kept[recency.best(world, grid, eye, np.flatnonzero(wanted), self.volume.limit)] = True
        lost = wanted & ~kept
        fresh = np.flatnonzero(lost & ~self.left_out).astype(np.int32)
        at = grid.positions_of(fresh, world.columns)
        self.volume.leave_out(at[self._place(fresh, at)])
        self.behind = (self.behind & ~(lost & needs)) | (self.left_out & kept)
        self.bricked &= kept
        self.left_out = lost | self.refused
        self._tell(count, int(lost.sum()))

    @property
    def _marks(self) -> tuple[Marks, Marks, Marks, Marks]:
        return self.behind, self.bricked, self.left_out, self.refused

    def _place(self, places: Places, positions: SubChunkPositions) -> Marks:
        """bool[n] which have an entry; the others are marked as refused."""
        placed = self.volume.place(positions)
        lost = places[~placed]
        self.refused[places] = ~placed
        self.left_out[lost] = True
        self.behind[lost] = False
        return placed

    def _fitting(self, places: Places, placed: Marks) -> Marks:
        fresh = ~self.bricked[places] & placed
        room = self.volume.limit - int(np.count_nonzero(self.bricked))
        fitting: Marks = placed & (~fresh | (np.cumsum(fresh) <= room))
        return fitting

    def _tell(self, wanted: int, out: int) -> None:
        if out and not self._told:
            LOG.warning(
                "%s of %d of %d sub-chunks have no room in the GPU's budget of %d: what was seen last is kept",
                self._what, out, wanted, self.volume.limit,
            )  # fmt: skip
        self._told = out > 0
