"""The colours that biomes give to grass, foliage and water, from ``assets/biomes.toml``.

Rules:
1. The table is short and whole: [256, 3, 3] by biome id, ``Tint`` - 1, and red, green, blue.
2. A biome that is not known, or that nobody named, has the colours of "temperate".

Limits: biome ids over 255 (custom biomes) count as not known.
"""

import tomllib
from functools import cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from net.space import Biomes
from render.materials.canvas import colour

BIOMES: Final = 256
TINTS: Final = ("grass", "foliage", "water")  # Tint 1, 2, 3
DEFAULT: Final = "temperate"
UNNAMED: Final = 255  # no biome has this id: its row holds the default

TintColours = npt.NDArray[np.uint8]
"""[256, 3, 3] by biome id, tint - 1, and red, green, blue."""


@cache
def tint_colours() -> TintColours:
    """The whole table; read-only.

    Raises:
        ValueError: a colour that is none, or a biome in two climates.
    """
    climates = tomllib.loads(resources.files("assets").joinpath("biomes.toml").read_text("utf-8"))
    table = np.empty((BIOMES, 3, 3), np.uint8)
    table[:] = [colour(climates[DEFAULT][tint]) for tint in TINTS]
    seen: set[int] = set()
    for name, climate in climates.items():
        twice = seen.intersection(climate["ids"])
        if twice or max(climate["ids"]) >= UNNAMED:
            raise ValueError(
                f"climate {name}: biomes {sorted(twice) or climate['ids']} are named twice or out of range"
            )
        seen.update(climate["ids"])
        table[climate["ids"]] = [colour(climate[tint]) for tint in TINTS]
    table.flags.writeable = False
    return table


def tints_of(biomes: Biomes, table: TintColours | None = None) -> TintColours:
    """Colours of any array of biome ids: [..., 3, 3]; of another table than ours where one is given."""
    return (tint_colours() if table is None else table)[np.where(biomes < BIOMES, biomes, UNNAMED)]
