"""What the GPU's copy of the block ids has of some sub-chunks, read back through the page table as shaders read it."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from net.space.layout import SubChunkPositions
from render.gpu.device import Gpu
from render.passes.frame_uniforms import DEFINES

AT_ONCE: Final = 125
"""Sub-chunks: 5 x 5 x 5, 2 MB."""
LINE: Final = 256
ROWS: Final = 16


class MirrorReadPass:
    """Reads; the frame's constants and the mirror are bound already. Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program and makes what it draws to."""
        self._gpu = gpu
        self._program = gpu.program("sky.vert", "mirror_read.frag", {**DEFINES, "AT_ONCE": AT_ONCE})
        self._array: Any = gpu.vertices(self._program)
        self._texture: Any = gpu.ctx.texture((LINE, ROWS * AT_ONCE), 1, dtype="u4")
        self._texture.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        self._texture.label = "mirror read back"
        self._framebuffer: Any = gpu.ctx.framebuffer([self._texture])
        self._framebuffer.label = self._texture.label

    def read(self, positions: SubChunkPositions) -> npt.NDArray[np.uint32]:
        """uint32[n, 4096] dense ids, or ``NO_VALUE`` of ``glsl``; waits. Another framebuffer is in use then.

        Args:
            positions: int32[n, 3], at most ``AT_ONCE``.
        """
        sections = np.zeros((AT_ONCE, 3), np.int32)
        sections[: len(positions)] = positions
        self._program["sections"].write(sections)
        self._framebuffer.use()
        self._framebuffer.viewport = 0, 0, LINE, ROWS * max(len(positions), 1)
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._array.render(vertices=3)
        self._gpu.wait()
        size = LINE, ROWS * len(positions)
        raw = self._framebuffer.read(viewport=(0, 0, *size), components=1, dtype="u4") if len(positions) else b""
        return np.frombuffer(raw, np.uint32).reshape(len(positions), LINE * ROWS)

    def release(self) -> None:
        """Frees its GL objects."""
        self._gpu.park()
        self._array.release()
        self._framebuffer.release()
        self._texture.release()
