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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Protocol

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


class PackFiles(Protocol):
    """One pack's files."""

    @property
    def path(self) -> Path:
        """As the user gave it."""

    @property
    def names(self) -> Names:
        """See ``Names``."""

    def read(self, name: str) -> bytes:
        """A file's content. Raises FileTrouble: it is missing, too large, damaged, or being changed."""


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


class _Counted:
    """Bytes read so far; enforces ``MOST_FILE_BYTES`` and ``MOST_PACK_BYTES``."""

    def __init__(self) -> None:
        self._bytes = 0

    def bound(self) -> int:
        """The largest size of the next file, in bytes."""
        return min(MOST_FILE_BYTES, MOST_PACK_BYTES - self._bytes)

    def take(self, content: bytes, bound: int) -> bytes:
        """Counts a file, read up to one byte beyond its bound. Raises FileTrouble: it is larger than ``bound``."""
        self._bytes += len(content)
        if len(content) > bound:
            raise FileTrouble(f"it unpacks to more than {bound} bytes")
        return content


class FolderFiles:
    """A pack in a folder; see ``PackFiles``."""

    def __init__(self, path: Path, troubles: Troubles) -> None:
        """Lists the folder. Raises PackError: it holds no pack."""
        self.path = path
        self._root = path.resolve()
        self._counted = _Counted()
        self.names = _from_root(path, self._listed(troubles))

    def read(self, name: str) -> bytes:
        where = self._root / _known(self.names, name)
        bound = self._counted.bound()
        try:
            if not where.resolve().is_relative_to(self._root):
                raise FileTrouble("it is a link to a place outside the pack")
            with where.open("rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise FileTrouble("it is not a regular file")
                return self._counted.take(file.read(bound + 1), bound)
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


class ZipFiles:
    """A pack in an archive; see ``PackFiles``. It stays open: reading its list for each of 1,400 files took 6 s."""

    def __init__(self, path: Path, troubles: Troubles) -> None:
        """Lists the archive. Raises PackError: it is not an archive, or holds no pack."""
        self.path = path
        self._counted = _Counted()
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

    def read(self, name: str) -> bytes:
        entry, bound = _known(self.names, name), self._counted.bound()
        try:
            if self._archive.getinfo(entry).file_size > bound:
                raise FileTrouble(f"its header announces more than {bound} unpacked bytes")
            with self._archive.open(entry) as file:
                return self._counted.take(file.read(bound + 1), bound)
        except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise FileTrouble(f"it cannot be unpacked: {error}") from None


def _known(names: Names, name: str) -> str:
    kept = names.get(name.lower())
    if kept is None:
        raise FileTrouble("it does not exist")
    return kept


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
