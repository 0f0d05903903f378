"""Where pictures are drawn: an own RGBA8 + DEPTH24 framebuffer, never the window's (gl.md 1: defaults differ)."""

import numpy as np
import numpy.typing as npt

from render.gpu.device import Gpu, Unit

Pixels = npt.NDArray[np.uint8]
"""[height, width, 4] RGBA, row 0 at the top."""


class Target:
    """One framebuffer of a fixed size.

    Attributes:
        size: width and height in pixels.
        colour: the texture that holds the picture.
    """

    def __init__(self, gpu: Gpu, size: tuple[int, int]) -> None:
        """Makes it; ``size`` is width, height in pixels."""
        self._gpu = gpu
        self.size = size
        self.colour = gpu.ctx.texture(size, 4)
        self.colour.label = "target colour"
        self._depth = gpu.ctx.depth_renderbuffer(size)
        self._depth.label = "target depth"
        self._framebuffer = gpu.ctx.framebuffer([self.colour], self._depth)
        self._framebuffer.label = "target"
        self._solid = gpu.ctx.depth_texture(size)
        self._solid.label = "depth of what is solid"
        self._solid.compare_func = ""
        self._solid.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        gpu.check()

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.size[0] / self.size[1]

    def begin(self) -> None:
        """Makes it what is drawn to, cleared to black and far."""
        self._framebuffer.use()
        self._framebuffer.depth_mask = True
        self._framebuffer.clear(0.0, 0.0, 0.0, 1.0)

    def resume(self) -> None:
        """Makes it what is drawn to again, as it is."""
        self._framebuffer.use()

    def stretch(self, other: "Target") -> None:
        """Makes it what is drawn to, with another's picture, as large as this is."""
        self.begin()
        self._gpu.raw.stretch_colour(other._framebuffer.glo, other.size, self._framebuffer.glo, self.size)

    def keep_depth(self) -> None:
        """Gives the depth drawn so far to the sampler ``depth``: a copy, since what is drawn to must not be read."""
        self._solid.use(Unit.DEPTH)
        self._gpu.raw.copy_into_texture(Unit.DEPTH, self.size)

    def write_depth(self, on: bool) -> None:
        """Whether following draws write depth."""
        self._framebuffer.depth_mask = on

    def pixels(self) -> Pixels:
        """The picture, a copy; waits for the GPU with other threads running."""
        self._gpu.wait()
        raw = np.frombuffer(self._framebuffer.read(components=4, alignment=1), np.uint8)
        return raw.reshape(self.size[1], self.size[0], 4)[::-1].copy()

    def release(self) -> None:
        """Frees its GL objects."""
        self._gpu.park()
        self._framebuffer.release()
        self._depth.release()
        self._solid.release()
        self.colour.release()
