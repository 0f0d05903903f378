"""Which place of a small table a position of an endless world has, and whose that place is at the moment.

Theory. A position's place are its low bits along each axis, as on a torus, so a walk through the world never moves an
entry. Each place knows its owner by a key of the whole position. A box that holds all owners answers nearly every
question: while it is smaller than the torus nobody is elsewhere on it.

Rules:
1. Two positions with one place cannot both be present, and one free place stays around all that is (``fits``), so that
   a neighbour looked up by a shader is found absent, not aliased. Who does not fit needs a larger torus.
2. The box is never too small; it is made anew, of those who are present, at the first question after some went.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.space.layout import DIRECTIONS

_NOBODY: Final = -(1 << 63)
_AXIS_BITS: Final = 28  # of x and z: +-134,217,727 columns, all whose blocks the wire can name (``FARTHEST_COLUMN``)
_HEIGHT_BITS: Final = 8  # of y: -128..127, all that a sub-chunk can be numbered with

Keys = npt.NDArray[np.int64]
Axes = npt.NDArray[np.int64]
"""[3] something along x, y, z; as ``Positions``, [n, 3]."""
Positions = npt.NDArray[np.int64]
Index = tuple[npt.NDArray[Any], ...]
"""Places in arrays [x, z, y]."""


class Torus:
    """Owners of one table. Owner thread only.

    Attributes:
        size: places along x, y, z, powers of two.
    """

    def __init__(self, size: Axes) -> None:
        """Nobody is there."""
        self.size = size
        self._owners: Keys = np.full(size[[0, 2, 1]].tolist(), _NOBODY, np.int64)
        self._box: tuple[Axes, Axes] | None = None  # holds all who are present
        self._left = False  # whether some went since it was made

    @property
    def mask(self) -> tuple[int, int, int]:
        """What x, y, z are ANDed with to find a place, for shaders."""
        x, y, z = (int(side) - 1 for side in self.size)
        return x, y, z

    @property
    def count(self) -> int:
        """How many are present."""
        return int(np.count_nonzero(self.held))

    @property
    def held(self) -> npt.NDArray[np.bool_]:
        """bool[x, z, y] places that somebody has."""
        held: npt.NDArray[np.bool_] = self._owners != _NOBODY
        return held

    @property
    def positions(self) -> Positions:
        """[n, 3] who is present, in the order of ``held``."""
        return _positions(self._owners[self.held])

    def index(self, positions: npt.NDArray[np.integer[Any]]) -> Index:
        """Their places."""
        folded = positions & (self.size - 1)
        return folded[:, 0], folded[:, 2], folded[:, 1]

    def has(self, positions: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """bool[n] which of them are present."""
        mine: npt.NDArray[np.bool_] = self._owners[self.index(positions)] == _keys(positions)
        return mine

    def own(self, positions: Positions) -> Index:
        """They are present from now on; their places. ``fits`` was asked first: the box holds them."""
        index = self.index(positions)
        self._owners[index] = _keys(positions)
        return index

    def forget(self, index: Index) -> None:
        """Whoever is there is gone."""
        self._owners[index] = _NOBODY
        self._left = True

    def fits(self, positions: Positions) -> bool:
        """Whether no place of theirs, nor one beside it, belongs to somebody elsewhere on the torus."""
        low, high = positions.min(axis=0), positions.max(axis=0)
        if self.may_hold(low, high):
            return True  # nobody is elsewhere: nearly always, and ten times as quick as looking
        positions = positions[~self.has(positions)]
        if not len(positions):
            return True
        low, high = positions.min(axis=0), positions.max(axis=0)
        if (high - low + 3 > self.size).any():
            return False
        for step in ((0, 0, 0), *DIRECTIONS):
            beside = positions + np.array(step, np.int64)
            owner = self._owners[self.index(beside)]
            if ((owner != _NOBODY) & (owner != _keys(beside))).any():
                return False
        return True

    def may_hold(self, low: Axes, high: Axes) -> bool:
        """Whether a box that holds all who are present, and this one, is smaller than the torus; keeps that box."""
        if self._left:
            present = self.positions
            self._box = (present.min(axis=0), present.max(axis=0)) if len(present) else None
            self._left = False
        if self._box is not None:
            low, high = np.minimum(low, self._box[0]), np.maximum(high, self._box[1])
        self._box = low, high
        return bool((high - low + 3 <= self.size).all())

    def first_that_fit(self, positions: Positions) -> npt.NDArray[np.bool_]:
        """bool[n] which of them, in their order, fit beside what is present and those before."""
        placed = np.zeros(len(positions), np.bool_)
        self._left = True  # the box holds all of them
        for index, position in enumerate(positions[:, None]):
            box = self._box
            placed[index] = self.has(position)[0] or self.may_hold(position[0], position[0])
            if not placed[index]:
                self._box = box
        self._left = True  # as before: whoever is placed may still stay away
        return placed

    def size_with(self, wanted: Positions) -> Axes:
        """The size that holds them, too: axes doubled where what is there, with one more at each end, does not fit."""
        size: Axes = np.maximum(_sides(np.concatenate([self.positions, wanted])), self.size)
        return size

    def size_without_room(self, least: Axes) -> Axes:
        """The size with axes halved where a quarter would do, ``least`` at the least."""
        need = _sides(self.positions)
        size: Axes = np.maximum(np.where(need * 4 <= self.size, self.size // 2, self.size), least)
        return size

    def resized(self, size: Axes) -> "Torus":
        """Another one with those who are present, who fit."""
        other = Torus(size)
        other._box, other._left = self._box, self._left
        other.own(self.positions)
        return other


def _sides(positions: Positions) -> Axes:
    """[3] powers of two that hold positions and one more at each end."""
    if not len(positions):
        return np.ones(3, np.int64)
    need = positions.max(axis=0) - positions.min(axis=0) + 3
    return np.array([1 << int(n - 1).bit_length() for n in need], np.int64)


def _keys(positions: npt.NDArray[np.integer[Any]]) -> Keys:
    wide = positions.astype(np.int64)
    x, y, z = wide[:, 0], wide[:, 1] & (1 << _HEIGHT_BITS) - 1, wide[:, 2] & (1 << _AXIS_BITS) - 1
    keys: Keys = (x << _AXIS_BITS | z) << _HEIGHT_BITS | y
    return keys


def _positions(keys: Keys) -> Positions:
    above = 64 - _HEIGHT_BITS, 64 - _AXIS_BITS  # shifted up and down again, a number has its sign
    y, z = keys << above[0] >> above[0], keys >> _HEIGHT_BITS << above[1] >> above[1]
    return np.stack([keys >> _AXIS_BITS + _HEIGHT_BITS, y, z], axis=1)
