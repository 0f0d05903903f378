"""What a change can reach, counted the plain way: places and render cells as positions in dictionaries."""

from itertools import product

import numpy as np

from net.space.positions import SubChunkPos
from render.scene.grid import Grid
from render.scene.reach_kernels import WET
from tests.support.fake_world import FakeWorld

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
