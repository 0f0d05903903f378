"""A page table of sub-chunks: a 3D texture R32UI with one entry each, texel ``pos.yzx``, and its copy on the CPU.

What an entry says is ``paged``'s; 0 is an entry that nobody has.

Rules:
1. Entries change in the copy and go up together with ``flush``, only the box that changed.
2. The table doubles an axis before two sub-chunks would share an entry (``torus``), and halves it where a quarter
   would do (``shrink``). Both make it anew, so that for a moment the driver needs memory for two.
3. A table that the driver has no memory to double, or that would have more than ``MOST_ENTRIES``, stays as it is:
   ``place`` says who has no entry then. Its size follows the box of all that is present, and a server says where that
   is.
"""

import logging
import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.space.layout import SubChunkPositions
from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfMemory, OutOfPages
from render.gpu.paged_content import BRICK_FLAG
from render.gpu.torus import Axes, Index, Positions, Torus

LOG: Final = logging.getLogger("chunkscope.gpu")
MOST_ENTRIES: Final = 1 << 23
"""32 MiB on the GPU, and 96 here: 512 x 512 columns of the overworld, four times what a scene shows at a time."""


class PageTable:
    """Of one volume. Owner thread only.

    Attributes:
        torus: whose each entry is.
        entries: uint32[x, z, y] as the GPU will have them after ``flush``; changed by ``enter`` alone.
        growths: how often it was made anew.
    """

    def __init__(self, gpu: Gpu, label: str, unit: Unit, size: tuple[int, int, int]) -> None:
        """An empty table.

        Args:
            gpu: the context.
            label: of its volume, for debuggers and errors.
            unit: texture unit.
            size: entries along x, y, z to start with, powers of two; it never has fewer.
        """
        self._gpu = gpu
        self._label = label
        self._unit = unit
        self._first_size = np.array(size, np.int64)
        self._dirty: tuple[Axes, Axes] | None = None
        self._most_entries = MOST_ENTRIES  # fewer where the driver has no memory for them
        self._told = False
        self._texture: Any = self._made(self._first_size)
        self.torus = Torus(self._first_size)
        self.entries = _nothing(self._first_size)
        self.growths = 0

    def place(self, positions: SubChunkPositions) -> npt.NDArray[np.bool_]:
        """Makes it large enough for sub-chunks; bool[n] which have an entry of their own then, as ``PagedVolume``."""
        wide = positions.astype(np.int64)
        try:
            if len(wide) and not self.torus.fits(wide):
                self._grow(wide)
        except OutOfPages:
            return self.torus.first_that_fit(wide)
        return np.ones(len(wide), np.bool_)

    def claim(self, positions: SubChunkPositions) -> Index:
        """The entries of sub-chunks, which are theirs from now on.

        Raises:
            OutOfPages: it cannot be large enough; nobody has an entry that had none then.
        """
        wide = positions.astype(np.int64)
        if not self.torus.fits(wide):
            self._grow(wide)
        return self.torus.own(wide)

    def enter(self, index: Index, entries: npt.NDArray[np.uint32]) -> None:
        """Says what entries are, which are claimed."""
        self.entries[index] = entries
        self._mark(index)

    def forget(self, index: Index) -> None:
        """Entries are nobody's."""
        self.enter(index, np.zeros(len(index[0]), np.uint32))
        self.torus.forget(index)

    def renumber(self, moved: npt.NDArray[np.int64], to: npt.NDArray[np.int64]) -> None:
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
            size = self.torus.size_without_room(self._first_size)
            if (size < self.torus.size).any():
                try:
                    self.resize(size)
                except OutOfMemory:
                    return  # both must fit for a moment; the larger one goes on

    def resize(self, size: Axes) -> None:
        """Makes it anew with what is present, which fits.

        Raises:
            OutOfMemory: the driver has none; the table is as it was.
        """
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
        """Binds it to its unit."""
        self._texture.use(int(self._unit))

    def read(self) -> npt.NDArray[np.uint32]:
        """uint32[x, z, y] what the GPU holds; for checks, after a wait."""
        return np.frombuffer(self._texture.read(), np.uint32).reshape(self.entries.shape)

    def release(self) -> None:
        """Frees the texture."""
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
        """Doubles every axis that what is present and what is wanted does not fit."""
        size = self.torus.size_with(wanted)
        entries = math.prod(size.tolist())
        if entries > self._most_entries:
            self._tell(size, "no room for")
            raise OutOfPages(f"{self._label} table", len(wanted), self.entries.size)
        try:
            self.resize(size)
        except OutOfMemory as error:
            self._tell(size, "no GPU memory for")
            self._most_entries = entries - 1
            raise OutOfPages(f"{self._label} table", len(wanted), self.entries.size) from error

    def _tell(self, size: Axes, what: str) -> None:
        """Says once that what is far is missing."""
        if not self._told:
            LOG.warning(
                "%s: %s a page table of %s sub-chunks: what does not fit in %s is not drawn",
                self._label, what, _product(size), _product(self.torus.size),
            )  # fmt: skip
        self._told = True


def _nothing(size: Axes) -> npt.NDArray[np.uint32]:
    """Entries of an empty table."""
    return np.zeros(size[[0, 2, 1]].tolist(), np.uint32)


def _product(size: Axes) -> str:
    return " x ".join(map(str, size.tolist()))
