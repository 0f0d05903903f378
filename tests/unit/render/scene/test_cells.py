"""States of a render cell: the table for people, and what cells do.

Cell history: What cells showed: generations, faces behind quads, and when a look saw them change.

Change reach: What neighbours can notice of a place: nothing through a layer that was and is opaque.

Diagnosis: What ``why`` says of a picture that nobody draws: the scene's own rules, asked without GL.

Grid: Places and render cells, against the plain way of counting.
"""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.options import Options
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import HostOptions
from net.space import (
    ABOVE_PLACE,
    BELOW_PLACE,
    END,
    NETHER,
    OVERWORLD,
    UNLOADED_PLACE,
    BlockPos,
    ColumnPos,
    Dimension,
    SubChunkPos,
)
from render.gpu.quad_arena import QuadArena, Run
from render.mesh import mesher
from render.mesh.vertex_format import CUBE, CUBE_GROUPS, GROUPS, Group, pack
from render.passes.overlay.boxes import FAILED, STYLES
from render.scene.cells import BEFORE, LIFE, CellEvent, CellHistory, Cells, CellState, CellTransition, diagram, faces_of
from render.scene.diagnosis import outlook
from render.scene.grid import Facing, Grid, cells_around, cells_touched, shut_sides
from render.scene.reach_kernels import ALL_SIDES, WET
from tests.support.session.virtual import VirtualSession
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import DIMENSION, PaintedStore

# ---------------------------------------------------------------- cells

# ---------------------------------------------------------------- picture

STATES = Path(__file__).parents[4] / "docs" / "reference" / "states.md"
CELL = 3
ONE = np.array([CELL], np.int64)
HOW = {
    CellState.ABSENT: (),
    CellState.DIRTY: (CellEvent.MARKED,),
    CellState.READY: (CellEvent.MARKED, CellEvent.MADE),
    CellState.EMPTY: (CellEvent.MARKED, CellEvent.EMPTIED),
    CellState.SHOWN: (CellEvent.MARKED, CellEvent.MADE, CellEvent.UPLOADED),
    CellState.STALE: (CellEvent.MARKED, CellEvent.MADE, CellEvent.UPLOADED, CellEvent.MARKED),
    CellState.FAILED: (CellEvent.MARKED, CellEvent.MADE, CellEvent.UPLOADED, CellEvent.MARKED, CellEvent.RAISED),
}
"""What brings a cell into each state."""


class Arena:
    """Pages without a GPU."""

    def put(self, units: np.ndarray, position: tuple[int, int, int]) -> Run:
        return Run(0, 1)

    def free(self, run: Run) -> None:
        """Takes them back."""


def happen(cells: Cells, event: CellEvent) -> None:
    counts = np.zeros(GROUPS, np.int32)
    counts[Group.OPAQUE_POS_Y] = 1
    match event:
        case CellEvent.MARKED:
            cells.mark(ONE)
        case CellEvent.MADE:
            cells.ready(ONE, cells.wanted[ONE])
        case CellEvent.UPLOADED:
            cells.accept(ONE)
            cells.show(CELL, (0, 0, 0), np.zeros((1, 2), np.uint32), counts)
        case CellEvent.EMPTIED:
            cells.show_empty(ONE)
        case CellEvent.RAISED:
            cells.fail(CELL, int(cells.wanted[CELL]))
        case CellEvent.GONE:
            cells.remove(ONE)


@pytest.mark.parametrize(("turn", "before"), [(turn, before) for turn in LIFE for before in turn.before])
def test_cells_do_what_the_table_says(turn: CellTransition, before: CellState) -> None:
    cells = Cells(Grid.of(OVERWORLD), cast(QuadArena, Arena()))
    cells.resize(2)
    for event in HOW[before]:
        happen(cells, event)
    assert cells.picture[CELL] == before
    happen(cells, turn.event)
    assert cells.picture[CELL] == (before if turn.after is None else turn.after)


def test_what_failed_before_anything_was_shown_is_dirty_again_after_a_change() -> None:
    cells = Cells(Grid.of(OVERWORLD), cast(QuadArena, Arena()))
    cells.resize(2)
    for event in (CellEvent.MARKED, CellEvent.RAISED, CellEvent.MARKED):
        happen(cells, event)
    assert cells.picture[CELL] == CellState.DIRTY


def test_lists_for_an_eye_are_made_again_when_more_columns_need_a_longer_table() -> None:
    """A list writes the order of translucent quads into the table that it holds: a longer copy would miss the next."""
    cells = Cells(Grid.of(OVERWORLD), cast(QuadArena, Arena()))
    cells.resize(2)
    first = cells.version
    cells.resize(4)
    longer = cells.version
    cells.resize(3)
    assert first < longer == cells.version


def test_an_event_and_a_state_stand_in_one_row() -> None:
    told = [(row.event, before) for row in LIFE for before in row.before]
    assert len(set(told)) == len(told)
    assert {row.event for row in LIFE} == set(CellEvent)
    assert {row.after for row in LIFE} - {None} == set(CellState)


def test_the_page_for_people_is_written_from_the_table() -> None:
    assert diagram() in STATES.read_text(encoding="utf-8"), "run python docs/generate.py"


def test_the_overlay_has_a_paint_of_its_own_for_what_failed() -> None:
    assert FAILED not in STYLES.values()
    assert FAILED.label in STATES.read_text(encoding="utf-8")


# ---------------------------------------------------------------- cell history


@given(st.lists(st.tuples(st.integers(1, 16), st.integers(1, 32)), max_size=20), st.integers(0, 3))
def test_faces_are_what_quads_cover_and_model_quads(sizes: list[tuple[int, int]], models: int) -> None:
    columns = np.array(sizes, np.int64).reshape(-1, 2)
    units = np.concatenate(
        [pack(CUBE, len(sizes), width=columns[:, 0], height=columns[:, 1]), np.zeros((3 * models, 2), np.uint32)]
    )
    counts = np.zeros(GROUPS, np.int32)
    counts[0], counts[CUBE_GROUPS] = len(sizes), models
    assert faces_of(units, counts) == sum(wide * tall for wide, tall in sizes) + models


def one_quad() -> tuple[np.ndarray, np.ndarray]:
    counts = np.zeros(GROUPS, np.int32)
    counts[0] = 1
    return pack(CUBE, 1, width=[2], height=[3]), counts


def both(cells: np.ndarray) -> np.ndarray:
    """The blocks of both sub-chunks are there."""
    return np.ones((len(cells), 2), np.bool_)


def test_what_the_first_look_finds_has_no_time_and_what_changes_later_has() -> None:
    history = CellHistory()
    history.resize(3)
    history.show(0, *one_quad())
    history.record(5.0, both)
    assert np.isnan(history.changed_s).all()
    history.show(0, *one_quad())
    history.show(1, *one_quad())
    history.record(6.5, both)
    history.record(9.0, both)
    assert history.changed_s[:2].tolist() == [6.5, 6.5]
    assert history.first_s.tolist()[:2] == [[BEFORE, BEFORE], [6.5, 6.5]]
    assert history.generations.tolist() == [2, 1, 0]


def test_a_sub_chunk_was_drawn_when_its_own_blocks_were_in_the_mesh_not_those_of_the_other_half() -> None:
    history = CellHistory()
    history.resize(1)
    history.record(0.0, both)
    history.show(0, *one_quad())
    history.record(1.0, lambda cells: np.array([[False, True]] * len(cells)))
    assert np.isnan(history.first_s[0, 0])
    history.show(0, *one_quad())
    history.record(2.0, both)
    assert history.first_s[0].tolist() == [2.0, 1.0]


def test_an_empty_cell_that_stays_empty_is_no_change_and_a_cell_that_went_begins_anew() -> None:
    history = CellHistory()
    history.resize(2)
    history.show(0, *one_quad())
    history.show_empty(np.array([0, 1]))
    assert history.generations.tolist() == [2, 0]
    assert history.faces.tolist() == [0, 0]
    history.record(1.0, both)
    history.forget(np.array([0]))
    assert history.generations.tolist() == [0, 0]
    history.record(2.0, both)
    assert np.isnan(history.changed_s).all()


# ---------------------------------------------------------------- change reach

MIDDLE = ColumnPos(1, 1)
COLUMNS = [ColumnPos(x, z) for x in range(3) for z in range(3)]
LAYERS = [np.s_[0], np.s_[15], np.s_[:, 0], np.s_[:, 15], np.s_[:, :, 0], np.s_[:, :, 15]]


def store_with(cube: np.ndarray, section: int = 1) -> tuple[PaintedStore, np.ndarray]:
    """Nine columns of placeholders; one sub-chunk in the middle one, of [x, z, y] blocks."""
    store = PaintedStore()
    for column in COLUMNS:
        store.add_column(column)
    place = store.place(MIDDLE, section)
    store.show(place, np.ascontiguousarray(cube.astype(np.uint16)).reshape(4096))
    return store, np.array([place], np.int32)


@pytest.mark.parametrize("side", range(6))
def test_a_side_is_shut_where_its_whole_layer_is_opaque(side: int) -> None:
    cube = np.zeros((16, 16, 16), np.uint16)
    cube[LAYERS[side]] = paint.STONE
    store, place = store_with(cube)
    assert shut_sides(store.pools, store.slot[place]).tolist() == [1 << side]
    cube[LAYERS[side]][3, 5] = paint.WATER
    store, place = store_with(cube)
    assert shut_sides(store.pools, store.slot[place]).tolist() == [WET]


def test_placeholders_are_shut_and_air_is_open() -> None:
    store, place = store_with(np.zeros((16, 16, 16)))
    assert shut_sides(store.pools, store.slot[place]).tolist() == [0]
    assert shut_sides(store.pools, store.slot[place + 1]).tolist() == [ALL_SIDES]


def cells(store: PaintedStore, place: np.ndarray) -> list[tuple[int, ...]]:
    """Positions of the cells that a change of a place reaches, when placeholders were there before."""
    grid, facing = Grid.of(DIMENSION), Facing()
    facing.resize(len(store.slot))
    reached = cells_around(store, grid, place, facing.update(store, place), facing.sides)
    assert facing.update(store, place).tolist() == [~shut_sides(store.pools, store.slot[place])[0] & ALL_SIDES | 0]
    return [tuple(at) for at in grid.cell_positions(reached, store.columns).tolist()]


def test_an_arrival_reaches_the_cells_that_it_opens_a_side_to() -> None:
    cube = np.full((16, 16, 16), paint.STONE)
    assert cells(*store_with(cube)) == [(1, 0, 1)]
    cube[15, 7, 7] = paint.AIR
    assert set(cells(*store_with(cube))) == {(1, 0, 1), (2, 0, 1)}
    cube[7, 7, 15] = paint.AIR  # the second section is the upper half of its cell
    assert set(cells(*store_with(cube))) == {(1, 0, 1), (2, 0, 1), (1, 1, 1)}


def test_liquid_reaches_round_corners() -> None:
    store, place = store_with(np.zeros((16, 16, 16)))
    assert len(cells(store, place)) == 6, "itself, four beside it, and above; below is its own cell"
    grid, facing = Grid.of(DIMENSION), Facing()
    facing.resize(len(store.slot))
    water = store.place(ColumnPos(2, 2), 2)
    store.show(water, np.full(4096, paint.WATER, np.uint16))
    facing.update(store, np.array([water], np.int32))
    reached = cells_around(store, grid, place, facing.update(store, place), facing.sides)
    assert (2, 1, 2) in [tuple(at) for at in grid.cell_positions(reached, store.columns).tolist()]


@pytest.mark.parametrize(
    ("block", "reached"),
    [
        ((8, 8, 8), {(1, 0, 1)}),
        ((15, 8, 8), {(1, 0, 1), (2, 0, 1)}),
        ((0, 0, 8), {(1, 0, 1), (0, 0, 1), (1, 0, 0), (0, 0, 0)}),
        ((8, 8, 15), {(1, 0, 1), (1, 1, 1)}),
        ((8, 8, 0), {(1, 0, 1)}),
    ],
)
def test_a_single_block_reaches_the_cells_that_it_touches(
    block: tuple[int, int, int], reached: set[tuple[int, int, int]]
) -> None:
    store, place = store_with(np.zeros((16, 16, 16)))
    grid = Grid.of(DIMENSION)
    x, z, y = block
    found = cells_touched(store, grid, place, np.array([x << 8 | z << 4 | y], np.uint16))
    assert {tuple(at) for at in grid.cell_positions(found, store.columns).tolist()} == reached


# ---------------------------------------------------------------- diagnosis

RIM = "at the edge of the loaded columns, or beyond"


@pytest.mark.parametrize(
    ("block", "faults", "meshed", "told"),
    [
        ((8, -61, 8), ServerFaults(), True, "it is drawn, in render cell 0,-2,0"),
        ((8, 100, 8), ServerFaults(), False, "nothing to draw: all air"),
        ((8, -40, 8), ServerFaults(), False, "nothing to draw: all air"),
        (
            (8, -61, 8),
            ServerFaults(refusals=(RefusalFault(2, times=100),)),
            False,
            "nothing to draw: its blocks are unknown",
        ),
        ((56, -61, 8), ServerFaults(), False, f"nothing to draw: its column lies {RIM}"),
        ((40, -61, 8), ServerFaults(), True, "it is drawn, in render cell 2,-2,0"),
        ((800, -61, 8), ServerFaults(), False, "nothing to draw: its chunk column is not announced"),
    ],
    ids=["blocks", "air", "air over blocks", "refused", "at the rim", "before it", "never sent"],
)
def test_a_cell_is_meshed_when_it_holds_something_that_is_known(
    block: tuple[int, int, int], faults: ServerFaults, meshed: bool, told: str
) -> None:
    with VirtualSession("flat:1", HostOptions(faults=faults)).connection(Options(radius=2)) as connection:
        connection.wait_settled(60.0)
        assert outlook(connection.session, BlockPos(*block)) == (meshed, told, "")


def test_a_cell_that_cannot_be_meshed_is_said_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def impossible(batch: object, scratch: object) -> None:
        raise ValueError("an impossible block")

    with VirtualSession("flat:1", HostOptions()).connection(Options(radius=2)) as connection:
        connection.wait_settled(60.0)
        monkeypatch.setattr(mesher, "run", impossible)
        found = outlook(connection.session, BlockPos(8, -61, 8))
    why = "render cell 0,-2,0 cannot be meshed (ValueError: an impossible block)"
    assert found == (False, f"failed: {why}", f"Unmeshed: its {why}")


# ---------------------------------------------------------------- grid

DIMENSIONS = [OVERWORLD, NETHER, END, Dimension(9, "odd", -3, 7, True), Dimension(8, "low", 1, 4, False)]


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda d: d.name)
def test_a_place_lies_in_the_cell_of_its_position(dimension: Dimension) -> None:
    grid = Grid.of(dimension)
    columns = np.array([(0, 0), (5, -7), (-2, 3)], np.int32)
    places = np.arange(grid.sections, 3 * grid.sections)
    positions = grid.positions_of_columns(columns[1:])
    cells = grid.cell_positions(grid.cells_of(places), columns)
    for position, cell in zip(positions.tolist(), cells.tolist(), strict=True):
        assert tuple(cell) == tuple(SubChunkPos(*position).cell)
    assert (np.sort(np.unique(grid.cells_of(places))) == grid.cells_of_rows(np.array([1, 2]))).all()


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda d: d.name)
def test_neighbourhoods_name_every_place_around_a_cell(dimension: Dimension) -> None:
    grid = Grid.of(dimension)
    beside = np.zeros((4, 9), np.int32)
    beside[2] = [0, 1, 0, 3, 2, 0, 0, 0, 1]
    for cell in grid.cells_of_rows(np.array([2])).tolist():
        table = grid.neighbourhoods(np.array([cell]), beside)[0].reshape(9, 4)
        height = cell % grid.tall + grid.low
        for which, row in enumerate(beside[2].tolist()):
            for k in range(4):
                section = 2 * height - 1 + k
                expected = row * grid.sections + section - grid.floor
                if section < dimension.floor_section:
                    expected = BELOW_PLACE
                elif section >= dimension.roof_section:
                    expected = ABOVE_PLACE
                elif row == 0:
                    expected = UNLOADED_PLACE
                assert table[which, k] == expected
        assert grid.own_places(np.array([cell]))[0].tolist() == table[4, 1:3].tolist()


def test_places_outside_every_column_have_no_cell() -> None:
    grid = Grid.of(OVERWORLD)
    assert len(grid.cells_of(np.array([UNLOADED_PLACE, ABOVE_PLACE, BELOW_PLACE], np.int32))) == 0


def test_distances_are_those_of_the_middles() -> None:
    grid = Grid.of(OVERWORLD)
    columns = np.array([(0, 0), (5, -7), (-2, 3)], np.int32)
    places, eye = np.arange(grid.sections, 3 * grid.sections), (3.5, 70.25, -9.0)
    offsets = grid.positions_of_columns(columns[1:]) * 16 + 8 - np.array(eye)
    assert np.allclose(grid.distances(places, columns, eye), (offsets**2).sum(axis=1))
