"""Lines in space with a width in pixels: graphs, frusta, edges of boxes, marks on faces.

Rules:
1. A line is a band that faces the eye, cut at the near plane, its edges smoothed over a pixel. Lines are blended in
   the given order, so the same lines give the same pixels; ends are butt.
2. Hidden parts are left out, or drawn fainter (``LinesPass`` draws them first), so the picture shows both where a line
   goes and what is in front of it. Depth is tested, never written.
3. Lines on a face are visible: lines are drawn slightly nearer to the eye than they are.
4. Ends are relative to the eye's block in whole numbers, so that lines are as sharp far out as at the origin.

The same lines from the same block are sent once (compared by identity: make new ``Lines`` instead of changing them).
"""

from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import F32, F64, I32, U8
from render.camera import Camera
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture

LINE_BYTES: Final = 32
VERTICES_PER_LINE: Final = 6
FIRST_LINES: Final = 1024
FRACTION: Final = 16
"""Widths and dashes are sent in sixteenths of their unit."""
MOST: Final = 65535 / FRACTION
"""Largest width in pixels, or dash in blocks."""
BEFORE: Final = "<"
BEHIND: Final = ">"
"""moderngl's depth tests; all other passes use the first."""
EDGES: Final = np.array(
    [(low, low | 1 << axis) for axis in range(3) for low in range(8) if not low >> axis & 1], np.int64
)
"""[12, 2] corners that each edge joins; a corner's bits say on which axes it is the high one."""

Ends = F64
"""[n, 3] points in blocks."""
Tones = U8
"""[n, 4] red, green, blue and opacity."""


class Lines(msgspec.Struct, frozen=True, eq=False):
    """Straight lines."""

    begins: Ends  # float64[n, 3] in blocks
    ends: Ends  # float64[n, 3]
    tones: Tones  # uint8[n, 4]
    widths_px: F32  # float32[n]
    dashes_blocks: F32  # float32[n] length of a dash and of the gap after it; 0: no gaps

    @classmethod
    def of(
        cls,
        begins: npt.NDArray[Any],
        ends: npt.NDArray[Any],
        tones: npt.ArrayLike,
        widths_px: npt.ArrayLike = 1.5,
        dashes_blocks: npt.ArrayLike = 0.0,
    ) -> "Lines":
        """Makes lines with one tone (0..255), width and dash length for all, or one each."""
        many = len(begins)
        return cls(
            np.asarray(begins, np.float64).reshape(many, 3),
            np.asarray(ends, np.float64).reshape(many, 3),
            np.broadcast_to(np.asarray(tones, np.uint8), (many, 4)),
            np.broadcast_to(np.asarray(widths_px, np.float32), (many,)),
            np.broadcast_to(np.asarray(dashes_blocks, np.float32), (many,)),
        )

    def __len__(self) -> int:
        return len(self.begins)

    def __add__(self, other: "Lines") -> "Lines":
        """Both; the other's are drawn over these."""
        return Lines(
            np.concatenate([self.begins, other.begins]),
            np.concatenate([self.ends, other.ends]),
            np.concatenate([self.tones, other.tones]),
            np.concatenate([self.widths_px, other.widths_px]),
            np.concatenate([self.dashes_blocks, other.dashes_blocks]),
        )


def no_lines() -> Lines:
    return Lines.of(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 4), np.uint8))


def box_edges(lows: npt.NDArray[Any], highs: npt.NDArray[Any]) -> tuple[Ends, Ends]:
    """The twelve edges of each box, from lowest to highest corners in blocks: [12 n, 3] begins and ends."""
    which = (np.arange(8)[:, None] >> np.arange(3) & 1).astype(bool)  # [8, 3]
    corners = np.where(which, np.asarray(highs, np.float64)[:, None], np.asarray(lows, np.float64)[:, None])
    joined = corners[:, EDGES]  # [n, 12, 2, 3]
    return joined[:, :, 0].reshape(-1, 3), joined[:, :, 1].reshape(-1, 3)


def packed(lines: Lines, eye_block: tuple[int, int, int]) -> I32:
    """int32[n, 8] as ``lines.vert`` reads them: an end from the eye's block, tone; the other end, width, dash."""
    rows = np.empty((len(lines), 8), np.int32)
    at = np.array(eye_block, np.float64)
    rows[:, 0:3] = (lines.begins - at).astype(np.float32).view(np.int32)
    rows[:, 4:7] = (lines.ends - at).astype(np.float32).view(np.int32)
    rows[:, 3] = np.ascontiguousarray(lines.tones).view(np.int32)[:, 0]
    width, dash = (np.rint(np.clip(of, 0, MOST) * FRACTION) for of in (lines.widths_px, lines.dashes_blocks))
    rows[:, 7] = (width.astype(np.uint32) | dash.astype(np.uint32) << 16).view(np.int32)
    return rows


class LinesPass(GlOwner):
    """Draws lines; each owner of lines has its own pass, so that unchanged lines are not sent again."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self._array: Any = self._own(gpu.vertices("lines.vert", "lines.frag", {"FRACTION": FRACTION}))
        self._buffer = self._own(BufferTexture(gpu, "lines", Unit.LINES, gl.RGBA32I, FIRST_LINES * LINE_BYTES))
        self._sent: tuple[Lines, tuple[int, int, int]] | None = None

    def draw(self, target: Target, camera: Camera, lines: Lines, hidden: float = 0.0) -> int:
        """Draws lines over a target with its depth; returns how many. ``hidden``: share of hidden parts, 1: X-ray."""
        if not len(lines):
            return 0
        self._send(lines, camera.eye_block)
        self._buffer.bind()
        ctx = self._gpu.ctx
        ctx.blend_func = ctx.DEFAULT_BLENDING
        self._array.program["picture"].value = target.size
        target.write_depth(False)
        if hidden >= 1.0:
            ctx.enable_only(ctx.BLEND)
            self._render(len(lines), 1.0)
        else:
            ctx.enable_only(ctx.BLEND | ctx.DEPTH_TEST)
            if hidden > 0.0:
                ctx.depth_func = BEHIND
                self._render(len(lines), hidden)
                ctx.depth_func = BEFORE
            self._render(len(lines), 1.0)
        target.write_depth(True)
        return len(lines)

    def _render(self, many: int, share: float) -> None:
        self._array.program["share"].value = share
        self._array.render(vertices=VERTICES_PER_LINE * many)

    def _send(self, lines: Lines, eye_block: tuple[int, int, int]) -> None:
        if self._sent is not None and self._sent[0] is lines and self._sent[1] == eye_block:
            return
        content = packed(lines, eye_block)
        self._buffer.send(content)
        self._sent = lines, eye_block
