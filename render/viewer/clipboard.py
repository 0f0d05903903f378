"""The clipboard of X11, where who copied must answer each program that pastes.

pyglet's loop hears such questions, its ``dispatch_events``, which windows with a loop of their own call, does not: what
was copied was never pasted anywhere, and who asked waited in vain. Nor did it hear that another program has copied
since, so that pasting gave what the window itself had copied.

Other systems keep a copy themselves.
"""

import ctypes
import sys
from typing import Any


def shared(window: Any) -> Any:  # Any: a pyglet window
    """The window, whose ``dispatch_events`` also answers who pastes, and hears who copies."""
    display = getattr(window.display, "_display", None)  # a headless window has none
    if not sys.platform.startswith("linux") or display is None:
        return window
    from pyglet.libs.x11 import xlib

    dispatch, event = window.dispatch_events, xlib.XEvent()

    def dispatch_events() -> None:
        dispatch()
        for kind in (xlib.SelectionRequest, xlib.SelectionClear):
            while xlib.XCheckTypedWindowEvent(display, window._window, kind, ctypes.byref(event)):
                window.dispatch_platform_event(event)

    window.dispatch_events = dispatch_events
    return window
