"""A world of another height than is usual: noise of three blocks from its floor to its roof."""

import numpy as np

from net.palette import BlockState
from net.server.worlds.flat import FlatWorld
from net.server.worlds.world import GeneratedColumn, Spawn
from net.space.dimensions import Dimension
from net.space.positions import BlockPos, ColumnPos

TALL = Dimension(0, "overworld", -8, 40, True)
"""-128..511."""


class TallWorld:
    """Every fourth sub-chunk from the floor up is noise, the others are air; a client sees into each."""

    states = FlatWorld.states
    name = "tall"
    spawn = Spawn((8.5, 100.0, 8.5), 0.0, 0.0)

    def __init__(self, dimension: Dimension = TALL) -> None:
        self.dimension = dimension

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """Noise that depends on the position."""
        chance = np.random.default_rng([abs(position.x), abs(position.z), position.x < 0, position.z < 0])
        layer0 = np.zeros((self.dimension.sections, 4096), np.uint16)
        noisy = layer0[:: 4 if self.dimension.sections > 4 else 1]
        noisy[:] = chance.integers(0, len(self.states), noisy.shape)
        layer0[-1] = noisy[0]
        return GeneratedColumn(layer0, None, np.full(256, 1, np.uint16))

    def block(self, position: BlockPos) -> BlockState:
        """What stands there."""
        section = (position.y >> 4) - self.dimension.floor_section
        x, y, z = position.x & 15, position.y & 15, position.z & 15
        return self.states[int(self.column(position.column).layer0[section, x << 8 | z << 4 | y])]
