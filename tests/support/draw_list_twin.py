"""What draw lists are, the plain way: NumPy and dictionaries, one quantity at a time."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from render.materials.looks import LOWERED
from render.mesh.quads import CUBE, CUBE_WORDS, GROUPS, LIQUID_DROP, MODEL, MODEL_WORDS, Group, Words, read
from render.passes.draw_list import CELL_SIZE, CellOrder, DrawList, MeshTable
from render.passes.frame_list import EyeList
from render.passes.list_kernels import PAGE, ROW
from render.passes.near_quads import MOST_QUADS, NEAR_BLOCKS, NONE, NearQuads

Vector = tuple[float, float, float]
Run = tuple[int, int]
WIDTH_AXIS = np.array([2, 2, 0, 0, 0, 0, 0])
HEIGHT_AXIS = np.array([1, 1, 1, 1, 2, 2, 2])
"""By face; the last row is for what looks no way at all."""
OUTWARD = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 0), (0, 0, 1), (0, 0, 0), (0, 1, 0), (0, 1, 0)])
TOP = 5


def nearest_first(cells: npt.NDArray[np.int32], eye: Vector) -> npt.NDArray[np.int64]:
    """By distance, then by position."""
    offset = cells * CELL_SIZE + CELL_SIZE / 2 - np.array(eye)
    distance = (offset * offset).sum(axis=1)
    order: npt.NDArray[np.int64] = np.lexsort((cells[:, 2], cells[:, 1], cells[:, 0], distance))
    return order


def joined(runs: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]) -> list[Run]:
    """Runs of quads without empty ones, those that follow each other as one."""
    found: list[Run] = []
    for first, quads in zip(*(part.tolist() for part in runs), strict=True):
        if quads and found and sum(found[-1]) == first:
            found[-1] = found[-1][0], found[-1][1] + quads
        elif quads:
            found.append((first, quads))
    return found


def opaque(meshes: DrawList) -> list[Run]:
    """Faces that can look at the eye, mesh by mesh."""
    starts, quads = (part.reshape(-1, 6) for part in meshes.opaque())
    return [run for mesh in zip(starts, quads, strict=True) for run in joined(mesh)]


def blended(meshes: DrawList, near: set[int]) -> list[tuple[Run, str]]:
    """Translucent runs of meshes that are not near, and what draws each, in their order."""
    drawn: list[tuple[Run, str]] = []
    level, slopes = meshes.translucent(), meshes.slopes()
    for at in range(len(meshes.cells)):
        for (first, quads), kind in ((level, "level"), (slopes, "slopes")):
            if quads[at] and len(meshes.cells) - 1 - at not in near:
                drawn.append(((int(first[at]), int(quads[at])), kind))
    return drawn


def near_meshes(meshes: DrawList) -> list[int]:
    """Meshes near the eye with translucent quads, as many as may be sorted."""
    quads = meshes.counts[:, [Group.TRANSLUCENT, Group.LIQUID, Group.SLOPE]].sum(axis=1)
    low = meshes.cells * CELL_SIZE - np.array(meshes.eye)
    away = np.maximum(np.maximum(low, -(low + CELL_SIZE)), 0.0)
    near = np.flatnonzero(((away * away).sum(axis=1) < NEAR_BLOCKS**2) & (quads > 0))
    chosen: list[int] = near[np.cumsum(quads[near]) <= MOST_QUADS].tolist()
    return chosen


@dataclass(frozen=True)
class PlainShining:
    """A near mesh's quads as words, as ``near_quads.Shining.of`` takes them."""

    cubes: Words
    clear: int
    first_cube: int
    slopes: Words
    first_slope: int


def near_quads(cells: npt.NDArray[np.int32], shining: list[PlainShining], eye: Vector) -> list[tuple[int, str]]:
    """Units of quads in the order in which they are drawn, and what draws each; meshes nearest first."""
    drawn: list[tuple[int, str]] = []
    for cell, mesh in zip(cells[::-1].tolist(), shining[::-1], strict=True):
        offset = np.array(cell) * CELL_SIZE - np.array(eye)
        of_cubes, of_slopes = _squares(cube_middles(mesh.cubes) + offset), _squares(model_middles(mesh.slopes) + offset)
        cubes = np.argsort(-of_cubes, kind="stable").tolist()
        for slope in np.argsort(-of_slopes, kind="stable").tolist():
            while cubes and not (cubes[0] < mesh.clear and of_cubes[cubes[0]] < of_slopes[slope]):
                drawn.append((mesh.first_cube + cubes.pop(0), "level"))
            drawn.append((mesh.first_slope + slope * (MODEL_WORDS // CUBE_WORDS), "slopes"))
        drawn += [(mesh.first_cube + cube, "level") for cube in cubes]
    return drawn


def cube_middles(words: Words) -> npt.NDArray[np.float64]:
    """Middles of cube quads in their cell."""
    face = read(CUBE, words, "face")
    middle: npt.NDArray[np.float64] = np.stack([read(CUBE, words, axis) for axis in "xyz"], axis=1).astype(np.float64)
    middle += OUTWARD[face]
    each = np.arange(len(words))
    middle[each, WIDTH_AXIS[face]] += read(CUBE, words, "width") / 2
    middle[each, HEIGHT_AXIS[face]] += read(CUBE, words, "height") / 2
    middle[(face == TOP) & (read(CUBE, words, "flags") & LOWERED != 0), 1] -= LIQUID_DROP / 16
    return middle


def model_middles(words: Words) -> npt.NDArray[np.float64]:
    """Middles of model quads in their cell."""
    sides = [(axis, f"u{axis}", f"v{axis}") for axis in "xyz"]
    middle = [read(MODEL, words, o) + (read(MODEL, words, u) + read(MODEL, words, v)) / 2 for o, u, v in sides]
    return np.stack(middle, axis=1).astype(np.float64) / 16


def _squares(middles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    squares: npt.NDArray[np.float64] = (middles * middles).sum(axis=1)
    return squares


def eye_list(meshes: DrawList, near: NearQuads = NONE) -> EyeList:
    """Meshes that are in their order, as the product has them."""
    rows = np.random.default_rng(len(meshes.cells)).permutation(len(meshes.cells))
    return EyeList(mesh_table(meshes, rows), CellOrder.of(meshes.cells, rows, meshes.eye), near)


def mesh_table(meshes: DrawList, rows: npt.NDArray[np.int64]) -> MeshTable:
    """A table with the meshes in those rows, in pages of one unit."""
    table = np.zeros((len(rows), ROW), np.int32)
    table[rows, :GROUPS], table[rows, PAGE] = meshes.counts, meshes.first_units
    return MeshTable(table, 1)
