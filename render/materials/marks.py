"""What tells a shape's texture from the stuff it is made of: a button's plate, the seam of two slabs.

Rules:
1. A mark is laid over the finished picture of the stuff, so both keep their grain and colour.
2. ``SIDES`` are laid over side faces only; the others over all six.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from render.materials.canvas import COLUMNS, ROWS, Picture, box, disc, frame, rim

Where = npt.NDArray[np.bool_]


def _darker(picture: Picture, where: Where, share: float) -> Picture:
    picture[where, :3] *= share
    return picture


def _seam(picture: Picture) -> Picture:
    return _darker(_darker(picture, ROWS == 8, 1.12), ROWS == 7, 0.68)


def _button(picture: Picture) -> Picture:
    return _darker(_darker(picture, box(4, 5, 12, 11) & ~box(5, 6, 11, 10), 0.7), box(5, 6, 11, 7), 1.15)


def _plate(picture: Picture) -> Picture:
    return _darker(rim(picture, 0.22), box(2, 2, 14, 14) & ~box(3, 3, 13, 13), 0.84)


def _gate(picture: Picture) -> Picture:
    return _darker(picture, (ROWS % 6 == 0) | (np.abs(COLUMNS - 7.5) < 1), 0.72)


def _sign(picture: Picture) -> Picture:
    lines = box(3, 4, 13, 12) & (ROWS % 3 == 1)
    return _darker(_darker(picture, frame(), 0.78), lines, 0.62)


def _bolts(picture: Picture) -> Picture:
    corners = disc(3, 3, 1.5) | disc(13, 3, 1.5) | disc(3, 13, 1.5) | disc(13, 13, 1.5)
    picture[corners] = (236, 240, 240, 230)
    return picture


MARKS: Final[Mapping[str, Callable[[Picture], Picture]]] = MappingProxyType(
    {"seam": _seam, "button": _button, "plate": _plate, "gate": _gate, "sign": _sign, "bolts": _bolts}
)
SIDES: Final = frozenset({"seam"})
