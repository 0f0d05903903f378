"""Boxes of any size in free colours, outlined, hatched and filled: most overlays consist of them.

Rules:
1. A box has a style: label, colour, outline, hatch. Two states differ in shape as well as in colour (Okabe and Ito's
   eight): solid hatches are placeholders, dotted outlines and bare corners are air, a plain outline is data. Shaders
   get the numbers of lines and hatches as defines.
2. Boxes are blended far to near over the terrain and tested against its depth. Boxes at equal distances keep the order
   in which they were given, so a caller must give them in an order that depends only on their positions
   (``render.overlays.facts`` has one).
3. Boxes out of sight are not sent; nothing is sent again while neither boxes nor camera change. For a moving camera
   the pass also sends the boxes that cameras near by would see: a search through thousands of boxes costs more than the
   GPU needs to clip some, and the picture is the same.

Theory: instances in a buffer texture, two texels of four int32 each:

    x, y, z         lowest corner in blocks
    pattern         line | hatch << 8 | fill << 16 | ring << 24 | bare sides << 25
    colour          red | green << 8 | blue << 16 | opacity of the hatch << 24
    across          size along x | size along z << 16, in blocks
    tall            size along y | share << 16: how much of all of it shows
    0

Limits: sizes up to 65535 blocks; 256 styles a call.
"""

from collections.abc import Sequence
from enum import IntEnum
from math import dist, inf, radians
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.world.lifecycle import STATE_WORDS, SubChunkState
from net.arrays import F32, I32, U8, Bools
from render.camera import Camera, Vector
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture
from render.passes.overlay.lines import BEFORE, BEHIND
from render.passes.overlay.overlay_kernels import find_grid, sort_boxes, take_seen

# ---------------------------------------------------------------- state styles


class Outline(IntEnum):
    """Outline of a box."""

    NONE = 0
    THIN = 1
    HEAVY = 2
    DOTTED = 3
    CORNERS = 4


class Hatch(IntEnum):
    """Pattern on a box's sides."""

    NONE = 0
    DIAGONAL = 1
    FALLING = 2
    CROSS = 3
    DOTS = 4
    LEVEL = 5
    GRID = 6
    X = 7
    UPRIGHT = 8


class Style(msgspec.Struct, frozen=True):
    """How one kind of box is drawn."""

    label: str  # text in the legend
    colour: Vector  # red, green, blue, 0..1
    line: Outline  # its outline
    hatch: Hatch  # its pattern
    strength: float  # opacity of the pattern, 0..1
    fill: float = 0.0  # opacity of the sides themselves, 0..1
    ring: bool = False  # whether its row explains the ring that boxes of any style may have


_PAINT: Final = {
    SubChunkState.UNKNOWN: ((0.62, 0.62, 0.62), Outline.THIN, Hatch.DIAGONAL, 0.30),
    SubChunkState.KNOWN_AIR: ((0.75, 0.88, 0.97), Outline.CORNERS, Hatch.NONE, 0.0),
    SubChunkState.WANTED: ((0.97, 0.95, 0.76), Outline.THIN, Hatch.GRID, 0.35),
    SubChunkState.REQUESTED: ((1.00, 0.85, 0.00), Outline.HEAVY, Hatch.DIAGONAL, 0.70),
    SubChunkState.DATA: ((0.00, 0.75, 0.52), Outline.THIN, Hatch.NONE, 0.0),
    SubChunkState.ALL_AIR: ((0.34, 0.71, 0.91), Outline.DOTTED, Hatch.NONE, 0.0),
    SubChunkState.REFUSED: ((0.84, 0.37, 0.00), Outline.HEAVY, Hatch.X, 0.95),
    SubChunkState.UNDECODABLE: ((0.85, 0.10, 0.20), Outline.HEAVY, Hatch.CROSS, 0.80),
    SubChunkState.RESET: ((0.00, 0.45, 0.90), Outline.THIN, Hatch.LEVEL, 0.45),
    SubChunkState.EVICTED: ((0.80, 0.47, 0.65), Outline.THIN, Hatch.FALLING, 0.45),
}
STYLES: Final = {state: Style(STATE_WORDS[state], *paint) for state, paint in _PAINT.items()}
"""Every state but OUTSIDE, which has no box."""

FAILED: Final = Style("received, mesh failed", (1.0, 1.0, 1.0), Outline.HEAVY, Hatch.DOTS, 0.95)
UNMESHED: Final = Style("received, not meshed yet", (0.00, 0.75, 0.52), Outline.THIN, Hatch.CROSS, 0.60)
UNLIT: Final = Style("received, not lit yet", (0.74, 1.00, 0.18), Outline.HEAVY, Hatch.GRID, 0.80)
"""Drawn instead of a state's style where blocks of a sub-chunk are missing from the picture, or outdated. Unlit
sub-chunks are black and are among boxes of received ones, so this colour is bright and differs from theirs."""

UNSENT: Final = Style("column never sent", (0.62, 0.36, 1.00), Outline.HEAVY, Hatch.UPRIGHT, 0.90)
"""A column that the server skipped among those that it announced."""

UNKNOWN_BLOCKS: Final = Style("received, with unknown block ids", (1.00, 0.25, 0.85), Outline.DOTTED, Hatch.X, 0.90)
CONTRADICTED: Final = Style(
    "received, height map contradicts the blocks", (0.55, 0.28, 0.10), Outline.DOTTED, Hatch.UPRIGHT, 0.90
)
"""Blocks and height maps that came and are wrong."""

HANGING: Final = Style("provisional light (neighbour missing)", (0.95, 0.10, 0.25), Outline.HEAVY, Hatch.FALLING, 0.85)
WAITING: Final = Style("light not final yet", (0.94, 0.89, 0.26), Outline.HEAVY, Hatch.LEVEL, 0.85)
"""Sides of sub-chunks through which light may still enter."""


def defines() -> dict[str, int]:
    """``LINE_`` and ``HATCH_`` names for the shaders."""
    lines = {f"LINE_{line.name}": int(line) for line in Outline}
    return lines | {f"HATCH_{hatch.name}": int(hatch) for hatch in Hatch}


# ---------------------------------------------------------------- boxes

BOX_BYTES: Final = 32
VERTICES_PER_BOX: Final = 36
FIRST_BOXES: Final = 4096
RING_BIT: Final = 24
FIRST_BARE: Final = 25
"""First of six bits of the second word, one a side: the side is not drawn."""
SUBCHUNK_BLOCKS: Final = 16
COARSEST_BLOCKS: Final = 32
"""Largest cell of the grid that boxes are aligned to: a render cell's height."""
COLUMNS_FIRST: Final = 4096.0
"""Weight of a horizontal block where boxes are sorted by column first: more than all heights together."""
AHEAD_DEG: Final = 15.0
"""Angle that a camera may turn by before boxes that were sent ahead are searched again."""
AHEAD_TURN: Final = radians(AHEAD_DEG)
"""More than the length by which a unit vector changes in such a turn."""
AHEAD_BLOCKS: Final = 2.0
"""Distance that it may move."""

Corners = I32
"""[n, 3] in blocks."""
Packed = I32
"""[n, 8] as the module docstring says."""


class Boxes(msgspec.Struct, frozen=True, eq=False):
    """Boxes of one overlay."""

    lows: Corners  # int32[n, 3] lowest corners in blocks
    sizes: Corners  # int32[n, 3] in blocks
    chosen: U8  # uint8[n] numbers of ``styles``
    styles: tuple[Style, ...]  # styles of the boxes
    shares: F32  # float32[n] how much of each box shows, 0..1
    rings: Bools  # bool[n] whether each box has a ring on each side
    bare: U8  # uint8[n] bits 0-5: sides that are not drawn, -x, +x, -z, +z, below, above

    @classmethod
    def of(
        cls,
        lows: npt.NDArray[np.integer],
        chosen: npt.ArrayLike,
        styles: Sequence[Style],
        sizes: npt.ArrayLike = SUBCHUNK_BLOCKS,
        shares: npt.ArrayLike = 1.0,
        rings: npt.ArrayLike = False,
        bare: npt.ArrayLike = 0,
    ) -> "Boxes":
        """Makes boxes with one value for all, or one each, of style number, size, share, rings and bare sides."""
        many = len(lows)
        return cls(
            np.asarray(lows, np.int32).reshape(many, 3),
            np.broadcast_to(np.asarray(sizes, np.int32), (many, 3)),
            np.broadcast_to(np.asarray(chosen, np.uint8), (many,)),
            tuple(styles),
            np.broadcast_to(np.asarray(shares, np.float32), (many,)),
            np.broadcast_to(np.asarray(rings, np.bool_), (many,)),
            np.broadcast_to(np.asarray(bare, np.uint8), (many,)),
        )

    def take(self, some: Bools) -> "Boxes":
        """The boxes selected by bool[n], in their order."""
        rest = self.sizes[some], self.shares[some], self.rings[some], self.bare[some]
        return Boxes.of(self.lows[some], self.chosen[some], self.styles, *rest)

    def __len__(self) -> int:
        return len(self.lows)


def no_boxes() -> Boxes:
    return Boxes.of(np.zeros((0, 3), np.int32), 0, ())


def packed(boxes: Boxes) -> Packed:
    rows = np.zeros((len(boxes), 8), np.int32)
    if not len(boxes):
        return rows
    patterns = np.array([style.line | style.hatch << 8 | _byte(style.fill) << 16 for style in boxes.styles], np.int64)
    tones = np.array([_tone(style) for style in boxes.styles], np.uint32)
    rows[:, :3] = boxes.lows
    bits = boxes.rings.astype(np.int64) << RING_BIT | boxes.bare.astype(np.int64) << FIRST_BARE
    rows[:, 3] = patterns[boxes.chosen] | bits
    rows[:, 4] = tones.view(np.int32)[boxes.chosen]
    rows[:, 5] = boxes.sizes[:, 0] | boxes.sizes[:, 2] << 16
    rows[:, 6] = boxes.sizes[:, 1] | np.rint(np.clip(boxes.shares, 0, 1) * 255).astype(np.int32) << 16
    return rows


class Sighted:
    """The instances of the boxes that a camera sees, farthest first, equal distances in the given order.

    The order is computed for the middle of the eye's cell, in the coarsest grid that all boxes are aligned to, and
    again when that cell changes: boxes of one size that do not overlap hide each other in the same way for every eye in
    a cell. Boxes of several sizes are ordered for the middle of the eye's block, by column first and by height within a
    column: by distance alone a box from floor to roof would come after nearer ones far below its middle. This is right
    if the middles of the boxes are those of columns (``overlays.states``, ``render.overlays.states``). A turn of the
    camera changes only which boxes are left out. If lines of sight are parallel, the order is for the camera's
    ``stand``, far behind its eye, which changes with each turn.
    """

    def __init__(self, boxes: Boxes) -> None:
        many = len(boxes)
        self.boxes = boxes
        self._rows, self._taken = packed(boxes), np.empty((many, 8), np.int32)
        grid = np.empty(3, np.int64)
        self._sideways = 1.0 if find_grid(self._rows, COARSEST_BLOCKS, grid) else COLUMNS_FIRST
        self._cells = grid.tolist()
        self._keys = np.empty(many)
        self._order, self._spare = np.empty(many, np.int64), np.empty(many, np.int64)
        self._sorted_from: Vector | None = None

    def repaint(self, boxes: Boxes) -> bool:
        """Replaces the boxes if positions and sizes are equal, so the order stays right; returns whether it did."""
        was = self.boxes
        if not (np.array_equal(boxes.lows, was.lows) and np.array_equal(boxes.sizes, was.sizes)):
            return False
        self.boxes, self._rows = boxes, packed(boxes)
        return True

    def rows(self, camera: Camera, ahead: bool = False) -> Packed:
        """Instances, valid until the next call; ``ahead``: also those for cameras near by (``share_used`` up to 1)."""
        begin = self._begin(camera)
        if begin != self._sorted_from:
            self._sorted_from = begin
            sort_boxes(self._rows, np.array(begin), self._sideways, self._keys, self._order, self._spare)
        turn, step = (AHEAD_TURN, AHEAD_BLOCKS) if ahead else (0.0, 0.0)
        eye = np.array(camera.eye, np.float64)
        many = take_seen(self._rows, self._order, camera.planes(), eye, turn, step, self._taken)
        return self._taken[:many]

    def in_order_for(self, camera: Camera) -> bool:
        """Whether the order of the last call is also right for another camera."""
        return self._begin(camera) == self._sorted_from

    def _begin(self, camera: Camera) -> Vector:
        """The point from which distances are measured."""
        if camera.is_parallel:
            return camera.stand
        (x, y, z), (gx, gy, gz) = camera.eye, self._cells
        return (x // gx + 0.5) * gx, (y // gy + 0.5) * gy, (z // gz + 0.5) * gz


def share_used(camera: Camera, taken_for: Camera) -> float:
    """Share of the allowance of ``taken_for`` that ``camera`` has used, by turn and by distance; over 1: not usable."""
    if camera is taken_for:
        return 0.0
    moved = replace(taken_for, eye=camera.eye, yaw_deg=camera.yaw_deg, pitch_deg=camera.pitch_deg)
    if camera.is_parallel or moved != camera:  # another lens
        return 0.0 if camera == taken_for else inf
    turned_deg = abs((camera.yaw_deg - taken_for.yaw_deg + 180.0) % 360.0 - 180.0)
    turned_deg += abs(camera.pitch_deg - taken_for.pitch_deg)
    return max(turned_deg / AHEAD_DEG, dist(camera.eye, taken_for.eye) / AHEAD_BLOCKS)


def _byte(share: float) -> int:
    return round(min(max(share, 0.0), 1.0) * 255)


def _tone(style: Style) -> int:
    red, green, blue = map(_byte, style.colour)
    return red | green << 8 | blue << 16 | _byte(style.strength) << 24


class _SentBoxes(msgspec.Struct, frozen=True, eq=False):
    """The boxes on the GPU: those in sight of a camera, or those sent ahead for it."""

    boxes: Boxes
    camera: Camera
    ahead: bool
    many: int

    def does_for(self, camera: Camera, used: float, most_used: float, kept: Sighted) -> bool:
        """Whether they are right for another camera, which uses the share ``used`` of what was sent ahead."""
        return 0.0 < most_used >= used and kept.in_order_for(camera) if self.ahead else used == 0.0


class BoxesPass(GlOwner):
    """Draws boxes; each owner of boxes has its own pass, so that unchanged boxes are not sent again."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self._array: Any = self._own(gpu.vertices("boxes.vert", "boxes.frag", defines()))
        self._buffer = self._own(BufferTexture(gpu, "boxes", Unit.BOXES, gl.RGBA32I, FIRST_BOXES * BOX_BYTES))
        self._sighted: Sighted | None = None
        self._sent: _SentBoxes | None = None

    def draw(
        self,
        target: Target,
        camera: Camera,
        boxes: Boxes,
        from_within: bool = False,
        most_used: float = 0.0,
        hidden: float = 0.0,
    ) -> int:
        """Draws boxes over the current target; returns the number of boxes in sight, or sent ahead.

        ``target``: depth is tested, not written. ``from_within``: whether sides are also visible from inside their box.
        ``most_used``: 0: exactly what the camera sees is sent; up to 1: what was sent ahead stays while no more than
        this share of it is used (``share_used``). ``hidden``: share of hidden parts.
        """
        many = self._send(boxes, camera, most_used)
        if not many:
            return 0
        self._buffer.bind()
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.DEPTH_TEST | ctx.BLEND | (0 if from_within else ctx.CULL_FACE))
        ctx.blend_func = ctx.DEFAULT_BLENDING
        target.write_depth(False)
        if hidden > 0.0:
            ctx.depth_func = BEHIND
            self._render(many, hidden)
            ctx.depth_func = BEFORE
        self._render(many, 1.0)
        target.write_depth(True)
        return many

    def _render(self, many: int, share: float) -> None:
        self._array.program["seen_share"].value = share
        self._array.render(vertices=VERTICES_PER_BOX * many)

    def _send(self, boxes: Boxes, camera: Camera, most_used: float) -> int:
        sent, kept = self._sent, self._sighted
        used = share_used(camera, sent.camera) if sent else 0.0
        if sent and kept and sent.boxes is boxes and sent.does_for(camera, used, most_used, kept):
            return sent.many
        if kept is None or (kept.boxes is not boxes and not kept.repaint(boxes)):
            self._sighted = kept = Sighted(boxes)
        ahead = most_used > 0.0 and used > 0.0
        content = kept.rows(camera, ahead)
        self._buffer.send(content)
        self._sent = _SentBoxes(boxes, camera, ahead, len(content))
        return len(content)
