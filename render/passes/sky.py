"""The sky: one triangle behind everything, drawn first, without depth."""

from render.gpu.device import Gpu


class SkyPass:
    """Sky, sun, moon, stars and clouds of the frame's constants."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        self._array = gpu.ctx.vertex_array(gpu.program("sky.vert", "sky.frag"), [])

    def draw(self) -> None:
        """Fills the target; leaves its depth as it is."""
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._array.render(vertices=3)

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
