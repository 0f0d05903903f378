"""Small pictures of outlines and hatches, for legends.

They repeat ``shaders/boxes.frag`` for one flat side of a box, 16 units wide, at their display size. At that size a side
would be a thin line and a few faint dots, so outlines and hatches are heavier here than in the world, on a contrasting
plate.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from render.passes.overlay.boxes import Hatch, Outline, Style

SWATCH_PX: Final = 22
BLOCKS: Final = 16.0
"""A box's side in the shader's units."""
PLATE: Final = (46, 52, 60)
LIGHT_PLATE: Final = (176, 182, 190)
"""Background of colours that are darker than ``DEEP``."""
DEEP: Final = 0.4
LUMA: Final = (0.299, 0.587, 0.114)
LEAST_STRENGTH: Final = 0.7
"""Least strength of a hatch: in the world it covers many pixels, here a few."""
LEAST_FILL: Final = 0.3
"""Least strength of a fill, if there is any."""
OUTLINE_UNITS: Final = {
    Outline.NONE: 0.0,
    Outline.THIN: 1.45,
    Outline.HEAVY: 2.2,
    Outline.DOTTED: 1.5,
    Outline.CORNERS: 2.2,
}
CORNER_UNITS: Final = 5.0
DASH_UNITS: Final = 4.0
"""Distance of the dots of a dotted outline."""
HATCH_UNITS: Final = 1.1
RING_UNITS: Final = 4.5
"""Radius of the ring."""
DOT_UNITS: Final = 1.8
RIM: Final = (120, 128, 138)
"""Edge of dark swatches without an outline, which would be invisible on the dark panel."""
DARK: Final = 0.35
Swatch = npt.NDArray[np.uint8]
"""[side, side, 4] RGBA, row 0 at the top."""


def swatch(style: Style, side_px: int = SWATCH_PX) -> Swatch:
    unit = BLOCKS / side_px
    centre = (np.arange(side_px) + 0.5) * unit
    x, y = np.meshgrid(centre, centre[::-1])
    hatched = _hatching(style.hatch, x, y, unit) * max(style.strength, LEAST_STRENGTH)
    fill = max(style.fill, LEAST_FILL) if style.fill else 0.0
    cover = np.maximum(np.maximum(_outline(style.line, x, y, unit), hatched), fill)
    if style.ring:
        cover = np.maximum(cover, np.abs(np.hypot(x - BLOCKS / 2, y - BLOCKS / 2) - RING_UNITS) < HATCH_UNITS)
    cover = cover[..., None]
    paint = np.array(plate_of(style)) * (1.0 - cover) + np.array(style.colour) * 255.0 * cover
    picture = np.full((side_px, side_px, 4), 255, np.uint8)
    picture[..., :3] = np.rint(paint)
    if style.line is Outline.NONE and max(style.colour) < DARK:
        inner = picture[1:-1, 1:-1].copy()
        picture[..., :3] = RIM
        picture[1:-1, 1:-1] = inner
    return picture


def plate_of(style: Style) -> tuple[int, int, int]:
    """The background of a swatch, 0..255: dark behind light colours, light behind dark ones."""
    return LIGHT_PLATE if float(np.dot(LUMA, style.colour)) < DEEP else PLATE


class Swatches:
    """Pictures of styles, each passed to imgui at its first use."""

    def __init__(self) -> None:
        self._made: dict[Style, int] = {}

    def of(self, style: Style, show: Callable[[str, Swatch], int]) -> int:
        """The number of a style's picture in imgui; ``show`` passes a named picture to imgui."""
        if style not in self._made:
            self._made[style] = show(f"swatch {len(self._made)}", swatch(style))
        return self._made[style]


Plane = npt.NDArray[np.float64]


def _lines(value: Plane, period: float, width: float) -> Plane:
    return (np.abs((value / period + 0.5) % 1.0 - 0.5) * period < width / 2.0).astype(float)


def _hatching(hatch: Hatch, x: Plane, y: Plane, unit: float) -> Plane:
    """Coverage of a hatch; ``unit`` is a pixel's width in the shader's units."""
    rising, falling = _lines(x + y, 4.0, HATCH_UNITS), _lines(x - y, 4.0, HATCH_UNITS)
    across, along = _lines(y, 4.0, HATCH_UNITS), _lines(x, 4.0, HATCH_UNITS)
    diagonals = (np.minimum(np.abs(x - y), np.abs(x + y - BLOCKS)) < HATCH_UNITS).astype(float)
    return {
        Hatch.NONE: np.zeros_like(x),
        Hatch.DIAGONAL: rising,
        Hatch.FALLING: falling,
        Hatch.CROSS: np.maximum(rising, falling),
        Hatch.DOTS: _lines(x, 4.0, DOT_UNITS) * _lines(y, 4.0, DOT_UNITS),
        Hatch.LEVEL: _lines(y, 2.0 * unit + 1.0, HATCH_UNITS),
        Hatch.GRID: np.maximum(across, along),
        Hatch.X: diagonals,
        Hatch.UPRIGHT: along,
    }[hatch]


def _outline(line: Outline, x: Plane, y: Plane, unit: float) -> Plane:
    from_side_x, from_side_y = np.minimum(x, BLOCKS - x), np.minimum(y, BLOCKS - y)
    border = np.minimum(from_side_x, from_side_y) < round(OUTLINE_UNITS[line] / unit) * unit
    if line is Outline.DOTTED:
        border &= (x + y) / DASH_UNITS % 1.0 < 0.5
    elif line is Outline.CORNERS:
        border &= np.maximum(from_side_x, from_side_y) < CORNER_UNITS
    return border.astype(float)
