"""Trees of four kinds and everything that grows on the ground or in the water.

Rules:
1. Whether a tree stands at (x, z), and which, follows from the surface and hashes of x and z alone; a region plants
   also those rooted within ``REACH_BLOCKS`` outside it and keeps the part that falls inside. Crowns cross all borders.
2. Trees are planted in order of x, then z; a crown fills only air and plants, a trunk everything. So the outcome at
   one block does not depend on which region is made.
"""

import numpy as np
import numpy.typing as npt

from net.server.worlds.hills.terrain import (
    FLOOR_Y,
    IDS,
    SEA_Y,
    Mask,
    TerrainSurface,
    Voxels,
    chance,
    meadow,
    on_path,
    patches,
)
from net.server.worlds.noise import Ints, hash64

REACH_BLOCKS = 4
"""Widest crown, from its trunk."""

Shape = tuple[Ints, Ints]
"""Offsets [n, 3] (x, z, y from the block over the root) of a trunk and of a crown."""


def _disc(radius: int, y: int, corners: bool) -> list[tuple[int, int, int]]:
    around = range(-radius, radius + 1)
    return [(x, z, y) for x in around for z in around if corners or abs(x) + abs(z) < 2 * radius or radius == 0]


def _round_tree(height: int, radius: int) -> Shape:
    """A trunk with a round crown, as oaks and birches have."""
    crown = [c for y in (height - 3, height - 2) for c in _disc(radius, y, False)]
    crown += _disc(1, height - 1, True) + _disc(1, height, False)
    return np.array([(0, 0, y) for y in range(height)]), np.array(crown)


def _big_tree(height: int) -> Shape:
    """A thick dark oak: a wide crown in three layers."""
    trunk = [(x, z, y) for x in (0, 1) for z in (0, 1) for y in range(-2, height)]
    around = range(-3, 5)
    crown = []
    for y, reach in ((height - 2, 14), (height - 1, 18), (height, 10), (height + 1, 4)):
        crown += [(x, z, y) for x in around for z in around if (x - 0.5) ** 2 + (z - 0.5) ** 2 <= reach]
    return np.array(trunk), np.array(crown)


def _spruce(height: int) -> Shape:
    """Skirts that widen and narrow, with a tip."""
    crown = [(0, 0, height), (0, 0, height + 1), *_disc(1, height - 1, False)]
    radius = 1
    for number, y in enumerate(range(height - 2, 1, -1)):
        radius = (2, 1, 3, 2, 1, 3, 2)[min(number, 6)] if number < 7 else (3 if number % 2 else 2)
        crown += _disc(min(radius, 3 if y < height - 4 else 2), y, False)
    return np.array([(0, 0, y) for y in range(height)]), np.array(crown)


KINDS: tuple[tuple[str, str, tuple[Shape, ...]], ...] = (
    ("oak_log", "oak_leaves", tuple(_round_tree(h, 2) for h in (4, 5, 6))),
    ("birch_log", "birch_leaves", tuple(_round_tree(h, 2) for h in (5, 6, 7))),
    ("dark_log", "dark_leaves", tuple(_big_tree(h) for h in (6, 7, 8))),
    ("spruce_log", "spruce_leaves", tuple(_spruce(h) for h in (7, 9, 11))),
)
"""Trunk, leaves and three sizes of each kind."""
TALLEST_BLOCKS = 14

FLOWERS = ("poppy", "dandelion", "cornflower", "oxeye", "allium", "red_tulip", "orange_tulip")


def free(surface: TerrainSurface, reserved: Mask) -> Mask:
    """Where something may grow on dry soil."""
    return ~(surface.wet | surface.beach | surface.mouth | on_path(surface) | reserved | surface.bare)


def plant(
    seed: int, blocks: Voxels, surface: TerrainSurface, wide: TerrainSurface, reserved: Mask, margin: int
) -> None:
    """Grows everything in one region.

    ``blocks``: the region's blocks; changed. ``surface``: of exactly the region. ``wide``: of the region and ``margin``
    blocks around it. ``reserved``: where buildings stand, over ``wide``. ``margin``: at least ``REACH_BLOCKS``.
    """
    inner = np.s_[margin:-margin, margin:-margin]
    _undergrowth(seed, blocks, surface, free(surface, reserved[inner]))
    _water_plants(seed, blocks, surface)
    _trees(seed, blocks, wide, reserved, margin)


def _trees(seed: int, blocks: Voxels, wide: TerrainSurface, reserved: Mask, margin: int) -> None:
    density = 0.0012 + 0.021 * wide.trees
    rooted = free(wide, reserved) & ~meadow(wide) & (wide.slope <= 2) & (chance(seed + 50, wide) < density)
    rooted &= ~(wide.snowy & (wide.slope > 1))
    rx, rz = np.nonzero(rooted)
    near = (np.minimum(rx, rz) >= margin - REACH_BLOCKS) & (rx < len(wide.xs) - margin + REACH_BLOCKS)
    near &= rz < len(wide.zs) - margin + REACH_BLOCKS
    rx, rz = rx[near], rz[near]
    kind_number = hash64(seed + 51, wide.xs[rx], wide.zs[rz])
    root = np.stack([rx - margin, rz - margin, wide.height[rx, rz] - FLOOR_Y + 1], axis=1)
    crowns, trunks = [], []
    for number, at in enumerate(root):
        biome, pick = int(wide.biome[rx[number], rz[number]]), int(kind_number[number])
        log, leaf, sizes = KINDS[_kind(biome, bool(wide.cold[rx[number], rz[number]]), pick)]
        trunk, crown = sizes[pick // 64 % 3]
        crowns.append((crown + at, IDS[leaf]))
        trunks.append((trunk + at, IDS[log]))
    _put(blocks, crowns, only_over=(0, IDS["short_grass"], IDS["fern"], IDS["snow_layer"]))
    _put(blocks, trunks, only_over=None)


def _kind(biome: int, cold: bool, pick: int) -> int:
    if cold:
        return 3
    mostly = {27: (1, 1, 1, 0), 29: (2, 2, 0, 2), 4: (0, 0, 1, 0)}.get(biome, (0, 0, 1, 0))
    return mostly[pick % 4]


def _put(blocks: Voxels, parts: list[tuple[Ints, int]], only_over: tuple[int, ...] | None) -> None:
    """Writes lists of blocks, later ones over earlier ones, clipped to the region."""
    if not parts:
        return
    at = np.concatenate([offsets for offsets, _ in parts])
    ids = np.repeat([i for _, i in parts], [len(offsets) for offsets, _ in parts]).astype(np.uint16)
    inside: npt.NDArray[np.bool_] = np.asarray(((at >= 0) & (at < np.array(blocks.shape))).all(1))
    if only_over is not None:
        inside[inside] = np.isin(blocks[tuple(at[inside].T)], only_over)
    x, z, y = at[inside].T
    blocks[x, z, y] = ids[inside]


def _undergrowth(seed: int, blocks: Voxels, surface: TerrainSurface, soil: Mask) -> None:
    """Grass, ferns, flowers in patches of one kind, mushrooms in woods, snow on snow."""
    number = chance(seed + 55, surface)
    top = surface.height - FLOOR_Y
    gx, gz = np.meshgrid(np.arange(len(surface.xs)), np.arange(len(surface.zs)), indexing="ij")
    ground = blocks[gx, gz, top]
    green = soil & ((ground == IDS["grass"]) | (ground == IDS["podzol"])) & ~surface.snowy
    lush = patches(seed + 56, surface, 21)

    def sow(where: npt.NDArray[np.bool_], name: str) -> None:
        blocks[gx[where], gz[where], top[where] + 1] = IDS[name]

    sow(green & (number < 0.10 + 0.22 * np.clip(lush, 0, 1)), "short_grass")
    sow(green & surface.cold & (number > 0.4) & (number < 0.5), "fern")
    for kind, name in enumerate(FLOWERS):
        patch = patches(seed + 60 + kind, surface, 17) > 0.62
        sow(green & patch & (number > 0.5) & (number < 0.58), name)
    sow(green & (surface.trees > 0.6) & (number > 0.70) & (number < 0.703), "red_mushroom")
    sow(green & (number > 0.71) & (number < 0.7112), "poppy")
    white = surface.snowy & ((ground == IDS["snow"]) | (ground == IDS["grass"])) & ~surface.mouth
    sow(white & (number < 0.7), "snow_layer")
    sow(white & (number < 0.2), "deep_snow_layer")


def _water_plants(seed: int, blocks: Voxels, surface: TerrainSurface) -> None:
    """Sea grass and kelp on the bottom, lilies on the surface, reeds on the shore."""
    number = chance(seed + 70, surface)
    groups = patches(seed + 71, surface, 13)
    depth = SEA_Y - surface.height
    top = surface.height - FLOOR_Y
    gx, gz = np.nonzero((depth >= 2) & (number < 0.14))
    blocks[gx, gz, top[gx, gz] + 1] = IDS["seagrass"]
    gx, gz = np.nonzero((depth >= 5) & (number > 0.9) & (groups > 0.25))
    for x, z in zip(gx.tolist(), gz.tolist(), strict=True):
        length = 2 + int(number[x, z] * 1000) % max(int(depth[x, z]) - 2, 1)
        blocks[x, z, top[x, z] + 1 : top[x, z] + 1 + min(length, int(depth[x, z]) - 1)] = IDS["kelp"]
    gx, gz = np.nonzero((depth >= 1) & (depth <= 6) & (groups < -0.45) & (number > 0.45) & (number < 0.6))
    blocks[gx, gz, SEA_Y + 1 - FLOOR_Y] = IDS["waterlily"]
    shore = (
        (surface.height == SEA_Y)
        & surface.beach
        & (groups > 0.2)
        & (number > 0.6)
        & (number < 0.85)
        & ~on_path(surface)
    )
    gx, gz = np.nonzero(shore)
    for layer in (1, 2, 3):
        blocks[gx, gz, SEA_Y - FLOOR_Y + layer] = IDS["reeds"]
