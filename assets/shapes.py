"""Shapes of blocks that fill no cube, and how they are turned: boxes, sheets, crossed plants.

Rules:
1. Lengths are sixteenths of a block; x to the east, y up, z to the south.
2. Faces and directions are numbered -x, +x, -z, +z, -y, +y.
3. A box without thickness is a sheet, seen from both sides.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Final, NamedTuple

import msgspec

Corner = tuple[int, int, int]

ALWAYS: Final = 7
EAST, SOUTH, UP, DOWN = 1, 3, 5, 4
QUARTER: Final = (2, 3, 1, 0, 4, 5)
"""Where a quarter turn south -> west -> north -> east takes each direction."""


class Climb(IntEnum):
    """Whether a box links over the edge of a block, to a like one diagonally above or below."""

    NO = 0
    EITHER = 1  # beside, above or below
    UP = 2  # above alone: what runs up the side of the block beside


class ModelBox(NamedTuple):
    """A box, low and high corner x, y, z.

    ``link``: drawn only if the neighbour there connects (7: always). ``middle``: it shows the part of the texture that
    it would show standing in the middle of the floor, wherever it stands. ``hidden``: bit c: not drawn in bend c of
    stairs. ``like``: what it links to must be of its group, opaque blocks do not do. ``spin``: quarters that its
    horizontal pictures are turned by. ``tilt``: 0..3 sixteenths of a turn that all of it is turned by, about the middle
    of the block, further the way of quarter turns. ``shows``: the block whose pictures it has, "" for its own.
    ``climb``: it also links to what lies a step up or down, as ``Climb`` says. ``lean``: sixteenths that its upper end
    stands further south than its lower end.
    """

    low: Corner
    high: Corner
    link: int = ALWAYS
    middle: bool = False
    hidden: int = 0
    like: bool = False
    spin: int = 0
    tilt: int = 0
    shows: str = ""
    climb: int = 0
    lean: int = 0


class Shape(msgspec.Struct, frozen=True):
    """What a block is drawn as."""

    boxes: tuple[ModelBox, ...]  # in the order of the file
    cross: int = 0  # height of the crossed quads, 0 for none
    hanging: bool = False  # the cross hangs from the ceiling: its picture is upside down
    group: str = ""  # which blocks it connects with, "" for none
    ramp: int | None = None  # quarter turns of a sheet that rises to the south, None for none
    clear: bool = False  # one sees through it: no side between two parts, or between it and a like block, is drawn
    turns: int = 0  # quarter turns that all of it is drawn turned by, its pictures, too; boxes are as they were before
    grows: int = 1  # facing_direction that it is then tilted to, the same way; 1 stands on the floor


WHOLE: Final = Shape((ModelBox((0, 0, 0), (16, 16, 16)),))


def box_of(text: str) -> ModelBox:
    """The box of six numbers, ``low x y z high x y z``.

    Raises:
        ValueError: it is none, or its corners stand the wrong way round.
    """
    x0, y0, z0, x1, y1, z1 = (int(part) for part in text.split())
    if not (x0 <= x1 and y0 <= y1 and z0 <= z1):
        raise ValueError(f"box {text!r} has its corners the wrong way round")
    return ModelBox((x0, y0, z0), (x1, y1, z1))


def turned(box: ModelBox, quarters: int) -> ModelBox:
    """A box after some quarter turns, south -> west -> north -> east, and what it links to with it."""
    for _ in range(quarters % 4):
        (x0, y0, z0), (x1, y1, z1) = box.low, box.high
        link = ALWAYS if box.link == ALWAYS else QUARTER[box.link]
        box = box._replace(low=(16 - z1, y0, x0), high=(16 - z0, y1, x1), link=link)
    return box


def _moved(place: Callable[[int, int, int], Corner]) -> Callable[[ModelBox], ModelBox]:
    """A change of axes, applied to both corners and put back in order. Links keep their direction."""

    def move(box: ModelBox) -> ModelBox:
        ends = place(*box.low), place(*box.high)
        low, high = (tuple(pick(pair) for pair in zip(*ends, strict=True)) for pick in (min, max))
        return box._replace(low=(low[0], low[1], low[2]), high=(high[0], high[1], high[2]))

    return move


STAND: Final = (
    _moved(lambda x, y, z: (x, 16 - y, z)),  # grows down, from the ceiling
    _moved(lambda x, y, z: (x, y, z)),
    _moved(lambda x, y, z: (x, z, 16 - y)),  # grows north, from the block to the south
    _moved(lambda x, y, z: (x, z, y)),
    _moved(lambda x, y, z: (16 - y, x, z)),  # grows west
    _moved(lambda x, y, z: (y, x, z)),
)
"""By facing_direction: a shape that stands on the floor, growing from another face."""
SHEETS: Final = (
    ModelBox((1, 0, 0), (1, 16, 16)),
    ModelBox((15, 0, 0), (15, 16, 16)),
    ModelBox((0, 0, 1), (16, 16, 1)),
    ModelBox((0, 0, 15), (16, 16, 15)),
    ModelBox((0, 1, 0), (16, 1, 16)),
    ModelBox((0, 15, 0), (16, 15, 16)),
)
"""Just inside each face."""
