"""The progress line: a text and a bar in an otherwise empty window, until the world is there."""

from typing import Any

from render.viewer.extent import Extent


class Splash:
    """Draws into a pyglet window that belongs to the caller."""

    def __init__(self, window: Any, scale: float) -> None:
        """Needs the window's context to be current.

        Args:
            window: a pyglet window.
            scale: of text, times what the system asks for.
        """
        import pyglet

        self._window = window
        scale *= Extent.of(window).scale
        self._em = 16 * scale
        fonts = ("DejaVu Sans", "Verdana", "Helvetica")
        self._label = pyglet.text.Label(
            "", font_name=fonts, font_size=13 * scale, anchor_x="center", anchor_y="center", multiline=True,
            width=1, align="center",
        )  # fmt: skip
        self._bar = pyglet.shapes.Rectangle(0, 0, 1, round(4 * scale), color=(110, 190, 255))

    def draw(self, share: float, what: str) -> None:
        """Draws one frame; the caller flips.

        Args:
            share: of the work that is done, 0..1.
            what: what is being done.
        """
        width, height = self._window.get_framebuffer_size()
        self._window.clear()
        if self._label.text != what:
            self._label.text = what
        if self._label.width != width - 2 * self._em:
            self._label.width = max(width - 2 * self._em, 1)  # a path may be longer than the window is wide
        self._label.position = (width // 2, height // 2 + self._em + self._label.content_height // 2, 0)
        self._bar.position = (width // 4, height // 2 - self._em)
        self._bar.width = max(width / 2 * share, 1)
        self._label.draw()
        self._bar.draw()
