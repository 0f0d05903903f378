"""Colours of the biome by block column: a toroidal texture, one layer a tint kind.

Texel (z, x) & mask of layer kind - 1 is the colour of that kind at block column x, z. Width is z, as arrays by
``x << 4 | z`` lie.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.gpu.device import Gpu, Unit

KINDS: Final = 3
NEAREST: Final = 0x2600

TintColumn = npt.NDArray[np.uint8]
"""[16, 16, 3, 3] by x, z, kind, and red, green, blue."""


class TintTexture:
    """The texture; its side is a power of two of columns.

    Attributes:
        side_columns: columns along each side.
    """

    def __init__(self, gpu: Gpu, side_columns: int) -> None:
        """An undefined one: ``fill`` it first."""
        self._gpu = gpu
        self.side_columns = side_columns
        side = side_columns * 16
        self._texture: Any = gpu.ctx.texture_array((side, side, KINDS), 4)
        self._texture.filter = (NEAREST, NEAREST)
        self._texture.label = "tints"
        gpu.check()

    def fill(self, colours: npt.NDArray[np.uint8]) -> None:
        """Gives every column the same colours, [3, 3] by kind, and red, green, blue."""
        side = self.side_columns * 16
        texels = np.full((KINDS, side, side, 4), 255, np.uint8)
        texels[..., :3] = colours[:, None, None]
        self._texture.write(texels)

    def read(self) -> npt.NDArray[np.uint8]:
        """All colours, [kind, x, z, 4]; waits: for checks."""
        self._gpu.wait()
        side = self.side_columns * 16
        return np.frombuffer(self._texture.read(), np.uint8).reshape(KINDS, side, side, 4)

    def write(self, x: int, z: int, colours: TintColumn) -> None:
        """Uploads one column's colours; x and z are column positions."""
        mask = self.side_columns - 1
        texels = np.full((KINDS, 16, 16, 4), 255, np.uint8)
        texels[..., :3] = colours.transpose(2, 0, 1, 3)
        self._texture.write(texels, viewport=((z & mask) * 16, (x & mask) * 16, 0, 16, 16, KINDS))

    def bind(self) -> None:
        """Binds it to its unit."""
        self._texture.use(int(Unit.TINTS))

    def release(self) -> None:
        """Frees the texture."""
        self._texture.release()
