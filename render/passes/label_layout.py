"""Which of many texts have room in a picture, and which of these stand below each other (rules in ``labels``).

Theory: a kernel goes through the texts nearest first and gives each the rectangle that it needs, unless it is taken.
Texts of one point are neighbours in that order, and take one rectangle together: a *stack*.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from render.camera import Camera, Vector
from render.materials import font
from render.passes.labels import Labels
from render.passes.mark_kernels import MOST_STACKED, place, project, sort_points

MOST_LABELS: Final = 160
CELL_WIDE: Final = font.WIDE + 1
CELL_TALL: Final = font.TALL + 2
"""Texels of a character's cell, with the ground around it."""
GAP: Final = 3
"""Texels between two texts side by side."""
TOGETHER: Final = MOST_STACKED
"""Texts that are made at once, when one of them has to be: as many as a stack may have."""
TALL_PX: Final = 720
"""Height of a picture for which a texel is two pixels; one in those that are lower."""


class Placed(NamedTuple):
    """Texts with room, nearest first.

    Attributes:
        numbers: int64[k].
        rows: int32[k, 2] how many rows of its stack are above each, and how many the stack has in all.
    """

    numbers: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]


def texel_px(size_px: tuple[int, int]) -> int:
    """Pixels a texel in a picture of that size."""
    return max(1, 2 * size_px[1] // TALL_PX)


class Layout:
    """Which of some texts are drawn; what does not hang on the look is worked out once.

    Texts are numbered through all parts, in their order.

    Attributes:
        parts: the texts.
        points: float64[n, 3] in blocks, of all.
        tones: uint8[n, 3] likewise.
    """

    def __init__(self, parts: Sequence[Labels]) -> None:
        """Makes no text."""
        self.parts = tuple(parts)
        self._starts = np.cumsum([0, *map(len, self.parts)]).tolist()
        many = self._starts[-1]
        self.points = np.concatenate([np.zeros((0, 3)), *(part.points for part in self.parts)])
        self.tones = np.concatenate([np.zeros((0, 3), np.uint8), *(part.tones for part in self.parts)])
        least = [np.broadcast_to(np.array(part.least, np.int32), (len(part), 2)) for part in self.parts]
        self._extents = -np.concatenate([np.zeros((0, 2), np.int32), *least])
        self._keys, self._screen = np.empty(many), np.empty((many, 2))
        self._order, self._inside = np.empty(many, np.int64), np.empty(many, np.int64)
        self._taken, self._chosen = np.empty((MOST_LABELS, 4)), np.empty(MOST_LABELS, np.int64)
        self._rows = np.empty((MOST_LABELS, 2), np.int32)
        self._sorted_from: Vector | None = None

    def part_of(self, number: int) -> int:
        """The number of the part that a text belongs to."""
        return bisect_right(self._starts, number) - 1

    def text(self, number: int) -> str:
        """What a text says."""
        part = self.part_of(number)
        said: str = self.parts[part].texts[number - self._starts[part]]
        return said

    def shown(self, camera: Camera, size_px: tuple[int, int]) -> Placed:
        """The texts that are drawn: those in the picture that lie on no nearer one."""
        eye = np.array(camera.eye, np.float64)
        if camera.stand != self._sorted_from:
            self._sorted_from = camera.stand
            sort_points(self.points, np.array(camera.stand, np.float64), self._keys, self._order, self._inside)
        matrix = np.ascontiguousarray(camera.view_projection(), np.float64)
        depths = np.array([camera.near_blocks, camera.far_blocks], np.float64)
        size = np.array(size_px, np.float64)
        end = project(self.points, self._order, matrix, eye, size, depths, self._screen, self._inside)
        return self._placed(end, texel_px(size_px))

    def _placed(self, end: int, texel: int) -> Placed:
        many, at = np.zeros(2, np.int64), 0
        cell = np.array([CELL_WIDE, CELL_TALL, GAP], np.float64) * texel
        while at < end:
            at = place(
                self.points, self._screen, self._inside, at, end, self._extents, cell, self._taken, self._chosen,
                self._rows, many,
            )  # fmt: skip
            self._measure(self._inside[at : min(at + TOGETHER, end)])
        return Placed(self._chosen[: many[0]].copy(), self._rows[: many[0]].copy())

    def _measure(self, numbers: npt.NDArray[np.int64]) -> None:
        for number in numbers[self._extents[numbers, 1] < 0].tolist():
            rows = self.text(number).split("\n")
            self._extents[number] = max(map(len, rows)), len(rows)
