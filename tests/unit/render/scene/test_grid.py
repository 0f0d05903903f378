"""Places and render cells, against the plain way of counting."""

import numpy as np
import pytest

from net.space.dimensions import END, NETHER, OVERWORLD, Dimension
from net.space.layout import ABOVE_PLACE, BELOW_PLACE, UNLOADED_PLACE
from net.space.positions import SubChunkPos
from render.scene.grid import Grid

DIMENSIONS = [OVERWORLD, NETHER, END, Dimension(9, "odd", -3, 7, True), Dimension(8, "low", 1, 4, False)]


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda d: d.name)
def test_a_place_lies_in_the_cell_of_its_position(dimension: Dimension) -> None:
    grid = Grid.of(dimension)
    columns = np.array([(0, 0), (5, -7), (-2, 3)], np.int32)
    places = grid.places_of_rows(np.array([1, 2]))
    positions = grid.positions_of(places, columns)
    assert np.array_equal(grid.positions_of_rows(np.array([1, 2]), columns), positions)
    cells = grid.cell_positions(grid.cells_of(places), columns)
    for position, cell in zip(positions.tolist(), cells.tolist(), strict=True):
        assert tuple(cell) == tuple(SubChunkPos(*position).cell)
    assert (np.sort(np.unique(grid.cells_of(places))) == grid.cells_of_rows(np.array([1, 2]))).all()


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda d: d.name)
def test_neighbourhoods_name_every_place_around_a_cell(dimension: Dimension) -> None:
    grid = Grid.of(dimension)
    beside = np.zeros((4, 9), np.int32)
    beside[2] = [0, 1, 0, 3, 2, 0, 0, 0, 1]
    for cell in grid.cells_of_rows(np.array([2])).tolist():
        table = grid.neighbourhoods(np.array([cell]), beside)[0].reshape(9, 4)
        height = cell % grid.tall + grid.low
        for which, row in enumerate(beside[2].tolist()):
            for k in range(4):
                section = 2 * height - 1 + k
                expected = row * grid.sections + section - grid.floor
                if section < dimension.floor_section:
                    expected = BELOW_PLACE
                elif section >= dimension.roof_section:
                    expected = ABOVE_PLACE
                elif row == 0:
                    expected = UNLOADED_PLACE
                assert table[which, k] == expected
        assert grid.own_places(np.array([cell]))[0].tolist() == table[4, 1:3].tolist()


def test_places_outside_every_column_have_no_cell() -> None:
    grid = Grid.of(OVERWORLD)
    assert len(grid.cells_of(np.array([UNLOADED_PLACE, ABOVE_PLACE, BELOW_PLACE], np.int32))) == 0


def test_distances_are_those_of_the_middles() -> None:
    grid = Grid.of(OVERWORLD)
    columns = np.array([(0, 0), (5, -7), (-2, 3)], np.int32)
    places, eye = grid.places_of_rows(np.array([1, 2])), (3.5, 70.25, -9.0)
    offsets = grid.positions_of(places, columns) * 16 + 8 - np.array(eye)
    assert np.allclose(grid.distances(places, columns, eye), (offsets**2).sum(axis=1))
