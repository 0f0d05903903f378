"""What semantic buffers are drawn to: two integer attachments of 16 bytes a pixel, and a depth of their own.

``place`` holds block x, y, z and face; ``shown`` the depth's bits, ids, light and whether anything is there at all.
The fields are written by ``shaders/semantic.frag``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from render.gpu.device import Gpu

Places4 = npt.NDArray[np.int32]
"""[height, width, 4], row 0 at the top: x, y, z, face."""
Shown4 = npt.NDArray[np.uint32]
"""[height, width, 4], row 0 at the top: depth's bits, dense id | id in the brick << 16, light, 1 where drawn."""


class SemanticTarget:
    """One framebuffer of a fixed size. Owner thread only.

    Attributes:
        size: width and height in pixels.
    """

    def __init__(self, gpu: Gpu, size: tuple[int, int]) -> None:
        """Makes it; ``size`` is width, height in pixels."""
        self._gpu = gpu
        self.size = size
        self._textures = [gpu.ctx.texture(size, 4, dtype=dtype) for dtype in ("i4", "u4")]
        for texture, label in zip(self._textures, ("semantic place", "semantic shown"), strict=True):
            texture.filter = (0x2600, 0x2600)  # GL_NEAREST: integer textures have no other
            texture.label = label
        self._depth: Any = gpu.ctx.depth_renderbuffer(size)
        self._depth.label = "semantic depth"
        self._framebuffer: Any = gpu.ctx.framebuffer(self._textures, self._depth)
        self._framebuffer.label = "semantic"
        gpu.check()

    def begin(self) -> None:
        """Makes it what is drawn to, its depth as far as can be; the integers are the pass's to blank."""
        self._framebuffer.use()
        self._framebuffer.depth_mask = True
        self._framebuffer.color_mask = ((False,) * 4,) * 2
        self._framebuffer.clear()
        self._framebuffer.color_mask = ((True,) * 4,) * 2

    def read(self) -> tuple[Places4, Shown4]:
        """Both attachments, copies; waits for the GPU with other threads running."""
        self._gpu.wait()
        place, shown = (texture.read(alignment=4) for texture in self._textures)
        shape = (self.size[1], self.size[0], 4)
        return (
            np.frombuffer(place, np.int32).reshape(shape)[::-1].copy(),
            np.frombuffer(shown, np.uint32).reshape(shape)[::-1].copy(),
        )

    def release(self) -> None:
        """Frees its GL objects."""
        self._gpu.park()
        self._framebuffer.release()
        self._depth.release()
        for texture in self._textures:
            texture.release()
