"""Connectivity equals a flood cell by cell, for any density of opaque blocks."""

import numpy as np
import pytest

from client.visibility.walk import derive_connectivity
from net.space.dimensions import Dimension
from net.visibility.connectivity_kernels import SEE_THROUGH
from tests.support.reference.visibility import flood_connectivity
from tests.support.worlds.blocks import FakePools, FakeTable

CAVE = Dimension(1, "cave", 0, 1, False)


@pytest.mark.parametrize("density", [0.0, 0.05, 0.3, 0.5, 0.6, 0.65, 0.7, 0.9, 1.0])
def test_connectivity_equals_a_flood(density: float) -> None:
    rng = np.random.default_rng(int(density * 100))
    pools = FakePools(FakeTable.plain(), 16)
    for slot in range(2, 10):
        pools.write(slot, np.where(rng.random(4096) < density, 17, 0).astype(np.uint16))
    derive_connectivity(pools, np.arange(2, 10, dtype=np.int32))
    for slot in range(2, 10):
        assert int(pools.connectivity[slot]) == flood_connectivity(pools.opaque[slot])


@pytest.mark.parametrize("axis", range(3))
def test_a_plane_cuts_its_two_sides_apart(axis: int) -> None:
    cells = np.zeros((16, 16, 16), np.uint16)
    index = [slice(None)] * 3
    index[axis] = slice(7, 8)
    cells[tuple(index)] = 17
    pools = FakePools(FakeTable.plain(), 4)
    pools.write(2, cells.reshape(4096))
    derive_connectivity(pools, np.array([2], np.int32))
    pair = {0: (0, 1), 1: (2, 3), 2: (4, 5)}[axis]
    cut = 1 << (pair[0] * 8 + pair[1]) | 1 << (pair[1] * 8 + pair[0])
    assert int(pools.connectivity[2]) == SEE_THROUGH & ~cut
