"""A display that goes away while a window is on it, told instead of obeyed: Xlib would end the process on the spot.

Rules:
1. Xlib asks two handlers of its own accord: one for the whole process, which hears that a connection broke, and one of
   the display, which by default calls exit(1). Both are ours; neither may raise, so they only note what happened.
2. After that every call on the display fails quietly. Who draws asks ``gone`` and ends in order.
3. Only X11 has such handlers, and only since libX11 1.7; elsewhere nothing is watched.
"""

import ctypes
import ctypes.util
import sys
from typing import Any, Final

WORDS: Final = "The display went away: the window is closed. What was known and recorded until then is kept."


class Plug:
    """Watches the display of one window.

    Attributes:
        gone: whether it went away.
    """

    def __init__(self, window: Any) -> None:  # Any: a pyglet window
        """Watches from now on, where there is anything to watch."""
        self.gone = False
        self._kept: list[Any] = []  # handlers that C holds, which must live as long
        display = getattr(window.display, "_display", None)  # a headless window has none
        if sys.platform.startswith("linux") and display is not None:
            self._watch(display)

    def _watch(self, display: Any) -> None:  # Any: a pointer of pyglet's
        name = ctypes.util.find_library("X11")
        library = ctypes.CDLL(name) if name else None
        if library is None or not hasattr(library, "XSetIOErrorExitHandler"):
            return
        broke = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._note)
        leave = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(self._note)
        self._kept += [broke, leave]
        library.XSetIOErrorHandler.argtypes = [type(broke)]
        library.XSetIOErrorExitHandler.argtypes = [ctypes.c_void_p, type(leave), ctypes.c_void_p]
        library.XSetIOErrorHandler(broke)
        library.XSetIOErrorExitHandler(ctypes.cast(display, ctypes.c_void_p), leave, None)

    def _note(self, *_display: object) -> int:
        self.gone = True
        return 0
