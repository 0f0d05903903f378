"""Houses from one template, and other buildings: lamp posts, path, pier, cave hall and tunnel.

Houses:
1. A house stays inside its column, so a region builds exactly the houses of its own columns.
2. Whether a column has one follows from hashes and the surface of that column alone; the columns of ``terrain.PLOTS``
   have one if the ground allows it.

Other buildings:
1. Each block follows from its own position and the surface at its own (x, z); regions are independent.
2. ``reserved`` marks where nothing may grow; it covers the region and a column around it.
"""

from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from net.server.worlds.hills import terrain as lm
from net.server.worlds.hills.terrain import FLOOR_Y, IDS, PLOTS, SEA_Y, Mask, TerrainSurface, Voxels
from net.server.worlds.noise import Ints, hash64, unit

OFFSET_X, OFFSET_Z = 2, 3
"""Offset of the template in its column."""
SIZE_X, SIZE_Z, HEIGHT = 11, 10, 11
KEEP = 0xFFFF
"""Template value: leave the existing block."""

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


class House(msgspec.Struct, frozen=True):
    """One house to build."""

    x: int  # lowest block x of the template
    z: int  # lowest block z
    floor_y: int  # y of its floor
    foundation_y: int  # lowest block of its foundation
    look: int  # hash that chooses walls, panes and lamps
    door_east: bool  # whether the door looks to +x rather than -x


def house_of(seed: int, surface: TerrainSurface, cx: int, cz: int) -> House | None:
    """The house of a column that lies wholly inside ``surface``; None if it has none."""
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


def build(blocks: Voxels, surface: TerrainSurface, house: House) -> None:
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


Post = tuple[int, int, int]
"""x, z and local id of the lamp."""


def columns_of(surface: TerrainSurface) -> Iterator[tuple[int, int]]:
    """The columns (x, z) that lie wholly in a rectangle."""
    for cx in range((int(surface.xs[0]) + 15) >> 4, (int(surface.xs[-1]) + 1) >> 4):
        for cz in range((int(surface.zs[0]) + 15) >> 4, (int(surface.zs[-1]) + 1) >> 4):
            yield cx, cz


def posts(seed: int, surface: TerrainSurface) -> list[Post]:
    """The lamp posts in a rectangle: those along the path, and one in about nine columns elsewhere."""
    found = [(x, z, IDS[lamp]) for x, z, lamp in lm.POSTS]
    for cx, cz in columns_of(surface):
        key = int(hash64(seed + 95, cx, cz))
        if key % 9 == 0 and max(abs(cx), abs(cz)) > 2:
            found.append((cx * 16 + key // 16 % 16, cz * 16 + key // 256 % 16, IDS[LAMPS[key // 4096 % len(LAMPS)]]))
    return [post for post in found if _stands(surface, post)]


def _stands(surface: TerrainSurface, post: Post) -> bool:
    x, z = surface.index(post[0], post[1])
    if not (0 <= x < len(surface.xs) and 0 <= z < len(surface.zs)):
        return False
    spoilt = surface.wet | surface.bare | surface.mouth | surface.snowy
    return not spoilt[x, z] and int(surface.slope[x, z]) <= 1


def reserved(seed: int, surface: TerrainSurface) -> Mask:
    """Positions of houses, posts and the tunnel's mouth."""
    taken: Mask = np.zeros((len(surface.xs), len(surface.zs)), np.bool_)
    for cx, cz in columns_of(surface):
        if house_of(seed, surface, cx, cz):
            x, z = surface.index(cx * 16 + OFFSET_X, cz * 16 + OFFSET_Z)
            taken[x : x + SIZE_X, z : z + SIZE_Z] = True
    spots = [(x, z, 1) for x, z, _ in posts(seed, surface)]
    (_, _, _), (mouth_x, _, mouth_z), _ = lm.TUNNEL
    for px, pz, reach in (*spots, (int(mouth_x), int(mouth_z), 8)):
        x, z = surface.index(px, pz)
        taken[max(x - reach, 0) : max(x + reach + 1, 0), max(z - reach, 0) : max(z + reach + 1, 0)] = True
    return taken


def raise_posts(seed: int, blocks: Voxels, surface: TerrainSurface) -> None:
    """Builds posts of three fences and a lamp."""
    for px, pz, lamp in posts(seed, surface):
        x, z = surface.index(px, pz)
        base = int(surface.height[x, z]) + 1 - FLOOR_Y
        if blocks[x, z, base - 1] != 0:
            blocks[x, z, base : base + 3] = IDS["oak_fence"]
            blocks[x, z, base + 3] = lamp


def lay_path(blocks: Voxels, surface: TerrainSurface) -> None:
    """Lays the path from the meadow to the shore, and the pier with its lanterns."""
    first, last = lm.PATH_Z
    for x in range(-1, 2):
        for z in range(first, lm.PIER_END_Z + 1):
            ix, iz = surface.index(x, z)
            if not (0 <= ix < len(surface.xs) and 0 <= iz < len(surface.zs)):
                continue
            ground = int(surface.height[ix, iz])
            if ground > lm.SEA_Y and z <= last:
                blocks[ix, iz, ground - FLOOR_Y] = IDS["path"]
            elif ground <= lm.SEA_Y:
                _pier(blocks[ix, iz], x, z, ground - FLOOR_Y)


def _pier(line: npt.NDArray[np.uint16], x: int, z: int, ground: int) -> None:
    """One block column of the pier."""
    deck = lm.SEA_Y + 1 - FLOOR_Y
    line[deck] = IDS["spruce_planks"]
    if x and z % 4 == 0:
        line[ground + 1 : deck + 1] = IDS["spruce_log"]
        line[deck + 1] = IDS["oak_fence"]
        line[deck + 2] = IDS["lantern"] if (z // 4 + x) % 4 else IDS["soul_lantern"]


CAVE_BOX = ((-96, -24), (-40, 6), (34, 84))
"""Lowest and one past the highest block that hall and tunnel touch, in x, z and y."""


def dig_cave(seed: int, blocks: Voxels, surface: TerrainSurface) -> None:
    """Digs hall and tunnel and places lamps, as far as they lie in the region."""
    (x0, z0), (low_x, high_x), (low_z, high_z) = surface.index(0, 0), *CAVE_BOX[:2]
    part_x = slice(max(low_x + x0, 0), min(high_x + x0, len(surface.xs)))
    part_z = slice(max(low_z + z0, 0), min(high_z + z0, len(surface.zs)))
    if part_x.start >= part_x.stop or part_z.start >= part_z.stop:
        return
    ys = np.arange(*CAVE_BOX[2])
    box = blocks[part_x, part_z, ys[0] - FLOOR_Y : ys[-1] + 1 - FLOOR_Y]
    ys = ys[: box.shape[2]]
    _carve(seed, box, surface.xs[part_x], surface.zs[part_z], ys, surface.height[part_x, part_z])
    _light_hall(blocks, surface)


def _carve(seed: int, box: Voxels, xs: Ints, zs: Ints, ys: Ints, height: Ints) -> None:
    cave = lm.LAMP_CAVE
    x, z, y = xs[:, None, None], zs[None, :, None], ys[None, None, :]
    rx, ry, rz = cave.radii
    away = ((x - cave.x) / rx) ** 2 + ((z - cave.z) / rz) ** 2 + ((y - cave.floor_y) / ry) ** 2
    shell = (away < 1.6) & (y >= cave.floor_y - 4)
    box[shell] = _wall(seed, xs, zs, ys)[shell]
    hall = (away < 1) & (y >= cave.floor_y)
    tunnel = _along(x, z, y) & (y <= height[:, :, None] + 1)
    box[hall | tunnel] = 0
    # a floor under the tunnel, whatever natural cave it meets
    below = tunnel[:, :, 1:] & ~tunnel[:, :, :-1] & ~hall[:, :, :-1]
    under = box[:, :, :-1]
    under[below & (under == 0)] = IDS["cobblestone"]
    torch = below & ((xs % 6 == 0)[:, None] & (zs == _middle_z(xs)[:, None]))[:, :, None]
    torch &= y[:, :, :-1] + 4 < height[:, :, None]
    box[:, :, 1:][torch] = IDS["torch"]


def _middle_z(xs: Ints) -> Ints:
    """Block z of the tunnel's middle line at each x."""
    (ax, _, az), (bx, _, bz), _ = lm.TUNNEL
    result: Ints = np.floor(az + (xs - ax) * ((bz - az) / (bx - ax))).astype(np.int64)
    return result


def _along(x: Ints, z: Ints, y: Ints) -> Mask:
    """Within the tunnel's radius of its middle line."""
    (ax, ay, az), (bx, by, bz), radius = lm.TUNNEL
    dx, dy, dz = bx - ax, by - ay, bz - az
    t = np.clip(((x - ax) * dx + (y - ay) * dy + (z - az) * dz) / (dx * dx + dy * dy + dz * dz), 0, 1)
    result: Mask = (x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2 + (z - az - t * dz) ** 2 < radius * radius
    return result


WALL = (
    ("stone", 0.0, 0.55),
    ("andesite", 0.55, 0.72),
    ("granite", 0.72, 0.80),
    ("mossy_cobblestone", 0.80, 0.86),
    ("moss", 0.86, 0.90),
    ("coal_ore", 0.90, 0.92),
    ("iron_ore", 0.92, 0.94),
    ("copper_ore", 0.94, 0.955),
    ("gold_ore", 0.955, 0.965),
    ("redstone_ore", 0.965, 0.975),
    ("lapis_ore", 0.975, 0.983),
    ("diamond_ore", 0.983, 0.99),
    ("amethyst", 0.99, 1.0),
)
"""Materials of the hall's wall, each with its range of hashed numbers, for cubes of 2 x 2 x 2 blocks."""


def _wall(seed: int, xs: Ints, zs: Ints, ys: Ints) -> Voxels:
    """Material of every block of a box, [x, z, y]."""
    cells = unit(seed + 97, xs[:, None, None] >> 1, zs[None, :, None] >> 1, ys[None, None, :] >> 1)
    bounds = np.array([low for _, low, _ in WALL[1:]], np.float32)
    names = np.array([IDS[name] for name, _, _ in WALL], np.uint16)
    result: Voxels = names[np.searchsorted(bounds, cells, side="right")]
    return result


PILLARS = (
    (-6, 5, 3, "sea_lantern"),
    (6, -6, 3, "shroomlight"),
    (-7, -5, 2, "verdant_froglight"),
    (7, 6, 2, "pearlescent_froglight"),
    (1, -9, 2, "redstone_lamp"),
    (0, 9, 3, "ochre_froglight"),
)
"""x and z from the hall's middle, height in blocks, lamp on top."""
FLOOR_LAMPS = (
    (-3, -7, "soul_torch"),
    (3, 7, "soul_torch"),
    (10, 1, "redstone_torch"),
    (-10, 2, "redstone_torch"),
    (-9, -2, "torch"),
)
"""x and z from the hall's middle."""
LAVA_POOL = (8, -1, 2)
WATER_POOL = (-2, 3, 3)
"""x, z and radius."""


def _light_hall(blocks: Voxels, surface: TerrainSurface) -> None:
    cave = lm.LAMP_CAVE
    floor = cave.floor_y - FLOOR_Y

    def line(dx: int, dz: int) -> npt.NDArray[np.uint16] | None:
        x, z = surface.index(cave.x + dx, cave.z + dz)
        inside = 0 <= x < len(surface.xs) and 0 <= z < len(surface.zs)
        return blocks[x, z] if inside else None

    for (px, pz, radius), liquid in ((LAVA_POOL, "lava"), (WATER_POOL, "water")):
        for dx in range(-radius, radius + 1):
            for dz in range(-radius, radius + 1):
                at = line(px + dx, pz + dz)
                if at is not None and dx * dx + dz * dz <= radius * radius:
                    at[floor - 1] = IDS[liquid]
                    at[floor - 2] = IDS["sea_lantern"] if (dx, dz, liquid) == (0, 0, "water") else IDS["stone"]
    for dx, dz, height, lamp in PILLARS:
        if (at := line(dx, dz)) is not None:
            at[floor : floor + height] = IDS["stone_bricks"]
            at[floor + height] = IDS[lamp]
    for dx, dz, lamp in FLOOR_LAMPS:
        if (at := line(dx, dz)) is not None:
            at[floor - 1] = IDS["stone"]
            at[floor] = IDS[lamp]
    for dx, dz in ((0, 0), (1, 0), (0, 1)):
        if (at := line(dx, dz)) is not None:
            at[floor + int(cave.radii[1]) - 1] = IDS["glowstone"]
