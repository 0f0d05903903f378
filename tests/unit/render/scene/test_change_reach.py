"""What neighbours can notice of a place: nothing through a layer that was and is opaque."""

import numpy as np
import pytest

from net.space.positions import ColumnPos
from render.scene.change_reach import Facing, cells_around, cells_touched, shut_sides
from render.scene.grid import Grid
from render.scene.reach_kernels import ALL_SIDES, WET
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import DIMENSION, PaintedStore

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
    facing.fit(len(store.slot))
    reached = cells_around(store, grid, place, facing.turn(store, place), facing.sides)
    assert facing.turn(store, place).tolist() == [~shut_sides(store.pools, store.slot[place])[0] & ALL_SIDES | 0]
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
    facing.fit(len(store.slot))
    water = store.place(ColumnPos(2, 2), 2)
    store.show(water, np.full(4096, paint.WATER, np.uint16))
    facing.turn(store, np.array([water], np.int32))
    reached = cells_around(store, grid, place, facing.turn(store, place), facing.sides)
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
