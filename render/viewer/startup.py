"""From nothing to a joined world, with the window alive all the while.

Order, so that nothing waits for what it does not need: the window opens first; kernels are compiled by a child process
where they are missing (about ten seconds, once) behind a progress line; only then are modules with kernels imported;
then the source is joined, behind another line. A window that is closed meanwhile ends it all with exit code 0.
"""

import gc
import sys
import time
from pathlib import Path
from typing import Any, Final

from client.connect.options import Options
from client.connect.source import Source
from client.connect.warmup import WarmUp, is_warm, use_cache
from render.viewer.options import ViewerOptions
from render.viewer.window import open_window

KERNEL_PACKAGES: Final = ("net", "client", "render")
REDRAW_S: Final = 1 / 30
SWITCH_INTERVAL_S: Final = 0.001
"""Workers hold the interpreter lock in short turns, so that a frame never waits 5 ms for it (architecture.md 2)."""


class WindowClosed(Exception):
    """The person closed the window before the world was there."""


class Startup:
    """Window, progress lines, and what follows when the world is there."""

    def __init__(self, source: Source, options: Options, window: ViewerOptions) -> None:
        """Opens the window.

        Raises:
            NoDisplay: it cannot be opened.
        """
        self._source = source
        self._options = options
        self._settings = window
        self._drawn = -1.0
        self.window = open_window(window.size_px, f"chunkscope · {source}")
        self._splash = _Splash(self.window)

    def run(self, pictures: Path) -> int:
        """Goes through all phases; returns an exit code."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            self._tell(0.0, "starting")
            self._compile()
            return self._world(pictures)
        except WindowClosed:
            return 0

    def close(self) -> None:
        """Closes the window; may be called again."""
        self.window.close()

    def _compile(self) -> None:
        use_cache()
        if is_warm(KERNEL_PACKAGES):
            return
        warm_up = WarmUp(KERNEL_PACKAGES)
        try:
            what, share = "compiling kernels (first start only)", 0.0
            while not warm_up.done:
                for news in warm_up.poll():
                    share = news.done / news.total
                    what = f"compiling kernels (first start only): {news.done} of {news.total}"
                self._tell(share, what)
                time.sleep(REDRAW_S / 4)
        finally:
            warm_up.close()

    def _world(self, pictures: Path) -> int:
        from client.connect.opening import open_connection  # loads the kernels
        from render.viewer.app import App

        # The scene of the app drives the light map with its own workers.
        options = Options(**{name: getattr(self._options, name) for name in Options.__slots__} | {"light": False})
        with open_connection(self._source, options, self._tell) as connection:
            app = App(self.window, connection, self._settings, pictures)
            gc.collect()
            gc.freeze()  # what lives until the end is not looked at again
            gc.disable()  # and collection happens between frames, never inside one
            try:
                return app.run()
            finally:
                gc.enable()
                app.close()

    def _tell(self, share: float, what: str) -> None:
        """Keeps the window alive and shows progress, at most thirty times a second."""
        now = time.monotonic()
        if now - self._drawn < REDRAW_S:
            return
        self._drawn = now
        self.window.switch_to()
        self.window.dispatch_events()
        if self.window.has_exit:
            raise WindowClosed
        self._splash.draw(share, what)
        self.window.flip()


class _Splash:
    """A line of text and a bar."""

    def __init__(self, window: Any) -> None:
        import pyglet

        self._window = window
        self._label = pyglet.text.Label("", font_size=13, anchor_x="center", anchor_y="center")
        self._bar = pyglet.shapes.Rectangle(0, 0, 1, 4, color=(110, 190, 255))

    def draw(self, share: float, what: str) -> None:
        width, height = self._window.get_size()
        self._window.clear()
        self._label.text = what
        self._label.position = (width // 2, height // 2 + 16, 0)
        self._bar.position = (width // 4, height // 2 - 16)
        self._bar.width = max(width / 2 * share, 1)
        self._label.draw()
        self._bar.draw()
