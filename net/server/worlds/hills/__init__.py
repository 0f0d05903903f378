"""The hills: endless, deterministic, made in regions of 4 x 4 columns, in any order.

    structures  Houses from one template, and other buildings: lamp posts, path, pier, cave hall
    terrain     The surface and its biomes, and what lies under it: strata, soil, caves with their lamps, ores, the sea
    vegetation  Trees of four kinds and everything that grows on the ground or in the water

Rules:
1. The same seed and position give the same blocks, whichever region was made first (seed 003: deterministic and
   idempotent). Trees cross region borders; see ``vegetation``.
2. A region is generated whole and the last ``KEPT_REGIONS`` are kept: columns are requested in rings, and each ring
   crosses the regions of the previous one. A kept region has one byte a block, about 0.7 MB.
3. ``steps`` generates a region in small steps; no column of it is available before the last one.

Order of work: surface -> rock, caves, ores, sea -> cave hall, path, posts, houses -> plants, trees -> water layer.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from net.server.worlds.hills.structures import build, columns_of, dig_cave, house_of, lay_path, raise_posts, reserved
from net.server.worlds.hills.terrain import BLOCKS, FLOOR_Y, IDS, SPAWN, Voxels, fill, survey
from net.server.worlds.hills.vegetation import TALLEST_BLOCKS, plant
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of
from net.space import OVERWORLD, ColumnPos

REGION_COLUMNS = 4
MARGIN_BLOCKS = 16
"""Width of the surface calculated around a region: a whole column, so that houses there keep trees away."""
KEPT_REGIONS = 96
IN_WATER = (IDS["seagrass"], IDS["kelp"])

Region = tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]
"""Local ids [x, z, y] from the floor up to the highest block, and biomes [x, z]."""


class HillsWorld:
    """Rolling hills around a hand-designed spawn area; see the package and ``terrain``."""

    dimension = OVERWORLD
    states = tuple(BLOCKS.values())

    def __init__(self, seed: int = 1) -> None:
        self.name = f"hills:{seed}"
        self.seed = seed
        self._regions: OrderedDict[tuple[int, int], Region] = OrderedDict()

    @cached_property
    def spawn(self) -> Spawn:
        """On the knoll, looking over the lake to the range."""
        x, z = SPAWN
        ground = survey(self.seed, np.arange(x, x + 1), np.arange(z, z + 1)).height[0, 0]
        return Spawn((x + 0.5, float(ground) + 1, z + 0.5), 0.0, 6.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        deque(self.steps(position), 0)
        key = _region_of(position)
        self._regions.move_to_end(key)
        blocks, biome = self._regions[key]
        x, z = position.x % REGION_COLUMNS * 16, position.z % REGION_COLUMNS * 16
        whole = np.zeros((16, 16, OVERWORLD.sections * 16), np.uint16)
        whole[:, :, : blocks.shape[2]] = blocks[x : x + 16, z : z + 16]
        biomes = np.ascontiguousarray(biome[x : x + 16, z : z + 16]).reshape(256)
        return GeneratedColumn(subchunks_of(whole), _water_layer(whole), biomes)

    def steps(self, position: ColumnPos) -> Iterator[None]:
        """See ``SteppedWorld``: 3 ms a step, the survey of the surface 8 ms (measured)."""
        key = _region_of(position)
        if key not in self._regions:
            yield from self._make_region(key)

    def _make_region(self, key: tuple[int, int]) -> Iterator[None]:
        rx, rz = key
        side = REGION_COLUMNS * 16
        xs, zs = np.arange(rx * side, rx * side + side), np.arange(rz * side, rz * side + side)
        wide = survey(
            self.seed,
            np.arange(xs[0] - MARGIN_BLOCKS, xs[-1] + MARGIN_BLOCKS + 1),
            np.arange(zs[0] - MARGIN_BLOCKS, zs[-1] + MARGIN_BLOCKS + 1),
        )
        yield
        surface = wide.crop(MARGIN_BLOCKS)
        highest = int(wide.height.max()) - FLOOR_Y + TALLEST_BLOCKS + 4
        blocks = yield from fill(self.seed, surface, min((highest + 15) // 16 * 16, OVERWORLD.sections * 16))
        yield
        dig_cave(self.seed, blocks, surface)
        lay_path(blocks, surface)
        raise_posts(self.seed, blocks, surface)
        for cx, cz in columns_of(surface):
            house = house_of(self.seed, surface, cx, cz)
            if house:
                build(blocks, surface, house)
        yield
        plant(self.seed, blocks, surface, wide, reserved(self.seed, wide), MARGIN_BLOCKS)
        self._regions[key] = blocks.astype(np.uint8), surface.biome.copy()
        if len(self._regions) > KEPT_REGIONS:
            self._regions.popitem(last=False)


def _region_of(position: ColumnPos) -> tuple[int, int]:
    return position.x // REGION_COLUMNS, position.z // REGION_COLUMNS


def _water_layer(blocks: Voxels) -> Voxels | None:
    """The second layer of a column: water where a plant grows in it."""
    plants = (blocks == IN_WATER[0]) | (blocks == IN_WATER[1])
    return subchunks_of(np.where(plants, np.uint16(IDS["water"]), np.uint16(0))) if plants.any() else None
