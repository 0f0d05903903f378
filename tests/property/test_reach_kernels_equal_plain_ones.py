"""What a change reaches, by kernels, equals the plain count: any columns, any sides, any floor."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from render.scene.change_reach import cells_around, cells_touched, shut_sides
from render.scene.grid import Grid
from tests.support import reach_twin
from tests.support.painted_store import PaintedStore

SEEDS = st.integers(0, 2**32 - 1)
DIMENSIONS = st.sampled_from([Dimension(0, "whole", -2, 6, True), Dimension(9, "odd", -3, 5, True)])
SQUARE = [ColumnPos(x, z) for x in range(-1, 3) for z in range(-1, 3)]


def some_columns(dimension: Dimension, rng: np.random.Generator) -> PaintedStore:
    """A square of columns, some of them missing."""
    store = PaintedStore(dimension)
    for column in SQUARE:
        if rng.random() < 0.7:
            store.add_column(column)
    return store


@given(DIMENSIONS, SEEDS)
def test_the_cells_that_notice_changed_places(dimension: Dimension, seed: int) -> None:
    rng = np.random.default_rng(seed)
    store, grid = some_columns(dimension, rng), Grid.of(dimension)
    places = np.array(sorted(reach_twin.positions(store, grid).values()), np.int32)
    chosen = places[rng.random(len(places)) < rng.choice([0.02, 0.3])]
    turned = rng.integers(0, 128, len(chosen)).astype(np.uint8)
    sides = (rng.random(len(store.slot)) < 0.3).astype(np.uint8) * np.uint8(64)
    found = cells_around(store, grid, chosen, turned, sides)
    expected = reach_twin.around_places(store, grid, dict(zip(chosen.tolist(), turned.tolist(), strict=True)), sides)
    assert len(found) == len(expected)
    assert {tuple(at) for at in grid.cell_positions(found, store.columns).tolist()} == expected


@given(DIMENSIONS, SEEDS)
def test_the_cells_that_single_blocks_touch(dimension: Dimension, seed: int) -> None:
    rng = np.random.default_rng(seed)
    store, grid = some_columns(dimension, rng), Grid.of(dimension)
    places = np.array(sorted(reach_twin.positions(store, grid).values()), np.int32)
    chosen = rng.choice(places, rng.integers(0, 8)) if len(places) else places
    axes = rng.choice([0, 7, 15], (3, len(chosen)))
    blocks = (axes[0] << 8 | axes[1] << 4 | axes[2]).astype(np.uint16)
    found = cells_touched(store, grid, chosen, blocks)
    expected = reach_twin.around_blocks(store, grid, list(zip(chosen.tolist(), blocks.tolist(), strict=True)))
    assert len(found) == len(expected)
    assert {tuple(at) for at in grid.cell_positions(found, store.columns).tolist()} == expected


@given(SEEDS, st.sampled_from([0.0, 0.02, 0.5, 1.0]))
def test_sides_that_are_wholly_opaque(seed: int, holes: float) -> None:
    rng = np.random.default_rng(seed)
    store = PaintedStore()
    first = store.table.first
    place = store.place(ColumnPos(0, 0), 0) if store.add_column(ColumnPos(0, 0)) else 0
    cube = np.full((16, 16, 16), first.opaque, np.uint16)
    cube[rng.random((16, 16, 16)) < holes * 0.1] = rng.choice([0, first.liquid])
    for axis in range(3):
        if rng.random() < holes:
            cube[tuple(rng.choice([0, 15]) if at == axis else slice(None) for at in range(3))] = 0
    store.show(place, cube.reshape(4096))
    found = shut_sides(store.pools, store.slot[[place]])
    assert found.tolist() == [reach_twin.shut(cube, first.opaque, first.liquid, first.placeholder)]
