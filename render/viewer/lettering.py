"""Text over the picture: lines in the upper left corner, the legend in the lower left one."""

from render.viewer.hud import HudPainter
from render.viewer.legend import LegendPainter, Section


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

    def draw(
        self, lines: list[str], legend: tuple[Section, ...], more: str, size_px: tuple[int, int], taken_px: int
    ) -> None:
        """Draws what there is.

        Args:
            lines: of the upper corner.
            legend: of the overlays that are on.
            more: a line above it.
            size_px: of the framebuffer, which must be bound.
            taken_px: of its top, by a menu.
        """
        if lines:
            self._hud.draw(lines, size_px, taken_px)
        if legend:
            self._legend = self._legend or LegendPainter(self._scale)
            self._legend.draw(legend, more)
