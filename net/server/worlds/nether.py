"""The Nether of a generated world: caverns between a floor and a roof of bedrock, a sea of lava, glowstone overhead.

Rules:
1. A column is a pure function of seed and position, and needs no other column.
2. At any seed there is an open hall around the start, with a floor and four lamps.
"""

import numpy as np
import numpy.typing as npt

from net.server.worlds.noise import Floats, hash64, noise2, noise3, unit
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of, table_of
from net.space import NETHER, ColumnPos

BLOCKS = table_of("air bedrock netherrack lava glowstone soul_sand magma quartz_ore gravel")
IDS = {word: np.uint16(number) for number, word in enumerate(BLOCKS)}
BIOME = 8
"""Nether wastes."""
HEIGHT = NETHER.sections * 16
LAVA_Y = 31
"""The surface of the sea."""
SHORE_Y = 36
HALL_Y = 40
"""Height of the feet of a player at the start."""
HALL_BLOCKS = 11
MIDDLE = 8

Voxels = npt.NDArray[np.uint16]
"""[16, 16, 128] of one column by x, z, y: local ids."""


class CavernsWorld:
    """See the module."""

    dimension = NETHER
    states = tuple(BLOCKS.values())
    spawn = Spawn((MIDDLE + 0.5, float(HALL_Y), MIDDLE + 0.5), 0.0, 0.0)

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._seed = int(hash64(seed, NETHER.number)) & 0x7FFFFFFF
        self._biomes = np.full(256, BIOME, np.uint16)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        xs, zs = (np.arange(at * 16, at * 16 + 16) for at in (position.x, position.z))
        ys = np.arange(HEIGHT)
        solid = self._density(xs, zs, ys) > 0
        blocks = np.where(solid, IDS["netherrack"], IDS["air"])
        self._veins(xs, zs, ys, blocks)
        self._shores(xs, zs, blocks)
        self._glow(xs, zs, blocks)
        blocks[:, :, : LAVA_Y + 1][blocks[:, :, : LAVA_Y + 1] == 0] = IDS["lava"]
        _hall(xs, zs, blocks)
        edge = 1 + (hash64(self._seed, xs[:, None], zs[None, :], 7) % np.uint64(4)).astype(np.int64)[:, :, None]
        blocks[(ys < edge) | (ys >= HEIGHT - edge)] = IDS["bedrock"]
        return GeneratedColumn(subchunks_of(blocks), None, self._biomes)

    def _density(self, xs: npt.NDArray[np.int64], zs: npt.NDArray[np.int64], ys: npt.NDArray[np.int64]) -> Floats:
        """Above 0 in rock; it increases towards floor and roof."""
        wide = noise3(self._seed, xs, zs, ys, 28.0, 18.0)
        fine = noise3(self._seed + 1, xs, zs, ys, 9.0, 7.0)
        rim = np.maximum((np.float32(16) - ys) / np.float32(16), (ys - np.float32(HEIGHT - 20)) / np.float32(20))
        density: Floats = wide + np.float32(0.45) * fine + np.maximum(rim, 0).astype(np.float32) * np.float32(2)
        return density - np.float32(0.05)

    def _veins(
        self, xs: npt.NDArray[np.int64], zs: npt.NDArray[np.int64], ys: npt.NDArray[np.int64], blocks: Voxels
    ) -> None:
        chance = unit(self._seed, xs[:, None, None], zs[None, :, None], ys[None, None, :])
        blocks[(blocks == IDS["netherrack"]) & (chance < np.float32(0.008))] = IDS["quartz_ore"]

    def _shores(self, xs: npt.NDArray[np.int64], zs: npt.NDArray[np.int64], blocks: Voxels) -> None:
        """Replaces the ground beside the lava sea by patches of soul sand, gravel and magma."""
        patch = noise2(self._seed + 2, xs, zs, 21.0)[:, :, None]
        low = blocks[:, :, LAVA_Y - 2 : SHORE_Y]
        ground = (low != 0) & (blocks[:, :, LAVA_Y - 1 : SHORE_Y + 1] == 0)
        low[ground & (patch > np.float32(0.25))] = IDS["soul_sand"]
        low[ground & (patch < np.float32(-0.35))] = IDS["gravel"]
        magma = unit(self._seed + 3, xs[:, None, None], zs[None, :, None], 0) < np.float32(0.12)
        low[ground & magma] = IDS["magma"]

    def _glow(self, xs: npt.NDArray[np.int64], zs: npt.NDArray[np.int64], blocks: Voxels) -> None:
        """Hangs patches of glowstone under the rock overhead."""
        patch = noise2(self._seed + 4, xs, zs, 6.0)[:, :, None]
        high = blocks[:, :, SHORE_Y + 12 : HEIGHT - 1]
        under = (high == 0) & (blocks[:, :, SHORE_Y + 13 : HEIGHT] == IDS["netherrack"])
        hangs = under & (patch > np.float32(0.45))
        second = np.zeros_like(hangs)
        second[:, :, :-1] = hangs[:, :, 1:] & (high[:, :, :-1] == 0) & (patch > np.float32(0.6))
        high[hangs | second] = IDS["glowstone"]


def _hall(xs: npt.NDArray[np.int64], zs: npt.NDArray[np.int64], blocks: Voxels) -> None:
    """Digs the hall of rule 2."""
    dx, dz = (xs - MIDDLE)[:, None, None], (zs - MIDDLE)[None, :, None]
    dy = np.arange(HEIGHT)[None, None, :] - HALL_Y
    inside = dx * dx + dz * dz + dy * dy <= HALL_BLOCKS * HALL_BLOCKS
    blocks[inside & (dy >= 0)] = IDS["air"]
    floor = np.broadcast_to(dx * dx + dz * dz <= HALL_BLOCKS * HALL_BLOCKS, blocks.shape) & (dy >= -2) & (dy < 0)
    blocks[floor] = IDS["netherrack"]
    blocks[(abs(dx) == 6) & (abs(dz) == 6) & (dy == -1)] = IDS["glowstone"]
