"""Which of many texts have room in a picture, and which of these stand below each other (rules in ``labels``).

Theory: a kernel goes through the texts nearest first and gives each the rectangle that it needs, unless it is taken.
Texts of one point are neighbours in that order, and take one rectangle together: a *stack*. Where it comes to one that
nobody made it looks which others further on will have to be, and all of these are made together.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from render.camera import Camera, Vector
from render.materials import font
from render.passes.labels import Labels
from render.passes.mark_kernels import place, sort_points
from render.passes.spelling import Spelling

MOST_LABELS: Final = 160
CELL_WIDE: Final = font.WIDE + 1
CELL_TALL: Final = font.TALL + 2
"""Texels of a character's cell, with the ground around it."""
GAP: Final = 3
"""Texels between two texts side by side."""
AT_ONCE: Final = 32
"""Texts that are made together, when one of them has to be."""
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
        spelling: of those that were made.
        points: float64[n, 3] in blocks, of all.
        tones: uint8[n, 3] likewise.
        starts: int64[parts + 1] number of each part's first text, and how many there are.
        texts: int32[n, 4] each as ``Spelt``; rows below 0: it was not made, and has at least so many.
    """

    def __init__(self, parts: Sequence[Labels], before: "Layout | None" = None) -> None:
        """Makes no text; of parts that the layout ``before`` had, too, those that it made stay made."""
        self.parts = tuple(parts)
        self.spelling: Spelling = before.spelling if before else Spelling()
        self.starts = np.cumsum([0, *map(len, self.parts)], dtype=np.int64)
        many = int(self.starts[-1])
        self.points = np.concatenate([np.zeros((0, 3)), *(part.points for part in self.parts)])
        self.tones = np.concatenate([np.zeros((0, 3), np.uint8), *(part.tones for part in self.parts)])
        known = before.known() if before else {}
        self._edition = self.spelling.edition
        self.texts = np.concatenate([
            np.zeros((0, 4), np.int32),
            *(known.get(id(part), _unmade(part)) for part in self.parts),
        ])  # fmt: skip
        self._keys = np.empty(many)
        self._order, self._spare = np.empty(many, np.int64), np.empty(many, np.int64)
        self._taken, self._chosen = np.empty((MOST_LABELS, 4)), np.empty(MOST_LABELS, np.int64)
        self._rows, self._wanted = np.empty((MOST_LABELS, 2), np.int32), np.empty(AT_ONCE, np.int64)
        self._sorted_from: Vector | None = None

    def known(self) -> dict[int, npt.NDArray[np.int32]]:
        """What is known of the texts of each part, by its identity."""
        ends = zip(self.parts, self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        return {id(part): self.texts[begin:end] for part, begin, end in ends}

    def part_of(self, number: int) -> int:
        """The number of the part that a text belongs to."""
        return int(np.searchsorted(self.starts, number, side="right")) - 1

    def text(self, number: int) -> str:
        """What a text says."""
        part = self.part_of(number)
        said: str = self.parts[part].texts[number - int(self.starts[part])]
        return said

    def shown(self, camera: Camera, size_px: tuple[int, int]) -> Placed:
        """The texts that are drawn: those in the picture that lie on no nearer one."""
        self._trim()
        if camera.stand != self._sorted_from:
            self._sorted_from = camera.stand
            sort_points(self.points, np.array(camera.stand, np.float64), self._keys, self._order, self._spare)
        eye, matrix = np.array(camera.eye, np.float64), camera.view_projection().astype(np.float64)
        frame = np.array([*size_px, camera.near_blocks, camera.far_blocks], np.float64)
        cell = np.array([CELL_WIDE, CELL_TALL, GAP], np.float64) * texel_px(size_px)
        done = np.zeros(3, np.int64)
        while many := place(
            self.points, self._order, matrix, eye, frame, self.texts, cell, self._taken, self._chosen, self._rows,
            self._wanted, done,
        ):  # fmt: skip
            for number in self._wanted[:many].tolist():
                self.texts[number] = self.spelling.of(self.text(number))
        return Placed(self._chosen[: done[1]].copy(), self._rows[: done[1]].copy())

    def _trim(self) -> None:
        self.spelling.trim()
        if self._edition != self.spelling.edition:
            self._edition = self.spelling.edition
            self.texts[:, 1] = -abs(self.texts[:, 1])


def _unmade(part: Labels) -> npt.NDArray[np.int32]:
    texts = np.zeros((len(part), 4), np.int32)
    texts[:, 0], texts[:, 1] = part.least[0], -part.least[1]
    return texts
