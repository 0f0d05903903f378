"""Translucent quads near the eye are sorted by distance; the others keep their order."""

import numpy as np

from render.mesh.quads import CUBE, CUBE_WORDS, GROUPS, MODEL, MODEL_WORDS, Group, pack
from render.passes.draw_list import CellOrder, DrawList
from render.passes.near_quads import NEAR_BLOCKS, NONE, Shining, near_meshes, sort_near
from tests.support.draw_list_twin import mesh_table

CELLS = np.array([(0, 0, 0), (1, 0, 0)], np.int32)


def panes(*xs: int) -> np.ndarray:
    """Panes that look west, one block large."""
    return pack(CUBE, len(xs), x=list(xs), y=4, z=8, face=0, width=1, height=1)


def sheets(*ys: int) -> np.ndarray:
    """Level model quads of a whole block, at heights in sixteenths."""
    return pack(MODEL, len(ys), x=0, y=list(ys), z=0, ux=16, uy=0, uz=0, vx=0, vy=0, vz=16, twist=0)


def test_far_quads_come_first_in_each_cell_and_far_cells_before_near_ones() -> None:
    near, far = Shining.of(panes(3, 9, 6), 0, 100, sheets(0, 320), 103), Shining.of(panes(1, 12), 0, 500, sheets(), 502)
    quads = sort_near(np.array([0, 1]), CELLS, [near, far], (-4.0, 4.5, 8.5))
    assert (quads.cubes - 500)[:2].tolist() == [1, 0]
    assert (quads.cubes - 100)[2:].tolist() == [1, 2, 0]
    assert quads.slopes.tolist() == [103 + MODEL_WORDS // CUBE_WORDS, 103]
    assert quads.steps == ((0, 5, 0, 2),)


def test_from_the_other_side_the_order_turns_round() -> None:
    quads = sort_near(np.array([0]), CELLS[:1], [Shining.of(panes(3, 9, 6), 3, 0, sheets(), 3)], (20.0, 4.5, 8.5))
    assert quads.cubes.tolist() == [0, 2, 1]


def test_slopes_of_a_far_cell_come_before_level_quads_of_a_near_one() -> None:
    near, far = Shining.of(panes(3), 0, 100, sheets(), 101), Shining.of(panes(1), 0, 500, sheets(8), 501)
    quads = sort_near(np.array([0, 1]), CELLS, [near, far], (-4.0, 4.5, 8.5))
    assert quads.steps == ((0, 1, 0, 1), (1, 1, 1, 0))


def test_beside_glass_slopes_take_their_turn_by_distance() -> None:
    glass = panes(1, 12)  # before and behind the sloping water
    mesh = Shining.of(glass, 2, 100, sheets(64, 72), 102)
    quads = sort_near(np.array([0]), CELLS[:1], [mesh], (-4.0, 4.5, 8.5))
    assert (quads.cubes - 100).tolist() == [1, 0]
    assert quads.steps == ((0, 1, 0, 2), (1, 1, 2, 0))


def test_level_water_comes_before_slopes_unless_nearer_glass_parts_them() -> None:
    mesh = Shining.of(panes(12, 1, 2), 2, 100, sheets(64), 103)  # the last is water, nearer than the slope
    quads = sort_near(np.array([0]), CELLS[:1], [mesh], (-4.0, 4.5, 8.5))
    assert (quads.cubes - 100).tolist() == [0, 2, 1]
    assert quads.steps == ((0, 2, 0, 1), (2, 1, 1, 0))


def test_turns_of_glass_and_slopes_are_those_of_one_order() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        xs, heights = rng.integers(0, 16, 12), rng.integers(0, 512, 9)
        eye = tuple((rng.random(3) * 40 - 10).tolist())
        mesh = Shining.of(panes(*xs.tolist()), 12, 0, sheets(*heights.tolist()), 12)
        quads = sort_near(np.array([0]), CELLS[:1], [mesh], (eye[0], eye[1], eye[2]))
        panes_away = ((np.stack([xs, xs * 0 + 4.5, xs * 0 + 8.5], axis=1) - eye) ** 2).sum(axis=1)[quads.cubes]
        slope = (quads.slopes - 12) // (MODEL_WORDS // CUBE_WORDS)
        sheets_away = ((np.stack([slope * 0 + 0.5, heights[slope] / 16, slope * 0 + 0.5], axis=1) - eye) ** 2).sum(
            axis=1
        )
        drawn = []
        for first, count, first_slope, slopes in quads.steps:
            drawn += [*panes_away[first : first + count], *sheets_away[first_slope : first_slope + slopes]]
        assert len(drawn) == 21
        assert (np.diff(drawn) <= 1e-9).all()


def near(quads: list[int], eye: tuple[float, float, float]) -> list[int]:
    """Numbers of cells whose quads are sorted."""
    cells = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (40, 0, 0)], np.int32)
    counts = np.zeros((4, GROUPS), np.int32)
    counts[:, Group.LIQUID] = quads
    order = CellOrder.of(cells, np.arange(4), eye)
    table = mesh_table(DrawList(cells, np.zeros(4, np.int64), counts, eye), np.arange(4))
    return order.rows[near_meshes(table, order)].tolist()


def test_only_what_is_near_and_shines_through_is_sorted() -> None:
    assert near([4, 0, 4, 4], (8.0, 8.0, 8.0)) == [0, 2]
    assert near([4, 0, 4, 4], (8.0, 32.0 + NEAR_BLOCKS, 8.0)) == []
    assert near([16384, 0, 1, 4], (8.0, 8.0, 8.0)) == [0]
    assert sort_near(np.zeros(0, np.int64), CELLS[:0], [], (0.0, 0.0, 0.0)) is NONE
