"""What pyglet lacks on X11: clipboard, text size, keys released elsewhere, a lost display.

Clipboard. The program that copied must answer each program that pastes. pyglet's ``dispatch_events`` ignores such
requests, and does not notice that another program has copied since; its answer has as many bytes as the text has
characters, which cuts all text that is not ASCII; its own request waits without limit. This module handles the
requests, sends the whole text, also by its media type, lists the available forms (ICCCM, 2.6.2), and waits for a
limited time. Other systems keep a copy themselves.

Text size, in dots an inch: 96 is the plain size. Desktops set it in the display's resource ``Xft.dpi``, which pyglet
reads only as an integer, with a ValueError for ``120.0``. Without the resource ``GDK_SCALE`` is used, which users set
by hand.

Held keys. pyglet distinguishes a press from its repetitions by its own set of held keys. A key released elsewhere stays
in that set, so that its next press is ignored and its effect continues. So all keys are released when another window
gets the keyboard. For a full screen pyglet creates another window, which a slow machine shows after the key was
released: then the keys really held are queried, so that a key that is still down does not switch back and forth.

Lost display. The loss of display or window is reported; Xlib would end the process at once, or not notice.
1. Xlib has two handlers: one for the whole process, called when a connection breaks, and one of the display, which by
   default calls exit(1). Both are replaced; neither may raise, so they only record the loss.
2. A failed request is ignored: the process must not end because the program it pasted into was closed.
3. A window destroyed by another program sends an event that pyglet ignores; afterwards every request to it fails.
   pyglet destroys its own window for a full screen, but has left it by then.
4. Once ``gone`` is set, every call on display or window fails quietly. The drawing code checks it and ends in order.
5. Only X11 needs this, and has such handlers only since libX11 1.7; elsewhere nothing is watched.
"""

import ctypes
import ctypes.util
import re
import select
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

PLAIN_DPI: Final = 96
"""A system's dpi for the plain text size."""

# ---------------------------------------------------------------- clipboard

XA_ATOM: Final = 4
"""An atom that every display has (Xatom.h)."""
NAMES: Final = (b"UTF8_STRING", b"text/plain;charset=utf-8")
"""Forms that programs request for a text."""
MOST_WORDS: Final = (1 << 31) - 1
"""Of four bytes: the whole text, however long it is."""
TIMEOUT_S: Final = 1.0
"""How long the window waits at most for the program that copied; programs answer in milliseconds."""


def x_display(window: Any) -> Any:  # Any: a pyglet window, and its pointer
    """The X display of a window; None for one that has none, as on other systems and without a display."""
    return getattr(window.display, "_display", None) if sys.platform.startswith("linux") else None


def shared(window: Any) -> Any:  # Any: a pyglet window
    """Makes the window answer paste requests and notice other copies; returns the window.

    Its own requests have a time limit.
    """
    if (display := x_display(window)) is None:
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
    """Sends the copied text to the requesting program, or tells it that there is no such form."""
    from pyglet.libs.x11 import xlib

    asked = event.xselectionrequest
    where = asked.property or asked.target  # programs from before ICCCM name no property
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


def ask(window: Any, display: Any, timeout_s: float = TIMEOUT_S) -> str:  # Any: as for ``answer``
    """The clipboard's text; empty if it is not a text, or too long. Raises TimeoutError: no answer."""
    from pyglet.libs.x11 import xlib

    clipboard, text = (xlib.XInternAtom(display, name, False) for name in (b"CLIPBOARD", NAMES[0]))
    if window._clipboard_str is not None or not xlib.XGetSelectionOwner(display, clipboard):
        return window._clipboard_str or ""
    told, until = xlib.XEvent(), time.monotonic() + timeout_s
    heard = partial(
        xlib.XCheckTypedWindowEvent, display, window._window, xlib.SelectionNotify, ctypes.byref(told)
    )  # sends waiting requests, and reads everything that came
    while heard():
        pass  # a late answer
    xlib.XConvertSelection(display, clipboard, text, clipboard, window._window, xlib.CurrentTime)
    while not heard():
        if (left_s := until - time.monotonic()) <= 0:
            raise TimeoutError("the program that owns the clipboard does not answer")
        select.select([xlib.XConnectionNumber(display)], [], [], left_s)
    return _given(display, window._window, clipboard, text).decode() if told.xselection.property else ""


def _given(display: Any, window: int, name: int, text: int) -> bytes:  # Any: as for ``answer``
    """Reads and deletes a property of a window; empty if it is not a text."""
    from pyglet.libs.x11 import xlib

    kind, bits, size, left = xlib.Atom(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong()
    content = ctypes.POINTER(ctypes.c_ubyte)()
    found = (ctypes.byref(each) for each in (kind, bits, size, left, content))
    xlib.XGetWindowProperty(display, window, name, 0, MOST_WORDS, True, text, *found)
    given = ctypes.string_at(content, size.value) if kind.value == text else b""
    if content:
        xlib.XFree(content)
    return given


# ---------------------------------------------------------------- dots

RESOURCE: Final = re.compile(r"^\s*Xft[.*]dpi\s*:\s*([0-9]+(?:\.[0-9]+)?)\s*$", re.MULTILINE)
LEAST: Final = 0.5
MOST: Final = 4.0
"""Largest factor on the plain size: beyond it nothing would fit."""


def dots_of(resources: str, environment: Mapping[str, str]) -> int:
    """The system's text size, in dots an inch. ``resources``: of the display, a line each."""
    named = RESOURCE.search(resources)
    scale = environment.get("GDK_SCALE", "")
    asked = float(named[1]) / PLAIN_DPI if named else float(scale) if scale.isdecimal() else 1.0
    return round(PLAIN_DPI * min(max(asked, LEAST), MOST))


def read_dots(environment: Mapping[str, str]) -> None:
    """Makes pyglet's X11 screens return this text size."""
    if not sys.platform.startswith("linux"):
        return
    from pyglet.display.xlib import XlibScreen
    from pyglet.libs.x11 import xlib

    def get_dpi(screen: Any) -> int:  # Any: pyglet's
        text = xlib.XResourceManagerString(screen.display._display)
        return dots_of(bytes(text or b"").decode("utf-8", "replace"), environment)

    XlibScreen.get_dpi = get_dpi


def enlarged(size_px: tuple[int, int], screen: Any) -> tuple[int, int]:  # Any: a pyglet screen
    """A window's size scaled by the text size, limited to the screen; macOS scales its own units."""
    if sys.platform == "darwin":
        return size_px
    scale = screen.get_dpi() / PLAIN_DPI
    wide, high = (
        max(side, min(round(side * scale), most))
        for side, most in zip(size_px, (screen.width, screen.height), strict=True)
    )
    return (wide, high) if scale > 1 else size_px


# ---------------------------------------------------------------- held keys

KEYMAP_BYTES: Final = 32
"""One bit for each key."""


def heard_again(window: Any) -> Any:  # Any: a pyglet window
    """Makes the window release keys when it loses the keyboard or is recreated; returns it."""
    if (display := x_display(window)) is None:
        return window
    change, dispatch, changed = window.set_fullscreen, window.dispatch_events, False

    def set_fullscreen(*how: Any, **more: Any) -> None:  # Any: as pyglet's
        nonlocal changed
        change(*how, **more)
        changed = True

    def dispatch_events() -> None:
        nonlocal changed
        dispatch()
        if changed:  # pyglet records a key as held only after its handlers ran
            changed = False
            let_go(window, held_on(display))

    window.set_fullscreen, window.dispatch_events = set_fullscreen, dispatch_events
    window.on_deactivate = lambda: let_go(window, lambda _symbol: False)
    return window


def let_go(window: Any, held: Callable[[int], bool]) -> None:  # Any: a pyglet window
    """Sends the window a release for each key that it records as held and whose symbol is not ``held``."""
    for symbol in [symbol for symbol in getattr(window, "pressed_keys", ()) if not held(symbol)]:
        window.pressed_keys.discard(symbol)
        window.dispatch_event("on_key_release", symbol, 0)


def held_on(display: Any) -> Callable[[int], bool]:  # Any: a pointer of pyglet's
    """Returns a function that tells whether a key is down on an X display now."""
    from pyglet.libs.x11 import xlib

    keys = (ctypes.c_char * KEYMAP_BYTES)()
    xlib.XQueryKeymap(display, keys)

    def held(symbol: int) -> bool:
        code = int(xlib.XKeysymToKeycode(display, symbol))
        return bool(keys.raw[code // 8] >> code % 8 & 1)

    return held


WORDS: Final = "The display disappeared or disconnected this window: everything recorded until then is kept."
DESTROYED: Final = "Another program closed this window: everything recorded until then is kept."


class DisplayWatch:
    """Watches the display of one window, and the window."""

    def __init__(self, window: Any) -> None:  # Any: a pyglet window
        """Watches from now on, if this system needs it."""
        self.gone = ""  # what was lost, a sentence; empty while both exist
        self._window = window
        self._kept: list[Any] = []  # handlers that C code references; must not be freed before
        self._display = x_display(window)
        if self._display is not None:
            from pyglet.libs.x11 import xlib

            self._watch(self._display)
            window._event_handlers[xlib.DestroyNotify] = self._destroyed

    def answers(self) -> bool:
        """Whether display and window exist now."""
        if not self.gone and self._display is not None:
            from pyglet.libs.x11 import xlib

            xlib.XSync(self._display, False)  # sets ``gone`` if the display is lost; does not hang
        return not self.gone

    def _watch(self, display: Any) -> None:  # Any: a pointer of pyglet's
        name = ctypes.util.find_library("X11")
        library = ctypes.CDLL(name) if name else None
        if library is None or not hasattr(library, "XSetIOErrorExitHandler"):
            return
        broke = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._record)
        failed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(self._let_pass)
        leave = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(self._record)
        self._kept += [broke, failed, leave]
        library.XSetIOErrorHandler.argtypes = [type(broke)]
        library.XSetErrorHandler.argtypes = [type(failed)]
        library.XSetIOErrorExitHandler.argtypes = [ctypes.c_void_p, type(leave), ctypes.c_void_p]
        library.XSetIOErrorHandler(broke)
        library.XSetErrorHandler(failed)
        library.XSetIOErrorExitHandler(ctypes.cast(display, ctypes.c_void_p), leave, None)

    def _destroyed(self, event: Any) -> None:  # Any: pyglet's XEvent
        if event.xdestroywindow.window == self._window._window:
            self.gone = self.gone or DESTROYED

    def _record(self, *_display: object) -> int:
        self.gone = self.gone or WORDS
        return 0

    @staticmethod
    def _let_pass(*_error: object) -> int:
        return 0
