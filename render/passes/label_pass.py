"""Draws texts in space (rules in ``labels``).

Theory: an instance a character, two texels of four int32: bits of the point from the eye's block as floats, column |
columns << 8 | row << 16 | rows << 24, rows being those of its stack; then the character's bits, its colour | how much
of it shows behind what hides its point << 24 (in 200ths), pixels a texel.

Which texts have room is asked of thousands, so a window that moves keeps those of a camera near by (``USED_BY_TEXTS``):
they hang on their points all the same. The first frame that shows what the one before did has those of its own camera.
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
from render.passes.boxes import share_used
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

USED_BY_TEXTS: Final = 0.21
"""The share of what boxes are sent ahead for (``boxes.share_used``) within which texts stay: 3 degrees, 0.4 blocks."""

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
        self._sent: tuple[Layout, tuple[int, int], tuple[int, int, int], Camera, int] | None = None
        self._seen_by: Camera | None = None

    def draw(self, target: Target, camera: Camera, parts: Sequence[Part], ahead: bool = False) -> int:
        """Draws texts over the target in use; gives how many characters there are.

        Args:
            target: what is drawn to; its depth is tested, not written.
            camera: of the frame, whose constants are bound already.
            parts: any number of texts; of one point the first come stand on top.
            ahead: whether those with room for a camera near by do while the camera moves.
        """
        parts = [part for part in parts if len(part[0])]
        moves, self._seen_by = self._seen_by != camera, camera
        many = self._send(parts, camera, target.size, ahead and moves) if parts else 0
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

    def _send(self, parts: Sequence[Part], camera: Camera, size_px: tuple[int, int], moves: bool) -> int:
        layout, block = self._layout_of([labels for labels, _ in parts]), camera.eye_block
        if self._sent is not None and self._sent[:3] == (layout, size_px, block):
            taken_for, many = self._sent[3:]
            if camera == taken_for or (moves and share_used(camera, taken_for) <= USED_BY_TEXTS):
                return many
        numbers, rows = layout.shown(camera, size_px)
        placed = Placed(np.ascontiguousarray(numbers[::-1]), np.ascontiguousarray(rows[::-1]))
        content = packed(layout, placed, [share for _, share in parts], block, texel_px(size_px))
        if content.nbytes > self._buffer.bytes:
            self._buffer.grow(1 << (content.nbytes - 1).bit_length())
        self._buffer.write(content, 0)
        self._sent = layout, size_px, block, camera, len(content)
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
