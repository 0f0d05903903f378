"""Text over the picture: lines in the upper left corner, the legend in the lower left one."""

from render.overlays.legend import Section
from render.viewer.extent import Area
from render.viewer.hud import HudPainter
from render.viewer.legend import LegendPainter


class Lettering:
    """Of one window; needs its context to be current."""

    def __init__(self, scale: float) -> None:
        """Text so many times as large as the screen's own."""
        self._scale = scale
        self._hud = HudPainter(scale)
        self._legend: LegendPainter | None = None  # made when it is first shown

    def rescale(self, scale: float) -> None:
        """Text of another size from now on."""
        if scale != self._scale:
            self._scale, self._hud, self._legend = scale, HudPainter(scale), None

    def draw(self, lines: list[str], legend: tuple[Section, ...], more: str, area: Area) -> None:
        """Draws what there is.

        Args:
            lines: of the upper corner.
            legend: of the overlays that are on.
            more: a line above it.
            area: of the framebuffer, which must be bound; the lines have it first, the legend what is below them.
        """
        if lines:
            area = area._replace(high=self._hud.draw(lines, area))
        if legend:
            self._legend = self._legend or LegendPainter(self._scale)
            self._legend.draw(legend, more, area)
