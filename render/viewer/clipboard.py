"""The clipboard of X11, where who copied must answer each program that pastes.

pyglet's loop hears such questions, its ``dispatch_events``, which windows with a loop of their own call, does not: what
was copied was never pasted anywhere, and who asked waited in vain. Nor did it hear that another program has copied
since, so that pasting gave what the window itself had copied.

Its answer gives as many bytes as the text has characters, which cuts all that is not ASCII; ours gives the whole text,
also to programs that ask for it by its media type, and says so to those that ask what there is (ICCCM, 2.6.2).

Its question waits for its answer without end, and who copied may hang: ours waits for a moment.

Other systems keep a copy themselves.
"""

import ctypes
import select
import sys
import time
from functools import partial
from typing import Any, Final

XA_ATOM: Final = 4
"""An atom that every display has (Xatom.h)."""
NAMES: Final = (b"UTF8_STRING", b"text/plain;charset=utf-8")
"""What programs ask for who want a text."""
MOST_WORDS: Final = (1 << 31) - 1
"""Of four bytes: all of a text, however long it is."""
PATIENCE_S: Final = 1.0
"""How long the window stands still at most for who copied; programs answer in milliseconds."""


def shared(window: Any) -> Any:  # Any: a pyglet window
    """The window, which also answers who pastes, hears who copies, and asks them no longer than a moment."""
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
    window.get_clipboard_text = partial(ask, window, display)
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


def ask(window: Any, display: Any, patience_s: float = PATIENCE_S) -> str:  # Any: as for ``answer``
    """What another program copied as a text, or the window itself; empty where it is none, or longer than one message.

    Raises:
        TimeoutError: who copied does not answer.
    """
    from pyglet.libs.x11 import xlib

    clipboard, text = (xlib.XInternAtom(display, name, False) for name in (b"CLIPBOARD", NAMES[0]))
    if window._clipboard_str is not None or not xlib.XGetSelectionOwner(display, clipboard):
        return window._clipboard_str or ""
    told, until = xlib.XEvent(), time.monotonic() + patience_s
    heard = partial(
        xlib.XCheckTypedWindowEvent, display, window._window, xlib.SelectionNotify, ctypes.byref(told)
    )  # sends what waits, and reads all that came
    while heard():
        pass  # an answer that came too late
    xlib.XConvertSelection(display, clipboard, text, clipboard, window._window, xlib.CurrentTime)
    while not heard():
        if (left_s := until - time.monotonic()) <= 0:
            raise TimeoutError("the program that copied does not answer")
        select.select([xlib.XConnectionNumber(display)], [], [], left_s)
    return _given(display, window._window, clipboard, text).decode() if told.xselection.property else ""


def _given(display: Any, window: int, name: int, text: int) -> bytes:  # Any: as for ``answer``
    """What was put there for a window, which is taken away; nothing where that is no text."""
    from pyglet.libs.x11 import xlib

    kind, bits, size, left = xlib.Atom(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong()
    content = ctypes.POINTER(ctypes.c_ubyte)()
    found = (ctypes.byref(each) for each in (kind, bits, size, left, content))
    xlib.XGetWindowProperty(display, window, name, 0, MOST_WORDS, True, text, *found)
    given = ctypes.string_at(content, size.value) if kind.value == text else b""
    if content:
        xlib.XFree(content)
    return given
