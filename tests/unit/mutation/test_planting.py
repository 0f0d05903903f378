"""Defects of meshes, quad by quad and block by block."""

import numpy as np

from render.mesh.vertex_format import CUBE, GROUPS, MODEL, Group, Words, pack, read
from tests.mutation.planting import blocks_without, shifted, shifted_blocks, without

COUNTS = np.zeros(GROUPS, np.int32)
COUNTS[[Group.OPAQUE_POS_Y, Group.TRANSLUCENT, Group.LIQUID, Group.MODEL]] = 2, 1, 1, 1


def mesh() -> Words:
    """A merged top at x 0..3, a single one at x 15, glass at x 5, a liquid's side three high; a model at x 2."""
    cubes = pack(
        CUBE,
        4,
        x=[0, 15, 5, 7],
        y=[4, 4, 9, 29],
        z=[1, 1, 2, 3],
        face=[5, 5, 0, 2],
        width=[4, 1, 1, 2],
        height=[1, 1, 1, 3],
        block=[10, 10, 5, 7],
    )
    model = pack(MODEL, 1, x=35, y=16, z=3, ux=8, vy=8, block=2, block_x=2, block_y=1, block_z=0)
    return np.concatenate([cubes, model.reshape(-1, 2)])


def test_a_shifted_mesh_has_every_quad_that_stays_in_its_cell_one_block_on() -> None:
    units, counts = shifted(mesh(), COUNTS, 0, 1)
    cubes, model = units[:3], units[3:].reshape(1, 6)
    assert counts[[Group.OPAQUE_POS_Y, Group.TRANSLUCENT, Group.LIQUID, Group.MODEL]].tolist() == [1, 1, 1, 1]
    assert read(CUBE, cubes, "x").tolist() == [1, 6, 8]
    assert read(CUBE, cubes, "block").tolist() == [10, 5, 7], "nothing else of a quad changes"
    assert read(CUBE, cubes, "width").tolist() == [4, 1, 2]
    assert (read(MODEL, model, "x").tolist(), read(MODEL, model, "block_x").tolist()) == ([51], [3])
    assert read(MODEL, model, "y").tolist() == [16]


def test_what_of_a_quad_would_leave_its_cell_is_cut_off() -> None:
    up, counts = shifted(mesh(), COUNTS, 1, 1)
    cubes = up[: counts[:9].sum()]
    assert read(CUBE, cubes, "y").tolist() == [5, 5, 10, 30]
    assert read(CUBE, cubes, "height").tolist() == [1, 1, 1, 2]
    west, counts = shifted(mesh(), COUNTS, 0, -1)
    cubes = west[: counts[:9].sum()]
    assert read(CUBE, cubes, "x").tolist() == [0, 14, 4, 6]
    assert read(CUBE, cubes, "width").tolist() == [3, 1, 1, 2]


def test_a_hidden_group_is_gone_and_all_others_stay() -> None:
    units, counts = without(mesh(), COUNTS, Group.TRANSLUCENT)
    assert counts[Group.TRANSLUCENT] == 0
    assert counts.sum() == COUNTS.sum() - 1
    assert np.array_equal(units, np.delete(mesh(), 2, axis=0))


def test_shifted_blocks_leave_nothing_behind_and_cross_from_half_to_half() -> None:
    blocks = np.zeros((2, 4096), np.uint16)
    blocks[0, 3 << 8 | 2 << 4 | 15] = 8
    blocks[1, 15 << 8 | 0 << 4 | 0] = 9
    up = shifted_blocks(blocks, 1, 1)
    assert up[1, 3 << 8 | 2 << 4] == 8
    assert up[1, 15 << 8 | 1] == 9
    east = shifted_blocks(blocks, 0, 1)
    assert np.argwhere(east).tolist() == [[0, 4 << 8 | 2 << 4 | 15]], "what left the cell is gone"
    south = shifted_blocks(blocks, 2, 1)
    assert south[0, 3 << 8 | 3 << 4 | 15] == 8


def test_blocks_without_some_are_air() -> None:
    assert blocks_without(np.array([[5, 7, 2]], np.uint16), 7, 9).tolist() == [[5, 0, 2]]
