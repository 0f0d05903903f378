"""The pyglet window: opened once, 4.3 before 3.3, without pyglet's own error checks; and how pictures come onto it.

Rules:
1. pyglet is imported inside functions only, wherever: importing its windows without a display raises.
2. ``debug_gl`` is off: moderngl leaves harmless errors behind that pyglet would raise at the next flip.
3. A display or a window that goes away raises ``NoDisplay`` at the next frame; it is closed without a word to it.
4. Nothing reads the window's framebuffer; pictures are drawn into an own target, as large as what panels leave of the
   window, and presented there.
5. While a window is open, garbage is looked for on its thread alone, by who draws its frames: fonts of pyglet are
   cycles, and one that a worker's collection frees beside one that is loaded breaks FreeType's list of them.
6. pyglet counts the mouse in the window's own units, y up; panels, labels and pictures are in pixels of the
   framebuffer. Where a system scales (HiDPI), one unit is several pixels, or the system asks for larger text, or both:
   ``WindowSize``.
"""

import gc
import os
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from render.viewer.window.x11 import PLAIN_DPI, DisplayWatch, enlarged, heard_again, read_dots, shared
from render.viewer.window_options import NoDisplay

ROOMY_PX: Final = (960, 600)
"""Pixels of the framebuffer, at scale 1: in a smaller one the full HUD and a legend would hide most of the picture."""


class Area(NamedTuple):
    """A part of the framebuffer, in pixels, y up: what panels leave of the picture."""

    left: int
    low: int
    right: int
    high: int

    @property
    def size(self) -> tuple[int, int]:
        return self.right - self.left, self.high - self.low


class WindowSize(msgspec.Struct, frozen=True):
    """The size of a window in both units."""

    window: tuple[int, int]  # width and height in the window's units
    pixels: tuple[int, int]  # width and height of its framebuffer
    scale: float  # the system's factor on text size, in pixels

    @classmethod
    def of(cls, window: Any) -> "WindowSize":  # Any: a pyglet window
        scale = max(window.get_pixel_ratio(), getattr(window, "dpi", PLAIN_DPI) / PLAIN_DPI)
        return cls(tuple(window.get_size()), tuple(window.get_framebuffer_size()), scale)

    @property
    def whole(self) -> Area:
        return Area(0, 0, *self.pixels)

    @property
    def shown(self) -> bool:
        """Whether there is anything to draw to; not while the window is minimised."""
        return 0 not in self.pixels and 0 not in self.window

    def is_small(self, scale: float) -> bool:
        """Whether there is little room for text of this scale."""
        return any(side < scale * roomy for side, roomy in zip(self.pixels, ROOMY_PX, strict=True))

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """A mouse position, y up, in pixels, y down."""
        return (
            x * self.pixels[0] / max(self.window[0], 1),
            self.pixels[1] - y * self.pixels[1] / max(self.window[1], 1),
        )


VERSIONS = ((4, 3), (3, 3))


def expect_display() -> None:
    """Raises NoDisplay if this is an X11 system without a display name."""
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise NoDisplay("No display is available for a window. `chunkscope shot` takes pictures without one.")


def open_window(size_px: tuple[int, int], title: str) -> Any:
    """Creates a resizable window with a GL context; automatic garbage collection is off until it is closed.

    ``size_px``: its size at the plain text size; larger where the system enlarges text (``x11``).

    Raises:
        NoDisplay: there is no display, or no GL 3.3 on it.
    """
    import pyglet

    pyglet.options.debug_gl = False
    pyglet.options.shadow_window = False
    try:
        from pyglet.display import get_display
        from pyglet.gl import Config, ContextException
        from pyglet.window import Window
    except Exception as error:  # NoSuchDisplayException's module cannot be imported without a display
        raise NoDisplay(
            f"No display is available for a window ({error}). `chunkscope shot` takes pictures without one."
        ) from error
    headless = pyglet.options.headless  # has no dpi
    if not headless:
        read_dots(os.environ)
    trouble: Exception | None = None
    for version in VERSIONS:
        try:
            size = size_px if headless else enlarged(size_px, get_display().get_default_screen())
            window = Window(*size, caption=title, resizable=True, vsync=True, config=Config(**buffers(version)))
            return collected_by_hand(plugged(heard_again(shared(window))))
        except ContextException as error:
            trouble = error
        except Exception as error:
            raise NoDisplay(unopened(error)) from error
    raise NoDisplay(
        f"The display {os.environ.get('DISPLAY', '')} does not offer OpenGL 3.3, which is common for "
        f"remote displays: {trouble}. `chunkscope shot` takes pictures without a display."
    )


def buffers(version: tuple[int, int]) -> dict[str, int | bool]:
    """Required properties of a window's context, in pyglet's names."""
    sizes = {"red_size": 8, "green_size": 8, "blue_size": 8, "depth_size": 24}
    return {"major_version": version[0], "minor_version": version[1], **sizes, "double_buffer": True}


def title_of(source: object) -> str:
    """The title of a window that shows a source; without one, only the program's name."""
    return f"chunkscope · {source}" if source else "chunkscope"


def unopened(error: Exception) -> str:
    """Why a window could not be created, in a sentence; pyglet's own messages are short or empty."""
    display = os.environ.get("DISPLAY", "this display")
    match type(error).__name__:
        case "NoSuchDisplayException":
            return f"The display {display} does not answer. `chunkscope shot` takes pictures without one."
        case "NoSuchConfigException" | "MissingFunctionException" | "AssertionError":
            return f"The display {display} does not offer OpenGL (GLX). `chunkscope shot` takes pictures without one."
        case name:
            return f"The window could not be opened on {display}: {str(error).rstrip('.') or name}."


def plugged(window: Any) -> Any:  # Any: a pyglet window
    """Makes the window's ``dispatch_events``, ``flip`` and ``close`` handle a lost display or window; returns it.

    Its ``gone`` returns a sentence about the loss; empty while both exist.
    """
    plug = DisplayWatch(window)

    def heedful(act: Callable[[], None]) -> Callable[[], None]:
        def heeding() -> None:
            if not plug.gone:
                act()
            if plug.gone:
                raise NoDisplay(plug.gone)

        return heeding

    close = window.close

    def closing() -> None:
        if plug.answers():
            window._mapped = False  # else pyglet waits for the display, which crashes if that is lost meanwhile
            close()

    window.dispatch_events, window.flip = heedful(window.dispatch_events), heedful(window.flip)
    window.close, window.gone = closing, lambda: plug.gone
    return window


def collected_by_hand(window: Any) -> Any:  # Any: a pyglet window
    """Switches automatic garbage collection off until the window is closed; returns the window."""
    close, did = window.close, gc.isenabled()

    def closing() -> None:
        close()
        if did:
            gc.enable()

    gc.disable()
    window.close = closing
    return window
