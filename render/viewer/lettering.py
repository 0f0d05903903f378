"""Text over the picture: lines in the upper left corner, the legend in the lower left one."""

from typing import Final

from render.overlays.legend import Section
from render.viewer.extent import Area
from render.viewer.hud import HudPainter
from render.viewer.legend import LegendPainter

SMALL_LEGEND: Final = 0.75
"""Of the text's size, and ..."""
SMALL_LEGEND_SHARE: Final = 0.45
"""... of the picture's height, in a small window: what is seen there is the world."""


class Lettering:
    """Of one window; needs its context to be current.

    Attributes:
        scale: text is so many times as large as the screen's own.
    """

    def __init__(self, scale: float) -> None:
        """As the attribute."""
        self.scale = scale
        self._hud = HudPainter(scale)
        self._legend: tuple[bool, LegendPainter] | None = None  # made when it is first shown: the small one, or not

    def rescale(self, scale: float) -> None:
        """Text of another size from now on."""
        if scale != self.scale:
            self.scale, self._hud, self._legend = scale, HudPainter(scale), None

    def draw(self, lines: list[str], legend: tuple[Section, ...], more: str, area: Area, small: bool = False) -> None:
        """Draws what there is.

        Args:
            lines: of the upper corner.
            legend: of the overlays that are on.
            more: a line above it.
            area: of the framebuffer, which must be bound; the lines have it first, the legend what is below them.
            small: whether the legend is to be small.
        """
        most = area.low + int(SMALL_LEGEND_SHARE * (area.high - area.low)) if small else area.high
        if lines:
            area = area._replace(high=self._hud.draw(lines, area))
        if legend:
            if self._legend is None or self._legend[0] != small:
                self._legend = small, LegendPainter(self.scale * (SMALL_LEGEND if small else 1.0))
            self._legend[1].draw(legend, more, area._replace(high=min(area.high, most)))
