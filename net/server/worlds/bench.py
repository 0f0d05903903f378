"""The bench world: 17 x 17 columns round (0, 0), the ground of every figure that says "bench world".

It is bounded: columns outside are air from floor to roof. It is made whole when the first column is asked for
(about two seconds), since its trees and houses cross column borders.
"""

import numpy as np

from net.server.worlds.bench_blocks import BLOCKS
from net.server.worlds.bench_terrain import FLOOR_Y, generate
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of
from net.space.dimensions import OVERWORLD
from net.space.layout import BlockIds
from net.space.positions import ColumnPos

PLAINS = 1


class BenchWorld:
    """A bounded world of ``columns`` x ``columns``; see the module."""

    dimension = OVERWORLD
    states = tuple(BLOCKS.values())

    def __init__(self, seed: int = 1, columns: int = 17) -> None:
        self.name = f"bench:{seed}"
        self.seed = seed
        self.columns = columns
        self._layers: tuple[BlockIds, BlockIds] | None = None
        self._biomes = np.full(256, PLAINS, np.uint16)
        self._nothing = GeneratedColumn(np.zeros((OVERWORLD.sections, 4096), np.uint16), None, self._biomes)

    @property
    def spawn(self) -> Spawn:
        """On the highest block of the middle of the world."""
        layer0, _ = self.layers()
        middle = self.columns // 2 * 16 + 8
        top = int(np.flatnonzero(layer0[middle, middle])[-1])
        return Spawn((8.5, float(top + FLOOR_Y + 1), 8.5), 0.0, 10.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """The column at a position; nothing but air outside the square."""
        half = self.columns // 2
        x, z = position.x + half, position.z + half
        if not (0 <= x < self.columns and 0 <= z < self.columns):
            return self._nothing
        layer0, layer1 = self.layers()
        box = np.s_[x * 16 : x * 16 + 16, z * 16 : z * 16 + 16]
        second = subchunks_of(layer1[box]) if layer1[box].any() else None
        return GeneratedColumn(subchunks_of(layer0[box]), second, self._biomes)

    def layers(self) -> tuple[BlockIds, BlockIds]:
        """Both layers of the whole world, local ids, ``[x, z, y]``; read-only."""
        if self._layers is None:
            self._layers = generate(self.columns, self.seed)
        return self._layers
