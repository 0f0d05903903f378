"""What a face takes beside its texture: a colour of the biome, from ``assets/biomes.toml``, and single bits.

Colour = texel * tint of the biome, as far as the face asks for one; for the bits see ``render.mesh.vertex_format``.

Rules:
1. The table is short and whole: [256, 3, 3] by biome id, ``Tint`` - 1, and red, green, blue.
2. A biome that is not known, or that nobody named, has the colours of "temperate".

Limits: biome ids over 255 (custom biomes) count as not known.
"""

import tomllib
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from net.space import Biomes
from render.materials.canvas import colour


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
ROTATES: Final = 8  # of cube quads: the picture may be turned and mirrored by the block's place
CLEAR: Final = 16  # of model quads: alpha is coverage, the quad is drawn among the translucent ones


BIOMES: Final = 256
TINTS: Final = ("grass", "foliage", "water")  # Tint 1, 2, 3
DEFAULT: Final = "temperate"
UNNAMED: Final = 255  # no biome has this id: its row holds the default

TintColours = npt.NDArray[np.uint8]
"""[256, 3, 3] by biome id, tint - 1, and red, green, blue."""


@cache
def tint_colours() -> TintColours:
    """The whole table; read-only. Raises ValueError: a colour that is none, or a biome in two climates."""
    climates = tomllib.loads(resources.files("assets").joinpath("biomes.toml").read_text("utf-8"))
    table = np.empty((BIOMES, 3, 3), np.uint8)
    table[:] = [colour(climates[DEFAULT][tint]) for tint in TINTS]
    seen: set[int] = set()
    for name, climate in climates.items():
        twice = seen.intersection(climate["ids"])
        if twice or max(climate["ids"]) >= UNNAMED:
            raise ValueError(
                f"climate {name}: biomes {sorted(twice) or climate['ids']} are named twice or are out of range"
            )
        seen.update(climate["ids"])
        table[climate["ids"]] = [colour(climate[tint]) for tint in TINTS]
    table.flags.writeable = False
    return table


def tints_of(biomes: Biomes, table: TintColours | None = None) -> TintColours:
    """Colours of any array of biome ids: [..., 3, 3]; of another table than ours where one is given."""
    return (tint_colours() if table is None else table)[np.where(biomes < BIOMES, biomes, UNNAMED)]
