"""What a window shows its pictures with: a target as large as its framebuffer, and its way onto it."""

from typing import Any

from render.gpu import Gpu, Target
from render.gpu.present import Presenter
from render.viewer.extent import Extent


class Screen:
    """Of one window on one context.

    Attributes:
        extent: the window's size in both its units.
        target: what is drawn to; another one after ``fit``. While the window is an icon, of its last size.
    """

    def __init__(self, gpu: Gpu, window: Any) -> None:  # Any: a pyglet window
        """As large as the window; both belong to the caller."""
        self._gpu = gpu
        self._window = window
        self.extent = Extent.of(window)
        self.target = Target(gpu, self.extent.pixels)
        self._presenter = Presenter(gpu, self.target)

    def fit(self) -> tuple[int, int] | None:
        """Follows the window's size; the target's new one in pixels, None where it is as it was.

        The picture goes along, stretched: the next frame may draw none (``upkeep``, rule 4).
        """
        self.extent = Extent.of(self._window)
        if self.extent.pixels == self.target.size or not self.extent.shown:
            return None
        left = self.target
        self._presenter.release()
        self.target = Target(self._gpu, self.extent.pixels)
        self.target.stretch(left)
        left.release()
        self._presenter = Presenter(self._gpu, self.target)
        return self.target.size

    def present(self) -> None:
        """Puts the target's picture into the window."""
        self._presenter.present()

    def release(self) -> None:
        """Frees everything."""
        self._presenter.release()
        self.target.release()
