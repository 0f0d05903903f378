"""Biomes at the surface of every block column, blended into the colours that grass, foliage and water take.

Theory. A colour is the mean over the 5 x 5 block columns around (as Bedrock shows it), so a column's colours depend on
the eight columns beside it. Where the 20 x 20 biomes that matter are all one, the mean is that biome's colour; only
the others are averaged. Vertical variation is ignored: the biome at the surface counts for the whole column.

The map is toroidal like the texture, a power of two of columns wide, and is made anew, larger, when the columns on the
GPU no longer fit with a free column between. They are never farther apart than ``residency`` lets them.
"""

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from client.world.store import Store
from net.arrays import I64, U8, U16, Bools, ColumnPositions
from net.space import UNKNOWN_BIOME, ColumnPos
from render.gpu.device import Gpu
from render.gpu.textures import KINDS, TintTexture
from render.materials.biome_tints import TintColours, tint_colours, tints_of

if TYPE_CHECKING:
    from render.scene.gpu_copy.block_appearance import BlockAppearance

FIRST_COLUMNS: Final = 32
REACH: Final = 2  # blocks to each side that are averaged
AT_ONCE: Final = 256
"""Columns whose colours are made together: 4 MB of sums."""


class TintMap:
    """The tints of one scene. Owner thread only."""

    def __init__(self, gpu: Gpu, appearance: "BlockAppearance | None" = None) -> None:
        """Knows no biome yet. ``appearance``: has the colours of biomes, read at each ``clear``; None: ours."""
        self._gpu = gpu
        self._appearance = appearance
        self._behind: set[ColumnPos] = set()
        self._filled_with: TintColours | None = None  # colours of all columns, while no biome is known
        self._make(FIRST_COLUMNS)

    def clear(self) -> None:
        """Resets everything: no picture depends on a world that was shown before."""
        colours = self._appearance.tint_colours if self._appearance else tint_colours()
        if self._filled_with is colours:  # a new map that shows its first world
            return
        self._biomes[:] = UNKNOWN_BIOME
        self._behind.clear()
        self._colours = self._filled_with = colours
        self._texture.fill(tints_of(self._biomes[0, 0], self._colours))

    def update(self, world: Store, rows: npt.NDArray[np.integer], lit: Bools) -> None:
        """Reads the biomes of columns that came or were filled, of those ``lit``; ``flush`` uploads the colours."""
        rows = rows[lit[rows]]
        if not len(rows):
            return
        there = np.flatnonzero(lit)
        if self._too_small(world.columns[there]):
            rows = there
        changed = [at for at in world.columns[rows].tolist() if self._take(world, ColumnPos(*at))]
        self._behind |= {ColumnPos(x + dx, z + dz) for x, z in changed for dx in (-1, 0, 1) for dz in (-1, 0, 1)}

    @property
    def behind(self) -> bool:
        return bool(self._behind)

    def flush(self, world: Store) -> None:
        """Uploads the colours of columns that changed, and of those beside them."""
        present = sorted(self._behind & world.row_of.keys())
        self._behind.clear()
        for first in range(0, len(present), AT_ONCE):
            self._upload(np.array(present[first : first + AT_ONCE], np.int64))

    def bind(self) -> None:
        self._texture.bind()

    def release(self) -> None:
        self._texture.release()

    @property
    def mask(self) -> int:
        """Mask for a block's x and z, for shaders."""
        return self._texture.side_columns * 16 - 1

    def _make(self, side_columns: int) -> None:
        self._texture = TintTexture(self._gpu, side_columns)
        self._biomes: U16 = np.full((side_columns * 16, side_columns * 16), UNKNOWN_BIOME, np.uint16)
        self._filled_with = None
        self.clear()

    def _too_small(self, there: ColumnPositions) -> bool:
        """Grows if the columns do not fit; all biomes must be read again then."""
        need = int((there.max(axis=0).astype(np.int64) - there.min(axis=0)).max()) + 2
        if need <= self._texture.side_columns:
            return False
        self._texture.release()
        self._make(1 << (need - 1).bit_length())
        return True

    def _take(self, world: Store, column: ColumnPos) -> bool:
        """Stores a column's biomes; returns whether they changed."""
        biomes = world.surface_biomes(column).reshape(16, 16)
        x, z = column.x * 16 & self.mask, column.z * 16 & self.mask
        part = self._biomes[x : x + 16, z : z + 16]
        if np.array_equal(part, biomes):
            return False
        part[:] = biomes
        self._filled_with = None
        return True

    def _upload(self, columns: I64) -> None:
        span = np.arange(-REACH, 16 + REACH)
        xs = (columns[:, 0, None] * 16 + span) & self.mask
        zs = (columns[:, 1, None] * 16 + span) & self.mask
        windows = self._biomes[xs[:, :, None], zs[:, None, :]]
        middle = windows[:, REACH, REACH]
        mixed = (windows != middle[:, None, None]).any(axis=(1, 2))
        colours = np.empty((len(columns), 16, 16, KINDS, 3), np.uint8)
        colours[:] = tints_of(middle, self._colours)[:, None, None]
        colours[mixed] = blended(windows[mixed], self._colours)
        for (x, z), each in zip(columns.tolist(), colours, strict=True):
            self._texture.write(x, z, each)


def blended(windows: U16, table: TintColours | None = None) -> U8:
    """Colours [n, 16, 16, 3, 3] of columns from the biomes [n, 20, 20] in and around them; unknown ones are ignored."""
    known = windows != UNKNOWN_BIOME
    total = _box(tints_of(windows, table) * known[..., None, None].astype(np.uint16))
    weight = _box(known.astype(np.uint16))[..., None, None]
    default = tints_of(windows[:, REACH:-REACH, REACH:-REACH], table)
    mean = np.where(weight > 0, total / np.maximum(weight, 1), default)
    return np.rint(mean).astype(np.uint8)


def _box(values: U16) -> U16:
    """Sums over 5 x 5 of two axes: [n, 20, 20, ...] to [n, 16, 16, ...]."""
    along = values[:, :16].copy()
    for k in range(1, 2 * REACH + 1):
        along += values[:, k : k + 16]
    both = along[:, :, :16].copy()
    for k in range(1, 2 * REACH + 1):
        both += along[:, :, k : k + 16]
    return both
