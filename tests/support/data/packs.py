"""Resource packs that tests write; all pictures are ours.

``python -m tests.support.data.packs small FOLDER`` writes the small pack of the goldens. It has what unusual packs
have: variants, different pictures by face, a front for devices, a mask with an overlay colour, an animation strip, TGA
and PNG files, comments and a byte order mark in JSON, and a damaged picture (of coal ore, which keeps our texture).

``python -m tests.support.data.packs large FOLDER`` writes the pack of the golden ``large_pictures``: pictures of
64 x 64 among some of 16 x 16, devices that face in six directions, leaves with large holes, and colours of biomes:
foliage from a colour map, grass and water of the plains from a biome file.
"""

import json
import struct
import sys
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

# ---------------------------------------------------------------- written pack

Pixels = npt.NDArray[np.uint8]
"""uint8[height, width, 4] red, green, blue, alpha."""

MANIFEST = {"format_version": 2, "header": {"name": "ours", "uuid": "0-0", "version": [1, 0, 0]}, "modules": []}


def plain(colour: tuple[int, ...], height: int = 16, width: int = 16) -> Pixels:
    """A picture of one colour; opaque unless the colour has an alpha."""
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[..., : len(colour)] = colour
    return pixels


def png(pixels: Pixels) -> bytes:
    out = BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def tga(pixels: Pixels, kind: int = 2, from_top: bool = True, depth: int = 32) -> bytes:
    """Encodes a TGA file.

    Args:
        pixels: red, green, blue, alpha; grey kinds use red alone.
        kind: 2 colour, 3 grey; 10 and 11 are the same with run-length coding.
        from_top: whether the top row is stored first.
        depth: bits per pixel, 8, 24 or 32.
    """
    height, width = pixels.shape[:2]
    rows = pixels if from_top else pixels[::-1]
    order = [0] if depth == 8 else [2, 1, 0, 3][: depth // 8]
    stored = np.ascontiguousarray(rows[..., order]).reshape(-1, depth // 8)
    descriptor = (8 if depth == 32 else 0) | (0x20 if from_top else 0)
    head = struct.pack("<BBBHHBHHHHBB", 0, 0, kind, 0, 0, 0, 0, 0, width, height, depth, descriptor)
    if kind < 8:
        return head + stored.tobytes()
    body = bytearray()
    for at in range(0, len(stored), width):  # runs do not cross the end of a row
        row, place = stored[at : at + width], 0
        while place < width:
            same = 1
            while place + same < width and same < 128 and (row[place + same] == row[place]).all():
                same += 1
            body += bytes([127 + same if same > 1 else 0]) + row[place].tobytes()
            place += same
    return head + bytes(body)


def write_pack(folder: Path, files: Mapping[str, Any]) -> Path:
    """Writes files into a folder, encoded by ``as_bytes``."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(name, content))
    return folder


def as_bytes(name: str, content: Any) -> bytes:
    """Encodes one file: bytes and text as they are, pixels as a picture, anything else as JSON."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, np.ndarray):
        return tga(content) if name.endswith(".tga") else png(content)
    return json.dumps(content).encode()


def pack_files(blocks: Mapping[str, Any], terrain: Mapping[str, Any], images: Mapping[str, Any]) -> dict[str, Any]:
    """The files of a whole pack: blocks.json, terrain_texture.json, and images in textures/blocks."""
    return {
        "manifest.json": MANIFEST,
        "blocks.json": {"format_version": [1, 1, 0], **blocks},
        "textures/terrain_texture.json": {"texture_data": {key: {"textures": value} for key, value in terrain.items()}},
        **{f"textures/blocks/{name}": content for name, content in images.items()},
    }


def write_zip(path: Path, files: Mapping[str, Any], below: str = "") -> Path:
    """Writes files into an archive, inside the folder ``below`` if given; without times, so bytes are repeatable."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(below + name), as_bytes(name, content), zipfile.ZIP_DEFLATED)
    return path


# ---------------------------------------------------------------- small pack

SIDE = 16
ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]


def checked(first: tuple[int, ...], second: tuple[int, ...], step: int = 4, side: int = SIDE) -> Pixels:
    """A checkerboard of two colours with squares of ``step`` pixels."""
    rows, columns = np.mgrid[0:side, 0:side]
    pixels = np.full((side, side, 4), 255, np.uint8)
    odd = (rows // step + columns // step) % 2 == 1
    pixels[..., : len(first)] = first
    pixels[odd, : len(second)] = second
    return pixels


def fringe() -> Pixels:
    """Dirt with a grey fringe; alpha marks the pixels that get the biome's colour."""
    pixels = checked((120, 84, 60, 0), (104, 70, 50, 0), 2)
    pixels[ROWS < 3 + COLUMNS % 3] = (190, 190, 190, 255)
    return pixels


def waves() -> Pixels:
    """Four frames of a liquid, one below the other."""
    frames = [checked((170, 170, 170, 190), (130, 130, 130, 190), 2) for _ in range(4)]
    return np.concatenate([np.roll(frame, number, 1) for number, frame in enumerate(frames)])


def arrow() -> Pixels:
    """The front of a device: an arrow that points up."""
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


# ---------------------------------------------------------------- large pack

LARGE_PACK_SIDE = 64
LARGE_PACK_ROWS, LARGE_PACK_COLUMNS = np.mgrid[0:LARGE_PACK_SIDE, 0:LARGE_PACK_SIDE]
PATH = "textures/blocks/"


def rings() -> Pixels:
    """Circles too fine for 16 x 16 pixels."""
    pixels = plain((150, 150, 160), LARGE_PACK_SIDE, LARGE_PACK_SIDE)
    pixels[np.hypot(LARGE_PACK_ROWS - 31.5, LARGE_PACK_COLUMNS - 31.5) % 8 < 3] = (90, 90, 104, 255)
    return pixels


def face(colour: tuple[int, int, int]) -> Pixels:
    """A coloured disc on a plate."""
    pixels = checked((70, 70, 74), (78, 78, 82), 16, LARGE_PACK_SIDE)
    pixels[np.hypot(LARGE_PACK_ROWS - 31.5, LARGE_PACK_COLUMNS - 31.5) < 22] = (*colour, 255)
    return pixels


def leaves() -> Pixels:
    """Grey diamonds with holes between them."""
    pixels = plain((170, 170, 170), LARGE_PACK_SIDE, LARGE_PACK_SIDE)
    away = np.abs(LARGE_PACK_ROWS % 16 - 7.5) + np.abs(LARGE_PACK_COLUMNS % 16 - 7.5)
    pixels[away > 8] = (170, 170, 170, 0)
    pixels[(away > 4) & (away <= 8), :3] = 120
    return pixels


def autumn() -> Pixels:
    """A colour map of foliage: yellow in warm biomes, red in cold ones."""
    pixels = plain((220, 160, 40), 256, 256)
    pixels[..., 1] = np.linspace(170, 40, 256, dtype=np.uint8)[None, :]
    return pixels


def large_files() -> dict[str, Any]:
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


def start_small() -> None:
    """Writes the small pack into the folder that the command line names."""
    write_pack(Path(sys.argv[1]), files())


def start_large() -> None:
    """Writes the large pack into the folder that the command line names."""
    write_pack(Path(sys.argv[1]), large_files())


if __name__ == "__main__":
    {"small": start_small, "large": start_large}[sys.argv.pop(1)]()
