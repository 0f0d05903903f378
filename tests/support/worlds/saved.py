"""Writer of small worlds in the game's format, for tests of ``SavedWorld``: columns in, files out."""

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from net.nbt import DISK, Compound, Int, Long, encode_root
from net.saved_world.leveldb import ColumnKey, Tag
from net.space import ColumnPos
from tests.support.reference import leveldb as twin
from tests.support.reference.leveldb import MemoryFiles

Ids = npt.NDArray[np.int64]
WIDTHS = (1, 2, 3, 4, 5, 6, 8, 16)
Column = Mapping[int, bytes]
"""Sub-chunks by section."""


def storage(palette: Sequence[Compound], ids: Ids, bits: int | None = None) -> bytes:
    """Encodes a storage with named states, by default with the narrowest width."""
    needed = max((len(palette) - 1).bit_length(), 1)
    bits = next(width for width in WIDTHS if width >= needed) if bits is None else bits
    if bits == 0:
        return b"\0" + encode_root(palette[0], DISK)
    each = 32 // bits
    padded = np.zeros(-(-4096 // each) * each, np.uint64)
    padded[:4096] = ids
    words = (padded.reshape(-1, each) << np.arange(each, dtype=np.uint64) * np.uint64(bits)).sum(axis=1).astype("<u4")
    names = b"".join(encode_root(entry, DISK) for entry in palette)
    return bytes((bits << 1,)) + words.tobytes() + struct.pack("<i", len(palette)) + names


def subchunk(version: int, layers: Sequence[bytes], section: int = 0) -> bytes:
    """Encodes a sub-chunk of version 1, 8 or 9."""
    head = {1: b"\1", 8: bytes((8, len(layers))), 9: bytes((9, len(layers), section & 0xFF))}[version]
    return head + b"".join(layers)


def old_subchunk(version: int, numbers: Ids, values: Ids, lights: bool = False) -> bytes:
    """Encodes a sub-chunk of version 0 or 2..7: block numbers, data values of four bits, optionally light."""
    nibbles = (values[0::2] | values[1::2] << 4).astype(np.uint8)
    return bytes((version,)) + numbers.astype(np.uint8).tobytes() + nibbles.tobytes() + bytes(4096 if lights else 0)


def named(name: str, **states: int | str) -> Compound:
    """A palette entry as saved since 1.13."""
    tags: Compound = {key: value if isinstance(value, str) else Int(value) for key, value in states.items()}
    return {"name": f"minecraft:{name}", "states": tags, "version": Int(17959425)}


def level(name: str = "Written", **more: Int | Long) -> bytes:
    body = encode_root({"LevelName": name, "SpawnX": Int(8), "SpawnY": Int(32767), "SpawnZ": Int(8), **more}, DISK)
    return struct.pack("<II", 8, len(body)) + body


def world(
    columns: Mapping[tuple[int, int, int], Column],
    more: Mapping[tuple[int, int, int, int], bytes] | None = None,
    level_dat: bytes | None = None,
) -> MemoryFiles:
    """Writes a world's files in memory.

    Args:
        columns: sub-chunks by (dimension, x, z).
        more: further values by (dimension, x, z, tag).
        level_dat: content of level.dat.
    """
    values = {}
    for (dimension, x, z), sections in columns.items():
        position = ColumnPos(x, z)
        values[ColumnKey(dimension, position, Tag.VERSION, None).write()] = b"\x28"
        for section, data in sections.items():
            values[ColumnKey(dimension, position, Tag.SUBCHUNK, section).write()] = data
    for (dimension, x, z, tag), data in (more or {}).items():
        values[ColumnKey(dimension, ColumnPos(x, z), tag, None).write()] = data
    values[b"~local_player"] = b"\x0a\0\0\0"
    files = twin.database([[(key, at + 1, value) for at, (key, value) in enumerate(sorted(values.items()))]])
    files.contents["level.dat"] = level() if level_dat is None else level_dat
    return files


def write_folder(files: MemoryFiles, folder: Path) -> Path:
    """Writes the files into a folder."""
    (folder / "db").mkdir(parents=True)
    for name, content in files.contents.items():
        (folder / name).write_bytes(content)
    return folder


def write_packed(files: MemoryFiles, path: Path, root: str = "") -> Path:
    """Writes the files as a .mcworld, inside a folder of the archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.contents.items():
            archive.writestr(root + name, content)
    return path
