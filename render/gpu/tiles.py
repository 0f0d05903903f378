"""Block textures: one array texture with all mip levels given, growing by layers."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfPages

SIDE: Final = 16
"""Of our own textures; under resource packs pictures may have other powers of two a side."""
LEVELS: Final = 5
NEAREST: Final = 0x2600
NEAREST_MIPMAP_LINEAR: Final = 0x2702

Texels = npt.NDArray[np.uint8]
"""[layers, side, side, 4] RGBA, row 0 at the top."""


class TileTextures:
    """The array texture of block faces.

    Attributes:
        layers: how many hold a picture.
    """

    def __init__(self, gpu: Gpu, first_layers: int = 256) -> None:
        """An empty one with room for some layers."""
        self._gpu = gpu
        self._side = SIDE
        self._room = min(first_layers, gpu.capabilities.max_layers)
        self._texture: Any = self._allocate(self._room)
        self._levels: list[Texels] = _no_levels(SIDE)

    @property
    def layers(self) -> int:
        """How many hold a picture."""
        return len(self._levels[0])

    def append(self, levels: Sequence[Texels]) -> None:
        """Adds layers.

        Args:
            levels: their mip levels, the largest first, 1 x 1 last; of one size as long as there are any.

        Raises:
            OutOfPages: the driver holds no more layers.
        """
        first = self.layers
        if not first and levels[0].shape[1] != self._side:
            self._side, self._room = levels[0].shape[1], 0
            self._levels = _no_levels(self._side)
        joined = [np.concatenate(pair) for pair in zip(self._levels, levels, strict=True)]
        if len(joined[0]) > self._room:
            self._grow(len(joined[0]))
            first = 0
        self._levels = joined
        self._texture.use(int(Unit.TILES))
        for level, texels in enumerate(joined):
            part = np.ascontiguousarray(texels[first:])
            self._gpu.raw.write_array_layers(int(Unit.TILES), level, first, part.shape, part.ctypes.data)

    def replace(self, layer: int, levels: Sequence[Texels]) -> None:
        """Shows another picture where there is one: ``levels`` of one layer, as ``append`` takes them."""
        self._texture.use(int(Unit.TILES))
        for level, texels in enumerate(levels):
            self._levels[level][layer] = texels[0]
            part = np.ascontiguousarray(texels)
            self._gpu.raw.write_array_layers(int(Unit.TILES), level, layer, part.shape, part.ctypes.data)

    def clear(self) -> None:
        """Forgets all layers; the room stays."""
        self._levels = _no_levels(self._side)

    def bind(self) -> None:
        """Binds it to its unit."""
        self._texture.use(int(Unit.TILES))

    def release(self) -> None:
        """Frees the texture."""
        self._texture.release()

    def _allocate(self, layers: int) -> Any:
        texture = self._gpu.ctx.texture_array((self._side, self._side, layers), 4)
        texture.use(int(Unit.TILES))
        for level in range(1, self._side.bit_length()):  # build_mipmaps would compute them: 0.13 s for 1,024 layers
            self._gpu.raw.allocate_array_level(int(Unit.TILES), level, self._side >> level, layers)
        texture.filter = (NEAREST_MIPMAP_LINEAR, NEAREST)
        texture.label = "tiles"
        self._gpu.check()
        return texture

    def _grow(self, layers: int) -> None:
        most = self._gpu.capabilities.max_layers
        if layers > most:
            raise OutOfPages("tiles", layers - self.layers, most)
        # Doubled, but where pictures are large: as many as are asked for, for few ever join.
        self._room = min(most, 1 << (layers - 1).bit_length()) if self._side == SIDE else layers
        self._texture.release()
        self._texture = self._allocate(self._room)


def _no_levels(side: int) -> list[Texels]:
    return [np.zeros((0, side >> k, side >> k, 4), np.uint8) for k in range(side.bit_length())]
