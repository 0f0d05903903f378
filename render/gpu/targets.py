"""Framebuffers for pictures: our own RGBA8 + DEPTH24 and integer ones, never the window's (gl.md 1).

A window gets a copy of the colour from a second framebuffer without depth on the same texture: blitting a framebuffer
with depth copies nothing if the window's depth has another format (Xvfb: 32 bits; measured).
"""

from typing import Any

import numpy as np

from net.arrays import I32, U8, U32
from render.gpu.device import GlOwner, Gpu, Unit

Pixels = U8
"""[height, width, 4] RGBA, row 0 at the top."""


class Target(GlOwner):
    """One framebuffer of a fixed size."""

    def __init__(self, gpu: Gpu, size: tuple[int, int]) -> None:
        """Makes it; ``size`` is width, height in pixels."""
        super().__init__(gpu)
        self.size = size  # width and height in pixels
        self.colour = self._own(gpu.ctx.texture(size, 4))  # the texture that holds the picture
        self.colour.label = "target colour"
        self._depth = self._own(gpu.ctx.depth_renderbuffer(size))
        self._depth.label = "target depth"
        self._framebuffer = self._own(gpu.ctx.framebuffer([self.colour], self._depth))
        self._framebuffer.label = "target"
        self._solid = self._own(gpu.ctx.depth_texture(size))
        self._solid.label = "depth of opaque surfaces"
        self._solid.compare_func = ""
        self._solid.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        gpu.check()

    @property
    def aspect(self) -> float:
        return self.size[0] / self.size[1]

    def begin(self) -> None:
        """Binds it for drawing and clears it to black and far."""
        self._framebuffer.use()
        self._framebuffer.depth_mask = True
        self._framebuffer.clear(0.0, 0.0, 0.0, 1.0)

    def resume(self) -> None:
        """Binds it for drawing again, without clearing."""
        self._framebuffer.use()

    def stretch(self, other: "Target") -> None:
        """Binds it for drawing, filled with the scaled picture of another target."""
        self.begin()
        self._gpu.raw.stretch_colour(other._framebuffer.glo, other.size, self._framebuffer.glo, self.size)

    def keep_depth(self) -> None:
        """Copies the depth drawn so far for the sampler ``depth``; a bound target must not be read."""
        self._solid.use(Unit.DEPTH)
        self._gpu.raw.copy_into_texture(Unit.DEPTH, self.size)

    def write_depth(self, on: bool) -> None:
        self._framebuffer.depth_mask = on

    def pixels(self) -> Pixels:
        """A copy of the picture; waits for the GPU without the interpreter lock."""
        self._gpu.wait()
        raw = np.frombuffer(self._framebuffer.read(components=4, alignment=1), np.uint8)
        return raw.reshape(self.size[1], self.size[0], 4)[::-1].copy()


Places4 = I32
"""[height, width, 4], row 0 at the top: x, y, z, face."""
Shown4 = U32
"""[height, width, 4], row 0 at the top: depth's bits, dense id | id in the brick << 16, light, 1 where drawn; of an
entity depth's bits, its number, light, 2."""


class SemanticTarget(GlOwner):
    """One framebuffer of a fixed size. Owner thread only."""

    def __init__(self, gpu: Gpu, size: tuple[int, int]) -> None:
        """Makes it; ``size`` is width, height in pixels."""
        super().__init__(gpu)
        self.size = size  # width and height in pixels
        self._textures = [self._own(gpu.ctx.texture(size, 4, dtype=dtype)) for dtype in ("i4", "u4")]
        for texture, label in zip(self._textures, ("semantic place", "semantic shown"), strict=True):
            texture.filter = (0x2600, 0x2600)  # GL_NEAREST: integer textures have no other
            texture.label = label
        self._depth: Any = self._own(gpu.ctx.depth_renderbuffer(size))
        self._depth.label = "semantic depth"
        self._framebuffer: Any = self._own(gpu.ctx.framebuffer(self._textures, self._depth))
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


class Presenter(GlOwner):
    """Copies one target to the window of its context."""

    def __init__(self, gpu: Gpu, target: Target) -> None:
        """For a context that was made in a window, and a target that is no larger than it."""
        super().__init__(gpu)
        self._size = target.size
        self._colour_only: Any = self._own(gpu.ctx.framebuffer([target.colour]))
        self._colour_only.label = "presented"

    def present(self, corner: tuple[int, int], window_px: tuple[int, int]) -> None:
        """Copies the picture into a window of that size, its lower left corner there, black around it.

        The window's framebuffer is what is drawn to afterwards.
        """
        screen = self._gpu.ctx.screen
        screen.viewport = (0, 0, *window_px)  # else what is drawn next has the size the window was opened with
        screen.use()
        if self._size != window_px:
            screen.clear(0.0, 0.0, 0.0, 1.0)
        self._gpu.raw.stretch_colour(self._colour_only.glo, self._size, screen.glo, self._size, corner)
