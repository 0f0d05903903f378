"""Plain reference of draw lists: NumPy and dictionaries, one quantity at a time."""

import msgspec
import numpy as np
import numpy.typing as npt

from render.materials.biome_tints import LOWERED, TRANSLUCENT_QUAD
from render.mesh.vertex_format import CUBE, FACE_AXIS, FACE_HEIGHT_AXIS, FACE_WIDTH_AXIS, GROUPS, MODEL, Words, read
from render.passes.draw_list import CELL_BLOCKS, ArenaMeshes, CellOrder, EyeList, MeshList, RunList
from render.passes.draw_list_kernels import PAGE, ROW

Vector = tuple[float, float, float]
Run = tuple[int, int]
X, Y, Z = range(3)
ORDERS = ((Y, X, Z), (Y, Z, X), (X, Y, Z), (X, Z, Y), (Z, Y, X), (Z, X, Y))
TOP, BOTTOM = 5, 4


def nearest_first(cells: npt.NDArray[np.int32], eye: Vector) -> npt.NDArray[np.int64]:
    """The order of cells by distance of their middles from the eye, then by position."""
    offset = cells * CELL_BLOCKS + CELL_BLOCKS / 2 - np.array(eye)
    distance = (offset * offset).sum(axis=1)
    order: npt.NDArray[np.int64] = np.lexsort((cells[:, 2], cells[:, 1], cells[:, 0], distance))
    return order


def narrowed(eye_list: EyeList, shown: npt.NDArray[np.bool_], eye: Vector) -> RunList:
    """The meshes of an eye list that a mask selects, bool[cells], as after a look that saw them."""
    changed = not np.array_equal(eye_list.shown, shown)
    eye_list.shown = shown.copy()
    return eye_list._seen(eye, changed)


def joined(runs: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> list[Run]:
    """Runs (first, count) without empty ones; adjacent runs are joined."""
    found: list[Run] = []
    for first, quads in zip(*(part.tolist() for part in runs), strict=True):
        if quads and found and sum(found[-1]) == first:
            found[-1] = found[-1][0], found[-1][1] + quads
        elif quads:
            found.append((first, quads))
    return found


def opaque(meshes: MeshList) -> list[Run]:
    """Runs of opaque faces that may face the eye, mesh by mesh."""
    starts, quads = (part.reshape(-1, 6) for part in meshes.opaque())
    return [run for mesh in zip(starts, quads, strict=True) for run in joined(mesh)]


def blended(meshes: MeshList) -> list[tuple[Run, str]]:
    """Translucent runs of meshes whose quads need no sorting, in drawing order, each with the program that draws it."""
    drawn: list[tuple[Run, str]] = []
    level, slopes = meshes.translucent(), meshes.slopes()
    for at in range(len(meshes.cells)):
        for (first, quads), kind in ((level, "level"), (slopes, "slopes")):
            if quads[at]:
                drawn.append(((int(first[at]), int(quads[at])), kind))
    return drawn


class PlainQuad(msgspec.Struct, frozen=True):
    """A translucent quad for sorting: its blocks, its face, and whether it is a liquid's surface or a pane."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    face: int
    surface: bool
    pane: tuple[int, int] | None = None

    @property
    def axis(self) -> int:
        """The axis of its normal."""
        return FACE_AXIS[self.face]

    def allows(self, order: tuple[int, ...]) -> bool:
        """Whether it extends only along axes that come after its own in ``order``."""
        longer = [axis for axis in range(3) if self.high[axis] > self.low[axis]]
        return all(order.index(axis) > order.index(self.axis) for axis in longer)

    def looks_away(self, eye: tuple[int, ...]) -> bool:
        """Whether its front cannot be seen from the eye's block."""
        if self.surface or self.pane:
            return False
        if self.face % 2:
            return eye[self.axis] <= self.high[self.axis]
        return eye[self.axis] >= self.low[self.axis]

    def key(self, order: tuple[int, ...], eye: tuple[int, ...], parts: tuple[int, int], over: int) -> tuple[int, ...]:
        """The sort key: greater for quads that are farther away."""
        turn = 2 if self.surface and eye[Y] + over <= self.high[Y] else 1 if self.pane else 0
        alone = self.pane is not None or (self.surface and self.low == self.high)
        levels: list[int] = []
        for axis in order:
            away = max(self.low[axis] - eye[axis], eye[axis] - self.high[axis], 0)
            levels += [away, turn if axis == self.axis and not alone else 1]
        levels.append(turn if alone else 0)
        for axis, own, part in zip((X, Z), self.pane or (), parts, strict=False):
            there = -1 if eye[axis] < self.low[axis] else 3 if eye[axis] > self.low[axis] else part
            levels.append(abs(own - there))
        return tuple(levels)


def cube_quads(words: Words) -> list[PlainQuad]:
    """Unpacks cube quads."""
    faces = read(CUBE, words, "face").tolist()
    low = np.stack([read(CUBE, words, axis) for axis in "xyz"], axis=1)
    high, each = low.copy(), np.arange(len(words))
    high[each, np.array(FACE_WIDTH_AXIS)[faces]] += read(CUBE, words, "width") - 1
    high[each, np.array(FACE_HEIGHT_AXIS)[faces]] += read(CUBE, words, "height") - 1
    lowered = (read(CUBE, words, "flags") & LOWERED != 0).tolist()
    return [
        PlainQuad(tuple(a), tuple(b), face, face == TOP and lower)
        for a, b, face, lower in zip(low.tolist(), high.tolist(), faces, lowered, strict=True)
    ]


def model_quads(words: Words) -> list[PlainQuad]:
    """Unpacks model quads."""
    fields = {name: read(MODEL, words, name).tolist() for name in MODEL}
    found = []
    for k in range(len(words)):
        block, face = tuple(fields[f"block_{axis}"][k] for axis in "xyz"), fields["face"][k]
        pane = None
        if fields["flags"][k] & TRANSLUCENT_QUAD:
            inward = {0: (0.5, 0), 1: (-0.5, 0), 2: (0, 0.5), 3: (0, -0.5)}.get(face, (0, 0))
            middle = [
                fields[axis][k] + (fields[f"u{axis}"][k] + fields[f"v{axis}"][k]) / 2 + moved - 16 * at
                for axis, moved, at in zip("xz", inward, (block[0], block[2]), strict=True)
            ]
            pane = tuple(int(value >= 7) + int(value > 9) for value in middle)
        found.append(PlainQuad(block, block, face, face == TOP and pane is None, pane))
    return found


def translucent_sort(cubes: Words, slopes: Words, cell: tuple[int, ...], eye: Vector) -> list[int] | None:
    """Indices of quads in drawing order, cubes are numbered first; None if no sorting is needed."""
    level, quads = cube_quads(cubes), [*cube_quads(cubes), *model_quads(slopes)]
    looks = {(quad.face, quad.surface): set[int]() for quad in level}
    for quad in level:
        looks[quad.face, quad.surface].add(quad.low[quad.axis])
    one_axis = len({quad.axis for quad in level}) < 2 and all(len(planes) == 1 for planes in looks.values())
    apart = (TOP, True) in looks and ((TOP, False) in looks or (BOTTOM, False) in looks)
    if one_axis and not apart and (not len(slopes) or len(quads) < 2):
        return None
    order = next((order for order in ORDERS if all(quad.allows(order) for quad in level)), ORDERS[0])
    size = (16, 32, 16)
    at = [min(max(int(np.floor(e)) - c * s, -1), s) for e, c, s in zip(eye, cell, size, strict=True)]
    parts = [int(e % 1 >= 7 / 16) + int(e % 1 >= 9 / 16) for e in (eye[0], eye[2])]
    keys = [quad.key(order, tuple(at), (parts[0], parts[1]), int(eye[1] % 1 > 14 / 16)) for quad in quads]
    seen = [k for k, quad in enumerate(quads) if not quad.looks_away(tuple(at))]
    return sorted(seen, key=lambda k: (*(-value for value in keys[k]), *[0] * (9 - len(keys[k])), k))


def eye_list(meshes: MeshList) -> EyeList:
    """The product's list for sorted meshes."""
    rows = np.random.default_rng(len(meshes.cells)).permutation(len(meshes.cells))
    return EyeList(mesh_table(meshes, rows), CellOrder.of(meshes.cells, rows, meshes.eye))


def mesh_table(meshes: MeshList, rows: npt.NDArray[np.int64]) -> ArenaMeshes:
    """A mesh table with the meshes in the given rows, in pages of one unit."""
    table = np.zeros((len(rows), ROW), np.int32)
    table[rows, :GROUPS], table[rows, PAGE] = meshes.counts, meshes.first_units
    return ArenaMeshes(table, 1)
