"""The mark in the middle of the picture: what it stands on is what a key tells of, and the panel Inspector.

Four arms around a gap, so that the block itself is seen; light with a dark border, to be seen over sky and in caves.
"""

from typing import Any, Final, NamedTuple

ARM: Final = 8
GAP: Final = 3
WIDTH: Final = 4
"""Of an arm with its border on both sides; all of these in pixels at scale 1."""
BORDER: Final = 1
LIGHT: Final = (240, 240, 240, 200)
DARK: Final = (0, 0, 0, 200)
"""Both as opaque as each other: pyglet wants it of a border."""


class Arm(NamedTuple):
    """A rectangle in pixels, y up: its lower left corner, its width and height."""

    x: int
    y: int
    width: int
    height: int


def arms_of(size: tuple[int, int], scale: float) -> tuple[Arm, ...]:
    """Left, right, lower and upper arm, around the middle of a picture of that size in pixels."""
    middle_x, middle_y = size[0] // 2, size[1] // 2
    arm, gap, half = round(ARM * scale), round(GAP * scale), round(WIDTH * scale / 2)
    level, upright = (arm, 2 * half), (2 * half, arm)
    return (
        Arm(middle_x - gap - arm, middle_y - half, *level),
        Arm(middle_x + gap, middle_y - half, *level),
        Arm(middle_x - half, middle_y - gap - arm, *upright),
        Arm(middle_x - half, middle_y + gap, *upright),
    )


class Crosshair:
    """Of one window; needs its context to be current."""

    def __init__(self) -> None:
        """Draws nothing yet."""
        self._made: tuple[tuple[int, int], float] | None = None
        self._batch: Any = None  # Any: pyglet's, imported when there is a context
        self._arms: list[Any] = []

    def draw(self, size: tuple[int, int], scale: float) -> None:
        """Draws it into the framebuffer that is bound, in the middle of its size in pixels."""
        if (size, scale) != self._made:
            self._made = size, scale
            self._make(arms_of(size, scale), max(1, round(BORDER * scale)))
        self._batch.draw()

    def _make(self, arms: tuple[Arm, ...], border: int) -> None:
        import pyglet

        self._batch = pyglet.graphics.Batch()
        self._arms = [
            pyglet.shapes.BorderedRectangle(*arm, border=border, color=LIGHT, border_color=DARK, batch=self._batch)
            for arm in arms
        ]
