"""A window that outlives its GL context: when the driver ends one, the window gets another and is drawn anew.

Rules:
1. What is known, and the light made of it, are the CPU's and stay; everything on the GPU is made again of them. View,
   overlays and settings go on; panels are closed.
2. Contexts that end within ``AGAIN_S`` of each other end the program, with the sentence of the last: nothing would be
   drawn for long. So does a context that cannot be made.
"""

import math
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from render.gpu import Gpu
from render.gpu.errors import ContextLost, RenderError
from render.viewer.errors import NoDisplay
from render.viewer.options import ViewerOptions

AGAIN_S: Final = 10.0


class Drawn(Protocol):
    """What runs on one context: an ``App``."""

    def run(self) -> int:
        """Frames until the window is closed; the exit code. Raises ContextLost."""
        ...

    def lost(self) -> ContextLost | None:
        """Whether the context is gone, whatever else was raised: a driver may fail calls before it is asked."""
        ...

    def kept(self, lost: ContextLost) -> ViewerOptions:
        """What the next one begins with."""
        ...

    def close(self) -> None:
        """Frees everything."""
        ...


def run_on(
    make: Callable[[ViewerOptions], Drawn],
    settings: ViewerOptions,
    renew: Callable[[], None],
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Runs one after another, the next where the context of the one before was lost; the exit code of the last.

    Args:
        make: makes everything that draws, on the context that is current.
        settings: of the first.
        renew: puts another context in place of the lost one.
        clock: monotonic seconds.

    Raises:
        ContextLost: again within ``AGAIN_S``, or there is no other context.
    """
    last = -math.inf
    while True:
        drawn = make(settings)
        try:
            return drawn.run()
        except Exception as error:
            lost = error if isinstance(error, ContextLost) else drawn.lost()
            if lost is None:
                raise
            now = clock()
            if now - last < AGAIN_S:
                raise lost from None if lost is error else error
            last, cause = now, lost
            settings = drawn.kept(lost)
        finally:
            drawn.close()
        try:
            renew()
        except NoDisplay as error:
            raise cause from error


def lost_context(gpu: Gpu) -> ContextLost | None:
    """Whether a context is gone."""
    try:
        gpu.check()
    except RenderError as error:
        return error if isinstance(error, ContextLost) else None
    return None


def renew_context(window: Any) -> None:
    """Ends a pyglet window's context and gives it another of the same kind, which shares nothing with it.

    Raises:
        NoDisplay: the driver makes none.
    """
    canvas, old = window.canvas, window.context
    try:
        new = window.config.create_context(None)
        old.destroy()
        window._context = new
        new.attach(canvas)
        window.switch_to()
        window._create_projection()  # pyglet draws text with objects that a window makes once
    except Exception as error:  # each platform has its own
        raise NoDisplay(f"No other OpenGL context could be made: {error or type(error).__name__}.") from error
