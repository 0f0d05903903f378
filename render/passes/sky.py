"""The sky: one triangle behind everything, drawn after what is solid, so that only what is seen of it is computed."""

from render.gpu.device import Gpu


class SkyPass:
    """Sky, sun, moon, stars and clouds of the frame's constants."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._array = gpu.vertices(gpu.program("sky.vert", "sky.frag"))

    def draw(self) -> None:
        """Fills what is as far as can be; leaves the depth as it is, for it is the same."""
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.DEPTH_TEST)
        ctx.depth_func = "<="
        self._array.render(vertices=3)
        ctx.depth_func = "<"

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
