"""States of a render cell: the table for people, and what cells do.

Cell history: What cells showed: generations, faces behind quads, and when a look saw them change.
"""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.space.dimensions import OVERWORLD
from render.gpu.quad_arena import QuadArena, Run
from render.mesh.vertex_format import CUBE, CUBE_GROUPS, GROUPS, Group, pack
from render.passes.overlay.boxes import FAILED, STYLES
from render.scene.cells import BEFORE, LIFE, CellEvent, CellHistory, Cells, CellState, CellTransition, diagram, faces_of
from render.scene.grid import Grid

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
    cells.fit(2)
    for event in HOW[before]:
        happen(cells, event)
    assert cells.picture[CELL] == before
    happen(cells, turn.event)
    assert cells.picture[CELL] == (before if turn.after is None else turn.after)


def test_what_failed_before_anything_was_shown_is_dirty_again_after_a_change() -> None:
    cells = Cells(Grid.of(OVERWORLD), cast(QuadArena, Arena()))
    cells.fit(2)
    for event in (CellEvent.MARKED, CellEvent.RAISED, CellEvent.MARKED):
        happen(cells, event)
    assert cells.picture[CELL] == CellState.DIRTY


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
    history.fit(3)
    history.show(0, *one_quad())
    history.look(5.0, both)
    assert np.isnan(history.changed_s).all()
    history.show(0, *one_quad())
    history.show(1, *one_quad())
    history.look(6.5, both)
    history.look(9.0, both)
    assert history.changed_s[:2].tolist() == [6.5, 6.5]
    assert history.first_s.tolist()[:2] == [[BEFORE, BEFORE], [6.5, 6.5]]
    assert history.generations.tolist() == [2, 1, 0]


def test_a_sub_chunk_was_drawn_when_its_own_blocks_were_in_the_mesh_not_those_of_the_other_half() -> None:
    history = CellHistory()
    history.fit(1)
    history.look(0.0, both)
    history.show(0, *one_quad())
    history.look(1.0, lambda cells: np.array([[False, True]] * len(cells)))
    assert np.isnan(history.first_s[0, 0])
    history.show(0, *one_quad())
    history.look(2.0, both)
    assert history.first_s[0].tolist() == [2.0, 1.0]


def test_an_empty_cell_that_stays_empty_is_no_change_and_a_cell_that_went_begins_anew() -> None:
    history = CellHistory()
    history.fit(2)
    history.show(0, *one_quad())
    history.show_empty(np.array([0, 1]))
    assert history.generations.tolist() == [2, 0]
    assert history.faces.tolist() == [0, 0]
    history.look(1.0, both)
    history.forget(np.array([0]))
    assert history.generations.tolist() == [0, 0]
    history.look(2.0, both)
    assert np.isnan(history.changed_s).all()
