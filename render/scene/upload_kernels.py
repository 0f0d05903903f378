"""What uploads ask of meshes in every step while a world arrives: which are near, and what each stands for.

NumPy took 0.3 ms a step for the first, with a thousand meshes waiting, and 14 us a mesh for the second.

Indices. None comes from outside: cells are the scene's, of the store's rows.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.kernels import casts as nb
from net.kernels.jit import kernel
from render.mesh.vertex_format import CUBE
from render.passes.draw_list_kernels import TALL, WIDE

# Numba's casts are Any to mypy.
# mypy: disable-error-code="no-any-return"

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U32 = npt.NDArray[np.uint32]
F64 = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

WIDTH, HEIGHT = CUBE["width"], CUBE["height"]
WORD: Final = WIDTH.word
"""Of a cube quad, with both of its sizes."""
WIDTH_SHIFT, WIDTH_MASK, WIDTH_BIAS = WIDTH.shift, WIDTH.mask, WIDTH.bias
HEIGHT_SHIFT, HEIGHT_MASK, HEIGHT_BIAS = HEIGHT.shift, HEIGHT.mask, HEIGHT.bias


@kernel(
    "int64(int64[::1], int64, int64, int64, int64, int32[:,::1], int64[::1], boolean[::1], boolean[::1],"
    " float64, float64, float64, float64[::1])"
)
def measure_cells(
    cells: I64,
    floor: int,
    sections: int,
    low: int,
    tall: int,
    columns: I32,
    page: I64,
    row_lit: Flags,
    light_behind: Flags,
    x: float,
    y: float,
    z: float,
    distance: F64,
) -> int:
    """How far cells are that may be shown: all but those that show nothing and whose light is not there.

    Args:
        cells: int64[n].
        floor: of the grid, like the three behind it.
        columns: int32[rows, 2] positions of the store's columns.
        page: int64[cells] where the mesh lies that each shows; below 0 where it shows nothing.
        row_lit: bool[rows] lit since whole sub-chunks of them came.
        light_behind: bool[places] whose light is not on the GPU.
        x: of the eye, in blocks.
        distance: float64[n], written: squares, in blocks, of their middles; infinite for those that may not be shown.

    Returns:
        How many may be.
    """
    count = nb.int64(0)
    for index in range(cells.shape[0]):
        cell = cells[index]
        row = cell // tall
        level = cell - row * tall + low
        dark = nb.int64(not row_lit[row])
        for half in range(2):  # one outside of the dimension asks its other half
            section = min(max(2 * level + half - floor, 0), sections - 1)
            dark |= nb.int64(light_behind[row * sections + section])
        if dark and page[cell] < 0:
            distance[index] = np.inf
            continue
        dx, dy, dz = columns[row, 0] * WIDE + 8.0 - x, level * TALL + 16.0 - y, columns[row, 1] * WIDE + 8.0 - z
        distance[index] = dx * dx + dy * dy + dz * dz
        count += 1
    return count


@kernel("int64(uint32[:,::1], int64)")
def cover(units: U32, cubes: int) -> int:
    """Faces of blocks that the first quads of a mesh cover, uint32[n, 2]."""
    faces = nb.int64(0)
    for index in range(cubes):
        word = nb.int64(units[index, WORD])
        wide, tall = (word >> WIDTH_SHIFT & WIDTH_MASK) + WIDTH_BIAS, (word >> HEIGHT_SHIFT & HEIGHT_MASK) + HEIGHT_BIAS
        faces += wide * tall
    return faces
