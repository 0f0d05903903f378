"""What a face of a block state can say besides its texture.

Colour = texel * tint of the biome, as far as the face asks for one; where the bits travel:
``render.mesh.vertex_format``.
"""

from enum import IntEnum
from typing import Final


class Tint(IntEnum):
    """Which colour of the biome a face takes; rows of ``biomes.colours`` but for NONE."""

    NONE = 0
    GRASS = 1
    FOLIAGE = 2
    WATER = 3


LOWERED: Final = 1  # set by the mesh kernel alone: the upper edge of a liquid's surface
TINT_MASK: Final = 2  # alpha says how much of the tint a texel takes; it is no coverage
GLOWS: Final = 4  # drawn at full light
DOUBLE_SIDED: Final = 8  # of model quads: looks to both sides
CLEAR: Final = 16  # of model quads: alpha is coverage, the quad is drawn among the translucent ones
