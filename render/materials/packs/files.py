"""The files of a pack: a folder, or a .zip, .mcpack or .mcaddon.

Rules:
1. Only files listed in ``names`` are read. Names are relative to the pack, use ``/``, and ignore case.
2. No name leads out of the pack, by ``..``, an absolute path, a drive letter or a link. Such names are not listed; each
   is reported as one trouble.
3. Limits apply to the unpacked bytes, not to the sizes that the archive states: for each file, and for all reads.
4. A pack may lie one folder deeper; names then begin there.
"""

import os
import re
import stat
import zipfile
import zlib
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from render.materials.packs.troubles import (
    MOST_FILE_BYTES,
    MOST_FILES,
    MOST_PACK_BYTES,
    FileTrouble,
    PackError,
    Trouble,
    Troubles,
)

ARCHIVES: Final = frozenset({".zip", ".mcpack", ".mcaddon"})
ROOT_FILES: Final = ("manifest.json", "blocks.json", "textures/terrain_texture.json")
"""Files and folders that mark the root of a pack, the surest first."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")

Names = Mapping[str, str]
"""Name in lower case, relative to the pack -> its name in the folder or archive."""


class PackFiles:
    """One pack's files."""

    def __init__(self, path: Path) -> None:
        self.path = path  # as the user gave it
        self.names: Names = {}
        self._read_bytes = 0

    def read(self, name: str) -> bytes:
        """A file's content. Raises FileTrouble: it is missing, too large, damaged, or being changed."""
        entry = self.names.get(name.lower())
        if entry is None:
            raise FileTrouble("it does not exist")
        most = min(MOST_FILE_BYTES, MOST_PACK_BYTES - self._read_bytes)
        content = self._content(entry, most)
        self._read_bytes += len(content)
        if len(content) > most:
            raise FileTrouble(f"it unpacks to more than {most} bytes")
        return content

    @abstractmethod
    def _content(self, entry: str, most: int) -> bytes:
        """An entry's content; if it has more than ``most`` bytes, one more than these."""


def within(name: str) -> str | None:
    """A name relative to the pack, normalized; None if it leads out of the pack."""
    parts = name.replace("\\", "/").split("/")
    if "\0" in name or name.startswith(("/", "\\")) or _DRIVE.match(name) or ".." in parts:
        return None
    return "/".join(part for part in parts if part not in {"", "."})


def open_files(path: Path, troubles: Troubles) -> PackFiles:
    """The files of a pack. Raises PackError: the folder or archive does not exist, or is not a pack."""
    try:
        if path.is_dir():
            return FolderFiles(path, troubles)
        if not path.exists():
            raise PackError(f"pack {path}: it does not exist")
        if path.suffix.lower() not in ARCHIVES:
            raise PackError(f"pack {path}: a pack is a folder, or a file that ends in {', '.join(sorted(ARCHIVES))}")
        return ZipFiles(path, troubles)
    except OSError as error:
        raise PackError(f"pack {path}: {error.strerror or error}") from None


class FolderFiles(PackFiles):
    """A pack in a folder."""

    def __init__(self, path: Path, troubles: Troubles) -> None:
        """Lists the folder. Raises PackError: it holds no pack."""
        super().__init__(path)
        self._root = path.resolve()
        self.names = _from_root(path, self._listed(troubles))

    def _content(self, entry: str, most: int) -> bytes:
        where = self._root / entry
        try:
            if not where.resolve().is_relative_to(self._root):
                raise FileTrouble("it is a link to a place outside the pack")
            with where.open("rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise FileTrouble("it is not a regular file")
                return file.read(most + 1)
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, before Python 3.13
            raise FileTrouble(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None

    def _listed(self, troubles: Troubles) -> list[str]:
        found: list[str] = []
        for folder, folders, files in os.walk(self._root, followlinks=False):
            folders.sort()
            for entry in sorted(files) + [entry for entry in folders if Path(folder, entry).is_symlink()]:
                where = Path(folder, entry)
                name = where.relative_to(self._root).as_posix()
                if where.is_symlink() and not _stays(where, self._root):
                    troubles.add(Trouble(str(self.path), name, "", "it is a link to a place outside the pack"))
                elif not where.is_dir():
                    found.append(name)
            if len(found) > MOST_FILES:
                raise PackError(f"pack {self.path}: it has more than {MOST_FILES} files")
        return found


class ZipFiles(PackFiles):
    """A pack in an archive. It stays open: reading its list for each of 1,400 files took 6 s."""

    def __init__(self, path: Path, troubles: Troubles) -> None:
        """Lists the archive. Raises PackError: it is not an archive, or holds no pack."""
        super().__init__(path)
        try:
            self._archive = zipfile.ZipFile(path)
            entries = self._archive.namelist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise PackError(f"pack {path}: it is not a readable archive: {error}") from None
        if len(entries) > MOST_FILES:
            raise PackError(f"pack {path}: it has more than {MOST_FILES} files")
        for entry in entries:
            if within(entry) is None:
                troubles.add(Trouble(str(path), entry, "", "its name points outside the pack"))
        self.names = _from_root(path, [entry for entry in entries if not entry.endswith("/")])

    def _content(self, entry: str, most: int) -> bytes:
        try:
            if self._archive.getinfo(entry).file_size > most:
                raise FileTrouble(f"its header announces more than {most} unpacked bytes")
            with self._archive.open(entry) as file:
                return file.read(most + 1)
        except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise FileTrouble(f"it cannot be unpacked: {error}") from None


def _stays(link: Path, root: Path) -> bool:
    try:
        return link.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _from_root(path: Path, entries: Iterable[str]) -> dict[str, str]:
    """Names relative to the root of the pack, which is the top or one folder down."""
    plain = {name.lower(): entry for entry in entries if (name := within(entry))}
    for wanted in ROOT_FILES:
        if wanted in plain:
            return plain
        deeper = sorted(name for name in plain if name.split("/", 1)[1:] == [wanted])
        if deeper:
            begin = deeper[0].removesuffix(wanted)
            return {name.removeprefix(begin): entry for name, entry in plain.items() if name.startswith(begin)}
    if any(name.startswith("textures/") for name in plain):
        return plain
    raise PackError(f"pack {path}: it is not a resource pack: it has neither manifest.json nor textures")
