"""The pyglet window: opened once, 4.3 before 3.3, without pyglet's own error checks.

Rules:
1. pyglet is imported inside functions only, wherever: importing its windows without a display raises.
2. ``debug_gl`` is off: moderngl leaves harmless errors behind that pyglet would raise at the next flip.
3. Nothing reads the window's framebuffer; pictures are drawn into an own target and presented.
"""

import os
import sys
from typing import Any

from render.viewer.errors import NoDisplay

VERSIONS = ((4, 3), (3, 3))


def expect_display() -> None:
    """Says early that there is none; that there is one shows only when a window opens.

    Raises:
        NoDisplay: this is an X11 system, and no display is named.
    """
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise NoDisplay("No display to open a window on. `chunkscope shot` takes pictures without one.")


def open_window(size_px: tuple[int, int], title: str) -> Any:
    """A resizable window with a GL context.

    Raises:
        NoDisplay: there is no display, or no GL 3.3 on it.
    """
    import pyglet

    pyglet.options.debug_gl = False
    pyglet.options.shadow_window = False
    try:
        from pyglet.gl import Config, ContextException
        from pyglet.window import Window
    except Exception as error:  # NoSuchDisplayException lives in a module that cannot be imported without a display
        raise NoDisplay(
            f"No display to open a window on ({error}). `chunkscope shot` takes pictures without one."
        ) from error
    trouble: Exception | None = None
    for major, minor in VERSIONS:
        wanted = Config(
            major_version=major,
            minor_version=minor,
            red_size=8,
            green_size=8,
            blue_size=8,
            depth_size=24,
            double_buffer=True,
        )
        try:
            return Window(*size_px, caption=title, resizable=True, vsync=True, config=wanted)
        except ContextException as error:
            trouble = error
        except Exception as error:
            raise NoDisplay(f"The window could not be opened: {error or type(error).__name__}.") from error
    raise NoDisplay(f"This display offers no OpenGL 3.3: {trouble}.")
