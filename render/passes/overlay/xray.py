"""The overlays ``xray-placeholder`` and ``xray-air``: what terrain hides, found by marching through the block-ID map.

One triangle over the picture, blended, without depth: each pixel's ray goes on behind what was drawn there.
"""

from typing import Any, Final

from client.world.interface import Thresholds
from render.gpu.device import Gpu
from render.passes.frame_uniforms import DEFINES, set_classes

XRAYS: Final = ("xray-placeholder", "xray-air")
REACH_BLOCKS: Final = 192.0


class XrayPass:
    """Both overlays; the frame's constants and the mirror are bound already."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        defines = {"xray-placeholder": DEFINES, "xray-air": {**DEFINES, "SHOWS_AIR": 1}}
        self._programs: dict[str, Any] = {name: gpu.program("sky.vert", "xray.frag", defines[name]) for name in XRAYS}
        self._arrays: dict[str, Any] = {name: gpu.vertices(self._programs[name]) for name in XRAYS}

    def draw(self, name: str, first: Thresholds) -> None:
        """Draws one over the target in use.

        Args:
            name: out of ``XRAYS``.
            first: where the session's classes begin.
        """
        set_classes(self._programs[name], first)
        self._programs[name]["reach"].value = REACH_BLOCKS
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        self._arrays[name].render(vertices=3)

    def release(self) -> None:
        """Frees its GL objects."""
        for array in self._arrays.values():
            array.release()
