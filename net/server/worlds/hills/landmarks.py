"""The composed part of the hills: what stands near the spawn, at the same blocks whatever the seed.

    a meadow with a low knoll, where players start looking along +z
    a path with lamp posts of six colours down to a lake, and a pier into it
    four houses beside the path
    a range with snow tops behind the lake
    a lamp-lit cave under the knoll, west of the spawn, with a tunnel up to the grass

All other terrain fades into this within ``FADE_BLOCKS``. Positions are blocks.
"""

from typing import Final

from net.frozen import frozen

SEA_Y: Final = 62

FADE_BLOCKS: Final = (95.0, 165.0)
"""Distance from the origin where the seed's own terrain begins, and where nothing composed is left."""

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


@frozen
class Cave:
    """An ellipsoid hall with a flat floor.

    Attributes:
        x: of the middle.
        floor_y: lowest block of air.
        z: of the middle.
        radii: half axes in x, y and z; y counts from the floor.
    """

    x: int
    floor_y: int
    z: int
    radii: tuple[float, float, float]


LAMP_CAVE: Final = Cave(-44, 40, -14, (15.0, 10.0, 13.0))
LAMP_CAVE_EYE: Final = (-55.5, 43.6, -13.5)
"""Where to stand in it: an eye position in air, looking along +x (yaw -90) shows every lamp."""
LAMP_CAVE_LOOK: Final = (-90.0, 10.0)
"""Yaw and pitch for that."""
TUNNEL: Final = ((-56.0, 42.0, -14.0), (-87.0, 68.0, -22.0), 2.7)
"""From the hall to the grass: both ends and the radius."""
