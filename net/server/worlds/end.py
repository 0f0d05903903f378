"""The End of a generated world: one island in the middle with pillars of obsidian, others far out, else air.

Rules:
1. A column is a pure function of seed and position, and needs no other column.
2. Players start as in the games, on a platform of obsidian beside the island, looking at it.
"""

import math

import numpy as np
import numpy.typing as npt

from net.server.worlds.noise import Floats, gradient2, hash64, noise2
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of, table_of
from net.space import END, ColumnPos

BLOCKS = table_of("air bedrock end_stone obsidian end_rod")
IDS = {word: np.uint16(number) for number, word in enumerate(BLOCKS)}
BIOME = 9
"""The End."""
HEIGHT = END.sections * 16
TOP_Y = 60
ISLAND_BLOCKS = 84
"""Approximate radius of the middle island."""
OUTER_BLOCKS = 260
"""Distance from the origin where the outer islands begin."""
PILLARS = tuple(
    (round(42 * math.cos(math.tau * at / 10)), round(42 * math.sin(math.tau * at / 10)), 2 + at % 3, 78 + 3 * at)
    for at in range(10)
)
"""x, z, radius and top of each."""
PLATFORM = (100, 48, 0)
PLATFORM_BLOCKS = 2

Axis = npt.NDArray[np.int64]
Voxels = npt.NDArray[np.uint16]
"""[16, 16, 256] of one column by x, z, y: local ids."""


class IslandsWorld:
    """See the module."""

    dimension = END
    states = tuple(BLOCKS.values())
    spawn = Spawn((PLATFORM[0] + 0.5, PLATFORM[1] + 1.0, PLATFORM[2] + 0.5), 90.0, 0.0)

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._seed = int(hash64(seed, END.number)) & 0x7FFFFFFF
        self._biomes = np.full(256, BIOME, np.uint16)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        xs, zs = (np.arange(at * 16, at * 16 + 16) for at in (position.x, position.z))
        ys = np.arange(HEIGHT)
        land = self._land(xs, zs)[:, :, None]
        hills = noise2(self._seed + 1, xs, zs, 17.0)[:, :, None]
        top = np.float32(TOP_Y) + hills * np.float32(4) * np.clip(land, 0, 1)
        solid = (land > 0) & (ys <= top) & (ys >= top - np.float32(3) - land * np.float32(26))
        blocks = np.where(solid, IDS["end_stone"], IDS["air"])
        for pillar in PILLARS:
            _raise_pillar(xs, zs, blocks, *pillar)
        _lay_platform(xs, zs, blocks)
        return GeneratedColumn(subchunks_of(blocks), None, self._biomes)

    def _land(self, xs: Axis, zs: Axis) -> Floats:
        """Density of land at each place: 0 and less for none, about 1 inside an island."""
        away = np.sqrt((xs[:, None] ** 2 + zs[None, :] ** 2).astype(np.float32))
        rough = noise2(self._seed + 2, xs, zs, 23.0) * np.float32(0.15)
        middle = np.float32(1) - away / np.float32(ISLAND_BLOCKS) + rough
        far = gradient2(self._seed + 3, xs, zs, 67.0) * np.float32(2) - np.float32(0.55) + rough
        return np.where(away < np.float32(OUTER_BLOCKS), middle, far).astype(np.float32)


def _raise_pillar(xs: Axis, zs: Axis, blocks: Voxels, x: int, z: int, radius: int, top: int) -> None:
    if not (xs[0] - radius <= x <= xs[-1] + radius and zs[0] - radius <= z <= zs[-1] + radius):
        return
    inside = (xs[:, None] - x) ** 2 + (zs[None, :] - z) ** 2 <= radius * radius + 1
    blocks[:, :, 40:top][inside] = IDS["obsidian"]
    middle = (xs[:, None] == x) & (zs[None, :] == z)
    blocks[:, :, top][middle] = IDS["bedrock"]
    blocks[:, :, top + 1][middle] = IDS["end_rod"]


def _lay_platform(xs: Axis, zs: Axis, blocks: Voxels) -> None:
    x, y, z = PLATFORM
    inside = (abs(xs[:, None] - x) <= PLATFORM_BLOCKS) & (abs(zs[None, :] - z) <= PLATFORM_BLOCKS)
    blocks[:, :, y][inside] = IDS["obsidian"]
    blocks[:, :, y + 1 : y + 4][inside] = IDS["air"]
