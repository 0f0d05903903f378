"""The tile heat map: where a picture differs, over the picture itself.

A tile's colour says how its mean difference stands to the most that may be: from a faint yellow over orange, at the
limit, to a deep red at four times the limit and beyond. Tiles without any difference stay clear.
"""

from typing import Final

import numpy as np

from net.frozen import frozen
from render.capture.page.markup import element
from render.capture.truth.tiles import (
    TILE_PX,
    FlipMissing,
    Rgb,
    Tiles,
    channel_steps,
    flip_errors,
    tile_means,
    tile_starts,
)
from render.capture.truth.tolerance import TILE_FLIP

RAMP: Final = ((0.0, (253, 224, 120)), (1.0, (249, 136, 40)), (2.0, (224, 48, 48)), (4.0, (128, 10, 60)))
"""Colours by multiples of the limit."""
OPACITY: Final = (0.25, 0.8)


@frozen
class Heat:
    """Means of a difference over tiles.

    Attributes:
        tiles: float32[rows, columns].
        measure: what was measured, for people.
    """

    tiles: Tiles
    measure: str

    @classmethod
    def of(cls, expected: Rgb, actual: Rgb) -> "Heat":
        """By FLIP, or where that is not installed by the largest channel's difference, of two pictures of one size."""
        try:
            return cls(tile_means(flip_errors(expected, actual)), "mean FLIP error")
        except FlipMissing:
            steps = channel_steps(expected, actual).astype(np.float32) / 255
            return cls(tile_means(steps), "mean difference of the worst channel, 0 to 1")


def heat_map(heat: Heat, size_px: tuple[int, int]) -> str:
    """SVG that lies over the picture: one square a tile that differs, which tells what it holds when pointed at."""
    columns, rows = (tile_starts(side) for side in size_px)
    squares = [
        _square(columns[column], rows[row], size_px, float(heat.tiles[row, column]))
        for row, column in np.argwhere(heat.tiles > 0).tolist()
    ]
    return element("g", "".join(squares), class_="heat")


def _square(x: int, y: int, size_px: tuple[int, int], value: float) -> str:
    times = value / TILE_FLIP
    stops = [stop for stop, _ in RAMP]
    colour = [round(float(np.interp(times, stops, [part[1][channel] for part in RAMP]))) for channel in range(3)]
    return element(
        "rect",
        element("title", f"x {x}, y {y}: {value:.4f}"),
        x=x,
        y=y,
        width=min(TILE_PX, size_px[0]),
        height=min(TILE_PX, size_px[1]),
        fill=f"rgb({colour[0]} {colour[1]} {colour[2]})",
        fill_opacity=f"{np.interp(times, (0, 1), OPACITY):.2f}",
    )
