"""States of a render cell: the table for people, and what cells do."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest

from net.space.dimensions import OVERWORLD
from render.gpu.quad_arena import QuadArena, Run
from render.mesh.vertex_format import GROUPS, Group
from render.passes.overlay.boxes import FAILED, STYLES
from render.scene.cells import LIFE, Cells, Event, Picture, Turn, diagram
from render.scene.grid import Grid

README = Path(__file__).parents[4] / "render" / "README.md"
CELL = 3
ONE = np.array([CELL], np.int64)
HOW = {
    Picture.ABSENT: (),
    Picture.DIRTY: (Event.MARKED,),
    Picture.READY: (Event.MARKED, Event.MADE),
    Picture.EMPTY: (Event.MARKED, Event.EMPTIED),
    Picture.SHOWN: (Event.MARKED, Event.MADE, Event.UPLOADED),
    Picture.STALE: (Event.MARKED, Event.MADE, Event.UPLOADED, Event.MARKED),
    Picture.FAILED: (Event.MARKED, Event.MADE, Event.UPLOADED, Event.MARKED, Event.RAISED),
}
"""What brings a cell into each state."""


class Arena:
    """Pages without a GPU."""

    def put(self, units: np.ndarray, position: tuple[int, int, int]) -> Run:
        return Run(0, 1)

    def free(self, run: Run) -> None:
        """Takes them back."""


def happen(cells: Cells, event: Event) -> None:
    counts = np.zeros(GROUPS, np.int32)
    counts[Group.OPAQUE_POS_Y] = 1
    match event:
        case Event.MARKED:
            cells.mark(ONE)
        case Event.MADE:
            cells.ready(ONE, cells.wanted[ONE])
        case Event.UPLOADED:
            cells.accept(ONE)
            cells.show(CELL, (0, 0, 0), np.zeros((1, 2), np.uint32), counts)
        case Event.EMPTIED:
            cells.show_empty(ONE)
        case Event.RAISED:
            cells.fail(CELL, int(cells.wanted[CELL]))
        case Event.GONE:
            cells.remove(ONE)


@pytest.mark.parametrize(("turn", "before"), [(turn, before) for turn in LIFE for before in turn.before])
def test_cells_do_what_the_table_says(turn: Turn, before: Picture) -> None:
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
    for event in (Event.MARKED, Event.RAISED, Event.MARKED):
        happen(cells, event)
    assert cells.picture[CELL] == Picture.DIRTY


def test_an_event_and_a_state_stand_in_one_row() -> None:
    told = [(row.event, before) for row in LIFE for before in row.before]
    assert len(set(told)) == len(told)
    assert {row.event for row in LIFE} == set(Event)
    assert {row.after for row in LIFE} - {None} == set(Picture)


def test_the_page_for_people_is_written_from_the_table() -> None:
    assert diagram() in README.read_text(encoding="utf-8"), "paste what render.scene.cells.diagram() gives"


def test_the_overlay_has_a_paint_of_its_own_for_what_failed() -> None:
    assert FAILED not in STYLES.values()
    assert FAILED.label in README.read_text(encoding="utf-8")
