"""The connect screen before there is a world: a loop of its own, until something has joined or the window is closed."""

import gc
import time
from typing import Any, Final

import moderngl

from client.connection.connection import Connection
from render.gpu import Gpu
from render.viewer.connect.connect_screen import ConnectDialog
from render.viewer.connect.join import play
from render.viewer.connect.plan import ConnectPlan
from render.viewer.display.interface import Interface
from render.viewer.event_stream import EventStream
from render.viewer.options import WindowClosed
from render.viewer.watchdog import Watchdog
from render.viewer.window.window import WindowSize

FRAME_S: Final = 1 / 30
"""Nothing moves here but a caret."""
BEHIND: Final = (0.03, 0.04, 0.06)


class FirstScreen:
    """Of one window."""

    def __init__(
        self,
        window: Any,
        plan: ConnectPlan,
        scale: float,
        events: EventStream,
        text: str = "",
        watchdog: Watchdog | None = None,
    ) -> None:
        """Opens it; the window's context is current on this thread."""
        self._watchdog = watchdog or Watchdog()
        self._window = window
        self._events = events
        self._gpu = Gpu(moderngl.create_context(require=330), owned=True)
        self._interface = Interface(self._gpu, scale)
        self.lobby = ConnectDialog(window, self._interface, plan, events, lambda _key: True)
        self.lobby.listen()
        self.lobby.open(text)
        self._last = time.monotonic()

    def run(self) -> Connection:
        """Frames until something has joined. Raises WindowClosed: before that."""
        try:
            while True:
                start = time.monotonic()
                self._watchdog.step()
                connection = self.frame(start)
                if connection is not None:
                    return connection
                time.sleep(max(0.0, FRAME_S - (time.monotonic() - start)))
        finally:
            self._watchdog.rest()

    def frame(self, now: float) -> Connection | None:
        """One frame; what has joined."""
        self._window.switch_to()
        self._window.dispatch_events()
        if self._window.has_exit:
            raise WindowClosed
        connection = self.lobby.frame(now)
        extent = WindowSize.of(self._window)
        screen = self._gpu.ctx.screen
        screen.use()
        screen.viewport = (0, 0, *extent.pixels)
        screen.clear(*BEHIND)
        self.lobby.draw(extent, now, now - self._last)
        self._window.flip()
        self._events.shown()
        self._last = now
        if connection is not None:
            play(connection)
        gc.collect(0)  # nothing else does while a window is open
        return connection

    def close(self) -> None:
        """Frees everything; the window stays."""
        self._window.pop_handlers()
        self.lobby.release()
        self._interface.close()
        self._gpu.release()
