"""What the slice map shows, and where on it one is; knows no imgui.

Coordinates of the map are in sub-chunks: ``a`` to the right, ``b`` down. A level slice has x and z there (north is up);
an upright one x or z, and the height upside down, so that up is up.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import ILLEGAL, STATES, Knowledge
from net.frozen import frozen
from net.space.positions import BlockPos

NOTHING: Final = ILLEGAL
"""In ``SliceView.states``: no column there."""


Rgb = tuple[float, float, float]
"""0..255."""
YOUNG_S, OLD_S = 0.1, 100.0
YOUNG, MIDDLE, OLD = (255.0, 235.0, 90.0), (220.0, 60.0, 40.0), (40.0, 60.0, 160.0)
"""Colours of ages: of the youngest, of ``sqrt(YOUNG_S * OLD_S)``, of the oldest."""
NEXT, LAST = (255.0, 230.0, 120.0), (90.0, 30.0, 120.0)
"""Colours of turns in the plan."""
UNWANTED: Final[Rgb] = (70.0, 70.0, 70.0)


class Plane(Enum):
    """Which slice: the value is what people read."""

    LEVEL = "level"
    ALONG_X = "upright, x"
    ALONG_Z = "upright, z"


class Paint(Enum):
    """What colours say: the value is what people read."""

    STATE = "state"
    PRIORITY = "priority"
    AGE = "age"
    LIGHT = "light"


@dataclass(slots=True)
class SliceState:
    """What somebody chose.

    Attributes:
        plane: which slice.
        paint: what colours say.
        level: block coordinate of the slice; None: the eye's.
        centre: what is in the middle of the map; None: the eye.
        px: of a sub-chunk.
        held: where the mouse went down, in the map's coordinates.
        selected: corners of what is selected, whole sub-chunks, upper ones exclusive.
        mark: where the keyboard is; None: where it was not used yet.
        begun: where the keyboard began to select.
    """

    plane: Plane = Plane.LEVEL
    paint: Paint = Paint.STATE
    level: int | None = None
    centre: tuple[float, float] | None = None
    px: float = 14.0
    held: tuple[float, float] | None = None
    selected: tuple[int, int, int, int] | None = None
    mark: tuple[int, int] | None = None
    begun: tuple[int, int] | None = None


@frozen
class SliceView:
    """One moment of one slice.

    Attributes:
        picture: as imgui knows it; covers ``states``.
        origin: map coordinates of its upper left corner.
        states: uint8[rows, columns] a Knowledge a sub-chunk, NOTHING where no column is.
        eye: where the camera is, in the map's coordinates.
        ahead: which way it looks there.
        level: block coordinate of the slice.
        levels: lowest and highest it may have.
    """

    picture: int
    origin: tuple[int, int]
    states: npt.NDArray[np.uint8]
    eye: tuple[float, float]
    ahead: tuple[float, float]
    level: int
    levels: tuple[int, int]

    def state_at(self, a: int, b: int) -> Knowledge | None:
        """Of the sub-chunk there; None where there is none."""
        column, row = a - self.origin[0], b - self.origin[1]
        if not (0 <= row < self.states.shape[0] and 0 <= column < self.states.shape[1]):
            return None
        state = int(self.states[row, column])
        return None if state == NOTHING else Knowledge(state)

    def totals(self, corners: tuple[int, int, int, int]) -> dict[Knowledge, int]:
        """How many sub-chunks of each state lie in a rectangle of the map."""
        a0, b0, a1, b1 = corners
        columns = slice(max(a0 - self.origin[0], 0), max(a1 - self.origin[0], 0))
        rows = slice(max(b0 - self.origin[1], 0), max(b1 - self.origin[1], 0))
        counts = np.bincount(self.states[rows, columns].ravel(), minlength=STATES)[:NOTHING]
        return {Knowledge(state): int(counts[state]) for state in np.flatnonzero(counts).tolist()}


def subchunk_at(plane: Plane, level: int, a: int, b: int) -> tuple[int, int, int]:
    """The sub-chunk at a place of the map."""
    match plane:
        case Plane.LEVEL:
            return a, level >> 4, b
        case Plane.ALONG_X:
            return a, -b - 1, level >> 4
        case Plane.ALONG_Z:
            return level >> 4, -b - 1, a


def middle_of(subchunk: tuple[int, int, int]) -> BlockPos:
    """Its middle block."""
    return BlockPos(*(16 * axis + 8 for axis in subchunk))
