"""Plain references of rays, one ray and one block at a time.

- ``ray_end``: a ray through a store.
- ``march``: a ray through one array, as in ``shaders/include/blocks.glsl``.
- ``Quads``: the translucent quads of a mesh that a ray hits, with their corners as in the shaders.
"""

from itertools import pairwise
from math import floor, inf
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_pools import PLACEHOLDER_SLOT
from net.space import ColumnPos
from render.bench.rays import RayEnd
from render.materials.biome_tints import LOWERED, TRANSLUCENT_QUAD
from render.mesh.vertex_format import (
    CUBE,
    CUBE_WORDS,
    FACE_HEIGHT_AXIS,
    FACE_WIDTH_AXIS,
    LIQUID_DROP,
    MODEL,
    MODEL_WORDS,
    Words,
    read,
)
from render.passes.draw_list_kernels import AXES, FIRST_SORTED, OF_ORDER, ROW, TRANSLUCENT
from render.passes.translucent_sort import TranslucentSort
from render.passes.translucent_sort_kernels import OF_MODELS, VERTICES

# ---------------------------------------------------------------- ray twin


class End(NamedTuple):
    """Where one ray ended."""

    ended: RayEnd
    place: int
    cell: int
    face: int
    latest: float
    """The time of the newest place on its way; -inf if there was none."""


def ray_end(world, eye, direction, stops, reach_blocks: float = 4096.0) -> End:
    """Like ``tests.oracle.cast.cast`` for one direction; placeholder blocks hide faces behind them, as in meshes."""
    ground, roof = world.dimension.floor_section * 16, world.dimension.roof_section * 16
    block = [floor(v) for v in eye]
    faces = [6]
    steps = [1 if v > 0 else -1 for v in direction]
    crossed = [0, 0, 0]  # number of block borders crossed, by axis
    at, latest = 0.0, -inf
    covered = False
    while at <= reach_blocks:
        x, y, z = block
        if (y >= roof and direction[1] >= 0) or (y < ground and direction[1] <= 0):
            break
        if ground <= y < roof:
            row = world.row_of.get(ColumnPos(x >> 4, z >> 4))
            if row is None:
                return End(RayEnd.UNLOADED, 0, 0, faces[-1], latest)
            place = row * world.dimension.sections + (y >> 4) - world.dimension.floor_section
            latest = max(latest, world.since[place])
            if world.slot[place] == PLACEHOLDER_SLOT:
                return End(RayEnd.PLACEHOLDER, place, 0, faces[-1], latest)
            cell = (x & 15) << 8 | (z & 15) << 4 | y & 15
            dense = world.pools.blocks[world.slot[place], cell]
            if stops[dense] and not covered:
                return End(RayEnd.HIT, place, cell, faces[-1], latest)
            covered = bool(dense >= world.table.first.placeholder)
        else:
            covered = False
        times = [
            (floor(e) + (s > 0) + n * s - e) / d if d else inf
            for e, s, n, d in zip(eye, steps, crossed, direction, strict=True)
        ]
        at = min(times)
        axis = times.index(at)
        block[axis] += steps[axis]
        crossed[axis] += 1
        faces.append((0, 4, 2)[axis] + (steps[axis] < 0))
    return End(RayEnd.LEFT, 0, 0, faces[-1], latest)


# ---------------------------------------------------------------- plain march

Block = tuple[int, int, int]
FACES = ((0, 1), (4, 5), (2, 3))
"""By axis x, y, z: the face that a ray enters with a rising coordinate, and with a falling one."""


class Blocks:
    """Block ids [x, z, y] with a corner at the origin; nothing is outside."""

    def __init__(self, ids: np.ndarray) -> None:
        self.ids = ids
        self.size = (ids.shape[0], ids.shape[2], ids.shape[1])

    def holds(self, block: Block) -> bool:
        """Whether a position is inside the array."""
        (x, y, z), (width, height, depth) = block, self.size
        return 0 <= x < width and 0 <= y < height and 0 <= z < depth

    def at(self, block: Block) -> int:
        """The block id at a position."""
        x, y, z = block
        return int(self.ids[x, z, y])


class Found(msgspec.Struct, frozen=True):
    """The block a ray ends in, if any, the face it entered, the distance, and whether another face was as near."""

    block: Block | None
    face: int = 6
    distance: float = 0.0
    face_is_close: bool = False


def march(blocks: Blocks, eye: tuple[float, float, float], ray: np.ndarray, wanted: np.ndarray, reach: float) -> Found:
    """Follows a ray to the first wanted block.

    Args:
        blocks: the world.
        eye: start of the ray, inside or outside the world.
        ray: its direction, of any length.
        wanted: bool[ids] blocks that end it.
        reach: largest distance in blocks.
    """
    start, way = np.array(eye), ray / np.linalg.norm(ray)
    block, face, distance, close = list(np.floor(start).astype(int)), 6, 0.0, False
    grows = way > 0
    if not blocks.holds(tuple(block)):
        with np.errstate(divide="ignore", invalid="ignore"):
            enters = (np.where(grows, 0, blocks.size) - start) / way
            leaves = (np.where(grows, blocks.size, 0) - start) / way
        axis = int(np.argmax(enters))
        distance = float(enters[axis])
        if distance < 0 or distance > leaves.min():
            return Found(None)
        block = list(np.clip(np.floor(start + way * distance).astype(int), 0, np.array(blocks.size) - 1))
        face = FACES[axis][0 if grows[axis] else 1]
    # Plain numbers from here on: arrays of three elements are ten times as slow.
    at, begins, goes, ahead = [int(v) for v in block], start.tolist(), way.tolist(), grows.tolist()
    while blocks.holds((at[0], at[1], at[2])) and distance <= reach:
        if wanted[blocks.at((at[0], at[1], at[2]))]:
            return Found((at[0], at[1], at[2]), face, distance, close)
        leaving = [(b + g - s) / w if w else inf for b, g, s, w in zip(at, ahead, begins, goes, strict=True)]
        distance = min(leaving)
        axis = leaving.index(distance)
        close = sorted(leaving)[1] - distance < 1e-3
        face = FACES[axis][0 if ahead[axis] else 1]
        at[axis] += 1 if ahead[axis] else -1
    return Found(None)


# ---------------------------------------------------------------- rays through quads

Floats = npt.NDArray[np.float64]
OUTWARDS = np.array([(-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0), (0, 0, 0)])
TOP = 5
NEVER = -1
TOUCHING = 1e-6
"""Hits that are closer together than this, in blocks, count as at the same distance."""


class Quads(msgspec.Struct, frozen=True):
    """Translucent quads of one mesh, cube quads first."""

    corners: Floats  # float64[n, 4, 3] in blocks, in the order (0,0) (1,0) (1,1) (0,1)
    faces: npt.NDArray[np.int32]  # number of the face
    both_sides: npt.NDArray[np.bool_]  # whether it is visible from behind

    @classmethod
    def of(cls, cubes: Words, models: Words) -> "Quads":
        """Unpacks quads."""
        cube, model = _cube_corners(cubes), _model_corners(models)
        faces = np.concatenate([read(CUBE, cubes, "face"), read(MODEL, models, "face")])
        surface = np.concatenate(
            [read(CUBE, cubes, "flags") & LOWERED != 0, read(MODEL, models, "flags") & TRANSLUCENT_QUAD == 0]
        ) & (faces == TOP)
        return cls(np.concatenate([cube, model]), faces, surface)

    def met(self, eye: Floats, ray: Floats) -> list[tuple[float, int]]:
        """(distance in lengths of ``ray``, index) of the quads that a ray hits, nearest first."""
        found = {}
        for b, c in ((1, 2), (2, 3)):
            at = _triangles_met(self.corners[:, 0], self.corners[:, b], self.corners[:, c], eye, ray)
            for quad in np.flatnonzero(at > 0).tolist():
                outside = (OUTWARDS[self.faces[quad]] * ray).sum() < 0
                if outside or self.both_sides[quad]:
                    found[quad] = at[quad]
        return sorted((float(distance), quad) for quad, distance in found.items())


def drawn_places(cubes: Words, models: Words, eye: tuple[float, float, float]) -> npt.NDArray[np.int64]:
    """int64 by quad: its position in the drawing order of a mesh at the origin; NEVER if not drawn, 0 if unsorted."""
    order, rows = TranslucentSort(), np.zeros((1, ROW), np.int32)
    rows[0, TRANSLUCENT] = len(cubes) + len(models)
    behind = len(cubes) + 30  # as if there were ten models in between
    order.put(rows, 0, (0, 0, 0), cubes, models, behind)
    if not rows[0, FIRST_SORTED]:
        return np.zeros(len(cubes) + len(models), np.int64)
    order.arrange(rows, eye)
    begin = rows[0, FIRST_SORTED] - 1
    drawn = rows[0, AXES] >> OF_ORDER
    units = order.indices[begin : begin + drawn, 0] // VERTICES
    step = MODEL_WORDS // CUBE_WORDS
    quads = np.where(units < len(cubes), units, len(cubes) + (units - behind) // step)
    corners = order.indices[begin : begin + drawn, 0] % VERTICES
    assert np.array_equal(corners, np.where(quads >= len(cubes), OF_MODELS, 0))
    assert len(set(quads.tolist())) == drawn, "each is drawn once"
    places = np.full(len(cubes) + len(models), NEVER, np.int64)
    places[quads] = np.arange(drawn)
    return places


def out_of_order(met: list[tuple[float, int]], places: npt.NDArray[np.int64], ends: float) -> list[tuple[int, int]]:
    """Pairs of quads, adjacent along a ray that ends at ``ends``, that are drawn in the wrong order or never."""
    seen = [(distance, quad) for distance, quad in met if distance < ends]
    return [(quad, quad) for _, quad in seen if places[quad] == NEVER] + [
        (near, far)
        for (one, near), (other, far) in pairwise(seen)
        if other - one > TOUCHING and places[near] <= places[far]
    ]


def stopped_at(opaque: npt.NDArray[np.bool_], eye: Floats, ray: Floats) -> float:
    """The distance, in lengths of ``ray``, at which it enters the first block of ``opaque`` [x, y, z]; inf if none."""
    crossings = [0.0]
    for axis, size in enumerate(opaque.shape):
        if ray[axis]:
            crossings += ((np.arange(size + 1) - eye[axis]) / ray[axis]).tolist()
    ahead = np.unique([at for at in crossings if at >= 0])
    middles = np.floor(eye + (ahead[:-1] + ahead[1:])[:, None] / 2 * ray).astype(np.int64)
    inside = ((middles >= 0) & (middles < opaque.shape)).all(axis=1)
    hit = np.flatnonzero(inside)[opaque[tuple(middles[inside].T)]]
    return float(ahead[hit[0]]) if len(hit) else np.inf


def _cube_corners(words: Words) -> Floats:
    face, each = read(CUBE, words, "face"), np.arange(len(words))
    corner = np.stack([read(CUBE, words, axis) for axis in "xyz"], 1) + np.maximum(OUTWARDS[face], 0) * 1.0
    wide, high = np.zeros((2, len(words), 3))
    wide[each, np.array(FACE_WIDTH_AXIS)[face]] = read(CUBE, words, "width")
    high[each, np.array(FACE_HEIGHT_AXIS)[face]] = read(CUBE, words, "height")
    lowered = (read(CUBE, words, "flags") & LOWERED != 0) * LIQUID_DROP / 16
    corner[:, 1] -= np.where(face == TOP, lowered, 0)
    high[:, 1] -= np.where(face < 4, lowered, 0)
    return np.stack([corner, corner + wide, corner + wide + high, corner + high], 1)


def _model_corners(words: Words) -> Floats:
    origin, u, v = (np.stack([read(MODEL, words, edge + axis) for axis in "xyz"], 1) / 16 for edge in ("", "u", "v"))
    last = origin + u + v
    last[:, 1] += read(MODEL, words, "twist") / 16
    return np.stack([origin, origin + u, last, origin + v], 1)


def _triangles_met(a: Floats, b: Floats, c: Floats, eye: Floats, ray: Floats) -> Floats:
    """Distances along a ray, -1 where it misses the triangle (Moeller-Trumbore)."""
    one, other = b - a, c - a
    across = np.cross(ray, other)
    scale = (one * across).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = ((eye - a) * across).sum(1) / scale
        turned = np.cross(eye - a, one)
        t = (turned * ray).sum(1) / scale
        at = (other * turned).sum(1) / scale
    return np.where((scale != 0) & (s >= 0) & (t >= 0) & (s + t <= 1), at, -1.0)
