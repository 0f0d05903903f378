"""The ground seen from above: height, kind of cover and biome of every block column, from noise alone.

Rules:
1. Everything here is a function of the seed and of x and z. Trees and houses of a neighbouring region can therefore be
   placed without making that region.
2. Only +, -, *, / and square roots: they round alike everywhere, so heights do.

Theory: four octaves of gradient noise roll; a fifth, slow one says where mountains rise, which are ridged noise
(1 - |n|, squared). Near the origin the composed height of ``landmarks`` takes over.
"""

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.server.worlds.hills.landmarks import FADE_BLOCKS, KNOLL, LAKE, PATH_Z, PEAKS, SEA_Y
from net.server.worlds.noise import Floats, Ints, gradient2, noise2, smooth, unit

Mask = npt.NDArray[np.bool_]

OCEAN, PLAINS, EXTREME_HILLS, FOREST, TAIGA, RIVER, ICE_PLAINS, BEACH, BIRCH_FOREST, ROOFED_FOREST = (
    0,
    1,
    3,
    4,
    5,
    7,
    12,
    16,
    27,
    29,
)


@frozen
class Surface:
    """A rectangle of block columns; arrays are [x, z].

    Attributes:
        xs: block x of each row.
        zs: block z of each column.
        height: y of the top solid block, int64.
        slope: steepest step to a neighbour, blocks.
        wet: under the sea's level.
        beach: sand at the water's edge.
        snowy: snow lies here.
        bare: rock without soil: steep or very high.
        mouth: caves may open to the sky here, and nothing is built or grows.
        trees: how dense trees stand, 0..1.
        cold: spruces rather than oaks.
        biome: wire number, uint16.
    """

    xs: Ints
    zs: Ints
    height: Ints
    slope: Ints
    wet: Mask
    beach: Mask
    snowy: Mask
    bare: Mask
    mouth: Mask
    trees: Floats
    cold: Mask
    biome: npt.NDArray[np.uint16]

    def index(self, x: int, z: int) -> tuple[int, int]:
        """Row and column of a block position inside."""
        return x - int(self.xs[0]), z - int(self.zs[0])

    def crop(self, margin: int) -> "Surface":
        """The same without ``margin`` blocks on each side."""
        line, area = np.s_[margin:-margin], np.s_[margin:-margin, margin:-margin]
        return Surface(
            self.xs[line],
            self.zs[line],
            self.height[area],
            self.slope[area],
            self.wet[area],
            self.beach[area],
            self.snowy[area],
            self.bare[area],
            self.mouth[area],
            self.trees[area],
            self.cold[area],
            self.biome[area],
        )


def survey(seed: int, xs: Ints, zs: Ints) -> Surface:
    """The surface over the grid xs x zs; both are consecutive."""
    wide_x, wide_z = np.arange(xs[0] - 1, xs[-1] + 2), np.arange(zs[0] - 1, zs[-1] + 2)
    wide = np.floor(_height(seed, wide_x, wide_z)).astype(np.int64)
    height = wide[1:-1, 1:-1]
    steps = [
        np.abs(wide[1 + dx : wide.shape[0] - 1 + dx, 1 + dz : wide.shape[1] - 1 + dz] - height) for dx, dz in _AROUND
    ]
    slope = np.maximum.reduce(steps)
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
    return Surface(xs, zs, height, slope, wet, beach, snowy, bare, mouth, trees, cold, biome)


_AROUND = ((-1, 0), (1, 0), (0, -1), (0, 1))


def _distance(xs: Ints, zs: Ints) -> Floats:
    """From the origin in blocks."""
    result: Floats = np.sqrt((xs * xs)[:, None] + (zs * zs)[None, :]).astype(np.float32)
    return result


def _height(seed: int, xs: Ints, zs: Ints) -> Floats:
    """Height of the ground with its fraction."""
    detail = gradient2(seed + 3, xs, zs, 47) * 4 + gradient2(seed + 4, xs, zs, 19) * np.float32(1.2)
    broad = gradient2(seed + 1, xs, zs, 290) * 13 + gradient2(seed + 2, xs, zs, 115) * 9
    ridge = 1 - np.abs(gradient2(seed + 5, xs, zs, 170))
    ridge = ridge * ridge * 62 + gradient2(seed + 6, xs, zs, 31) * 6
    mountains = smooth(gradient2(seed + 7, xs, zs, 430), 0.1, 0.5)
    natural = 67 + broad + detail + mountains * (ridge - 12)
    # shores are drawn out: land close to the sea's level is flattened, which makes beaches and wide valleys
    near = natural - SEA_Y
    natural = SEA_Y + near * (np.float32(0.55) + np.float32(0.45) * smooth(np.abs(near), 0, 8))
    weight = smooth(_distance(xs, zs), *FADE_BLOCKS)
    result: Floats = natural
    if not (weight < 1).any():
        return result
    result = natural * weight + _composed(seed, xs, zs, detail) * (1 - weight)
    return result


def _composed(seed: int, xs: Ints, zs: Ints, detail: Floats) -> Floats:
    """The landscape of ``landmarks``: knoll, lake and peaks in a meadow."""
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
    result: Floats = height * (1 - basin) + 50 * basin
    return result


def _bump(x: Floats, z: Floats, cx: float, cz: float, radius: float) -> Floats:
    """1 in the middle, 0 at the radius, smooth at both."""
    away = np.clip(1 - ((x - np.float32(cx)) ** 2 + (z - np.float32(cz)) ** 2) / np.float32(radius * radius), 0, 1)
    result: Floats = np.asarray(away * away * (3 - 2 * away), np.float32)
    return result


def on_path(surface: Surface) -> Mask:
    """The path and its verges: no trees, no plants."""
    x, z = np.abs(surface.xs)[:, None], surface.zs[None, :]
    result: Mask = (x <= 4) & (z >= PATH_Z[0] - 2) & (z <= PATH_Z[1] + 16)
    return result


def meadow(surface: Surface) -> Mask:
    """Open ground around the spawn: trees stay away so that the view is free."""
    x, z = surface.xs[:, None], surface.zs[None, :]
    result: Mask = (np.abs(x) < 18 + (z + 10) // 3) & (z > -24) & (z < 45)
    return result


def chance(seed: int, surface: Surface) -> Floats:
    """One hashed number per block column, 0..1."""
    result: Floats = unit(seed, surface.xs[:, None], surface.zs[None, :])
    return result


def patches(seed: int, surface: Surface, cell_blocks: float) -> Floats:
    """Soft patches for flowers, -1..1."""
    return noise2(seed, surface.xs, surface.zs, cell_blocks)
