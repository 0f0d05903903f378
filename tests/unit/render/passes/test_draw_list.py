"""Draw lists: near first, far first for what shines through, nothing that looks away, no trace of arrival."""

import numpy as np

from render.mesh.vertex_format import GROUPS, Group
from render.passes.draw_list import DrawList, nearest_first

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
