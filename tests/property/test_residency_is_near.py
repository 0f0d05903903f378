"""Wherever columns are and the eye goes, what is on the GPU fits a square of a bounded side, and holds what is near.

Waiting meshes are measured as plainly: Meshes that wait for their upload: how far they are, and which must wait for
light, as NumPy finds it.
"""

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from client.streaming.anchors import Anchor, Anchors
from net.space import FARTHEST_COLUMN, ColumnPos, Dimension
from render.gpu.page_table import Torus
from render.passes.draw_list import CELL_BLOCKS
from render.scene.cells import NO_PAGE
from render.scene.grid import CellIndices, Grid
from render.scene.reach_kernels import measure_cells
from render.scene.residency import MESH_MARGIN_COLUMNS, REACH_COLUMNS, SLACK_COLUMNS, Residency
from tests.support.worlds.blocks import FakeTable, FakeWorld
from tests.support.worlds.painted import DIMENSION

# ---------------------------------------------------------------- residency is near

EDGE = FARTHEST_COLUMN - 1
AXIS = st.one_of(
    st.integers(-EDGE, EDGE), st.integers(-400, 400), st.sampled_from([EDGE, -EDGE, 62_500_000, 1 << 20, -(1 << 20)])
)
COLUMN = st.builds(ColumnPos, AXIS, AXIS)
COLUMNS = st.lists(COLUMN, min_size=1, max_size=12, unique=True)


@settings(deadline=None)
@given(
    columns=COLUMNS,
    late=COLUMNS,
    eyes=st.lists(st.one_of(COLUMN, st.integers(0, 11)), min_size=1, max_size=6),
    pinned=st.booleans(),
)
def test_what_is_there_is_near_and_what_is_near_is_there(
    columns: list[ColumnPos], late: list[ColumnPos], eyes: list[ColumnPos | int], pinned: bool
) -> None:
    world = FakeWorld(DIMENSION, FakeTable.plain(), 32, 8)
    anchors = Anchors() if pinned else None
    residency = Residency(anchors)
    if anchors is not None:
        for number, column in enumerate(columns):
            anchors.pin(str(number), Anchor.square(column, 1))
    late = [column for column in late if column not in columns]
    residency.resize(len(world.columns))
    for number, eye in enumerate(eyes):
        at = columns[eye % len(columns)] if isinstance(eye, int) else eye
        residency.move_eye((at.x * 16.0, 0.0, at.z * 16.0))
        coming = columns if number == 0 else late if number == 1 else []
        residency.came(world, np.array(world.add_columns(coming), np.int64))
        moves = residency.step(world)
        assert not residency.moved
        rows = np.array(sorted(world.row_of.values()), np.int64)
        lit, shown = residency.lit[rows], residency.shown[rows]
        there = world.columns[rows[lit]].astype(np.int64)
        away = np.abs(world.columns[rows].astype(np.int64) - np.array(at)).max(axis=1)
        held = np.ones(len(rows), np.bool_) if anchors is None else anchors.counts(world.columns[rows]) > 0
        if len(there):
            assert (np.ptp(there, axis=0) <= 2 * REACH_COLUMNS).all()
        assert (away[lit] <= REACH_COLUMNS + SLACK_COLUMNS).all()
        assert lit[held & (away <= REACH_COLUMNS - SLACK_COLUMNS)].all()
        assert (lit | ~shown).all()
        if anchors is None:
            assert shown[away <= REACH_COLUMNS + MESH_MARGIN_COLUMNS - SLACK_COLUMNS].all()
        if moves is not None:
            assert residency.shown[moves.appeared].all()
            assert not residency.shown[moves.vanished].any()


@given(st.lists(st.tuples(AXIS, st.integers(-128, 127), AXIS), min_size=1, unique=True))
def test_every_position_has_a_key_of_its_own(positions: list[tuple[int, int, int]]) -> None:
    torus = Torus(np.array([1, 1, 1]))
    for position in positions:
        at = np.array([position], np.int64)
        torus.own(at)
        assert torus.positions.tolist() == [list(position)]
        assert torus.has(np.array(positions)).sum() == 1


# ---------------------------------------------------------------- waiting meshes are measured as plainly

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
    page = rng.integers(NO_PAGE, 2, ROWS * grid.tall)
    row_lit, light_behind = rng.random(ROWS) < share, rng.random(ROWS * grid.sections) > share
    eye, found = tuple(rng.uniform(-100.0, 100.0, 3).tolist()), np.empty(len(cells))
    of_grid = grid.floor, grid.sections, grid.low, grid.tall
    count = measure_cells(cells, *of_grid, columns, page, row_lit, light_behind, *eye, found)
    waits = (page[cells] == NO_PAGE) & plain_dark(grid, cells, row_lit, light_behind)
    way = (grid.cell_positions(cells, columns) + 0.5) * CELL_BLOCKS - np.array(eye)
    assert np.array_equal(np.isinf(found), waits)
    assert count == (~waits).sum()
    np.testing.assert_allclose(found[~waits], (way * way).sum(axis=1)[~waits], rtol=1e-9, atol=1e-9)
