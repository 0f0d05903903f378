"""Cracks on blocks that somebody breaks.

Theory. Each block is a box, a hair larger than it; what of the picture behind the box lies inside it is darkened along
cracks that run through the block in all three directions. So whatever the block's shape, the cracks are on its surface:
stairs and torches need no texture of their own. The box's far faces are drawn, without depth: the eye may be inside.

Limit: what is drawn with blending has no depth, so glass shows no cracks of its own.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.gpu.target import Target

BOX_BYTES: Final = 16
VERTICES_PER_BOX: Final = 36
FIRST_BOXES: Final = 64


class CracksPass:
    """Draws cracks."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        self._array: Any = gpu.ctx.vertex_array(gpu.program("cracks.vert", "cracks.frag"), [])
        self._boxes = BufferTexture(gpu, "cracks", Unit.CRACKS, rawgl.RGBA32I, FIRST_BOXES * BOX_BYTES)

    def draw(self, target: Target, blocks: npt.NDArray[np.int32]) -> None:
        """Draws the cracks of int32[n, 4] blocks, x, y, z and tenths, over what is solid."""
        if not len(blocks):
            return
        if blocks.nbytes > self._boxes.bytes:
            self._boxes.grow(1 << (blocks.nbytes - 1).bit_length())
        self._boxes.write(np.ascontiguousarray(blocks), 0)
        self._boxes.bind()
        target.keep_depth()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.CULL_FACE | ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        ctx.cull_face = "front"
        self._array.render(vertices=VERTICES_PER_BOX * len(blocks))
        ctx.cull_face = "back"

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
        self._boxes.release()
