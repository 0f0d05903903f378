"""From a target to the window: a copy of colour alone.

Blitting a framebuffer with depth copies nothing when the window's depth has another format (Xvfb: 32 bits), so the
copy goes from a second framebuffer on the same colour texture (measured).
"""

from typing import Any

from render.gpu.device import Gpu
from render.gpu.target import Target


class Presenter:
    """Copies one target to the window of its context."""

    def __init__(self, gpu: Gpu, target: Target) -> None:
        """For a context that was made in a window, and a target of the window's size in pixels."""
        self._gpu = gpu
        self._size = target.size
        self._colour_only: Any = gpu.ctx.framebuffer([target.colour])
        self._colour_only.label = "presented"

    def present(self) -> None:
        """Copies the picture; the window's framebuffer is what is drawn to afterwards."""
        screen = self._gpu.ctx.screen
        self._gpu.ctx.copy_framebuffer(screen, self._colour_only)
        screen.viewport = (0, 0, *self._size)  # else what is drawn next has the size the window was opened with
        screen.use()

    def release(self) -> None:
        """Frees its framebuffer; the target stays."""
        self._colour_only.release()
