"""The target and the area of the picture in a window.

Apart from ``window``, which is imported before a window opens: NumPy and moderngl are loaded after its first frame.
"""

from typing import Any, Final

from render.gpu import Gpu, Target
from render.gpu.targets import Presenter
from render.viewer.window.window import Area, WindowSize

LEAST_PICTURE_PX: Final = 64
"""Least picture size, each way, in the area left by panels; below it the picture lies under them."""


class Screen:
    """The picture's target and area in one window."""

    def __init__(self, gpu: Gpu, window: Any) -> None:  # Any: a pyglet window
        self._gpu = gpu
        self._window = window
        self.extent = WindowSize.of(window)  # in both units
        self.area = self.extent.whole  # the picture's area in the window
        # drawing target; replaced by ``resize``. While the window is minimised, it keeps its last size.
        self.target = Target(gpu, self.extent.pixels)
        self._presenter = Presenter(gpu, self.target)

    def resize(self, free: Area | None = None) -> tuple[int, int] | None:
        """Follows the size of the window, or of the area left by panels; returns the new pixel size, None if unchanged.

        The picture is stretched to it, since the next frame may draw none (``render.viewer.scene_updater``, rule 4).
        """
        self.extent = WindowSize.of(self._window)
        if not self.extent.shown:
            return None
        self.area = self.extent.whole if free is None or min(free.size) < LEAST_PICTURE_PX else free
        if self.area.size == self.target.size:
            return None
        left = self.target
        self._presenter.release()
        self.target = Target(self._gpu, self.area.size)
        self.target.stretch(left)
        left.release()
        self._presenter = Presenter(self._gpu, self.target)
        return self.target.size

    def present(self) -> None:
        self._presenter.present((self.area.left, self.area.low), self.extent.pixels)

    def release(self) -> None:
        self._presenter.release()
        self.target.release()
