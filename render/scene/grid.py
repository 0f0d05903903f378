"""Places and render cells of a store: which cell holds which place, as whole arrays.

Theory. A store numbers places ``row * sections + section``. A render cell is 32 blocks tall at multiples of 32,
whatever the floor, so a column has ``tall`` cells, from cell y ``low``; the lowest and the highest may reach out of the
dimension by half. Cells are numbered ``row * tall + cell y - low``. Row 0 belongs to no column, nor do its cells.
"""

from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.space import Dimension, Places
from render.scene.reach_kernels import MIDDLE, place_cells, stack_places

CellIndices = npt.NDArray[np.int64]
"""[n] numbers of render cells, see the module."""
NO_NEIGHBOURS: Final = np.zeros((0, 9), np.int32)


class Grid(msgspec.Struct, frozen=True):
    """The numbering of one dimension."""

    floor: int  # absolute y of the lowest sub-chunk
    sections: int  # sub-chunks in a column
    low: int  # y of the lowest render cell
    tall: int  # render cells in a column

    @classmethod
    def of(cls, dimension: Dimension) -> "Grid":
        """The grid of a dimension."""
        low = dimension.floor_section >> 1
        return cls(dimension.floor_section, dimension.sections, low, (dimension.roof_section - 1 >> 1) - low + 1)

    def rows_of(self, places: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """Row of each place."""
        return places.astype(np.int64) // self.sections

    def cells_of(self, places: npt.NDArray[np.integer[Any]]) -> CellIndices:
        """Number of the render cell that holds each place; places of row 0 are left out."""
        wide = places[places >= self.sections].astype(np.int64)
        height = (wide % self.sections + self.floor >> 1) - self.low
        cells: CellIndices = wide // self.sections * self.tall + height
        return cells

    def cells_of_rows(self, rows: npt.NDArray[np.integer[Any]]) -> CellIndices:
        """Numbers of all cells of some rows, row by row."""
        cells: CellIndices = (rows.astype(np.int64)[:, None] * self.tall + np.arange(self.tall)).ravel()
        return cells

    def places_of_rows(self, rows: npt.NDArray[np.integer[Any]]) -> Places:
        """All places of some rows, row by row."""
        places = rows.astype(np.int64)[:, None] * self.sections + np.arange(self.sections)
        return places.ravel().astype(np.int32)

    def positions_of(
        self, places: npt.NDArray[np.integer[Any]], columns: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int32]:
        """[n, 3] sub-chunk positions of places; ``columns`` is the store's [rows, 2]."""
        rows = places // self.sections
        positions = np.empty((len(places), 3), np.int32)
        positions[:, ::2] = columns[rows]
        positions[:, 1] = places - rows * self.sections + self.floor
        return positions

    def positions_of_rows(
        self, rows: npt.NDArray[np.integer[Any]], columns: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int32]:
        """[n, 3] positions of ``places_of_rows``; without the divisions that single places need."""
        positions = np.empty((len(rows), self.sections, 3), np.int32)
        positions[:, :, ::2] = columns[rows][:, None]
        positions[:, :, 1] = np.arange(self.sections) + self.floor
        return positions.reshape(-1, 3)

    def distances(
        self,
        places: npt.NDArray[np.integer[Any]],
        columns: npt.NDArray[np.int32],
        eye: tuple[float, float, float],
    ) -> npt.NDArray[np.float64]:
        """[n] squares of the distances of places' middles from an eye, in blocks; ``columns`` as above."""
        rows, sections = np.divmod(places, self.sections)
        across = columns * 16.0 + 8.0 - np.array([eye[0], eye[2]])
        up = (np.arange(self.sections) + self.floor) * 16.0 + 8.0 - eye[1]
        squares: npt.NDArray[np.float64] = (across * across).sum(axis=1)[rows] + (up * up)[sections]
        return squares

    def cell_positions(self, cells: CellIndices, columns: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """[n, 3] positions of render cells."""
        positions = np.empty((len(cells), 3), np.int32)
        place_cells(cells, self.low, self.tall, columns, positions)
        return positions

    def own_places(self, cells: CellIndices) -> npt.NDArray[np.int32]:
        """[n, 2] the two places of each cell, lower first; ABOVE or BELOW where one lies outside the dimension."""
        return self._stacked(cells, 0, 2, range(MIDDLE, MIDDLE + 1), NO_NEIGHBOURS)[:, 0]

    def neighbourhoods(self, cells: CellIndices, column_neighbours: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """[n, 36] places by ``((dx + 1) * 3 + dz + 1) * 4 + k``, k the section 2 * cell y - 1 + k."""
        return self._stacked(cells, -1, 4, range(9), column_neighbours).reshape(len(cells), 36)

    def _stacked(
        self, cells: CellIndices, first: int, count: int, which: range, column_neighbours: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int32]:
        """[n, rows a cell, count] places of sections ``2 * cell y + first`` upwards, in ``which`` of the nine rows."""
        places = np.empty((len(cells), len(which), count), np.int32)
        rows = which.start, which.stop
        stack_places(cells, self.floor, self.sections, self.low, self.tall, first, *rows, column_neighbours, places)
        return places
