"""Shapes -> quads: boxes, crossed plants, ramps, in numbers that ``vertex_format.MODEL`` packs.

Rules:
1. A model shows the texture of a face at its own position: a box's side shows its part of the block's side.
2. A quad in the block's own face is hidden by an opaque neighbour; one further inside, or tilted, is not.
3. A shape that is turned as a whole has its pictures turned with it: quads are made unturned, and then moved.
4. Corners are whole sixteenths. A tilted box has its edges rounded once, so that its faces still meet; each face has
   the nearest direction.
"""

from collections.abc import Callable
from math import cos, pi, sin
from typing import Final

import numpy as np

from assets.models import ALWAYS, DOWN, QUARTER, UP, Climb, ModelBox, Shape
from net.arrays import I32
from render.materials.biome_tints import DOUBLE_SIDED, TRANSLUCENT_QUAD
from render.mesh.model_kernels import LIKE_ONLY, MOST_ASIDE, SCATTERS, TRAIL, TRANSLUCENT_RULE, UNLINKED, UPWARD
from render.mesh.vertex_format import NO_FACE

FACE = 13
PICTURE, FLAGS, HIDDEN_BY, LINK, RULES, BOX = 14, 15, 16, 17, 18, 19
QUAD_COLUMNS: Final = 20
BEND_SHIFT: Final = 7
CROSS_FACE: Final = 2  # its texture is shown by crossed plants
MIDDLE: Final = 8
NO_BOX: Final = -1
OUTWARDS: Final = np.array([[-1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1], [0, -1, 0], [0, 1, 0]])
"""The outward normal of each direction."""
QUARTER_TURN: Final = np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])
"""South -> west -> north -> east."""
GROWS: Final = (
    np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1]]),  # down, from the ceiling
    np.eye(3, dtype=np.int64),
    np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]),  # north: up becomes north
    np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
    np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]),  # west
    np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]),
)
"""By facing_direction: the rotation of a shape that stands on the floor. No reflections: corners keep their order."""

Quads = I32
"""[k, 20]: origin x y z, edge U x y z, edge V x y z, u0 v0 u1 v1, face; then by name: PICTURE the face of the texture,
FLAGS, HIDDEN_BY, LINK, RULES the other bits, BOX its number in the shape, or NO_BOX."""


def quads_of(shape: Shape) -> Quads:
    """The quads of a shape, box by box, face by face, then the cross."""
    rows = [(*row, number) for number, box in enumerate(shape.boxes) for row in _box_rows(box, shape)]
    if shape.cross:
        v0, v1 = (0, shape.cross) if shape.hanging else (16, 16 - shape.cross)
        low = 16 - shape.cross if shape.hanging else 0
        margin, link = (MOST_ASIDE, SCATTERS) if shape.scatters else (1, ALWAYS)
        wide = 16 - 2 * margin
        for z, uz in ((margin, wide), (16 - margin, -wide)):
            edges = (margin, low, z, wide, 0, uz, 0, shape.cross, 0)
            rows.append((*edges, 0, v0, 16, v1, NO_FACE, CROSS_FACE, DOUBLE_SIDED, ALWAYS, link, 0, NO_BOX))
    if shape.ramp is not None:
        rows.append((*_ramp(shape.ramp), 0, 16, 16, 0, NO_FACE, UP, DOUBLE_SIDED, ALWAYS, ALWAYS, 0, NO_BOX))
    quads = np.array(rows, np.int32).reshape(-1, QUAD_COLUMNS)
    return _moved(quads, shape) if shape.turns or shape.grows != 1 else quads


def _moved(quads: Quads, shape: Shape) -> Quads:
    """Quads turned with their pictures about the middle of the block, and with the directions of their rules."""
    turn = GROWS[shape.grows] @ np.linalg.matrix_power(QUARTER_TURN, shape.turns)
    to = np.arange(8)
    to[:6] = [int(np.flatnonzero((turn @ way == OUTWARDS).all(axis=1))[0]) for way in OUTWARDS]
    moved = quads.copy()
    moved[:, :3] = (quads[:, :3] - MIDDLE) @ turn.T + MIDDLE
    for edge in (slice(3, 6), slice(6, 9)):
        moved[:, edge] = quads[:, edge] @ turn.T
    for column in (FACE, HIDDEN_BY, LINK):
        moved[:, column] = to[quads[:, column]]
    return moved


Row = tuple[int, ...]
_Edges = Callable[[int, int, int, int, int, int], Row]

_FACES: Final[tuple[_Edges, ...]] = (
    # low x y z, high x y z -> origin, U, V, u0 v0 u1 v1; seen from outside U runs right and V up
    lambda a, b, c, x, y, z: (a, b, c, 0, 0, z - c, 0, y - b, 0, c, 16 - b, z, 16 - y),
    lambda a, b, c, x, y, z: (x, b, z, 0, 0, c - z, 0, y - b, 0, 16 - z, 16 - b, 16 - c, 16 - y),
    lambda a, b, c, x, y, z: (x, b, c, a - x, 0, 0, 0, y - b, 0, 16 - x, 16 - b, 16 - a, 16 - y),
    lambda a, b, c, x, y, z: (a, b, z, x - a, 0, 0, 0, y - b, 0, a, 16 - b, x, 16 - y),
    lambda a, b, c, x, y, z: (a, b, c, x - a, 0, 0, 0, 0, z - c, a, c, x, z),
    lambda a, b, c, x, y, z: (a, y, z, x - a, 0, 0, 0, 0, c - z, a, z, x, c),
)
_AXIS: Final = (0, 0, 2, 2, 1, 1)


def _ramp(quarters: int) -> Row:
    """Origin and edges of a sheet from the floor to the ceiling: rising to the south, west, north, east."""
    origin, u, v = (0, 16, 16), (16, 0, 0), (0, -16, -16)
    for _ in range(quarters):
        origin, u, v = ((16 - origin[2], origin[1], origin[0]), (-u[2], u[1], u[0]), (-v[2], v[1], v[0]))
    return (*origin, *u, *v)


_CLIMBS: Final = {Climb.NO: 0, Climb.EITHER: TRAIL, Climb.UP: UPWARD}


def _box_rows(box: ModelBox, shape: Shape) -> list[Row]:
    """A box's faces; a sheet is one quad, visible from both sides."""
    sheet = [axis for axis in range(3) if box.low[axis] == box.high[axis]]
    rows = []
    shown_low, shown_high = _in_the_middle(box) if box.middle else (box.low, box.high)
    for face in range(6):
        axis = _AXIS[face]
        if sheet and (axis not in sheet or face % 2 == 0):
            continue
        if shape.translucent and face ^ 1 == box.link:
            continue  # it lies in the joint of the box
        edge = box.high[axis] if face % 2 else box.low[axis]
        hidden_by = face if edge == (16 if face % 2 else 0) and not box.tilt and not box.lean else ALWAYS
        flags = (DOUBLE_SIDED if sheet else 0) | (TRANSLUCENT_QUAD if shape.translucent else 0)
        link, rules = _rules(box, face, shape)
        edges = _leant(_tilted(_spun(face, _FACES[face](*box.low, *box.high)[:9], box.spin), box), box)
        texture = _FACES[face](*shown_low, *shown_high)[9:]
        rows.append((*edges, *texture, QUARTER[face] if box.tilt > 2 else face, face, flags, hidden_by, link, rules))
    return rows


def _rules(box: ModelBox, face: int, shape: Shape) -> tuple[int, int]:
    """The direction and the other bits of a face's rule; a translucent face is drawn where no other box joins it."""
    rules = box.hidden << BEND_SHIFT | (LIKE_ONLY if box.like else 0) | _CLIMBS[Climb(box.climb)]
    if not shape.translucent:
        return box.link, rules
    if box.link == ALWAYS and any(other.link == face for other in shape.boxes):
        return face, rules | TRANSLUCENT_RULE | UNLINKED
    return box.link, rules | TRANSLUCENT_RULE


def _spun(face: int, edges: Row, quarters: int) -> Row:
    """Corners of a horizontal face so that its picture is turned, from south to west; other faces unchanged."""
    if face < DOWN:
        return edges
    origin, u, v = (np.array(edges[k : k + 3]) for k in (0, 3, 6))
    for _ in range(quarters):
        origin, u, v = (origin + v, -v, u) if face == UP else (origin + u, v, -u)
    return tuple(np.concatenate([origin, u, v]).tolist())


def _tilted(edges: Row, box: ModelBox) -> Row:
    """Origin and edges of a face of a tilted box: a rounded corner and whole steps along two rounded edges."""
    if not box.tilt:
        return edges
    angle = box.tilt * pi / 8
    low, high = box.low, box.high

    def turn(x: float, z: float) -> tuple[int, int]:
        return round(x * cos(angle) - z * sin(angle)), round(x * sin(angle) + z * cos(angle))

    corner = turn(low[0] - MIDDLE, low[2] - MIDDLE)
    east, south = turn(high[0] - low[0], 0), turn(0, high[2] - low[2])

    def along(x: int, z: int) -> tuple[int, int]:
        steps = x / max(high[0] - low[0], 1), z / max(high[2] - low[2], 1)
        across, down = (round(a * steps[0] + b * steps[1]) for a, b in zip(east, south, strict=True))
        return across, down

    start = along(edges[0] - low[0], edges[2] - low[2])
    (ux, uz), (vx, vz) = along(edges[3], edges[5]), along(edges[6], edges[8])
    x, z = (MIDDLE + a + b for a, b in zip(corner, start, strict=True))
    return (x, edges[1], z, ux, edges[4], uz, vx, edges[7], vz)


def _leant(edges: Row, box: ModelBox) -> Row:
    """Origin and edges of a face of a box whose upper end is further south."""
    x, y, z, ux, uy, uz, vx, vy, vz = edges
    height = max(box.high[1] - box.low[1], 1)
    z, uz, vz = z + box.lean * (y - box.low[1]) // height, uz + box.lean * uy // height, vz + box.lean * vy // height
    return (x, y, z, ux, uy, uz, vx, vy, vz)


def _in_the_middle(box: ModelBox) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The corners of a box if it were in the middle of the floor."""
    width, height, depth = (high - low for low, high in zip(box.low, box.high, strict=True))
    x, z = (16 - width) // 2, (16 - depth) // 2
    return (x, 0, z), (x + width, height, z + depth)
