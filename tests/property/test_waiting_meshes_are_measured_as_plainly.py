"""Meshes that wait for their upload: how far they are, and which must wait for light, as NumPy finds it."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from net.space.dimensions import Dimension
from render.passes.draw_list import CELL_SIZE
from render.scene.cells import CellState
from render.scene.grid import CellIndices, Grid
from render.scene.upload_kernels import measure_cells

ROWS = 9
Flags = npt.NDArray[np.bool_]


def plain_dark(grid: Grid, cells: CellIndices, row_lit: Flags, light_behind: Flags) -> Flags:
    """Whether the light of one of a cell's places is not there; a half outside the dimension asks its other half."""
    own = grid.own_places(cells)
    own = np.where(own < grid.sections, own[:, ::-1], own)
    dark: Flags = ~row_lit[cells // grid.tall] | light_behind[own].any(axis=1)
    return dark


@given(st.integers(0, 2**32 - 1), st.integers(-3, 1), st.integers(4, 9), st.sampled_from([0.1, 0.5, 0.9]))
def test_what_waits_is_measured_as_plainly(seed: int, floor: int, sections: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    grid = Grid.of(Dimension(7, "some", floor, sections, True))
    cells = rng.permutation(np.arange(grid.tall, ROWS * grid.tall))[: rng.integers(0, 20)]
    columns = rng.integers(-9, 9, (ROWS, 2)).astype(np.int32)
    picture = rng.integers(0, len(CellState), ROWS * grid.tall).astype(np.uint8)
    row_lit, light_behind = rng.random(ROWS) < share, rng.random(ROWS * grid.sections) > share
    eye, found = tuple(rng.uniform(-100.0, 100.0, 3).tolist()), np.empty(len(cells))
    of_grid = grid.floor, grid.sections, grid.low, grid.tall
    count = measure_cells(cells, *of_grid, columns, picture, int(CellState.READY), row_lit, light_behind, *eye, found)
    waits = (picture[cells] == CellState.READY) & plain_dark(grid, cells, row_lit, light_behind)
    way = (grid.cell_positions(cells, columns) + 0.5) * CELL_SIZE - np.array(eye)
    assert np.array_equal(np.isinf(found), waits)
    assert count == (~waits).sum()
    np.testing.assert_allclose(found[~waits], (way * way).sum(axis=1)[~waits], rtol=1e-9, atol=1e-9)
