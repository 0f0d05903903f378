"""Draws texts in space (rules in ``labels``).

Theory: an instance a character, two texels of four int32: bits of the point from the eye's block as floats, column |
columns << 8 | row << 16 | rows << 24, rows being those of its stack; then the character's bits, its colour | how much
of it shows behind what hides its point << 24 (in 200ths), pixels a texel.
"""

from collections.abc import Sequence
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
from render.passes.label_layout import CELL_TALL, CELL_WIDE, Layout, Placed, texel_px
from render.passes.labels import Labels
from render.passes.lines import BEFORE, BEHIND

LABEL_BYTES: Final = 32
"""A character."""
VERTICES: Final = 6
FIRST_CHARACTERS: Final = 1024
NEARER: Final = 0.002
"""In parts of the distance: a text on a face is before it."""
WHOLE_SHARE: Final = 200
"""What stands for 1 in a character: 0.5 and 0.55 are whole numbers of it."""

Part = tuple[Labels, float]
"""Texts of one overlay, and how much of each shows behind what hides its point, 0..1."""


@lru_cache(maxsize=4096)
def _spelt(text: str) -> npt.NDArray[np.int32]:
    """int32[characters, 4] of a text: column | columns << 8, row, the bits of its font; not to be written."""
    rows = [
        (column | len(line) << 8, row, *font.bits(character))
        for row, line in enumerate(text.split("\n"))
        for column, character in enumerate(line)
    ]
    return np.array(rows, np.int32).reshape(len(rows), 4)


def packed(
    layout: Layout, placed: Placed, hidden: Sequence[float], eye_block: tuple[int, int, int], texel: int
) -> npt.NDArray[np.int32]:
    """int32[characters, 8] as ``labels.vert`` reads them.

    Args:
        layout: of the texts.
        placed: those that are drawn, in the order given.
        hidden: by part of the layout.
        eye_block: of the camera.
        texel: pixels of one.
    """
    numbers = placed.numbers.tolist()
    spelt = [_spelt(layout.text(number)) for number in numbers]
    rows = np.empty((sum(map(len, spelt)), 8), np.int32)
    if len(rows):
        lengths = [len(text) for text in spelt]
        of, words = np.repeat(placed.numbers, lengths), np.concatenate(spelt)
        above, in_all = np.repeat(placed.rows, lengths, axis=0).T
        shares = np.array([round(WHOLE_SHARE * hidden[layout.part_of(number)]) for number in numbers], np.uint32)
        rows[:, :3] = (layout.points[of] - np.array(eye_block)).astype(np.float32).view(np.int32)
        rows[:, 3] = words[:, 0] | (words[:, 1] + above) << 16 | in_all << 24
        rows[:, 4:6] = words[:, 2:]
        tones = (layout.tones[of].astype(np.uint32) << np.array([0, 8, 16], np.uint32)).sum(axis=1, dtype=np.uint32)
        rows[:, 6] = (tones | np.repeat(shares, lengths) << np.uint32(24)).view(np.int32)
        rows[:, 7] = texel
    return rows


class LabelsPass:
    """Draws the texts of all overlays, which share the room there is."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program."""
        self._gpu = gpu
        defines = {
            "CELL_WIDE": float(CELL_WIDE),
            "CELL_TALL": float(CELL_TALL),
            "NEARER": NEARER,
            "WHOLE_SHARE": float(WHOLE_SHARE),
        }
        self._program = gpu.program("labels.vert", "labels.frag", defines)
        self._array: Any = gpu.vertices(self._program)
        self._buffer = BufferTexture(gpu, "labels", Unit.LABELS, rawgl.RGBA32I, FIRST_CHARACTERS * LABEL_BYTES)
        self._layout: Layout | None = None
        self._sent: tuple[Layout, Camera, tuple[int, int], int] | None = None

    def draw(self, target: Target, camera: Camera, parts: Sequence[Part]) -> int:
        """Draws texts over the target in use; gives how many characters there are.

        Args:
            target: what is drawn to; its depth is tested, not written.
            camera: of the frame, whose constants are bound already.
            parts: any number of texts; of one point the first come stand on top.
        """
        parts = [part for part in parts if len(part[0])]
        many = self._send(parts, camera, target.size) if parts else 0
        if not many:
            return 0
        self._buffer.bind()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.BLEND | ctx.DEPTH_TEST)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        self._program["picture"].value = target.size
        target.write_depth(False)
        if any(hidden > 0.0 for _, hidden in parts):
            ctx.depth_func = BEHIND
            self._render(many, behind=True)
            ctx.depth_func = BEFORE
        self._render(many, behind=False)
        target.write_depth(True)
        return many

    def release(self) -> None:
        """Frees its GL objects."""
        self._array.release()
        self._buffer.release()

    def _render(self, many: int, behind: bool) -> None:
        self._program["behind"].value = behind
        self._array.render(vertices=VERTICES * many)

    def _send(self, parts: Sequence[Part], camera: Camera, size_px: tuple[int, int]) -> int:
        layout = self._layout_of([labels for labels, _ in parts])
        if self._sent is not None and self._sent[:3] == (layout, camera, size_px):
            return self._sent[3]
        numbers, rows = layout.shown(camera, size_px)
        placed, hidden = Placed(numbers[::-1], rows[::-1]), [share for _, share in parts]
        content = packed(layout, placed, hidden, camera.eye_block, texel_px(size_px))
        if content.nbytes > self._buffer.bytes:
            self._buffer.grow(1 << (content.nbytes - 1).bit_length())
        self._buffer.write(content, 0)
        self._sent = layout, camera, size_px, len(content)
        return len(content)

    def _layout_of(self, labels: Sequence[Labels]) -> Layout:
        """The one there is, while it is of the same texts."""
        kept = self._layout
        if (
            kept is None
            or len(kept.parts) != len(labels)
            or any(a is not b for a, b in zip(kept.parts, labels, strict=True))
        ):
            self._layout = kept = Layout(labels)
        return kept
