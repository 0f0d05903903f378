"""Which bricks of an atlas are free. Plain bookkeeping, no GL.

Theory: bricks are numbered layer by layer. Those handed out together come pile by pile, a pile being the bricks of all
layers at one place, since neighbours in a pile are written in one call. Equal histories give equal numbers.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


class BrickList:
    """Free and used bricks 0..layer * depth - 1.

    Attributes:
        used: bricks in use.
    """

    def __init__(self, layer: int, depth: int) -> None:
        """All free: ``layer`` bricks in each of ``depth`` layers."""
        self._layer = layer
        self._free: npt.NDArray[np.bool_] = np.ones((layer, depth), np.bool_)  # by pile
        self.used = 0

    @property
    def depth(self) -> int:
        """Layers."""
        return int(self._free.shape[1])

    def take(self, count: int) -> Numbers:
        """So many free bricks, which there are."""
        piles, layers = np.divmod(np.flatnonzero(self._free)[:count], self.depth)
        assert len(piles) == count, "more bricks are taken than there are"
        self._free[piles, layers] = False
        self.used += count
        numbers: Numbers = (layers * self._layer + piles).astype(np.int64)
        return numbers

    def free(self, numbers: npt.NDArray[np.integer[Any]]) -> None:
        """Gives bricks back, each in use and named once."""
        layers, piles = np.divmod(numbers.astype(np.int64), self._layer)
        assert not self._free[piles, layers].any(), "a brick is given back twice"
        self._free[piles, layers] = True
        self.used -= len(numbers)

    def grow(self, depth: int) -> None:
        """Adds free layers up to a depth."""
        more = np.ones((self._layer, depth - self.depth), np.bool_)
        self._free = np.concatenate([self._free, more], axis=1)

    def shrink(self, depth: int) -> tuple[Numbers, Numbers]:
        """Drops the layers from a depth on; the numbers that used bricks there had, and those they have now."""
        piles, layers = np.nonzero(~self._free[:, depth:])
        moved: Numbers = (layers + depth) * self._layer + piles
        self._free = self._free[:, :depth].copy()
        self.used -= len(moved)
        return moved, self.take(len(moved))
