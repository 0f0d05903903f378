"""Under the grass: strata, soil, caves with their lamps, ores, the sea.

Rules:
1. Arrays are ``uint16[x, z, y]`` from the dimension's floor up to ``top``, one region at a time.
2. A block depends on noise, on the surface and on hashed ore lumps whose centres lie at most ``ORE_REACH_COLUMNS``
   columns away; never on another region's blocks.
3. Caves stay six blocks under the surface and under water, except at mouths.
"""

from collections.abc import Generator, Iterator

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.server.worlds.hills.blocks import IDS
from net.server.worlds.hills.landmarks import SEA_Y
from net.server.worlds.hills.surface import Surface, chance
from net.server.worlds.noise import Ints, hash64, noise3, unit

FLOOR_Y = -64
LAVA_Y = -52
"""Caves below are filled with lava."""
ORE_REACH_COLUMNS = 1

Voxels = npt.NDArray[np.uint16]
"""[x, z, y] of one region, local ids, y from the dimension's floor."""


@frozen
class Ore:
    """One kind of ore.

    Attributes:
        name: of the block; deepslate holds the ``deepslate_`` kind.
        count: lumps a column.
        low_y: lowest centre.
        high_y: highest centre.
        size: blocks of the ball it fills, 0 .. 2.
    """

    name: str
    count: int
    low_y: int
    high_y: int
    size: int


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


def fill(seed: int, surface: Surface, top: int) -> Generator[None, None, Voxels]:
    """Everything but plants, trees and buildings; ``top`` blocks high. Some milliseconds of work a step."""
    xs, zs = surface.xs, surface.zs
    ys = np.arange(FLOOR_Y, FLOOR_Y + int(surface.height.max()) - FLOOR_Y + 1)
    blocks = np.zeros((len(xs), len(zs), top), np.uint16)
    rock = blocks[:, :, : len(ys)]
    y, s = ys[None, None, :], surface.height[:, :, None]
    solid = y <= s
    yield from _strata(seed, surface, rock, ys)
    yield
    _ores(seed, surface, rock)
    yield
    _soil(surface, rock, ys, solid)
    rock[~solid] = 0
    yield
    cave = yield from _caves(seed, surface, ys)
    yield
    cave &= solid & (rock != IDS["bedrock"])
    rock[cave] = 0
    _cave_floor(seed, surface, rock, cave)
    pools = rock[:, :, : LAVA_Y - FLOOR_Y]
    pools[cave[:, :, : LAVA_Y - FLOOR_Y]] = IDS["lava"]
    sea = blocks[:, :, : SEA_Y + 1 - FLOOR_Y]
    sea[np.arange(FLOOR_Y, SEA_Y + 1)[None, None, :] > s] = IDS["water"]
    return blocks


def _strata(seed: int, surface: Surface, rock: Voxels, ys: Ints) -> Iterator[None]:
    """Stone over deepslate with lenses of other stone; bedrock at the bottom."""
    xs, zs = surface.xs, surface.zs
    border = (chance(seed + 20, surface) * 5).astype(np.int64)[:, :, None]
    rock[:] = IDS["stone"]
    deep = ys[None, None, :] < border
    first = noise3(seed + 21, xs, zs, ys, 22, 14)
    yield
    second = noise3(seed + 22, xs, zs, ys, 17, 9)
    yield
    rock[first > 0.56] = IDS["granite"]
    rock[first < -0.56] = IDS["diorite"]
    rock[second > 0.56] = IDS["andesite"]
    rock[second < -0.66] = IDS["gravel"]
    rock[deep] = np.where(second[deep] > 0.5, np.uint16(IDS["tuff"]), np.uint16(IDS["deepslate"]))
    low = ys[:5]
    bed = unit(seed + 23, xs[:, None, None], zs[None, :, None], low) * 5 > (low - FLOOR_Y)
    rock[:, :, :5][bed] = IDS["bedrock"]


def _ores(seed: int, surface: Surface, rock: Voxels) -> None:
    """All lumps of the region's columns and of those around, as one list of blocks per kind."""
    x0, z0 = int(surface.xs[0]), int(surface.zs[0])
    shape = np.array(rock.shape)
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
        centre = np.empty(u.shape, np.int64)
        centre[..., 0] = cx[:, None, None] * 16 + (u[..., 0] * 16).astype(np.int64) - x0
        centre[..., 1] = cz[None, :, None] * 16 + (u[..., 1] * 16).astype(np.int64) - z0
        centre[..., 2] = ore.low_y - FLOOR_Y + (u[..., 2] * (ore.high_y - ore.low_y)).astype(np.int64)
        at = (centre.reshape(-1, 1, 3) + BALLS[ore.size]).reshape(-1, 3)
        at = at[((at >= 0) & (at < shape)).all(1)]
        x, z, y = at.T
        host = rock[x, z, y]
        deep = (host == IDS["deepslate"]) | (host == IDS["tuff"])
        host = np.where((host >= IDS["stone"]) & (host <= IDS["andesite"]), np.uint16(IDS[ore.name]), host)
        rock[x, z, y] = np.where(deep, np.uint16(IDS[f"deepslate_{ore.name}"]), host)


def _soil(surface: Surface, rock: Voxels, ys: Ints, solid: npt.NDArray[np.bool_]) -> None:
    """The top four blocks, by what the surface is like there."""
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


def _caves(seed: int, surface: Surface, ys: Ints) -> Generator[None, None, npt.NDArray[np.bool_]]:
    """Halls where slow noise is high, tunnels where two noises are both near zero."""
    xs, zs = surface.xs, surface.zs
    halls = noise3(seed + 40, xs, zs, ys, 41, 24) + np.float32(0.3) * noise3(seed + 41, xs, zs, ys, 14, 10)
    open_ = halls > 0.66
    yield
    tunnel = np.abs(noise3(seed + 42, xs, zs, ys, 38, 27)) < 0.075
    tunnel &= np.abs(noise3(seed + 43, xs, zs, ys, 34, 25)) < 0.1
    roof = np.where(surface.mouth, surface.height, surface.height - 7)
    roof = np.where(surface.height < SEA_Y + 2, np.minimum(roof, surface.height - 9), roof)
    result: npt.NDArray[np.bool_] = (open_ | tunnel) & (ys[None, None, :] <= roof[:, :, None])
    return result


FLOOR_LIGHTS = (
    ("torch", 0, 0.005),
    ("soul_torch", 0.005, 0.0075),
    ("redstone_torch", 0.0075, 0.0095),
    ("brown_mushroom", 0.02, 0.03),
    ("red_mushroom", 0.03, 0.033),
    ("glow_lichen", 0.04, 0.055),
)
"""What stands on a cave's floor, and between which hashed numbers."""


def _cave_floor(seed: int, surface: Surface, rock: Voxels, cave: npt.NDArray[np.bool_]) -> None:
    """Torches, mushrooms and lichen on floors, pools of lava in them, shroomlights in ceilings."""
    floor = cave[:, :, 1:] & ~cave[:, :, :-1]
    x, z, y = np.nonzero(floor)
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
    x, z, y = np.nonzero(ceiling)
    number = unit(seed + 47, surface.xs[x], surface.zs[z], y)
    keep = (rock[x, z, y + 1] != 0) & (y + FLOOR_Y < surface.height[x, z] - 8)
    for name, low, high in (("shroomlight", 0, 0.0015), ("glowstone", 0.0015, 0.003), ("moss", 0.01, 0.05)):
        m = keep & (number >= low) & (number < high)
        rock[x[m], z[m], y[m] + 1] = IDS[name]
