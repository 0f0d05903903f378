"""The flat world: bedrock, two layers of dirt, grass. Endless, equal everywhere, one sub-chunk high."""

from functools import cached_property

import numpy as np

from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of, table_of
from net.space.dimensions import OVERWORLD, Dimension
from net.space.positions import ColumnPos

BLOCKS = table_of("air bedrock dirt grass")
LAYERS = (1, 2, 2, 3)
"""Local ids from the dimension's floor upwards."""
PLAINS = 1


class FlatWorld:
    """An endless plain, in whatever dimension; its seed changes nothing but its name."""

    states = tuple(BLOCKS.values())

    def __init__(self, seed: int = 1, dimension: Dimension = OVERWORLD) -> None:
        self.name = f"flat:{seed}"
        self.dimension = dimension

    @property
    def spawn(self) -> Spawn:
        """On the grass at the origin."""
        return Spawn((0.5, float(self.dimension.floor_y_blocks + len(LAYERS)), 0.5), 0.0, 10.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """The one column there is."""
        del position
        return self._column

    @cached_property
    def _column(self) -> GeneratedColumn:
        blocks = np.zeros((16, 16, self.dimension.sections * 16), np.uint16)
        blocks[:, :, : len(LAYERS)] = LAYERS
        return GeneratedColumn(subchunks_of(blocks), None, np.full(256, PLAINS, np.uint16))
