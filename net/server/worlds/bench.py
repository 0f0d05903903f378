"""The bench world: 17 x 17 columns round (0, 0), used for every figure that says "bench world".

It is bounded: columns outside are air from floor to roof. The whole world is generated when the first column is
requested (about two seconds), since its trees and houses cross column borders.

Blocks: the 64 block states, in the order of the local ids with which the benchmarks were first measured. The world was
designed with names of later versions; each name here means the state of protocol 486 that looks and lights alike.

Order of generation: ground, caves, ores, water, plants, trees, cave lights, houses. The blocks at seed 1 are pinned by
a hash in the tests, because all figures depend on them. The order of the steps and of the float operations must
therefore not change. Trees and houses depend on the blocks already placed.

Limits: 272 x 272 x 384 blocks of uint16 take 57 MB, and the noise fields temporarily as much again.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import BlockIds
from net.server.worlds.noise import Ints, hash64, noise2, noise3, unit
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of, table_of
from net.space import OVERWORLD, ColumnPos

BLOCKS: Final = table_of(
    """
    air bedrock stone deepslate granite diorite andesite tuff dirt grass sand sandstone gravel clay snow water lava
    coal_ore iron_ore copper_ore gold_ore redstone_ore lapis_ore diamond_ore emerald_ore deepslate_coal_ore
    deepslate_iron_ore deepslate_copper_ore deepslate_gold_ore deepslate_redstone_ore deepslate_lapis_ore
    deepslate_diamond_ore oak_log birch_log spruce_log oak_leaves birch_leaves spruce_leaves short_grass fern
    dandelion poppy cornflower brown_mushroom seagrass snow_layer torch soul_torch redstone_torch glowstone
    sea_lantern shroomlight ochre_froglight verdant_froglight pearlescent_froglight oak_planks cobblestone
    mossy_cobblestone glass red_glass blue_glass oak_stairs oak_fence glow_lichen
    """
)

IDS: Final = {word: number for number, word in enumerate(BLOCKS)}
"""Word -> local id."""

FLOOR_Y, HEIGHT = -64, 384
SEA_Y = 62

Blocks = npt.NDArray[np.uint16]
"""[x, z, y] of the whole world, local ids."""

BLOBS = (
    ("granite", 21, 0.62),
    ("diorite", 19, 0.63),
    ("andesite", 23, 0.62),
    ("tuff", 17, 0.66),
    ("dirt", 13, 0.74),
    ("gravel", 12, 0.76),
)
ORES = (
    ("coal_ore", 20, 0, 120, 2.2),
    ("iron_ore", 14, -60, 70, 1.8),
    ("copper_ore", 12, -10, 90, 2.0),
    ("gold_ore", 5, -62, 30, 1.7),
    ("redstone_ore", 7, -62, 14, 1.6),
    ("lapis_ore", 4, -62, 60, 1.5),
    ("diamond_ore", 5, -62, 12, 1.4),
    ("emerald_ore", 3, 60, 130, 0.8),
)
"""Name, lumps a column, lowest and highest y, radius in blocks."""
PLANTS = (
    ("short_grass", 0, 0.22),
    ("fern", 0.22, 0.25),
    ("dandelion", 0.25, 0.262),
    ("poppy", 0.262, 0.274),
    ("cornflower", 0.274, 0.28),
)
TREES = (("oak_log", "oak_leaves", 5), ("birch_log", "birch_leaves", 6), ("spruce_log", "spruce_leaves", 8))
CAVE_FLOOR = (
    ("torch", 0, 0.004),
    ("soul_torch", 0.004, 0.005),
    ("redstone_torch", 0.005, 0.006),
    ("brown_mushroom", 0.01, 0.02),
    ("glow_lichen", 0.02, 0.032),
)
LAMPS = ("glowstone", "sea_lantern", "shroomlight", "ochre_froglight", "verdant_froglight", "pearlescent_froglight")
TORCHES = ("torch", "soul_torch", "redstone_torch")


class StepPlan(msgspec.Struct, frozen=True):
    """Parameters of all steps."""

    seed: int  # for all hashes
    columns: int  # the world's side in columns
    low: int  # block x and z of its first block
    xs: Ints  # block x (and z) of each index
    ys: Ints  # block y of each index
    surface: Ints  # y of the top solid block, int64[x, z]


def generate(columns: int, seed: int) -> tuple[Blocks, Blocks]:
    """Both layers of a world of ``columns`` x ``columns``, its middle column at (0, 0)."""
    plan = _plan(columns, seed)
    blocks = _ground(plan)
    cave = _caves(plan)
    _soil(plan, blocks)
    _ores(plan, blocks)
    rock = blocks[:, :, : cave.shape[2]]
    rock[cave & (rock != IDS["bedrock"])] = 0
    low = blocks[:, :, :10]
    low[cave[:, :, :10] & (low == 0)] = IDS["lava"]
    y = plan.ys[None, None, : SEA_Y + 1 - FLOOR_Y]
    blocks[:, :, : SEA_Y + 1 - FLOOR_Y][y > plan.surface[:, :, None]] = IDS["water"]
    layer1 = np.zeros_like(blocks)
    grass = _plants(plan, blocks, layer1)
    _trees(plan, blocks, grass)
    _cave_lights(plan, blocks, grass)
    _houses(plan, blocks)
    layer1[blocks != IDS["seagrass"]] = 0
    return blocks, layer1


def _plan(columns: int, seed: int) -> StepPlan:
    low = -(columns // 2) * 16
    xs = np.arange(low, low + columns * 16)
    rolling = noise2(seed + 1, xs, xs, 97) * 26 + noise2(seed + 2, xs, xs, 41) * 11 + noise2(seed + 3, xs, xs, 19) * 4
    height = rolling + np.maximum(0, noise2(seed + 4, xs, xs, 140)) ** 2 * 70 + 67
    return StepPlan(seed, columns, low, xs, np.arange(FLOOR_Y, FLOOR_Y + HEIGHT), np.floor(height).astype(np.int64))


def _ground(plan: StepPlan) -> Blocks:
    """Stone over deepslate, with large blobs of other stone."""
    seed, xs, y, s = plan.seed, plan.xs, plan.ys[None, None, :], plan.surface[:, :, None]
    deep_edge = (noise2(seed + 5, xs, xs, 7) * 4).astype(np.int64)[:, :, None]
    solid = y <= s
    blocks = np.full(solid.shape, IDS["stone"], np.uint16)
    blocks[y < deep_edge] = IDS["deepslate"]
    blocks[~solid] = 0
    under = (y < s - 4) & solid
    top = int(plan.surface.max()) - FLOOR_Y + 1
    for number, (name, cell, threshold) in enumerate(BLOBS):
        height = min(top, 4 - FLOOR_Y) if name == "tuff" else top
        blob = noise3(seed + 20 + number, xs, xs, plan.ys[:height], cell, cell) > threshold
        blocks[:, :, :height][blob & under[:, :, :height]] = IDS[name]
    return blocks


def _caves(plan: StepPlan) -> npt.NDArray[np.bool_]:
    """Wide halls and winding tunnels, never through the floor of the sea; [x, z, y] up to the highest surface."""
    seed, xs, s = plan.seed, plan.xs, plan.surface[:, :, None]
    ys = plan.ys[: int(plan.surface.max()) - FLOOR_Y + 1]
    y = ys[None, None, :]
    halls = noise3(seed + 40, xs, xs, ys, 43, 27)
    halls += np.float32(0.35) * noise3(seed + 41, xs, xs, ys, 15, 11)
    cave = halls > 0.62
    del halls
    tunnel = np.abs(noise3(seed + 42, xs, xs, ys, 37, 31)) < 0.07
    tunnel &= np.abs(noise3(seed + 43, xs, xs, ys, 33, 29)) < 0.09
    cave |= tunnel
    return cave & (y <= s) & (y > FLOOR_Y + 4) & ((s > SEA_Y + 1) | (y < s - 6))


def _soil(plan: StepPlan, blocks: Blocks) -> None:
    seed, xs, y, s = plan.seed, plan.xs, plan.ys[None, None, :], plan.surface[:, :, None]
    dry, beach = s > SEA_Y, (s >= SEA_Y - 2) & (s <= SEA_Y + 1)
    soil, top = (y <= s) & (y > s - 4), y == s
    blocks[soil & dry] = IDS["dirt"]
    blocks[soil & ~dry] = IDS["sand"]
    blocks[top & dry] = IDS["grass"]
    blocks[top & (s > 112)] = IDS["snow"]
    blocks[soil & beach] = IDS["sand"]
    blocks[(y == s - 4) & beach] = IDS["sandstone"]
    blocks[top & (s < SEA_Y - 8) & (noise2(seed + 6, xs, xs, 9) > 0.3)[:, :, None]] = IDS["clay"]
    low = plan.ys[None, None, :5]
    bed = unit(seed + 7, xs[:, None, None], xs[None, :, None], low) * 5 > (low - FLOOR_Y)
    blocks[:, :, :5][bed] = IDS["bedrock"]


def _ores(plan: StepPlan, blocks: Blocks) -> None:
    """Balls of ore in stone and, for ores that have a deepslate kind, in deepslate. The first ore in a block stays."""
    first = plan.low // 16
    kinds = [(np.arange(ore[1])[:, None], np.arange(4)[None, :]) for ore in ORES]
    for cx in range(plan.columns):
        lumps = []
        for cz in range(plan.columns):
            for number, (name, count, y_low, y_high, radius) in enumerate(ORES):
                u = unit(plan.seed + 60 + number, cx + first, cz + first, *kinds[number])
                lump = np.empty((count, 6), np.float32)
                lump[:, 0] = cx * 16 + u[:, 0] * 16
                lump[:, 1] = cz * 16 + u[:, 1] * 16
                lump[:, 2] = y_low + u[:, 2] * (y_high - y_low) - FLOOR_Y
                lump[:, 3] = radius * (0.6 + 0.6 * u[:, 3])
                lump[:, 4], lump[:, 5] = IDS[name], IDS.get(f"deepslate_{name}", IDS["deepslate"])
                lumps.append(lump)
        _put_lumps(blocks, np.concatenate(lumps))


WIDEST_LUMP = 7
"""Blocks across the box of the largest ball: its radius is 2.64."""


def _put_lumps(blocks: Blocks, lumps: npt.NDArray[np.float32]) -> None:
    """Writes balls in order.

    ``blocks``: the world; changed. ``lumps``: [n, 6]: x, z, y in blocks from the world's corner, radius, id in stone,
    id in deepslate.
    """
    radius = lumps[:, 3:4]
    corner = np.maximum((lumps[:, :3] - radius).astype(np.int64), (0, 0, 1))
    reach = np.arange(WIDEST_LUMP)
    at = corner[:, :, None] + reach
    distance2 = (at + 0.5 - lumps[:, :3, None]) ** 2
    x2, z2, y2 = distance2[:, 0, :, None, None], distance2[:, 1, None, :, None], distance2[:, 2, None, None, :]
    ball = (x2 + z2 + y2) <= (radius * radius)[:, :, None, None]
    ball &= (at[:, 0] < blocks.shape[0])[:, :, None, None] & (at[:, 1] < blocks.shape[1])[:, None, :, None]
    lump, dx, dz, dy = (part[::-1] for part in np.nonzero(ball))  # reversed: the last written stays
    x, z, y = at[lump, 0, dx], at[lump, 1, dz], at[lump, 2, dy]
    host = blocks[x, z, y]
    ids = lumps[:, 4:].astype(np.uint16)
    stone, deep = host == IDS["stone"], host == IDS["deepslate"]
    kept = stone | deep & (ids[lump, 1] != IDS["deepslate"])
    lump, stone, x, z, y = lump[kept], stone[kept], x[kept], z[kept], y[kept]
    blocks[x, z, y] = np.where(stone, ids[lump, 0], ids[lump, 1])


def _plants(plan: StepPlan, blocks: Blocks, layer1: Blocks) -> npt.NDArray[np.bool_]:
    """Sea grass (the water around it in layer 1), meadow plants, snow layers. Returns where open grass was."""
    n = blocks.shape[0]
    chance = unit(plan.seed + 80, plan.xs[:, None], plan.xs[None, :])
    index = plan.surface - FLOOR_Y
    gx, gz = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    top, above = blocks[gx, gz, index], blocks[gx, gz, index + 1]
    wet = (above == IDS["water"]) & (chance < 0.12)
    blocks[gx[wet], gz[wet], index[wet] + 1] = IDS["seagrass"]
    layer1[gx[wet], gz[wet], index[wet] + 1] = IDS["water"]
    grass: npt.NDArray[np.bool_] = (top == IDS["grass"]) & (above == 0)
    for name, low, high in PLANTS:
        m = grass & (chance >= low) & (chance < high)
        blocks[gx[m], gz[m], index[m] + 1] = IDS[name]
    m = (top == IDS["snow"]) & (chance < 0.5) & (above == 0)
    blocks[gx[m], gz[m], index[m] + 1] = IDS["snow_layer"]
    return grass


def _trees(plan: StepPlan, blocks: Blocks, grass: npt.NDArray[np.bool_]) -> None:
    seed, n = plan.seed, blocks.shape[0]
    forest = noise2(seed + 8, plan.xs, plan.xs, 60)
    chance = unit(seed + 81, plan.xs[:, None], plan.xs[None, :])
    for x, z in np.argwhere(grass & (chance < 0.006 + 0.03 * np.clip(forest, 0, 1))):
        if 3 <= x <= n - 4 and 3 <= z <= n - 4:
            _tree(blocks, seed, int(x), int(z), int(plan.surface[x, z]) - FLOOR_Y)


def _tree(blocks: Blocks, seed: int, x: int, z: int, y: int) -> None:
    kind = int(hash64(seed + 82, x, z) % np.uint64(8))
    log, leaf, height = TREES[0 if kind < 4 else 1 if kind < 6 else 2]
    height += int(hash64(seed + 83, x, z) % np.uint64(3))
    for dy in range(height - 3, height + 2):
        r = 2 if dy < height else 1
        if log == "spruce_log":
            r = min(1 + (height + 1 - dy) // 2, 2)
        leaves = blocks[x - r : x + r + 1, z - r : z + r + 1, y + 1 + dy]
        away = np.abs(np.arange(-r, r + 1))
        inside = (away[:, None] + away[None, :]) < 2 * r
        leaves[inside & ((leaves == 0) | (leaves == IDS["short_grass"]))] = IDS[leaf]
    blocks[x, z, y + 1 : y + 1 + height] = IDS[log]
    blocks[x, z, y] = IDS["dirt"]


def _cave_lights(plan: StepPlan, blocks: Blocks, grass: npt.NDArray[np.bool_]) -> None:
    """Torches, mushrooms and lichen on cave floors; a few torches on open grass."""
    index = plan.surface - FLOOR_Y
    solid = blocks != 0
    top = int(index.max())
    floor = ~solid[:, :, 1:top] & solid[:, :, : top - 1]
    floor &= np.arange(1, top)[None, None, :] < index[:, :, None] - 3
    fx, fz, fy = np.nonzero(floor)
    chance = unit(plan.seed + 90, fx, fz, fy)
    for name, low, high in CAVE_FLOOR:
        m = (chance >= low) & (chance < high)
        blocks[fx[m], fz[m], fy[m] + 1] = IDS[name]
    m = grass & (unit(plan.seed + 80, plan.xs[:, None], plan.xs[None, :]) > 0.9985)
    gx, gz = np.nonzero(m)
    blocks[gx, gz, index[m] + 1] = IDS["torch"]


def _houses(plan: StepPlan, blocks: Blocks) -> None:
    """About one in six columns has a house of two floors with a coloured lamp on each."""
    index = plan.surface - FLOOR_Y
    for cx in range(plan.columns):
        for cz in range(plan.columns):
            if hash64(plan.seed + 95, cx, cz) % np.uint64(6):
                continue
            x, z = cx * 16 + 4, cz * 16 + 4
            low, y = int(index[x : x + 8, z : z + 8].min()), int(index[x : x + 8, z : z + 8].max())
            if y + FLOOR_Y <= SEA_Y or y > HEIGHT - 20:
                continue
            plot = blocks[x : x + 8, z : z + 8]
            plot[:, :, low : y + 1] = IDS["cobblestone"]
            plot[:, :, y + 1 : y + 12] = 0
            plot[:, :, y] = IDS["mossy_cobblestone"] if hash64(cx, cz) % np.uint64(2) else IDS["oak_planks"]
            for storey in range(2):
                _storey(plot, y + 1 + 5 * storey, plan.seed, (cx, cz, storey))


def _storey(plot: Blocks, base: int, seed: int, key: tuple[int, int, int]) -> None:
    plot[:, :, base : base + 5] = IDS["oak_planks"]
    plot[1:7, 1:7, base : base + 4] = 0
    for offset, pane in ((2, "glass"), (3, "red_glass"), (4, "blue_glass")):
        plot[offset, 0, base + 1 : base + 3] = IDS[pane]
        plot[7, offset, base + 1 : base + 3] = IDS[pane]
    plot[0, 3:5, base : base + 2] = 0
    plot[2:6, 5, base] = IDS["oak_stairs"]
    plot[5, 1, base : base + 2] = IDS["oak_fence"]
    plot[3, 3, base + 3] = IDS[LAMPS[int(hash64(seed + 96, *key) % np.uint64(6))]]
    plot[1, 1, base] = IDS[TORCHES[int(hash64(seed + 97, *key) % np.uint64(3))]]


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
