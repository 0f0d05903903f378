"""A page table of sub-chunks: a 3D texture R32UI with one entry each, texel ``pos.yzx``, and its copy on the CPU.

Theory. The place of a position is its low bits along each axis (a torus), so moving through the world never moves an
entry. Each place stores its owner as a key of the whole position. The bounding box of all owners answers nearly every
question: while it is smaller than the torus, no two positions share a place. ``brick_volume`` defines the value of an
entry; 0 is a free one.

Rules:
1. Two positions with the same place cannot both be present, and one free place stays around all that are (``fits``), so
   that a shader reads an absent neighbour as absent, not as another sub-chunk. An axis is doubled before two positions
   would share an entry, and halved when a quarter suffices (``shrink``); meanwhile the driver needs memory for both.
2. The bounding box is never too small. After removals it is computed anew at the next question.
3. Entries change in the CPU copy; ``flush`` uploads the box that changed.
4. If the driver lacks memory for a doubled table, or it would exceed ``MOST_ENTRIES``, the table stays as it is, and
   ``place`` returns which positions have no entry. The bound is needed because servers choose the positions.
"""

import logging
import math
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import I64, U32, Bools, SubChunkPositions
from net.space import DIRECTIONS
from render.errors import OutOfMemory, OutOfPages
from render.gpu.device import Gpu, Unit

# ---------------------------------------------------------------- torus

_NOBODY: Final = -(1 << 63)
_AXIS_BITS: Final = 28  # of x and z: +-134,217,727 columns, all whose blocks the wire can name (``FARTHEST_COLUMN``)
_HEIGHT_BITS: Final = 8  # of y: -128..127, all that a sub-chunk can be numbered with

Keys = I64
Axes = I64
"""[3] something along x, y, z; as ``Positions``, [n, 3]."""
Positions = I64
Index = tuple[npt.NDArray[Any], ...]
"""Places in arrays [x, z, y]."""


class Torus:
    """Owners of one table. Owner thread only."""

    def __init__(self, size: Axes) -> None:
        self.size = size  # places along x, y, z, powers of two
        self._owners: Keys = np.full(size[[0, 2, 1]].tolist(), _NOBODY, np.int64)
        self._box: tuple[Axes, Axes] | None = None  # bounds all present positions
        self._left = False  # whether some went since it was made

    @property
    def mask(self) -> tuple[int, int, int]:
        """What x, y, z are ANDed with to find a place, for shaders."""
        x, y, z = (int(side) - 1 for side in self.size)
        return x, y, z

    @property
    def count(self) -> int:
        return int(np.count_nonzero(self.held))

    @property
    def held(self) -> Bools:
        """bool[x, z, y] places in use."""
        return self._owners != _NOBODY

    @property
    def positions(self) -> Positions:
        """[n, 3] the present positions, in the order of ``held``."""
        return _positions(self._owners[self.held])

    def index(self, positions: npt.NDArray[np.integer[Any]]) -> Index:
        folded = positions & (self.size - 1)
        return folded[:, 0], folded[:, 2], folded[:, 1]

    def has(self, positions: npt.NDArray[np.integer[Any]]) -> Bools:
        """bool[n] which of them are present."""
        return self._owners[self.index(positions)] == _keys(positions)

    def own(self, positions: Positions) -> Index:
        """They are present from now on; their places. ``fits`` was asked first: the box holds them."""
        index = self.index(positions)
        self._owners[index] = _keys(positions)
        return index

    def forget(self, index: Index) -> None:
        self._owners[index] = _NOBODY
        self._left = True

    def fits(self, positions: Positions) -> bool:
        """Whether none of their places, nor one beside it, belongs to another position of the torus."""
        low, high = positions.min(axis=0), positions.max(axis=0)
        if self.may_hold(low, high):
            return True  # no position can be aliased: nearly always true, and ten times as fast as the search
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
        """Whether the bounding box extended by this box is smaller than the torus; stores the extended box."""
        if self._left:
            present = self.positions
            self._box = (present.min(axis=0), present.max(axis=0)) if len(present) else None
            self._left = False
        if self._box is not None:
            low, high = np.minimum(low, self._box[0]), np.maximum(high, self._box[1])
        self._box = low, high
        return bool((high - low + 3 <= self.size).all())

    def first_that_fit(self, positions: Positions) -> Bools:
        """bool[n] which of them, in their order, fit beside what is present and those before."""
        placed = np.zeros(len(positions), np.bool_)
        self._left = True  # the box holds all of them
        for index, position in enumerate(positions[:, None]):
            box = self._box
            placed[index] = self.has(position)[0] or self.may_hold(position[0], position[0])
            if not placed[index]:
                self._box = box
        self._left = True  # recompute it: placed positions may still not be claimed
        return placed

    def size_with(self, wanted: Positions) -> Axes:
        """The size that holds them, too: axes doubled where what is there, with one more at each end, does not fit."""
        return np.maximum(_sides(np.concatenate([self.positions, wanted])), self.size)

    def size_without_space(self, least: Axes) -> Axes:
        """The size with axes halved where a quarter would do, ``least`` at the least."""
        need = _sides(self.positions)
        return np.maximum(np.where(need * 4 <= self.size, self.size // 2, self.size), least)

    def resized(self, size: Axes) -> "Torus":
        """A torus of another size with the present positions, which must fit."""
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
    return (x << _AXIS_BITS | z) << _HEIGHT_BITS | y


def _positions(keys: Keys) -> Positions:
    above = 64 - _HEIGHT_BITS, 64 - _AXIS_BITS  # shifted up and down again, a number has its sign
    y, z = keys << above[0] >> above[0], keys >> _HEIGHT_BITS << above[1] >> above[1]
    return np.stack([keys >> _AXIS_BITS + _HEIGHT_BITS, y, z], axis=1)


BRICK_FLAG: Final = 0x80000000
LEFT_OUT: Final = 0x40000000


class PagedStats(msgspec.Struct, frozen=True):
    """A snapshot."""

    entries: int  # sub-chunks present
    left_out: int  # of these, without a brick for lack of memory
    bricks_used: int  # bricks in use
    bricks: int  # allocated
    limit_bricks: int  # most that may be allocated
    gpu_bytes: int  # atlas and table
    uploaded_bytes: int  # bricks and entries ever sent
    brick_bytes: int  # bricks of these
    writes: int  # calls that sent bricks
    growths: int  # how often the table was reallocated


# ---------------------------------------------------------------- page table

LOG: Final = logging.getLogger("chunkscope.gpu")
MOST_ENTRIES: Final = 1 << 23
"""32 MiB on the GPU, and 96 here: 512 x 512 columns of the overworld, four times what a scene shows at a time."""


class PageTable:
    """Of one volume. Owner thread only."""

    def __init__(self, gpu: Gpu, label: str, unit: Unit, size: tuple[int, int, int]) -> None:
        """An empty table. ``size``: entries along x, y, z to start with, powers of two; it never has fewer."""
        self._gpu = gpu
        self._label = label
        self._unit = unit
        self._first_size = np.array(size, np.int64)
        self._dirty: tuple[Axes, Axes] | None = None
        self._most_entries = MOST_ENTRIES  # fewer where the driver has no memory for them
        self._reported = False
        self._texture: Any = self._made(self._first_size)
        self.torus = Torus(self._first_size)  # whose each entry is
        # uint32[x, z, y] as the GPU will have them after ``flush``; changed by ``enter`` alone
        self.entries = _nothing(self._first_size)
        self.growths = 0  # how often it was reallocated

    def place(self, positions: SubChunkPositions) -> Bools:
        """Grows the table for sub-chunks; bool[n] which of them have an entry then, as ``PagedVolume.place``."""
        wide = positions.astype(np.int64)
        try:
            if len(wide) and not self.torus.fits(wide):
                self._grow(wide)
        except OutOfPages:
            return self.torus.first_that_fit(wide)
        return np.ones(len(wide), np.bool_)

    def claim(self, positions: SubChunkPositions) -> Index:
        """Allocates entries for sub-chunks. Raises OutOfPages: it cannot grow enough; none is allocated then."""
        wide = positions.astype(np.int64)
        if not self.torus.fits(wide):
            self._grow(wide)
        return self.torus.own(wide)

    def enter(self, index: Index, entries: U32) -> None:
        """Says what entries are, which are claimed."""
        self.entries[index] = entries
        self._mark(index)

    def forget(self, index: Index) -> None:
        self.enter(index, np.zeros(len(index[0]), np.uint32))
        self.torus.forget(index)

    def renumber(self, moved: I64, to: I64) -> None:
        """Says where bricks that moved are now."""
        if not len(moved):
            return
        at = np.flatnonzero((self.entries & BRICK_FLAG) != 0)
        flat = self.entries.reshape(-1)
        order = np.argsort(moved)
        old = flat[at] & ~np.uint32(BRICK_FLAG)
        found = np.minimum(np.searchsorted(moved[order], old), len(moved) - 1)
        mine = moved[order][found] == old
        flat[at[mine]] = to[order][found[mine]].astype(np.uint32) | np.uint32(BRICK_FLAG)
        self._mark(np.unravel_index(at[mine], self.entries.shape))

    def flush(self) -> int:
        """Publishes entries changed since the last flush; how many bytes went up."""
        if self._dirty is None:
            return 0
        (x0, z0, y0), (x1, z1, y1) = (tuple(map(int, corner)) for corner in self._dirty)
        part = np.ascontiguousarray(self.entries[x0 : x1 + 1, z0 : z1 + 1, y0 : y1 + 1])
        self._texture.write(part, viewport=(y0, z0, x0, y1 - y0 + 1, z1 - z0 + 1, x1 - x0 + 1))
        self._dirty = None
        return part.nbytes

    def shrink(self) -> None:
        """Halves axes where a quarter would do; ``flush`` comes after it."""
        if (self.torus.size > self._first_size).any():
            size = self.torus.size_without_space(self._first_size)
            if (size < self.torus.size).any():
                try:
                    self.resize(size)
                except OutOfMemory:
                    return  # memory for both is needed for a moment; without it the larger one stays

    def resize(self, size: Axes) -> None:
        """Reallocates the table with the present entries. Raises OutOfMemory: the driver has none; nothing changes."""
        texture = self._made(size)
        self._texture.release()
        self._texture = texture
        entries = self.entries[self.torus.held]
        self.growths += 1
        self._dirty = None
        positions, self.torus, self.entries = self.torus.positions, self.torus.resized(size), _nothing(size)
        if len(positions):
            self.enter(self.torus.index(positions), entries)

    def bind(self) -> None:
        self._texture.use(int(self._unit))

    def read(self) -> U32:
        """uint32[x, z, y] what the GPU holds; for checks, after a wait."""
        return np.frombuffer(self._texture.read(), np.uint32).reshape(self.entries.shape)

    def release(self) -> None:
        self._texture.release()

    def _mark(self, index: Index) -> None:
        low = np.array([axis.min() for axis in index], np.int64)
        high = np.array([axis.max() for axis in index], np.int64)
        if self._dirty is not None:
            low, high = np.minimum(low, self._dirty[0]), np.maximum(high, self._dirty[1])
        self._dirty = low, high

    def _made(self, size: Axes) -> Any:
        x, y, z = (int(side) for side in size)
        texture = self._gpu.ctx.texture3d((y, z, x), 1, _nothing(size), dtype="u4")
        texture.filter = (0x2600, 0x2600)  # GL_NEAREST
        texture.label = f"{self._label} table"
        try:
            self._gpu.check()
        except OutOfMemory:
            texture.release()
            raise
        return texture

    def _grow(self, wanted: Positions) -> None:
        """Doubles axes until the present and the wanted positions fit."""
        size = self.torus.size_with(wanted)
        entries = math.prod(size.tolist())
        if entries > self._most_entries:
            self._tell(size, "no space for")
            raise OutOfPages(f"{self._label} table", len(wanted), self.entries.size)
        try:
            self.resize(size)
        except OutOfMemory as error:
            self._tell(size, "no GPU memory for")
            self._most_entries = entries - 1
            raise OutOfPages(f"{self._label} table", len(wanted), self.entries.size) from error

    def _tell(self, size: Axes, what: str) -> None:
        """Says once that what is far is missing."""
        if not self._reported:
            LOG.warning(
                "%s: %s a page table of %s sub-chunks: sub-chunks that do not fit into %s are not drawn",
                self._label, what, _product(size), _product(self.torus.size),
            )  # fmt: skip
        self._reported = True


def _nothing(size: Axes) -> U32:
    return np.zeros(size[[0, 2, 1]].tolist(), np.uint32)


def _product(size: Axes) -> str:
    return " x ".join(map(str, size.tolist()))
