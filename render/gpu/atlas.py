"""Bricks of 16 x 16 x 16 values in one 3D texture.

Theory. Brick b lies at ``(b % side, b / side % side, b / side^2) * 16`` of the texture, whose texel is ``pos.yzx``:
width is y, so a brick's array ``[x, z, y]`` uploads as it lies. The texture grows in depth only: numbers of bricks
never change. Uploads are one ``write(viewport)`` each, 1 to 2.4 us on llvmpipe.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.gpu.device import Gpu, Unit
from render.gpu.errors import OutOfPages

BRICK_BYTES: Final = 8192
BRICK_SIDE: Final = 16

Brick = npt.NDArray[np.uint16]
"""[4096] or [16, 16, 16]: index x << 8 | z << 4 | y."""


class BrickAtlas:
    """A growing R16UI texture of bricks with a free list.

    Attributes:
        side: bricks along width and height.
    """

    def __init__(self, gpu: Gpu, label: str, unit: Unit, first_bricks: int = 1024, limit_bricks: int = 131072) -> None:
        """An empty atlas.

        Args:
            gpu: the context.
            label: for debuggers and errors.
            unit: texture unit it is bound to.
            first_bricks: size to start with, rounded up to a full layer.
            limit_bricks: size it may grow to, further bounded by the driver.
        """
        self._gpu = gpu
        self._label = label
        self._unit = unit
        longest = gpu.capabilities.max_texture_3d // BRICK_SIDE
        self.side = min(16, longest)
        layer = self.side * self.side
        self._limit_depth = min(longest, -(-limit_bricks // layer))
        self._depth = min(self._limit_depth, -(-first_bricks // layer))
        self._texture: Any = self._allocate(self._depth)
        self._free = list(range(self.capacity - 1, -1, -1))

    @property
    def capacity(self) -> int:
        """Bricks there is room for now."""
        return self._depth * self.side * self.side

    @property
    def used(self) -> int:
        """Bricks in use."""
        return self.capacity - len(self._free)

    @property
    def gpu_bytes(self) -> int:
        """Size of the texture."""
        return self.capacity * BRICK_BYTES

    def take(self, bricks: int) -> list[int]:
        """Free bricks; grows when there are too few, raises OutOfPages at the limit and takes none then."""
        while len(self._free) < bricks:
            self._grow(bricks)
        return [self._free.pop() for _ in range(bricks)]

    def free(self, bricks: Iterable[int]) -> None:
        """Gives bricks back."""
        self._free.extend(bricks)

    def write(self, brick: int, values: Brick) -> None:
        """Uploads one brick's 4096 values."""
        x, z, y = self._corner(brick)
        self._texture.write(values, viewport=(y, z, x, BRICK_SIDE, BRICK_SIDE, BRICK_SIDE), alignment=2)

    def bind(self) -> None:
        """Binds it to its unit."""
        self._texture.use(int(self._unit))

    def bind_image(self, image: int) -> None:
        """Binds it to an image unit, for compute shaders that read and write bricks."""
        self._texture.bind_to_image(image, read=True, write=True)

    def read(self, brick: int) -> Brick:
        """One brick back from the GPU, [16, 16, 16] as [x, z, y]; reads the whole atlas, for tests."""
        x, z, y = self._corner(brick)
        span = BRICK_SIDE
        return self._content()[x : x + span, z : z + span, y : y + span].copy()

    def release(self) -> None:
        """Frees the texture."""
        self._texture.release()

    def _corner(self, brick: int) -> tuple[int, int, int]:
        side = self.side
        return brick // (side * side) * BRICK_SIDE, brick // side % side * BRICK_SIDE, brick % side * BRICK_SIDE

    def _content(self) -> Brick:
        self._gpu.wait()
        width = self.side * BRICK_SIDE
        return np.frombuffer(self._texture.read(alignment=2), np.uint16).reshape(-1, width, width)

    def _allocate(self, depth: int) -> Any:
        width = self.side * BRICK_SIDE
        texture = self._gpu.ctx.texture3d((width, width, depth * BRICK_SIDE), 1, dtype="u2", alignment=2)
        texture.filter = (0x2600, 0x2600)  # GL_NEAREST: integer textures have no other
        texture.label = self._label
        self._gpu.check()
        return texture

    def _grow(self, wanted: int) -> None:
        depth = min(self._depth * 2, self._limit_depth)
        if depth == self._depth:
            raise OutOfPages(self._label, wanted, self.capacity)
        content = self._content()
        old, before = self._texture, self.capacity
        self._texture = self._allocate(depth)
        width = self.side * BRICK_SIDE
        self._texture.write(content, viewport=(0, 0, 0, width, width, self._depth * BRICK_SIDE), alignment=2)
        old.release()
        self._depth = depth
        self._free = list(range(self.capacity - 1, before - 1, -1)) + self._free
