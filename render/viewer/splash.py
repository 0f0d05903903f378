"""The progress line: a text and a bar in an otherwise empty window, until the world is there."""

from typing import Any


class Splash:
    """Draws into a pyglet window that belongs to the caller."""

    def __init__(self, window: Any) -> None:
        """Needs the window's context to be current."""
        import pyglet

        self._window = window
        self._label = pyglet.text.Label("", font_size=13, anchor_x="center", anchor_y="center")
        self._bar = pyglet.shapes.Rectangle(0, 0, 1, 4, color=(110, 190, 255))

    def draw(self, share: float, what: str) -> None:
        """Draws one frame; the caller flips.

        Args:
            share: of the work that is done, 0..1.
            what: what is being done.
        """
        width, height = self._window.get_size()
        self._window.clear()
        if self._label.text != what:
            self._label.text = what
        self._label.position = (width // 2, height // 2 + 16, 0)
        self._bar.position = (width // 4, height // 2 - 16)
        self._bar.width = max(width / 2 * share, 1)
        self._label.draw()
        self._bar.draw()
