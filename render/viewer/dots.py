"""How large a system wants text on X11, in dots an inch: 96 is as drawn, 192 twice as large. Others tell pyglet itself.

Desktops say it in the display's resource ``Xft.dpi``. pyglet reads that as a whole number alone, and ends with a
ValueError where somebody wrote ``120.0``. Where nothing is said there, ``GDK_SCALE`` counts, which people set by hand.
"""

import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from render.viewer.extent import PLAIN_DPI

RESOURCE: Final = re.compile(r"^\s*Xft[.*]dpi\s*:\s*([0-9]+(?:\.[0-9]+)?)\s*$", re.MULTILINE)
LEAST: Final = 0.5
MOST: Final = 4.0
"""Times as drawn: beyond them nothing could be read, or nothing would fit."""


def dots_of(resources: str, environment: Mapping[str, str]) -> int:
    """What a system asks for, in dots an inch.

    Args:
        resources: of the display, a line each.
        environment: variables.
    """
    named = RESOURCE.search(resources)
    scale = environment.get("GDK_SCALE", "")
    asked = float(named[1]) / PLAIN_DPI if named else float(scale) if scale.isdecimal() else 1.0
    return round(PLAIN_DPI * min(max(asked, LEAST), MOST))


def read_dots(environment: Mapping[str, str]) -> None:
    """Screens of X11 say so from now on, when pyglet asks them."""
    if not sys.platform.startswith("linux"):
        return
    from pyglet.display.xlib import XlibScreen
    from pyglet.libs.x11 import xlib

    def get_dpi(screen: Any) -> int:  # Any: pyglet's
        text = xlib.XResourceManagerString(screen.display._display)
        return dots_of(bytes(text or b"").decode("utf-8", "replace"), environment)

    XlibScreen.get_dpi = get_dpi


def enlarged(size_px: tuple[int, int], screen: Any) -> tuple[int, int]:  # Any: a pyglet screen
    """The size of a window that shall be so large where text is as drawn; never larger than the screen for that.

    A window of macOS is measured in what it scales itself.
    """
    if sys.platform == "darwin":
        return size_px
    scale = screen.get_dpi() / PLAIN_DPI
    wide, high = (
        max(side, min(round(side * scale), most))
        for side, most in zip(size_px, (screen.width, screen.height), strict=True)
    )
    return (wide, high) if scale > 1 else size_px
