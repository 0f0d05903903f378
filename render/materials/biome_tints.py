"""Biome tint colours of faces, from ``assets/biomes.toml``, and the flag bits of faces.

Colour = texel * tint of the biome, for faces that have a tint; for the bits see ``render.mesh.vertex_format``.

Rules:
1. The table is [256, 3, 3] by biome id, ``Tint`` - 1, and red, green, blue; it has a row for each id.
2. An unknown biome, or one that the file does not list, has the colours of "temperate".

Limits: biome ids over 255 (custom biomes) count as unknown.
"""

import tomllib
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Final

import numpy as np

from net.arrays import U8, Biomes
from render.materials.canvas import colour


class Tint(IntEnum):
    """The biome colour that multiplies a face; all but NONE are rows of the table, ``Tint`` - 1."""

    NONE = 0
    GRASS = 1
    FOLIAGE = 2
    WATER = 3


LOWERED: Final = 1  # set only by the mesh kernel: the upper edge of a liquid's surface
TINT_MASK: Final = 2  # alpha is the strength of the tint, not coverage
GLOWS: Final = 4  # drawn at full light
DOUBLE_SIDED: Final = 8  # of model quads: visible from both sides
ROTATES: Final = 8  # of cube quads: the picture may be turned and mirrored by the block's place
TRANSLUCENT_QUAD: Final = 16  # of model quads: alpha is coverage, the quad is drawn among the translucent ones


BIOMES: Final = 256
TINTS: Final = ("grass", "foliage", "water")  # Tint 1, 2, 3
DEFAULT: Final = "temperate"
UNNAMED: Final = 255  # not the id of a biome: its row holds the default

TintColours = U8
"""[256, 3, 3] by biome id, tint - 1, and red, green, blue."""


@cache
def tint_colours() -> TintColours:
    """The whole table; read-only. Raises ValueError: an invalid colour, or a biome in two climates."""
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
    """Colours of any array of biome ids: [..., 3, 3]. ``table``: default is ours."""
    return (tint_colours() if table is None else table)[np.where(biomes < BIOMES, biomes, UNNAMED)]
