"""What imgui draws over the picture beside the panels: HUD and lists, the legend, the banner, the connect screen.

It has an imgui context of its own, since panels have theirs with its layout. Each call restores the context that was
current before.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from imgui_bundle import imgui, implot

from render.gpu import Gpu
from render.panels import connect_card, hud_card
from render.panels.connect import Click, ConnectView
from render.panels.hud import HudArea, HudView
from render.panels.imgui_host import ImguiHost
from render.panels.swatch import Swatches
from render.passes.imgui import PanelsPass
from render.viewer.window.window import Area, WindowSize

NO_LAYOUT: Final = "[Docking][Data]"


class Interface:
    """The interface of one window; its context must be current."""

    def __init__(self, gpu: Gpu, scale: float) -> None:
        self._gpu = gpu
        self._scale = scale
        self._made: tuple[ImguiHost, PanelsPass, Swatches] | None = None
        self._shown: tuple[HudView, Area, WindowSize, float] | None = None
        self._left: Area | None = None  # of the area, by what is shown

    def draw_hud(self, view: HudView, area: Area, extent: WindowSize, elapsed_s: float) -> Area:
        """Draws the HUD in an area of the framebuffer in use, rebuilt if it changed; returns the area left."""
        now = view, area, extent, self._scale
        drawn = view.lines, view.legend, view.banner, view.keys, view.table
        if not extent.shown or not (any(drawn) or view.recorded is not None):
            return area
        if now == self._shown and self._made and self._left:
            self._made[1].draw_again(extent.pixels)
            return self._left
        with self._current() as (host, panels, swatches):

            def list_it() -> None:
                high = extent.pixels[1]
                free = HudArea(area.left, high - area.high, area.right, high - area.low)
                left = hud_card.draw(view, free, host.scale, lambda style: swatches.of(style, panels.picture))
                self._left = Area(int(left.left), int(high - left.bottom), int(left.right), int(high - left.top))

            self._draw(list_it, extent, elapsed_s)
        self._shown = now
        return self._left or area

    def draw_connect(self, view: ConnectView, extent: WindowSize, now: float, elapsed_s: float) -> list[Click]:
        """Draws the connect screen over the framebuffer in use; returns the clicks."""
        if not extent.shown:
            return []
        clicks: list[Click] = []
        self._shown = None
        with self._current():
            self._draw(lambda: clicks.extend(connect_card.draw(view, now)), extent, elapsed_s)
        return clicks

    def _draw(self, list_it: Callable[[], None], extent: WindowSize, elapsed_s: float) -> None:
        assert self._made
        host, panels, _ = self._made
        host.rescale(self._scale * extent.scale)
        host.begin(extent.pixels, elapsed_s)
        list_it()
        panels.draw(host.end(), extent.pixels)

    def rescale(self, scale: float) -> None:
        self._scale = scale

    def hand(self, event: Callable[[ImguiHost], None]) -> None:
        """Gives an event of the mouse to what is drawn, if anything was."""
        if self._made:
            with self._current() as (host, _, _):
                event(host)

    def close(self) -> None:
        """Frees everything; may be called again, and drawn again after."""
        self._shown = None
        if self._made is None:
            return
        with self._current() as (host, panels, _):
            panels.release()
        host.close()  # not earlier: this context may be the current one, and imgui would use freed memory
        self._made = None

    @contextmanager
    def _current(self) -> Iterator[tuple[ImguiHost, PanelsPass, Swatches]]:
        """Makes our own context current, and restores the previous one afterwards."""
        before: Any = imgui.get_current_context()
        plots: Any = implot.get_current_context()
        if self._made is None:
            self._made = ImguiHost(self._scale, NO_LAYOUT), PanelsPass(self._gpu), Swatches()
        self._made[0].make_current()
        try:
            yield self._made
        finally:
            if before is not None:
                imgui.set_current_context(before)
                implot.set_current_context(plots)
