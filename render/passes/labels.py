"""Short texts in space, in our bitmap font (``materials.font``): as large on the screen at any distance.

Rules:
1. A texel of the font is a square of whole pixels, on a dark ground: legible on snow, in caves, over boxes.
2. A text hangs with its middle on a point. What hides the point hides the text, or leaves ``hidden`` of it.
3. A text that would lie on one nearer to the eye is left out, so that what is shown can be read; of equal distances
   the one with the lower position stays. Beyond ``MOST_LABELS`` the farthest are left out.
4. Depth is tested, never written; texts are drawn far to near.
5. Of many texts few have room: one is made (``Texts``) when it is known that its middle is free.

Theory: an instance a character, two texels of four int32: bits of the point from the eye's block as floats, column |
columns << 8 | row << 16 | rows << 24; then the character's bits, its colour, pixels a texel.

Limits: texts of up to 255 characters a row; no line is broken here; a line feed breaks it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

from render.camera import Camera, Vector
from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.gpu.target import Target
from render.materials import font
from render.passes.lines import BEFORE, BEHIND
from render.passes.mark_kernels import place, project, sort_points

LABEL_BYTES: Final = 32
"""A character."""
VERTICES: Final = 6
FIRST_CHARACTERS: Final = 1024
MOST_LABELS: Final = 160
CELL_WIDE: Final = font.WIDE + 1
CELL_TALL: Final = font.TALL + 2
"""Texels of a character's cell, with the ground around it."""
GAP: Final = 3
"""Texels between two texts side by side."""
NEARER: Final = 0.002
"""In parts of the distance: a text on a face is before it."""
TOGETHER: Final = 16
"""Texts that are made at once, when one of them has to be."""
TALL_PX: Final = 720
"""Height of a picture for which a texel is two pixels; one in those that are lower."""


class Texts(Sequence[str]):
    """Texts that are made when they are asked for, each once."""

    def __init__(self, many: int, say: Callable[[int], str]) -> None:
        """Makes none.

        Args:
            many: how many there are.
            say: the text of a number below that.
        """
        self._many, self._say = many, say
        self._said: dict[int, str] = {}

    def __len__(self) -> int:
        return self._many

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...

    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        """One of them, or some."""
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(self._many))]
        if not -self._many <= number < self._many:
            raise IndexError(number)
        number %= self._many
        if number not in self._said:
            self._said[number] = self._say(number)
        return self._said[number]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Texts.

    Attributes:
        points: float64[n, 3] in blocks, the middle of each.
        texts: what each says, small letters as capitals.
        tones: uint8[n, 3] its colour.
    """

    points: npt.NDArray[np.float64]
    texts: Sequence[str]
    tones: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, points: npt.NDArray[Any], texts: Sequence[str], tones: npt.ArrayLike = (255, 255, 255)) -> "Labels":
        """Texts of which all, or each, have a colour of 0..255."""
        many = len(texts)
        at = np.asarray(points, np.float64).reshape(many, 3)
        return cls(
            at,
            texts if isinstance(texts, Texts) else tuple(texts),
            np.broadcast_to(np.asarray(tones, np.uint8), (many, 3)),
        )

    def __len__(self) -> int:
        return len(self.texts)


def no_labels() -> Labels:
    """None at all."""
    return Labels.of(np.zeros((0, 3)), ())


def texel_px(size_px: tuple[int, int]) -> int:
    """Pixels a texel in a picture of that size."""
    return max(1, 2 * size_px[1] // TALL_PX)


class Layout:
    """Which of some texts are drawn; what does not hang on the look is worked out once."""

    def __init__(self, labels: Labels) -> None:
        """Makes no text."""
        many = len(labels)
        self.labels = labels
        self._points = np.array(labels.points, np.float64, order="C")
        self._extents = np.zeros((many, 2), np.int32)
        self._keys, self._screen = np.empty(many), np.empty((many, 2))
        self._order, self._inside = np.empty(many, np.int64), np.empty(many, np.int64)
        self._taken, self._chosen = np.empty((MOST_LABELS, 4)), np.empty(MOST_LABELS, np.int64)
        self._sorted_from: Vector | None = None

    def shown(self, camera: Camera, size_px: tuple[int, int]) -> npt.NDArray[np.int64]:
        """Numbers of the texts that are drawn, nearest first: those in the picture that lie on no nearer one."""
        eye = np.array(camera.eye, np.float64)
        if camera.stand != self._sorted_from:
            self._sorted_from = camera.stand
            sort_points(self._points, np.array(camera.stand, np.float64), self._keys, self._order, self._inside)
        matrix = np.ascontiguousarray(camera.view_projection(), np.float64)
        depths = np.array([camera.near_blocks, camera.far_blocks], np.float64)
        size = np.array(size_px, np.float64)
        end = project(self._points, self._order, matrix, eye, size, depths, self._screen, self._inside)
        return self._placed(end, texel_px(size_px))

    def _placed(self, end: int, texel: int) -> npt.NDArray[np.int64]:
        many, at = np.zeros(1, np.int64), 0
        cell = np.array([CELL_WIDE, CELL_TALL, GAP], np.float64) * texel
        while at < end:
            at = place(self._screen, self._inside, at, end, self._extents, cell, self._taken, self._chosen, many)
            self._measure(self._inside[at : min(at + TOGETHER, end)])
        return self._chosen[: many[0]].copy()

    def _measure(self, numbers: npt.NDArray[np.int64]) -> None:
        for number in numbers[self._extents[numbers, 1] == 0].tolist():
            rows = self.labels.texts[number].split("\n")
            self._extents[number] = max(map(len, rows)), len(rows)


@lru_cache(maxsize=4096)
def _spelt(text: str) -> npt.NDArray[np.int32]:
    """int32[characters, 3] of a text: its layout, and the bits of its font; not to be written."""
    lines = text.split("\n")
    rows = [
        (column | len(line) << 8 | row << 16 | len(lines) << 24, *font.bits(character))
        for row, line in enumerate(lines)
        for column, character in enumerate(line)
    ]
    return np.array(rows, np.int32).reshape(len(rows), 3)


def packed(
    labels: Labels, chosen: npt.NDArray[np.int64], eye_block: tuple[int, int, int], texel: int
) -> npt.NDArray[np.int32]:
    """int32[characters, 8] as ``labels.vert`` reads them, of some texts in the order given."""
    spelt = [_spelt(labels.texts[number]) for number in chosen.tolist()]
    rows = np.empty((sum(map(len, spelt)), 8), np.int32)
    if len(rows):
        of = np.repeat(chosen, [len(text) for text in spelt])
        rows[:, :3] = (labels.points[of] - np.array(eye_block)).astype(np.float32).view(np.int32)
        rows[:, 3:6] = np.concatenate(spelt)
        rows[:, 6] = (labels.tones[of].astype(np.int32) << np.array([0, 8, 16])).sum(axis=1)
        rows[:, 7] = texel
    return rows


class LabelsPass:
    """Draws texts; one for each who has texts of their own, so that what stays the same is not sent again."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        defines = {"CELL_WIDE": float(CELL_WIDE), "CELL_TALL": float(CELL_TALL), "NEARER": NEARER}
        self._program = gpu.program("labels.vert", "labels.frag", defines)
        self._array: Any = gpu.vertices(self._program)
        self._buffer = BufferTexture(gpu, "labels", Unit.LABELS, rawgl.RGBA32I, FIRST_CHARACTERS * LABEL_BYTES)
        self._layout: Layout | None = None
        self._sent: tuple[Labels, Camera, tuple[int, int], int] | None = None

    def draw(self, target: Target, camera: Camera, labels: Labels, hidden: float = 0.0) -> int:
        """Draws texts over the target in use; gives how many characters there are.

        Args:
            target: what is drawn to; its depth is tested, not written.
            camera: of the frame, whose constants are bound already.
            labels: any number.
            hidden: how much of a text shows behind what hides its point, 0..1.
        """
        many = self._send(labels, camera, target.size) if len(labels) else 0
        if not many:
            return 0
        self._buffer.bind()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.BLEND | ctx.DEPTH_TEST)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        self._program["picture"].value = target.size
        target.write_depth(False)
        if hidden > 0.0:
            ctx.depth_func = BEHIND
            self._render(many, hidden)
            ctx.depth_func = BEFORE
        self._render(many, 1.0)
        target.write_depth(True)
        return many

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
        self._buffer.release()

    def _render(self, many: int, share: float) -> None:
        self._program["share"].value = share
        self._array.render(vertices=VERTICES * many)

    def _send(self, labels: Labels, camera: Camera, size_px: tuple[int, int]) -> int:
        if self._sent is not None and self._sent[0] is labels and self._sent[1:3] == (camera, size_px):
            return self._sent[3]
        if self._layout is None or self._layout.labels is not labels:
            self._layout = Layout(labels)
        chosen = self._layout.shown(camera, size_px)[::-1]
        content = packed(labels, chosen, camera.eye_block, texel_px(size_px))
        if content.nbytes > self._buffer.bytes:
            self._buffer.grow(1 << (content.nbytes - 1).bit_length())
        self._buffer.write(content, 0)
        self._sent = labels, camera, size_px, len(content)
        return len(content)
