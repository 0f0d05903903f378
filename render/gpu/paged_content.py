"""What a sparse volume says of itself: its entries in words of 32 bits, a snapshot of it, its textures read back.

Theory of both textures: ``paged``.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from render.gpu.atlas import BRICK_SIDE

BRICK_FLAG: Final = 0x80000000
LEFT_OUT: Final = 0x40000000


@frozen
class PagedStats:
    """A snapshot.

    Attributes:
        entries: sub-chunks present.
        left_out: of these, without room for their bricks.
        bricks_used: bricks in use.
        bricks_free: bricks there is room for without growing.
        bricks: bricks there is room for.
        limit_bricks: bricks there may be room for.
        gpu_bytes: atlas and table.
        uploaded_bytes: bricks and entries ever sent.
        brick_bytes: bricks of these.
        writes: calls that sent bricks.
        growths: how often the table was made anew.
    """

    entries: int
    left_out: int
    bricks_used: int
    bricks_free: int
    bricks: int
    limit_bricks: int
    gpu_bytes: int
    uploaded_bytes: int
    brick_bytes: int
    writes: int
    growths: int


@frozen
class PagedContent:
    """What a volume's textures held at one moment, read back.

    Attributes:
        entries: uint32[x, z, y] the page table.
        atlas: uint16[x, z, y] all bricks.
        side: bricks along the atlas's width and height.
    """

    entries: npt.NDArray[np.uint32]
    atlas: npt.NDArray[np.uint16]
    side: int

    def entries_of(self, positions: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint32]:
        """uint32[n] entries of sub-chunks."""
        found: npt.NDArray[np.uint32] = self.entries[self.index_of(positions)]
        return found

    def index_of(self, positions: npt.NDArray[np.integer[Any]]) -> tuple[npt.NDArray[Any], ...]:
        """Where in ``entries`` sub-chunks are."""
        return tuple(positions[:, axis] & (self.entries.shape[at] - 1) for at, axis in enumerate((0, 2, 1)))

    def values_of(self, entries: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint16]:
        """uint16[n, 4096] what entries stand for; ``LEFT_OUT`` stands for nothing and gives 0."""
        bricks = (entries & ~np.uint32(BRICK_FLAG)).astype(np.int64)
        own = (entries & BRICK_FLAG) != 0
        values = np.empty((len(entries), BRICK_SIDE**3), np.uint16)
        values[~own] = (entries[~own] & 0xFFFF).astype(np.uint16)[:, None]
        parts = self.atlas.reshape(-1, BRICK_SIDE, self.side, BRICK_SIDE, self.side, BRICK_SIDE)
        at = bricks[own]
        side = self.side
        values[own] = parts[at // (side * side), :, at // side % side, :, at % side].reshape(-1, BRICK_SIDE**3)
        return values
