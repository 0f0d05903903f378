"""The clipboard of X11, where who copied must answer each program that pastes.

pyglet's loop hears such questions, its ``dispatch_events``, which windows with a loop of their own call, does not: what
was copied was never pasted anywhere, and who asked waited in vain. Nor did it hear that another program has copied
since, so that pasting gave what the window itself had copied.

Its answer gives as many bytes as the text has characters, which cuts all that is not ASCII; ours gives the whole text,
also to programs that ask for it by its media type, and says so to those that ask what there is (ICCCM, 2.6.2).

Other systems keep a copy themselves.
"""

import ctypes
import sys
from functools import partial
from typing import Any, Final

XA_ATOM: Final = 4
"""An atom that every display has (Xatom.h)."""
NAMES: Final = (b"UTF8_STRING", b"text/plain;charset=utf-8")
"""What programs ask for who want a text."""


def shared(window: Any) -> Any:  # Any: a pyglet window
    """The window, whose ``dispatch_events`` also answers who pastes, and hears who copies."""
    display = getattr(window.display, "_display", None)  # a headless window has none
    if not sys.platform.startswith("linux") or display is None:
        return window
    from pyglet.libs.x11 import xlib

    dispatch, event = window.dispatch_events, xlib.XEvent()
    window._event_handlers[xlib.SelectionRequest] = partial(answer, window, display)

    def dispatch_events() -> None:
        dispatch()
        for kind in (xlib.SelectionRequest, xlib.SelectionClear):
            while xlib.XCheckTypedWindowEvent(display, window._window, kind, ctypes.byref(event)):
                window.dispatch_platform_event(event)

    window.dispatch_events = dispatch_events
    return window


def answer(window: Any, display: Any, event: Any) -> None:  # Any: pyglet's window, its pointer, its XEvent
    """Gives who asked what was copied, or tells them that there is nothing of the kind."""
    from pyglet.libs.x11 import xlib

    asked = event.xselectionrequest
    where = asked.property or asked.target  # those who name none are of before ICCCM
    targets, *texts = (xlib.XInternAtom(display, name, False) for name in (b"TARGETS", *NAMES))
    put = partial(xlib.XChangeProperty, display, asked.requestor, where)
    copied = window._clipboard_str
    if copied is None or asked.selection != xlib.XInternAtom(display, b"CLIPBOARD", False):
        where = 0
    elif asked.target == targets:
        atoms = (xlib.Atom * (1 + len(texts)))(targets, *texts)
        put(XA_ATOM, 32, xlib.PropModeReplace, ctypes.cast(atoms, ctypes.POINTER(ctypes.c_ubyte)), len(atoms))
    elif asked.target in texts:
        content = copied.encode()
        put(asked.target, 8, xlib.PropModeReplace, (ctypes.c_ubyte * len(content))(*content), len(content))
    else:
        where = 0
    told = xlib.XEvent()
    told.xselection.type = xlib.SelectionNotify
    told.xselection.requestor, told.xselection.selection = asked.requestor, asked.selection
    told.xselection.target, told.xselection.property, told.xselection.time = asked.target, where, asked.time
    xlib.XSendEvent(display, asked.requestor, 0, 0, ctypes.byref(told))
    xlib.XFlush(display)
