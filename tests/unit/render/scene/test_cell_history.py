"""What cells showed: generations, faces behind quads, and when a look saw them change."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from render.mesh.vertex_format import CUBE, CUBE_GROUPS, GROUPS, pack
from render.scene.cells import BEFORE, CellHistory, faces_of


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
