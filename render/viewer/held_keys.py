"""Keys that went up where a window could not hear it: while another one had the keyboard, or while it was made anew.

pyglet tells a press from its repetitions by what it believes to be held. A key that was let go elsewhere stays in that
set, so that its next press is taken for a repetition and does nothing; and what it did goes on. So nothing is held once
another window has the keyboard. For a full screen pyglet makes another window, which a slow machine shows after the key
of it has gone up: then what is really held is asked, lest a key that is still down switches back and forth.

Other systems than X11 tell repetitions themselves.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Final

KEYMAP_BYTES: Final = 32
"""A bit for each key."""


def heard_again(window: Any) -> Any:  # Any: a pyglet window
    """The window, which knows what is held when it lost the keyboard or was made anew."""
    display = getattr(window.display, "_display", None)  # a headless window has none
    if not sys.platform.startswith("linux") or display is None:
        return window
    change, dispatch, changed = window.set_fullscreen, window.dispatch_events, False

    def set_fullscreen(*how: Any, **more: Any) -> None:  # Any: as pyglet's
        nonlocal changed
        change(*how, **more)
        changed = True

    def dispatch_events() -> None:
        nonlocal changed
        dispatch()
        if changed:  # pyglet takes a key for held once what it does was done
            changed = False
            let_go(window, held_on(display))

    window.set_fullscreen, window.dispatch_events = set_fullscreen, dispatch_events
    window.on_deactivate = lambda: let_go(window, lambda _symbol: False)
    return window


def let_go(window: Any, held: Callable[[int], bool]) -> None:  # Any: a pyglet window
    """Tells the window of each key that it believes to be held and that is not.

    Args:
        window: with ``pressed_keys``, symbols of keys.
        held: whether the key of a symbol is down.
    """
    for symbol in [symbol for symbol in getattr(window, "pressed_keys", ()) if not held(symbol)]:
        window.pressed_keys.discard(symbol)
        window.dispatch_event("on_key_release", symbol, 0)


def held_on(display: Any) -> Callable[[int], bool]:  # Any: a pointer of pyglet's
    """Which keys are down on an X display at the moment."""
    from pyglet.libs.x11 import xlib

    keys = (ctypes.c_char * KEYMAP_BYTES)()
    xlib.XQueryKeymap(display, keys)

    def held(symbol: int) -> bool:
        code = int(xlib.XKeysymToKeycode(display, symbol))
        return bool(keys.raw[code // 8] >> code % 8 & 1)

    return held
