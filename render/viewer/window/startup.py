"""From nothing to a joined world, with the window alive all the while.

Order, so that nothing waits for what it does not need:
1. Where kernels are missing, a child process compiles them (ten to twenty seconds, once) behind a progress line.
   Nothing that loads kernels runs before they are there, neither here nor in a server of ours.
2. The embedded server starts, as a process; then the window opens; then modules with kernels are imported, on a thread.
   Imported beside the opening, they share the interpreter with it: the first frame came a quarter later, the world at
   the same time (measured, warm).
3. The source is joined behind another line, while what draws is imported, again on a thread.

A window that is closed meanwhile ends it all with exit code 0. Measured (tests/bench/test_startup.py, two cores): the
window is alive after 0.9 s, the world is there after 2.4 s, when a warm start still loaded Numba: half a second of this
process and of the server's, which it does without now.

Splash: What an otherwise empty window shows until the world is there: a title, why it takes long, a bar, the step.
"""

import gc
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec.structs import replace

from client.background_task import WHOLE_S, Loading
from client.embedded_server import start_ahead
from client.kernel_cache import WarmProgress, WarmUp, use_cache, use_compiled
from client.options import Options
from client.source import Source
from render.viewer.event_stream import EventStream
from render.viewer.watchdog import Watchdog
from render.viewer.window.window import WindowSize, expect_display, open_window, title_of
from render.viewer.window_options import NoDisplay, WindowClosed, WindowOptions, past_of

if TYPE_CHECKING:
    from client.connection.connection import Connection
    from client.report.diff import Against


TITLE: Final = "chunkscope"
WHY: Final = "First start only: the parts that must be fast are compiled for this computer."
"""Shown while kernels are compiled."""


class Splash:
    """Draws into a pyglet window that belongs to the caller."""

    def __init__(self, window: Any, scale: float) -> None:
        """Needs the window's context to be current."""
        import pyglet

        self._window = window
        extent = WindowSize.of(window)
        scale *= extent.scale
        small = 0.7 if extent.is_small(scale) else 1.0
        self._em = 16 * scale * small
        fonts = ("DejaVu Sans", "Verdana", "Helvetica")
        texts = (1.7, (255, 255, 255, 255)), (0.85, (170, 184, 200, 255)), (1.0, (235, 240, 245, 255))
        self._labels = [
            pyglet.text.Label(
                "", font_name=fonts, font_size=13 * scale * small * share, anchor_x="center", anchor_y="bottom",
                multiline=True, width=1, align="center", color=colour,
            )
            for share, colour in texts
        ]  # fmt: skip
        thick = max(round(0.45 * self._em), 2)
        self._track = pyglet.shapes.Rectangle(0, 0, 1, thick, color=(48, 54, 62))
        self._bar = pyglet.shapes.Rectangle(0, 0, 1, thick, color=(110, 190, 255))

    def draw(self, share: float, what: str, why: str = "") -> None:
        """Draws one frame; the caller flips."""
        width, height = self._window.get_framebuffer_size()
        em = self._em
        self._window.clear()
        for label, text in zip(self._labels, (TITLE, why, what), strict=True):
            if label.text != text:
                label.text = text
            if label.width != (most := max(round(min(width - 2 * em, 40 * em)), 1)):
                label.width = most  # a path may be longer than the window is wide
        title, reason, step = self._labels
        wide, y = min(width - 4 * em, 30 * em), height // 2
        left = (width - wide) / 2
        self._track.position = self._bar.position = (left, y)
        self._track.width, self._bar.width = max(wide, 1), max(wide * min(share, 1.0), 1)
        step.position = (width // 2, y - em - step.content_height, 0)
        reason.position = (width // 2, y + 1.6 * em, 0)
        title.position = (width // 2, y + (2.4 * em + reason.content_height if why else 1.6 * em), 0)
        self._track.draw()
        self._bar.draw()
        for label in self._labels:
            label.draw()


MEETING_SHARE: Final = 0.6
"""Share of the modules at which the reporting process meets its helper (measured: 15 and 16 of 27)."""
MOST_SHARE: Final = 0.95
"""Highest share while one module is left."""
LEAST_SHARE: Final = 0.08
"""Least share: before it the remaining time cannot be estimated."""
ESTIMATE_STEP_S: Final = 5


def compiled_share(news: WarmProgress, helped: bool) -> float:
    """How much of the compiling is done, 0..1."""
    share = news.done / news.total
    return 1.0 if share >= 1.0 else min(share / MEETING_SHARE if helped else share, MOST_SHARE)


def remaining(share: float, elapsed_s: float) -> str:
    """The remaining time in words, if ``share`` took ``elapsed_s``; empty while it cannot be estimated."""
    if share < LEAST_SHARE or share >= 1.0:
        return ""
    left_s = elapsed_s / share - elapsed_s
    steps = max(1, round(left_s / ESTIMATE_STEP_S))
    return f", about {steps * ESTIMATE_STEP_S} s left" if left_s > ESTIMATE_STEP_S / 2 else ", a few seconds left"


KERNEL_PACKAGES: Final = ("net", "client", "render")
JOINING_MODULE: Final = "client.connection.opening"
DRAWING_MODULE: Final = "render.viewer.app"
REDRAW_S: Final = 1 / 15
"""Enough for a progress line; a software renderer needs its time elsewhere."""
POLL_S: Final = 0.005
SWITCH_INTERVAL_S: Final = 0.001
"""Workers hold the interpreter lock in short turns, so that a frame never waits 5 ms for it (architecture.md 2)."""


class Startup:
    """Window, progress lines, and the run of the viewer; a context manager."""

    def __init__(
        self, source: Source, options: Options, settings: WindowOptions, watchdog: Watchdog | None = None
    ) -> None:
        """Only opens the log of events. Raises OSError: the file for events cannot be written."""
        self._source = source
        # The scene drives the light map with its own workers.
        self._options = replace(options, light=False, past=past_of(settings.settings))
        self._settings = settings
        self._watchdog = watchdog or Watchdog()
        self._undo = ExitStack()
        self._events = EventStream(settings.events)
        self._undo.callback(self._events.close)
        self._loading: Loading | None = None
        self._drawn_s = 0.0
        self._window: Any = None
        self._splash: Splash | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        self._undo.close()

    def run(self) -> int:
        """Goes through all phases; returns an exit code.

        Raises:
            NoDisplay: no window can be opened.
            SourceError: the source cannot be joined.
        """
        self._events.tell("phase", what="started")
        expect_display()
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._undo.callback(gc.enable)
        gc.disable()  # imported objects stay until the end: scanning them repeatedly costs a tenth
        use_cache()
        warm = use_compiled(KERNEL_PACKAGES)
        if warm:
            self._start_server()
        try:
            self._open_window()
            if not warm:
                self._compile()
                self._start_server()
            return self._world()
        except WindowClosed:
            self._watchdog.end(0)
            self._events.tell("closed", code=0)
            return 0
        except BaseException as error:
            if self._loading:  # without a watchdog nothing else ends the process at once
                self._loading.close(WHOLE_S)
            gone = self._window.gone() if self._window else ""
            if gone and isinstance(error, Exception):  # OpenGL fails in any call once the display is gone
                raise NoDisplay(gone) from error
            raise

    def _start_server(self) -> None:
        """The process of our own server, where it is what is shown."""
        if not self._settings.connect:
            self._undo.enter_context(start_ahead(self._source, self._options))

    def _load(self, module: str) -> None:
        self._loading = Loading([module])
        self._undo.callback(self._loading.close)

    def _await_loading(self, what: str) -> None:
        while self._loading and not self._loading.wait(POLL_S):
            self._tell(0.0, what)

    def _open_window(self) -> None:
        source = None if self._settings.connect else self._source
        self._window = open_window(self._settings.size_px, title_of(source))
        self._undo.callback(self._window.close)
        if self._settings.settings.full_screen:
            self._window.set_fullscreen(True)
        self._splash = Splash(self._window, self._settings.settings.scale)
        self._events.tell("phase", what="window")
        self._tell(0.0, "starting")

    def _compile(self) -> None:
        self._events.tell("phase", what="compiling")
        warm_up, begun_s = WarmUp(KERNEL_PACKAGES), time.monotonic()
        try:
            what, share = "compiling kernels", 0.0
            while not warm_up.done:
                for news in warm_up.poll():
                    share = compiled_share(news, warm_up.helped)
                    what = f"compiling kernels: {news.done} of {news.total}"
                what = what if share < 1.0 else "storing compiled kernels"
                self._tell(share, what, WHY, remaining(share, time.monotonic() - begun_s))
                time.sleep(POLL_S)
        finally:
            warm_up.close()
        self._events.tell("phase", what="compiled")
        self._tell(0.0, "starting", at_once=True)

    def _world(self) -> int:
        self._load(JOINING_MODULE)  # not before: it would share the interpreter with the one who opens the window
        self._await_loading("loading the program")
        self._events.tell("phase", what="loaded")
        self._load(DRAWING_MODULE)
        connection = self._choose() if self._settings.connect else self._join()

        from render.viewer.connect.join import OpenConnections

        visit = OpenConnections(connection)
        self._undo.callback(visit.close)
        against = self._load_against(connection)
        self._events.tell("phase", what="joined")
        self._await_loading("loading the renderer")
        self._tell(1.0, "preparing the picture", at_once=True)  # compiling shaders blocks the window for a while

        from render.viewer.app import App

        app = App(self._window, visit.connection, self._settings, self._events, visit, self._watchdog, against)
        try:
            self._events.tell("phase", what="scene")
            gc.freeze()  # permanent objects are not scanned again; collection happens between frames
            app.await_terrain(lambda: self._tell(1.0, "preparing the picture"))
            return app.run()
        finally:
            app.close()

    def _load_against(self, connection: "Connection") -> "Against | None":
        """The world to compare with, as far as a player at the same place sees it."""
        other = self._settings.against
        if other is None:
            return None
        from client.report.diff import load_against

        return load_against(other, connection, lambda share, what: self._tell(share, f"{other.source}: {what}"))

    def _join(self) -> "Connection":
        from client.connection.opening import open_connection
        from render.viewer.connect.join import play
        from render.viewer.connect.sources import plan_of

        plan = plan_of(self._settings, self._options, self._source)
        options = plan.as_before(self._source, self._options)
        connection = open_connection(self._source, options, self._tell)
        play(connection)
        plan.record(connection)
        return connection

    def _choose(self) -> "Connection":
        self._await_loading("loading the renderer")

        from render.viewer.connect.connect_screen import FirstScreen
        from render.viewer.connect.sources import plan_of

        settings, self._splash = self._settings, None
        plan = plan_of(settings, self._options, None)
        screen = FirstScreen(
            self._window, plan, settings.settings.scale, self._events, settings.address, self._watchdog
        )
        try:
            return screen.run()
        finally:
            screen.close()

    def _tell(self, share: float, what: str, why: str = "", left: str = "", at_once: bool = False) -> None:
        """Keeps the window responsive and shows progress, some times a second."""
        now = time.monotonic()
        if self._splash is None or (now - self._drawn_s < REDRAW_S and not at_once):
            return
        self._drawn_s = now
        self._window.switch_to()
        self._window.dispatch_events()
        if self._window.has_exit:
            raise WindowClosed
        self._splash.draw(share, what + left, why)
        self._window.flip()
        self._events.tell("loading", share=round(share, 3), what=what)
