"""Rays of the oracle, one promise at a time."""

import numpy as np
import pytest

from client.player import Eye, View
from net.space import ColumnPos, Dimension
from render.bench.rays import RayEnd
from render.camera import Camera
from tests.oracle.cast import Hits, Passed, cast, pixel_rays
from tests.support.worlds.blocks import FakeTable, FakeWorld

SMALL = Dimension(0, "small", 0, 4, True)
STONE, GLASS = 17, 9
CUBES = np.zeros(1 << 16, np.uint8)
CUBES[16:] = 1
EAST = np.array([[1.0, 0.0, 0.0]])


@pytest.fixture
def world() -> FakeWorld:
    """Two columns of air beside each other, with a time for each place."""
    world = FakeWorld(SMALL, FakeTable.plain())
    for x in (0, 1):
        world.add_column(ColumnPos(x, 0))
        for section in range(SMALL.sections):
            world.show(world.place(ColumnPos(x, 0), section), np.zeros(4096, np.uint16))
    world.since = np.zeros(len(world.slot))
    return world


def east(world: FakeWorld, eye: tuple[float, float, float] = (2.5, 8.5, 8.5)) -> Hits:
    return cast(world, eye, EAST, CUBES)


def test_a_ray_ends_in_the_first_block_that_stops_it(world: FakeWorld) -> None:
    place = world.place(ColumnPos(1, 0), 0)
    world.set_cell(place, 4 << 8 | 8 << 4 | 8, STONE)
    world.set_cell(place, 2 << 8 | 8 << 4 | 8, GLASS)
    hits = east(world)
    assert (hits.ended[0], hits.places[0], hits.cells[0]) == (RayEnd.HIT, place, 4 << 8 | 8 << 4 | 8)
    assert hits.faces[0] == 0, "it looks back to -x"
    assert hits.distances[0] == 17.5
    assert hits.on_terrain.all()


def test_a_ray_names_the_clear_surfaces_that_it_went_through(world: FakeWorld) -> None:
    places = [world.place(ColumnPos(x, 0), 0) for x in (0, 1)]
    world.set_cell(places[0], 6 << 8 | 8 << 4 | 8, GLASS)
    world.set_cell(places[1], 2 << 8 | 8 << 4 | 8, GLASS)
    world.set_cell(places[1], 4 << 8 | 8 << 4 | 8, STONE)
    stops = np.where(CUBES, 1, 0).astype(np.uint8)
    stops[GLASS] = 2
    passed = Passed.room(1, 4)
    hits = cast(world, (2.5, 8.5, 8.5), EAST, stops, passed=passed)
    assert (hits.places[0], hits.distances[0]) == (places[1], 17.5)
    assert passed.counts.tolist() == [2]
    cells = [6 << 8 | 8 << 4 | 8, 2 << 8 | 8 << 4 | 8]
    assert passed.keys[0, :2].tolist() == [place << 15 | cell << 3 for place, cell in zip(places, cells, strict=True)]
    assert passed.ids[0, :2].tolist() == [GLASS, GLASS]
    assert passed.depths[0, :2].tolist() == [3.5, 15.5]
    assert east(world).distances[0] == 17.5, "without room none is named, and a block that stops nothing is passed"


def test_a_ray_ends_at_a_clear_surface_when_there_is_room_for_no_more(world: FakeWorld) -> None:
    place = world.place(ColumnPos(1, 0), 0)
    for x in (2, 4):
        world.set_cell(place, x << 8 | 8 << 4 | 8, GLASS)
    stops = np.zeros(1 << 16, np.uint8)
    stops[GLASS] = 2
    passed = Passed.room(1, 1)
    hits = cast(world, (2.5, 8.5, 8.5), EAST, stops, passed=passed)
    assert (hits.ended[0], hits.distances[0], passed.counts[0]) == (RayEnd.HIT, 17.5, 1)


def test_a_placeholder_ends_a_ray_and_is_named(world: FakeWorld) -> None:
    place = world.place(ColumnPos(1, 0), 0)
    world.show(place, None)
    hits = east(world)
    assert (hits.ended[0], hits.places[0]) == (RayEnd.PLACEHOLDER, place)
    assert hits.in_holes.all()


def test_a_ray_leaves_through_the_roof_and_ends_where_no_column_is(world: FakeWorld) -> None:
    up = cast(world, (2.5, 8.5, 8.5), np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]), CUBES)
    assert up.ended.tolist() == [RayEnd.LEFT, RayEnd.LEFT]
    assert east(world).ended[0] == RayEnd.UNLOADED


def test_a_ray_that_may_goes_through_placeholders_and_gaps_between_columns_and_sees_no_side_that_looks_at_them(
    world: FakeWorld,
) -> None:
    world.add_column(ColumnPos(3, 0))
    for section in range(SMALL.sections):
        world.show(world.place(ColumnPos(3, 0), section), np.zeros(4096, np.uint16))
    world.show(world.place(ColumnPos(1, 0), 0), None)
    far = world.place(ColumnPos(3, 0), 0)
    open_ = np.where(CUBES, 1, 0).astype(np.uint8)
    open_[world.table.first.placeholder] = 0
    world.set_cell(far, 4 << 8 | 8 << 4 | 8, STONE)
    hits = cast(world, (2.5, 8.5, 8.5), EAST, open_, through=True)
    assert (hits.ended[0], hits.places[0], hits.distances[0]) == (RayEnd.HIT, far, 49.5)
    world.set_cell(far, 0 << 8 | 8 << 4 | 8, STONE)
    hits = cast(world, (2.5, 8.5, 8.5), EAST, open_, through=True)
    assert hits.distances[0] == 49.5, "the side at the gap is not drawn, nor is there any between the two"
    west = cast(world, (2.5, 8.5, 8.5), -EAST, open_, through=True)
    assert west.ended[0] == RayEnd.UNLOADED, "no column is ahead"


def test_an_eye_over_the_roof_looks_down_into_the_world(world: FakeWorld) -> None:
    world.set_cell(world.place(ColumnPos(0, 0), 3), 2 << 8 | 8 << 4 | 15, STONE)
    down = cast(world, (2.5, 300.5, 8.5), np.array([[0.0, -1.0, 0.0]]), CUBES)
    assert (down.ended[0], down.faces[0], down.distances[0]) == (RayEnd.HIT, 5, 236.5)


def test_an_eye_in_a_block_sees_that_block(world: FakeWorld) -> None:
    world.set_cell(world.place(ColumnPos(0, 0), 0), 2 << 8 | 8 << 4 | 8, STONE)
    hits = east(world)
    assert (hits.ended[0], hits.faces[0], hits.distances[0]) == (RayEnd.HIT, 6, 0.0)


def test_what_is_nearer_than_asked_for_is_not_met(world: FakeWorld) -> None:
    world.set_cell(world.place(ColumnPos(0, 0), 0), 2 << 8 | 8 << 4 | 8, STONE)
    world.set_cell(world.place(ColumnPos(0, 0), 0), 3 << 8 | 8 << 4 | 8, STONE)
    world.set_cell(world.place(ColumnPos(1, 0), 0), 4 << 8 | 8 << 4 | 8, STONE)
    hits = cast(world, (2.5, 8.5, 8.5), EAST, CUBES, nearest_blocks=0.1)
    assert (hits.faces[0], hits.distances[0]) == (0, 17.5), (
        "out of a wall one sees as it is drawn: without sides between two"
    )


def test_a_ray_is_as_new_as_the_newest_place_on_its_way(world: FakeWorld) -> None:
    world.set_cell(world.place(ColumnPos(1, 0), 0), 4 << 8 | 8 << 4 | 8, STONE)
    world.since[[world.place(ColumnPos(0, 0), 0), world.place(ColumnPos(1, 0), 0)]] = 3.0, 2.0
    assert east(world).latest[0] == 3.0


def test_a_ray_out_of_reach_left(world: FakeWorld) -> None:
    world.set_cell(world.place(ColumnPos(1, 0), 0), 4 << 8 | 8 << 4 | 8, STONE)
    short = cast(world, (2.5, 8.5, 8.5), EAST, CUBES, reach_blocks=10.0)
    assert short.ended[0] == RayEnd.LEFT


def test_a_store_without_columns_ends_every_ray() -> None:
    empty = FakeWorld(SMALL, FakeTable.plain())
    empty.since = np.zeros(len(empty.slot))
    assert east(empty).ended[0] == RayEnd.UNLOADED


def test_pixel_rays_go_through_the_middle_of_each_pixel() -> None:
    camera = Camera.of(View(Eye(0.0, 0.0, 0.0), yaw_deg=0.0), 2.0)
    rays = pixel_rays(camera, 4, 2).reshape(2, 4, 3)
    assert np.allclose(rays @ np.array(camera.forward), 1.0), "of length 1 along the look"
    assert (rays[0, :, 1] > 0).all(), "rows begin at the top"
    assert (np.diff(rays[0] @ np.array(camera.right)) > 0).all(), "columns begin at the left"
    assert np.allclose(rays[0, 0] + rays[1, 3], 2 * np.array(camera.forward))
