"""Rain and snow around the eye: one upright sheet a block column, from its surface up.

Nothing falls below a column's surface, so a roof keeps a room dry; sheets are tested against depth besides. Where drops
are follows from the column and the time alone.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.gpu.target import Target

REACH_BLOCKS: Final = 14
SHEET_BYTES: Final = 16
VERTICES_PER_SHEET: Final = 6
MOST_SHEETS: Final = (2 * REACH_BLOCKS + 1) ** 2

Sheets = npt.NDArray[np.int32]
"""[n, 4] x, z, lowest y, 1 rain or 2 snow; farthest first."""


class WeatherPass:
    """Draws what falls."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        program = gpu.program("weather.vert", "weather.frag", {"REACH_BLOCKS": float(REACH_BLOCKS)})
        self._array: Any = gpu.ctx.vertex_array(program, [])
        self._sheets = BufferTexture(gpu, "falling", Unit.FALLING, rawgl.RGBA32I, MOST_SHEETS * SHEET_BYTES)
        self._sent: Sheets | None = None

    def draw(self, target: Target, sheets: Sheets) -> None:
        """Draws sheets with the frame's weather; the same array again is not sent again."""
        if not len(sheets):
            return
        if self._sent is not sheets:
            self._sheets.write(np.ascontiguousarray(sheets), 0)
            self._sent = sheets
        self._sheets.bind()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.DEPTH_TEST | ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        target.write_depth(False)
        self._array.render(vertices=VERTICES_PER_SHEET * len(sheets))
        target.write_depth(True)

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
        self._sheets.release()
