"""Resource packs that tests write: our own pictures, and everything that is allowed to be odd about a pack."""

import json
import struct
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

Pixels = npt.NDArray[np.uint8]
"""[height, width, 4]."""

MANIFEST = {"format_version": 2, "header": {"name": "ours", "uuid": "0-0", "version": [1, 0, 0]}, "modules": []}


def plain(colour: tuple[int, ...], height: int = 16, width: int = 16) -> Pixels:
    """One colour, opaque unless it has an alpha."""
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[..., : len(colour)] = colour
    return pixels


def png(pixels: Pixels) -> bytes:
    out = BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def tga(pixels: Pixels, kind: int = 2, from_top: bool = True, depth: int = 32) -> bytes:
    """A TGA.

    Args:
        pixels: red, green, blue, alpha; of a grey kind the red counts.
        kind: 2 colour, 3 grey, 10 and 11 the same run-length coded.
        from_top: the first row is the uppermost.
        depth: bits a pixel: 8, 24 or 32.
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
    for at in range(0, len(stored), width):  # packets do not run over the end of a row
        row, place = stored[at : at + width], 0
        while place < width:
            same = 1
            while place + same < width and same < 128 and (row[place + same] == row[place]).all():
                same += 1
            body += bytes([127 + same if same > 1 else 0]) + row[place].tobytes()
            place += same
    return head + bytes(body)


def write_pack(folder: Path, files: Mapping[str, Any]) -> Path:
    """Writes files into a folder: bytes and text as they are, pixels as pictures, anything else as JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(name, content))
    return folder


def as_bytes(name: str, content: Any) -> bytes:
    """One file's bytes; Any: bytes, text, pixels, or what JSON holds."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, np.ndarray):
        return tga(content) if name.endswith(".tga") else png(content)
    return json.dumps(content).encode()


def pack_files(blocks: Mapping[str, Any], terrain: Mapping[str, Any], images: Mapping[str, Any]) -> dict[str, Any]:
    """A whole pack: blocks.json, terrain_texture.json, and images below textures/blocks."""
    return {
        "manifest.json": MANIFEST,
        "blocks.json": {"format_version": [1, 1, 0], **blocks},
        "textures/terrain_texture.json": {"texture_data": {key: {"textures": value} for key, value in terrain.items()}},
        **{f"textures/blocks/{name}": content for name, content in images.items()},
    }


def write_zip(path: Path, files: Mapping[str, Any], below: str = "") -> Path:
    """The same as an archive, perhaps one folder deeper; its bytes do not tell when it was written."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(below + name), as_bytes(name, content), zipfile.ZIP_DEFLATED)
    return path
