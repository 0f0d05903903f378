"""A world to look through: walls with a few holes, air, rock, at random; sight lines in it are long and crooked."""

from functools import cache

import numpy as np

from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of, table_of
from net.space.dimensions import OVERWORLD
from net.space.positions import ColumnPos

BLOCKS = table_of("air bedrock")
ROCK = 1
TOP_SECTIONS = 7
"""Sub-chunks over the floor that may hold blocks."""


class MazeWorld:
    """Each column of its own chance; endless."""

    dimension = OVERWORLD
    states = tuple(BLOCKS.values())

    def __init__(self, seed: int) -> None:
        self.name = f"maze:{seed}"
        self._seed = seed
        self._column = cache(self._make)

    @property
    def spawn(self) -> Spawn:
        """At the origin, in whatever is there."""
        return Spawn((8.5, 8.0, 8.5), 0.0, 0.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """The column of a position."""
        return self._column(position)

    def _make(self, position: ColumnPos) -> GeneratedColumn:
        rng = np.random.default_rng([self._seed, position.x & 0xFFFF, position.z & 0xFFFF])
        blocks = np.zeros((16, 16, OVERWORLD.sections * 16), np.uint16)
        for section in range(int(rng.integers(0, TOP_SECTIONS + 1))):
            _fill(blocks[:, :, section * 16 : section * 16 + 16], rng)
        return GeneratedColumn(subchunks_of(blocks), None, np.ones(256, np.uint16))


def _fill(cells: np.ndarray, rng: np.random.Generator) -> None:
    kind = rng.random()
    if kind < 0.3:
        return
    if kind < 0.4:
        cells[:] = ROCK
        return
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(16))
        index: list[slice] = [slice(None)] * 3
        index[int(rng.integers(3))] = slice(at, at + 1)
        part = cells[tuple(index)]
        part[rng.random(part.shape) < 0.97] = ROCK
