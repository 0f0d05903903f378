"""Rays that measure streaming, one promise at a time; a property test holds them against plain ones."""

import numpy as np
import pytest

from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from render.bench.rays import Hits, RayEnd, cast, sphere_rays
from tests.support.worlds.blocks import FakeTable, FakeWorld

SMALL = Dimension(0, "small", 0, 4, True)
STONE, GLASS = 17, 9
EAST = np.array([[1.0, 0.0, 0.0]])


@pytest.fixture
def world() -> FakeWorld:
    """Two columns of air beside each other; glass, then stone in the way."""
    world = FakeWorld(SMALL, FakeTable.plain())
    for x in (0, 1):
        world.add_column(ColumnPos(x, 0))
        for section in range(SMALL.sections):
            world.show(world.place(ColumnPos(x, 0), section), np.zeros(4096, np.uint16))
    world.set_cell(world.place(ColumnPos(1, 0), 0), 2 << 8 | 8 << 4 | 8, GLASS)
    world.set_cell(world.place(ColumnPos(1, 0), 0), 4 << 8 | 8 << 4 | 8, STONE)
    world.since = np.zeros(len(world.slot))
    return world


def east(world: FakeWorld, reach_blocks: float = 4096.0) -> Hits:
    return cast(world, (2.5, 8.5, 8.5), EAST, reach_blocks)


def test_a_ray_passes_glass_ends_in_stone_and_is_as_new_as_the_newest_place_on_its_way(world: FakeWorld) -> None:
    near, far = (world.place(ColumnPos(x, 0), 0) for x in (0, 1))
    world.since[[near, far]] = 3.0, 2.0
    hits = east(world)
    assert (hits.ended[0], hits.places[0], hits.latest[0]) == (RayEnd.HIT, far, 3.0)
    assert hits.on_terrain.all()


def test_a_placeholder_ends_a_ray_and_is_named(world: FakeWorld) -> None:
    place = world.place(ColumnPos(1, 0), 0)
    world.show(place, None)
    hits = east(world)
    assert (hits.ended[0], hits.places[0]) == (RayEnd.PLACEHOLDER, place)
    assert hits.in_holes.all()


def test_a_ray_out_of_reach_left_and_a_store_without_columns_ends_every_ray(world: FakeWorld) -> None:
    assert east(world, 10.0).ended[0] == RayEnd.LEFT
    empty = FakeWorld(SMALL, FakeTable.plain())
    empty.since = np.zeros(len(empty.slot))
    assert east(empty).ended[0] == RayEnd.UNLOADED


def test_sphere_rays_cover_every_direction_evenly() -> None:
    rays = sphere_rays(2000)
    assert np.allclose(np.linalg.norm(rays, axis=1), 1.0)
    assert np.abs(rays.mean(axis=0)).max() < 0.01
    nearest = np.sort(rays @ rays.T, axis=1)[:, -2]
    assert nearest.min() > np.cos(0.08), "no ray stands alone"
