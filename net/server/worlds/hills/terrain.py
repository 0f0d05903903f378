"""The surface and its biomes, and what lies under it: strata, soil, caves with their lamps, ores, the sea.

Rules:
1. Arrays are ``uint16[x, z, y]`` from the dimension's floor up to ``top``, one region at a time.
2. A block depends on noise, on the surface and on hashed ore lumps whose centres lie at most ``ORE_REACH_COLUMNS``
   columns away; never on another region's blocks.
3. Caves stay six blocks under the surface and under water, except at mouths.

Surface: height, kind of cover and biome of every block column, from noise alone.
1. It is a function of the seed and of x and z. Trees and houses of a neighbouring region can therefore be placed
   without generating that region.
2. Only +, -, *, / and square roots are used: they round alike on all machines, so heights are equal, too.

Theory: the height is four octaves of gradient noise. A fifth, slow noise says where mountains rise; these are ridged
noise (1 - |n|, squared). Near the origin the hand-designed height of the landmarks replaces it.

Landmarks: the hand-designed area near the spawn, at the same blocks whatever the seed.

    a meadow with a low knoll, where players start looking along +z
    a path with lamp posts of six colours down to a lake, and a pier into it
    four houses beside the path
    a range with snow tops behind the lake
    a lamp-lit cave under the knoll, west of the spawn, with a tunnel up to the grass

All other terrain blends into this within ``FADE_BLOCKS``. Positions are in blocks.
"""

from collections.abc import Generator
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.server.worlds.noise import Floats, Ints, Noise3, gradient2, hash64, noise2, smooth, unit
from net.server.worlds.world import table_of

SEA_Y: Final = 62

FADE_BLOCKS: Final = (95.0, 165.0)
"""Distances from the origin where the seed's terrain begins to blend in, and where the designed terrain ends."""

SPAWN: Final = (0, -6)
"""Block x and z where players start."""

KNOLL: Final = (0.0, -30.0, 60.0, 14.0)
"""Centre x and z, radius, height over the meadow."""

LAKE: Final = (2.0, 58.0, 40.0, 27.0)
"""Centre x and z, half axes in x and z."""

PEAKS: Final = (
    (30.0, 122.0, 46.0, 60.0),
    (-38.0, 132.0, 52.0, 52.0),
    (86.0, 110.0, 44.0, 34.0),
    (-104.0, 92.0, 50.0, 34.0),
)
"""Centre x and z, radius, height over the meadow."""

PATH_Z: Final = (-16, 36)
"""The path runs along x = -1..1 between these z; the pier goes on from the shore to ``PIER_END_Z``."""
PIER_END_Z: Final = 48

PLOTS: Final = ((-2, 0), (1, 0), (-2, 1), (1, 1))
"""Columns (x, z) with a house."""

POSTS: Final = (
    (-4, 6, "sea_lantern"),
    (4, 6, "glowstone"),
    (-4, 15, "pearlescent_froglight"),
    (4, 15, "ochre_froglight"),
    (-4, 24, "verdant_froglight"),
    (4, 24, "redstone_lamp"),
    (-5, -18, "shroomlight"),
    (5, -18, "sea_lantern"),
)
"""x, z and lamp of the posts along the path."""


class Cave(msgspec.Struct, frozen=True):
    """An ellipsoid hall with a flat floor."""

    x: int  # of the middle
    floor_y: int  # lowest block of air
    z: int  # of the middle
    radii: tuple[float, float, float]  # half axes in x, y and z; y counts from the floor


LAMP_CAVE: Final = Cave(-44, 40, -14, (15.0, 10.0, 13.0))
LAMP_CAVE_EYE: Final = (-55.5, 43.6, -13.5)
"""A good place to stand in it: an eye position in air; looking along +x (yaw -90) shows every lamp."""
TUNNEL: Final = ((-56.0, 42.0, -14.0), (-87.0, 68.0, -22.0), 2.7)
"""From the hall to the grass: both ends and the radius."""

Mask = npt.NDArray[np.bool_]

PLAINS, EXTREME_HILLS, FOREST, TAIGA, RIVER = 1, 3, 4, 5, 7
ICE_PLAINS, BEACH, BIRCH_FOREST, ROOFED_FOREST = 12, 16, 27, 29


class TerrainSurface(msgspec.Struct, frozen=True):
    """A rectangle of block columns; arrays are [x, z]."""

    xs: Ints  # block x of each row
    zs: Ints  # block z of each column
    height: Ints  # y of the top solid block, int64
    slope: Ints  # steepest step to a neighbour, blocks
    wet: Mask  # below sea level
    beach: Mask  # sand at the water's edge
    snowy: Mask  # snow-covered
    bare: Mask  # rock without soil: steep or very high
    mouth: Mask  # caves may open to the sky here; nothing is built or grows
    trees: Floats  # how dense trees stand, 0..1
    cold: Mask  # spruces rather than oaks
    biome: npt.NDArray[np.uint16]  # wire number, uint16

    def index(self, x: int, z: int) -> tuple[int, int]:
        """Row and column of a block position inside."""
        return x - int(self.xs[0]), z - int(self.zs[0])

    def crop(self, margin: int) -> "TerrainSurface":
        """The surface without ``margin`` blocks on each side."""
        return self._part(slice(margin, -margin), slice(margin, -margin))

    def rows(self, first: int, end: int) -> "TerrainSurface":
        return self._part(slice(first, end), slice(None))

    def _part(self, x: slice, z: slice) -> "TerrainSurface":
        grids = (getattr(self, name)[x, z] for name in self.__struct_fields__[2:])
        return TerrainSurface(self.xs[x], self.zs[z], *grids)


def survey(seed: int, xs: Ints, zs: Ints) -> TerrainSurface:
    """The surface over the grid xs x zs; both are consecutive."""
    wide_x, wide_z = np.arange(xs[0] - 1, xs[-1] + 2), np.arange(zs[0] - 1, zs[-1] + 2)
    wide = np.floor(_height(seed, wide_x, wide_z)).astype(np.int64)
    height = wide[1:-1, 1:-1]
    around = (wide[:-2, 1:-1], wide[2:, 1:-1], wide[1:-1, :-2], wide[1:-1, 2:])
    slope = np.maximum.reduce([np.abs(beside - height) for beside in around])
    wet = height < SEA_Y
    beach = (height >= SEA_Y - 3) & (height <= SEA_Y + 1) & (gradient2(seed + 16, xs, zs, 40) > -0.1)
    rough = gradient2(seed + 14, xs, zs, 13) * 5
    snowy = height + rough > 103
    bare = ((slope >= 3) & ~wet) | ((height + 2 * rough > 95) & (slope >= 2))
    cold = height + 3 * rough > 80
    trees, kind = gradient2(seed + 15, xs, zs, 55), gradient2(seed + 17, xs, zs, 90)
    trees = smooth(trees, -0.05, 0.45)
    mouth = (gradient2(seed + 18, xs, zs, 37) > 0.5) & (height > SEA_Y + 3) & (_distance(xs, zs) > 60)
    biome = np.select(
        (wet, beach, snowy, bare, cold, (trees > 0.4) & (kind > 0.2), (trees > 0.4) & (kind < -0.25), trees > 0.4),
        (RIVER, BEACH, ICE_PLAINS, EXTREME_HILLS, TAIGA, BIRCH_FOREST, ROOFED_FOREST, FOREST),
        PLAINS,
    ).astype(np.uint16)
    return TerrainSurface(xs, zs, height, slope, wet, beach, snowy, bare, mouth, trees, cold, biome)


def _distance(xs: Ints, zs: Ints) -> Floats:
    """From the origin in blocks."""
    return np.sqrt((xs * xs)[:, None] + (zs * zs)[None, :]).astype(np.float32)


def _height(seed: int, xs: Ints, zs: Ints) -> Floats:
    """Height of the ground, not rounded."""
    detail = gradient2(seed + 3, xs, zs, 47) * 4 + gradient2(seed + 4, xs, zs, 19) * np.float32(1.2)
    broad = gradient2(seed + 1, xs, zs, 290) * 13 + gradient2(seed + 2, xs, zs, 115) * 9
    ridge = 1 - np.abs(gradient2(seed + 5, xs, zs, 170))
    ridge = ridge * ridge * 62 + gradient2(seed + 6, xs, zs, 31) * 6
    mountains = smooth(gradient2(seed + 7, xs, zs, 430), 0.1, 0.5)
    natural = 67 + broad + detail + mountains * (ridge - 12)
    # shores are flattened: land close to sea level becomes beaches and wide valleys
    near = natural - SEA_Y
    natural = SEA_Y + near * (np.float32(0.55) + np.float32(0.45) * smooth(np.abs(near), 0, 8))
    weight = smooth(_distance(xs, zs), *FADE_BLOCKS)
    result: Floats = natural
    if not (weight < 1).any():
        return result
    result = natural * weight + _composed(seed, xs, zs, detail) * (1 - weight)
    return result


def _composed(seed: int, xs: Ints, zs: Ints, detail: Floats) -> Floats:
    """Height of the designed landscape: knoll, lake and peaks in a meadow."""
    x, z = xs.astype(np.float32)[:, None], zs.astype(np.float32)[None, :]
    height: Floats = (
        66 + detail * np.float32(0.6) * smooth(_distance(xs, zs), 10, 45) + KNOLL[3] * _bump(x, z, *KNOLL[:3])
    )
    crag = 1 - np.abs(gradient2(seed + 8, xs, zs, 34)) + gradient2(seed + 9, xs, zs, 11) * np.float32(0.12)
    for cx, cz, radius, rise in PEAKS:
        height += rise * _bump(x, z, cx, cz, radius) * (np.float32(0.55) + np.float32(0.55) * crag)
    cx, cz, half_x, half_z = LAKE
    ragged = gradient2(seed + 10, xs, zs, 24) * np.float32(0.35)
    inside = 1 - np.sqrt(((x - cx) / half_x) ** 2 + ((z - cz) / half_z) ** 2) + ragged
    basin = smooth(inside, -0.35, 0.75)
    return height * (1 - basin) + 50 * basin


def _bump(x: Floats, z: Floats, cx: float, cz: float, radius: float) -> Floats:
    """1 in the middle, 0 at the radius, smooth at both."""
    away = np.clip(1 - ((x - np.float32(cx)) ** 2 + (z - np.float32(cz)) ** 2) / np.float32(radius * radius), 0, 1)
    return np.asarray(away * away * (3 - 2 * away), np.float32)


def on_path(surface: TerrainSurface) -> Mask:
    """The path and its verges: no trees, no plants."""
    x, z = np.abs(surface.xs)[:, None], surface.zs[None, :]
    return (x <= 4) & (z >= PATH_Z[0] - 2) & (z <= PATH_Z[1] + 16)


def meadow(surface: TerrainSurface) -> Mask:
    """Open ground around the spawn: trees stay away so that the view is free."""
    x, z = surface.xs[:, None], surface.zs[None, :]
    return (np.abs(x) < 18 + (z + 10) // 3) & (z > -24) & (z < 45)


def chance(seed: int, surface: TerrainSurface) -> Floats:
    """One hashed number per block column, 0..1."""
    result: Floats = unit(seed, surface.xs[:, None], surface.zs[None, :])
    return result


def patches(seed: int, surface: TerrainSurface, cell_blocks: float) -> Floats:
    """Soft patches for flowers, -1..1."""
    return noise2(seed, surface.xs, surface.zs, cell_blocks)


BLOCKS: Final = table_of(
    """
    air bedrock stone granite diorite andesite deepslate tuff dirt coarse_dirt grass podzol path sand sandstone
    gravel clay snow snow_layer deep_snow_layer water lava magma moss coal_ore iron_ore copper_ore gold_ore
    redstone_ore lapis_ore diamond_ore emerald_ore deepslate_coal_ore deepslate_iron_ore deepslate_copper_ore
    deepslate_gold_ore deepslate_redstone_ore deepslate_lapis_ore deepslate_diamond_ore deepslate_emerald_ore
    oak_log birch_log spruce_log dark_log oak_leaves birch_leaves spruce_leaves dark_leaves short_grass fern
    dandelion poppy cornflower allium oxeye red_tulip orange_tulip brown_mushroom red_mushroom reeds waterlily
    seagrass kelp glow_lichen torch soul_torch redstone_torch lantern soul_lantern glowstone sea_lantern shroomlight
    redstone_lamp ochre_froglight verdant_froglight pearlescent_froglight oak_planks spruce_planks dark_planks
    cobblestone mossy_cobblestone stone_bricks bricks glass red_glass blue_glass yellow_glass oak_fence bookshelf
    crafting_table red_wool amethyst
    """
)

IDS: Final = {word: number for number, word in enumerate(BLOCKS)}
"""Word -> local id."""

FLOOR_Y = -64
LAVA_Y = -52
"""Caves below are filled with lava."""
ORE_REACH_COLUMNS = 1

Voxels = npt.NDArray[np.uint16]
"""[x, z, y] of one region, local ids, y from the dimension's floor."""


class Ore(msgspec.Struct, frozen=True):
    """One kind of ore."""

    name: str  # of the block; deepslate holds the ``deepslate_`` kind
    count: int  # lumps a column
    low_y: int  # lowest centre
    high_y: int  # highest centre
    size: int  # blocks of the ball it fills, 0 .. 2


ORES = (
    Ore("coal_ore", 16, -10, 120, 2),
    Ore("iron_ore", 11, -60, 80, 1),
    Ore("copper_ore", 9, -16, 90, 2),
    Ore("gold_ore", 4, -62, 30, 1),
    Ore("redstone_ore", 6, -62, 14, 1),
    Ore("lapis_ore", 3, -62, 60, 1),
    Ore("diamond_ore", 4, -62, 12, 1),
    Ore("emerald_ore", 3, 40, 130, 0),
)


def _ball(radius2: float) -> Ints:
    offsets = np.mgrid[-2:3, -2:3, -2:3].reshape(3, -1).T
    result: Ints = offsets[(offsets**2).sum(1) <= radius2]
    return result


BALLS = (_ball(1), _ball(2), _ball(3.5))
"""Offsets of the three lump sizes: 7, 19 and 33 blocks."""


SLAB_BLOCKS: Final = 8
"""Rows of a region that are made at a time: their noise fits into a core's cache, in memory that is reused."""
STEP_BLOCKS: Final = 16
"""Rows in one step of ``fill``."""


def fill(seed: int, surface: TerrainSurface, top: int) -> Generator[None, None, Voxels]:
    """Everything but plants, trees and buildings; ``top`` blocks high. Some milliseconds of work a step."""
    xs, zs = surface.xs, surface.zs
    ys = np.arange(FLOOR_Y, int(surface.height.max()) + 1)
    blocks = np.zeros((len(xs), len(zs), top), np.uint16)
    rock = blocks[:, :, : len(ys)]
    slabs = [(first, first + SLAB_BLOCKS) for first in range(0, len(xs), SLAB_BLOCKS)]
    strata = [Noise3(seed + number, xs, zs, ys, *cells) for number, cells in STRATA]
    for first, end in slabs:
        if first % STEP_BLOCKS == 0:
            yield
        _strata(seed, surface.rows(first, end), rock[first:end], ys, *(noise.rows(first, end) for noise in strata))
    yield
    _ores(seed, surface, rock)
    caves = [Noise3(seed + number, xs, zs, ys, *cells) for number, cells in CAVES]
    for first, end in slabs:
        if first % STEP_BLOCKS == 0:
            yield
        slab, part = surface.rows(first, end), rock[first:end]
        solid = ys[None, None, :] <= slab.height[:, :, None]
        _soil(slab, part, ys, solid)
        part[~solid] = 0
        cave = _caves(slab, ys, *(noise.rows(first, end) for noise in caves))
        cave &= solid & (part != IDS["bedrock"])
        part[cave] = 0
        _cave_floor(seed, slab, part, cave)
        pools = part[:, :, : LAVA_Y - FLOOR_Y]
        pools[cave[:, :, : LAVA_Y - FLOOR_Y]] = IDS["lava"]
    sea = blocks[:, :, : SEA_Y + 1 - FLOOR_Y]
    sea[np.arange(FLOOR_Y, SEA_Y + 1)[None, None, :] > surface.height[:, :, None]] = IDS["water"]
    return blocks


STRATA: Final = ((21, (22, 14)), (22, (17, 9)))
"""Noises for lenses of other stone: offset added to the seed, and sizes of the cells."""


def _strata(seed: int, surface: TerrainSurface, rock: Voxels, ys: Ints, first: Floats, second: Floats) -> None:
    """Stone over deepslate with lenses of other stone; bedrock at the bottom."""
    xs, zs = surface.xs, surface.zs
    border = (chance(seed + 20, surface) * 5).astype(np.int64)[:, :, None]
    rock[:] = IDS["stone"]
    rock[first > 0.56] = IDS["granite"]
    rock[first < -0.56] = IDS["diorite"]
    rock[second > 0.56] = IDS["andesite"]
    rock[second < -0.66] = IDS["gravel"]
    low = ys[ys < max(int(border.max()), FLOOR_Y + 5)]
    deep = low[None, None, :] < border
    under = rock[:, :, : len(low)]
    under[deep] = np.where(second[:, :, : len(low)][deep] > 0.5, np.uint16(IDS["tuff"]), np.uint16(IDS["deepslate"]))
    low = ys[:5]
    bed = unit(seed + 23, xs[:, None, None], zs[None, :, None], low) * 5 > (low - FLOOR_Y)
    rock[:, :, :5][bed] = IDS["bedrock"]


def _ores(seed: int, surface: TerrainSurface, rock: Voxels) -> None:
    """All lumps of the region's columns and of those around, as one list of blocks per kind."""
    x0, z0 = int(surface.xs[0]), int(surface.zs[0])
    shape = rock.shape
    reach = ORE_REACH_COLUMNS
    cx = np.arange((x0 >> 4) - reach, ((x0 + rock.shape[0] - 1) >> 4) + reach + 1)
    cz = np.arange((z0 >> 4) - reach, ((z0 + rock.shape[1] - 1) >> 4) + reach + 1)
    for number, ore in enumerate(ORES):
        u = unit(
            seed + 30 + number,
            cx[:, None, None, None],
            cz[None, :, None, None],
            np.arange(ore.count)[None, None, :, None],
            np.arange(3)[None, None, None, :],
        )
        centre = (
            cx[:, None, None] * 16 + (u[..., 0] * 16).astype(np.int64) - x0,
            cz[None, :, None] * 16 + (u[..., 1] * 16).astype(np.int64) - z0,
            ore.low_y - FLOOR_Y + (u[..., 2] * (ore.high_y - ore.low_y)).astype(np.int64),
        )
        lumps = zip(centre, BALLS[ore.size].T, strict=True)
        x, z, y = ((middle.reshape(-1, 1) + offset).reshape(-1) for middle, offset in lumps)
        inside = (x >= 0) & (x < shape[0]) & (z >= 0) & (z < shape[1]) & (y >= 0) & (y < shape[2])
        x, z, y = x[inside], z[inside], y[inside]
        host = rock[x, z, y]
        deep = (host == IDS["deepslate"]) | (host == IDS["tuff"])
        host = np.where((host >= IDS["stone"]) & (host <= IDS["andesite"]), np.uint16(IDS[ore.name]), host)
        rock[x, z, y] = np.where(deep, np.uint16(IDS[f"deepslate_{ore.name}"]), host)


def _soil(surface: TerrainSurface, rock: Voxels, ys: Ints, solid: npt.NDArray[np.bool_]) -> None:
    """The top four blocks, depending on the surface."""
    depth = 4
    top = surface.height - FLOOR_Y
    lowest = max(int(top.min()) - depth, 0)
    y = ys[None, None, lowest:]
    s = surface.height[:, :, None]
    part = rock[:, :, lowest:]
    soil = solid[:, :, lowest:] & (y > s - depth)
    bare, beach, wet = surface.bare[:, :, None], surface.beach[:, :, None], surface.wet[:, :, None]
    part[soil & ~bare] = IDS["dirt"]
    part[soil & wet] = IDS["gravel"]
    part[soil & wet & (s < SEA_Y - 6)] = IDS["clay"]
    part[soil & wet & (s >= SEA_Y - 5)] = IDS["sand"]
    part[soil & beach] = IDS["sand"]
    part[(y == s - depth) & beach] = IDS["sandstone"]
    crust = y == s
    dry = ~(wet | beach | bare)
    part[crust & dry] = IDS["grass"]
    part[crust & dry & surface.cold[:, :, None] & (surface.trees > 0.5)[:, :, None]] = IDS["podzol"]
    part[soil & surface.snowy[:, :, None] & (surface.slope <= 3)[:, :, None] & (y > s - 2)] = IDS["snow"]


CAVES: Final = ((40, (41, 24)), (41, (14, 10)), (42, (38, 27)), (43, (34, 25)))
"""Noises of caves: slow and fast of halls, two of tunnels."""


def _caves(
    surface: TerrainSurface, ys: Ints, slow: Floats, fast: Floats, one: Floats, other: Floats
) -> npt.NDArray[np.bool_]:
    """Halls where slow noise is high, tunnels where two noises are both near zero."""
    fast *= np.float32(0.3)
    slow += fast
    tunnel = np.abs(one, out=one) < 0.075
    tunnel &= np.abs(other, out=other) < 0.1
    roof = np.where(surface.mouth, surface.height, surface.height - 7)
    roof = np.where(surface.height < SEA_Y + 2, np.minimum(roof, surface.height - 9), roof)
    return ((slow > 0.66) | tunnel) & (ys[None, None, :] <= roof[:, :, None])


FLOOR_LIGHTS = (
    ("torch", 0, 0.005),
    ("soul_torch", 0.005, 0.0075),
    ("redstone_torch", 0.0075, 0.0095),
    ("brown_mushroom", 0.02, 0.03),
    ("red_mushroom", 0.03, 0.033),
    ("glow_lichen", 0.04, 0.055),
)
"""Blocks on cave floors, each with its range of hashed numbers."""


def _places(mask: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.intp], ...]:
    """Like ``np.nonzero``, which takes four times as long if few are set."""
    return np.unravel_index(np.flatnonzero(mask), mask.shape)


def _cave_floor(seed: int, surface: TerrainSurface, rock: Voxels, cave: npt.NDArray[np.bool_]) -> None:
    """Torches, mushrooms and lichen on floors, pools of lava in them, shroomlights in ceilings."""
    floor = cave[:, :, 1:] & ~cave[:, :, :-1]
    x, z, y = _places(floor)
    keep = (rock[x, z, y] != 0) & (y + 1 + FLOOR_Y >= LAVA_Y)
    x, z, y = x[keep], z[keep], y[keep]
    at = (surface.xs[x], surface.zs[z], y)
    number = unit(seed + 45, *at)
    for name, low, high in FLOOR_LIGHTS:
        m = (number >= low) & (number < high)
        rock[x[m], z[m], y[m] + 1] = IDS[name]
    pool = (hash64(seed + 46, at[0] >> 2, at[1] >> 2, y >> 2) % np.uint64(160)) == 0
    plain = pool & (number >= 0.055)
    rock[x[plain], z[plain], y[plain]] = IDS["lava"]
    ceiling = cave[:, :, :-1] & ~cave[:, :, 1:]
    x, z, y = _places(ceiling)
    number = unit(seed + 47, surface.xs[x], surface.zs[z], y)
    keep = (rock[x, z, y + 1] != 0) & (y + FLOOR_Y < surface.height[x, z] - 8)
    for name, low, high in (("shroomlight", 0, 0.0015), ("glowstone", 0.0015, 0.003), ("moss", 0.01, 0.05)):
        m = keep & (number >= low) & (number < high)
        rock[x[m], z[m], y[m] + 1] = IDS[name]
