"""Draws texts in space (rules in ``labels``).

Theory: an instance a character, two texels of four int32: bits of the point from the eye's block as floats, column |
columns << 8 | row << 16 | rows << 24, rows being those of its stack; then the character's bits, its colour | how much
of it shows behind what hides its point << 24 (in 200ths), pixels a texel.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.camera import Camera
from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.gpu.target import Target
from render.passes.label_layout import CELL_TALL, CELL_WIDE, Layout, Placed, texel_px
from render.passes.labels import Labels
from render.passes.lines import BEFORE, BEHIND
from render.passes.mark_kernels import write_texts

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
    words = np.empty((int(layout.texts[placed.numbers, 3].sum()), 8), np.int32)
    shares = np.array([round(WHOLE_SHARE * share) for share in hidden], np.int64)
    write_texts(
        placed.numbers, placed.rows, layout.points, layout.tones, layout.texts, layout.spelling.characters,
        layout.starts, shares, np.array(eye_block, np.int64), texel, words, words.view(np.float32),
    )  # fmt: skip
    return words


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
        placed = Placed(np.ascontiguousarray(numbers[::-1]), np.ascontiguousarray(rows[::-1]))
        hidden = [share for _, share in parts]
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
            self._layout = kept = Layout(labels, kept)
        return kept
