"""Draw lists: near first, far first for what shines through, nothing that looks away, no trace of arrival.

Frame list: What an eye sees is made into runs once; a look only picks of them.
"""

import numpy as np

from render.mesh.vertex_format import GROUPS, Group
from render.passes.draw_list import DrawList, nearest_first
from render.passes.draw_list_kernels import AS_MODELS
from tests.support.reference.draw_list import eye_list as eye_list_of

# ---------------------------------------------------------------- draw list

RNG = np.random.default_rng(9)


def test_equal_distances_go_by_position_whatever_the_order_given() -> None:
    cells = np.array([(x, y, z) for x in range(-3, 3) for y in range(-2, 2) for z in range(-3, 3)], np.int32)
    eye = (0.0, 0.0, 0.0)
    sorted_once = cells[nearest_first(cells, eye)]
    shuffled = RNG.permutation(cells)
    assert np.array_equal(shuffled[nearest_first(shuffled, eye)], sorted_once)
    middle = sorted_once * [16, 32, 16] + [8, 16, 8]
    assert (np.diff((middle * middle).sum(axis=1)) >= 0).all()


def meshes(eye: tuple[float, float, float]) -> DrawList:
    cells = np.array([(0, 0, 0), (3, 0, 0)], np.int32)
    counts = RNG.integers(1, 9, (2, GROUPS)).astype(np.int32)
    return DrawList(cells, np.array([640, 128]), counts, eye)


def test_groups_follow_each_other_in_a_mesh() -> None:
    drawn = meshes((8.0, 8.0, 8.0))
    for group in Group:
        starts, quads = drawn.group(group)
        assert (starts == drawn.first_units + drawn.counts[:, :group].sum(axis=1)).all()
        assert (quads == drawn.counts[:, group]).all()
    starts, quads = drawn.translucent()
    assert (starts[::-1] == drawn.group(Group.TRANSLUCENT)[0]).all()
    assert (quads[::-1] == drawn.counts[:, Group.TRANSLUCENT] + drawn.counts[:, Group.LIQUID]).all()
    assert (drawn.models()[0] == drawn.group(Group.MODEL)[0]).all()
    starts, quads = drawn.slopes()
    assert (starts[::-1] == drawn.models()[0] + 3 * drawn.counts[:, Group.MODEL]).all()
    assert (quads[::-1] == drawn.counts[:, Group.SLOPE]).all()


def test_faces_that_look_away_are_left_out() -> None:
    drawn = meshes((100.0, 50.0, 8.0))
    _, quads = drawn.opaque()
    kept = quads.reshape(2, 6) > 0
    assert kept.tolist() == [[False, True, True, True, False, True]] * 2
    _, quads = meshes((8.0, 16.0, 8.0)).opaque()
    assert (quads.reshape(2, 6)[0] > 0).all(), "inside a cell every face may be seen"


# ---------------------------------------------------------------- frame list

EYE = (8.0, 8.0, 8.0)


def meshes_frame_list(counts: np.ndarray) -> DrawList:
    cells = np.stack([np.arange(len(counts)), np.zeros(len(counts)), np.zeros(len(counts))], axis=1).astype(np.int32)
    return DrawList(cells, np.arange(len(counts)) * 64, counts.astype(np.int32), EYE)


def test_liquids_that_slope_are_drawn_with_their_cell_and_so_behind_all_farther_ones() -> None:
    counts = np.ones((5, GROUPS), np.int32)
    counts[[0, 2, 4], Group.SLOPE] = 0
    frame = eye_list_of(meshes_frame_list(counts)).narrowed(np.ones(5, np.bool_), EYE)
    assert (frame.blended[0] // 64).tolist() == [4, 3, 3, 2, 1, 1, 0]
    assert (frame.blended[2] == AS_MODELS).tolist() == [False, False, True, False, False, True, False]


def test_a_look_picks_what_a_list_of_the_shown_meshes_alone_would_have() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        cells = rng.integers(-4, 4, (40, 3)).astype(np.int32)
        cells = np.unique(cells, axis=0)
        cells = cells[nearest_first(cells, EYE)]
        counts = (rng.integers(0, 4, (len(cells), GROUPS)) * rng.integers(0, 2, (len(cells), GROUPS))).astype(np.int32)
        every = DrawList(cells, np.arange(len(cells)) * 640, counts, EYE)
        shown = rng.random(len(cells)) < 0.6
        few = DrawList(every.cells[shown], every.first_units[shown], counts[shown], EYE)
        frame = eye_list_of(every).narrowed(shown, EYE)
        whole = eye_list_of(few).narrowed(np.ones(len(few.cells), np.bool_), EYE)
        assert (frame.cells, frame.quads) == (len(few.cells), int(few.counts.sum()))
        for name in ("opaque", "cutout", "models", "blended"):
            for picked, alone in zip(getattr(frame, name), getattr(whole, name), strict=True):
                assert np.array_equal(picked, alone)
        assert frame.opaque[1].sum() == few.opaque()[1].sum()


def test_an_equal_look_gives_the_same_list_again() -> None:
    eye_list = eye_list_of(meshes_frame_list(np.ones((5, GROUPS))))
    shown = np.array([True, False, True, True, False])
    first = eye_list.narrowed(shown, EYE)
    assert eye_list.narrowed(shown.copy(), EYE) is first
    assert eye_list.narrowed(~shown, EYE) is not first


def test_an_eye_that_stays_on_the_same_sides_of_blocks_gets_the_same_list_again() -> None:
    eye_list, shown = eye_list_of(meshes_frame_list(np.ones((5, GROUPS)))), np.ones(5, np.bool_)
    first = eye_list.narrowed(shown, (20.1, 8.2, 8.3))
    assert eye_list.narrowed(shown, (20.9, 8.3, 8.8)) is first
    assert eye_list.narrowed(shown, (21.0, 8.3, 8.8)) is not first, "on a side of its block"
    west, east = (eye_list.narrowed(shown, (x, 8.5, 8.5)) for x in (15.5, 16.5))
    assert west.opaque[1].sum() == east.opaque[1].sum()
    assert not np.array_equal(west.opaque[0], east.opaque[0]), "another cell's faces look away"
