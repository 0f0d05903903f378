"""The overlays ``xray-*``: legends of what ``render.passes.xray`` draws. Colours are those of ``shaders/xray.frag``."""

from typing import Final

from render.overlays.channels import filled
from render.overlays.marks import LegendRow
from render.passes.state_styles import Hatch, Line, Style

PLACEHOLDER: Final = Style("no data, in plain sight", (0.90, 0.62, 0.0), Line.THIN, Hatch.DIAGONAL, 1.0, 0.4)
BEHIND: Final = Style("no data behind terrain (fainter)", (0.62, 0.55, 0.30), Line.THIN, Hatch.DIAGONAL, 0.5, 0.2)

ROWS: Final = {
    "xray-placeholder": (LegendRow(PLACEHOLDER, None), LegendRow(BEHIND, None)),
    "xray-air": (
        filled("walls of hidden air in daylight", (87, 181, 232)),
        filled("walls of hidden air in the dark", (107, 56, 184)),
        filled("lamps tint them in their colour", (255, 180, 90)),
    ),
}
"""By overlay."""
