"""The files of a world folder, or of one packed into a .mcworld or .zip, for ``net.saved_world``.

Rules:
1. Files are opened for reading, one part at a time, and closed again: nothing is locked, written, unpacked or kept
   open, and a game may delete a file between two reads.
2. Only ``level.dat`` and the files in ``db`` are visible; in a packed world those of the first folder that has them. A
   packed file is unpacked into memory when it is first read, and kept.
3. The sizes announced by a packed world are checked before a byte is unpacked. Names are looked up, never used as
   paths.
"""

import os
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from net.errors import FolderError
from net.saved_world.leveldb import WorldFiles

PACKED_BYTES: Final = 1 << 30
"""Limit of the unpacked size of all visible files of a packed world."""
READ_BYTES: Final = 1 << 30
"""Limit of one read: no log of the games comes near."""
LEVELS: Final = ("level.dat", "level.dat_old")
DATABASE: Final = "db"


def open_world_files(path: Path) -> WorldFiles:
    """The files of a world. Raises FolderError: it is absent, not readable, or neither a folder nor packed."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _FolderFiles(path)
        if not stat.S_ISREG(mode):
            raise FolderError(f"{path} is neither a folder nor a file")
        return _PackedFiles(path)
    except OSError as error:
        raise FolderError(f"{path}: {error.strerror or error}") from None


class _FolderFiles:
    """A folder."""

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        self._path = path
        self.names: Collection[str] = frozenset(self._seen())

    def _seen(self) -> Iterator[str]:
        for entry in os.scandir(self._path):
            if entry.name in LEVELS:
                yield entry.name
            elif entry.name == DATABASE and entry.is_dir():
                yield from (f"{DATABASE}/{inner.name}" for inner in os.scandir(entry.path))

    def size(self, name: str) -> int:
        try:
            return (self._path / name).stat().st_size
        except OSError as error:
            raise FolderError(f"{name}: {error.strerror or error}") from None

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        try:
            with (self._path / name).open("rb") as file:
                file.seek(start)
                return file.read(READ_BYTES if length is None else length)
        except OSError as error:
            raise FolderError(f"{name}: {error.strerror or error}") from None


class _PackedFiles:
    """A zip file; it is kept open, its members are unpacked when first read."""

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        try:
            self._archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
            raise FolderError(f"{path} is not a packed world: {error}") from None
        members = {info.filename: info for info in self._archive.infolist() if not info.is_dir()}
        root = _root_of(members)
        self._members = {name[len(root) :]: info for name, info in members.items() if _is_seen(name, root)}
        self.names: Collection[str] = frozenset(self._members)
        size = sum(info.file_size for info in self._members.values())
        if size > PACKED_BYTES:
            self._archive.close()
            raise FolderError(f"{path} unpacks to {size} bytes, more than {PACKED_BYTES}")
        self._unpacked: dict[str, bytes] = {}

    def size(self, name: str) -> int:
        return self._members[name].file_size

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        content = self._unpacked.get(name)
        if content is None:
            content = self._unpacked[name] = self._unpack(name)
        return content[start:] if length is None else content[start : start + length]

    def _unpack(self, name: str) -> bytes:
        info = self._members[name]
        try:
            with self._archive.open(info) as member:
                return member.read(info.file_size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise FolderError(f"{name}: {error}") from None
        except (NotImplementedError, RuntimeError) as error:  # an unknown compression; a password
            raise FolderError(f"{name}: it cannot be unpacked: {error}") from None


def _root_of(names: Collection[str]) -> str:
    """The folder of the world inside a packed world, with a slash; the one nearest the top."""
    found = [name[: -len(LEVELS[0])] for name in names if f"/{name}".endswith(f"/{LEVELS[0]}")]
    found += [name[: -len("db/CURRENT")] for name in names if f"/{name}".endswith("/db/CURRENT")]
    return min(found, key=lambda root: (root.count("/"), root), default="")


def _is_seen(name: str, root: str) -> bool:
    inner = name[len(root) :]
    return name.startswith(root) and (inner in LEVELS or inner.startswith(f"{DATABASE}/"))
