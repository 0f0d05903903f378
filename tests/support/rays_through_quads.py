"""Which translucent quads of a mesh rays meet, one after the other, by the corners that shaders give them."""

from itertools import pairwise

import msgspec
import numpy as np
import numpy.typing as npt

from render.materials.looks import CLEAR, LOWERED
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
from render.passes.translucent_kernels import OF_MODELS, VERTICES
from render.passes.translucent_sort import BlendOrder

Floats = npt.NDArray[np.float64]
OUTWARDS = np.array([(-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0), (0, 0, 0)])
TOP = 5
NEVER = -1
TOUCHING = 1e-6
"""Blocks: what lies closer together along a ray lies in one place."""


class Quads(msgspec.Struct, frozen=True):
    """Translucent quads of one mesh, cube quads first."""

    corners: Floats  # float64[n, 4, 3] in blocks, in the order (0,0) (1,0) (1,1) (0,1)
    faces: npt.NDArray[np.int32]  # the direction that each looks to
    both_sides: npt.NDArray[np.bool_]  # whether it shows from behind, too

    @classmethod
    def of(cls, cubes: Words, models: Words) -> "Quads":
        """Of packed ones."""
        cube, model = _cube_corners(cubes), _model_corners(models)
        faces = np.concatenate([read(CUBE, cubes, "face"), read(MODEL, models, "face")])
        surface = np.concatenate(
            [read(CUBE, cubes, "flags") & LOWERED != 0, read(MODEL, models, "flags") & CLEAR == 0]
        ) & (faces == TOP)
        return cls(np.concatenate([cube, model]), faces, surface)

    def met(self, eye: Floats, ray: Floats) -> list[tuple[float, int]]:
        """Distances, in lengths of the ray, and numbers of those that a ray meets, nearest first."""
        found = {}
        for b, c in ((1, 2), (2, 3)):
            at = _triangles_met(self.corners[:, 0], self.corners[:, b], self.corners[:, c], eye, ray)
            for quad in np.flatnonzero(at > 0).tolist():
                outside = (OUTWARDS[self.faces[quad]] * ray).sum() < 0
                if outside or self.both_sides[quad]:
                    found[quad] = at[quad]
        return sorted((float(distance), quad) for quad, distance in found.items())


def drawn_places(cubes: Words, models: Words, eye: tuple[float, float, float]) -> npt.NDArray[np.int64]:
    """When each quad of a mesh at the origin is drawn, if ever; all at once where no order is needed."""
    order, rows = BlendOrder(), np.zeros((1, ROW), np.int32)
    rows[0, TRANSLUCENT] = len(cubes) + len(models)
    behind = len(cubes) + 30  # as if ten models lay between
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
    """Pairs that follow each other along a ray, up to where it ends, and are drawn the wrong way round, or never."""
    seen = [(distance, quad) for distance, quad in met if distance < ends]
    return [(quad, quad) for _, quad in seen if places[quad] == NEVER] + [
        (near, far)
        for (one, near), (other, far) in pairwise(seen)
        if other - one > TOUCHING and places[near] <= places[far]
    ]


def stopped_at(opaque: npt.NDArray[np.bool_], eye: Floats, ray: Floats) -> float:
    """Where a ray enters the first opaque block, in its lengths; [x, y, z] of the mesh's blocks."""
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
    """Distances along a ray, -1 where it misses (Moeller and Trumbore)."""
    one, other = b - a, c - a
    across = np.cross(ray, other)
    scale = (one * across).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        s = ((eye - a) * across).sum(1) / scale
        turned = np.cross(eye - a, one)
        t = (turned * ray).sum(1) / scale
        at = (other * turned).sum(1) / scale
    return np.where((scale != 0) & (s >= 0) & (t >= 0) & (s + t <= 1), at, -1.0)
