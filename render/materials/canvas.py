"""What painters share: colours, pictures and the few marks they are made of.

A picture is float64 [16, 16, 4], red, green, blue, alpha in 0..255, row 0 at the top. Colours are sRGB.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from render.materials.grain import SIDE, Field, Grain

Colour = npt.NDArray[np.float64]
"""[3] red, green, blue, 0..255."""
Picture = npt.NDArray[np.float64]
Painter = Callable[..., Picture]
"""(grain, *colours) -> picture."""

_AT: Final = np.mgrid[0:SIDE, 0:SIDE]
ROWS: Final[npt.NDArray[np.int64]] = _AT[0]
COLUMNS: Final[npt.NDArray[np.int64]] = _AT[1]


def colour(text: str) -> Colour:
    """``#rrggbb`` as numbers.

    Raises:
        ValueError: for any other text.
    """
    if len(text) != 7 or text[0] != "#":
        raise ValueError(f"{text!r} is no #rrggbb")
    return np.array([int(text[k : k + 2], 16) for k in (1, 3, 5)], np.float64)


def shaded(base: Colour, light: Field) -> Picture:
    """An opaque picture of one colour, each texel ``light`` times as bright."""
    picture = np.empty((SIDE, SIDE, 4))
    picture[..., :3] = base * light[..., None]
    picture[..., 3] = 255
    return picture


def mixed(first: Colour, second: Colour, share: Field) -> Picture:
    """An opaque picture between two colours, ``share`` of the second."""
    picture = np.empty((SIDE, SIDE, 4))
    picture[..., :3] = first + (second - first) * np.minimum(np.maximum(share, 0), 1)[..., None]
    picture[..., 3] = 255
    return picture


def clear(base: Colour) -> Picture:
    """Nothing, in one colour, so that far mip levels keep it."""
    picture = np.zeros((SIDE, SIDE, 4))
    picture[..., :3] = base
    return picture


def put(
    picture: Picture, where: npt.NDArray[np.bool_], base: Colour, light: Field | float = 1.0, alpha: float = 255
) -> None:
    """Paints a colour where the mask says."""
    picture[where, :3] = base * light[where, None] if isinstance(light, np.ndarray) else base * light
    picture[where, 3] = alpha


def box(left: int, top: int, right: int, bottom: int) -> npt.NDArray[np.bool_]:
    """The texels of a rectangle, right and bottom exclusive."""
    return (left <= COLUMNS) & (right > COLUMNS) & (top <= ROWS) & (bottom > ROWS)


def disc(x: float, y: float, radius: float) -> npt.NDArray[np.bool_]:
    """The texels whose middle lies in a circle."""
    return (COLUMNS + 0.5 - x) ** 2 + (ROWS + 0.5 - y) ** 2 <= radius**2


def frame(width: int = 1) -> npt.NDArray[np.bool_]:
    """The texels within ``width`` of the edge."""
    return ~box(width, width, SIDE - width, SIDE - width)


def rim(picture: Picture, strength: float = 0.18, width: int = 1) -> Picture:
    """Lightens the upper left edge and darkens the lower right one: a worked block."""
    light = np.ones((SIDE, SIDE))
    light[(width > ROWS) | (width > COLUMNS)] += strength
    light[(SIDE - width <= ROWS) | (SIDE - width <= COLUMNS)] -= strength
    picture[..., :3] *= light[..., None]
    return picture


def grained(grain: Grain, dust: float, clouds: float, rows: int = 4, columns: int = 4) -> Field:
    """Brightness around 1: fine dust and soft blotches of these strengths."""
    return 1 + dust * (grain.dust() - 0.5) + clouds * (grain.clouds(rows, columns) - 0.5)
