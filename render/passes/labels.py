"""Short texts in space, in our bitmap font (``materials.font``): as large on the screen at any distance.

Rules:
1. A texel of the font is a square of whole pixels, on a dark ground: legible on snow, in caves, over boxes.
2. A text hangs with its middle on a point. What hides the point hides the text, or leaves ``hidden`` of it.
3. A text that would lie on one nearer to the eye is left out, so that what is shown can be read; of equal distances
   the one with the lower position stays. Beyond ``MOST_LABELS`` the farthest are left out.
4. Depth is tested, never written; texts are drawn far to near.

Theory: an instance a character, two texels of four int32: bits of the point from the eye's block as floats, column |
columns << 8 | row << 16 | rows << 24; then the character's bits, its colour, pixels a texel.

Limits: texts of up to 255 characters a row; no line is broken here; a line feed breaks it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.camera import Camera
from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.gpu.target import Target
from render.materials import font
from render.passes.lines import BEFORE, BEHIND

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
TALL_PX: Final = 720
"""Height of a picture for which a texel is two pixels; one in those that are lower."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Texts.

    Attributes:
        points: float64[n, 3] in blocks, the middle of each.
        texts: what each says, small letters as capitals.
        tones: uint8[n, 3] its colour.
    """

    points: npt.NDArray[np.float64]
    texts: tuple[str, ...]
    tones: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, points: npt.NDArray[Any], texts: Sequence[str], tones: npt.ArrayLike = (255, 255, 255)) -> "Labels":
        """Texts of which all, or each, have a colour of 0..255."""
        many = len(texts)
        at = np.asarray(points, np.float64).reshape(many, 3)
        return cls(at, tuple(texts), np.broadcast_to(np.asarray(tones, np.uint8), (many, 3)))

    def __len__(self) -> int:
        return len(self.texts)


def no_labels() -> Labels:
    """None at all."""
    return Labels.of(np.zeros((0, 3)), ())


def texel_px(size_px: tuple[int, int]) -> int:
    """Pixels a texel in a picture of that size."""
    return max(1, 2 * size_px[1] // TALL_PX)


def shown(labels: Labels, camera: Camera, size_px: tuple[int, int]) -> list[int]:
    """Which texts are drawn, nearest first: those in the picture that lie on no nearer one."""
    away = labels.points - np.array(camera.eye)
    clip = np.column_stack([away, np.ones(len(away))]) @ camera.view_projection().astype(np.float64)
    deep = clip[:, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        screen = (clip[:, :2] / deep[:, None] * 0.5 + 0.5) * size_px
    inside = (
        (deep > camera.near_blocks) & (deep < camera.far_blocks) & (np.abs(clip[:, :2]) < deep[:, None]).all(axis=1)
    )
    order = np.lexsort((*labels.points.T[::-1], (away * away).sum(axis=1)))
    taken: list[tuple[float, float, float, float]] = []
    chosen: list[int] = []
    texel = texel_px(size_px)
    gap = GAP * texel
    for number in order[inside[order]].tolist():
        wide, tall = _extent(labels.texts[number], texel)
        x, y = screen[number].tolist()
        at = x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2
        if all(at[2] + gap < o[0] or o[2] + gap < at[0] or at[3] < o[1] or o[3] < at[1] for o in taken):
            taken.append(at)
            chosen.append(number)
            if len(chosen) == MOST_LABELS:
                break
    return chosen


def _extent(text: str, texel: int) -> tuple[int, int]:
    rows = text.split("\n")
    return max(map(len, rows)) * CELL_WIDE * texel, len(rows) * CELL_TALL * texel


@lru_cache(maxsize=256)
def _bits(character: str) -> tuple[int, int]:
    return font.bits(character)


def packed(labels: Labels, chosen: Sequence[int], eye_block: tuple[int, int, int], texel: int) -> npt.NDArray[np.int32]:
    """int32[characters, 8] as ``labels.vert`` reads them, of some texts in the order given."""
    near = (labels.points - np.array(eye_block)).astype(np.float32).view(np.int32)
    colours = (labels.tones.astype(np.int32) << np.array([0, 8, 16])).sum(axis=1)
    rows: list[tuple[int, ...]] = []
    for number in chosen:
        lines = labels.texts[number].split("\n")
        at, colour = near[number].tolist(), int(colours[number])
        for row, line in enumerate(lines):
            for column, character in enumerate(line):
                layout = column | len(line) << 8 | row << 16 | len(lines) << 24
                rows.append((*at, layout, *_bits(character), colour, texel))
    return np.array(rows, np.int32).reshape(len(rows), 8)


class LabelsPass:
    """Draws texts; one for each who has texts of their own, so that what stays the same is not sent again."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        defines = {"CELL_WIDE": float(CELL_WIDE), "CELL_TALL": float(CELL_TALL), "NEARER": NEARER}
        self._program = gpu.program("labels.vert", "labels.frag", defines)
        self._array: Any = gpu.ctx.vertex_array(self._program, [])
        self._buffer = BufferTexture(gpu, "labels", Unit.LABELS, rawgl.RGBA32I, FIRST_CHARACTERS * LABEL_BYTES)
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
        chosen = shown(labels, camera, size_px)[::-1]
        content = packed(labels, chosen, camera.eye_block, texel_px(size_px))
        if content.nbytes > self._buffer.bytes:
            self._buffer.grow(1 << (content.nbytes - 1).bit_length())
        self._buffer.write(content, 0)
        self._sent = labels, camera, size_px, len(content)
        return len(content)
