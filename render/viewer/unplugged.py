"""A display or a window that goes away, told instead of obeyed: Xlib would end the process on the spot, or not notice.

Rules:
1. Xlib asks two handlers of its own accord: one for the whole process, which hears that a connection broke, and one of
   the display, which by default calls exit(1). Both are ours; neither may raise, so they only note what happened.
2. A request that fails is one request: what Xlib does by default, ending the process, is what nobody who looks at a
   world wants because the program they pasted into was closed meanwhile.
3. A window that another program destroys says so itself, in an event that pyglet does not look at; then nothing on it
   is seen any more, and every request to it fails. pyglet destroys its own for a full screen; that one is left by then.
4. After ``gone`` is told, every call on display or window fails quietly. Who draws asks for it and ends in order.
5. Only X11 is so, and has such handlers only since libX11 1.7; elsewhere nothing is watched.
"""

import ctypes
import ctypes.util
import sys
from typing import Any, Final

WORDS: Final = "The display went away, or cut this window off: what was known and recorded until then is kept."
DESTROYED: Final = "Another program destroyed this window: what was known and recorded until then is kept."


class Plug:
    """Watches the display of one window, and the window.

    Attributes:
        gone: what became of them, a sentence; empty while they are there.
    """

    def __init__(self, window: Any) -> None:  # Any: a pyglet window
        """Watches from now on, where there is anything to watch."""
        self.gone = ""
        self._window = window
        self._kept: list[Any] = []  # handlers that C holds, which must live as long
        display = getattr(window.display, "_display", None)  # a headless window has none
        if sys.platform.startswith("linux") and display is not None:
            self._watch(display)
            self._watch_window()

    def _watch(self, display: Any) -> None:  # Any: a pointer of pyglet's
        name = ctypes.util.find_library("X11")
        library = ctypes.CDLL(name) if name else None
        if library is None or not hasattr(library, "XSetIOErrorExitHandler"):
            return
        broke = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._note)
        failed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(self._let_pass)
        leave = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(self._note)
        self._kept += [broke, failed, leave]
        library.XSetIOErrorHandler.argtypes = [type(broke)]
        library.XSetErrorHandler.argtypes = [type(failed)]
        library.XSetIOErrorExitHandler.argtypes = [ctypes.c_void_p, type(leave), ctypes.c_void_p]
        library.XSetIOErrorHandler(broke)
        library.XSetErrorHandler(failed)
        library.XSetIOErrorExitHandler(ctypes.cast(display, ctypes.c_void_p), leave, None)

    def _watch_window(self) -> None:
        from pyglet.libs.x11 import xlib

        self._window._event_handlers[xlib.DestroyNotify] = self._destroyed

    def _destroyed(self, event: Any) -> None:  # Any: pyglet's XEvent
        if event.xdestroywindow.window == self._window._window:
            self.gone = self.gone or DESTROYED

    def _note(self, *_display: object) -> int:
        self.gone = self.gone or WORDS
        return 0

    @staticmethod
    def _let_pass(*_error: object) -> int:
        return 0
