"""Rain and snow around the eye: one upright sheet a block column, down to what stops it, and splashes there.

Theory. The GPU finds how deep precipitation falls: a texel a column goes down through the block-ID map to the first
block that stops drops (``shaders/falls.frag``). So any roof keeps a room dry, and drops end at the top of a slab and at
the surface of water. If the map lacks the block at the column's height map, the height map is used. Sheets and splashes
are also tested against depth. Positions of drops and splashes follow from the column and the time alone.
"""

from typing import Any, Final

import numpy as np

from net.arrays import I32
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture
from render.mesh.vertex_format import LIQUID_DROP
from render.passes import block_march, particles

REACH_BLOCKS: Final = 14
SPLASH_REACH_BLOCKS: Final = 9
SPLASH_LANES: Final = 3
DROPLETS: Final = 3
SHEET_BYTES: Final = 16
VERTICES_PER_QUAD: Final = 6
SIDE: Final = 2 * REACH_BLOCKS + 1
MOST_SHEETS: Final = SIDE**2
NO_FALL: Final = -(1 << 24)

Sheets = I32
"""[n, 4] x, z, height map, 1 rain or 2 snow; farthest first."""


def defines() -> dict[str, int | float | str]:
    counts = {"SPLASH_LANES": SPLASH_LANES, "DROPLETS": DROPLETS, "FALL_REACH": REACH_BLOCKS, "NO_FALL": NO_FALL}
    lengths = {"REACH_BLOCKS": float(REACH_BLOCKS), "SPLASH_REACH_BLOCKS": float(SPLASH_REACH_BLOCKS)}
    return {**counts, **lengths, **block_march.DEFINES, **particles.stops_defines(), "LIQUID_DROP": LIQUID_DROP}


class WeatherPass(GlOwner):
    """Draws rain and snow."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        told = defines()
        self._falling: Any = self._own(gpu.vertices("full_screen.vert", "falls.frag", told))
        self._array: Any = self._own(gpu.vertices("weather.vert", "weather.frag", told))
        self._splashes: Any = self._own(gpu.vertices("splash.vert", "splash.frag", told))
        self._sheets = self._own(BufferTexture(gpu, "falling", Unit.FALLING, gl.RGBA32I, MOST_SHEETS * SHEET_BYTES))
        self._sent: Sheets | None = None
        self._near = 0
        self._falls: Any = self._own(gpu.ctx.texture((SIDE, SIDE), 1, dtype="i4"))
        self._falls.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        self._framebuffer: Any = self._own(gpu.ctx.framebuffer([self._falls]))
        self._framebuffer.label = self._falls.label = "depth of rain"
        gpu.check()

    def fall(self) -> None:
        """Finds how deep it falls, before the frame's target is begun; block-ID map and ``ParticleStops`` are bound."""
        self._framebuffer.use()
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._falling.render(vertices=3)

    def draw(self, target: Target, sheets: Sheets, eye_column: tuple[int, int]) -> None:
        """Draws sheets, farthest first, and splashes, after ``fall``; the same array is not sent again."""
        if not len(sheets):
            return
        if self._sent is not sheets:
            self._sheets.send(sheets)
            away = ((sheets[:, :2] - np.array(eye_column)) ** 2).sum(axis=1)
            self._sent, self._near = sheets, int((away <= SPLASH_REACH_BLOCKS**2).sum())
        self._sheets.bind()
        self._falls.use(Unit.FALLS)
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.DEPTH_TEST | ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        target.write_depth(False)
        self._array.render(vertices=VERTICES_PER_QUAD * len(sheets))
        each = VERTICES_PER_QUAD * SPLASH_LANES * DROPLETS
        self._splashes.render(vertices=each * self._near, first=each * (len(sheets) - self._near))
        target.write_depth(True)
