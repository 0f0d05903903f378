"""Puts the connect screen into the window: with imgui where it is there, else as lines of text. Mouse in, clicks out.

It has an imgui context of its own, since panels may have theirs: that of whoever was current is current again after
each call. Everything is made when the screen is first shown and freed when it is left.
"""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from render.gpu import Gpu
from render.panels.connect import Click, ConnectView, as_text
from render.viewer.extent import Extent
from render.viewer.hud import HudPainter

if TYPE_CHECKING:
    from render.panels.host import Host
    from render.passes.panels import PanelsPass

PACKAGE: Final = "imgui_bundle"
LINE_PX: Final = 18
"""Height of a line of plain text at scale 1."""
LETTER_PX: Final = 9
"""Width of its letters, which are all of one."""
WIDEST: Final = 110
"""Letters in a line: rows that are longer part their ends too far from their beginnings."""
EVEN_FONTS: Final = ("DejaVu Sans Mono", "Menlo", "Consolas", "Liberation Mono", "Courier New")
NO_LAYOUT: Final = "[Docking][Data]"


def has_imgui() -> bool:
    """Whether the extra ``ui`` is installed."""
    return importlib.util.find_spec(PACKAGE) is not None


class Painter:
    """Of one window; its context must be current."""

    def __init__(self, gpu: Gpu, scale: float, plain: bool | None = None) -> None:
        """Nothing is made yet.

        Args:
            gpu: of the window.
            scale: of text, times what the system asks for.
            plain: whether text alone is drawn; where imgui is not there unless given.
        """
        self._gpu = gpu
        self._scale = scale
        self._plain = not has_imgui() if plain is None else plain
        self._host: Host | None = None
        self._pass: PanelsPass | None = None
        self._hud: HudPainter | None = None

    def draw(self, view: ConnectView, extent: Extent, now: float, elapsed_s: float) -> list[Click]:
        """Draws over the framebuffer in use; what was clicked."""
        if not extent.shown:
            return []
        scale = self._scale * extent.scale
        if self._plain:
            self._hud = self._hud or HudPainter(scale, EVEN_FONTS)
            wide, high = extent.pixels[0] / (LETTER_PX * scale), extent.pixels[1] / (LINE_PX * scale)
            self._hud.draw(as_text(view, int(high) - 2, min(int(wide) - 5, WIDEST)), extent.whole)
            return []
        with self._current() as (host, panels):
            from render.panels import connect_card

            host.rescale(scale)
            host.begin(extent.pixels, elapsed_s)
            clicks = connect_card.draw(view, now)
            panels.draw(host.end(), extent.pixels)
        return clicks

    def rescale(self, scale: float) -> None:
        """Text of another size from now on."""
        if scale != self._scale:
            self._scale, self._hud = scale, None

    def moved(self, x_px: float, y_px: float) -> None:
        """The mouse is there."""
        if self._host:
            with self._current() as (host, _):
                host.moved(x_px, y_px)

    def button(self, number: int, down: bool) -> None:
        """A button of the mouse."""
        if self._host:
            with self._current() as (host, _):
                host.button(number, down)

    def wheel(self, across: float, up: float) -> None:
        """The wheel."""
        if self._host:
            with self._current() as (host, _):
                host.wheel(across, up)

    def close(self) -> None:
        """Frees everything; may be called again, and drawn again after."""
        self._hud = None
        if self._host is None or self._pass is None:
            return
        from imgui_bundle import imgui, implot

        before, plots = imgui.get_current_context(), implot.get_current_context()
        self._host.make_current()
        ours = imgui.get_current_context()
        self._pass.release()
        self._host.close()
        self._host = self._pass = None
        if before is not None and before is not ours:
            imgui.set_current_context(before)
            implot.set_current_context(plots)

    @contextmanager
    def _current(self) -> Iterator[tuple["Host", "PanelsPass"]]:
        """Our own context, and then whose it was before."""
        from imgui_bundle import imgui, implot

        before: Any = imgui.get_current_context()
        plots: Any = implot.get_current_context()
        if self._host is None or self._pass is None:
            from render.panels.host import Host
            from render.passes.panels import PanelsPass

            self._host = Host(self._scale, NO_LAYOUT)
            self._pass = PanelsPass(self._gpu)
        self._host.make_current()
        try:
            yield self._host, self._pass
        finally:
            if before is not None:
                imgui.set_current_context(before)
                implot.set_current_context(plots)
