"""A window's size in both its units, in one place: what the system counts the mouse in, and what is drawn to.

pyglet counts positions in the window's own units, y up; panels, labels and pictures are in pixels of the framebuffer.
Where a system scales (HiDPI), one unit is several pixels, or the system asks for larger text, or both.
"""

from typing import Any, Final, NamedTuple

import msgspec

PLAIN_DPI: Final = 96
"""What a system names whose text is of no other size than drawn."""
ROOMY_PX: Final = (960, 600)
"""Of the framebuffer, at scale 1: below, all numbers with their keys and a legend would hide most of the picture."""


class Area(NamedTuple):
    """A part of the framebuffer, in pixels, y up: what panels leave of the picture."""

    left: int
    low: int
    right: int
    high: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.right - self.left, self.high - self.low

    def above(self, low_px: int) -> "Area":
        """The part of it that lies above a line."""
        return self._replace(low=min(max(self.low, low_px), self.high))


class WindowSize(msgspec.Struct, frozen=True):
    """One moment of a window."""

    window: tuple[int, int]  # width and height in the window's units
    pixels: tuple[int, int]  # width and height of its framebuffer
    scale: float  # what the system multiplies text with, as pixels go

    @classmethod
    def of(cls, window: Any) -> "WindowSize":  # Any: a pyglet window
        """A window's."""
        scale = max(window.get_pixel_ratio(), getattr(window, "dpi", PLAIN_DPI) / PLAIN_DPI)
        return cls(tuple(window.get_size()), tuple(window.get_framebuffer_size()), scale)

    @property
    def whole(self) -> Area:
        """All of the framebuffer."""
        return Area(0, 0, *self.pixels)

    @property
    def shown(self) -> bool:
        """Whether there is anything to draw to; not while the window is an icon."""
        return 0 not in self.pixels and 0 not in self.window

    def is_small(self, scale: float) -> bool:
        """Whether there is little room for text that is so many times as large as drawn."""
        return any(side < scale * roomy for side, roomy in zip(self.pixels, ROOMY_PX, strict=True))

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """A position of the mouse, y up, in pixels, y down."""
        return (
            x * self.pixels[0] / max(self.window[0], 1),
            self.pixels[1] - y * self.pixels[1] / max(self.window[1], 1),
        )
