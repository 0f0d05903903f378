"""Houses: one template of small numbers, turned and dressed per house, set on a foundation.

Rules:
1. A house stays inside its column, so a region builds exactly the houses of its own columns.
2. Whether a column has one follows from hashes and the surface of that column alone; the columns of
   ``landmarks.PLOTS`` have one if the ground allows it.
"""

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.server.worlds.hills.blocks import IDS
from net.server.worlds.hills.landmarks import PLOTS, SEA_Y
from net.server.worlds.hills.rock import FLOOR_Y, Voxels
from net.server.worlds.hills.surface import Surface
from net.server.worlds.noise import hash64

OFFSET_X, OFFSET_Z = 2, 3
"""Of the template in its column."""
SIZE_X, SIZE_Z, HEIGHT = 11, 10, 11
KEEP = 0xFFFF
"""Template value: leave what is there."""

LAMPS = (
    "glowstone",
    "sea_lantern",
    "shroomlight",
    "redstone_lamp",
    "ochre_froglight",
    "verdant_froglight",
    "pearlescent_froglight",
)
WALLS = (
    ("oak_planks", "oak_log", "dark_planks"),
    ("spruce_planks", "spruce_log", "bricks"),
    ("stone_bricks", "dark_log", "spruce_planks"),
    ("bricks", "oak_log", "dark_planks"),
)
"""Wall, corner and roof."""
PANES = ("glass", "yellow_glass", "red_glass", "blue_glass")


@frozen
class House:
    """One house to build.

    Attributes:
        x: lowest block x of the template.
        z: lowest block z.
        floor_y: y of its floor.
        foundation_y: lowest block of its foundation.
        look: hash that chooses walls, panes and lamps.
        door_east: whether the door looks to +x rather than -x.
    """

    x: int
    z: int
    floor_y: int
    foundation_y: int
    look: int
    door_east: bool


def house_of(seed: int, surface: Surface, cx: int, cz: int) -> House | None:
    """The house of a column that lies wholly inside ``surface``."""
    fixed = (cx, cz) in PLOTS
    if not fixed:
        cell = int(hash64(seed + 90, cx // 3, cz // 3))
        spot = cell // 2 % 9
        if cell % 2 or (cx % 3, cz % 3) != (spot // 3, spot % 3) or max(abs(cx), abs(cz)) < 4:
            return None
    x, z = cx * 16 + OFFSET_X, cz * 16 + OFFSET_Z
    ix, iz = surface.index(x, z)
    ground = surface.height[ix : ix + SIZE_X, iz : iz + SIZE_Z]
    low, high = int(ground.min()), int(ground.max())
    if (
        low < SEA_Y
        or high - low > (8 if fixed else 4)
        or high > 92
        or surface.mouth[ix : ix + SIZE_X, iz : iz + SIZE_Z].any()
    ):
        return None
    look = int(hash64(seed + 91, cx, cz) >> np.uint64(8))
    east = cx < 0 if fixed else bool(look & 1)
    return House(x, z, int(np.median(ground)), low - 1, look, east)


def build(blocks: Voxels, surface: Surface, house: House) -> None:
    """Writes a house into the region that holds its column."""
    ix, iz = surface.index(house.x, house.z)
    plot = blocks[ix : ix + SIZE_X, iz : iz + SIZE_Z]
    floor = house.floor_y - FLOOR_Y
    inner = plot[1:-1, 1:-1]
    inner[:, :, house.foundation_y - FLOOR_Y : floor + 1] = IDS["cobblestone"]
    template = _template(house)
    if house.door_east:
        template = template[::-1]
    target = plot[:, :, floor : floor + HEIGHT]
    target[template != KEEP] = template[template != KEEP]


def _template(house: House) -> npt.NDArray[np.uint16]:
    """[x, z, y] from the floor up, door at -x."""
    wall, corner, roof = (IDS[name] for name in WALLS[house.look // 2 % len(WALLS)])
    t = np.full((SIZE_X, SIZE_Z, HEIGHT), KEEP, np.uint16)
    t[1:-1, 1:-1, 0] = IDS["oak_planks"]
    t[1:-1, 1:-1, 1:5] = wall
    t[2:-2, 2:-2, 1:5] = 0
    for x in (1, SIZE_X - 2):
        for z in (1, SIZE_Z - 2):
            t[x, z, 0:5] = corner
    # a gable over the length of the house, one block wider than its walls
    for step in range(SIZE_Z // 2):
        t[:, step, 5 + step - 1 if step else 4] = roof
        t[:, SIZE_Z - 1 - step, 5 + step - 1 if step else 4] = roof
        for x in (1, SIZE_X - 2):
            t[x, step + 1 : SIZE_Z - 1 - step, 4 + step] = np.where(step, wall, t[x, step + 1 : SIZE_Z - 1 - step, 4])
        t[2:-2, step + 1 : SIZE_Z - 1 - step, 4 + step] = 0
    _furnish(t, house.look)
    return t


def _furnish(t: npt.NDArray[np.uint16], look: int) -> None:
    """Door, windows, lamps and a little to look at inside."""
    pane, middle = IDS[PANES[look // 16 % len(PANES)]], SIZE_Z // 2
    t[1, middle, 1:3] = 0
    t[0, middle, 1:4] = 0
    t[0, middle - 2, 1:3] = (IDS["oak_fence"], IDS["lantern"])
    t[0, middle + 1, 1:3] = (IDS["oak_fence"], IDS["soul_lantern"])
    for x in (4, 6):
        t[x, 1, 2:4] = t[x, SIZE_Z - 2, 2:4] = pane
    t[SIZE_X - 2, middle - 1 : middle + 1, 2:4] = IDS["glass"]
    t[1, middle - 2, 2:4] = t[1, middle + 1, 2:4] = pane
    t[5, middle, 7] = IDS[LAMPS[look // 64 % len(LAMPS)]]
    t[SIZE_X - 3, 2, 1:4] = IDS["bookshelf"]
    t[SIZE_X - 3, SIZE_Z - 3, 1] = IDS["crafting_table"]
    t[SIZE_X - 3, SIZE_Z - 3, 2] = IDS[("torch", "soul_torch", "redstone_torch")[look // 512 % 3]]
    t[4:7, middle - 1 : middle + 1, 0] = IDS["red_wool"]
