"""What a change reaches, by kernels, equals the plain count: any columns, any sides, any floor.

Reach twin: What a change can reach, counted the plain way: places and render cells as positions in dictionaries.
"""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from net.space.dimensions import Dimension
from net.space.positions import ColumnPos, SubChunkPos
from render.scene.change_reach import cells_around, cells_touched, shut_sides
from render.scene.grid import Grid
from render.scene.reach_kernels import WET
from tests.support.worlds.blocks import FakeWorld
from tests.support.worlds.painted import PaintedStore

# ---------------------------------------------------------------- reach twin

SIDE_BITS = ({-1: 0, 1: 1}, {-1: 4, 1: 5}, {-1: 2, 1: 3})
"""By axis x, y, z and step: the bit of a side."""

Cell = tuple[int, int, int]


def positions(world: FakeWorld, grid: Grid) -> dict[SubChunkPos, int]:
    """All places of the store by position."""
    return {
        SubChunkPos(column.x, grid.floor + section, column.z): row * grid.sections + section
        for column, row in world.row_of.items()
        for section in range(grid.sections)
    }


def around_places(world: FakeWorld, grid: Grid, turned: dict[int, int], sides: np.ndarray) -> set[Cell]:
    """The cells of changed places, and of those around that can notice; ``turned`` by place."""
    at = positions(world, grid)
    found = set()
    for here, place in at.items():
        for step in product((-1, 0, 1), repeat=3):
            other = SubChunkPos(*(axis + way for axis, way in zip(here, step, strict=True)))
            if place not in turned or other not in at:
                continue
            crossed = [1 << SIDE_BITS[axis][way] for axis, way in enumerate(step) if way]
            wet = (turned[place] | int(sides[at[other]])) & WET
            if all(turned[place] & bit for bit in crossed) and (len(crossed) < 2 or wet):
                found.add(tuple(other.cell))
    return found


def around_blocks(world: FakeWorld, grid: Grid, blocks: list[tuple[int, int]]) -> set[Cell]:
    """The cells of single blocks, [place, index there], and those that they touch."""
    at = positions(world, grid)
    where = {place: here for here, place in at.items()}
    found = set()
    for place, index in blocks:
        block = np.array(where[place]) * 16 + np.array([index >> 8, index & 15, index >> 4 & 15])
        for step in product((-1, 0, 1), repeat=3):
            other = SubChunkPos(*((block + step) >> 4).tolist())
            if other in at:
                found.add(tuple(other.cell))
    return found


def shut(cube: np.ndarray, opaque_from: int, liquid_from: int, liquid_to: int) -> int:
    """The sides of [16, 16, 16] blocks, indexed x, z, y."""
    layers = (cube[0], cube[15], cube[:, 0], cube[:, 15], cube[:, :, 0], cube[:, :, 15])
    bits = sum(int((layer >= opaque_from).all()) << bit for bit, layer in enumerate(layers))
    return bits | (WET if ((cube >= liquid_from) & (cube < liquid_to)).any() else 0)


# ---------------------------------------------------------------- reach kernels equal plain ones

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
    places = np.array(sorted(positions(store, grid).values()), np.int32)
    chosen = places[rng.random(len(places)) < rng.choice([0.02, 0.3])]
    turned = rng.integers(0, 128, len(chosen)).astype(np.uint8)
    sides = (rng.random(len(store.slot)) < 0.3).astype(np.uint8) * np.uint8(64)
    found = cells_around(store, grid, chosen, turned, sides)
    expected = around_places(store, grid, dict(zip(chosen.tolist(), turned.tolist(), strict=True)), sides)
    assert len(found) == len(expected)
    assert {tuple(at) for at in grid.cell_positions(found, store.columns).tolist()} == expected


@given(DIMENSIONS, SEEDS)
def test_the_cells_that_single_blocks_touch(dimension: Dimension, seed: int) -> None:
    rng = np.random.default_rng(seed)
    store, grid = some_columns(dimension, rng), Grid.of(dimension)
    places = np.array(sorted(positions(store, grid).values()), np.int32)
    chosen = rng.choice(places, rng.integers(0, 8)) if len(places) else places
    axes = rng.choice([0, 7, 15], (3, len(chosen)))
    blocks = (axes[0] << 8 | axes[1] << 4 | axes[2]).astype(np.uint16)
    found = cells_touched(store, grid, chosen, blocks)
    expected = around_blocks(store, grid, list(zip(chosen.tolist(), blocks.tolist(), strict=True)))
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
    assert found.tolist() == [shut(cube, first.opaque, first.liquid, first.placeholder)]
