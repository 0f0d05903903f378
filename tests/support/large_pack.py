"""The pack of the golden ``large_pictures``, made anew by ``python -m tests.support.large_pack FOLDER``: our own art.

Pictures of 64 x 64 among some of 16, devices that face any way, leaves with large holes, and colours of biomes: an
autumn of a colour map, a meadow and its water in files of their own.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.small_pack import checked
from tests.support.written_pack import Pixels, plain, write_pack

SIDE = 64
ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]
PATH = "textures/blocks/"


def rings() -> Pixels:
    """Fine circles: what 16 x 16 cannot show."""
    pixels = plain((150, 150, 160), SIDE, SIDE)
    pixels[np.hypot(ROWS - 31.5, COLUMNS - 31.5) % 8 < 3] = (90, 90, 104, 255)
    return pixels


def face(colour: tuple[int, int, int]) -> Pixels:
    """A disc of a colour on a plate."""
    pixels = checked((70, 70, 74), (78, 78, 82), 16, SIDE)
    pixels[np.hypot(ROWS - 31.5, COLUMNS - 31.5) < 22] = (*colour, 255)
    return pixels


def leaves() -> Pixels:
    """Grey lozenges with holes between them."""
    pixels = plain((170, 170, 170), SIDE, SIDE)
    away = np.abs(ROWS % 16 - 7.5) + np.abs(COLUMNS % 16 - 7.5)
    pixels[away > 8] = (170, 170, 170, 0)
    pixels[(away > 4) & (away <= 8), :3] = 120
    return pixels


def autumn() -> Pixels:
    """A colour map from yellow, where it is warm, to red, where it is cold."""
    pixels = plain((220, 160, 40), 256, 256)
    pixels[..., 1] = np.linspace(170, 40, 256, dtype=np.uint8)[None, :]
    return pixels


def files() -> dict[str, Any]:
    """Every file of the pack."""
    upright = {"up": "ahead", "down": "behind", "side": "plate"}
    around = {"north": "ahead", "south": "behind", "up": "plate", "down": "plate", "east": "plate", "west": "plate"}
    blocks = {
        "stone": {"textures": "rings"}, "piston": {"textures": upright}, "observer": {"textures": around},
        "leaves": {"textures": "leaves"}, "grass": {"textures": {"up": "turf", "down": "earth", "side": "earth"}},
    }  # fmt: skip
    components = {
        "minecraft:grass_appearance": {"color": "#c8a83c"}, "minecraft:water_appearance": {"surface_color": "#1fae9a"},
    }  # fmt: skip
    biome = {"description": {"identifier": "minecraft:plains"}, "components": components}
    images = {
        "rings": rings(), "ahead": face((230, 190, 60)), "behind": face((60, 90, 200)), "leaves": leaves(),
        "plate": checked((70, 70, 74), (78, 78, 82)), "turf": checked((190, 190, 190), (160, 160, 160), 2, 32),
        "earth": checked((120, 84, 60), (104, 70, 50), 2),
    }  # fmt: skip
    return {
        "manifest.json": {"format_version": 2, "header": {"name": "large"}},
        "blocks.json": blocks,
        "textures/terrain_texture.json": {"texture_data": {name: {"textures": PATH + name} for name in images}},
        "textures/colormap/foliage.png": autumn(),
        "biomes/plains.client_biome.json": {"format_version": "1.21.70", "minecraft:client_biome": biome},
        **{f"{PATH}{name}.png": image for name, image in images.items()},
    }


if __name__ == "__main__":
    write_pack(Path(sys.argv[1]), files())
