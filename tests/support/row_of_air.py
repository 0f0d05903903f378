"""A small world for sight: columns of air in a row."""

import numpy as np

from client.visibility.walk import derive_connectivity
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from tests.support.fake_world import FakeTable, FakeWorld

FLAT = Dimension(0, "flat", 0, 3, True)


def row_of_air() -> FakeWorld:
    """Seven columns of air along x, from the origin on."""
    made = FakeWorld(FLAT, FakeTable.plain())
    made.add_columns([ColumnPos(x, 0) for x in range(7)])
    for column in made.row_of:
        for section in range(FLAT.sections):
            made.show(made.place(column, section), np.zeros(4096, np.uint16))
    derive_connectivity(made.pools, np.arange(2, dtype=np.int32))
    return made
