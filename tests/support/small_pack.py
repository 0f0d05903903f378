"""The resource pack of the goldens, made anew by ``python -m tests.support.small_pack FOLDER``: our own art, a few KB.

It has what packs have: variants, faces, a device's front, a mask with an overlay colour, a strip, TGA and PNG,
comments, a byte order mark, and a picture that is none (coal ore stays ours).
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.written_pack import Pixels, tga, write_pack

SIDE = 16
ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]


def checked(first: tuple[int, ...], second: tuple[int, ...], step: int = 4, side: int = SIDE) -> Pixels:
    """A board of two colours."""
    rows, columns = np.mgrid[0:side, 0:side]
    pixels = np.full((side, side, 4), 255, np.uint8)
    odd = (rows // step + columns // step) % 2 == 1
    pixels[..., : len(first)] = first
    pixels[odd, : len(second)] = second
    return pixels


def fringe() -> Pixels:
    """Earth with a grey fringe; alpha says where the biome's green goes."""
    pixels = checked((120, 84, 60, 0), (104, 70, 50, 0), 2)
    pixels[ROWS < 3 + COLUMNS % 3] = (190, 190, 190, 255)
    return pixels


def waves() -> Pixels:
    """Four frames of a liquid."""
    frames = [checked((170, 170, 170, 190), (130, 130, 130, 190), 2) for _ in range(4)]
    return np.concatenate([np.roll(frame, number, 1) for number, frame in enumerate(frames)])


def arrow() -> Pixels:
    """A device's front: an arrow that points up."""
    pixels = checked((90, 90, 120), (80, 80, 110))
    pixels[(np.abs(COLUMNS - 7.5) < ROWS - 2) & (ROWS < 8) | (np.abs(COLUMNS - 7.5) < 2) & (ROWS < 14)] = (
        250,
        210,
        60,
        255,
    )
    return pixels


def files() -> dict[str, Any]:
    """Every file of the pack."""
    blocks = {
        "stone": {"textures": "stone"},
        "grass": {"textures": {"up": "grass_top", "down": "dirt", "side": "grass_side"}},
        "dirt": {"textures": "dirt"},
        "furnace": {
            "textures": {
                "up": "plate",
                "down": "plate",
                "north": "plate",
                "south": "front",
                "east": "plate",
                "west": "plate",
            }
        },
        "log": {"textures": {"up": "end", "down": "end", "side": "bark"}},
        "water": {"textures": "waves"},
        "glass": {"textures": "window"},
        "coal_ore": {"textures": "broken"},
    }
    path = "textures/blocks/"
    terrain = {
        "stone": {"textures": [path + "stone", path + "granite"]},
        "grass_top": {"textures": path + "grass_top"},
        "grass_side": {"textures": {"path": path + "grass_side", "overlay_color": "#79c05a"}},
        "dirt": {"textures": path + "dirt"},
        "plate": {"textures": path + "plate"},
        "front": {"textures": path + "front"},
        "end": {"textures": path + "end"},
        "bark": {"textures": [path + "bark", {"path": path + "bark", "tint_color": "#8899ff"}]},
        "waves": {"textures": path + "plate"},
        "window": {"textures": path + "window"},
        "broken": {"textures": path + "broken"},
    }  # fmt: skip
    window = checked((160, 220, 240, 0), (160, 220, 240, 0))
    window[(ROWS % 15 == 0) | (COLUMNS % 15 == 0) | (ROWS == COLUMNS)] = (200, 240, 250, 255)
    bark = checked((110, 80, 50), (90, 62, 40), 2)
    bark[:, ::4] = (60, 40, 24, 255)
    book = {"flipbook_texture": path + "waves", "atlas_tile": "waves", "ticks_per_frame": 4}
    return {
        "manifest.json": b'\xef\xbb\xbf// ours\n{"format_version": 2, "header": {"name": "small", "version": [1],},}\n',
        "blocks.json": {"format_version": [1, 1, 0], **blocks},
        "textures/terrain_texture.json": {"texture_data": terrain},
        "textures/flipbook_textures.json": [book],
        path + "stone.png": checked((128, 128, 136), (112, 112, 120)),
        path + "granite.tga": tga(checked((170, 110, 90), (150, 94, 76)), 10, False, 24),
        path + "grass_top.png": checked((180, 180, 180), (160, 160, 160), 2),
        path + "grass_side.tga": tga(fringe()),
        path + "dirt.png": checked((120, 84, 60), (104, 70, 50), 2),
        path + "plate.tga": tga(checked((96, 96, 100), (84, 84, 88), 8), 11, True, 8),
        path + "front.png": arrow(),
        path + "end.png": checked((190, 150, 100), (160, 124, 80), 8, 32),
        path + "bark.png": bark,
        path + "waves.png": waves(),
        path + "window.tga": tga(window, 10),
        path + "broken.png": b"\x89PNG\r\n\x1a\n and no more",
    }  # fmt: skip


if __name__ == "__main__":
    write_pack(Path(sys.argv[1]), files())
